"""Execution: a job's result is its own, whoever shares its batch, its worker or its machine's programs."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.results import Job
from assay.results.store import digest_of_result
from assay.runs import execute as execution
from assay.runs.execute import batches, execute, require_finite
from assay.runs.plan import jobs_of
from assay.runs.request import exam_plan, suite_plan
from assay.suites.suite import Pair, Suite


def digests(jobs: list[Job]) -> dict[str, str]:
    wanted = {job.id: job for job in jobs}
    found = {}
    for result in execute(jobs):
        assert not result.failed
        curves = result.curves if result.curves is not None else ()
        found[result.job] = digest_of_result(wanted[result.job], result.episodes, curves, result.weights)
    return found


def small_exam(agent="tabular_q", **more):
    settings = {"steps": 2000} | more
    return jobs_of(exam_plan(agent, "toy/discrete", only=("transition_noise", "delay"), seeds=5, episodes=4,
                             settings=settings))  # fmt: skip


def test_jobs_of_one_program_are_one_batch():
    jobs = small_exam()
    together = batches(jobs)
    # Learning under a delay and plain training are one program; random play, which does not train, another.
    assert sorted(len(batch) for batch in together) == [5, 10]
    assert {job.agent for job in together[0]} == {"tabular_q"}


def test_a_result_does_not_depend_on_its_batch():
    jobs = [job for job in small_exam() if job.agent == "tabular_q"]
    together = digests(jobs)
    assert digests(jobs[7:8]) == {jobs[7].id: together[jobs[7].id]}
    some = [jobs[9], jobs[0], jobs[3]]
    assert digests(some) == {job.id: together[job.id] for job in some}


@pytest.mark.slow
def test_a_dqn_does_not_depend_on_its_batch():
    jobs = [job for job in small_exam("dqn", learning_starts=1000) if job.agent == "dqn"]
    together = digests(jobs)
    for some in (jobs[7:8], jobs[2:4], jobs[0:5]):
        assert digests(some) == {job.id: together[job.id] for job in some}


def test_plain_and_varied_episodes_of_a_job_are_pairs():
    job = next(job for job in small_exam() if job.agent == "random")
    (result,) = execute([job])
    by_level = {}
    for row in result.episodes:
        by_level.setdefault((row.axis, row.level), []).append((row.steps, row.score))
    assert len(by_level) == 6 and all(len(rows) == 4 for rows in by_level.values())
    assert result.episodes[0].mdp_seed == job.seed
    # A chance of 0.01 moves few episodes: the others are the plain ones, step by step.
    same = sum(a == b for a, b in zip(by_level[("", "")], by_level[("transition_noise", "0.01")]))
    assert same >= 2


def test_weights_that_are_not_finite_fail_the_job():
    job = small_exam()[0]
    with pytest.raises(AssayError, match="seed 0 has weights that are not finite"):
        require_finite(job, {"table": np.array([1.0, np.nan])})


def test_a_pair_of_a_suite_is_played_on_both_tasks():
    suite = Suite("mine", 1, "", (Pair("toy/discrete", "toy/discrete+delay=1"),), (0,), 2)
    (job,) = jobs_of(suite_plan(suite, "tabular_q", settings={"steps": 2000}))
    (result,) = execute([job])
    assert [(row.arm, row.task) for row in result.episodes] == [
        ("plain", "toy/discrete+mdp_seed=0"),
        ("plain", "toy/discrete+mdp_seed=0"),
        ("pair", "toy/discrete+delay=1+mdp_seed=0"),
        ("pair", "toy/discrete+delay=1+mdp_seed=0"),
    ]
    # A reward axis moves nobody who does not learn.
    assert [row.score for row in result.episodes[:2]] == [row.score for row in result.episodes[2:]]
    assert set(result.curves["name"].to_pylist()) == {"score", "length", "episodes"}


def test_a_hosted_task_is_played_step_by_step():
    jobs = jobs_of(exam_plan("random", "gym/CartPole-v1", only=("action.sticky",), episodes=3))
    results = [result for job in jobs for result in execute([job])]
    assert [len(result.episodes) for result in results] == [3, 9]
    assert all(row.mdp_seed is None and row.score == row.steps for row in results[0].episodes)
    assert execution.is_native(jobs[0]) is False
