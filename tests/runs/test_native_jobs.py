"""Execution: a job's result is its own, whoever shares its batch, its worker or its machine's programs."""

import numpy as np
import pytest

from assay.agents import tabular
from assay.core.keys import seed_words
from assay.errors import AssayError
from assay.plans.job_plan import job_plan
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import exam_plan, suite_plan
from assay.results import Job
from assay.results.stored_result import digest_of_result
from assay.runs import native_jobs as execution
from assay.runs.batches import batches
from assay.runs.evaluate import EvaluationSetup, Outcomes, evaluate
from assay.runs.native_jobs import as_played, episode_rows, execute, require_finite
from assay.runs.program import program, stack_tasks
from assay.suites.suite import Pair, Suite

TOY = "toy/discrete"
NAMES = ("score", "return", "length", "episodes", "rollout", "rollout_length")


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
    together = [batch.jobs for batch in batches(jobs, lanes=10)]
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
    assert result.episodes[0].world_seed == job.seed
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
    assert set(result.curves["name"].to_pylist()) == {"score", "return", "length", "episodes"}


def rolled(wanted: bool, agent="tabular_q", **settings) -> list[Job]:
    suite = Suite("mine", 1, "", (Pair(f"{TOY}+transition_noise=0.2", TOY),), (0, 1), 3, rollouts=wanted)
    return jobs_of(suite_plan(suite, agent, settings={"steps": 400, "report_every": 100} | settings))


def test_the_policy_of_every_report_is_rolled_out_where_a_job_asks():
    jobs = rolled(True)
    results = {result.job: result for result in execute(jobs)}
    for job, plain in zip(jobs, execute(rolled(False))):
        result = results[job.id]
        rows = result.curves.to_pylist()
        names = {name: [row["value"] for row in rows if row["name"] == name] for name in NAMES}
        assert len(rows) == 4 * len(NAMES) and {row["step"] for row in rows} == {100, 200, 300, 400}
        # Asking moves nothing else: the training, its curves and the episodes at the end are the same bits.
        assert result.curves.slice(0, plain.curves.num_rows) == plain.curves
        assert set(plain.curves["name"].to_pylist()) == set(NAMES[:4])
        np.testing.assert_array_equal(result.weights["params"], plain.weights["params"])
        assert [row.score for row in result.episodes] == [row.score for row in plain.episodes]
        # The last report is the end of the training: its policy on the task of the last try, by hand.
        words = seed_words(execution.rollout_seed(job.seed))
        played_by = program(job.eval_task, job_plan(job).companions)  # the program that played the tries
        tasks = stack_tasks([played_by] * execution.TOGETHER)
        alone = evaluate(tasks, result.weights["params"], words, EvaluationSetup(tabular.act), episodes=3)
        assert names["rollout"][-1] == np.asarray(alone.score[0], np.float64).mean()
        assert names["rollout_length"][-1] == np.asarray(alone.steps[0]).mean()
    # What `assay verify` does: the same job, alone.
    assert digests(jobs[1:]) == {jobs[1].id: digest_of_result(jobs[1], *results[jobs[1].id][1:4])}


def test_drawn_levels_go_into_the_records():
    job = rolled(False)[0]
    ends = [np.array(x) for x in ([5, 6], [1.0, 2.0], [1.0, 2.0], [True, False], [False, True])]
    ends.append(np.array([[1, 2], [3, 4]], np.uint32))
    drawn = {"delay": np.array([3, 0]), "reward_noise": np.array([0.5, 0.25], np.float32)}
    rows = episode_rows(job, job_plan(job).tries[0], as_played(Outcomes(*ends, drawn, {})))
    assert [row.drawn for row in rows] == [
        {"delay": 3, "reward_noise": 0.5}, {"delay": 0, "reward_noise": 0.25},
    ]  # fmt: skip
    rows = episode_rows(job, job_plan(job).tries[0], as_played(Outcomes(*ends, {}, {})))
    assert [(row.steps, row.drawn) for row in rows] == [(5, None), (6, None)]
    assert [row.digest for row in rows] == ["0000000100000002", "0000000300000004"]


def test_a_hosted_task_is_played_step_by_step():
    jobs = jobs_of(exam_plan("random", "gym/CartPole-v1", only=("action.sticky",), episodes=3))
    results = [result for job in jobs for result in execute([job])]
    assert [len(result.episodes) for result in results] == [3, 9]
    assert all(row.world_seed is None and row.score == row.steps for row in results[0].episodes)
    assert execution.is_native(jobs[0]) is False
