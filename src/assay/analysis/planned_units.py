"""How many units the levels of an exam need, by the spread of those that it had."""

from __future__ import annotations

import math

import numpy as np

from assay.analysis.exam import AxisFinding
from assay.analysis.most_lost import COVERAGE, distance, step_of
from assay.analysis.scores import Scores
from assay.plans.plan import ExamPlan
from assay.plans.question import PLAIN_PLACE, Place, Question
from assay.stats import compare
from assay.stats.effect import Played, linear, played
from assay.stats.power import Planned, plan_columns
from assay.stats.verdict import CANNOT_TELL, units_to_measure

AIM = 0.05  # the difference in the sentence on power


def played_scores(scores: Scores, questions: list[Question], units: list[int]) -> Played:
    """The scores that effects are made of, (units, levels of all questions); NaN where there is no effect."""
    nothing = np.full(len(units), np.nan)
    usable = distance(scores, units).usable
    plain = scores.column(PLAIN_PLACE, units)
    random = scores.random_of(PLAIN_PLACE, units)
    # Where levels change what the task asks for, only shares of each task's own optimum can be compared.
    # (scores.shares is NaN throughout where an optimum is unknown or not above 0.)
    share, best = scores.shares(PLAIN_PLACE, units), scores.optima(PLAIN_PLACE, units)
    random_share, usable_share = nothing, False
    if best is not None and np.isfinite(share).all():
        random_share = random / (best if random.shape == best.shape else best.mean())
        usable_share = compare.scale(share, random_share).usable if np.isfinite(random).all() else False
    columns = []
    for question in questions:
        for place in question.places:
            if question.shares:
                sides = scores.shares(place, units), share, random_share
                fit = usable_share
            else:
                sides, fit = (scores.column(place, units), plain, random), usable
            fit = fit and bool(np.isfinite(sides[0]).all())
            columns.append(played(sides[0][:, None] if fit else nothing[:, None], *sides[1:]))
    if not columns:
        return played(np.zeros((len(units), 0)), plain, random)
    return Played(
        np.concatenate([each.varied for each in columns], axis=1),
        np.concatenate([each.plain for each in columns], axis=1),
        np.concatenate([each.random for each in columns], axis=1),
        np.concatenate([each.noise for each in columns]),
    )


def unit_effects(scores: Scores, questions: list[Question], units: list[int]) -> dict[Place, np.ndarray]:
    """(units,) by place: the effects of single units to first order, with the error of random play."""
    places = [place for question in questions for place in question.places]
    if not places:
        return {}
    # A level whose episodes are all the same has a single unit, which has no spread to compare by.
    counts = scores.new_pairs(places, units).sum(axis=0)
    matrix = linear(played_scores(scores, questions, units))
    return {place: matrix[:, i] for i, place in enumerate(places) if counts[i] > 1 or len(units) == 1}


def plan_levels(
    findings: list[AxisFinding],
    scores: Scores,
    questions: list[Question],
    units: list[int],
    plan: ExamPlan,
    effect: float,
    chance: float = 0.8,
) -> dict[Place, Planned]:
    """The power at every level that has an effect, by the rule of its verdict.

    Where so few units do not establish the distance to random play, the level's interval has no end, and no
    difference is seen, however alike units are. There the number needed also establishes the distance; it is
    None where that number is not known.
    """
    effects = unit_effects(scores, questions, units)
    known = {place: column for place, column in effects.items() if np.isfinite(column).all()}
    if not known:
        return {}
    matrix = np.stack(list(known.values()), axis=1)
    step = step_of(plan, scores, units)
    planned = dict(zip(known, plan_columns(matrix, effect, step=step, coverage=COVERAGE, power=chance)))
    places = [place for question in questions for place in question.places]
    all_scores = played_scores(scores, questions, units)
    for place in endless_levels(findings) & known.keys():
        column = all_scores.column(np.array([places.index(place)]))
        apart = units_to_measure(column, 0, 1 - (1 - COVERAGE) / len(known))
        needed = planned[place].needed
        both = None if needed is None or apart is None else max(needed, apart)
        planned[place] = Planned(None, both, bounded=False)
    return planned


def endless_levels(findings: list[AxisFinding]) -> set[Place]:
    """The levels whose interval lacks an end."""
    return {
        (each.arm, each.axis, level.level)
        for each in findings
        for level in each.levels
        if math.isfinite(level.effect.value) and math.isinf(level.effect.half_width)
    }


def power(
    findings: list[AxisFinding],
    scores: Scores,
    questions: list[Question],
    units: list[int],
    plan: ExamPlan,
) -> str:
    """A sentence on how many units the widest doubt would need, as `assay power` counts them."""
    doubted = {
        (each.arm, each.axis, level.level)
        for each in findings
        if each.word == CANNOT_TELL and each.more_units_help
        for level in each.levels
        if math.isfinite(level.effect.value)
    }
    if not doubted:
        return ""
    planned = plan_levels(findings, scores, questions, units, plan, AIM)
    there = [each for place, each in planned.items() if place in doubted]
    if any(each.needed is None and not each.bounded for each in there):
        return ""
    needed = [each.needed or 0 for each in there]
    return f"{max(needed)} {scores.unit}s would see {AIM:.0%} there" if any(needed) else ""
