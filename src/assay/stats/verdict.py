"""The verdict on a whole run: every axis and level at once, so that all its sentences hold together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.stats.aggregate import Interval
from assay.stats.bootstrap import simultaneous
from assay.stats.dose import DoseResponse, Level, dose_response, sides

UNKNOWN = Interval(np.nan, -np.inf, np.inf)


class Tried(NamedTuple):
    """An axis as it was tried: levels in the order of their columns; neutral None if they have no order."""

    axis: str
    levels: tuple
    neutral: float | None


class AxisVerdict(NamedTuple):
    """What a run says of one side of one axis; an effect of -1 is a fall from plain to random play."""

    axis: str
    side: str  # as in `dose.Side`
    word: str  # "breaks", "holds", "cannot tell"
    level: Any  # from which it breaks or up to which it holds; None if it cannot be told
    effect: Interval  # at that level; at the strongest if it cannot be told
    strongest: Level  # an axis that breaks from a weak level may break far more at this one
    holds_to: Any  # an axis that breaks may hold up to a weaker level; None if not
    smallest_visible: float  # half the widest interval on this side
    because: str
    curve: tuple[Level, ...]  # all levels, from weak to strong


def judge(
    tried: Sequence[Tried],
    effects: np.ndarray,
    *,
    margin: float,
    step: float,
    rng: np.random.Generator,
    coverage: float = 0.95,
    draws: int = 4000,
) -> list[AxisVerdict]:
    """One verdict per axis, two where neutral lies inside, one per level where levels have no order.

    effects (units, columns): of `paired_effects`, the axes' levels side by side in the order of `tried`; a
    column of NaN is undecidable and weighs on no other. `step` is that of `simultaneous`: what one episode of
    one unit is worth, 1 / episodes where an effect of 1 is the whole distance from plain to random play.
    """
    effects = np.asarray(effects, float)
    columns = sum(len(axis.levels) for axis in tried)
    if effects.ndim != 2 or effects.shape[1] != columns:
        raise AssayError(
            f"{columns} levels were tried, so effects are (units, {columns}), not {effects.shape}."
        )
    intervals = _intervals(effects, rng=rng, coverage=coverage, draws=draws, step=step)
    verdicts, first = [], 0
    for axis in tried:
        for side in sides(axis.levels, axis.neutral):
            levels = [axis.levels[place] for place in side.places]
            response = dose_response(levels, [intervals[first + place] for place in side.places], margin)
            verdicts.append(_verdict(axis.axis, side.name, response, margin, len(effects)))
        first += len(axis.levels)
    return verdicts


def _intervals(effects: np.ndarray, **how) -> list[Interval]:
    """One per column, holding together; unknown where a column is NaN throughout."""
    known = np.isfinite(effects).any(axis=0)
    if not known.any():
        return [UNKNOWN] * effects.shape[1]
    found = simultaneous(effects[:, known], **how)
    place = np.cumsum(known) - 1
    return [found.interval(place[column]) if known[column] else UNKNOWN for column in range(len(known))]


def _verdict(axis: str, side: str, response: DoseResponse, margin: float, units: int) -> AxisVerdict:
    least = f"{100 * margin:g}%"
    breaks, holds, strongest = response.breaks_from, response.holds_to, response.levels[-1]
    if breaks is not None:
        word, at = "breaks", breaks
        because = f"from {breaks.level} on every level loses more than {least}"
    elif holds is not None:
        word, at = "holds", holds
        because = f"up to {holds.level} no level loses more than {least}"
        if holds is not strongest:
            because += "; beyond, it cannot be told"
    else:
        word, at = "cannot tell", Level(None, strongest.effect)
        because = _doubt(response, margin, units)
    return AxisVerdict(
        axis, side, word, at.level, at.effect, strongest, holds.level if holds else None,
        response.smallest_visible, because, response.levels,
    )  # fmt: skip


def _doubt(response: DoseResponse, margin: float, units: int) -> str:
    """Why a side that neither breaks nor holds cannot be told."""
    if any(np.isnan(pair.effect.value) for pair in response.levels):
        return "plain play cannot be told from random play, so there is nothing to lose"
    if not np.isfinite(response.smallest_visible):
        return f"{units} unit{'s that all agree' if units > 1 else ''} cannot say how far others may differ"
    lost = [pair.level for pair in response.levels if pair.effect.high < -margin]
    if lost:
        return f"{lost[0]} loses more than {100 * margin:g}%, but a stronger level may not"
    return f"{units} units see differences above {response.smallest_visible:.0%}"
