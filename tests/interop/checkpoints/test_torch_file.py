"""Networks in files of PyTorch: they act as PyTorch would, no code in a file runs, the rest is refused."""

import sys
from pathlib import Path

import numpy as np
import pytest
from published import nature_network, pictures, saved, torch_outputs

import assay
from assay.digests.own_code import digest_of_content
from assay.errors import AssayError
from assay.interop.agents import load_agent
from assay.interop.play import LANES, play

PONG = "atari/Pong+preset=paper"
SUPPORT = np.linspace(-10, 10, 51, dtype=np.float32)


def test_without_torch_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(AssayError, match=r"torch:dqn.gz needs PyTorch, .* pip install torch"):
        load_agent("torch:dqn.gz")


torch = pytest.importorskip("torch")
pytest.importorskip("ale_py")


@pytest.fixture(scope="module")
def pong():
    env = assay.make(PONG)
    yield env
    env.close()


def told(path, task=PONG):
    env = assay.make(task)
    try:
        with pytest.raises(AssayError) as caught:
            load_agent(f"torch:{path}").bind(env)
    finally:
        env.close()
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")
    return str(caught.value)


def actions_of(path, env, seen):
    policy = load_agent(f"torch:{path}").bind(env)
    rows = np.concatenate([seen, np.repeat(seen[:1], LANES - len(seen), 0)])
    chosen = policy.act_batch(rows)[: len(seen)]
    assert [policy.act(row) for row in seen] == list(chosen)
    return list(chosen)


