"""A variation's own random numbers in an episode. They are drawn in blocks and saved as a count."""

from __future__ import annotations

from typing import Any

from assay.core.streams import Renewable, digest_number

BLOCK = 64


class Draws:
    """The stream behind `uniform`, `chance`, `choice`, `shuffle`, `permutation` and `draws` of a rule."""

    def __init__(self, name: str):
        self._name, self._stream, self._number, self.taken = name, Renewable(), 0, 0
        self._block: list[float] = []

    def renew(self, seed: int) -> None:
        """Begins this variation's stream of the episode whose number is `seed`."""
        self._number = digest_number(seed, self._name)
        self._begin()

    def _begin(self) -> None:
        self._stream.renew(self._number)
        self._block, self.taken = [], 0

    def share(self) -> float:
        """The next number, at least 0 and below 1."""
        index = self.taken % BLOCK
        if not index:
            self._block = self._stream.rng.random(BLOCK).tolist()
        self.taken += 1
        return self._block[index]

    def shares(self, count: int) -> list[float]:
        """The next `count` numbers."""
        index = self.taken % BLOCK
        if not index or index + count > BLOCK:
            return [self.share() for _ in range(count)]
        self.taken += count
        return self._block[index : index + count]

    def save(self) -> tuple[int, int]:
        return self._number, self.taken

    def restore(self, saved: tuple[int, int]) -> None:
        self._number, taken = saved
        self._begin()
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
