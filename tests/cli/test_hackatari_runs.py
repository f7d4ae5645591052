"""`assay run hackatari/*` from the command line, and what it refuses."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from calling import one_sentence, run, works

from assay.catalogue import suite
from assay.plans.make_plan import suite_plan

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(("words", "says"), [
    (("hackatari/pongg", "--agent", "random"), "did you mean 'hackatari/pong'"),
    (("hackatari/pong", "--agent", "tabular_q"), "so these must be numbered states (Discrete)"),
    (("hackatari/pong", "--agent", "nowhere:act"), "there is no module 'nowhere'"),
    (("hackatari/paper-32", "--agent", "random", "--with", "difficulty=3"), "atari/Asterix: difficulty"),
])  # fmt: skip
def test_what_cannot_be_run_is_refused_in_one_sentence(words, says):
    assert says in one_sentence(run("run", *words, "--dry-run"))


def test_every_task_takes_settings_of_the_agent_s_observation():
    """The kept random play is of the same games, so it does not go by what an agent sees."""
    play = "run", "hackatari/pong", "--agent", "random"
    words = *play, "--with", "observation=objects", "--dry-run", "--json"
    plan = json.loads(works(*words))["plan"]
    tasks = {pair[side] for pair in plan["suite"]["pairs"] for side in ("train", "evaluate")}
    assert all("observation=objects" in task for task in tasks)
    plain = json.loads(works(*words[:4], "--dry-run", "--json"))["plan"]
    assert list(plan["suite"]["random_play"].values()) == list(plain["suite"]["random_play"].values())
    assert "observation=objects" in plan["suite"]["asks"]
    assert "not 'objets'" in one_sentence(run(*words[:5], "observation=objets", "--dry-run"))


@pytest.mark.slow
def test_random_play_from_end_to_end(tmp_path):
    words = "run", "hackatari/pong", "--agent", "random", "--episodes", 1, "--out", tmp_path / "run"
    assert "undefined: random play" in works(*words)
    told = json.loads((tmp_path / "run" / "report.json").read_text())["hackatari"]
    assert [task["label"] for task in told["tasks"]] == ["Pong original", "Pong lazy_enemy"]
    assert told["random"]["outdated"] == [] and told["tasks"][0]["random_episodes"] >= 30
    for name in ("report.html", "report.md"):
        assert "undefined: random play" in (tmp_path / "run" / name).read_text()


@pytest.mark.slow
def test_the_controls_of_boxing_leave_a_scripted_boxer_alone(tmp_path, monkeypatch):
    """The protocol of `hackatari/controls`, with the pairs of Boxing alone: a boxer plays no other game."""
    from assay.analysis.experiment import find_experiment
    from assay.conduct.phases import conduct, open_or_create

    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv("PYTHONPATH", f"{EXAMPLES}:{':'.join(sys.path)}")
    controls = suite("hackatari/controls")
    boxing = replace(controls, pairs=tuple(pair for pair in controls.pairs if pair.axis == "Boxing"))
    plan = suite_plan(boxing, "boxing_by_eye:Boxer")
    with open_or_create(plan, tmp_path / "run", ["assay"], tmp_path) as folder:
        assert not conduct(folder)
        found = find_experiment(folder).hackatari
    changes = [task.change for task in found.tasks if task.direction]
    assert len(changes) == 2
    for change in changes:
        assert change.low <= 0 <= change.high and change.high - change.low <= 0.3
