"""Two sets of scores: effects in pairs, the chance that one beats the other, the area under a curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.errors import AssayError
from assay.stats.aggregate import Interval, chance, finite
from assay.stats.bootstrap import expanded_tail


class Scale(NamedTuple):
    """What an effect of 1 means: the distance from plain to random play, one number for a whole run."""

    value: float
    usable: bool
    because: str  # why it is not usable, else empty


def scale(plain: np.ndarray, random: np.ndarray) -> Scale:
    """|mean plain - mean random| of one run, both on the plain task: plain (units,), random (other units,).

    Not usable where the two cannot be told apart (Welch's t at 95%): an agent that plays like chance has
    nothing to lose, and effects in units of that distance would be noise divided by noise.
    """
    plain, random = finite(plain, 1, "plain scores"), finite(random, 1, "random scores")
    gap = abs(plain.mean() - random.mean())
    rounding = 1e-9 * max(np.abs(plain).max(), np.abs(random).max())
    parts = [scores.var(ddof=1) / scores.size if scores.size > 1 else 0.0 for scores in (plain, random)]
    noise = 0.0
    if sum(parts) > 0:
        freedom = sum(parts) ** 2 / sum(p**2 / (s.size - 1) for p, s in zip(parts, (plain, random)) if p)
        noise = stats.t.ppf(0.975, freedom) * np.sqrt(sum(parts))
    if gap <= max(noise, rounding):
        because = f"plain play ({plain.mean():.4g}) cannot be told from random play ({random.mean():.4g})"
        return Scale(float(gap), False, because)
    return Scale(float(gap), True, "")


def paired_effects(varied: np.ndarray, plain: np.ndarray, by: Scale) -> np.ndarray:
    """(varied - plain) / scale for each unit: varied (units, levels), plain (units,) -> (units, levels).

    -1 means that play fell from plain to random; NaN throughout where the scale is not usable, which `judge`
    reads as undecidable.
    """
    varied, plain = finite(varied, 2, "varied scores"), finite(plain, 1, "plain scores")
    if len(varied) != len(plain):
        raise AssayError(f"pairs need the same units: {len(varied)} varied, {len(plain)} plain.")
    if not by.usable:
        return np.full(varied.shape, np.nan)
    return (varied - plain[:, None]) / by.value


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

    ours (seeds, tasks), theirs (other seeds, tasks). Mann-Whitney's U over the number of pairs; the interval
    is the percentile one of `bootstrap`, both sides resampled within each task. Where all pairs of a task
    end alike (every seed of ours wins, say) resampling sees no doubt. The ends are then as far away as the
    largest share of other outcomes that would go unseen with a chance of 1 - coverage, in as many independent
    pairs as the smaller side has seeds.
    """
    ours, theirs = finite(ours, 2, "our scores"), finite(theirs, 2, "their scores")
    coverage = chance(coverage)
    tasks = ours.shape[1]
    if theirs.shape[1] != tasks:
        raise AssayError(f"both sides need the same tasks: {tasks} of ours, {theirs.shape[1]} of theirs.")
    pairs = min(len(ours), len(theirs))
    value, drawn = 0.0, np.zeros(draws)
    for task in range(tasks):
        beats = (np.sign(ours[:, None, task] - theirs[None, :, task]) + 1) / 2  # (seeds, other seeds)
        value += beats.mean() / tasks
        left, right = (_shares(rng, side, draws) for side in beats.shape)
        drawn += ((left @ beats) * right).sum(axis=1) / tasks
    if pairs == 1:
        return Interval(float(value), 0.0, 1.0)
    freedom = tasks * (len(ours) + len(theirs) - 2)
    tail = expanded_tail(coverage, pairs, freedom) if expand else (1 - coverage) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    if np.ptp(drawn) < 1e-12:
        unseen = 1 - (1 - coverage) ** (1 / (pairs * tasks))
        low, high = max(value - unseen, 0.0), min(value + unseen, 1.0)
    return Interval(float(value), float(low), float(high))


def _shares(rng: np.random.Generator, units: int, draws: int) -> np.ndarray:
    """How large a share of each resample every unit has: (draws, units)."""
    return rng.multinomial(units, np.full(units, 1 / units), size=draws) / units


def auc(curve: np.ndarray) -> np.ndarray:
    """Area under a learning curve, shape (..., reports): the plain mean over reports."""
    return np.mean(finite(curve, np.ndim(curve), "curve"), axis=-1)
