"""Ray: the records of local workers, also when a worker is killed; nothing is left behind."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from assay.conduct.phases import conduct, open_or_create
from assay.errors import AssayError
from assay.plans.make_plan import train_plan
from assay.results import open_run
from assay.results.record import digest_of
from assay.runs import cluster
from assay.runs.executor import Limits
from assay.runs.local import Local

ASSAY = [sys.executable, "-m", "assay.cli.main"]
TRAIN = ["train", "tabular_q", "toy/discrete", "--episodes", "2"]
OF_THE_MOMENT = {"started", "ended", "wall_s", "cpu_s", "device_s", "host"}


def records(folder):
    """All tables and files of a run, without the columns of time, host and cost."""
    with open_run(folder) as run:
        assert run.verify().holds and run.sealed
        found = {}
        for table in ("job", "episode", "curve", "reference"):
            rows = run.query(f"SELECT * FROM {table}")
            kept = rows.drop_columns([c for c in rows.column_names if c in OF_THE_MOMENT])
            found[table] = sorted(map(repr, kept.to_pylist()))
        files = sorted(path for kind in ("parts", "weights") for path in (folder / kind).iterdir())
        return found | {path.name: path.read_bytes() for path in files}


def started(folder, *words, **more):
    """A command in a folder, whose home folder and temporary files lie there too."""
    places = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "t")}
    for place in places.values():
        Path(place).mkdir(exist_ok=True)
    # Programs that are compiled already are loaded from where they are kept.
    cache = {"XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")}
    return subprocess.Popen(
        [*ASSAY, *words], cwd=folder, env=os.environ | places | cache | more, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def ended(process, timeout=1200):
    _, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, err
    return err


def below(pid):
    """The processes below one, each with its command line."""
    children: dict[int, list[int]] = {}
    lines = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                stat = (place / "stat").read_text()
                lines[int(place.name)] = (place / "cmdline").read_bytes().decode()
            except OSError:  # it has ended meanwhile
                continue
            children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(place.name))
    todo, found = [pid], {}
    while todo:
        for child in children.get(todo.pop(), ()):
            found[child] = lines[child]
            todo.append(child)
    return found


def start_of(pid):
    """When a process began, in ticks since the machine did."""
    stat = Path(f"/proc/{pid}/stat")
    return int(stat.read_text().rpartition(")")[2].split()[19]) if stat.exists() else 2**63


def kill_a_worker(process, named, folder=None):
    """Ends a worker by -9: one of Ray that is at a batch, or one of ours that has jobs by the log of a run.

    The oldest one: the youngest is at the batch of the one killed before, and that may not die too often.
    """
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        assert process.poll() is None, f"it ended before a worker could be killed: {process.stderr.read()}"
        workers = [pid for pid, line in below(process.pid).items() if named in line]
        if folder:
            with open_run(folder, sweep=False) as run:
                busy = {each.pid for each in run.attempts() if each.outcome is None}
            workers = [pid for pid in workers if pid in busy]
        if workers:
            with suppress(ProcessLookupError):
                return os.kill(min(workers, key=start_of), signal.SIGKILL)
        time.sleep(0.02)
    raise AssertionError("no worker was at a batch")


@pytest.fixture
def short_path():
    """A folder with a short name: those of sockets have at most 107 bytes."""
    place = Path(tempfile.mkdtemp(dir="/tmp", prefix="ar"))
    yield place
    shutil.rmtree(place, ignore_errors=True)


def test_eight_jobs_with_one_worker_killed_leave_the_records_of_local_ones(short_path):
    pytest.importorskip("ray")
    plan = train_plan("tabular_q", "toy/discrete", seeds=8, episodes=2, settings={"steps": 2000})
    with open_or_create(plan, short_path / "local", ["assay"], short_path) as run:
        conduct(run, Local(1, Limits(lanes=4)))
    small = [*TRAIN, "--seeds", "8", "--steps", "2000", "--lanes", "4", "--workers", "1"]
    ray = started(short_path, *small, "--ray", "local", "--out", "ray")
    kill_a_worker(ray, "ray::do_task")
    err = ended(ray)
    assert records(short_path / "ray") == records(short_path / "local")
    with open_run(short_path / "ray") as run:
        outcomes = [attempt.outcome for attempt in run.attempts()]
        assert outcomes.count("done") == 8 and outcomes.count("died") == 4  # a batch of four lanes
        assert {job.lanes for job in run.jobs()} == {4}
    assert not [line for line in err.splitlines() if " jobs" not in line], err
    assert list((short_path / "home").iterdir()) == [] and list((short_path / "t").iterdir()) == []


WORKERS = {"local": ([], "spawn_main"), "ray": (["--ray", "local"], "ray::do_task")}
LANES = ["--lanes", "10", "--workers", "2"]
MANY = [*TRAIN, *LANES, "--seeds", "200", "--steps", "50000"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The records of 200 jobs that two local workers did."""
    folder = tmp_path_factory.mktemp("undisturbed")
    begun = time.monotonic()
    ended(started(folder, *MANY, "--out", "run"))
    return told("local", folder / "run", begun)


