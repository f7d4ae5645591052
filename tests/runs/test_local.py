"""Workers: the same records however many there are; what fails is told; a lost parent ends them."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from assay.conduct.phases import conduct, open_or_create
from assay.errors import AssayError
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import exam_plan, train_plan
from assay.plans.plan import plan_to_json
from assay.results import Job, create, open_run
from assay.results import folder as folders
from assay.runs import local
from assay.runs.batches import Batch, batches_of_phases, spread
from assay.runs.executor import run_all
from assay.runs.local import Local
from assay.runs.progress import Event, Standing, Watch, no_listener

OF_THE_MOMENT = {"started", "ended", "wall_s", "cpu_s", "device_s", "host", "lanes"}


def kept(folder):
    with open_run(folder) as run:
        jobs = run.query("SELECT * FROM job ORDER BY id").drop_columns(sorted(OF_THE_MOMENT)).to_pylist()
        episodes = run.query("SELECT * FROM episode ORDER BY ALL").to_pylist()
        return jobs, episodes, sorted(path.read_bytes() for path in (folder / "weights").iterdir())


def test_one_worker_and_two_leave_the_same_records(tmp_path):
    plan = exam_plan("tabular_q", "toy/discrete", only=("transition_noise",), seeds=4, episodes=4,
                     settings={"steps": 1000})  # fmt: skip
    told: list[Standing] = []
    for workers in (1, 2):
        with open_or_create(plan, tmp_path / str(workers), ["assay"], tmp_path) as run:
            assert conduct(run, Local(workers), told.append) == []
    assert kept(tmp_path / "1") == kept(tmp_path / "2")
    last = told[-1]
    assert last.done == last.total == 8 and last.failed == 0
    assert told[0].seconds_left is None and told[0].done == 0


def test_what_is_left_is_guessed_from_jobs_of_the_same_agent(tmp_path):
    plan = exam_plan("tabular_q", "toy/discrete", only=("transition_noise",), seeds=3, episodes=4,
                     settings={"steps": 1000})  # fmt: skip
    with create(tmp_path / "run", plan_to_json(plan)) as run:
        run.add_jobs(jobs_of(plan))
        learned, random = ([job.id for job in run.jobs(agent=name)] for name in ("tabular_q", "random"))
        watch = Watch(run, no_listener)
        watch.take(Event("done", random[0], seconds=1.0))
        assert watch.standing().seconds_left is None  # random play tells nothing of training
        other = Watch(run, no_listener)
        other.take(Event("done", learned[0], seconds=10.0))
        assert other.standing().seconds_left is None  # and training nothing of random play
        watch.take(Event("done", learned[0], seconds=10.0))
        assert watch.standing().seconds_left == pytest.approx(2 * 10 + 2 * 1)
        watch.expect([], 2)
        watch.take(Event("failed", learned[1], "it broke"))
        assert watch.standing().seconds_left == pytest.approx((10 + 2 * 1) / 2)
        together = [run.jobs(agent="tabular_q"), run.jobs(id=random[1]), run.jobs(id=random[2])]
        watch.expect([Batch(jobs, len(jobs)) for jobs in together], 1)
        assert watch.standing().seconds_left == pytest.approx(2 * 1)  # the third was trained with the first
        watch.take(Event("done", learned[2], seconds=10.0))
        watch.take(Event("done", random[1], seconds=3.0))
        watch.take(Event("done", random[2], seconds=3.0))
        assert watch.standing().seconds_left is None


def test_a_run_that_another_process_makes_meanwhile_is_joined(tmp_path, monkeypatch):
    plan = train_plan("tabular_q", "toy/discrete", seeds=1, settings={"steps": 1000})
    make_ledger = folders.ledger.create

    def after_the_other(aside):
        monkeypatch.setattr(folders.ledger, "create", make_ledger)
        create(tmp_path / "run", plan_to_json(plan), ["the other"]).close()
        make_ledger(aside)

    monkeypatch.setattr(folders.ledger, "create", after_the_other)
    with open_or_create(plan, tmp_path / "run", ["assay"], tmp_path) as run:
        assert run.document.command == ("the other",)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]  # nothing is left of the attempt


def test_a_finished_run_is_found_again_and_nothing_is_done_twice(tmp_path):
    plan = train_plan("tabular_q", "toy/discrete", seeds=2, episodes=2, settings={"steps": 1000})
    for _ in range(2):
        with open_or_create(plan, None, ["assay"], tmp_path) as run:
            conduct(run, Local(1))
            attempts = run.attempts()
    assert len(list(tmp_path.iterdir())) == 1 and len(attempts) == 2
    other = train_plan("tabular_q", "toy/discrete", seeds=3, episodes=2, settings={"steps": 1000})
    with pytest.raises(AssayError, match="holds another run"):
        open_or_create(other, next(tmp_path.iterdir()), ["assay"], tmp_path)


def test_a_run_of_other_code_is_not_mixed(tmp_path, monkeypatch):
    plan = train_plan("tabular_q", "toy/discrete", seeds=1, settings={"steps": 1000})
    with create(tmp_path / "run", plan_to_json(plan)) as run:
        run.add_jobs(jobs_of(plan))
        monkeypatch.setattr("assay.conduct.records.digest_of_source", lambda plan: "another")
        with pytest.raises(AssayError, match="made by other code"):
            conduct(run, Local(1))


def test_a_batch_that_cannot_be_trained_fails_its_jobs_and_no_others(tmp_path):
    plan = train_plan("tabular_q", "toy/discrete", seeds=2, episodes=2, settings={"steps": 1000})
    with create(tmp_path / "run", plan_to_json(plan)) as run:
        bad = [job.identity | {"config": job.config | {"settings": {"steps": 1000, "no_such_setting": 0}}}
               for job in jobs_of(plan)]  # fmt: skip
        run.add_jobs([*jobs_of(plan), *(Job.planned(**each) for each in bad)])
        says = run_all(run, Local(1))
        assert len(run.progress().done) == 2 and len(run.progress().failed) == 2
        assert (
            len(says) == 2
            and "tabular_q on toy/discrete" in says[0]
            and "TypeError" in says[0]
            and "\n" not in says[0]
        )


def test_batches_are_spread_over_the_workers():
    assert [part.lanes for part in spread([Batch(list(range(10)), 10)], 2)] == [5, 5]
    assert [part.jobs for part in spread([Batch([0, 1, 2], 3)], 2)] == [[0, 1], [2]]
    many = [Batch([place], 1) for place in range(4)]
    assert spread(many, 2) == many


def test_seeds_that_train_alone_are_batches_of_their_own():
    small = {"steps": 512, "report_every": 256, "envs": 8, "rollout": 32, "minibatches": 4}
    jobs = jobs_of(train_plan("ppo", "toy/discrete", seeds=3, settings=small))
    assert [len(batch.jobs) for batch in batches_of_phases(jobs, 10)[0]] == [1, 1, 1]


def test_random_play_of_many_axes_begins_before_the_agent_s_jobs_of_one():
    axes = ["filters.hue_shift", "filters.brightness"]
    jobs = jobs_of(exam_plan("ppo-platformer", "platformer/run", only=axes, episodes=2))
    first = batches_of_phases(jobs, 10)[0][0]
    assert [job.agent for job in first.jobs] == ["random"]


def test_workers_end_when_their_parent_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        textwrap.dedent("""
        import multiprocessing, sys, time
        from assay.runs.processes import end_with_parent
        def child(pid_file):
            end_with_parent()
            import os
            open(pid_file, "w").write(str(os.getpid()))
            time.sleep(60)
        if __name__ == "__main__":
            multiprocessing.get_context("spawn").Process(target=child, args=(sys.argv[1],)).start()
            time.sleep(60)
    """)
    )
    pid_file = tmp_path / "pid"
    parent = subprocess.Popen([sys.executable, str(script), str(pid_file)])
    deadline = time.monotonic() + 30
    while not (pid_file.exists() and pid_file.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    child = int(pid_file.read_text())
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    while alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().split()[2] != "Z"
    except FileNotFoundError:
        return False


class Gone:
    """The pipe of a parent that was stopped: whatever is done with it fails, in the two ways a system has."""

    def __init__(self, error):
        self.error = error

    def send(self, event):
        raise self.error

    recv = send


@pytest.mark.parametrize("error", [BrokenPipeError(), ConnectionResetError()])
def test_a_worker_whose_parent_was_stopped_ends_without_a_word(tmp_path, error, monkeypatch):
    monkeypatch.setattr(local, "keep_programs", lambda: None)
    local.worker(str(tmp_path / "no folder"), Gone(error), None)  # an error of ours that nobody reads
    plan = train_plan("tabular_q", "toy/discrete", seeds=1, settings={"steps": 1000})
    create(tmp_path / "run", plan_to_json(plan)).close()
    local.worker(str(tmp_path / "run"), Gone(error), None)
