"""Effects with their intervals: how far play falls from plain towards random, where both means are uncertain.

An effect is a ratio of means, (varied - plain) / (plain - random). Whether it lies above or below a number e
is tested without the ratio, by the mean of varied - plain - e (plain - random); for a loss of the margin m,
that is varied - (1 - m) plain - m random. The interval is Fieller's: all e that this test does not refuse.
So a verdict by the interval equals that of the linear test, and both contain the error of random play.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.stats.aggregate import require_coverage, require_finite
from assay.stats.bounded_mean import HALVINGS, Range, refuses
from assay.stats.resampling import EQUAL, Simultaneous, reaches, unseen_floor

FARTHEST = 16.0  # an interval for scores of a known range has no end if it reaches this effect


class Played(NamedTuple):
    """The scores of one exam from which effects are computed, (units, columns) each."""

    varied: np.ndarray
    plain: np.ndarray
    random: np.ndarray  # of the same units, or the mean of other units in every row
    noise: np.ndarray  # (columns,) variance of that mean; 0 where random play has the same units

    @property
    def loss(self) -> np.ndarray:
        result: np.ndarray = self.varied - self.plain
        return result

    @property
    def distance(self) -> np.ndarray:
        result: np.ndarray = self.plain - self.random
        return result

    def column(self, which: np.ndarray, rows: np.ndarray | slice = slice(None)) -> Played:
        varied, plain, random = (side[rows][:, which] for side in (self.varied, self.plain, self.random))
        return Played(varied, plain, random, self.noise[which])


def played(varied: np.ndarray, plain: np.ndarray, random: np.ndarray) -> Played:
    """The scores of an exam: varied (units, columns), plain (units,), random of the same or other units."""
    varied, plain, random = (np.asarray(each, float) for each in (varied, plain, random))
    if varied.ndim != 2 or plain.ndim != 1 or len(varied) != len(plain):
        raise AssayError(
            f"effects need varied scores (units, columns) and plain ones of the same units, not "
            f"{varied.shape} and {plain.shape}."
        )
    noise = 0.0
    if random.shape != plain.shape:
        noise = random.var(ddof=1) / random.size if random.size > 1 else 0.0
        random = np.full(plain.shape, random.mean())
    plain, random = (np.broadcast_to(side[:, None], varied.shape) for side in (plain, random))
    return Played(varied, plain, random, np.full(varied.shape[1], noise))


def effect_intervals(
    scores: Played,
    *,
    rng: np.random.Generator,
    draws: int = 4000,
    coverage: float = 0.95,
    step: float = 0.0,
    known: Range | None = None,
) -> Simultaneous:
    """Fieller's simultaneous intervals of every column's effect.

    `known` is the range of the scores; `step` is that of `resampling.simultaneous`, as an effect. Plain play
    must be above random play; where that distance may be 0 at the columns' shared error, an interval may have
    no end on one side or on both.
    """
    error = 1 - require_coverage(coverage)
    units, columns = require_finite(scores.varied, 2, "varied scores").shape
    distance = scores.distance.mean(axis=0)
    if not (distance > 0).all():
        raise AssayError(
            "effects need plain play above random play, because otherwise there is nothing to lose."
        )
    value = scores.loss.mean(axis=0) / distance
    none = np.zeros(columns, bool)
    if known is not None:
        return Simultaneous(value, *_known_ends(scores, value, known, error / columns), np.inf, none)
    if units == 1:
        return Simultaneous(value, np.full(columns, -np.inf), np.full(columns, np.inf), np.inf, none)
    left = (
        scores.loss - value * scores.distance
    )  # of mean 0: the part of the loss that the effect does not explain
    agree = units_agree(scores)
    below, above, refused, critical = reaches(left - left.mean(axis=0), ~agree, error, draws, rng)
    low, high = _fieller(scores, below)[0], _fieller(scores, above)[1]
    low, high = np.where(agree, value, low), np.where(agree, value, high)
    floor = unseen_floor(step, columns, units, error)
    endless = refused | (agree & (floor == 0))
    low = np.where(endless, -np.inf, np.minimum(low, value - floor))
    # An unseen unit may lose a whole step more; where units lose, the best that it can do is to lose nothing.
    most = np.where(value < 0, np.minimum(-value, step), step)
    high = np.where(
        endless, np.inf, np.maximum(high, value + unseen_floor(1.0, columns, units, error) * most)
    )
    return Simultaneous(value, low, high, critical, refused)


def units_agree(scores: Played) -> np.ndarray:
    """(columns,) whether all units lose the same share of their distance to random play, up to rounding."""
    distance = scores.distance.mean(axis=0)
    left = scores.loss - scores.loss.mean(axis=0) / distance * scores.distance
    size = np.maximum(np.abs(scores.varied).max(axis=0), np.abs(scores.plain).max(axis=0))
    result: np.ndarray = np.ptp(left, axis=0) <= EQUAL * np.maximum(size, distance)
    return result


def linear(scores: Played) -> np.ndarray:
    """Values per unit, (units, columns), whose mean is the effect and whose spread is that of the ratio.

    They hold to first order, which is enough for differences between the effects of two runs. They contain
    the error of random play only where random play has the same units.
    """
    distance = scores.distance.mean(axis=0)
    value = scores.loss.mean(axis=0) / distance
    result: np.ndarray = value + (scores.loss - value * scores.distance) / distance
    return result


def _fieller(scores: Played, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest effects e on both sides at which mean loss - e * mean distance is `reach` errors from 0.

    Where the distance itself may be 0 at that reach, effects far on the other side are not refused either;
    they belong to an agent below random play, which is ruled out before.
    """
    units = len(scores.varied)
    loss, distance = scores.loss, scores.distance
    a, d = loss.mean(axis=0), distance.mean(axis=0)
    of_loss, of_distance = loss.var(axis=0, ddof=1) / units, distance.var(axis=0, ddof=1) / units
    of_both = ((loss - a) * (distance - d)).sum(axis=0) / (units - 1) / units
    square = reach**2
    lead = d**2 - square * (of_distance + scores.noise)
    middle = a * d - square * of_both
    last = a**2 - square * of_loss
    inside = middle**2 - lead * last
    root = np.sqrt(np.maximum(inside, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([(middle - root) / lead, (middle + root) / lead])
    ends = np.where((inside >= 0) & (lead != 0), ends, np.nan)
    below, above = np.where(ends <= a / d, ends, -np.inf), np.where(ends >= a / d, ends, np.inf)
    return below.max(axis=0), above.min(axis=0)


def _known_ends(
    scores: Played, value: np.ndarray, known: Range, error: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends by the betting bound: from the effect outwards to the first effect that the test refuses."""
    for side, what in ((scores.varied, "a varied"), (scores.plain, "a plain"), (scores.random, "a random")):
        known.check(side, f"{what} score of")

    def refused(effect: np.ndarray, sign: float) -> np.ndarray:
        # The contrast of any scores lies within this distance of 0.
        half = (known.high - known.low) * np.maximum(1.0, np.maximum(-effect, 1 + effect))
        contrast = sign * (scores.loss - effect * scores.distance)
        return refuses((np.clip(contrast / half, -1, 1) + 1) / 2, 0.5, error / 2)

    ends = []
    for sign in (1.0, -1.0):  # an effect that is too low leaves a contrast above 0, one too high below 0
        inside, outside = value.copy(), value - sign * FARTHEST
        endless = ~refused(outside, sign)
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            gone = refused(middle, sign)
            inside, outside = np.where(gone, inside, middle), np.where(gone, middle, outside)
        ends.append(np.where(endless, -sign * np.inf, inside))
    return ends[0], ends[1]
