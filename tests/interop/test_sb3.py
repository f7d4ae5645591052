"""Checkpoints of Stable-Baselines3: what loads acts as it did, no code in it runs, the rest is refused."""

import base64
import json
import pickle
import shutil
import sys
import zipfile
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.interop.agents import load_agent
from assay.interop.play import play

CARTPOLE, PENDULUM, TOY = "gym/CartPole-v1", "gym/Pendulum-v1", "toy/discrete"
OFF = {"buffer_size": 100, "learning_starts": 5}
ON = {"n_steps": 16, "batch_size": 8, "n_epochs": 1}


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(AssayError, match=r'pip install "rl-assay\[sb3\]"'):
        load_agent("sb3:ppo.zip")


torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")
nn = torch.nn


class Pictures(gymnasium.Env):
    """Shows noise, height x width x channels, as pictures usually are."""

    observation_space = gymnasium.spaces.Box(0, 255, (36, 40, 3), np.uint8)
    action_space = gymnasium.spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        return self.look(), {}

    def step(self, action):
        self.time += 1
        return self.look(), 1.0, False, self.time == 5, {}

    def look(self):
        return self.np_random.integers(0, 256, (36, 40, 3), np.uint8)


class OwnPolicy(sb3.common.policies.ActorCriticPolicy):
    pass


class OwnActivation(nn.Tanh):
    pass


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # networks this small are quicker on one
    gymnasium.register("AssayPictures-v0", Pictures, disable_env_checker=True)
    yield
    del gymnasium.registry["AssayPictures-v0"]
    torch.set_num_threads(before)


def saved(folder, algorithm, task, policy="MlpPolicy", settings=None, **config):
    """A model that learned for a few steps, and its file."""
    env = gymnasium.make("AssayPictures-v0") if task == "pictures" else assay.make(task)
    config = {**(ON if algorithm is sb3.PPO else {} if algorithm is sb3.A2C else OFF), **config}
    model = algorithm(policy, env, policy_kwargs=settings, seed=0, device="cpu", **config)
    model.learn(20)
    model.save(folder / "agent.zip")
    return model, f"sb3:{folder / 'agent.zip'}"


def told(text, task=CARTPOLE, **settings):
    with pytest.raises(AssayError) as caught:
        load_agent(text, **settings).bind(assay.make(task))
    assert "\n" not in str(caught.value)
    return str(caught.value)


SAFE = {
    "ppo": (sb3.PPO, CARTPOLE, None, {}),
    "ppo-arch": (sb3.PPO, CARTPOLE, {"net_arch": {"pi": [16], "vf": [8, 8]}, "activation_fn": nn.ReLU}, {}),
    "ppo-box": (sb3.PPO, PENDULUM, {"log_std_init": -1.0, "ortho_init": False}, {}),
    "ppo-sde": (sb3.PPO, PENDULUM, {"squash_output": True}, {"use_sde": True}),
    "ppo-one-hot": (sb3.PPO, TOY, {"net_arch": [16]}, {}),
    "a2c": (sb3.A2C, CARTPOLE, None, {}),
    "a2c-arch": (sb3.A2C, CARTPOLE, {"net_arch": [16], "activation_fn": nn.ELU}, {}),
    "dqn": (sb3.DQN, CARTPOLE, None, {}),
    "dqn-arch": (sb3.DQN, CARTPOLE, {"net_arch": [16], "activation_fn": nn.Tanh}, {}),
    "sac": (sb3.SAC, PENDULUM, None, {}),
    "sac-arch": (sb3.SAC, PENDULUM, {"net_arch": [16], "activation_fn": nn.GELU, "n_critics": 3}, {}),
    "td3": (sb3.TD3, PENDULUM, {"net_arch": {"pi": [16], "qf": [8]}}, {}),
    "ddpg": (sb3.DDPG, PENDULUM, {"net_arch": [16], "optimizer_class": torch.optim.AdamW}, {}),
}


