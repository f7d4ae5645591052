"""Results are of the bytes that were played, though a checkpoint is exchanged meanwhile."""

import os

import gymnasium
import pytest

from assay.plans import agents
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import exam_plan
from assay.runs.native_jobs import execute
from assay.runs.staleness import fail_if_changed, planned_sources

sb3 = pytest.importorskip("stable_baselines3")
CARTPOLE = "gym/CartPole-v1"


@pytest.fixture
def exchange(tmp_path, monkeypatch):
    """Puts another checkpoint in the place of `cur.zip`, at once."""
    monkeypatch.chdir(tmp_path)

    def put(seed):
        sb3.PPO("MlpPolicy", gymnasium.make("CartPole-v1"), seed=seed, n_steps=8, batch_size=8).save("new")
        os.replace("new.zip", "cur.zip")

    agents.load_outside.cache_clear()
    put(0)
    yield put
    agents.load_outside.cache_clear()


def done(planned, job):
    [result] = execute([job])
    assert not result.failed
    return fail_if_changed(planned, job, result)


@pytest.mark.parametrize("trust", [False, True])
def test_a_checkpoint_played_under_the_digest_of_another_fails(exchange, trust):
    plan = exam_plan("sb3:cur.zip", CARTPOLE, only=("action.sticky",), episodes=1, trust=trust)
    agents.outside_agent("sb3:cur.zip", trust)
    exchange(1)
    job = next(each for each in jobs_of(plan) if each.agent == "sb3:cur.zip")
    planned = planned_sources(plan)
    assert done(planned, job).failed == "cur.zip changed during the run; run it anew."
    agents.load_outside.cache_clear()
    assert not done(planned, job).failed  # the other one is loaded now, whose digest it is


def test_a_checkpoint_that_was_put_back_after_it_was_loaded_fails(exchange):
    plan = exam_plan("sb3:cur.zip", CARTPOLE, only=("action.sticky",), episodes=1)
    job, planned = jobs_of(plan)[0], planned_sources(plan)
    os.rename("cur.zip", "first.zip")
    exchange(1)
    agents.load_outside.cache_clear()
    agents.outside_agent("sb3:cur.zip")
    os.replace("first.zip", "cur.zip")
    assert done(planned, job).failed == "cur.zip changed during the run; run it anew."
