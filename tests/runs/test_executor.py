"""Workers that are killed or hang: their jobs are done again, a few times at most, and the log says so."""

import shutil
import signal
from pathlib import Path

import pytest

from assay.conduct.phases import conduct, open_or_create
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import train_plan
from assay.plans.plan import plan_to_json
from assay.results import create
from assay.runs import native_jobs
from assay.runs.batches import batches, batches_of_phases, unfinished_batches
from assay.runs.executor import ATTEMPTS, Limits, describe_exit, plan_batches, run_all
from assay.runs.local import Local
from assay.runs.repeat import do_again

PATIENCE_S = 40  # an honest job of this size takes a second, and on a busy machine its imports twenty


@pytest.fixture
def here(tmp_path, monkeypatch):
    shutil.copy(Path(__file__).with_name("fragile.py"), tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def trained(agent, seeds, here):
    """Of an agent with so many seeds on two workers: what failed, and by seed how each attempt ended."""
    plan = train_plan(
        f"fragile:{agent}", "gym/CartPole-v1", seeds=seeds, episodes=1, settings={"steps": 1}, max_steps=5
    )
    with create(here / "run", plan_to_json(plan)) as run:
        run.add_jobs(jobs_of(plan))
        failed = run_all(run, Local(2, Limits(job_timeout=PATIENCE_S)))
        outcomes = {
            job.seed: [each.outcome for each in run.attempts() if each.job == job.id] for job in run.jobs()
        }
        assert run.verify().holds and not run.progress().left
        return failed, outcomes


def says_given_up(agent, seed, how):
    return (
        f"fragile:{agent} on gym/CartPole-v1, seed {seed}: its worker died {ATTEMPTS} times ({how}), perhaps "
        f"for want of memory; `assay resume {Path.cwd() / 'run'} --failed` tries it again."
    )


def test_killed_workers_are_replaced_and_a_job_that_hangs_is_ended(here):
    failed, outcomes = trained("train", 4, here)
    killed, hung = says_given_up("train", 0, "SIGKILL"), failed[1]
    assert failed == [killed, hung] and f"seed 2: it did not end within {PATIENCE_S} s" in hung
    assert outcomes[0] == ["died"] * ATTEMPTS + [f"failed: {killed}"]
    assert outcomes[1] == ["died", "done"] and outcomes[3] == ["done"]
    assert outcomes[2] == ["died", f"failed: {hung}"]


@pytest.mark.slow
def test_a_worker_that_leaves_in_the_middle_of_a_job_has_died_too(here):
    failed, outcomes = trained("leaves", 1, here)
    assert failed == [says_given_up("leaves", 0, "exit code 0")] and outcomes[0][:-1] == ["died"] * ATTEMPTS


def test_batches_follow_from_the_plan_and_not_from_what_is_done():
    plan = train_plan("tabular_q", "toy/discrete", seeds=7, episodes=2, settings={"steps": 1000})
    jobs = jobs_of(plan)
    whole = batches(jobs, lanes=5)
    assert [(len(batch.jobs), batch.lanes) for batch in whole] == [(5, 5), (2, 2)]
    rest = unfinished_batches(whole, {jobs[4].id})
    assert [(batch.ids, batch.lanes) for batch in rest] == [([jobs[4].id], 5)]
    assert [len(phase) for phase in batches_of_phases(jobs, 5)] == [2, 0]


def test_lanes_that_were_asked_for_are_kept_whatever_the_workers():
    plan = train_plan("tabular_q", "toy/discrete", seeds=8, episodes=2, settings={"steps": 1000})

    def lanes(executor):
        return [batch.lanes for work, _ in plan_batches(jobs_of(plan), executor) for batch in work]

    assert lanes(Local(2, Limits(lanes=8))) == lanes(Local(1, Limits(lanes=8))) == [8]
    assert lanes(Local(2)) == [4, 4] and lanes(Local(1)) == [8]


def test_lanes_are_recorded_and_kept_when_a_job_is_done_again(tmp_path, monkeypatch):
    plan = train_plan("tabular_q", "toy/discrete", seeds=3, episodes=2, settings={"steps": 1000})
    with open_or_create(plan, tmp_path / "run", ["assay"], tmp_path) as run:
        conduct(run, Local(1, Limits(lanes=3)))
        jobs = run.jobs()
        assert [(job.lanes, job.device) for job in jobs] == [(3, "cpu")] * 3
        widths = []
        train = native_jobs._train
        monkeypatch.setattr(
            native_jobs, "_train", lambda keys, *more: widths.append(len(keys)) or train(keys, *more)
        )
        (again,) = do_again(run, [jobs[1]], lambda *told: None)
        assert widths == [3] and again.same


def test_how_a_process_ended_is_said_by_the_name_of_its_signal():
    assert describe_exit(-signal.SIGSEGV) == "SIGSEGV" and describe_exit(3) == "exit code 3"
    assert describe_exit(-99) == "signal 99"
