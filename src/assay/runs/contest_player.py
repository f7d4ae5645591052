"""The paper's linear learner as a player of a contest: the same parts as in training, one attempt at a time.

A contest gives its own boards and answers in Python, so that the loop over moves is here and each move is one
call of a compiled program, which learns from the move before and chooses the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.linear_q import (
    Board,
    Config,
    Replay,
    best_of,
    choose,
    learn,
    no_moves,
    no_weights,
    open_classes,
    table_of,
)
from assay.agents.piece_features import Pieces
from assay.core.env import record
from assay.core.keys import stream
from assay.errors import AssayError


@record
class Learner:
    weights: Any
    target: Any  # (contexts, classes), of the weights at the last copy
    replay: Replay
    moves: Any  # () int32, of the whole run


class LinearPlayer:
    """Plays matches, `player(match, seed)`; a match tells `pieces`, `episode`, `horizon` and `is_over`."""

    def __init__(
        self, config: Config, shapes: Sequence[str], colors: Sequence[str], cells: int, buckets: int
    ):
        self.config, self.shapes, self.colors = config, list(shapes), list(colors)
        self.pieces = Pieces(cells, len(self.shapes), len(self.colors), buckets)
        self._choose = jax.jit(partial(choose_move, self.pieces, config))
        self._take_in = jax.jit(partial(take_in, self.pieces, config))
        self._copy = jax.jit(partial(copy_target, self.pieces))

    def __call__(self, match: Any, seed: int) -> None:
        key, learner = jax.random.key(seed), start(self.pieces, self.config)
        while not match.is_over:
            learner = self._play_episode(match, key, learner)
            if match.episode % self.config.target_every == 0:
                learner = self._copy(learner)

    def _play_episode(self, match: Any, key: jax.Array, learner: Learner) -> Learner:
        episode, last, attempts = match.episode, (0, 0, 0), 0
        seen = self._look(match.pieces, last)
        while not match.is_over and match.episode == episode:
            there = {cell: (shape, color) for cell, shape, color in match.pieces}
            action = int(self._choose(key, learner, seen))
            cell, bucket = action // self.pieces.buckets + 1, action % self.pieces.buckets
            accepted = match.attempt(cell, bucket) == 0
            if accepted:
                shape, color = there.pop(cell)
                last = (self.shapes.index(shape) + 1, self.colors.index(color) + 1, bucket + 1)
            left = [(cell, *kind) for cell, kind in there.items()]
            after = self._look(left, last)
            attempts += 1
            # An episode that is cut at the horizon has not ended, unless its last move cleared the board.
            ended = match.episode != episode and (attempts < match.horizon or not left)
            reward = np.float32(0 if accepted else -1)
            learner = self._take_in(key, learner, seen, np.int32(action), reward, ended, after)
            seen = after
        return learner

    def _look(self, left: Sequence[tuple[int, str, str]], last: tuple[int, int, int]) -> np.ndarray:
        """The observation: the kinds of the cells, the last accepted move, and an unused response."""
        kinds = np.zeros(self.pieces.cells, np.int32)
        for cell, shape, color in left:
            kinds[cell - 1] = 1 + self.shapes.index(shape) * len(self.colors) + self.colors.index(color)
        return np.concatenate([kinds, np.array([*last, 0], np.int32)])


def start(pieces: Pieces, config: Config) -> Learner:
    weights = no_weights(pieces, config.form)
    return Learner(weights, table_of(pieces, weights), no_moves(pieces, config.memory), jnp.int32(0))


def choose_move(
    pieces: Pieces, config: Config, key: jax.Array, learner: Learner, seen: jax.Array
) -> jax.Array:
    fall = jnp.exp(-learner.moves / config.explore_moves)
    epsilon = config.explore_last + (config.explore_first - config.explore_last) * fall
    now = stream(jax.random.fold_in(key, learner.moves), "choose")
    return choose(now, pieces, config, learner.weights, Board(pieces, jnp.asarray(seen)), epsilon)


def take_in(
    pieces: Pieces, config: Config, key: jax.Array, learner: Learner, seen: jax.Array, action: jax.Array,
    reward: jax.Array, ended: jax.Array, after: jax.Array,
) -> Learner:  # fmt: skip
    """The learner after one move: it is kept for replay, and one step of learning is made."""
    board, later = Board(pieces, jnp.asarray(seen)), Board(pieces, jnp.asarray(after))
    is_open = open_classes(pieces, config, later)
    best = best_of(learner.target, later.context, is_open)
    entry = Replay(board.context, board.classes[action], reward, ~ended, later.context, is_open, best)
    place = learner.moves % config.memory
    replay = jax.tree.map(lambda leaf, value: leaf.at[place].set(value), learner.replay, entry)
    now = stream(jax.random.fold_in(key, learner.moves), "learn")
    weights = learn(now, pieces, config, learner.weights, replay, learner.moves + 1)
    return Learner(weights, learner.target, replay, learner.moves + 1)


def copy_target(pieces: Pieces, learner: Learner) -> Learner:
    target = table_of(pieces, learner.weights)
    kept = learner.replay
    best = best_of(target, kept.context_after, kept.open_after)
    replay = Replay(
        kept.context, kept.chosen, kept.reward, kept.goes_on, kept.context_after, kept.open_after, best
    )
    return Learner(learner.weights, target, replay, learner.moves)


def read_config(settings: Sequence[str]) -> Config:
    """The learner's settings from texts such as `actions=occupied`."""
    known = {each.name: each.type for each in fields(Config)}
    values: dict[str, Any] = {}
    for text in settings:
        name, _, value = text.partition("=")
        if name not in known:
            raise AssayError(f"linear_q has no setting {name!r}; it has {', '.join(known)}.")
        try:
            values[name] = {"int": int, "float": float, "str": str}[str(known[name])](value)
        except ValueError:
            raise AssayError(
                f"{name} of linear_q takes a value of type {known[name]}, not {value!r}."
            ) from None
    return Config(**values)
