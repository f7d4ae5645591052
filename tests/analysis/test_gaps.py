"""Gaps by measure and axis, as after training and as in KAGE-Bench, by hand from made-up records."""

import csv
import io
import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from assay.analysis.experiment import find_experiment
from assay.analysis.gaps import (
    RETURN,
    describe_policy,
    find_gaps,
    gap_of,
    limits_of_measure,
    limits_of_return,
)
from assay.cli.main import app
from assay.errors import AssayError
from assay.plans.job_plan import JobPlan, Try
from assay.plans.plan import BlindPlan, MeasurePlan, PairPlan, ScoreRange, TaskLimits, plan_to_json
from assay.plans.protocol import known_range
from assay.report.gap_table import describe_gaps, gap_tables
from assay.report.pair_markdown import pair_markdown
from assay.report.pair_page import pair_page
from assay.report.pair_table import csv_rows
from assay.report.pair_text import answer
from assay.results import Curve, Episode, Job, Reference, create
from assay.strict_json import from_json, to_json

from .records import made_run, pairs_plan

TRAIN = "platformer/run"
BRIGHT, HUE, FAST = (f"{TRAIN}+filters.brightness=1.0", f"{TRAIN}+filters.hue_shift=180.0",
                     f"{TRAIN}+physics.move_speed=2")  # fmt: skip
DISTANCE = MeasurePlan("passed_distance", "distance", "share", 1)
SUCCESS = MeasurePlan("success", "success", "share", 3)
PAIRS = (
    PairPlan(train=TRAIN, evaluate=BRIGHT, name="filters 1", axis="filters",
             changes={"filters.brightness": (0.0, 1.0)}),
    PairPlan(train=TRAIN, evaluate=HUE, name="filters 4", axis="filters",
             changes={"filters.hue_shift": (0.0, 180.0)}),
    PairPlan(train=FAST, evaluate=FAST, name="speed 1", axis="speed"),
)  # fmt: skip
BLIND = BlindPlan(
    tuple(PairPlan(train=task, evaluate=task) for task in (TRAIN, TRAIN, FAST)),
    ({"choose": "score", "steps": 9},), ("RIGHT", "RIGHT + JUMP"),
)  # fmt: skip


def plan_of(**more):
    return pairs_plan(*PAIRS, episodes=2, trains=True, asks="does it see?", **more)


PLAN = plan_of(measures=(DISTANCE, SUCCESS), blind=BLIND)
# By seed: distance, success and score where trained, under more light, and with other hues.
FINAL = {0: [(400.0, 1.0, 10.0), (300.0, 0.5, -50.0), (100.0, 0.0, -90.0)],
         1: [(200.0, 0.5, 30.0), (150.0, 0.5, 10.0), (50.0, 0.0, -70.0)]}  # fmt: skip
# Over three evaluations of training, the distance in each of these tasks.
OVER_TRAINING = {0: [(100.0, 450.0, 400.0), (10.0, 20.0, 310.0), (5.0, 120.0, 100.0)],
                 1: [(350.0, 100.0, 200.0), (290.0, 40.0, 150.0), (60.0, 40.0, 50.0)]}  # fmt: skip


def finish(run, pair, seed, tasks, values, agent="dqn", settings=None, curves=(), weights=None):
    """A job whose two episodes in each task lie around its values."""
    rows = tuple(Try("plain" if place == 0 else "pair", "", "", task) for place, task in enumerate(tasks))
    job = Job.planned(
        suite="own", version=1, pair=pair, train_task=tasks[0], eval_task=tasks[-1], agent=agent,
        config=to_json(JobPlan(settings=settings or {}, episodes=2, tries=rows)), seed=seed, budget=500,
        source_digest="0" * 32,
    )  # fmt: skip
    run.add_jobs([job])
    run.claim()
    episodes = [
        Episode(job=job.id, task=tried.task, arm=tried.arm, episode=number, steps=500, return_=score + off,
                score=score + off, terminated=False, truncated=True,
                extra={"passed_distance": distance + 10 * off, "success": success, "jump_count": 3})
        for tried, (distance, success, score) in zip(rows, values)
        for number, off in enumerate((-1.0, 1.0))
    ]  # fmt: skip
    points = [Curve(job=job.id, step=step, name=name, value=value)
              for name, line in dict(curves).items() for step, value in enumerate(line, start=1)]  # fmt: skip
    run.finish(job.id, episodes, points, weights)


