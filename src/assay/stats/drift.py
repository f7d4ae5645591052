"""What a drift costs: how deep scores fall, when they are back, how much is lost, how soon it shows.

Every run that drifts has a control: the same units (seeds, or episodes of one agent) at the same times
without the drift. Chance and learning are in both, so that their difference is the drift's alone.

    depth      the largest difference, control minus drifted, over windows after the drift
    recovery   the time from which on no window lies further below the control than a margin
    area       the sum of the differences
    detection  the time that an observer of one unit's scores needs to tell the fall from noise

Depth and recovery are read off one band that holds for all windows at once, by resampling units: wherever
the band holds, so do their intervals. What no unit showed widens it by what an unseen unit, a whole episode
or a whole trained agent, can lose: what the control is paid, window by window, since many tasks pay more
after the drift than before it, or what one of the seen units lost, where that is more.
A curve that is not back within the time watched has no recovery time, and neither has an end of its
interval; None says so, and no number stands for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.errors import AssayError
from assay.stats.aggregate import Interval, require_coverage, require_finite
from assay.stats.resampling import Simultaneous, bootstrap_t, simultaneous

ALLOWANCE = 0.25  # of the CUSUM, in standard deviations: it is most sensitive to falls of twice as much
FALSE_ALARMS = 0.05  # share of controls in which the observer may raise an alarm
WINDOWS_BEFORE = 5  # that the level before a drift is the mean of, at most
FEWEST_TO_DETECT = 3  # units: each is compared with the others, whose spread takes two
ROUNDING = 1e-6  # least spread, as a share of the largest score: below it differences are of rounding


class Steps(NamedTuple):
    """By how much an unseen unit may differ from those that were seen; 0: nothing is known of it."""

    level: float  # before the drift
    windows: np.ndarray  # (windows,) after it
    area: float


class Watch(NamedTuple):
    """What is watched of one drift, in places of the curves."""

    drift: int  # the first place under the drift
    end: int  # the place behind the last one that is watched
    window: int  # places that a window is the mean of


@dataclass(frozen=True)
class TimeEstimate:
    """A time after the drift, in places, with its interval; None: not within the time watched."""

    value: int | None
    low: int | None
    high: int | None


@dataclass(frozen=True)
class Detection:
    """The delay of an observer who watches the scores of one unit, by a CUSUM of falls."""

    delay: TimeEstimate  # the median over units
    told: float  # share of units in which the alarm came
    false_alarms: float  # share of controls in which it may come, by the choice of the threshold


@dataclass(frozen=True)
class DriftMetrics:
    """The four metrics of one drift; intervals are over units."""

    level: Interval  # of the control before the drift
    depth: Interval
    depth_share: Interval | None  # of the level before; None where that is not told from 0 at `coverage`
    deepest: int  # the place of the deepest window's middle, counted from the drift
    recovery: TimeEstimate
    margin: float  # the difference that counts as none, in units of the score
    area: Interval
    detection: Detection | None  # None for fewer units than FEWEST_TO_DETECT
    of_units: tuple[float, ...]  # the difference of each unit in the deepest window


def measure_drift(
    drifted: np.ndarray,
    control: np.ndarray,
    watch: Watch,
    *,
    margin: float,
    rng: np.random.Generator,
    unseen: float = 1.0,
    coverage: float = 0.95,
    false_alarms: float = FALSE_ALARMS,
    draws: int = 4000,
) -> DriftMetrics:
    """The metrics of one drift from two curves, (units, times) each, row by row of the same unit.

    `margin` is a share of the control's mean while it is watched. `unseen` is the share of all that a unit
    can lose by which one that was not seen may differ from those that were: 1 for whole units. Where it is
    0, nothing is known of unseen units, and units that all agree have no interval.
    """
    drifted, control = require_pair(drifted, control, watch)
    difference = control - drifted
    after = difference[:, watch.drift : watch.end]
    steps = unseen_steps(control, difference, watch, unseen)
    band = fall_band(difference, watch, rng, steps, coverage, draws)
    before = level_before(control, watch)
    tolerated = margin * abs(float(control[:, watch.drift : watch.end].mean()))
    deepest = int(np.argmax(band.value))
    level = bootstrap_t(before, rng=rng, step=steps.level, coverage=coverage)
    spans = windows_after(watch)
    return DriftMetrics(
        level=level,
        depth=largest(band),
        depth_share=None
        if level.low <= 0 <= level.high
        else share_of_level(difference, before, watch, rng, steps, coverage, draws),
        deepest=(spans[deepest].start + spans[deepest].stop - 1) // 2 - watch.drift,
        recovery=recovery_time(band, spans, watch.drift, tolerated),
        margin=tolerated,
        area=bootstrap_t(after.sum(axis=1), rng=rng, step=steps.area, coverage=coverage),
        detection=detect(drifted, control, watch, coverage, false_alarms),
        of_units=tuple(float(each) for each in difference[:, spans[deepest]].mean(axis=1)),
    )


def require_pair(drifted: np.ndarray, control: np.ndarray, watch: Watch) -> tuple[np.ndarray, np.ndarray]:
    """Both curves as floats; refuses those that are no pair, and a drift without a time on both sides."""
    drifted, control = require_finite(drifted, 2, "drifted"), require_finite(control, 2, "control")
    if drifted.shape != control.shape:
        raise AssayError(
            f"drifted scores are {drifted.shape[0]} by {drifted.shape[1]} and their control is "
            f"{control.shape[0]} by {control.shape[1]}; give the same units at the same times."
        )
    if not 0 < watch.drift < watch.end <= drifted.shape[1]:
        raise AssayError(
            f"a drift at place {watch.drift}, watched until {watch.end}, needs curves that go on on both "
            f"sides of it, and these have {drifted.shape[1]} places."
        )
    if watch.window < 1:
        raise AssayError(f"a window has 1 place or more, not {watch.window}.")
    return drifted, control


def windows_after(watch: Watch) -> list[slice]:
    """The windows from the drift on; the last one takes what is left, so that none is shorter."""
    count = max(1, (watch.end - watch.drift) // watch.window)
    starts = [watch.drift + number * watch.window for number in range(count)]
    return [slice(start, stop) for start, stop in zip(starts, [*starts[1:], watch.end])]


def unseen_steps(control: np.ndarray, difference: np.ndarray, watch: Watch, unseen: float) -> Steps:
    """By how much an unseen unit may differ: it may lose all that the control is paid, or nothing at all.

    In a window that is what the control is paid there. Where it is paid elsewhere, before the drift or
    after it, an unseen unit may be paid here, so no window counts for less than these means; nor for less
    than what one of the units lost there, since an unseen one may lose nothing.
    """
    if not 0 <= unseen <= 1:
        raise AssayError(f"an unseen unit differs by a share from 0 to 1 of what is lost, not by {unseen}.")
    before = abs(float(control[:, : watch.drift].mean()))
    after = abs(float(control[:, watch.drift : watch.end].mean()))
    spans = windows_after(watch)
    own = np.array([abs(float(control[:, span].mean())) for span in spans])
    lost = np.array([float(np.abs(difference[:, span].mean(axis=1)).max()) for span in spans])
    least, places = max(before, after), watch.end - watch.drift
    all_lost = float(np.abs(difference[:, watch.drift : watch.end].sum(axis=1)).max())
    windows = np.maximum(np.maximum(own, lost), least)
    return Steps(before * unseen, windows * unseen, max(least * places, all_lost) * unseen)


def fall_band(
    difference: np.ndarray,
    watch: Watch,
    rng: np.random.Generator,
    steps: Steps,
    coverage: float,
    draws: int,
) -> Simultaneous:
    """The mean difference of every window after the drift, with ends that hold for all of them at once."""
    means = np.stack([difference[:, span].mean(axis=1) for span in windows_after(watch)], axis=1)
    return simultaneous(means, rng=rng, step=steps.windows, coverage=coverage, draws=draws)


def level_before(control: np.ndarray, watch: Watch) -> np.ndarray:
    """(units,) the control's mean over the last windows before the drift."""
    start = max(0, watch.drift - WINDOWS_BEFORE * watch.window)
    level: np.ndarray = control[:, start : watch.drift].mean(axis=1)
    return level


