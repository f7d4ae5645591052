"""Envs that never end and envs that ignore their seeds are found before the exam."""

import gymnasium
import numpy as np
import pytest

from assay.errors import AssayError
from assay.plans.job_plan import job_plan
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import exam_plan
from assay.runs.estimate import estimate
from assay.runs.native_jobs import execute


class Endless(gymnasium.Env):
    """Pays 1 a step and never ends."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.random(1).astype(np.float32)
        return self.place, {}

    def step(self, action):
        return self.place, 1.0, False, False, {}


class Unseeded(Endless):
    """Draws from numpy's global generator."""

    def reset(self, *, seed=None, options=None):
        return np.random.random(1).astype(np.float32), {}

    def step(self, action):
        return np.random.random(1).astype(np.float32), 1.0, False, True, {}


class Curriculum(Endless):
    """Pays by how many episodes came before."""

    count = 0

    def reset(self, *, seed=None, options=None):
        self.count += 1
        return super().reset(seed=seed)

    def step(self, action):
        return self.place, float(self.count), False, True, {}


@pytest.fixture
def env(request):
    gymnasium.register("AssayProbed-v0", request.param, disable_env_checker=True)
    yield "gym/AssayProbed-v0"
    del gymnasium.registry["AssayProbed-v0"]


@pytest.mark.parametrize("env", [Endless], indirect=True)
def test_an_env_without_a_limit_is_cut_and_the_plan_says_so(env):
    plan = exam_plan("random", env, only=("action.sticky",), episodes=2, max_steps=7)
    assert plan.max_steps == 7
    assert exam_plan("random", env, only=("action.sticky",)).max_steps == 10_000
    jobs = jobs_of(plan)
    assert all(job_plan(job).max_steps == 7 for job in jobs)
    other = jobs_of(exam_plan("random", env, only=("action.sticky",), episodes=2, max_steps=8))
    assert {job.id for job in jobs}.isdisjoint(job.id for job in other)
    (result,) = execute([jobs[0]])
    assert {(row.steps, row.terminated, row.truncated) for row in result.episodes} == {(7, False, True)}


@pytest.mark.parametrize("env", [Unseeded, Curriculum], indirect=True)
def test_an_env_that_does_not_obey_its_seed_is_refused(env):
    with pytest.raises(AssayError, match="AssayProbed-v0 does not obey its seed"):
        exam_plan("random", env, only=("action.sticky",))


def test_envs_with_a_limit_of_their_own_are_left_alone():
    assert exam_plan("random", "gym/CartPole-v1", only=("action.sticky",)).max_steps is None
    assert exam_plan("random", "atari/Pong", only=("lazy_enemy",)).max_steps is None
    with pytest.raises(
        AssayError, match=r"--max-steps is for hosted envs; .* has its own limit among its axes"
    ):
        exam_plan("random", "toy/discrete", only=("delay",), max_steps=5)


class PaysNothing(Endless):
    """Obeys its seed and pays what is no number."""

    def step(self, action):
        return self.place, float("nan"), False, True, {}


class Raises(Endless):
    def step(self, action):
        raise RuntimeError("physics exploded")


class OtherShape(Endless):
    """Shows one number and declares two."""

    observation_space = gymnasium.spaces.Box(0, 1, (2,), np.float32)


@pytest.mark.parametrize("env, says", [
    (PaysNothing, "a reward of nan at step 0"), (Raises, "physics exploded, at step 0 of random play"),
    (OtherShape, r"returns an observation of shape \(1,\)"),
], indirect=["env"])  # fmt: skip
def test_what_is_wrong_with_an_env_is_named(env, says):
    with pytest.raises(AssayError, match=says):
        exam_plan("random", env, only=("action.sticky",))


def test_a_dry_run_of_an_agent_that_raises_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "explodes.py").write_text("def act(observation):\n    raise RuntimeError('boom')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    plan = exam_plan("explodes:act", "gym/CartPole-v1", only=("action.sticky",), episodes=2)
    with pytest.raises(AssayError, match=r"explodes:act raised RuntimeError at line 2 .*: boom, at step 0"):
        estimate(plan, jobs_of(plan))
