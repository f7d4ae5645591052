"""Agents from outside: what a text may name, what training returns, and each thing that is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.interop.agents import Outside, is_outside, load_agent
from assay.interop.play import play

EXAMPLES = Path(__file__).parents[2] / "examples"
CARTPOLE = "gym/CartPole-v1"

MINE = """
import functools

def act(observation):
    return 0

def act_with_more(observation, greedy=True):
    return 0

@functools.lru_cache
def no_arguments():
    return 0

def two(observation, state):
    return 0

def keyword(observation, *, state):
    return 0

def train(env, seed, steps):
    return functools.partial(trained, seed, steps)

def trained(seed, steps, observation):
    return seed, steps

def train_without_steps(env, seed):
    return lambda observation: seed

def train_by_default(env, seed, steps=7, rate=0.1):
    return lambda observation: steps

def train_an_object(env, seed):
    return Both()

def train_nothing(env, seed):
    pass

def train_a_class(env, seed):
    return Both

def train_badly(env, seed):
    env.step(0)

def train_env_alone(env):
    return act

class Both:
    made = 0

    def __init__(self):
        Both.made += 1
        self.number, self.learned = Both.made, None

    def act(self, observation):
        return self.number, self.learned

    def train(self, env, seed, steps):
        self.learned = seed

class ActsOnly:
    def act(self, observation):
        return 1

class Neither:
    pass

class NeedsMore:
    def __init__(self, size):
        pass

class BadMethods:
    def act(self):
        return 0

class BadTrain:
    def act(self, observation):
        return 0
    def train(self, episodes):
        return 0

class Trains:
    def train(self, env, seed):
        return act

class Calls:
    def __call__(self, observation):
        return 2

agent, caller, partial, number, text = ActsOnly(), Calls(), functools.partial(two, state=1), 3, "act"
trainer = Both()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A user's folder as the command line sees it, with mine.py in it."""
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


def told(text, **settings):
    """The one sentence with which an agent is refused."""
    with pytest.raises(AssayError) as caught:
        load_agent(text, **settings)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")
    return str(caught.value)


@pytest.mark.parametrize("text, outside", [
    ("mine:act", True), ("sb3:ppo.zip", True), ("a.b:act", True), ("dqn", False), ("tabular_q", False),
])  # fmt: skip
def test_what_is_from_outside(text, outside):
    assert is_outside(text) is outside


@pytest.mark.parametrize("name, action", [
    ("act", 0), ("act_with_more", 0), ("agent", 1), ("ActsOnly", 1), ("caller", 2), ("partial", 0),
])  # fmt: skip
def test_what_acts(folder, name, action):
    agent = load_agent(f"mine:{name}")
    assert isinstance(agent, Outside) and agent.name == f"mine:{name}" and agent.train is None
    assert agent.act([0.0]) == action and agent.bind(None).act is agent.act
    assert agent.files == (folder / "mine.py",)


def test_a_module_in_a_package_is_found(folder):
    (folder / "pack").mkdir()
    (folder / "pack" / "deep.py").write_text("def act(observation): return 5")
    agent = load_agent("pack.deep:act")
    assert agent.act(0) == 5 and agent.files == (folder / "pack" / "deep.py",)


def test_what_trains_is_given_what_it_asks_for(folder):
    assert load_agent("mine:train").train(None, 3, 100)(0) == (3, 100)
    assert load_agent("mine:train_without_steps").train(None, 3, 100)(0) == 3
    assert load_agent("mine:train_by_default").train(None, 3, 100)(0) == 100
    assert load_agent("mine:train_by_default").train(None, 3, None)(0) == 7
    assert callable(load_agent("mine:train_an_object").train(None, 3, 100))
    assert load_agent("mine:Trains").train(None, 3, 100)(0) == 0
    assert load_agent("mine:train").act is None


def test_a_trainer_does_not_act_before_it_has_trained(folder):
    with pytest.raises(
        AssayError, match="mine:train trains an agent and does not act itself; train it first"
    ):
        load_agent("mine:train").bind(None)


def test_a_class_trains_a_new_agent_for_every_seed(folder):
    agent = load_agent("mine:Both")
    first, second = agent.train(None, 0, 1), agent.train(None, 1, 1)
    assert [act(0)[1] for act in (agent.act, first, second)] == [None, 0, 1]
    assert len({act(0)[0] for act in (agent.act, first, second)}) == 3


