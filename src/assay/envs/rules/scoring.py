"""Points for people: the score of an episode, and the three incentives of the published game."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from assay.errors import AssayError

STEEPEST = 700.0  # beyond it the exponential overflows, and the score is at its end anyway


def score_episode(errors: int, smin: float, smax: float, b: float) -> int:
    """Points for an episode: smax for few errors, down to smin for many; halfway at 2 errors."""
    slope = min(max(b * (errors - 2), -STEEPEST), STEEPEST)
    return round_half_up(smin + (smax - smin) / (1 + math.exp(slope)))


def round_half_up(value: float) -> int:
    """As Java rounds; Python's own rounding goes to the even neighbour."""
    return math.floor(value + 0.5)


@dataclass(frozen=True)
class Bonus:
    """Extra points for clearing several boards in a row, each within few attempts."""

    clear_how_many: int
    clearing_threshold: float  # attempts allowed, as a multiple of the pieces
    bonus_extra_pts: int

    def allows(self, pieces: int, attempts: int) -> bool:
        return attempts <= attempts_allowed(pieces, self.clearing_threshold)

    def earns(self, boards: Iterable[tuple[int, int, bool]]) -> int:
        """The extra points of bonus boards: (pieces, attempts, cleared) of each, in order."""
        for good, (pieces, attempts, cleared) in enumerate(boards, start=1):
            if not (cleared and self.allows(pieces, attempts)):
                return 0
            if good == self.clear_how_many:
                return self.bonus_extra_pts
        return 0


def attempts_allowed(pieces: int, threshold: float) -> int:
    return math.ceil(threshold * pieces)


@dataclass(frozen=True)
class Multiplying:
    """A run's reward is doubled and then doubled again by good streaks.

    DOUBLING counts good moves: x2_after=10, x4_after=20. LIKELIHOOD multiplies the R values of a streak of
    good moves, so that moves which were unlikely to be guessed count for more.
    """

    x2_at: float
    x4_at: float
    by_likelihood: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.x2_at <= self.x4_at:
            raise AssayError(f"x2 comes before x4, and both above 0: not {self.x2_at} and {self.x4_at}.")

    def factor(self, likelihoods: Iterable[float]) -> int:
        """1, 2 or 4 for the R values of all attempts of a run in order; 0 is that of an error.

        What was reached once is kept.
        """
        start = 1.0 if self.by_likelihood else 0.0
        streak = best = start
        for each in likelihoods:
            if each == 0:
                streak = start
            else:
                streak = streak * each if self.by_likelihood else streak + 1
            best = max(best, streak)
        return 4 if best >= self.x4_at else 2 if best >= self.x2_at else 1


def likelihood_of_move(candidates: int, movable: int, open_buckets: int, buckets: int = 4) -> float:
    """R of an accepted move: how much better it is than a guess among all candidates and buckets.

    `candidates` are the pieces among which the player had to choose, `movable` those that could be moved.
    """
    if not (0 < movable <= candidates and 0 < open_buckets <= buckets):
        says = f"{candidates} candidates, {movable} movable, {open_buckets} of {buckets} buckets"
        raise AssayError(f"an accepted move has a movable piece and an open bucket; this has {says}.")
    return buckets * candidates / (movable * open_buckets)
