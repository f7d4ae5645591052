"""The verbs that do work: what they would do, and a tiny exam from end to end."""

import json

import pytest
from calling import CARTPOLE, contents, examine, one_sentence, run, works

from assay.results import open_run

pytestmark = pytest.mark.usefixtures("here")
VERBS = ("train", "run", "examine", "sweep", "resume", "report", "compare", "verify", "power")


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
        "not asked: action_space_size, diameter, irrelevant_features, image_representations, "
        "observation.irrelevant: levels have other spaces" in shown
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
    assert "one given agent: the verdicts are about it alone" in said and "action.sticky" in said
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
    assert "runs/first holds another run of `assay examine`; give another folder." in one_sentence(other)


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
    shown = works("compare", "runs/first", "runs/first", "--all")
    assert (
        "0 of 3 levels differ" in shown and "both folders hold the same run, so nothing can differ" in shown
    )
    found = json.loads(works("compare", "runs/first", "runs/first", "--json"))
    assert found["paired"] and not any(each["real"] for each in found["differences"])


def test_the_report_lists_the_versions_of_what_the_results_stand_on(folder):
    with open_run("runs/first") as opened:
        used = opened.jobs(status="done")[0].versions
    assert used["cloudpickle"]  # which Gymnasium requires
    for name in ("report.md", "report.html"):
        assert f"cloudpickle {used['cloudpickle']}" in (folder / "runs" / "first" / name).read_text()


def test_a_report_that_was_deleted_is_named_and_is_no_finding(copy):
    (copy / "report.csv").unlink()
    told = works("verify", copy, "--sample", 0)
    assert "deleted since they were written: report.csv" in told and "every digest holds" in told
    assert json.loads(works("verify", copy, "--sample", 0, "--json"))["reports_gone"] == ["report.csv"]


def test_a_margin_of_nothing_says_that_no_axis_can_hold():
    words = ("examine", "tabular_q", "toy/discrete", "--axes", "delay", "--steps", 1000, "--dry-run")
    assert '"holds" cannot be reached' in works(*words, "--margin", 0)
    assert "cannot be reached" not in works(*words)


def test_a_folder_that_cannot_be_made_is_named_as_it_was_given():
    done = examine("random", CARTPOLE, "--axes", "action.sticky", "--episodes", 2, "--out", "/proc/foo")
    assert one_sentence(done) == "/proc/foo cannot be used: No such file or directory."
