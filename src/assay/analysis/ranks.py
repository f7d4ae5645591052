"""Whether two runs, such as of a toy env and of a game, rank the levels of an axis alike (Spearman)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.analysis.experiment import varied_settings
from assay.analysis.pairs import PairFinding, find_pairs, pairs_of
from assay.errors import AssayError
from assay.plans.plan import ExamPlan, plan_of
from assay.results import Run
from assay.stats.aggregate import Interval
from assay.stats.rank import MOST_LISTED, spearman
from assay.task_text import parse

LEAST = 3  # levels: with two, orders are either equal or reversed


@dataclass(frozen=True)
class Ranking:
    """Two runs over the same number of levels, matched by their position."""

    first: str
    second: str
    measure: str
    levels: tuple[tuple[str, float, str, float], ...]  # label and mean of the first, then of the second
    seeds: tuple[int, int]
    rho: Interval  # over seeds, resampled on both sides
    chance: float  # of a correlation at least as far from 0, two-sided
    how: str  # how the chance was computed


def rank(first: Run, second: Run) -> Ranking:
    """Spearman's rho of the mean AUC, or of the final score where one run has no learning curves."""
    for run in (first, second):
        require_one_dimension(run)
    sides = [find_pairs(run) for run in (first, second)]
    for run, findings in zip((first, second), sides):
        if len(findings) != len(pairs_of(run)):
            raise AssayError(
                f"{run.folder} is not finished at every level; run `assay resume {run.folder}` first."
            )
    counts = [len(findings) for findings in sides]
    if counts[0] != counts[1] or counts[0] < LEAST:
        raise AssayError(
            f"{first.folder} has {counts[0]} levels and {second.folder} has {counts[1]}; a rank correlation "
            f"needs the same number on both sides, at least {LEAST}."
        )
    learned = all("area" in each.units for findings in sides for each in findings)
    measure = "area" if learned else "trained"
    toy, other = (matrix(run, findings, measure) for run, findings in zip((first, second), sides))
    correlation = spearman(toy, other, rng=np.random.default_rng(0))
    means = zip(sides[0], toy.mean(0), sides[1], other.mean(0))
    orders = "all orders counted" if counts[0] <= MOST_LISTED else "9,999 orders drawn"
    return Ranking(
        f"{plan_of(first).agent} ({first.folder.name})",
        f"{plan_of(second).agent} ({second.folder.name})",
        "mean score while learning (AUC)" if learned else "final score",
        tuple((one.label, float(a), two.label, float(b)) for one, a, two, b in means),
        (len(toy), len(other)),
        correlation.rho,
        correlation.chance,
        orders,
    )


def require_one_dimension(run: Run) -> None:
    """Refuses a run whose levels cannot be matched by position, the plain one first."""
    if isinstance(plan_of(run), ExamPlan):
        raise AssayError(f"{run.folder} is an exam; --ranks is for runs of pairs, such as `assay run` makes.")
    pairs = pairs_of(run)
    names = varied_settings([pair.point for pair in pairs])
    if len(names) > 1:
        raise AssayError(
            f"{run.folder} varies {' and '.join(names)}; --ranks takes runs that vary one setting."
        )
    settings = [{str(each) for each in parse(pair.train).settings} for pair in pairs]
    if not all(settings[0] <= each for each in settings):
        raise AssayError(
            f"the first level of {run.folder} is {pairs[0].train}, which is not the plain one; "
            "--ranks matches levels by position, so put the plain one first."
        )


def matrix(run: Run, findings: list[PairFinding], measure: str) -> np.ndarray:
    """The measure of every seed that all levels have: (seeds, levels)."""
    shared = sorted(set.intersection(*(set(each.seed_numbers) for each in findings)))
    if not shared:
        raise AssayError(
            f"{run.folder} has no seed finished at every level; run `assay resume {run.folder}` first."
        )
    columns = [dict(zip(each.seed_numbers, each.units[measure])) for each in findings]
    return np.array([[column[seed] for column in columns] for seed in shared])
