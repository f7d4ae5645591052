"""Errors over the episodes of a run: their sum as it grows, and when a rule was mastered."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.errors import AssayError

STREAK = 10  # episodes in a row, cleared without an error
GOOD_MOVES = 10  # moves in a row, of the measure for people
NEVER = 300  # that measure where there was no such streak


class Mastery(NamedTuple):
    """When a run learned its rule."""

    mastered: bool
    episode: int | None  # the last one of the first streak, from 0
    cost: float  # errors before that streak was complete; of a run that never mastered it, all of them
    rising: bool  # whether errors were still made in its last episodes


def cumulate(errors: np.ndarray) -> np.ndarray:
    """Errors by episode, (..., episodes), summed up to each."""
    return np.cumsum(require_counts(errors), axis=-1)


def find_mastery(errors: np.ndarray, cleared: np.ndarray, streak: int = STREAK) -> Mastery:
    """Of one run: its errors by episode, and whether each board was cleared."""
    errors, cleared = require_counts(errors), require_flags(cleared, "clearings of boards")
    if errors.ndim != 1 or errors.shape != cleared.shape or not len(errors):
        raise AssayError(
            f"mastery is of one run, errors and clearings of the same episodes: {errors.shape} and "
            f"{cleared.shape}."
        )
    if streak < 1:
        raise AssayError(f"a streak has at least one episode, not {streak}.")
    clean = cleared & (errors == 0)
    rising = bool(errors[-streak:].any())
    length = 0
    for episode, is_clean in enumerate(clean):
        length = length + 1 if is_clean else 0
        if length == streak:
            return Mastery(True, episode, float(errors[: episode + 1].sum()), rising)
    return Mastery(False, None, float(errors.sum()), rising)


def attempts_before_streak(good: np.ndarray, streak: int = GOOD_MOVES, never: int = NEVER) -> int:
    """The measure m* for people: attempts before the first streak of good moves, or `never`."""
    good, length = require_flags(good, "good moves"), 0
    for attempt, is_good in enumerate(good):
        length = length + 1 if is_good else 0
        if length == streak:
            return attempt + 1 - streak
    return never


def require_flags(flags: np.ndarray, name: str) -> np.ndarray:
    """Refuses missing values: as truth values NaN would count as true, and None as false."""
    given = np.asarray(flags)
    if given.dtype != bool and not all(each in (0, 1) for each in given.ravel().tolist()):
        raise AssayError(f"{name} are true or false, each of them; drop runs with missing values.")
    return given.astype(bool)


def require_counts(errors: np.ndarray) -> np.ndarray:
    counts = np.asarray(errors, float)  # None becomes NaN
    if counts.size and (not np.isfinite(counts).all() or (counts < 0).any()):
        raise AssayError("errors of episodes are counts, none of them negative or missing.")
    return counts
