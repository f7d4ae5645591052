"""What a dry run says of agents that an earlier run trained."""

from pathlib import Path

from assay.cli.execution import print_plan
from assay.conduct.phases import conduct, open_or_create
from assay.plans.make_plan import exam_of_trained, train_plan
from assay.runs.local import Local

TASK = "toy/discrete"


def test_agents_of_an_earlier_run_are_not_trained_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    plan = train_plan("tabular_q", TASK, seeds=2, episodes=1, settings={"steps": 1000})
    with open_or_create(plan, Path("first"), ["assay"], Path("runs")) as run:
        assert conduct(run, Local(1)) == []
    print_plan(exam_of_trained("first", TASK, only=("action.sticky",), episodes=1), False)
    assert "jobs: 0 agents to train, 0 env steps; " in capsys.readouterr().out
