"""Exams of one given agent: what its episodes can show, and which of them are units."""

import math

import pytest

from assay.analysis.findings import find
from assay.report.attribution import cannot_hold, cautions
from assay.stats.unseen_share import units_to_hold, units_to_plan
from assay.stats.verdict import BREAKS, CANNOT_TELL

from .records import PLAIN, exam_plan, given_exam, question

MIDDLE = ("carry", "action.sticky", "0.25")


def test_rare_failures_of_a_given_agent_do_not_hold(tmp_path):
    """Failures in 15% of episodes, ten episodes, none seen: that held, and 17% of such exams were wrong."""
    plan = exam_plan(question("action.sticky", "0.25"), agent="mine:act", task="gym/CartPole-v1", seeds=1,
                     episodes=10, trains=False)  # fmt: skip
    scores = {PLAIN: [500.0] * 10, MIDDLE: [500.0] * 10}
    with given_exam(tmp_path / "run", plan, scores, {PLAIN: [20.0] * 10}) as run:
        found = find(run)
    assert found.findings[0].word == CANNOT_TELL
    assert found.findings[0].effect.low == pytest.approx(-math.log(1 / 0.05) / 10)
    assert found.units_to_hold == 30


def perfect(folder, episodes, lowest):
    """A given agent that always scores 500, beside random play of mean 20 that once fell to `lowest`."""
    plan = exam_plan(question("action.sticky", "0.25"), agent="mine:act", task="gym/CartPole-v1", seeds=1,
                     episodes=episodes, trains=False)  # fmt: skip
    scores = {PLAIN: [500.0] * episodes, MIDDLE: [500.0] * episodes}
    random = [lowest, 40.0 - lowest] + [20.0] * (episodes - 2)
    with given_exam(folder, plan, scores, {PLAIN: random}) as run:
        return find(run)


def test_the_number_of_a_plan_suffices_and_is_the_number_told(tmp_path):
    """One level: 30 are the least, and 31 where random play's lowest episode is seen; a plan takes 38."""
    assert (units_to_hold(0.1, 1), units_to_plan(0.1, 1)) == (30, 38)
    few = perfect(tmp_path / "few", 10, lowest=8.0)  # (500 - 8) / 480 = 1.025
    assert (few.units_to_hold, few.units_to_plan, few.most_lost) == (31, 38, pytest.approx(1.025))
    assert cannot_hold(10, units_to_plan(0.1, 1)) in cautions(few)
    enough = perfect(tmp_path / "enough", 38, lowest=8.0)
    assert enough.findings[0].word == "holds" and not any("cannot show" in each for each in cautions(enough))


def test_a_deeper_fall_than_planned_asks_for_more_and_says_why(tmp_path):
    """A fall from 500 to -220 is 1.5 times 480: at least 1.5 * 29.96 = 45, with room 1.65 * 29.96 = 50."""
    found = perfect(tmp_path / "run", 38, lowest=-220.0)
    assert (found.units_to_hold, found.units_to_plan) == (45, 50)
    [says] = [each for each in cautions(found) if "cannot show" in each]
    assert says == (
        "38 episodes cannot show that an axis holds; 50 could (--episodes 50): more than a plan counts "
        "with, since one episode here can lose 1.5 times what plain play is above random play"
    )


def given_of(folder, digests, episodes=10):
    """A given agent that always scores 500 and at one level 100, whatever its episodes are."""
    plan = exam_plan(question("action.sticky", "0.25"), agent="mine:act", task="gym/CartPole-v1", seeds=1,
                     episodes=episodes, trains=False)  # fmt: skip
    scores = {PLAIN: [500.0] * episodes, MIDDLE: [100.0] * episodes}
    with given_exam(folder, plan, scores, {PLAIN: [20.0] * episodes}, digests) as run:
        return find(run)


def test_one_episode_ten_times_is_one_unit(tmp_path):
    found = given_of(tmp_path / "run", {PLAIN: ["a"] * 10, MIDDLE: ["b"] * 10})
    assert found.distinct == 1 and found.findings[0].word == CANNOT_TELL
    assert found.findings[0].because == "1 distinct episode of 10: the others repeat it bit by bit"
    assert math.isinf(found.headline.score.low)


def test_equal_scores_of_different_episodes_are_many_units(tmp_path):
    different = [f"start {i}" for i in range(10)]
    found = given_of(tmp_path / "run", {PLAIN: different, MIDDLE: different})
    assert found.distinct == 10 and found.findings[0].word == BREAKS
    half = given_of(tmp_path / "half", {PLAIN: ["a"] * 10, MIDDLE: different})
    assert half.distinct == 1 and half.findings[0].word == BREAKS  # a pair repeats only if both do
    older = given_of(tmp_path / "older", None)
    assert older.distinct == 0 and older.findings[0].word == BREAKS
