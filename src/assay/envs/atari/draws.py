"""A variation's own random numbers in an episode. They are drawn in blocks and saved as a count.

A variation with a chance also keeps its level here, and the draw of the current step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from assay.core.streams import Renewable, digest_number
from assay.errors import NoMoreDraws

BLOCK = 64


class Saved(NamedTuple):
    """How far a stream was read, and the draw of the current step."""

    number: int
    taken: int
    episode: int
    of_step: float
    spent: bool


class Draws:
    """The stream behind `uniform`, `chance`, `choice`, `shuffle`, `permutation` and `draws` of a rule.

    `recorded`: numbers that are used instead of drawn ones, a row for each episode.
    """

    def __init__(self, name: str, per_frame: bool = False, recorded: Sequence[Sequence[float]] | None = None):
        self._name, self._stream, self._number, self.taken = name, Renewable(), 0, 0
        self._block: list[float] = []
        self._recorded, self._episode = recorded, 0
        self.level, self.per_frame = 0.0, per_frame
        self._of_step, self._spent = 1.0, False
        self.opportunities = self.events = 0  # in the current step

    def renew(self, seed: int, episode: int = 0) -> None:
        """Begins this variation's stream of the episode whose number is `seed`."""
        self._number, self._episode = digest_number(seed, self._name), episode
        self._of_step, self._spent = 1.0, False
        self._begin()

    # Of a variation with a chance

    def begin_step(self) -> None:
        """Makes the draw of a step: every step draws once, whether or not something can happen in it."""
        self.opportunities = self.events = 0
        self._spent = False
        if not self.per_frame:
            self._of_step = self.share()

    def happens(self, counts: bool = True) -> bool:
        """Whether the event happens: one draw holds for a whole step, or each call draws anew.

        What nobody could see is drawn too, but counts neither as an opportunity nor as an event.
        """
        share = self.share() if self.per_frame else self._of_step
        happens = share < self.level
        self.opportunities += counts
        self.events += counts and happens
        return happens

    def happens_once(self) -> bool:
        """The same for an event that may happen once in a step; its later opportunities do not count."""
        if self._spent:
            return False
        self._spent = not self.per_frame
        return self.happens()

    def pick(self, holds: Sequence[Any], values: Sequence[int]) -> int:
        """One of the values whose condition holds, each equally likely; -1 where none does."""
        candidates = [value for value, each in zip(values, holds) if each]
        return self.choice(*candidates) if candidates else -1

    # The stream

    def _begin(self) -> None:
        self._stream.renew(self._number)
        self._block, self.taken = [], 0

    def share(self) -> float:
        """The next number, at least 0 and below 1."""
        if self._recorded is not None:
            return self._next_recorded(self._recorded)
        index = self.taken % BLOCK
        if not index:
            self._block = self._stream.rng.random(BLOCK).tolist()
        self.taken += 1
        return self._block[index]

    def shares(self, count: int) -> list[float]:
        """The next `count` numbers."""
        index = self.taken % BLOCK
        if not index or index + count > BLOCK or self._recorded is not None:
            return [self.share() for _ in range(count)]
        self.taken += count
        return self._block[index : index + count]

    def _next_recorded(self, episodes: Sequence[Sequence[float]]) -> float:
        row = episodes[self._episode] if self._episode < len(episodes) else ()
        if self.taken >= len(row):
            raise NoMoreDraws(
                f"the recorded draws of {self._name} hold {len(row)} numbers for episode {self._episode}, "
                "and the game asks for more; record longer episodes, or drop draws."
            )
        self.taken += 1
        return row[self.taken - 1]

    def save(self) -> Saved:
        return Saved(self._number, self.taken, self._episode, self._of_step, self._spent)

    def restore(self, saved: Saved) -> None:
        self._number, taken, self._episode, self._of_step, self._spent = saved
        self._begin()
        if self._recorded is not None:
            self.taken = taken
            return
        blocks, rest = divmod(taken, BLOCK)
        self._stream.rng.random(blocks * BLOCK)
        if rest:
            self._block = self._stream.rng.random(BLOCK).tolist()
        self.taken = taken

    def uniform(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.share() * (high - low + 1))

    def chance(self, share: float) -> bool:
        return self.share() < share

    def choice(self, *values: Any) -> Any:
        return values[int(self.share() * len(values))]

    def shuffle(self, *values: Any) -> list:
        order = list(values)
        for last in range(len(order) - 1, 0, -1):
            other = int(self.share() * (last + 1))
            order[last], order[other] = order[other], order[last]
        return order

    def permutation(self, count: int) -> list[int]:
        return self.shuffle(*range(count))

    def draws(self, count: int, low: int, high: int) -> list[int]:
        return [self.uniform(low, high) for _ in range(count)]