@pytest.mark.parametrize("case", SAFE)
def test_what_loads_without_trust_acts_as_the_model_that_was_saved(case, tmp_path, monkeypatch):
    algorithm, task, settings, config = SAFE[case]
    model, text = saved(tmp_path, algorithm, task, settings=settings, **config)
    env = assay.make(task)
    forbid_pickles(monkeypatch)
    agent = load_agent(text)
    assert agent.files == (tmp_path / "agent.zip",) and agent.act is None and agent.train is None
    draws = torch.random.get_rng_state()
    act = agent.bind(env)
    assert torch.equal(draws, torch.random.get_rng_state())
    env.observation_space.seed(0)
    for _ in range(20):
        seen = env.observation_space.sample()
        np.testing.assert_array_equal(act(seen), model.predict(seen, deterministic=True)[0])
    short = assay.make(task if task != TOY else TOY + "+horizon=20")
    assert play(act, short, agent.name, 0, 1)[0].steps > 0


def forbid_pickles(monkeypatch):
    """torch has an unpickler of its own for weights; every other one is an error from here on."""
    import cloudpickle

    def forbidden(*values, **named):
        raise AssertionError("something was unpickled")

    for module in (pickle, cloudpickle):
        for name in ("load", "loads"):
            monkeypatch.setattr(module, name, forbidden)
    monkeypatch.setattr(sb3.common.save_util, "json_to_data", forbidden)


@pytest.mark.parametrize("algorithm", [sb3.PPO, sb3.DQN], ids=["ppo", "dqn"])
def test_pictures_are_turned_as_sb3_turned_them(algorithm, tmp_path):
    settings = {"features_extractor_kwargs": {"features_dim": 32}}
    model, text = saved(tmp_path, algorithm, "pictures", "CnnPolicy", settings)
    env = assay.make("gym/AssayPictures-v0")
    act = load_agent(text).bind(env)
    for _ in range(5):
        seen = env.observation_space.sample()
        np.testing.assert_array_equal(act(seen), model.predict(seen, deterministic=True)[0])
    assert play(act, env, text, 0, 1)[0].steps == 5


def test_trust_gives_the_same_agent_by_sb3_s_own_loader(tmp_path):
    for algorithm, task in ((sb3.A2C, CARTPOLE), (sb3.DDPG, PENDULUM), (sb3.DQN, CARTPOLE)):
        _, text = saved(tmp_path, algorithm, task, settings={"net_arch": [16]})
        both = [load_agent(text, trust=trust).bind(assay.make(task)) for trust in (False, True)]
        seen = assay.make(task).observation_space.sample()
        np.testing.assert_array_equal(*[act(seen) for act in both])


