"""`assay run` on an experiment file of MDP Playground, and on suites with and without their own agent."""

import json

import pytest
from calling import SUITE, one_sentence, run, works

EXPERIMENT = """
var_configs = {"env": {"delay": [0, 1], "dummy_seed": [0, 1]}}
env_config = {"env": "RLToy-v0", "env_config": {"seed": 0, "state_space_type": "discrete"}}
algorithm = "q_learn_tabular_mine"
agent_config = {"alpha": 0.5, "temperature": 2.0}
timesteps_total = 2000
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(EXPERIMENT)
    (tmp_path / "small.yaml").write_text(SUITE)
    return tmp_path


def test_an_experiment_file_is_run_with_its_own_agent():
    told = works("run", "mine.py", "--dry-run")
    assert "4 jobs: 4 agents to train, 8,000 env steps" in told
    assert "train toy/discrete+mdp_seed=0+delay=1, evaluate toy/discrete+mdp_seed=0+delay=1" in told
    document = json.loads(works("run", "mine.py", "--dry-run", "--json"))
    assert "tabular_q" in json.dumps(document)


def test_what_nothing_stands_for_is_told_beside_the_results():
    done = run("run", "mine.py", "--dry-run")
    assert "temperature of mine.py is left out: no counterpart here" in done.stderr
    assert "temperature" not in done.stdout


def test_its_settings_are_of_its_agent_alone():
    assert "gives settings of tabular_q" in one_sentence(run("run", "mine.py", "--agent", "dqn", "--dry-run"))


def test_a_suite_for_any_agent_asks_for_one():
    told = one_sentence(run("run", "small.yaml", "--dry-run"))
    assert told == "small is for any agent; add one, such as --agent dqn."


def test_a_file_that_is_no_experiment_is_refused(folder):
    (folder / "mine.py").write_text("while True:\n    pass\n")
    assert "line 1 of mine.py is not read" in one_sentence(run("run", "mine.py", "--dry-run"))
