"""The ground truth of hidden rules in `info`: the board, the legal buckets, the active line and its counters.

An agent never sees it in an observation. Pieces are told by slot, in the order of the board; a slot without a
piece has the cell 0.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.rules.codes import Finish
from assay.envs.rules.engine.bits import unpack
from assay.envs.rules.engine.play import legal
from assay.envs.rules.engine.tables import BoardArrays
from assay.envs.rules.game import UNKNOWN, Params, State, current_game, start_on
from assay.errors import NotApplicable

LARGEST = 64  # entries of a part that comes back with every step
NUMBERS = ("finish", "line", "line_used", "attempts", "errors", "response")


@jax.jit
def settle_start(params: Params, boards: BoardArrays) -> tuple[jax.Array, ...]:
    """Of lanes whose episodes begin on these boards: legal buckets, (lanes, pieces), finish code and line."""

    def of_board(board: BoardArrays) -> tuple[jax.Array, ...]:
        game = current_game(params, start_on(params, board))
        return legal(params.tables, game), game.finish, game.line

    told: tuple[jax.Array, ...] = jax.vmap(of_board)(boards)
    return told


def cut(values: jax.Array) -> list[jax.Array]:
    return [values[at : at + LARGEST] for at in range(0, values.shape[0], LARGEST)]


class Truth:
    """The truth of one or more lanes."""

    def __init__(self, task: Any, params: Any, lanes: int = 1):
        self._task, self._params, self._lanes = str(task.text), params, lanes
        sizes = params.tables.sizes
        self._slots, self._rows = sizes.pieces, sizes.rows - 4
        per_piece = (3 + self._rows + 2) * self._slots
        self.watches = len(NUMBERS) + per_piece + sizes.atoms
        self._watched = np.zeros((self.watches, lanes), np.int32)
        self._legal = np.zeros((lanes, self._slots), np.uint32)
        self._line_count = np.asarray(params.tables.line_count)
        self._atom_count = np.asarray(params.tables.atom_count)

    @staticmethod
    def watch(state: State) -> tuple:
        """The parts of a state that every reset and step returns; compiled into them."""
        board, slots = state.board, state.board.cell.shape[-1]
        left = unpack(state.left, slots)
        rows = [board.cell, board.shape, board.color, *board.properties, left, state.legal.astype(jnp.int32)]
        numbers = [getattr(state, name) for name in NUMBERS]
        return *numbers, *(part for row in rows for part in cut(row)), *cut(state.atoms_used)

    def begin(self, watched: np.ndarray, lanes: Any = slice(None)) -> None:
        """The lanes with these numbers have begun an episode; `watched` is (words, lanes), of all lanes."""
        self._take(watched)

    def step(self, watched: np.ndarray, score: Any) -> None:
        """All lanes have made a step."""
        self._take(watched)

    def _take(self, watched: np.ndarray) -> None:
        self._watched[:] = watched
        self._legal = self._row(4 + self._rows).T.view(np.uint32).copy()
        fresh = (self._legal == UNKNOWN).all(1)
        if fresh.any():
            # A start knows no rule: what is open, whether it is a stalemate, and its line are computed here.
            for told, start in zip((self._legal, *self._watched[:2]), self._settle_start()):
                told[fresh] = start[fresh]

    def _settle_start(self) -> tuple[np.ndarray, ...]:
        cell, shape, color, *properties = (self._row(i).T for i in range(3 + self._rows))
        empty = np.zeros((self._lanes, 0, self._slots), np.int32)
        stacked = np.stack(properties, 1) if properties else empty
        rows = map(jnp.asarray, (cell, shape, color, stacked))
        return tuple(map(np.asarray, settle_start(self._params, BoardArrays(*rows))))

    def _row(self, number: int) -> np.ndarray:
        """What is watched of each piece, (pieces, lanes)."""
        start = len(NUMBERS) + number * self._slots
        return np.ascontiguousarray(self._watched[start : start + self._slots])

    def of_all(self) -> dict:
        """The truth of every lane, one array each with the lanes first, as copies."""
        numbers = dict(zip(NUMBERS, self._watched.copy()))
        line, used = numbers["line"], self._watched[-self._atom_count.shape[1] :].T
        on_board = self._row(3 + self._rows).T != 0
        counts, atoms = self._line_count[line], self._atom_count[line]
        return {
            "cells": np.where(on_board, self._row(0).T, 0),
            "shapes": self._row(1).T.copy(),
            "colors": self._row(2).T.copy(),
            "legal_buckets": np.where(on_board, self._legal, 0).astype(np.int64),
            "active_line": line,
            "line_counter": np.where(counts < 0, -1, counts - numbers["line_used"]),
            "atom_counters": np.where(atoms < 0, -1, atoms - used),
            "finish": numbers["finish"],
            "response": numbers["response"],
            "attempts": numbers["attempts"],
            "errors": numbers["errors"],
            "cleared": numbers["finish"] == Finish.CLEARED,
            "stalemate": numbers["finish"] == Finish.STALEMATE,
            "pieces_left": on_board.sum(1),
        }

    def of_lane(self, lane: int) -> dict:
        """The truth of one lane; single numbers as Python's own."""
        told = {name: values[lane] for name, values in self.of_all().items()}
        return {name: value if np.ndim(value) else value.item() for name, value in told.items()}

    def save(self) -> tuple:
        return self._watched.copy(), self._legal.copy()

    def restore(self, saved: tuple) -> None:
        self._watched, self._legal = (array.copy() for array in saved)

    def needs(self) -> set[str]:
        raise NotApplicable(
            f"the info of {self._task} does not tell what its rule remembers; use save() and its snapshot."
        )

    def facts(self) -> dict:
        raise NotApplicable(f"{self._task} draws a board for each episode and has no tables to tell.")
