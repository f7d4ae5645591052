"""What a dry run says of agents that an earlier run trained."""

from dataclasses import replace
from pathlib import Path

from assay.cli.execution import print_plan, say_pair
from assay.conduct.phases import conduct, open_or_create
from assay.plans.make_plan import train_plan
from assay.plans.of_trained import exam_of_trained
from assay.plans.plan import PairPlan
from assay.runs.local import Local

TASK = "toy/discrete"


def test_agents_of_an_earlier_run_are_not_trained_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    plan = train_plan("tabular_q", TASK, seeds=2, episodes=1, settings={"steps": 1000})
    with open_or_create(plan, Path("first"), ["assay"], Path("runs")) as run:
        assert conduct(run, Local(1)) == []
    print_plan(exam_of_trained("first", TASK, only=("action.sticky",), episodes=1), False)
    assert "jobs: 0 agents to train, 0 env steps; " in capsys.readouterr().out


def test_a_dry_run_names_presets_and_what_plays_without_training():
    pair = PairPlan(train="toy/discrete", evaluate="toy/discrete+delay=1", name="Toy 1")
    assert say_pair(pair, True) == "Toy 1: train toy/discrete, evaluate toy/discrete+delay=1"
    assert say_pair(replace(pair, name=""), False) == "play toy/discrete and toy/discrete+delay=1"
    assert say_pair(replace(pair, evaluate=pair.train), False) == "Toy 1: play toy/discrete"