def curves_of(seed):
    lines = {}
    for task, line in enumerate(OVER_TRAINING[seed]):
        lines[f"rollout.{task}.passed_distance"] = line
        lines[f"rollout.{task}.success"] = [value / 1000 for value in line]
        lines[f"rollout.{task}.score"] = [-value for value in line]
    return lines


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    with made_run(tmp_path_factory.mktemp("gaps") / "run", PLAN, ["assay", "run", "own.yaml"]) as opened:
        for seed in (0, 1):
            finish(opened, "000", seed, [TRAIN, BRIGHT, HUE], FINAL[seed], curves=curves_of(seed))
            finish(opened, "002", seed, [FAST], [(80.0, 0.0, -1.0)])
            policy = {"period": np.int32(25), "held": np.int32(1 + seed), "hold": np.int32(2),
                      "press": np.int32(6)}  # fmt: skip
            for pair, task, far in (("000", TRAIN, 470.0), ("002", FAST, 480.0 + 10 * seed)):
                finish(opened, pair, seed, [task], [(far, 0.75, -250.0)], "blind", {"choose": "score"},
                       weights=policy)  # fmt: skip
        yield opened


def gap(found, pair, measure):
    [pair] = [each for each in found.pairs if each.label == pair]
    return next(each for each in pair.gaps if each.measure == measure)


def test_after_training_by_hand(run):
    found = find_gaps(run)
    assert (found.way, [each.evaluations for each in found.pairs]) == ("final", [1, 1, 1])
    bright = gap(found, "filters 1", "passed_distance")
    assert (bright.trained.value, bright.evaluated.value) == (300.0, 225.0)
    assert bright.lost.value == pytest.approx(25.0)  # (300 - 225) / 300; both seeds lost a quarter
    assert gap(found, "filters 4", "passed_distance").lost.value == pytest.approx(75.0)
    assert gap(found, "filters 1", "success").lost.value == pytest.approx(100 * (0.75 - 0.5) / 0.75)
    assert gap(found, "filters 4", "success").lost.value == pytest.approx(100.0)
    returns = gap(found, "filters 1", "score")
    assert returns.lost.value == pytest.approx((60 + 20) / 2) and returns.lost.low < 40 < returns.lost.high


def test_the_maximum_over_training_is_taken_for_each_task_by_itself(run):
    found = find_gaps(run, compat="kage")
    assert (found.way, [each.evaluations for each in found.pairs]) == ("kage", [3, 3, 1])
    bright = gap(found, "filters 1", "passed_distance")
    # The largest of each seed: 450 and 350 where trained, 310 and 290 under more light.
    assert (bright.trained.value, bright.evaluated.value) == (400.0, 300.0)
    assert bright.lost.value == pytest.approx(25.0)
    # Two seeds 50 from their mean: sample spread sqrt(5000), over sqrt(2) is 50.
    assert bright.trained.half_width == pytest.approx(50.0)
    assert bright.evaluated.half_width == pytest.approx(10.0)
    assert gap(found, "filters 4", "passed_distance").evaluated.value == 90.0  # 120 and 60
    # Of returns the largest too: -100 and -100 where trained, -10 and -40 under more light.
    assert gap(found, "filters 1", "score").lost.value == pytest.approx(-100 + 25)


def test_the_largest_is_never_below_the_last(run):
    last, largest = find_gaps(run), find_gaps(run, compat="kage")
    for pair in ("filters 1", "filters 4"):
        before, after = (gap(found, pair, "passed_distance") for found in (last, largest))
        assert after.trained.value >= before.trained.value and after.evaluated.value >= before.evaluated.value


def test_no_more_than_all_can_be_lost_of_what_is_never_negative():
    sides = [[{"success": 1.0}, {"success": 0.7}], [{"success": 0.0}, {"success": 0.2}]]
    shares = MeasurePlan("success", "success", "share", 3, (0.0, 1.0))
    cut = gap_of(PLAN, 0, shares, sides, True, "", "")
    assert cut.lost.value == pytest.approx(100 * (0.85 - 0.1) / 0.85) and cut.lost.high == 100.0
    # Without a declared range a value might be below 0, and more than all be lost.
    free = gap_of(PLAN, 0, SUCCESS, sides, True, "", "")
    assert free.lost.high > 100.0 and free.lost.low == cut.lost.low
    # Plus and minus one standard error is no interval, and stays as it is.
    assert gap_of(PLAN, 0, shares, sides, True, "", "kage").lost.high > 100.0


def test_counts_have_no_interval_below_0():
    sides = [[{"errors": 0.0}, {"errors": 9.0}], [{"errors": 3.0}, {"errors": 40.0}]]
    counts = MeasurePlan("errors", "errors", "difference", 1, (0.0, None))
    free = gap_of(PLAN, 0, MeasurePlan("errors", "errors", "difference", 1), sides, True, "", "")
    cut = gap_of(PLAN, 0, counts, sides, True, "", "")
    assert free.trained.low < 0 and free.evaluated.low < 0
    assert cut.trained == free.trained._replace(low=0.0) and cut.evaluated == free.evaluated._replace(low=0.0)
    assert cut.lost == free.lost  # a difference of counts may be below 0
    # Plus and minus one standard error is no interval, and stays as it is.
    assert gap_of(PLAN, 0, counts, sides, True, "", "kage").evaluated.low < 4


