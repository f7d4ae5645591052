"""PPO: its parts by hand, that it learns, and that a training in pieces is the training in one."""

from dataclasses import asdict, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.agents import on_policy, ppo
from assay.agents.action_distribution import likelihoods
from assay.agents.encoder import LARGE, encode, first_encoder, prepare
from assay.agents.policy_network import first_policy, fits, judge
from assay.core import step as loop
from assay.core.keys import root_of
from assay.core.space import Box, Discrete, Opaque
from assay.errors import AssayError
from assay.native import build_native
from assay.runs.checkpoint import load_checkpoint, save_checkpoint

SMALL = ppo.Config(steps=8192, report_every=2048, envs=8, rollout=32, minibatches=4, discount=0.99,
                   learning_rate=2e-3)  # fmt: skip


def as_published(space, layers, pictures):
    """The same network with the convolutions as they are written in the paper."""
    x = pictures.reshape(len(pictures), *space.shape[:2], -1).astype(jnp.float32) / 255
    for (_, stride, _), layer in zip(LARGE.kernels, layers):
        numbers = ("NHWC", "HWIO", "NHWC")
        x = jax.lax.conv_general_dilated(
            x, layer.weights, (stride, stride), "VALID", dimension_numbers=numbers
        )
        x = jax.nn.relu(x + layer.bias)
    return jax.nn.relu(x.reshape(len(x), -1) @ layers[-1].weights + layers[-1].bias)


@pytest.mark.parametrize("shape", [(128, 128, 3), (84, 84, 4), (61, 50, 1), (45, 47)])
def test_the_encoder_on_blocks_is_the_published_one(shape):
    space = Box(0, 255, shape, "uint8")
    layers = first_encoder(root_of(1), space)
    layers = [layer._replace(bias=layer.bias + 0.01) for layer in layers]
    pictures = jax.random.randint(root_of(2), (2, *shape), 0, 256).astype(jnp.uint8)
    wanted = as_published(space, layers, pictures)
    np.testing.assert_allclose(encode(space, layers, prepare(space, pictures)), wanted, atol=1e-5)
    assert float(jnp.abs(wanted).max()) > 0.1


def test_advantages_by_hand():
    config = replace(SMALL, discount=0.5, trace=0.5)
    column = partial(jnp.asarray, dtype=jnp.float32)
    rollout = on_policy.Rollout(
        None, None, None, value=column([[1], [2], [3]]), reward=column([[1], [1], [1]]),
        ended=jnp.array([[False], [True], [False]]), cut=None, last=None,
    )  # fmt: skip
    # Backwards: 1 + 0.5 * 4 - 3 = 0; an end, 1 - 2 = -1; then 1 + 0.5 * 2 - 1 + 0.25 * -1 = 0.75.
    found = on_policy.advantages(config, rollout, jnp.array([4.0]))
    assert np.asarray(found)[:, 0].tolist() == [0.75, -1.0, 0.0]


def test_only_episodes_that_were_cut_are_paid_for_what_would_have_followed():
    space = Box(-1, 1, (3,))
    policy = first_policy(root_of(1), {"observation": space, "action": Discrete(2)}, SMALL)
    last = jax.random.normal(root_of(2), (4, 2, 3))
    cut = jnp.zeros((4, 2), bool).at[1, 0].set(True).at[3, 1].set(True)
    rollout = on_policy.Rollout(
        None, None, None, None, reward=jnp.ones((4, 2)), ended=None, cut=cut, last=last
    )
    paid = on_policy.pay_for_cuts(space, SMALL, policy, rollout)
    for step, lane in ((1, 0), (3, 1)):
        value = judge(space, policy, last[step, lane][None])[1][0]
        assert paid[step, lane] == pytest.approx(1 + SMALL.discount * float(value), abs=1e-6)
    assert float(jnp.abs(paid - 1).sum()) == pytest.approx(float(jnp.abs(jnp.where(cut, paid - 1, 0)).sum()))


def test_the_loss_of_an_unchanged_policy_by_hand():
    """The ratio is 1 and advantages are normalised, so only value and entropy are left."""
    space = Box(-1, 1, (3,))
    spaces = {"observation": space, "action": Discrete(2)}
    policy = first_policy(root_of(1), spaces, SMALL)
    seen = jax.random.normal(root_of(2), (16, 3))
    logits, values, _ = judge(space, policy, seen)
    numbers = jnp.arange(16) % 2
    gains = jax.random.normal(root_of(3), (16,))
    batch = on_policy.Batch(seen, numbers, likelihoods(Discrete(2), logits, None, numbers), values, gains)
    shares = np.exp(jax.nn.log_softmax(logits))
    entropy = -(shares * np.log(shares)).sum(-1).mean()
    wanted = 0.5 * 0.5 * float((gains**2).mean()) - 0.01 * entropy
    assert float(ppo.loss(spaces, SMALL, policy, batch)) == pytest.approx(wanted, abs=1e-5)


