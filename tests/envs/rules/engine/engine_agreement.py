"""Both engines on the same games: what each says after every move."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.rules import interpreter
from assay.envs.rules.engine.board_arrays import stack_boards
from assay.envs.rules.engine.compile import compile_rules, sizes_of
from assay.envs.rules.engine.pad import pad
from assay.envs.rules.engine.play import attempt, begin, legal
from assay.envs.rules.engine.read_rule import RuleReader
from assay.envs.rules.engine.sizes import common_sizes
from assay.envs.rules.engine.tables import BoardArrays, GameState, Tables, stack_tables
from assay.envs.rules.engine.variables import Vocabulary
from assay.envs.rules.language.errors import RuleError

# Rules with tables of up to so many entries are padded to the same sizes, and so many run at once: a few
# programs serve thousands of rules, and no small rule carries the tables of a large one.
CLASSES = ((512, 400), (2**13, 100), (2**18, 10))


class Heard(NamedTuple):
    """What an engine says after each attempt; the first entry is of the beginning. Unmetered is -1."""

    code: np.ndarray  # (moves + 1,)
    finish: np.ndarray
    line: np.ndarray
    line_left: np.ndarray
    atoms_left: np.ndarray  # (moves + 1, atoms), 0 behind those of the line
    legal: np.ndarray  # (moves + 1, pieces), bits of buckets


def hear_compiled(samples: Sequence[Any], vocabulary: Vocabulary, pieces: int) -> list[Heard]:
    """All samples in one program. They share a geometry and the number of moves."""
    tables = compile_rules([each.rule for each in samples], samples[0].geometry, vocabulary, pieces)
    return hear_tables(tables, samples, vocabulary, pieces)


def hear_tables(tables: Tables, samples: Sequence[Any], vocabulary: Vocabulary, pieces: int) -> list[Heard]:
    boards = stack_boards([each.board for each in samples], vocabulary, pieces)
    moves = jnp.asarray([each.moves for each in samples], jnp.int32)
    heard = jax.tree.map(np.asarray, play_all(tables, boards, moves))
    return [Heard(*(part[i] for part in heard)) for i in range(len(samples))]


@jax.jit
def play_all(tables: Tables, boards: BoardArrays, moves: jax.Array) -> Heard:
    return jax.vmap(play_one)(tables, boards, moves)


def play_one(tables: Tables, board: BoardArrays, moves: jax.Array) -> Heard:
    def one_move(state: GameState, move: jax.Array) -> tuple[GameState, Heard]:
        state, code = attempt(tables, state, move[0], move[1])
        return state, tell(tables, state, code)

    state = begin(tables, board)
    first = tell(tables, state, jnp.int32(0))
    _, later = jax.lax.scan(one_move, state, moves)
    return jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, later)


def tell(tables: Tables, state: GameState, code: jax.Array) -> Heard:
    return Heard(code, state.finish, state.line, state.line_left, state.atoms_left, legal(tables, state))


def hear_plain(sample: Any, atoms: int, pieces: int) -> Heard:
    """The same by the plain interpreter; ids of pieces are their places on the board."""
    game = interpreter.prepare(sample.rule, sample.geometry)
    state = interpreter.begin(game, sample.board)
    rows = [row_of(game, state, 0, atoms, pieces)]
    for piece, bucket in sample.moves:
        code, state = interpreter.attempt(game, state, piece, bucket)
        rows.append(row_of(game, state, code, atoms, pieces))
    return Heard(*(np.array(column) for column in zip(*rows)))


def row_of(game: Any, state: Any, code: int, atoms: int, pieces: int) -> tuple[Any, ...]:
    counts = [-1 if each is None else each for each in state.atom_counts]
    buckets = interpreter.legal_buckets(game, state)
    bits = [sum(1 << each for each in buckets.get(piece, ())) for piece in range(pieces)]
    line_left = -1 if state.line_count is None else state.line_count
    return (
        int(code), int(state.finish), state.line, line_left, counts + [0] * (atoms - len(counts)), bits,
    )  # fmt: skip


def differences(plain: Heard, compiled: Heard) -> list[str]:
    """Where the two differ first, per field."""
    found = []
    for name, ours, theirs in zip(Heard._fields, plain, compiled):
        differ = ours != theirs
        if differ.any():
            move = int(np.argwhere(differ)[0][0])
            found.append(f"{name} after move {move}: plain {ours[move]}, compiled {theirs[move]}")
    return found


class Compared(NamedTuple):
    """A sample, what the interpreter said of it, and where the compiled engine differs."""

    sample: Any
    plain: Heard
    differing: list[str]


def compare_engines(
    samples: Sequence[Any], vocabulary: Vocabulary, pieces: int, refused: list[tuple[Any, str]]
) -> Iterator[Compared]:
    """Every sample in both engines; those that are too large for tables are added to `refused`."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for sample in samples:
        try:
            draft = RuleReader(sample.rule, sample.geometry, vocabulary).draft
        except RuleError as error:
            refused.append((sample, str(error)))
            continue
        sizes = sizes_of(draft, sample.geometry, vocabulary, pieces)
        most, together = next(each for each in CLASSES if sizes.entries <= each[0])
        groups[sample.geometry, most, together].append((sample, draft, sizes))
    for (_, _, together), members in groups.items():
        yield from _compare_group(members, together, vocabulary, pieces)


def _compare_group(
    members: list[Any], together: int, vocabulary: Vocabulary, pieces: int
) -> Iterator[Compared]:
    common = common_sizes([sizes for _, _, sizes in members])
    for at in range(0, len(members), together):
        some = members[at : at + together]
        # The last ones are filled up, so that one program serves all.
        filled = some + some[-1:] * (min(together, len(members)) - len(some))
        tables = stack_tables([pad(draft, common, sizes) for _, draft, sizes in filled])
        heard = hear_tables(tables, [sample for sample, _, _ in filled], vocabulary, pieces)
        for (sample, _, _), compiled in zip(some, heard):
            plain = hear_plain(sample, common.atoms, pieces)
            yield Compared(sample, plain, differences(plain, compiled))