def largest(band: Simultaneous) -> Interval:
    """The largest of the windows' means; its ends hold where the band does."""
    return Interval(float(band.value.max()), float(band.low.max()), float(band.high.max()))


def share_of_level(
    difference: np.ndarray,
    before: np.ndarray,
    watch: Watch,
    rng: np.random.Generator,
    steps: Steps,
    coverage: float,
    draws: int,
) -> Interval:
    """The depth as a share of the size of the level before.

    Both have half of the error, so that the quotients of their ends hold together. A level that may be 0 then
    bounds no share from above.
    """
    each = 1 - (1 - require_coverage(coverage)) / 2
    level = bootstrap_t(before, rng=rng, step=steps.level, coverage=each)
    depth = largest(fall_band(difference, watch, rng, steps, each, draws))
    least, most = sorted((abs(level.low), abs(level.high)))
    least = 0.0 if level.low <= 0 <= level.high else least
    low, high = quotient(depth.low, most, least), quotient(depth.high, least, most)
    return Interval(depth.value / abs(level.value), low, high)


def quotient(end: float, where_above: float, where_below: float) -> float:
    """The end of a depth over that of the level that lies further out; infinite over 0."""
    by = where_above if end > 0 else where_below
    return end / by if by else end and math.copysign(math.inf, end)


