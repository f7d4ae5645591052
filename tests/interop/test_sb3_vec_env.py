"""Stable-Baselines3 and a torch loop train on lanes of Atari variations, as the task has them."""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.interop.agents import load_agent
from assay.interop.checkpoints.torch_file import network_of
from assay.interop.play import play


def test_without_sb3_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3.common.vec_env", None)
    monkeypatch.delitem(sys.modules, "assay.interop.sb3_lanes", raising=False)
    with pytest.raises(AssayError, match=r'make_sb3 needs .* pip install "rl-assay\[sb3\]"'):
        assay.make_sb3("toy/discrete", 2)


torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")
pytest.importorskip("ale_py")
LAZY = "atari/Pong+lazy_enemy+observation=gray84+max_frames=160"  # forty steps an episode
SMALL = {"features_extractor_kwargs": {"features_dim": 16}}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def weights(model):
    return np.concatenate([p.detach().numpy().ravel() for p in model.policy.parameters()])


def learned(model, steps):
    before = weights(model)
    model.learn(steps)
    after = weights(model)
    assert np.isfinite(after).all() and not np.array_equal(before, after)
    return model


@pytest.mark.parametrize(
    "task, lanes", [("toy/discrete+horizon=5", 3), ("gym/CartPole-v1+reward.scale=2", 2)]
)
def test_lanes_are_those_of_make_vec_in_another_form(task, lanes):
    ours, theirs = assay.make_vec(task, lanes, autoreset="same-step"), assay.make_sb3(task, lanes)
    theirs.seed(7)
    seen, expected = theirs.reset(), ours.reset(seed=7)[0]
    np.testing.assert_array_equal(seen, expected)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(60):
        actions = rng.integers(0, 2, lanes)
        seen, rewards, over, infos = theirs.step(actions)
        expected, paid, terminated, truncated, info = ours.step(actions)
        np.testing.assert_array_equal(seen, expected)
        np.testing.assert_array_equal(rewards, paid.astype(np.float32))
        np.testing.assert_array_equal(over, terminated | truncated)
        assert all("score" in each for each in infos)  # of every lane, ended or not
        for lane in np.flatnonzero(over):
            np.testing.assert_array_equal(infos[lane]["terminal_observation"], info["final_obs"][lane])
            assert infos[lane]["TimeLimit.truncated"] == (truncated[lane] and not terminated[lane])
            ended += 1
    assert ended > 3 and not any("terminal_observation" in each for each, end in zip(infos, over) if not end)
    ours.close()
    theirs.close()


def test_what_lanes_cannot_do_is_refused():
    lanes = assay.make_sb3("toy/discrete", 2)
    for refused in (lambda: lanes.set_attr("x", 1), lambda: lanes.env_method("render")):
        with pytest.raises(AssayError):
            refused()
    lanes.set_options({"noise_seed": 3})
    with pytest.raises(AssayError, match="takes no options of reset"):
        lanes.reset()


@pytest.mark.parametrize("algorithm, settings", [
    (sb3.PPO, {"n_steps": 64, "batch_size": 64, "n_epochs": 1}),
    (sb3.DQN, {"learning_starts": 32, "buffer_size": 300, "train_freq": 16, "batch_size": 8}),
], ids=["ppo", "dqn"])  # fmt: skip
def test_sb3_trains_on_a_variation_of_pong(algorithm, settings, tmp_path):
    lanes = sb3.common.vec_env.VecMonitor(assay.make_sb3(LAZY, 2, workers=0))
    model = algorithm("CnnPolicy", lanes, seed=0, device="cpu", policy_kwargs=SMALL, **settings)
    learned(model, 256)
    lengths = [episode["l"] for episode in model.ep_info_buffer]
    assert len(lengths) >= 4 and set(lengths) == {40}
    model.save(tmp_path / "agent.zip")
    agent = f"sb3:{tmp_path / 'agent.zip'}"
    # What was trained is examined: on the plain game, and on another variation.
    env = assay.make(LAZY.replace("lazy_enemy", "hidden_enemy"))
    policy = load_agent(agent).bind(env)
    seen = env.reset(seed=0)[0]
    assert policy.act(seen) == model.predict(seen, deterministic=True)[0]
    env.close()
    lanes.close()


def test_the_torch_loop_of_the_example_learns_on_a_variation_and_plays_from_its_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    example = import_module("train_torch_atari")
    torch.manual_seed(0)
    first = example.Network(6)
    network = example.train(LAZY, updates=2, lanes=2, workers=0)
    for before, after in zip(first.parameters(), network.parameters()):
        assert torch.isfinite(after).all() and not torch.equal(before, after)
    torch.save(network.state_dict(), tmp_path / "agent.pt")
    agent = network_of({name: each.numpy() for name, each in network.state_dict().items()})
    env = assay.make(LAZY)
    seen = env.reset(seed=0)[0]
    logits = network(torch.as_tensor(seen)[None])[0].detach().numpy()
    np.testing.assert_allclose(agent.values(agent.params, seen[None]), logits, atol=1e-4)
    policy = load_agent(f"torch:{tmp_path / 'agent.pt'}").bind(env)
    policy.begin(0)
    assert play(policy, env, "torch:agent.pt", 0, 1)[0].steps == 40
    env.close()
