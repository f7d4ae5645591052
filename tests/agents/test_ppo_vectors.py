"""PPO where it sees no pictures: several numbers and arrays as actions, and seeds side by side."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.agents import ppo
from assay.agents.action_distribution import likelihoods
from assay.agents.on_policy import Batch
from assay.agents.on_policy_config import settings_unfit
from assay.agents.policy_network import first_policy, judge, learns_alone
from assay.core.keys import episode_key, root_of
from assay.core.space import Box, Discrete
from assay.errors import AssayError, NotApplicable
from assay.native import build_native
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import train_plan
from assay.runs.batches import batches, is_alone

SMALL = ppo.Config(steps=8192, report_every=2048, envs=8, rollout=32, minibatches=4, discount=0.99,
                   learning_rate=2e-3, entropy_weight=0.0)  # fmt: skip
KEYS = jax.vmap(partial(episode_key, root_of(6)))(jnp.arange(10))
LINE = {"observation": Box(-1, 1, (3,)), "action": Box(-1, 1, (2,))}


def trained(config, text="toy/discrete", keys=KEYS):
    tasks = jax.tree.map(lambda leaf: jnp.stack([leaf] * len(keys)), build_native(text).task)
    return jax.jit(jax.vmap(lambda key, task: ppo.train(key, task, config)))(keys, tasks)


def test_seeds_side_by_side_are_those_seeds_alone_but_for_rounding():
    config = replace(SMALL, steps=512, report_every=256)
    together = trained(config, keys=KEYS[:3])
    task = build_native("toy/discrete").task
    alone = jax.jit(partial(ppo.train, task=task, config=config))(KEYS[2])
    for all_, one in zip(jax.tree.leaves(together), jax.tree.leaves(alone), strict=True):
        np.testing.assert_allclose(np.asarray(all_)[2], one, rtol=1e-4, atol=1e-5)


def test_pictures_and_cpus_have_seeds_one_after_another(monkeypatch):
    jobs = [job for job in jobs_of(train_plan("ppo", "toy/discrete", seeds=3, episodes=2)) if job.budget]
    assert [len(batch.jobs) for batch in batches(jobs, lanes=10)] == [1, 1, 1]
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    is_alone.cache_clear()
    assert [len(batch.jobs) for batch in batches(jobs, lanes=10)] == [3]
    assert learns_alone({"observation": Box(0, 255, (84, 84, 4), "uint8")})
    assert not learns_alone({"observation": Box(0, 255, (60, 2), "uint8")})  # rows of two frames
    is_alone.cache_clear()


def test_arrays_are_learned_to_be_chosen():
    config = replace(SMALL, steps=32_768, report_every=4096, rollout=128, epochs=8, separate=True)
    text = "toy/continuous+target_radius=0.5"
    found = trained(config, text, KEYS[:2])
    first, last = np.asarray(found.reports.score)[:, 0], np.asarray(found.reports.score)[:, -1]
    random = trained(replace(config, steps=4096, learning_rate=1e-9), text, KEYS[:2])
    assert (np.asarray(found.params.spread) < -0.5).all()  # it began at 0
    assert (last > first).all() and (last > np.asarray(random.reports.score)[:, 0] + 1).all()


def test_several_numbers_are_learned_to_be_chosen():
    """The second of the two numbers does not matter; each has eight outputs, and no combination has one."""
    found = trained(replace(SMALL, steps=32_768), "toy/discrete+irrelevant_features", KEYS[:2])
    assert found.params.actor.bias.shape == (2, 16)
    assert (np.asarray(found.reports.score)[:, -1] > 70).all()


def test_a_policy_far_from_its_draws_is_clipped_as_in_the_paper():
    """One step, twice as likely as it was, and better than the other: the gain stops at 1 + clip."""
    spaces = {"observation": LINE["observation"], "action": Discrete(2)}
    policy, seen = first_policy(root_of(1), spaces, SMALL), jax.random.normal(root_of(2), (2, 3))
    outputs, values, _ = judge(spaces["observation"], policy, seen)
    numbers = jnp.array([0, 1])
    now = likelihoods(spaces["action"], outputs, None, numbers)
    before = now - jnp.log(jnp.array([2.0, 1.0]))
    gains = jnp.array([1.0, -1.0])  # of mean 0 and spread 1 already
    of_value = 0.5 * 0.5 * float((gains**2).mean())
    found = ppo.loss(spaces, SMALL, policy, Batch(seen, numbers, before, values, gains))
    assert float(found) == pytest.approx(-(1.2 - 1.0) / 2 + of_value, abs=1e-5)


@pytest.mark.parametrize("clipped, wanted", [(True, 0.9**2), (False, 0.5**2)])
def test_the_change_of_a_value_is_clipped_where_it_is_asked_for(clipped, wanted):
    """It was 0, is 0.5 and should be 1; a change by 0.1 at most counts as 0.1."""
    config = replace(SMALL, clip=0.1, clip_value=clipped, value_weight=2.0)
    spaces = {"observation": LINE["observation"], "action": Discrete(2)}
    policy = first_policy(root_of(1), spaces, SMALL)
    policy = policy._replace(critic=policy.critic._replace(
        weights=jnp.zeros((64, 1)), bias=jnp.array([0.5])))  # fmt: skip
    seen, numbers = jnp.zeros((2, 3)), jnp.array([0, 0])
    now = likelihoods(spaces["action"], judge(spaces["observation"], policy, seen).outputs, None, numbers)
    batch = Batch(seen, numbers, now, jnp.zeros(2), jnp.ones(2))
    assert float(ppo.loss(spaces, config, policy, batch)) == pytest.approx(wanted, abs=1e-5)


def test_separate_layers_share_no_gradient():
    policy = first_policy(root_of(1), LINE, replace(SMALL, separate=True))
    seen = jax.random.normal(root_of(2), (4, 3))
    of_value = jax.grad(lambda policy: judge(LINE["observation"], policy, seen).values.sum())(policy)
    of_actor = jax.grad(lambda policy: judge(LINE["observation"], policy, seen).outputs.sum())(policy)
    sizes = [
        [sum(float(jnp.abs(leaf).sum()) for leaf in jax.tree.leaves(part)) > 0 for part in gradient[:4]]
        for gradient in (of_value, of_actor)
    ]
    assert sizes == [[False, False, True, True], [True, True, False, False]]
    assert not np.array_equal(policy.encoder[0].weights, policy.critic_encoder[0].weights)


def test_observations_are_counted_while_it_learns_and_never_when_it_acts():
    config = replace(SMALL, normalise=True, steps=2048)
    text = "toy/continuous"
    found = trained(config, text, KEYS[:2])
    assert found.params.seen.count.tolist() == pytest.approx([2048, 2048], rel=1e-4)
    assert (np.asarray(found.checkpoints.seen.count)[:, -1] == np.asarray(found.params.seen.count)).all()
    task, params = build_native(text).task, jax.tree.map(lambda leaf: leaf[0], found.params)
    seen = jnp.array([3.0, -4.0])
    by_hand = params._replace(seen=None)
    scaled = (seen - params.seen.mean) / jnp.sqrt(params.seen.variance + 1e-8)
    greedy = partial(ppo.act, task, greedy=True)
    one = greedy(params, (), root_of(1), seen)[0]
    np.testing.assert_allclose(one, greedy(by_hand, (), root_of(1), scaled)[0], rtol=1e-5)


@pytest.mark.parametrize("changed, spaces, why", [
    ({"normalise": True}, {"observation": Discrete(8), "action": Discrete(2)}, "normalise is for arrays"),
    ({"memory": "stack"}, {"observation": Box(0, 255, (84, 84), "uint8"), "action": Discrete(2)},
     "these observations are pictures; vary observation.stack"),
    ({"shift": 1}, LINE, "shift and jitter change pictures"),
])  # fmt: skip
def test_settings_of_no_use_are_refused(changed, spaces, why):
    assert why in settings_unfit(replace(SMALL, **changed), spaces)
    assert settings_unfit(SMALL, spaces) == ""


def test_what_contradicts_the_task_or_another_setting_is_refused_before_it_trains():
    with pytest.raises(NotApplicable, match="ppo does not fit this task: normalise is for arrays"):
        ppo.train(KEYS[0], build_native("toy/discrete").task, replace(SMALL, normalise=True))
    with pytest.raises(AssayError, match="envs of ppo must be 4 or a multiple of it, not 6"):
        replace(SMALL, memory="gru", envs=6, rollout=32, report_every=192)


def test_a_task_of_arrays_is_trained_and_judged_from_end_to_end(tmp_path):
    asked = {"envs": 8, "rollout": 32, "minibatches": 4, "report_every": 256, "memory": "gru"}
    run = assay.train("ppo", "toy/continuous", seeds=2, steps=512, episodes=2, settings=asked, workers=1,
                      out=tmp_path / "run")  # fmt: skip
    assert len(run.episodes()) == 4
