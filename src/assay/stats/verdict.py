"""The verdicts on a whole run: every axis and level at once, so that all of them hold together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.stats.aggregate import Interval
from assay.stats.bounded_mean import Range
from assay.stats.dose import DoseResponse, Level, dose_response, sides
from assay.stats.effect import Played, effect_intervals, units_agree
from assay.stats.power import units_to_stand_apart

UNKNOWN = Interval(np.nan, -np.inf, np.inf)
BREAKS, HOLDS, CANNOT_TELL = "breaks", "holds", "cannot tell"
WORST_FIRST = (BREAKS, CANNOT_TELL, HOLDS)
NOTHING_TO_LOSE = "plain play is not above random play, so there is nothing to lose"


class Tried(NamedTuple):
    """An axis and its tried levels, in the order of their columns; neutral is None if they have no order."""

    axis: str
    levels: tuple[Any, ...]
    neutral: Any


class AxisVerdict(NamedTuple):
    """The verdict on one side of one axis; an effect of -1 is a fall from plain to random play."""

    axis: str
    side: str  # as in `dose.Side`
    word: str  # BREAKS, HOLDS or CANNOT_TELL
    level: Any  # from which it breaks or up to which it holds; None for CANNOT_TELL
    effect: Interval  # at that level; at the strongest for CANNOT_TELL
    strongest: Level  # an axis that breaks from a weak level may break far more at this one
    holds_to: Any  # an axis that breaks may hold up to a weaker level; None if not
    smallest_visible: float  # half the widest interval on this side
    because: str
    curve: tuple[Level, ...]  # all levels, from weak to strong
    more_units_help: bool  # whether more units could settle a doubt


def worst_word(words: Iterable[str]) -> str:
    """The worst of several verdicts: breaking outweighs doubt, and doubt outweighs holding."""
    return min(words, key=WORST_FIRST.index)


def judge(
    tried: Sequence[Tried],
    scores: Played,
    *,
    margin: float,
    step: float,
    rng: np.random.Generator,
    coverage: float = 0.95,
    draws: int = 4000,
    known: Range | None = None,
    new: np.ndarray | None = None,
) -> list[AxisVerdict]:
    """One verdict per axis; two where neutral lies inside, and one per level where levels have no order.

    scores: from `effect.played`, the axes' levels side by side in the order of `tried`; a column of NaN is
    undecidable and does not affect the others. `step` is the most that one unit can lose: 1 where a unit is
    an episode, which may fall from plain to random play, and 1 / episodes where it is a mean of episodes.
    `new` (units, columns) marks the pairs of episodes that count (`distinct.distinct_pairs`).
    """
    columns = sum(len(axis.levels) for axis in tried)
    if scores.varied.ndim != 2 or scores.varied.shape[1] != columns:
        raise AssayError(
            f"{columns} levels were tried, so scores are (units, {columns}), not {scores.varied.shape}."
        )
    new = np.ones(scores.varied.shape, bool) if new is None else new
    judged = _intervals(scores, new, rng=rng, coverage=coverage, draws=draws, step=step, known=known)
    verdicts, first = [], 0
    for axis in tried:
        for side in sides(axis.levels, axis.neutral):
            places = [first + place for place in side.places]
            levels = [axis.levels[place] for place in side.places]
            response = dose_response(levels, [judged.intervals[place] for place in places], margin)
            doubt = _Doubt(
                len(scores.varied),
                min(int(new[:, place].sum()) for place in places),
                any(judged.refused[place] for place in places),
                any(judged.agree[place] for place in places),
                _most([judged.to_measure[place] for place in places]),
            )
            verdicts.append(_verdict(axis.axis, side.name, response, margin, doubt))
        first += len(axis.levels)
    return verdicts


class _Columns(NamedTuple):
    """The intervals of all columns, and what is known of those without ends."""

    intervals: list[Interval]
    refused: list[bool]
    agree: list[bool]  # without ends because all units agree
    to_measure: list[int | None]  # units that would establish the distance to random play


class _Doubt(NamedTuple):
    """The possible reasons why a side has no verdict."""

    units: int
    distinct: int  # of the level with the fewest
    refused: bool  # too few units for scores this skewed
    agree: bool  # all units lose the same, so nothing is known of their spread
    to_measure: int | None  # units that would establish the distance to random play, where that is known


def _intervals(scores: Played, new: np.ndarray, *, coverage: float, **how: Any) -> _Columns:
    """Simultaneous intervals, one per column; unknown where a column is NaN throughout.

    Columns that leave out the same repeated episodes are judged together, and the groups share the error.
    """
    columns = scores.varied.shape[1]
    judged = _Columns([UNKNOWN] * columns, [False] * columns, [False] * columns, [None] * columns)
    known = np.flatnonzero(np.isfinite(scores.varied).any(axis=0))
    groups: dict[bytes, list[int]] = {}
    for number in known:
        groups.setdefault(new[:, number].tobytes(), []).append(int(number))
    for group in groups.values():
        rows = new[:, group[0]]
        share = (1 - coverage) * len(group) / len(known)
        tried = scores.column(np.array(group), rows)
        together = effect_intervals(tried, coverage=1 - share, **how)
        agree = units_agree(tried)
        for place, column in enumerate(group):
            judged.intervals[column] = together.interval(place)
            judged.refused[column] = bool(together.refused[place])
            if how["known"] is None and np.isinf(judged.intervals[column].half_width):
                judged.agree[column] = bool(agree[place])
                judged.to_measure[column] = units_to_measure(tried, place, 1 - share)
    return judged


def units_to_measure(scores: Played, place: int, coverage: float) -> int | None:
    """The units needed to establish the distance from plain to random play in all columns at once."""
    units, columns = scores.varied.shape
    distance = scores.distance[:, place]
    if units < 2:
        return None
    spread = float(np.sqrt(distance.var(ddof=1) + units * scores.noise[place]))
    needed = units_to_stand_apart(
        float(distance.mean()), spread, units, comparisons=columns, coverage=coverage
    )
    return needed if needed is not None and needed > units else None


def _most(needed: list[int | None]) -> int | None:
    return max((each for each in needed if each is not None), default=None)


def _verdict(axis: str, side: str, response: DoseResponse, margin: float, doubt: _Doubt) -> AxisVerdict:
    least = f"{100 * margin:g}%"
    breaks, holds, strongest = response.breaks_from, response.holds_to, response.levels[-1]
    if breaks is not None:
        word, at = BREAKS, breaks
        because = f"from {breaks.level} on every level loses more than {least}"
    elif holds is not None:
        word, at = HOLDS, holds
        because = f"up to {holds.level} no level loses more than {least}"
        if holds is not strongest:
            because += "; beyond, it cannot be told"
    else:
        word, at = CANNOT_TELL, Level(None, strongest.effect)
        because = _why(response, margin, doubt)
    return AxisVerdict(
        axis, side, word, at.level, at.effect, strongest, holds.level if holds else None,
        response.smallest_visible, because, response.levels,
        word == CANNOT_TELL and doubt.distinct > 1 and not _kept_beyond(response, margin),
    )  # fmt: skip


def _why(response: DoseResponse, margin: float, doubt: _Doubt) -> str:
    """Why a side neither breaks nor holds, in words."""
    units, least = f"{doubt.units} unit{'' if doubt.units == 1 else 's'}", f"{100 * margin:g}%"
    if any(np.isnan(pair.effect.value) for pair in response.levels):
        return NOTHING_TO_LOSE
    if doubt.distinct == 1 < doubt.units:
        return f"1 distinct unit of {doubt.units}: the others repeat it bit by bit"
    if doubt.refused:
        return f"{units} are too few for scores this skewed"
    lost = [pair.level for pair in response.levels if pair.effect.high < -margin]
    if lost and (kept := _kept_beyond(response, margin)):
        return f"{lost[0]} loses more than {least}, but {kept[-1]}, which is stronger, does not"
    if lost:
        beyond = response.levels[[pair.level for pair in response.levels].index(lost[0]) :]
        if any(np.isinf(pair.effect.high) for pair in beyond):
            return f"{lost[0]} loses more than {least}; beyond, {_why_endless(units, doubt)}"
        return f"{lost[0]} loses more than {least}, but a stronger level may not"
    if losing := [pair.level for pair in response.levels if pair.effect.high < 0]:
        subject = "it" if len(response.levels) == 1 else losing[-1]
        return f"{subject} loses something, but that it is more than {least} is not sure"
    if not np.isfinite(response.smallest_visible):
        return _why_endless(units, doubt)
    if response.smallest_visible > 1:  # more than the whole way from plain to random play
        return f"{units} cannot show any difference here"
    visible = f"{units} see differences above {response.smallest_visible:.0%}"
    return f"{visible}, and the loss may lie on either side of {least}"


def _why_endless(units: str, doubt: _Doubt) -> str:
    """Why an interval has no end on one side or on both, in words."""
    if doubt.units == 1:
        return f"{units} cannot say how far others may differ"
    if doubt.agree:
        return f"{units} that all agree cannot say how far others may differ"
    enough = f"; {doubt.to_measure} would" if doubt.to_measure else ""
    return f"{units} do not establish how far plain play is above random play{enough}"


def _kept_beyond(response: DoseResponse, margin: float) -> list[Any]:
    """The levels that hold although a weaker one breaks, which more units would not change."""
    lost = [pair.effect.high < -margin for pair in response.levels]
    if True not in lost:
        return []
    beyond = response.levels[lost.index(True) + 1 :]
    return [pair.level for pair in beyond if pair.effect.low > -margin]
