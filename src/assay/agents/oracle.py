"""The player that knows the rule: it takes any move that the board shows to be legal, and so makes no error.

It plays tasks whose observations show the legal buckets of every cell. It learns nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.agent import Agent, Trained, numbered_actions, require_fit
from assay.agents.piece_features import RESPONSE, Pieces, read_pieces
from assay.agents.tally import no_reports
from assay.core import step as loop
from assay.core.env import Task
from assay.core.space import Discrete, Space


@dataclass(frozen=True)
class Config:
    steps: int = 0  # nothing is learned


def fits(spaces: dict[str, Space]) -> str:
    if why := numbered_actions(spaces):
        return why
    if read_pieces(spaces) is None:
        return "it knows boards of pieces alone, such as those of rules/clockwise"
    return "" if shows_buckets(spaces) else "it must see the legal buckets; add +show_buckets to the task"


def legal_place(pieces: Pieces) -> slice:
    """Where the legal buckets of the cells stand, as bits."""
    start = pieces.cells + 3 + RESPONSE
    return slice(start, start + pieces.cells)


def shows_buckets(spaces: dict[str, Space]) -> bool:
    pieces, seen = read_pieces(spaces), spaces["observation"]
    assert pieces is not None and isinstance(seen, Discrete) and isinstance(seen.n, tuple), "it is a board"
    return seen.n[legal_place(pieces)] == (2**pieces.buckets,) * pieces.cells


def chances(task: Task, params: Any, memory: Any, observation: jax.Array) -> jax.Array:
    """Every legal move is equally likely; where there is none, every move."""
    pieces = read_pieces(loop.spaces(task))
    assert pieces is not None, "it fits"
    bits = observation[legal_place(pieces)][:, None] >> jnp.arange(pieces.buckets)
    legal = (bits & 1).reshape(-1).astype(jnp.float32)
    legal = jnp.where(legal.any(), legal, 1.0)
    return legal / legal.sum()


def act(
    task: Task, params: Any, memory: Any, key: jax.Array, observation: jax.Array
) -> tuple[jax.Array, Any]:
    shares = chances(task, params, memory, observation)
    return jax.random.categorical(key, jnp.log(shares)).astype(jnp.int32), memory


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    require_fit("oracle", fits(loop.spaces(task)))
    return Trained((), no_reports())


AGENT = Agent(Config, train, act, fits, chances=chances)