def test_an_open_end_of_a_range_goes_through_a_plan():
    assert known_range((0.0, math.inf)) == (0.0, None) and known_range((0.0, 1.0)) == (0.0, 1.0)
    counts = MeasurePlan("errors", "errors", "difference", 1, known_range((0.0, math.inf)))
    document = json.loads(json.dumps(to_json(counts), allow_nan=False))
    assert from_json(MeasurePlan, document, "the measure") == counts


def test_the_interval_of_errors_mirrors_that_of_scores():
    """Errors are counts, and a score of minus the errors is at most the optimum of 0."""
    errors = [[{"errors": 1.0, "score": -1.0}, {"errors": 30.0, "score": -30.0}]] * 2
    counted = gap_of(
        PLAN, 0, MeasurePlan("errors", "errors", "difference", 1, (0.0, None)), errors, False, "", ""
    )
    limits = limits_of_return((np.zeros(2), np.full(2, math.nan)))
    paid = gap_of(PLAN, 0, RETURN, errors, False, "", "", limits)
    assert (paid.trained.low, paid.trained.high) == (-counted.trained.high, -counted.trained.low)
    assert paid.trained.high == 0 and paid.evaluated.high > 0  # the second optimum is not known


def test_errors_are_at_most_as_many_as_the_lowest_score_says():
    errors = [[{"errors": 1.0, "score": -1.0}, {"errors": 60.0, "score": -60.0}]] * 2
    counts = MeasurePlan("errors", "errors", "difference", 1, (0.0, None))
    known = TaskLimits(ScoreRange(-100.0, 0.0, False), 100)
    limits = limits_of_return((np.full(2, math.nan),) * 2, (known, known))
    counted = gap_of(PLAN, 0, counts, errors, True, "", "", limits_of_measure(counts, errors, limits))
    assert (counted.trained.low, counted.trained.high) == (0, 100)
    assert gap_of(PLAN, 0, counts, errors, True, "", "").trained.high > 100
    other = MeasurePlan("steps", "steps", "difference", 1, (0.0, None))
    assert limits_of_measure(other, [[{"steps": 3.0, "score": -1.0}]], limits)[0].high == math.inf


def test_the_return_is_cut_at_the_optimum(run):
    free = gap(find_gaps(run), "filters 1", "score").trained
    run.add_references([Reference(task=TRAIN, kind="optimum", value=31.0, how="by hand")])
    assert free.high > 31 and gap(find_gaps(run), "filters 1", "score").trained == free._replace(high=31.0)


def test_where_both_are_one_task_nothing_is_lost(run):
    assert gap(find_gaps(run), "speed 1", "passed_distance").lost is None


def test_axes_are_means_over_pairs_that_weigh_alike(run):
    axes = {(each.axis, each.measure): each for each in find_gaps(run).axes}
    filters = axes["filters", "passed_distance"]
    assert filters.pairs == 2 and filters.lost.value == pytest.approx((25 + 75) / 2)
    assert filters.lost.half_width == pytest.approx(np.std([25, 75], ddof=1) / math.sqrt(2))
    assert filters.trained.value == 300.0 and filters.evaluated.value == pytest.approx((225 + 75) / 2)
    speed = axes["speed", "passed_distance"]
    assert speed.lost is None and speed.trained.value == 80.0 and math.isinf(speed.trained.high)


def test_the_best_blind_policy_stands_beside_every_pair(run):
    first, second, third = find_gaps(run).pairs
    [blind] = first.blind
    assert first.blind == second.blind  # the looks of a world are nothing to who does not look
    assert blind.by == "score" and blind.seeds == 2
    assert blind.policy == "RIGHT, RIGHT + JUMP every 25 steps (1 of 2 seeds)"
    assert blind.trained["passed_distance"] == blind.evaluated["passed_distance"] == 470.0
    assert third.blind[0].evaluated["passed_distance"] == 485.0


@pytest.mark.parametrize(
    ("period", "held", "says"),
    [(1, 0, "RIGHT held"), (1, 1, "RIGHT + JUMP held"), (9, 1, "RIGHT, RIGHT + JUMP every 9 steps"),
     (25, 4, "RIGHT, RIGHT + JUMP every 25 steps for 4")],
)  # fmt: skip
def test_a_policy_in_words(period, held, says):
    arrays = {"period": np.array(period), "held": np.array(held)}
    assert describe_policy(arrays, ["RIGHT", "RIGHT + JUMP"]) == says


