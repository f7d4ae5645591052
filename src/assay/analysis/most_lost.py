"""The most that one unit of an exam can lose, and how many episodes exclude that such losses went unseen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.analysis.scores import Scores
from assay.plans.plan import ExamPlan
from assay.plans.question import PLAIN_PLACE
from assay.stats import compare
from assay.stats.bounded_mean import Range
from assay.stats.compare import Scale
from assay.stats.unseen_share import units_to_hold, units_to_plan

COVERAGE = 0.95
NO_RANDOM = "there is no random play yet to compare with"


def distance(scores: Scores, units: list[int]) -> Scale:
    """How far plain play is above random play, and whether that is enough to measure losses by."""
    random = scores.random_of(PLAIN_PLACE, units)
    if not np.isfinite(random).all():
        return Scale(0.0, False, NO_RANDOM)
    return compare.scale(scores.column(PLAIN_PLACE, units), random)


def step_of(plan: ExamPlan, scores: Scores, units: list[int]) -> float:
    """The most that one unit can lose, as an effect: a whole episode, or one episode of a trained seed.

    An episode may fall from plain play to the lowest score in the run, random play's episodes included; where
    random play does well, that fall is a multiple of the distance to the mean of random play.
    """
    by = distance(scores, units)
    plain = scores.column(PLAIN_PLACE, units).mean()
    deepest = max(1.0, (plain - lowest(scores)) / by.value) if by.usable else 1.0
    return deepest / plan.episodes if plan.trains else deepest


def lowest(scores: Scores) -> float:
    """The lowest score of any unit on any task."""
    both = (*scores.score.values(), *scores.random.values())
    return min(score for place in both for score in place.values())


class ToHold(NamedTuple):
    """The episodes that could show that an axis holds; all 0 where seeds are the units or the margin is 0."""

    least: int = 0  # with fewer, no axis can hold
    enough: int = 0  # with room for episodes that lose more than any that was seen
    most_lost: float = 0.0  # by one episode, as a multiple of the distance from plain to random play


def episodes_to_hold(plan: ExamPlan, scores: Scores, units: list[int], columns: int) -> ToHold:
    if plan.trains or not columns or not plan.margin > 0:
        return ToHold()
    known, by = known_range(plan), distance(scores, units)
    most = step_of(plan, scores, units)
    if known is not None:
        # The bound by betting knows only the range of scores: an episode may lose all of it.
        most = (known.high - known.low) / by.value if by.usable else 1.0
    least, enough = (
        count(plan.margin, columns, step=most, coverage=COVERAGE, known=known is not None) or 0
        for count in (units_to_hold, units_to_plan)
    )
    return ToHold(least, enough, most)


def known_range(plan: ExamPlan) -> Range | None:
    """The range that the task declares for its scores; None for trained seeds, whose scores are means."""
    declared = plan.score_range
    if declared is None or plan.trains:
        return None
    return Range(declared.low, declared.high, declared.two_valued)