def recovery_time(band: Simultaneous, spans: list[slice], drift: int, tolerated: float) -> TimeEstimate:
    """The beginning of the window from which on no mean lies above what is tolerated."""

    def back_from(means: np.ndarray) -> int | None:
        above = np.flatnonzero(means > tolerated)
        first = 0 if not above.size else int(above[-1]) + 1
        return spans[first].start - drift if first < len(spans) else None

    return TimeEstimate(back_from(band.value), back_from(band.low), back_from(band.high))


def detect(
    drifted: np.ndarray, control: np.ndarray, watch: Watch, coverage: float, false_alarms: float
) -> Detection | None:
    """How long observers of single units wait for the alarm; each knows the controls of the other units.

    Scores count from the unit's own level before the drift. A CUSUM adds up falls below the mean of these
    controls, in their standard deviations and less an allowance, from the drift on and never below 0. The
    alarm comes when it exceeds what it reaches in the controls themselves, but for the share of false
    alarms. With few units that share is 1 in their number.
    """
    units = len(control)
    if units < FEWEST_TO_DETECT:
        return None
    watched = slice(watch.drift, watch.end)
    # Units differ in their levels, and an observer knows the one before the drift.
    control, drifted = (side[:, watched] - level_before(side, watch)[:, None] for side in (control, drifted))
    sums = [falls_of(side, control) for side in (control, drifted)]
    highest = sums[0].max(axis=1)
    rank = min(int(np.ceil((1 - false_alarms) * units)), units - 1)  # among the units - 1 others
    delays = np.array(
        [
            first_above(sums[1][unit], float(np.sort(np.delete(highest, unit))[rank - 1]))
            for unit in range(units)
        ]
    )
    return Detection(median_time(delays, coverage), float(np.isfinite(delays).mean()), (units - rank) / units)


def falls_of(scores: np.ndarray, control: np.ndarray) -> np.ndarray:
    """(units, times) the CUSUM of each row of scores against the controls of all other units."""
    units = len(control)
    others = (control.sum(axis=0) - control) / (units - 1)
    # The spread of all other units around their mean, pooled over times.
    squares = (control**2).sum(axis=0) - control**2 - (units - 1) * others**2
    spread = np.sqrt(np.maximum(squares, 0).mean(axis=1) / (units - 2))
    spread = np.maximum(spread, ROUNDING * max(float(np.abs(control).max()), ROUNDING))
    falls = (others - scores) / spread[:, None] - ALLOWANCE
    sums: np.ndarray = np.empty_like(falls)
    total = np.zeros(units)
    for time in range(falls.shape[1]):
        total = np.maximum(total + falls[:, time], 0)
        sums[:, time] = total
    return sums


def first_above(sums: np.ndarray, threshold: float) -> float:
    """The number of places until the alarm, 1 for the first; infinite where it does not come."""
    above = np.flatnonzero(sums > threshold)
    return float(above[0] + 1) if above.size else np.inf


def median_time(times: np.ndarray, coverage: float = 0.95) -> TimeEstimate:
    """The median of times, (units,), infinite where it did not come; ends are order statistics.

    They hold for any distribution. Too few units for the coverage have the ends 0 and None.
    """
    ordered, units = np.sort(times), len(times)
    middle = ordered[[(units - 1) // 2, units // 2]].mean()
    tail = (1 - require_coverage(coverage)) / 2
    rank = int(stats.binom.ppf(tail, units, 0.5))
    if stats.binom.cdf(rank, units, 0.5) > tail:
        rank -= 1
    low, high = (0.0, np.inf) if rank < 0 else (ordered[rank], ordered[units - 1 - rank])
    return TimeEstimate(*(int(np.ceil(end)) if np.isfinite(end) else None for end in (middle, low, high)))