def test_the_tables(run):
    distance, success, returns, axes, blind = gap_tables(find_gaps(run, compat="kage"))
    assert distance.headings == [
        "pair",
        "seeds",
        "trained",
        "evaluated",
        "lost, %",
        "best blind policy, by score",
    ]
    assert distance.rows[0] == ["filters 1", "2", "400.0 ± 50.0", "300.0 ± 10.0", "25.0 ± 6.9", "470.0"]
    assert distance.rows[2] == ["speed 1", "2", "80.0 ± 0.0", "80.0 ± 0.0", "-", "485.0"]
    assert (
        distance.rows[3][0] == "filters: mean of 2 pairs ± standard error"
        and distance.rows[3][2] == "400.0 ± 0.0"
    )
    assert returns.headings[4] == "lost" and success.rows[0][2] == "0.400 ± 0.050"
    assert axes.headings == ["axis", "pairs", "distance lost, %", "success lost, %", "return lost"]
    assert [row[:2] for row in axes.rows] == [["filters", "2"], ["speed", "1"]] and axes.rows[1][2] == "-"
    assert blind.rows[0][:4] == [
        "filters 1, filters 4", "score", "RIGHT, RIGHT + JUMP every 25 steps (1 of 2 seeds)", "470.0",
    ]  # fmt: skip
    assert gap_tables(find_gaps(run))[0].rows[0][2].startswith("300.0 [")


def test_where_the_values_come_from_is_said(run):
    assert "after training (1 evaluation), on the same levels" in describe_gaps(find_gaps(run), 100)
    assert describe_gaps(find_gaps(run), 0).startswith("of an agent that was not trained here (1 evaluation)")
    said = describe_gaps(find_gaps(run, compat="kage"), 100)
    assert said.startswith(
        "as in KAGE-Bench: for each measure and task, the largest mean over 1 to 3 evaluations"
    )


def test_every_form_of_the_report_tells_it(run):
    found = find_experiment(run, compat="kage")
    assert answer(found) == "Loses most at filters 4, least at filters 1: 78% and 25% of distance."
    page, text = pair_page(found), pair_markdown(found)
    for form in (page, text):
        assert "400.0 ± 50.0" in form and "RIGHT, RIGHT + JUMP every 25 steps" in form
        assert "filters.brightness" in form and "KAGE-Bench" in form
    [first, *_] = csv.DictReader(io.StringIO(csv_rows(found)))
    assert (first["label"], first["passed_distance_trained"], first["score_lost"]) == (
        "filters 1", "400.0", "-75.0",
    )  # fmt: skip
    assert [curve.label for curve in found.curves] == []  # no curve of training scores was written


def test_the_command(run, tmp_path):
    done = CliRunner().invoke(app, ["report", str(run.folder), "--compat", "kage", "--to", str(tmp_path)])
    assert done.exit_code == 0 and "measures  as in KAGE-Bench" in done.stdout
    assert "filters.brightness 0 → 1" in done.stdout and "400.0 ± 50.0" in done.stdout
    told = CliRunner().invoke(app, ["report", str(run.folder), "--to", str(tmp_path), "--json"])
    gaps = json.loads(told.stdout)["gaps"]
    assert gaps["way"] == "final" and gaps["pairs"][0]["gaps"][0]["trained"]["value"] == 300.0


def test_a_run_without_measures_has_no_gaps_and_refuses_what_is_asked(tmp_path):
    with made_run(tmp_path / "run", plan_of()) as run:
        assert find_gaps(run) is None and gap_tables(None) == []
        with pytest.raises(
            AssayError, match=r"has no measures beside the score, .* run a suite whose env measures"
        ):
            find_gaps(run, compat="kage")


def test_a_run_of_before_trainings_were_shared_is_refused(tmp_path):
    """Such a run trained the second pair apart; its plan has no version."""
    plan = {name: value for name, value in plan_to_json(PLAN).items() if name != "version"}
    with create(tmp_path / "run", plan) as run:
        for seed in (0, 1):
            finish(run, "000", seed, [TRAIN, BRIGHT], FINAL[seed][:2])
            finish(run, "001", seed, [TRAIN, HUE], FINAL[seed][::2])
        for read in (find_gaps, find_experiment):
            with pytest.raises(AssayError, match=r"run was planned by an older assay, .*; run it anew\.$"):
                read(run)


def test_the_job_of_a_shared_training_may_not_have_reached_the_second_pair(tmp_path):
    with made_run(tmp_path / "run", PLAN) as run:
        for seed in (0, 1):
            finish(run, "000", seed, [TRAIN, BRIGHT], FINAL[seed][:2])
        found = find_gaps(run)
        assert [each.label for each in found.pairs] == ["filters 1"]
        assert [each.evaluated.value for each in find_experiment(run).findings] == [-20.0]