def test_it_learns_what_can_be_learned():
    config = replace(SMALL, steps=40_960)
    trained = jax.jit(ppo.train, static_argnums=2)(root_of(3), build_native("toy/discrete").task, config)
    scores = np.asarray(trained.reports.score)
    assert scores[0] < 45 and scores[-1] > 80  # of 100; random play has about 7
    assert np.asarray(trained.reports.step).tolist() == list(range(2048, 40_961, 2048))


def test_a_training_in_pieces_is_the_training_in_one(tmp_path):
    task, key = build_native("toy/discrete").task, root_of(4)
    turn = jax.jit(lambda learner: ppo.iterate(key, task, SMALL, learner))
    first = jax.jit(lambda: on_policy.start(key, task, SMALL))()
    whole = turn(turn(turn(first)))
    about = {"task": "toy/discrete", "seed": 4, "config": asdict(SMALL)}
    save_checkpoint(tmp_path / "c.npz", about, turn(first))
    again = load_checkpoint(tmp_path / "c.npz", about, jax.eval_shape(lambda: first))
    again = turn(turn(again))
    for one, other in zip(jax.tree.leaves(whole.policy), jax.tree.leaves(again.policy)):
        assert np.array_equal(one, other)
    assert int(again.iteration) == 3


def test_a_checkpoint_of_another_training_is_refused_by_its_difference(tmp_path):
    path, state = tmp_path / "c.npz", {"weights": jnp.ones(3), "key": root_of(1)}
    save_checkpoint(path, {"seed": 1, "config": {"clip": 0.2}}, state)
    with pytest.raises(AssayError, match=r"its seed is 1, and here it is 2"):
        load_checkpoint(path, {"seed": 2, "config": {"clip": 0.2}}, state)
    with pytest.raises(AssayError, match=r"its config is .*0.2.*, and here it is .*0.3"):
        load_checkpoint(path, {"seed": 1, "config": {"clip": 0.3}}, state)
    with pytest.raises(
        AssayError, match=r"float32\[3\] as \['weights'\] where this training has float32\[4\]"
    ):
        load_checkpoint(path, {"seed": 1, "config": {"clip": 0.2}}, state | {"weights": jnp.ones(4)})
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(AssayError, match="is not a checkpoint that can be read"):
        load_checkpoint(path, {"seed": 1, "config": {"clip": 0.2}}, state)


def test_pictures_are_learned_from():
    task = build_native("platformer/run", {"H": 48, "W": 48}).task
    config = replace(SMALL, envs=4, rollout=8, minibatches=2, steps=64, report_every=64)
    trained = jax.jit(ppo.train, static_argnums=2)(root_of(1), task, config)
    first = first_policy(jax.random.fold_in(root_of(1), 0), loop.spaces(task), config)
    assert jax.tree.structure(trained.params) == jax.tree.structure(first)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(trained.params))


@pytest.mark.parametrize(
    "space, why",
    [
        (Box(0, 255, (30, 30, 3), "uint8"), "at least 36 x 36"),
        (Opaque("dict of arrays"), "its network sees numbers"),
    ],
)
def test_what_it_cannot_see_is_refused(space, why):
    assert why in fits({"observation": space, "action": Discrete(2)})


def test_settings_that_would_lose_steps_are_refused():
    with pytest.raises(AssayError, match="report_every of ppo"):
        replace(SMALL, report_every=100)
    with pytest.raises(AssayError, match="precision of ppo is one of"):
        replace(SMALL, precision="half")


def test_seeds_of_one_command_are_those_of_commands_of_their_own(tmp_path):
    asked = {"envs": 8, "rollout": 32, "minibatches": 4, "report_every": 256}
    both = assay.train("ppo", "toy/discrete", seeds=2, steps=512, episodes=2, settings=asked, workers=1,
                       out=tmp_path / "both")  # fmt: skip
    second = assay.train("ppo", "toy/discrete", seeds=1, first_seed=1, steps=512, episodes=2, settings=asked,
                         workers=1, out=tmp_path / "second")  # fmt: skip
    some, all_rows = (map(str, run.episodes().drop_columns(["job"]).to_pylist()) for run in (second, both))
    wanted = set(some)
    assert wanted and wanted <= set(all_rows)
