"""Plans as records: every kind comes back from JSON as it was, and what is no plan is one sentence."""

import json
from dataclasses import FrozenInstanceError, replace

import pytest
from typer.testing import CliRunner

from assay.catalogue import suite
from assay.cli.main import app
from assay.errors import AssayError
from assay.plans import defaults
from assay.plans.make_plan import design_plan, exam_plan, suite_plan, sweep_plan, train_plan
from assay.plans.plan import (
    VERSION,
    ExamPlan,
    PairsPlan,
    TrainPlan,
    Weights,
    exam_plan_of,
    is_planned,
    plan_from_json,
    plan_of,
    plan_to_json,
    request_of,
)
from assay.results import create
from assay.suites.suite import Pair, Suite

TOY, RANGED, RUN = "toy/discrete", "gym/FrozenLake-v1", "platformer/run"


def of_trained_before():
    plan = exam_plan("tabular_q", TOY, only=["action.sticky"], seeds=1)
    return replace(plan, weights={"0": Weights("/runs/trained", "0" * 32, "1" * 32)})


def with_measures():
    pairs = (Pair(RUN, f"{RUN}+physics.move_speed=2", "speed 1", "speed"),)
    return suite_plan(Suite("fast", 1, "is it fast?", pairs, (0,), 2, blind=("score",)), "random")


PLANS = {  # of every command, and of everything that a plan may hold
    "train": (lambda: train_plan("tabular_q", TOY), TrainPlan),
    "examine": (lambda: exam_plan("tabular_q", TOY, retrain=True), ExamPlan),
    "examine, a declared range": (lambda: exam_plan("random", RANGED), ExamPlan),
    "examine, trained before": (of_trained_before, ExamPlan),
    "sweep": (lambda: sweep_plan("dqn", TOY, {"delay": "1,2", "action.sticky": ""}), ExamPlan),
    "run, a suite": (lambda: suite_plan(suite("playground/delay"), "dqn"), PairsPlan),
    "run, measures and blind policies": (with_measures, PairsPlan),
    "run, a design": (
        lambda: design_plan("dqn", TOY, {"delay": "0,4", "agent.hidden": "[8],[16,16]"}, "grid", None),
        PairsPlan,
    ),
}


def read(document):
    return plan_from_json(json.loads(json.dumps(document)), "runs/mine")


@pytest.mark.parametrize("make, record", PLANS.values(), ids=PLANS)
def test_every_kind_comes_back_as_it_was(make, record, tmp_path):
    plan = make()
    assert type(plan) is record and read(plan_to_json(plan)) == plan == make()
    with create(tmp_path / "run", plan_to_json(plan)) as run:
        assert run.plan["version"] == VERSION and is_planned(run.plan)
        assert plan_of(run) == plan


def test_the_samples_hold_all_that_a_plan_may():
    """What stands at its default everywhere would come back by being left out."""
    assert of_trained_before().weights and exam_plan("random", RANGED).score_range
    pairs = with_measures().suite
    assert pairs.blind and pairs.measures and pairs.pairs[0].changes and pairs.pairs[0].axis == "speed"
    designed = PLANS["run, a design"][0]().suite.pairs
    assert designed[3].point == {"delay": 4, "agent.hidden": [16, 16]} and designed[3].settings


def test_a_plan_is_not_changed_once_it_is_made():
    with pytest.raises(FrozenInstanceError):
        train_plan("tabular_q", TOY).episodes = 3


def small():
    return plan_to_json(exam_plan("tabular_q", TOY, only=["action.sticky"]))


def refused(document):
    with pytest.raises(AssayError) as why:
        read(document)
    assert "\n" not in str(why.value) and str(why.value).endswith(".")
    return str(why.value)


@pytest.mark.parametrize("changes, wrong", [
    ({"retrains": True}, "its plan has 'retrains', which is no field of ExamPlan"),
    ({"task": None}, "task of its plan is None, not a text"),
    ({"seeds": 10}, "seeds of its plan is 10, not a list"),
    ({"seeds": [0, "1"]}, "item 1 of seeds of its plan is '1', not a whole number"),
    ({"margin": "0.1"}, "margin of its plan is '0.1', not a number"),
    ({"trains": 1}, "trains of its plan is 1, not true or false"),
    ({"score_range": [0.0, 1.0, False]},
     "score_range of its plan is [0.0, 1.0, False], not an object with the fields of ScoreRange"),
    ({"kind": "train"}, "its plan has 'questions', which is no field of TrainPlan"),
])  # fmt: skip
def test_a_plan_that_is_not_whole_says_where(changes, wrong):
    says = refused(small() | changes)
    assert says == f"the run.json of runs/mine is not whole: {wrong}; restore it from a copy, or run anew."


