"""What goes wrong with the verbs: agents that fail, bad words, and folders that are not what they were."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from calling import CARTPOLE, contents, examine, one_sentence, run, works

from assay.results import create, open_run

pytestmark = pytest.mark.usefixtures("here")

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
    assert "1 job done, 0 to do, 2 failed" in works("resume", out, "--dry-run")
    assert "1 job done, 2 to do" in works("resume", out, "--dry-run", "--failed")
    assert says in one_sentence(run("resume", out, "--failed", "--workers", 1))


@pytest.mark.parametrize("name, says", [
    ("train_badly", "verbs_mine:train_badly raised RuntimeError at line 32 of verbs_mine.py: nan loss"),
    ("train_nothing", "training by verbs_mine:train_nothing returned nothing;"),
])  # fmt: skip
def test_a_training_that_always_fails_says_why_wherever_the_run_is_told_of(name, says):
    out = f"runs/{name}"
    words = ("--axes", "action.sticky", "--episodes", 2, "--seeds", 2, "--steps", 10, "--out", out)
    assert one_sentence(examine(f"verbs_mine:{name}", CARTPOLE, *words)).startswith(says)
    for again in (("resume", out), ("resume", out, "--failed", "--workers", 1), ("report", out)):
        assert one_sentence(run(*again)).startswith(says), again
    assert "every digest holds" in works("verify", out, "--sample", 0)


def test_an_agent_that_fails_under_one_axis_keeps_the_rest(folder):
    words = ("--axes", "action.sticky,observation.dropout", "--episodes", 2, "--out", "runs/dark")
    done = examine("verbs_mine:afraid_of_the_dark", CARTPOLE, *words)
    kept = "; finished jobs are kept, and `assay resume runs/dark --failed` tries that one again."
    assert one_sentence(done).endswith(kept) and "it is dark" in done.stderr
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
    "no range": ("sweep dqn toy/discrete --axis delay=4:0:1", "delay=4:0:1 is not a range"),
    "levels for an exam": (
        "examine dqn toy/discrete --axes action.delay=2,4",
        "take `assay sweep AGENT toy/discrete --axis action.delay=2,4`.",
    ),
    "unknown levels": ("examine dqn toy/discrete --levels some", "--levels is strongest or all, not 'some'."),
    "a margin in percent": (
        "examine dqn toy/discrete --margin 10",
        "--margin is a share of at least 0 and below 1",
    ),
    "an agent of ours on a hosted task": (f"examine blind {CARTPOLE}", "blind trains only on native"),
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
    (copy / "run.json").write_text('{"schema": 2, ')
    all_refuse(copy, "is torn: it is no JSON; restore it from a copy.")


@pytest.mark.parametrize(
    "document", [{"schema": 3}, {"schema": 3, "plan": [], "command": [], "versions": {}}], ids=str
)
def test_a_plan_that_says_nothing(copy, document):
    (copy / "run.json").write_text(json.dumps(document))
    all_refuse(copy, "is torn: it holds no plan; restore it from a copy.")


def test_a_run_of_another_schema(copy):
    plan = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps(plan | {"schema": 1}))
    all_refuse(copy, "is a run of schema 1, and this assay reads schema 3; read it with the version of assay")


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
    works("report", copy)
    assert not list(copy.rglob("*.part"))


def test_a_run_with_nothing_done(tmp_path):
    with open_run("runs/first") as opened:
        plan = opened.plan
    create(tmp_path / "empty", plan, ["assay", "examine"]).close()
    for verb in ("report", "power", "compare runs/first"):
        assert "no job of the plain task is done" in one_sentence(run(*verb.split(), tmp_path / "empty"))
    for words in ((), ("--digests-only",)):
        done = run("verify", tmp_path / "empty", *words)
        assert done.exit_code == 2 and "has no finished job, so there is nothing to verify" in done.stdout
    told = run("verify", tmp_path / "empty").stdout
    assert f"no job has begun; `assay resume {tmp_path / 'empty'}` does all of them." in told
    assert json.loads(run("verify", tmp_path / "empty", "--json").stdout)["holds"] is False


def test_records_that_no_command_planned_are_checked_and_not_reported(tmp_path):
    # As docs/records.md writes them, by the library alone.
    create(tmp_path / "own", {"suite": "none"}).close()
    assert "nothing to verify" in run("verify", tmp_path / "own").stdout
    for verb in ("report", "resume", "resume --dry-run", "power", "compare runs/first"):
        assert "own" in one_sentence(run(*verb.split(), tmp_path / "own")), verb


def test_a_run_of_other_code_is_read_and_not_resumed(copy, monkeypatch):
    for module in ("assay.conduct.records", "assay.runs.repeat"):
        monkeypatch.setattr(f"{module}.digest_of_source", lambda plan: "tomorrow")
    assert "verbs_mine:act on gym/CartPole-v1" in works("report", copy)
    for words in (["resume", copy], ["resume", copy, "--dry-run"]):
        assert "was made by other code" in one_sentence(run(*words))
    done = run("verify", copy, "--all")
    assert done.exit_code == 2 and "not done again: it was made by other code" in done.stdout
    assert "every digest holds" in works("verify", copy, "--digests-only")


@pytest.mark.parametrize(
    "words, says",
    [
        (("train", "dqn", "toy/discrete", "--seeds", "abc"), "invalid value for '--seeds': "),
        (("train", "dqn"), "missing argument 'task'; `assay train --help` shows what it takes."),
        (("train", "dqn", "toy/discrete", "--sedes", 3), "no such option: --sedes"),
        (("trian", "dqn"), "no such command 'trian'"),
        (("--nonsense",), "no such option: --nonsense; `assay --help` shows what it takes."),
    ],
)
def test_words_that_cannot_be_parsed_are_refused_in_one_sentence(words, says):
    done = run(*words)
    assert one_sentence(done).lower().startswith(says.lower())
    assert done.stderr.count("\n") == 1 and not done.stdout


def test_a_dry_run_refuses_an_executor_that_cannot_be(here):
    pytest.importorskip("ray")
    done = run("train", "tabular_q", "toy/discrete", "--ray", "nonsense", "--dry-run")
    assert one_sentence(done) == "--ray takes local or the HOST:PORT of a cluster, not 'nonsense'."


def test_a_dry_run_refuses_a_time_that_no_job_has(here):
    done = run("train", "tabular_q", "toy/discrete", "--job-timeout", "-1", "--dry-run")
    assert one_sentence(done) == "--job-timeout takes seconds above 0, not -1."


def test_what_an_agent_prints_is_not_among_the_results(here):
    words = ("--axes", "action.sticky", "--episodes", 2, "--out", "runs/talks", "--json")
    done = examine("verbs_mine:talks", CARTPOLE, *words)
    assert done.exit_code == 0 and json.loads(done.stdout)["agent"] == "verbs_mine:talks"
    assert "an agent speaks" in done.stderr


def test_a_damaged_transcript_names_the_command_that_mends_it(here):
    words = ("--axes", "action.sticky", "--episodes", 2, "--out", "runs/steps", "--transcripts")
    assert examine("random", CARTPOLE, *words).exit_code == 0
    [part, *_] = sorted(Path("runs/steps").glob("transcripts/*.parquet"))
    part.write_bytes(b"torn")
    said = one_sentence(run("report", "runs/steps"))
    assert "`assay resume " in said and said.endswith("runs/steps` does the job again.")
    works("resume", "runs/steps", "--workers", 1)
    works("report", "runs/steps")