@pytest.mark.slow
@pytest.mark.parametrize("who", WORKERS)
def test_two_hundred_jobs_are_the_same_with_ten_workers_and_the_command_killed(short_path, undisturbed, who):
    pytest.importorskip("ray")
    by, named = WORKERS[who]
    begun, folder, died = time.monotonic(), short_path / "run", -1
    process = started(short_path, *MANY, *by, "--out", "run")
    for number in range(10):
        died = wait_for_calm(folder, died)
        kill_a_worker(process, named, folder if who == "local" else None)
        if number == 4:
            process.kill()
            process.communicate()
            process = started(short_path, "resume", "run", *by, *LANES)
    ended(process)
    assert told(f"{who}, killed", folder, begun) == undisturbed


@pytest.mark.slow
def test_two_hundred_jobs_by_ray_are_those_of_local_workers(short_path, undisturbed):
    pytest.importorskip("ray")
    begun = time.monotonic()
    ended(started(short_path, *MANY, "--ray", "local", "--out", "run"))
    assert told("ray", short_path / "run", begun) == undisturbed


def told(who, folder, begun):
    """The records of a run, and on the screen how it went."""
    kept = records(folder)
    with open_run(folder) as run:
        outcomes = Counter(attempt.outcome for attempt in run.attempts())
    print(f"{who}: {time.monotonic() - begun:.0f} s", digest_of([repr(kept).encode()]), dict(outcomes))
    assert outcomes["done"] == 200
    return kept


def wait_for_calm(folder, died):
    """Until the last kill is in the log, and no job is left that the next kill would make hopeless."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        if (folder / "run.json").exists():
            with open_run(folder, sweep=False) as run:
                deaths = Counter(each.job for each in run.attempts() if each.outcome == "died")
                undone = {each.job for each in run.attempts()} - set(run.progress().done)
            if deaths.total() > died and all(deaths[job] < 2 for job in undone):
                return deaths.total()
        time.sleep(0.2)
    raise AssertionError(f"{folder} does not come to rest")


@pytest.mark.slow
def test_a_cluster_that_is_there_does_jobs_of_ones_own_code_and_their_faults_are_told(short_path):
    pytest.importorskip("ray")
    shutil.copy(Path(__file__).with_name("fragile.py"), short_path)
    settings = cluster.own_settings()
    folder = tempfile.mkdtemp(dir="/tmp", prefix="ac")  # not in the folder that is sent to the cluster
    words = [sys.executable, "-m", "assay.runs.cluster_head", folder, "2", "200000000"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | settings
    ) as head:
        address = head.stdout.readline().strip()
        train = ["train", "fragile:train", "gym/CartPole-v1", "--seeds", "4", "--episodes", "1"]
        by = ["--ray", address, "--job-timeout", "40", "--parts", "elsewhere", "--out", "run"]
        process = started(short_path, *train, "--steps", "1", *by, **settings)
        _, err = process.communicate(timeout=600)
        head.stdin.close()
    assert process.returncode == 2 and "its worker died 3 times" in err, err
    with open_run(short_path / "run") as run:
        outcomes = {job.seed: [each.outcome for each in run.attempts() if each.job == job.id]
                    for job in run.jobs()}  # fmt: skip
        assert outcomes[1] == ["died", "done"] and outcomes[3] == ["done"]
        assert outcomes[0][:2] == ["died"] * 2 and outcomes[0][2].startswith("failed: fragile:train on gym/")
        assert len(outcomes[2]) == 1 and "did not end within 40 s (--job-timeout)" in outcomes[2][0]
        assert run.verify().holds


def test_an_address_where_nothing_listens_is_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(AssayError, match=rf"nothing answers at 127.0.0.1:{port} .*ray start --head` printed"):
        cluster.require_listening(f"127.0.0.1:{port}")


@pytest.mark.parametrize("address", ["nowhere", "ray://127.0.0.1:10001", "127.0.0.1:", "127.0.0.1:99999999"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(AssayError, match=r"--ray takes local or the HOST:PORT|nothing answers at"):
        cluster.require_listening(address)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(cluster.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        AssayError, match=r"Ray is not installed; install it with `pip install 'rl-assay\[ray\]'`"
    ):
        cluster.require_usable("local")