@pytest.mark.parametrize("name, why", [
    ("train_nothing", "training by mine:train_nothing returned nothing; it returns act(observation)"),
    ("trainer", "training by mine:trainer returned nothing"),  # one object for all seeds would mix them
    ("train_a_class", "training by mine:train_a_class returned the class Both"),
    ("train_badly", "mine:train_badly raised OutOfTurn at line 42 of mine.py: no episode has begun yet"),
])  # fmt: skip
def test_training_that_fails_is_told(folder, name, why):
    train = load_agent(f"mine:{name}").train
    with pytest.raises(AssayError) as caught:
        train(assay.make(CARTPOLE), 0, 10)
    assert why in str(caught.value)


@pytest.mark.parametrize("name, why", [
    ("no_arguments", "is a function of ()"),
    ("two", "is a function of (observation, state)"),
    ("keyword", "is a function of (observation, *, state)"),
    ("train_env_alone", "is a function of (env)"),
    ("number", "is 3 (int)"),
    ("text", "is 'act' (str)"),
    ("Neither", "is a class without act and without train"),
    ("NeedsMore", "is a class; called without arguments, it raised TypeError"),
    ("BadMethods", "is a function of ()"),
    ("BadTrain", "has a train that is a function of (episodes); it takes env, seed and perhaps steps"),
    ("nothing", "has no 'nothing'; an agent is act(observation), assay.Policy, train(env, seed, steps)"),
])  # fmt: skip
def test_what_is_no_agent_is_refused(folder, name, why):
    assert why in told(f"mine:{name}")


@pytest.mark.parametrize("text, why", [
    ("yours:act", "yours:act: there is no module 'yours'; run where yours.py is, or install it."),
    ("yours.deep:act", "there is no module 'yours'; run where yours/deep.py is"),
    ("mine.py:act", "'mine.py:act' names a file; an agent is module:function, here mine:act."),
    ("folder/mine.py:act", "here folder.mine:act."),
    ("mine:", "'mine:' names no agent; write module:function, such as mine:act, or sb3:FILE.zip."),
    (":act", "':act' names no agent"),
    ("mine act:act", "names no agent"),
    ("mine:a.b", "names no agent"),
    ("math:pi", "math:pi is 3.14"),
])  # fmt: skip
def test_texts_that_name_nothing(folder, text, why):
    assert why in told(text)


@pytest.mark.parametrize("source, why", [
    ("def act(observation)\n    return 0\n", "raised SyntaxError at line 1 of broken.py: expected ':'"),
    ("x = 1\ny = x / 0\n", "raised ZeroDivisionError at line 2 of broken.py: division by zero"),
    ("import torch_that_is_not_here\n", "raised ModuleNotFoundError at line 1 of broken.py: No module named"),
    ("class A: pass\nA.b\n", "raised AttributeError at line 2 of broken.py"),
    ("import sys\nsys.exit()\n", "raised SystemExit at line 2 of broken.py"),
    ("import json\n\njson.loads('{')\n", "raised JSONDecodeError at line 3 of broken.py"),
    ("raise ValueError('one\\ntwo')", "raised ValueError at line 1 of broken.py: one two; mend that first."),
])  # fmt: skip
def test_a_module_that_does_not_import_is_told_with_its_line(folder, source, why):
    (folder / "broken.py").write_text(source)
    said = told("broken:act")
    assert said.startswith("broken:act does not load: importing broken raised ") and why in said


def test_ctrl_c_passes(folder):
    (folder / "slow.py").write_text("raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load_agent("slow:act")


def test_an_agent_with_reset_keeps_it(folder):
    (folder / "keeps.py").write_text(
        "class Agent:\n    resets = 0\n    def reset(self): Agent.resets += 1\n"
        "    def act(self, observation): return 0\n"
    )
    play(load_agent("keeps:Agent").act, assay.make(CARTPOLE), "keeps:Agent", 0, 3)
    assert sys.modules["keeps"].Agent.resets == 3


def test_the_example_is_an_agent(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    agent = load_agent("own_agent:act")
    env = assay.make(CARTPOLE)
    assert play(agent.bind(env), env, agent.name, 0, 1)[0].score == 500
    assert agent.files == (EXAMPLES / "own_agent.py",)


def test_no_torch_is_imported_for_one_s_own_agent(folder):
    code = (
        "import sys; from assay.interop.agents import load_agent; load_agent('mine:act'); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "False", done.stderr
