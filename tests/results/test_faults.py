"""Real processes, really killed: nothing is lost, nothing is counted twice, nothing half-written stays."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.results import create, open_run

from .sample import EPISODES, job, result

WRITER = Path(__file__).parent / "writer.py"
JOBS = 40
MOMENTS = [  # where the writer stands when it is killed
    "before the jobs are added",
    "a part half written",
    "a job claimed",
    "both files written aside",
    "one file renamed",
    "both files renamed, not committed",
    "a part half written",
    "one file renamed",
    "both files renamed, not committed",
    "at random",
    "at random",
    "at random",
]
WITH_FILES_ASIDE = ("a part half written", "both files written aside", "one file renamed")
OF_THE_MOMENT = {"started", "ended", "wall_s", "cpu_s", "device_s", "host"}


def start(folder: Path, jobs: int, *stop: str) -> subprocess.Popen:
    words = [sys.executable, str(WRITER), str(folder), str(jobs), *map(str, stop)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(happens, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 20
    while not happens():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.002)


def records(folder: Path) -> dict:
    """All tables, sorted, without the columns that hold time, host and cost."""
    with open_run(folder) as run:
        assert run.verify().holds
        found = {}
        for table in ("job", "episode", "curve"):
            columns = run.query(f"SELECT * FROM {table}")
            kept = columns.drop_columns([c for c in columns.column_names if c in OF_THE_MOMENT])
            found[table] = sorted(map(repr, kept.to_pylist()))  # repr: NaN equals itself
        weights = sorted((folder / "weights").iterdir())
        return found | {"weights": {path.name: path.read_bytes() for path in weights}}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    create(folder, {}).close()
    process = start(folder, JOBS)
    out, err = process.communicate(timeout=30)
    assert (out.strip(), err) == (str(JOBS), "")
    return records(folder)


def test_twelve_kills_leave_the_records_of_an_undisturbed_run(tmp_path, undisturbed):
    folder, barrier = tmp_path / "run", tmp_path / "barrier"
    create(folder, {}).close()
    chance = random.Random(0)
    before: dict[str, str] = {}
    for moment in MOMENTS:
        barrier.unlink(missing_ok=True)
        process = start(folder, JOBS, moment, barrier)
        if moment == "at random":
            # Its lock is the first that one sees of a worker.
            wait_for(lambda: len(list((folder / "locks").iterdir())) > 1, process)
            time.sleep(chance.uniform(0, 0.1))
        else:
            wait_for(barrier.exists, process)
        process.kill()
        process.communicate()
        aside, placed = list(folder.rglob("*.part")), len(list((folder / "parts").glob("*.parquet")))

        with open_run(folder) as run:
            done = {each.id: each.digest for each in run.jobs(status="done")}
            print(f"{moment}: {len(done)} done, {placed} parts in place, {len(aside)} aside")
            assert before.items() <= done.items()
            assert run.verify().holds
            assert run.episodes().num_rows == EPISODES * len(done)
            assert not list(folder.rglob("*.part"))
            for kind in ("parts", "weights"):
                assert {path.name.split(".")[0] for path in (folder / kind).iterdir()} == set(done)
            assert run.progress().running == ()
        assert moment == "at random" or bool(aside) == (moment in WITH_FILES_ASIDE)
        before = done
    assert len(before) < JOBS, "the last kill came after the last job"

    process = start(folder, JOBS)
    out, err = process.communicate(timeout=30)
    assert (out.strip(), err) == (str(JOBS - len(before)), "")
    assert records(folder) == undisturbed
    with open_run(folder) as run:
        outcomes = [each.outcome for each in run.attempts()]
        assert outcomes.count("done") == JOBS
        assert set(outcomes) == {"done", "died"}


def test_several_writers_do_every_job_once(tmp_path, undisturbed):
    folder = tmp_path / "run"
    create(folder, {}).close()
    processes = [start(folder, JOBS) for _ in range(3)]
    answers = [process.communicate(timeout=40) for process in processes]
    assert [err for _, err in answers] == [""] * 3
    assert sum(int(out) for out, _ in answers) == JOBS
    assert records(folder) == undisturbed
    with open_run(folder) as run:
        assert len({each.worker for each in run.attempts()}) > 1
        assert [each.outcome for each in run.attempts()] == ["done"] * JOBS


def test_what_a_living_process_writes_is_neither_swept_nor_claimed(tmp_path):
    folder, barrier = tmp_path / "run", tmp_path / "barrier"
    create(folder, {}).close()
    process = start(folder, 2, "a part half written", barrier)
    wait_for(barrier.exists, process)
    with open_run(folder) as run:
        assert run.progress().running == (job(0).id,)
        assert len(list(folder.rglob("*.part"))) == 1
        assert run.claim(5, ids=[job(0).id]) == []
    barrier.unlink()
    out, err = process.communicate(timeout=30)
    assert (out.strip(), err) == ("2", "")


def test_a_job_is_finished_by_whoever_comes_first_when_a_paused_worker_was_overtaken(tmp_path):
    folder, barrier = tmp_path / "run", tmp_path / "barrier"
    create(folder, {}).close()
    process = start(folder, 1, "a part half written", barrier)
    wait_for(barrier.exists, process)
    with open_run(folder) as run:
        assert run.finish(job(0).id, **result(job(0))).kept
        barrier.unlink()
        assert process.communicate(timeout=30)[1] == ""
        assert run.episodes().num_rows == EPISODES
        assert run.verify().holds
        assert [each.outcome for each in run.attempts()] == ["second, with the same result", "done"]
