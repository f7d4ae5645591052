"""The random draws of many steps, from one compiled call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.keys import seed_words
from assay.interop.packing import as_words
from assay.interop.single.node import KINDS

CELLS = 256  # steps of one call; one number, so that one program is compiled
SHORTEST = 4  # steps of an episode that are drawn with the first, at least
AHEAD = 4  # times its usual length: a call for one episode's further steps costs more than unused draws


@partial(jax.jit, static_argnames="early")
def draw_cells(early: Callable, leaves: Sequence[Any], seeds: tuple, episodes: jax.Array, steps: jax.Array):
    """The words of all draws, (words, cells)."""

    def of_cell(episode: jax.Array, step: jax.Array) -> jax.Array:
        keyed = [seeds[0], episode, step, *seeds[1:]]
        return jnp.concatenate([as_words(value) for value in early(leaves, keyed)])

    return jax.vmap(of_cell)(episodes, steps).T


class Draws:
    """What a program draws, step by step of one episode after the other; `raw`: as words."""

    def __init__(self, early: Callable | None, leaves: Sequence[Any], avals: Sequence[Any],
                 of_resets: bool = False, from_step: int = 1, raw: bool = False):  # fmt: skip
        self._early, self._leaves, self._of_resets = early, leaves, of_resets
        self._from = 0 if of_resets else from_step
        self._kinds = ["i" if raw else KINDS[str(aval.dtype)] for aval in avals for _ in range(aval.size)]
        self._seeds: tuple = ()
        self._ready: dict[int, list[tuple]] = {}  # episode -> draws from its first step on
        self._rows: list[tuple] = []
        self._first = self._episode = 0
        self._usual = 8.0  # steps of an episode, as the last ones went

    def seed(self, seed: int, noise: int | None) -> None:
        self._seeds = (seed_words(seed), *(() if noise is None else (seed_words(noise),)))
        self._ready = {}

    def begin(self, episode: int, length: int = 0) -> None:
        """The next steps are those of this episode; the one before had `length` steps."""
        if length:
            self._usual += 0.1 * (length - self._usual)
        self._episode, self._first = episode, self._from
        self._rows = self._ready.pop(episode, [])

    def at(self, step: int) -> tuple:
        """The draws of a step; the reset is step 0."""
        if self._early is None:
            return ()
        place = step - self._first
        if not 0 <= place < len(self._rows):
            self._fetch(step)
            place = step - self._first
        return self._rows[place]

    def drawer(self) -> Callable[[int], tuple] | None:
        """`at`, or None where nothing is drawn."""
        return None if self._early is None else self.at

    def _fetch(self, step: int) -> None:
        first = self._from
        length = 1 if self._of_resets else CELLS
        if not self._of_resets and step == first:
            length = SHORTEST
            while length < min(AHEAD * self._usual, CELLS):
                length *= 2
        episodes = np.repeat(np.arange(CELLS // length), length) + self._episode
        steps = np.tile(np.arange(length), CELLS // length) + step
        words = draw_cells(
            self._early, self._leaves, self._seeds, episodes.astype(np.int32), steps.astype(np.int32)
        )
        rows = list(zip(*map(as_numbers, np.asarray(words), self._kinds)))
        self._rows, self._first = rows[:length], step
        if step == first:
            starts = range(length, CELLS, length)
            self._ready = {self._episode + i: rows[at : at + length] for i, at in enumerate(starts, 1)}


def as_numbers(words: np.ndarray, kind: str) -> list[Any]:
    """Plain Python numbers from words."""
    if kind == "b":
        return words.astype(bool).tolist()
    return words.view({"f": np.float32, "u": np.uint32, "i": np.int32}[kind]).tolist()
