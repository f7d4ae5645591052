"""The verbs that do work: what they would do, a tiny exam from end to end, and each thing that goes wrong."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.main import app
from assay.results import create, open_run

CARTPOLE = "gym/CartPole-v1"
VERBS = ("train", "run", "examine", "sweep", "resume", "report", "compare", "verify", "power")
MINE = """
import numpy as np


def act(observation):
    return int(observation[2] + 0.3 * observation[3] > 0)


def raises(observation):
    return act(observation) + {}["nothing"]


def not_a_number(observation):
    return float("nan")


def wrong_shape(observation):
    return np.zeros(3)


def afraid_of_the_dark(observation):
    if not observation.any():
        raise RuntimeError("it is dark")
    return act(observation)
"""
SUITE = """
pairs: [{train: toy/discrete, evaluate: toy/discrete+delay=1}, toy/discrete+delay=2]
seeds: 3
episodes: 4
"""


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def works(*words):
    done = run(*words)
    assert done.exit_code == 0, done.stderr or repr(done.exception)
    return done.stdout


def one_sentence(done):
    """What a command says that ends with exit code 2; progress may stand above it."""
    assert done.exit_code == 2, repr(done.exception)
    assert done.stderr.count("assay: ") == 1 and "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("assay: ")
    return last.removeprefix("assay: ")


def examine(*words):
    return run("examine", *words, "--workers", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where one works: agents of one's own, a suite, and a finished exam in runs/first."""
    place = tmp_path_factory.mktemp("verbs")
    (place / "verbs_mine.py").write_text(MINE)
    (place / "verbs_broken.py").write_text("import nowhere_to_be_found\n")
    (place / "small.yaml").write_text(SUITE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.syspath_prepend(str(place))
        done = examine(
            "verbs_mine:act", CARTPOLE, "--axes", "action.sticky", "--episodes", 5, "--out", "runs/first"
        )
        assert done.exit_code == 0, done.stderr or repr(done.exception)
        (place / "said.txt").write_text(done.stdout)
        yield place


@pytest.fixture(autouse=True)
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.fixture
def copy(folder, tmp_path):
    """The finished exam, to be broken."""
    return Path(shutil.copytree(folder / "runs" / "first", tmp_path / "copy"))


def contents(place):
    """Every file but locks and what SQLite keeps beside its file."""
    files = [path for path in sorted(place.rglob("*")) if path.is_file() and "locks" not in path.parts]
    return {str(path): path.read_bytes() for path in files if not path.name.endswith(("-wal", "-shm"))}


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_every_verb_has_an_example(verb):
    shown = works(verb, "--help")
    assert f"assay {verb} " in shown and "--json" in shown
    assert ("--dry-run" in shown) == (verb not in ("report", "compare", "power"))


DRY = {
    "train": ("train dqn toy/discrete --seeds 3", 3, 3, 60_000, 3 * 20),
    "run": ("run small.yaml --agent tabular_q --steps 1000", 6, 6, 6000, 3 * (2 + 1) * 4),
    "examine": (
        "examine tabular_q toy/discrete --axes delay,action.sticky --seeds 2 --steps 1000 --episodes 3",
        6,
        4,
        4000,
        2 * (1 + 4 + 4) * 3,
    ),
    "examine of a given agent": (
        f"examine verbs_mine:act {CARTPOLE} --axes action.sticky --episodes 2",
        3,
        0,
        0,
        16,
    ),
    "sweep": (
        "sweep tabular_q toy/discrete --axis delay=1:4:1 --seeds 2 --steps 1000",
        12,
        10,
        10_000,
        12 * 20,
    ),
}


@pytest.mark.parametrize("words, jobs, trained, steps, episodes", DRY.values(), ids=DRY)
def test_a_dry_run_counts_and_does_nothing(folder, words, jobs, trained, steps, episodes):
    before = contents(folder / "runs")
    shown = works(*words.split(), "--dry-run", "--out", "runs/elsewhere")
    assert f"{jobs} jobs: {trained} agents to train, {steps:,} env steps; {episodes:,} episodes" in shown
    assert "into runs/elsewhere" in shown
    found = json.loads(works(*words.split(), "--dry-run", "--json"))
    assert (found["jobs"], found["agents_trained"]) == (jobs, trained)
    assert (found["training_steps"], found["episodes"]) == (steps, episodes)
    assert found["plan"]["kind"] == words.split()[0]
    assert contents(folder / "runs") == before


def test_a_dry_run_says_what_is_asked_and_what_is_not():
    shown = works("examine", "dqn", "toy/discrete", "--dry-run")
    assert "carry  action.sticky at 0.1, 0.25, 0.5" in shown and "learn  delay at 8" in shown
    assert (
        "not asked: action_space_size, diameter, irrelevant_features, observation.irrelevant: other spaces"
        in shown
    )
    assert "  into runs/dqn-toy-discrete-" in shown
    assert "train toy/discrete, evaluate toy/discrete+delay=1" in works(
        "run", "small.yaml", "--agent", "tabular_q", "--dry-run"
    )


def test_a_dry_resume_and_a_dry_verify():
    assert "3 jobs done, 0 to do, 0 failed" in works("resume", "runs/first", "--dry-run")
    left = json.loads(works("resume", "runs/first", "--dry-run", "--json"))
    assert left == {"waiting": 0, "running": 0, "abandoned": 0, "failed": 0, "done": 3, "left": 0}
    assert "3 jobs would be checked by digest, 1 of them done again" in works(
        "verify", "runs/first", "--dry-run", "--sample", 1
    )
    found = json.loads(works("verify", "runs/first", "--dry-run", "--json"))
    assert found == {"checked": 3, "done_again": 2}


def test_a_tiny_exam_says_what_it_found_and_leaves_its_report(folder):
    said = (folder / "said.txt").read_text()
    assert "verbs_mine:act on gym/CartPole-v1: score 500" in said
    assert "one given agent: this speaks of it alone" in said and "action.sticky" in said
    assert "report  runs/first/report.html" in said
    for name in ("report.html", "report.md", "report.csv", "report.json", "run.json", "ledger.sqlite"):
        assert (folder / "runs" / "first" / name).stat().st_size > 0, name
    assert not list((folder / "runs").rglob("*.part"))


def test_the_same_exam_again_does_nothing_anew(folder):
    words = ("verbs_mine:act", CARTPOLE, "--axes", "action.sticky", "--episodes", 5, "--out", "runs/first")
    with open_run("runs/first") as opened:
        before = opened.attempts()
    assert examine(*words).exit_code == 0
    with open_run("runs/first") as opened:
        assert opened.attempts() == before
    # Something else in its place is refused, and nothing of it moves.
    other = examine(*words[:-3], 6, *words[-2:])
    assert "runs/first holds another run: examine was asked otherwise; give another folder." in one_sentence(
        other
    )


def test_report_writes_its_files_where_they_are_wanted(tmp_path):
    shown = works(
        "report", "runs/first", "--format", "md,csv", "--to", tmp_path / "to", "--records", tmp_path / "all"
    )
    assert "verbs_mine:act on gym/CartPole-v1" in shown
    assert sorted(path.name for path in (tmp_path / "to").iterdir()) == ["report.csv", "report.md"]
    assert (tmp_path / "all" / "episode.csv").read_text().count("\n") > 30
    found = json.loads(works("report", "runs/first", "--json", "--to", tmp_path))
    assert found["agent"] == "verbs_mine:act" and found["unit"] == "episode"


def test_resume_of_a_finished_run_says_it_again(folder):
    assert "verbs_mine:act on gym/CartPole-v1: score 500" in works("resume", "runs/first", "--workers", 1)


def test_power_speaks_of_every_level():
    shown = works("power", "runs/first", "--effect", 0.1)
    assert "5 episodes see" in shown and "episodes to see 10%" in shown
    found = json.loads(works("power", "runs/first", "--json"))
    assert [each["level"] for each in found["levels"]] == ["0.1", "0.25", "0.5"] and found["had"] == 5


def test_who_plays_like_chance_leaves_nothing_to_plan_by():
    assert (
        examine(
            "random", CARTPOLE, "--axes", "action.sticky", "--episodes", 3, "--out", "runs/chance"
        ).exit_code
        == 0
    )
    assert "nothing to plan by" in one_sentence(run("power", "runs/chance"))


def test_a_run_beside_itself_differs_nowhere():
    assert "0 of 3 levels differ" in works("compare", "runs/first", "runs/first", "--all")
    found = json.loads(works("compare", "runs/first", "runs/first", "--json"))
    assert found["paired"] and not any(each["real"] for each in found["differences"])


def test_verify_does_jobs_again_with_the_same_bits():
    assert "3 finished jobs: every digest holds; 3 of 3 done again with the same bits" in works(
        "verify", "runs/first", "--all"
    )
    found = json.loads(works("verify", "runs/first", "--json"))
    assert found == {
        "checked": 3, "done_again": 2, "same": 2, "not_done_again_because": "", "findings": [], "holds": True,
    }  # fmt: skip


def tamper(copy, with_digest):
    """Adds a point to one episode; perhaps with the digest of docs/records.md, computed here by its words."""
    ledger = sqlite3.connect(copy / "ledger.sqlite")
    (job,) = ledger.execute("SELECT job FROM episode WHERE axis = 'action.sticky' LIMIT 1").fetchone()
    ledger.execute(
        "UPDATE episode SET score = score - 1 WHERE job = ? AND episode = 2 AND level = '0.25'", (job,)
    )
    if with_digest:
        digest = hashlib.blake2b(job.encode(), digest_size=16)
        for row in ledger.execute("SELECT * FROM episode WHERE job = ? ORDER BY rowid", (job,)):
            digest.update(b"\n" + json.dumps(row, separators=(",", ":"), ensure_ascii=True).encode())
        ledger.execute("UPDATE job SET digest = ? WHERE id = ?", (f"{digest.hexdigest()}-none-none", job))
    ledger.commit()
    ledger.close()
    return job


def test_a_tampered_episode_is_found_by_its_digest(copy):
    job = tamper(copy, with_digest=False)
    done = run("verify", copy, "--sample", 0)
    assert done.exit_code == 1
    assert f"the episodes of job {job} are not the ones that were written." in done.stdout


def test_an_episode_tampered_together_with_its_digest_is_found_by_doing_it_again(copy):
    job = tamper(copy, with_digest=True)
    assert "every digest holds" in works("verify", copy, "--sample", 0)  # so the digest was rightly computed
    done = run("verify", copy, "--all")
    assert (
        done.exit_code == 1 and f"the episodes of job {job} (verbs_mine:act on gym/CartPole-v1" in done.stdout
    )
    found = json.loads(run("verify", copy, "--all", "--json").stdout)
    assert found["same"] == 2 and len(found["findings"]) == 1 and not found["holds"]


FAILING = {
    "raises": "verbs_mine:raises raised KeyError at line 10 of verbs_mine.py: 'nothing', at step 0",
    "not_a_number": "verbs_mine:not_a_number returned nan at step 0 of episode 0, and gym/CartPole",
    "wrong_shape": "verbs_mine:wrong_shape returned array([0., 0., 0.]) at step 0 of episode 0",
}


@pytest.mark.parametrize("name, says", FAILING.items())
def test_an_agent_that_fails_is_one_sentence(folder, name, says):
    earlier = contents(folder / "runs" / "first")
    out = f"runs/{name}"
    done = examine(f"verbs_mine:{name}", CARTPOLE, "--axes", "action.sticky", "--episodes", 2, "--out", out)
    assert one_sentence(done).startswith(says)
    assert contents(folder / "runs" / "first") == earlier and not list(folder.rglob("*.part"))
    with open_run(out) as opened:
        assert opened.verify().holds and len(opened.progress().done) == 1  # random play
    # What failed stays failed until it is asked for once more.
    assert "1 jobs done, 0 to do, 2 failed" in works("resume", out, "--dry-run")
    assert "1 jobs done, 2 to do" in works("resume", out, "--dry-run", "--failed")
    assert says in one_sentence(run("resume", out, "--failed", "--workers", 1))


def test_an_agent_that_fails_under_one_axis_keeps_the_rest(folder):
    words = ("--axes", "action.sticky,observation.dropout", "--episodes", 2, "--out", "runs/dark")
    done = examine("verbs_mine:afraid_of_the_dark", CARTPOLE, *words)
    assert one_sentence(done).endswith("; what was finished is kept.") and "it is dark" in done.stderr
    assert "action.sticky" in done.stdout  # what can be said is said
    with open_run("runs/dark") as opened:
        progress = opened.progress()
        assert (len(progress.done), len(progress.failed)) == (3, 1) and opened.verify().holds


def test_in_workers_too_an_agent_that_fails_is_one_sentence(folder):
    words = f"examine verbs_mine:raises {CARTPOLE} --axes action.sticky --workers 2 --out runs/spawned"
    command = [sys.executable, "-m", "assay.cli.main", *words.split()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith(
        "assay: verbs_mine:raises raised KeyError at line 10 of verbs_mine.py"
    )
    assert not list(folder.rglob("*.part"))


BAD = {
    "a module that does not import": (
        f"examine verbs_broken:act {CARTPOLE}",
        "importing verbs_broken raised ModuleNotFoundError at line 1 of verbs_broken.py",
    ),
    "a module that is not there": (
        f"examine verbs_nowhere:act {CARTPOLE}",
        "there is no module 'verbs_nowhere'",
    ),
    "a name that is not in the module": (f"examine verbs_mine:atc {CARTPOLE}", "has no 'atc'"),
    "a checkpoint that is not there": (f"examine sb3:none.zip {CARTPOLE}", "none.zip"),
    "an unknown agent": ("examine dqnn toy/discrete", "did you mean 'dqn'?"),
    "an unknown suite": ("run playground/dely --agent dqn", "did you mean 'playground/delay'"),
    "a suite that is not there": ("run none.yaml --agent dqn", "none.yaml cannot be read"),
    "an unknown setting": ("train dqn toy/discrete --set learning_rat=1", "did you mean 'learning_rate'"),
    "a setting without a value": ("train dqn toy/discrete --set batch", "--set takes name=value"),
    "a setting twice": (
        "train dqn toy/discrete --set batch=1 --set batch=2",
        "batch is set twice; set it once.",
    ),
    "steps twice": ("train dqn toy/discrete --steps 5 --set steps=6", "steps is set twice"),
    "an axis twice": ("sweep dqn toy/discrete --axis delay=1 --axis delay=2", "put its levels together"),
    "no range": ("sweep dqn toy/discrete --axis delay=4:0:1", "delay=4:0:1 is no range"),
    "unknown levels": ("examine dqn toy/discrete --levels some", "--levels is strongest or all, not 'some'."),
    "a margin in percent": ("examine dqn toy/discrete --margin 10", "--margin is a share from 0 to 1"),
    "an agent of ours on a hosted task": (f"examine dqn {CARTPOLE}", "dqn trains on native tasks"),
    "no folder": ("report runs/none", "runs/none; give the folder of a run."),
    "a folder that is no run": ("report .", "is not a run: it has no run.json; give the folder of a run."),
    "a file": ("verify small.yaml", "small.yaml; give the folder of a run."),
    "an unknown format": ("report runs/first --format pdf", "--format takes html, md, csv, json, not 'pdf'."),
    "no format": ("report runs/first --format ,", "--format takes html"),
    "an unknown axis of a run": (
        "power runs/first --axis delay",
        "runs/first has no axis 'delay'; it has action.sticky.",
    ),
    "no effect": ("power runs/first --effect 0", "--effect is a share"),
    "a sure thing": ("power runs/first --chance 1", "--chance is between 0 and 1"),
}


@pytest.mark.parametrize("words, says", BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence_and_nothing_moves(folder, words, says):
    before = contents(folder / "runs")
    done = run(*words.split())
    assert says in one_sentence(done)
    assert done.stdout == "" and done.stderr.count("\n") == 1
    assert contents(folder / "runs") == before


OPENING = ("report", "resume", "verify", "power", "compare runs/first")


def all_refuse(place, says):
    """Every verb that opens a run says so, and leaves what is there as it is."""
    before = contents(place)
    for verb in OPENING:
        assert says in one_sentence(run(*verb.split(), place)), verb
    assert contents(place) == before


def test_an_unreadable_plan(copy):
    (copy / "run.json").write_text('{"schema": 1, ')
    all_refuse(copy, "is torn: it is no JSON; restore it from a copy.")


@pytest.mark.parametrize(
    "document", [{"schema": 1}, {"schema": 1, "plan": [], "command": [], "versions": {}}], ids=str
)
def test_a_plan_that_says_nothing(copy, document):
    (copy / "run.json").write_text(json.dumps(document))
    all_refuse(copy, "is torn: it holds no plan; restore it from a copy.")


def test_a_run_of_another_schema(copy):
    plan = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps(plan | {"schema": 2}))
    all_refuse(copy, "is a run of schema 2, and this assay reads schema 1")


@pytest.mark.parametrize("place", [0, 5000], ids=["its head", "its middle"])
def test_a_torn_ledger(copy, place):
    with open(copy / "ledger.sqlite", "r+b") as file:
        file.seek(place)
        file.write(b"\xff" * 3000)
    all_refuse(copy, "is torn: ledger.sqlite is no whole SQLite file; restore it from a copy, or run anew.")


def test_no_ledger(copy):
    (copy / "ledger.sqlite").unlink()
    all_refuse(copy, "has no ledger.sqlite, which holds the records; restore it from a copy.")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(copy):
    (copy / "ledger.sqlite").chmod(0)
    assert "cannot be opened" in one_sentence(run("report", copy))


def test_a_half_written_part_of_a_dead_worker_is_swept(copy):
    (copy / "parts" / f"{'0' * 32}.parquet.gone.part").write_bytes(b"PAR1 half of")
    (copy / "weights" / f"{'0' * 32}.npz.gone.part").write_bytes(b"PK half of")
    assert "every digest holds" in works("verify", copy, "--sample", 0)
    assert not list(copy.rglob("*.part"))


def test_a_run_with_nothing_done(tmp_path):
    with open_run("runs/first") as opened:
        plan = opened.plan["plan"]
    create(tmp_path / "empty", plan, ["assay", "examine"]).close()
    for verb in ("report", "power", "compare runs/first"):
        assert "no job of the plain task is done" in one_sentence(run(*verb.split(), tmp_path / "empty"))
    assert "0 finished jobs: every digest holds" in works("verify", tmp_path / "empty")


def test_records_that_no_command_planned_are_checked_and_not_reported(tmp_path):
    # As docs/records.md writes them, by the library alone.
    create(tmp_path / "own", {"suite": "none"}).close()
    assert "every digest holds" in works("verify", tmp_path / "own")
    for verb in ("report", "resume", "resume --dry-run", "power", "compare runs/first"):
        assert "own" in one_sentence(run(*verb.split(), tmp_path / "own")), verb


def test_a_run_of_other_code_is_read_and_not_resumed(copy):
    ledger = sqlite3.connect(copy / "ledger.sqlite")
    ledger.execute("UPDATE job SET source_digest = 'yesterday'")
    ledger.commit()
    ledger.close()
    assert "verbs_mine:act on gym/CartPole-v1" in works("report", copy)
    for words in (["resume", copy], ["resume", copy, "--dry-run"]):
        assert "was made by other code" in one_sentence(run(*words))
    assert "cannot be done again here: it was made by other code" in one_sentence(
        run("verify", copy, "--all")
    )