class Bomb:
    """Its pickle touches a file when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def rewritten(text, change, parts=None):
    """The checkpoint with its data changed, and other parts of the zip replaced."""
    path = Path(text.removeprefix("sb3:"))
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    data = json.loads(contents["data"])
    change(data)
    contents.update({"data": json.dumps(data).encode(), **(parts or {})})
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


@pytest.fixture
def ppo(tmp_path):
    return saved(tmp_path, sb3.PPO, CARTPOLE)[1]


def test_code_in_the_data_does_not_run_without_trust(ppo, tmp_path):
    touched = tmp_path / "touched"
    bomb = base64.b64encode(pickle.dumps(Bomb(touched))).decode()

    def plant(data):
        for value in data.values():
            if isinstance(value, dict) and ":serialized:" in value:
                value[":serialized:"] = bomb
        data["policy_kwargs"] = {":type:": "<class 'dict'>", ":serialized:": bomb}
        data["more"] = {":type:": "<class 'dict'>", ":serialized:": bomb}

    rewritten(ppo, plant)
    env = assay.make(CARTPOLE)
    play(load_agent(ppo).bind(env), env, ppo, 0, 1)
    assert not touched.exists()
    # The same file does run its code where it is trusted, so the test above is one.
    assert "does not load: PPO.load of Stable-Baselines3 raised" in told(ppo, trust=True)
    assert touched.exists()


@pytest.mark.parametrize("as_torch", [True, False])
def test_code_in_the_weights_does_not_run(ppo, tmp_path, as_torch):
    touched, file = tmp_path / "touched", tmp_path / "planted.pth"
    if as_torch:
        torch.save({"weight": Bomb(touched)}, file)
    else:
        file.write_bytes(pickle.dumps(Bomb(touched), protocol=2))  # torch warns of newer ones
    rewritten(
        ppo, lambda data: None, {"policy.pth": file.read_bytes(), "policy.optimizer.pth": file.read_bytes()}
    )
    assert "policy.pth in it holds something other than weights, or is damaged; it is not loaded." in told(
        ppo
    )
    assert not touched.exists()
    torch.load(file, weights_only=False) if as_torch else pickle.loads(file.read_bytes())
    assert touched.exists()


TRUST = "--trust loads it by Stable-Baselines3's own loader, which runs code in the file."


@pytest.mark.parametrize("policy, settings, why", [
    (OwnPolicy, None, "has a policy class (of the module 'tests.interop.test_sb3')"),
    ("MlpPolicy", {"activation_fn": OwnActivation}, "policy_kwargs: 'activation_fn', \"<class"),
    ("MlpPolicy", {"net_arch": [np.int64(8)]}, "policy_kwargs: 'net_arch', '[np.int64(8)]'"),
], ids=["policy", "activation", "numpy"])  # fmt: skip
def test_what_the_texts_do_not_tell_needs_trust(policy, settings, why, tmp_path):
    model, text = saved(tmp_path, sb3.PPO, CARTPOLE, policy, settings)
    said = told(text)
    assert said.startswith(text) and said.endswith(TRUST)
    assert why.replace("tests.interop.test_sb3", __name__) in said
    act = load_agent(text, trust=True).bind(assay.make(CARTPOLE))
    seen = np.float32([0.1, 0.2, -0.1, 0.3])
    assert act(seen) == model.predict(seen, deterministic=True)[0]


@pytest.mark.parametrize("change, why", [
    ({"policy_kwargs": {"net_arch": [16]}}, "has weights that do not fit its settings as text"),
    ({"policy_kwargs": {"net_arch": "[64, 64]"}}, "(policy_kwargs: 'net_arch', '[64, 64]')"),
    ({"policy_kwargs": {"squash_output": True}}, "has weights that do not fit its settings as text"),
    ({"policy_kwargs": {"lstm_hidden_size": 8}}, "(policy_kwargs: 'lstm_hidden_size', 8)"),
    ({"policy_kwargs": {"features_extractor_kwargs": {"net": "x"}}}, "_kwargs', {'net': 'x'}"),
    ({"policy_kwargs": {"features_extractor_class": "<class 'os.system'>"}}, "\"<class 'os.system'>\""),
    ({"policy_kwargs": {"net_arch": "\33[2J"}}, r"'net_arch', '\x1b[2J'"),
    ({"policy_kwargs": [1]}, "has policy_kwargs that are no dictionary"),
    ({"policy_class": {"__module__": "os", "__init__": "<function f.__init__ at"}}, "(f of the module 'os')"),
    ({"policy_class": {}}, "has a policy class (of the module '')"),
])  # fmt: skip
def test_settings_that_do_not_fit_need_trust(ppo, change, why):
    rewritten(ppo, lambda data: data.update(change))
    said = told(ppo)
    assert why in said and said.endswith(TRUST)


def test_the_settings_of_old_versions_are_understood(ppo):
    old = {"policy_kwargs": {"net_arch": [{"pi": [64, 64], "vf": [64, 64]}]}}
    rewritten(ppo, lambda data: data.update(old) or data["action_space"].pop("start"))
    load_agent(ppo).bind(assay.make(CARTPOLE))


@pytest.mark.parametrize("task, change, why", [
    (PENDULUM, None, "was trained for observations of Box([-4.8 -inf -0.41887903 -inf], [4.8 inf 0.41887903 "
     "inf], (4,), float32), and those of gym/Pendulum-v1 are of Box([-1. -1. -8.], [1. 1. 8.], (3,), "),
    (TOY, None, "float32), and those of toy/discrete are of Discrete(8)"),
    (CARTPOLE, ("action_space", "n", "3"), "was trained for actions of Discrete(3), and those of "
     "gym/CartPole-v1 are of Discrete(2)"),
    (CARTPOLE, ("action_space", "start", "1"), "for actions of Discrete(2, start=1), and those of"),
    (CARTPOLE, ("observation_space", "dtype", "uint8"), "(4,), uint8), and those of"),
    (CARTPOLE, ("observation_space", "_shape", 4), "was trained for observations of Box(), and those of"),
    (CARTPOLE + "+observation.irrelevant=2", None, "(4,), float32), and those of"),
])  # fmt: skip
@pytest.mark.parametrize("trust", [False, True])
def test_other_spaces_are_refused_with_both(ppo, task, change, why, trust):
    if change:
        rewritten(ppo, lambda data: data[change[0]].update({change[1]: change[2]}))
    assert why in told(ppo, task, trust=trust)


def test_other_bounds_of_the_action_are_other_actions(tmp_path):
    _, text = saved(tmp_path, sb3.SAC, PENDULUM, settings={"net_arch": [8]})
    rewritten(text, lambda data: data["action_space"].update(low="[-1.]", high="[1.]"))
    assert "for actions of Box([-1.], [1.], (1,), float32), and those of gym/Pendulum-v1 are of" in told(
        text, PENDULUM
    )


def test_a_varied_task_has_the_spaces_of_the_plain_one(ppo):
    for variation in ("+observation.noise=0.3", "+action.delay=2", "+observation.dropout=0.2"):
        env = assay.make(CARTPOLE + variation)
        assert play(load_agent(ppo).bind(env), env, ppo, 0, 1)[0].steps > 0


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize(
    "where", ["vecnormalize.pkl", "agent/vecnormalize.pkl", "ppo_vecnormalize_100_steps.pkl"]
)
def test_statistics_of_vec_normalize_beside_the_file_are_not_ignored(ppo, tmp_path, where, trust):
    (tmp_path / where).parent.mkdir(exist_ok=True)
    (tmp_path / where).touch()
    said = told(ppo, trust=trust)
    assert "scaled by VecNormalize" in said and where in said


@pytest.mark.parametrize("trust", [False, True])
def test_files_that_are_no_checkpoints(tmp_path, trust, ppo):
    assert "there is no file nowhere.zip; give the path from here." in told("sb3:nowhere.zip", trust=trust)
    assert "sb3:: there is no file" in told("sb3:", trust=trust)
    assert f"did you mean {ppo}?" in told(ppo.removesuffix(".zip"), trust=trust)
    for content in (b"", b"text", b"PK\3\4"):
        (tmp_path / "bad.zip").write_bytes(content)
        assert "bad.zip is no checkpoint of Stable-Baselines3" in told(
            f"sb3:{tmp_path / 'bad.zip'}", trust=trust
        )
    for data in ("{", "[]", "{}", '{"policy_class": 3}', "[" * 100_000):
        with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
            archive.writestr("data", data)
            archive.writestr("policy.pth", b"")
        assert "is no checkpoint of Stable-Baselines3" in told(f"sb3:{tmp_path / 'bad.zip'}", trust=trust)
    shutil.copy(ppo.removeprefix("sb3:"), tmp_path / "copy.zip")
    load_agent(f"sb3:{tmp_path / 'copy.zip'}", trust=trust)


@pytest.mark.parametrize("change", [
    {"policy_class": {"__module__": "sb3_contrib.ppo_recurrent.policies"}},
    {"clip_range": None, "gae_lambda": None},
])  # fmt: skip
def test_other_algorithms_are_refused_even_with_trust(ppo, change):
    def become(data):
        data.update(change)
        for key in [key for key, value in change.items() if value is None]:
            del data[key]

    rewritten(ppo, become)
    assert "is of none of DQN, PPO, A2C, SAC, TD3 and DDPG; load it in a module of your own" in told(
        ppo, trust=True
    )