def test_a_missing_field_is_named():
    document = small()
    del document["margin"]
    assert "runs/mine is not whole: its plan has no margin; restore" in refused(document)


def test_a_plan_of_another_version_says_whose_it_is():
    document = small()
    assert refused(document | {"version": 7}) == (
        "runs/mine was planned by an assay whose plans are of version 7, and this one reads version 1; "
        "run it anew."
    )
    del document["version"]
    assert refused(document) == (
        "runs/mine was planned by an older assay, and this one reads version 1; run it anew."
    )


@pytest.mark.parametrize("document", [{}, {"suite": "none"}, {"kind": "guess", "version": 1}, {"kind": None}])
def test_a_plan_of_no_kind_is_of_no_command(document):
    assert not is_planned(document)
    assert "runs/mine has no plan that a command of assay made; `assay verify` checks its records" in refused(
        document
    )


def test_what_is_no_exam_is_refused_where_one_is_needed(tmp_path):
    says = r"is a run of `assay train`, not an exam; `assay examine` makes one\.$"
    plan = plan_to_json(train_plan("tabular_q", TOY))
    with create(tmp_path / "run", plan) as run, pytest.raises(AssayError, match=says):
        exam_plan_of(run)


def test_a_certificate_that_is_renewed_makes_no_other_plan():
    plan = exam_plan("tabular_q", TOY, only=["action.sticky", "delay"])
    proved = replace(
        plan,
        proofs={"mine:dark": "proved here"},
        questions=tuple(replace(each, proof="proved by a shipped certificate") for each in plan.questions),
    )
    assert proved != plan and request_of(proved) == request_of(plan)
    assert request_of(replace(proved, margin=0.2)) != request_of(plan)  # all else stays


def test_of_plans_without_questions_proofs_are_left_out_too():
    plan = suite_plan(suite("playground/delay"), "dqn")
    assert request_of(replace(plan, proofs={"mine:dark": "proved here"})) == request_of(plan)


def test_a_variation_that_assay_learns_later_makes_no_other_plan():
    plan = exam_plan("tabular_q", TOY, only=["delay"])
    assert "action.sticky" in plan.companions and "mdp_seed" not in plan.companions
    assert request_of(replace(plan, companions=(*plan.companions, "action.later"))) == request_of(plan)


def test_the_tasks_and_the_name_of_a_plan():
    assert train_plan("tabular_q", TOY).tasks == (TOY,) == exam_plan("tabular_q", TOY).tasks
    assert train_plan("tabular_q", TOY).name == TOY
    plan = suite_plan(Suite("own", 1, "", (Pair(TOY, f"{TOY}+delay=1"),), (0,), 2), "dqn")
    assert (plan.tasks, plan.name) == ((TOY, f"{TOY}+delay=1"), "own")


def test_the_levels_of_an_exam_are_counted_over_its_axes():
    plan = exam_plan("tabular_q", TOY, only=["action.sticky", "delay"])
    assert plan.columns == 3 + 1  # of the reward axis only the strongest


def help_of(command):
    """What `--help` says, on one line, without the frame around it."""
    told = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert told.exit_code == 0
    return " ".join(told.stdout.replace("│", " ").split())


@pytest.mark.parametrize("command", ["examine", "sweep"])
def test_the_command_line_shows_the_defaults_that_plans_have(command):
    shown = help_of(command)
    assert f"from plain to random play. [default: {defaults.MARGIN}]" in shown
    assert f"How many agents are trained, one per seed. [default: ({defaults.SEEDS})]" in shown
    assert f"[default: ({defaults.EPISODES}; for a given agent" in shown
    assert f"at least {defaults.EPISODES_ALONE})]" in shown
    assert f"[default: ({defaults.MAX_STEPS} where an env has no limit)]" in shown


def test_a_plan_has_the_defaults_where_nothing_is_said():
    plan = exam_plan("tabular_q", TOY)
    assert (plan.margin, len(plan.seeds), plan.episodes) == (
        defaults.MARGIN, defaults.SEEDS, defaults.EPISODES,
    )  # fmt: skip
    assert max(len(each.levels) for each in exam_plan("random", TOY).questions) <= defaults.MOST_LEVELS
    assert f"[default: {defaults.LEVELS}]" in help_of("examine")
    assert exam_plan("random", TOY).episodes >= defaults.EPISODES_ALONE
