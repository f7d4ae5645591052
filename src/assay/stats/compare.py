"""Compares two sets of scores: paired effects, the chance that one beats the other, areas under curves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

from assay.errors import AssayError
from assay.stats.aggregate import Interval, require_coverage, require_finite
from assay.stats.resampling import expanded_tail


class Scale(NamedTuple):
    """The unit of effects: the distance from plain to random play, one number for a whole run."""

    value: float
    usable: bool
    because: str  # why it is not usable, else empty
    below: bool = False  # plain play is surely worse than random play: there is nothing to lose


def scale(plain: np.ndarray, random: np.ndarray) -> Scale:
    """Mean plain - mean random of one run, both on the plain task: plain (units,), random (other units,).

    Not usable where plain play is not above random play (Welch's t at 95%): an agent that plays like chance
    or worse has nothing to lose, so effects in units of that distance would have no meaning.
    """
    plain, random = require_finite(plain, 1, "plain scores"), require_finite(random, 1, "random scores")
    gap = plain.mean() - random.mean()
    rounding = 1e-9 * max(np.abs(plain).max(), np.abs(random).max())
    parts = [scores.var(ddof=1) / scores.size if scores.size > 1 else 0.0 for scores in (plain, random)]
    noise = 0.0
    if sum(parts) > 0:
        freedom = sum(parts) ** 2 / sum(p**2 / (s.size - 1) for p, s in zip(parts, (plain, random)) if p)
        noise = stats.t.ppf(0.975, freedom) * np.sqrt(sum(parts))
    if gap <= max(noise, rounding):
        below = gap < -max(noise, rounding)
        relation = "is below" if below else "cannot be told from"
        because = f"plain play ({plain.mean():.4g}) {relation} random play ({random.mean():.4g})"
        return Scale(float(abs(gap)), False, because, below)
    return Scale(float(gap), True, "")


def paired_effects(varied: np.ndarray, plain: np.ndarray, by: Scale) -> np.ndarray:
    """(varied - plain) / scale for each unit: varied (units, levels), plain (units,) -> (units, levels).

    -1 means that play fell from plain to random. All are NaN where the scale is not usable; `judge` takes
    that as undecidable.
    """
    varied, plain = require_finite(varied, 2, "varied scores"), require_finite(plain, 1, "plain scores")
    if len(varied) != len(plain):
        raise AssayError(f"pairs need the same units: {len(varied)} varied, {len(plain)} plain.")
    if not by.usable:
        return np.full(varied.shape, np.nan)
    result: np.ndarray = (varied - plain[:, None]) / by.value
    return result


def probability_of_improvement(
    ours: np.ndarray,
    theirs: np.ndarray,
    *,
    rng: np.random.Generator,
    draws: int = 2000,
    coverage: float = 0.95,
    expand: bool = True,
) -> Interval:
    """Chance that a seed of ours beats one of theirs on a task, ties counting half, averaged over tasks.

    ours (seeds, tasks), theirs (other seeds, tasks). Mann-Whitney's U over the number of pairs. The interval
    holds both the percentile one of `bootstrap`, each side resampled within each task, and Newcombe's (2006,
    his method 5), whose variance is that of the chance in question and not that of the sample: near 0 and 1
    resampling shows too little spread. Without `expand` it is the plain percentile interval, rliable's.
    """
    ours, theirs = require_finite(ours, 2, "our scores"), require_finite(theirs, 2, "their scores")
    coverage = require_coverage(coverage)
    tasks = ours.shape[1]
    if theirs.shape[1] != tasks:
        raise AssayError(f"both sides need the same tasks: {tasks} of ours, {theirs.shape[1]} of theirs.")
    pairs = min(len(ours), len(theirs))
    value, resampled, sides = 0.0, np.zeros(draws), np.zeros(2)
    for task in range(tasks):
        beats = (np.sign(ours[:, None, task] - theirs[None, :, task]) + 1) / 2  # (seeds, other seeds)
        value += beats.mean() / tasks
        if pairs > 1:
            ends = _newcombe(float(beats.mean()), len(ours), len(theirs), coverage)
            sides += (beats.mean() - ends) ** 2 / tasks**2
        left, right = (_shares(rng, side, draws) for side in beats.shape)
        resampled += ((left @ beats) * right).sum(axis=1) / tasks
    if pairs == 1:
        return Interval(float(value), 0.0, 1.0)
    if not expand:
        low, high = np.quantile(resampled, [(1 - coverage) / 2, (1 + coverage) / 2])
        return Interval(float(value), float(low), float(high))
    tail = expanded_tail(coverage, pairs, tasks * (len(ours) + len(theirs) - 2))
    low, high = np.quantile(resampled, [tail, 1 - tail])
    below, above = np.sqrt(sides)
    low, high = min(low, value - below), max(high, value + above)
    return Interval(float(value), float(max(low, 0.0)), float(min(high, 1.0)))


def _newcombe(chance_: float, many: int, others: int, coverage: float) -> np.ndarray:
    """The lowest and the highest chance within whose own error the observed chance still lies."""
    reach = stats.t.ppf((1 + coverage) / 2, many + others - 2)
    half = (many + others) / 2 - 1

    def too_far(p: float) -> float:
        spread = p * (1 - p) * (1 + half * ((1 - p) / (2 - p) + p / (1 + p))) / (many * others)
        return float((chance_ - p) ** 2 - reach**2 * spread)

    # `too_far` is negative at the observed chance, where the distance is 0, and positive at 0 and 1, where
    # the variance is 0: there is one root on each side.
    low = optimize.brentq(too_far, 0.0, chance_) if chance_ > 0 and too_far(chance_) < 0 else 0.0
    high = optimize.brentq(too_far, chance_, 1.0) if chance_ < 1 and too_far(chance_) < 0 else 1.0
    if chance_ in (0.0, 1.0):  # the root beside it
        inner = optimize.brentq(too_far, *((1e-12, 0.999999) if chance_ == 0 else (1e-6, 1 - 1e-12)))
        low, high = (0.0, inner) if chance_ == 0 else (inner, 1.0)
    return np.array([low, high])


def _shares(rng: np.random.Generator, units: int, draws: int) -> np.ndarray:
    """The share of each unit in each resample: (draws, units)."""
    return rng.multinomial(units, np.full(units, 1 / units), size=draws) / units


def auc(curve: np.ndarray) -> np.ndarray:
    """Area under a learning curve, shape (..., reports): the plain mean over reports."""
    result: np.ndarray = np.mean(require_finite(curve, np.ndim(curve), "curve"), axis=-1)
    return result
