"""Suites are played by the agents that an earlier run trained, with their seeds and weights."""

import pytest

from assay.cli.execution import print_plan
from assay.conduct.phases import conduct, open_or_create
from assay.errors import AssayError
from assay.plans.job_plan import job_plan
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import train_plan
from assay.plans.of_trained import suite_of_trained
from assay.results import open_run
from assay.runs.local import Local
from assay.suites.suite import Pair, Suite

HOME = "toy/discrete"
SEEDS = (4, 5)
NOISY = Suite("noisy", 1, "", (Pair(HOME, HOME), Pair(HOME, f"{HOME}+transition_noise=0.5")), (0, 7), 2)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "trained"
    plan = train_plan("tabular_q", HOME, seeds=2, first_seed=SEEDS[0], episodes=2, settings={"steps": 1000})
    with open_or_create(plan, folder, ["assay"], folder.parent) as run:
        assert conduct(run, Local(1)) == []
    return str(folder)


def test_a_suite_is_played_by_the_agents_of_a_folder(trained, tmp_path, capsys):
    plan = suite_of_trained(NOISY, trained)
    assert plan.seeds == SEEDS  # theirs, and not those of the suite
    print_plan(plan, False)
    shown = capsys.readouterr().out
    assert "0 agents to train" in shown and f"play {HOME} and {HOME}+transition_noise=0.5" in shown
    with open_or_create(plan, tmp_path / "run", ["assay"], tmp_path) as run:
        assert conduct(run, Local(1)) == []
        again = plain_scores(run)
    with open_run(trained) as first:
        # The same weights in the same episodes: the plain task is played as it was after the training.
        assert again == plain_scores(first) and len(again) == len(SEEDS) * NOISY.episodes


def plain_scores(run):
    """Scores of the agents on the plain task, by world and episode."""
    jobs = {job.id for job in run.jobs(agent="tabular_q")}
    rows = run.episodes(arm="plain").to_pylist()
    return {(row["task"], row["episode"]): row["score"] for row in rows if row["job"] in jobs}


def test_only_agents_of_the_suite_have_the_weights(trained):
    jobs = jobs_of(suite_of_trained(NOISY, trained))
    assert {job.agent for job in jobs if job_plan(job).weights} == {"tabular_q"}


@pytest.mark.parametrize(("suite", "asked", "says"), [
    (Suite("far", 1, "", (Pair("toy/grid", "toy/grid"),), (0,), 2), {},
     f"were trained on {HOME}, and far trains on toy/grid; train them there"),
    (NOISY, {"seeds": 3}, "drop these options"),
    (NOISY, {"settings": {"steps": 5}}, "drop these options"),
])  # fmt: skip
def test_what_the_agents_cannot_play_is_refused(trained, suite, asked, says):
    with pytest.raises(AssayError, match=says):
        suite_of_trained(suite, trained, **asked)