def watching(row, column, channel=5):
    """A DQN of six actions that takes 2 where a pixel of the newest frame is brighter than half, else 0.

    One number goes through: from the newest frame to channel 0, channel 0, and `channel` of the last
    convolution, whose strides make a step of 8 pixels, and from there to one hidden number.
    """
    state = {name: torch.zeros_like(value) for name, value in nature_network(6).items()}
    first, second, third, full, last = (name for name in state if name.endswith("weight"))
    state[first][0, 3, 0, 0] = state[second][0, 0, 0, 0] = state[third][channel, 0, 0, 0] = 1
    state[full][0, channel * 49 + row // 8 * 7 + column // 8] = 1
    state[last][2, 0], state["_AtariNet__head.2.bias"][0] = 1, 0.5
    return state


def test_a_network_worked_out_by_hand(pong, tmp_path):
    path = saved(tmp_path / "dqn.gz", {"estimator_state": watching(8, 16)})
    seen = np.zeros((4, 84, 84, 4), np.uint8)
    seen[1, 8, 16, 3] = 128  # 128 / 255 is more than a half
    seen[2, 8, 16, 3] = 127
    seen[3, 8, 16, 2] = seen[3, 16, 8, 3] = 255  # an older frame, another pixel
    assert actions_of(path, pong, seen) == [0, 2, 0, 0]


def test_c51_takes_the_best_mean_and_not_the_likeliest_return(pong, tmp_path):
    state = nature_network(6 * 3, support=[-1.0, 0.0, 10.0])
    for value in list(state.values())[1:]:
        value.zero_()
    chances = np.full((6, 3), [0.9, 0.05, 0.05])  # mean -0.4
    chances[1] = [0.1, 0.8, 0.1]  # mean 0.9
    chances[4] = [0.5, 0.2, 0.3]  # mean 2.5
    state["_AtariNet__head.2.bias"][:] = torch.as_tensor(np.log(chances).ravel())
    path = saved(tmp_path / "c51.gz", {"estimator_state": state})
    assert actions_of(path, pong, pictures(1)) == [4]


@pytest.mark.parametrize("wrap", [
    lambda state: {"estimator_state": state},
    lambda state: {"model_state": state, "step": 50_000_000, "target_state": state},
    lambda state: {"estimator": {f"module.{name}": value for name, value in state.items()}},
    lambda state: state,
    lambda state: {"model_weights": state, "args": {"env_id": "PongNoFrameskip-v4", "n_atoms": 51}},
], ids=["zoo", "with a target", "parallel", "bare", "CleanRL"])  # fmt: skip
@pytest.mark.parametrize("kind", ["DQN", "C51"])
def test_it_acts_as_the_network_does_in_torch(kind, wrap, pong, tmp_path):
    support = SUPPORT if kind == "C51" else None
    state = nature_network(6 if support is None else 6 * 51, seed=3, support=support)
    seen = pictures(8)
    values = torch_outputs(state, seen)
    if support is not None:
        parts = np.exp(values.reshape(8, 6, 51))
        values = (parts / parts.sum(-1, keepdims=True)) @ support
    assert (np.diff(np.sort(values), axis=1)[:, -1] > 1e-5).all()  # no choice so close that rounding decides
    path = saved(tmp_path / "agent.gz", wrap(state))
    assert actions_of(path, pong, seen) == list(values.argmax(1))


def test_frames_may_lie_along_the_first_axis(tmp_path):
    path = saved(tmp_path / "dqn.gz", nature_network(6))
    seen = pictures(6)
    with_frames = {}
    for where in ("last", "first"):
        env = assay.make(f"{PONG}+channels={where}")
        given = seen if where == "last" else np.moveaxis(seen, -1, 1)
        with_frames[where] = actions_of(path, env, given)
        env.close()
    assert with_frames["first"] == with_frames["last"]


def test_it_plays_a_game_and_a_file_need_not_be_packed(pong, tmp_path):
    torch.save(nature_network(6), tmp_path / "dqn.pt")
    agent = load_agent(f"torch:{tmp_path / 'dqn.pt'}")
    assert agent.files == (tmp_path / "dqn.pt",) and agent.train is None
    path = tmp_path / "dqn.pt"
    assert agent.loaded == ((path, digest_of_content(path.read_bytes())),)
    env = assay.make(f"{PONG}+max_frames=400")
    first, again = (play(agent.bind(env), env, agent.name, 0, 1)[0] for _ in range(2))
    assert first.steps > 50 and first == again
    env.close()


def test_an_actor_draws_its_actions_by_its_seed(pong, tmp_path):
    state = {name.replace("_AtariNet__head.2", "actor"): value for name, value in nature_network(6).items()}
    for name in ("actor.weight", "actor.bias"):
        state[name].zero_()
    state["actor.bias"][:2] = torch.log(torch.tensor([6.0, 2.0]))
    path = saved(
        tmp_path / "ppo.gz", state | {"critic.weight": torch.ones(1, 512), "critic.bias": torch.ones(1)}
    )
    policy = load_agent(f"torch:{path}").bind(pong)
    assert policy.reset is not None and not policy.batches
    drawn = []
    for _ in range(2):
        policy.begin(7)
        drawn.append([policy.act(pictures(1)[0]) for _ in range(300)])
    assert drawn[0] == drawn[1]
    shares = np.bincount(drawn[0], minlength=6) / 300
    np.testing.assert_allclose(shares, np.array([6, 2, 1, 1, 1, 1]) / 12, atol=0.09)


class Bomb:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_code_in_a_file_does_not_run(tmp_path):
    touched = tmp_path / "touched"
    path = saved(tmp_path / "bomb.gz", nature_network(6) | {"more": Bomb(touched)})
    said = told(path)
    assert "holds more than weights (" in said and "save model.state_dict() alone" in said
    assert not touched.exists()


def without(state, name):
    return {key: value for key, value in state.items() if name not in key}


@pytest.mark.parametrize("change, why", [
    (lambda state: {"a": 1}, "holds no dictionary of weights; save model.state_dict()"),
    (lambda state: [state], "holds no dictionary of weights"),
    (lambda state: without(state, "features.4"), "has no layers of the shape (64, 64, 3, 3)"),
    (lambda state: without(state, "head.2.bias"), "has a layer '_AtariNet__head.2.weight' without a bias"),
    (lambda state: state | {"\33[2J": torch.ones(3)}, r"also holds '\x1b[2J', so it is another network"),
    (lambda state: state | {"noise": torch.ones(3)}, "also holds 'noise', so it is another network"),
    (lambda state: state | {"advantage.weight": torch.ones(1, 512), "advantage.bias": torch.ones(1)},
     "has two layers after the one of 512, and they are not called actor and critic"),
    (lambda state: {"online": state, "policy": state}, "holds several networks ('online', 'policy')"),
    (lambda state: state | {"support": torch.tensor([0.0, 1.0, 2.0, 3.0])}, "6 outputs, which is no"),
    (lambda state: state | {"support": torch.tensor([1.0, 0.0])}, "a support whose atoms do not increase"),
    (lambda state: {key: value * torch.nan for key, value in state.items()}, "that are not finite"),
], ids=range(11))  # fmt: skip
def test_other_networks_are_refused_with_the_reason(change, why, tmp_path):
    assert why in told(saved(tmp_path / "other.gz", change(nature_network(6))))


@pytest.mark.parametrize("content, why", [
    (b"", "is no checkpoint of PyTorch, or is damaged"),
    (b"text", "is no checkpoint of PyTorch, or is damaged"),
    (b"\x1f\x8bnot", "is a damaged gzip; fetch it again"),
])  # fmt: skip
def test_damaged_files_are_refused(content, why, tmp_path):
    (tmp_path / "bad.gz").write_bytes(content)
    assert why in told(tmp_path / "bad.gz")
    assert "there is no file" in told(tmp_path / "nowhere.gz")
