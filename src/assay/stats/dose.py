"""Dose and response: the level from which an axis breaks the agent, and the level up to which it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.stats.aggregate import Interval


class Level(NamedTuple):
    """One level of an axis and the mean effect there, with its interval."""

    level: Any
    effect: Interval


class DoseResponse(NamedTuple):
    """One side of an axis: levels from weak to strong, and where it breaks and holds."""

    levels: tuple[Level, ...]
    breaks_from: Level | None  # from here on every level loses more than the margin
    holds_to: Level | None  # up to here no level loses more than the margin
    smallest_visible: float  # half the widest interval: smaller differences could not have been seen


class Side(NamedTuple):
    """The levels on one side of neutral, from weak to strong, by their positions in the axis."""

    # "below" or "above" where an axis has both, the level itself where levels have no order, else "".
    name: str
    places: tuple[int, ...]


def sides(levels: Sequence[Any], neutral: float | None) -> list[Side]:
    """The sides of an axis, each ordered by distance from neutral.

    A neutral of None means that the levels have no order (words, colours): each is then a side of its own.
    """
    if neutral is None:
        return [Side(str(level), (place,)) for place, level in enumerate(levels)]
    if any(level == neutral for level in levels):
        raise AssayError(f"{neutral} is the neutral level, which has no effect; leave it out.")
    order = sorted(range(len(levels)), key=lambda place: abs(levels[place] - neutral))
    below = tuple(place for place in order if levels[place] < neutral)
    above = tuple(place for place in order if levels[place] > neutral)
    if below and above:
        return [Side("below", below), Side("above", above)]
    return [Side("", below or above)]


def dose_response(levels: Sequence[Any], effects: Sequence[Interval], margin: float) -> DoseResponse:
    """Where one side of an axis breaks and holds, by simultaneous intervals of effects from weak to strong.

    It breaks from L if L and every stronger level have their upper end below -margin. It holds to L if every
    level up to L has its lower end above -margin. Both can be true, with different levels; or neither.
    """
    if margin < 0:
        raise AssayError(f"a margin is the loss that is too small to matter, 0 or more, not {margin}.")
    if len(levels) != len(effects) or not levels:
        raise AssayError(
            f"a dose needs an effect for each level: {len(levels)} levels, {len(effects)} effects."
        )
    pairs = tuple(Level(level, effect) for level, effect in zip(levels, effects))
    breaks_from = holds_to = None
    for pair in reversed(pairs):
        if not pair.effect.high < -margin:
            break
        breaks_from = pair
    for pair in pairs:
        if not pair.effect.low > -margin:
            break
        holds_to = pair
    widest = max(pair.effect.half_width for pair in pairs)
    return DoseResponse(pairs, breaks_from, holds_to, widest)
