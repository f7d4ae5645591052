"""Exams of one given agent: what its episodes can show, and which of them are units."""

import math

import pytest

from assay.analysis.findings import find
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
