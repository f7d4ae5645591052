"""Planted truths on envs that draw nothing themselves: an axis that draws keeps its frequencies."""

import gymnasium
import numpy as np
import pytest

from assay.analysis.findings import find
from assay.conduct.phases import conduct, open_or_create
from assay.plans.make_plan import sweep_plan
from assay.runs.local import Local

AGENT = "def act(observation):\n    return 1\n"


class Gate(gymnasium.Env):
    """Ten steps; each pays 1 for action 1. It draws nothing: the plain task is one episode."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 10
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.zeros(1, np.float32), float(action == 1), self.left == 0, False, {}


@pytest.fixture
def exam_at(tmp_path, monkeypatch):
    (tmp_path / "presses.py").write_text(AGENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    gymnasium.register("AssayGate-v0", Gate, disable_env_checker=True)

    def exam(axis, level, episodes):
        plan = sweep_plan("presses:act", "gym/AssayGate-v0", {axis: level}, episodes=episodes)
        with open_or_create(plan, tmp_path / f"{axis}-{level}", ["assay"], tmp_path) as run:
            assert conduct(run, Local(1)) == []
            return find(run)

    yield exam
    del gymnasium.registry["AssayGate-v0"]


def test_an_effect_is_that_of_the_mean_scores_beside_it(exam_at):
    """One action in fifty is another: plain 10, varied 9.8, random 5: a loss of 4%, not of a quarter."""
    exam = exam_at("action.other", "0.02", 120)
    (finding,) = exam.findings
    (level,) = finding.levels
    by_hand = (level.score - exam.headline.plain) / (exam.headline.plain - exam.headline.random)
    assert level.effect.value == pytest.approx(by_hand) and -0.1 < by_hand < 0
    assert finding.word != "breaks" and exam.distinct == 1


def test_an_axis_that_draws_nothing_either_has_one_unit(exam_at):
    exam = exam_at("action.delay", "2", 30)
    (finding,) = exam.findings
    assert finding.word == "cannot tell" and "1 distinct" in finding.because


class Easy(Gate):
    """One step of five actions, of which one loses: random play wins four times in five."""

    action_space = gymnasium.spaces.Discrete(5)

    def step(self, action):
        return np.zeros(1, np.float32), float(action != 0), True, False, {}


def test_a_lost_episode_counts_as_much_as_it_can_lose(exam_at):
    """Under action.random=0.2 the loss is exactly 20%; thirty episodes may show no lost one."""
    gymnasium.registry.pop("AssayGate-v0")
    gymnasium.register("AssayGate-v0", Easy, disable_env_checker=True)
    exam = exam_at("action.random", "0.2", 60)
    (finding,) = exam.findings
    assert finding.word != "holds" and finding.levels[0].effect.low < -0.2
    assert exam.units_to_hold > 100
