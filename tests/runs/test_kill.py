"""`assay run`, killed with -9 at known and at random moments, then `assay resume`: equal records."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from victim_loading import load_victim

from assay.results import open_run

ASSAY = [sys.executable, "-m", "assay.cli.main"]
RUN = ["run", "small.yaml", "--agent", "tabular_q", "--steps", "2000", "--workers", "2", "--out", "run"]
SUITE = """
pairs:
  - {train: toy/discrete, evaluate: toy/discrete+transition_noise=0.1}
  - {train: toy/discrete+delay=2, evaluate: toy/discrete}
seeds: 6
episodes: 3
"""
OF_THE_MOMENT = {"started", "ended", "wall_s", "cpu_s", "device_s", "host"}
IN_CI = [("a part half written", 3)]
SLOW = [
    ("before the jobs are planned", 1),
    *[("a job in flight", n) for n in (1, 2)],
    *[("a part half written", n) for n in (1, 2, 4, 6, 8)],
    *[("a part renamed, its job not committed", n) for n in (1, 2, 3, 5)],
    *[("at random", n) for n in range(9)],
]


def records(folder: Path) -> dict:
    """All tables and weights, without the columns that hold time, host and cost."""
    with open_run(folder) as run:
        assert run.verify().holds
        found = {}
        for table in ("job", "episode", "curve", "reference"):
            columns = run.query(f"SELECT * FROM {table}")
            kept = columns.drop_columns([c for c in columns.column_names if c in OF_THE_MOMENT])
            found[table] = sorted(map(repr, kept.to_pylist()))  # repr: NaN equals itself
        assert len(found["job"]) == 12 and not run.progress().left
        weights = sorted((folder / "weights").iterdir())
        return found | {"weights": {path.name: path.read_bytes() for path in weights}}


def quiet(words: list[str], folder: Path) -> subprocess.CompletedProcess:
    done = subprocess.run([*ASSAY, *words], cwd=folder, text=True, capture_output=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "small.yaml").write_text(SUITE)
    quiet(RUN, folder)
    return records(folder / "run")


@pytest.fixture(scope="module")
def lasts(undisturbed, tmp_path_factory):
    """How long a run takes whose programs are compiled already."""
    folder = tmp_path_factory.mktemp("lasts")
    (folder / "small.yaml").write_text(SUITE)
    begun = time.monotonic()
    quiet(RUN, folder)
    return time.monotonic() - begun


def killed(folder: Path, moment: str, number: int, lasts: float) -> str:
    """Starts the run, kills it and all its workers, and says where that landed."""
    marker = folder / "marker"
    about = {"VICTIM_MARKER": str(marker), "VICTIM_MOMENT": moment, "VICTIM_NUMBER": str(number)}
    about["PYTHONPATH"] = os.pathsep.join(
        [str(load_victim(folder / "site")), os.environ.get("PYTHONPATH", "")]
    )
    process = subprocess.Popen(
        [*ASSAY, *RUN], cwd=folder, env=os.environ | about, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    if moment == "at random":
        time.sleep(random.Random(number).uniform(0.3, 0.9) * lasts)
    else:
        deadline = time.monotonic() + 120
        while not marker.exists() and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert marker.exists(), "it ended before the moment came"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return landed(folder / "run")


def landed(folder: Path) -> str:
    """What the kill left: seen in the files before anybody sweeps them."""
    if not (folder / "run.json").exists():
        return "no run yet"
    asides = [path.name for path in folder.rglob("*.part")]
    with open_run(folder) as run:
        progress = run.progress()
    # A killed worker holds its lock for some milliseconds more, and its jobs still count as running.
    flying = len(progress.abandoned) + len(progress.running)
    return f"{len(asides)} files aside, {flying} jobs in flight, {len(progress.done)} done"


@pytest.mark.parametrize(("moment", "number"), IN_CI)
def test_a_killed_run_resumes_to_the_same_records(tmp_path, undisturbed, moment, number):
    kill_and_resume(tmp_path, undisturbed, moment, number, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(("moment", "number"), SLOW)
def test_a_run_killed_at_many_moments_resumes_to_the_same_records(
    tmp_path, undisturbed, lasts, moment, number
):
    kill_and_resume(tmp_path, undisturbed, moment, number, lasts)


def kill_and_resume(folder: Path, expected: dict, moment: str, number: int, lasts: float) -> None:
    (folder / "small.yaml").write_text(SUITE)
    where = killed(folder, moment, number, lasts)
    print(f"killed {moment} ({number}): {where}")
    if where == "no run yet":
        quiet(RUN, folder)
    else:
        quiet(["resume", "run", "--workers", "2"], folder)  # and so with as many lanes
    assert records(folder / "run") == expected
    with open_run(folder / "run") as run:
        done = [attempt.job for attempt in run.attempts() if attempt.outcome == "done"]
        assert len(done) == len(set(done)) == 12
    assert not list((folder / "run").rglob("*.part"))
