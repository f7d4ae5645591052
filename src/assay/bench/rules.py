"""How many moves a second the compiled engine of hidden rules makes on this machine.

All benchmark rules run in one program, side by side, with random moves of pieces that are on the board and a
new random board of 9 pieces wherever a game is over. Rules of much the same shape are stacked.
Only attempts that the game counts are moves. All codes, finish codes and lines, and where said all legal
buckets, are added up inside the scan, so that nothing can be left out. XLA runs such a program on one core;
on all cores, each of them plays games of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.bench.toy import Figure, machine, measure
from assay.core.keys import root_of
from assay.envs.rules.benchmark import RULES
from assay.envs.rules.codes import Response
from assay.envs.rules.engine.bits import unpack
from assay.envs.rules.engine.compile import compile_groups
from assay.envs.rules.engine.play import attempt, legal
from assay.envs.rules.engine.random_boards import DrawArrays, below, count_before, prepare_draw
from assay.envs.rules.engine.renew import begin_lanes, renew
from assay.envs.rules.engine.tables import GameState, Tables
from assay.envs.rules.random_boards import BoardDraw

LANES = 128  # of each rule
ROUNDS = 50  # in one call of the compiled scan
STEPS = 4  # moves in a round; then games that are over are replaced
PIECES = 9

Stacks = tuple[Tables, ...]  # of rules of much the same shape


def figures(seconds: float, env: str = "") -> Iterator[Figure]:
    """All figures, each as soon as it is measured; each try takes about `seconds`."""
    tables, draw = prepare_rules(), prepare_draw(BoardDraw())
    cores = int(machine()["cores"] or 1)
    lanes = f"{len(RULES)} rules x {LANES} lanes, {PIECES} pieces, new boards"
    yield measure(f"moves of {lanes}, 1 core", scan_of(tables, draw), seconds)
    yield measure(f"the same, {cores} cores", scan_of(tables, draw, cores), seconds)
    yield measure(f"the same, legal buckets read, {cores} cores", scan_of(tables, draw, cores, True), seconds)


def prepare_rules() -> Stacks:
    return tuple(group.tables for group in compile_groups([rule.parse() for rule in RULES]))


def scan_of(
    tables: Stacks, draw: DrawArrays, cores: int = 1, reads_legal: bool = False
) -> Callable[[int], Callable[[], int]]:
    def play(number: int) -> Callable[[], int]:
        seeds = jax.random.split(root_of(number), cores)

        def some_moves() -> int:
            with ThreadPoolExecutor(cores) as pool:
                return sum(pool.map(lambda seed: int(scan(tables, draw, seed, reads_legal)[0]), seeds))

        return some_moves

    return play


@partial(jax.jit, static_argnames="reads_legal")
def scan(stacks: Stacks, draw: DrawArrays, seed: jax.Array, reads_legal: bool) -> tuple[jax.Array, jax.Array]:
    """Random play of all lanes: how many moves were counted, and a sum of all that the engine says."""

    def one_step(carry: tuple, key: jax.Array) -> tuple:
        games, moves, total = carry
        after = []
        for tables, states, own in zip(stacks, games, jax.random.split(key, len(stacks))):
            bits = jax.random.bits(own, states.finish.shape, jnp.uint32)
            states, code = for_every_lane(play_randomly)(tables, states, bits)
            total = total + code.sum() + states.finish.sum() + states.line.sum()
            if reads_legal:
                total = total + for_every_lane(legal)(tables, states).sum().astype(jnp.int32)
            moves = moves + (code != Response.NO_GAME).sum()
            after.append(states)
        return (tuple(after), moves, total), None

    def one_round(carry: tuple, key: jax.Array) -> tuple:
        begun, *chosen = jax.random.split(key, 1 + STEPS)
        (games, *sums), _ = jax.lax.scan(one_step, carry, jnp.stack(chosen))
        keys = jax.random.split(begun, len(stacks))
        fresh = tuple(renew(own, tables, draw, each) for own, tables, each in zip(keys, stacks, games))
        return (fresh, *sums), None

    keys = jax.random.split(jax.random.fold_in(seed, 1), len(stacks))
    games = tuple(begin_lanes(own, tables, draw, LANES) for own, tables in zip(keys, stacks))
    carry = (games, jnp.int32(0), jnp.int32(0))
    (_, moves, total), _ = jax.lax.scan(one_round, carry, jax.random.split(seed, ROUNDS))
    return moves, total


def for_every_lane(function: Callable) -> Callable:
    """A function of tables and of something, for stacked tables and (rules, lanes) of that."""

    def of_a_rule(tables: Tables, *each: Any) -> Any:
        return jax.vmap(partial(function, tables))(*each)

    return jax.vmap(of_a_rule)


def play_randomly(tables: Tables, state: GameState, bits: jax.Array) -> tuple[GameState, jax.Array]:
    """A uniformly random piece that is on the board, into a uniformly random bucket."""
    left = unpack(state.left, tables.sizes.pieces)
    which = below(bits, left.sum())
    bucket = below(bits << 16, jnp.int32(tables.sizes.buckets))
    piece = jnp.where(left & (count_before(left) == which), np.arange(left.shape[0]), 0).sum()
    return attempt(tables, state, piece, bucket)
