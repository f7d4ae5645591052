"""Do the rule files of a collection load, come back as written, compile, and play alike in both engines?

    python benchmarks/rule_files.py RULES.jsonl

The collection has one JSON object with `file` and `rule` on each line. Every rule is read leniently, written
and read again, and compiled; then it plays 200 moves on random boards of 9 pieces, one after another, in the
plain interpreter and in the compiled engine. Pieces have the names and properties of which the rule speaks.
Every second move is one that the rule accepts, where there is one, so that games get far. After each move
both engines tell the code, the finish code, the line, all counters, and the open buckets of every piece. The
exit status is 1 where anything differs.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / "envs" / "rules" / "engine"), str(ROOT / "src")]

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from engine_agreement import Heard, differences, row_of, tell  # noqa: E402

from assay.envs.rules import interpreter  # noqa: E402
from assay.envs.rules.board import COLORS, SHAPES, Board, Piece  # noqa: E402
from assay.envs.rules.codes import Finish, Response  # noqa: E402
from assay.envs.rules.engine.board_arrays import stack_boards, vocabulary_of  # noqa: E402
from assay.envs.rules.engine.compile import compile_rules  # noqa: E402
from assay.envs.rules.engine.play import attempt, begin  # noqa: E402
from assay.envs.rules.engine.tables import BoardArrays, GameState, Tables  # noqa: E402
from assay.envs.rules.geometry import STANDARD  # noqa: E402
from assay.envs.rules.language.errors import RuleError  # noqa: E402
from assay.envs.rules.language.parse import parse, read  # noqa: E402
from assay.envs.rules.language.syntax import Name, Number, Range, Rule, Text  # noqa: E402
from assay.envs.rules.language.walk import atoms_of, fields_of, nodes_of, variables_of  # noqa: E402
from assay.envs.rules.language.write import write  # noqa: E402

MOVES, PIECES = 200, 9
PLAIN = ("shape", "color", "pos", "bucket")


def read_files(rows: list[dict[str, str]]) -> tuple[list[tuple[str, Rule]], list[str], list[str]]:
    """The rules that load and come back, what is wrong with the others, and what strict reading refuses."""
    rules, broken, refused = [], [], []
    for row in rows:
        try:
            rule, faults = read(row["rule"], source=row["file"])
        except RuleError as error:
            broken.append(str(error))
            continue
        if parse(write(rule), strict=False) != rule:
            broken.append(f"{row['file']} is not written back equal.")
            continue
        rules.append((row["file"], rule))
        if faults:
            refused.append(str(RuleError(faults[0].says, faults[0].at, row["file"])))
    return rules, broken, refused


def values_of(rule: Rule) -> dict[str, list[int | str]]:
    """What pieces must have so that a rule can tell them apart: shapes, colours, and values of properties."""
    values: dict[str, dict[int | str, None]] = {"shape": {}, "color": {}}
    for atom in atoms_of(rule):
        for each in atom.properties:
            some = values.setdefault(each.name, {})
            if isinstance(each.accepts, tuple):
                some |= {at: None for limits in each.accepts for at in ends_of(limits)}
        for field in fields_of(atom):
            if field.name in values:
                values[field.name] |= dict.fromkeys(literals_in(field))
            for name in variables_of(field):
                for asked in name.parts[1:]:
                    values.setdefault(asked, {})
    named = {name: list(some) for name, some in values.items() if name not in PLAIN[2:]}
    for name, some in named.items():
        usual = {"shape": SHAPES, "color": COLORS}.get(name, (0, 1, 2, 3))
        some += [each for each in usual if each not in some][: max(1, 4 - len(some))]
    return named


def ends_of(limits: Range) -> tuple[int, ...]:
    return (limits.low, limits.high, limits.high + 1)


def literals_in(field) -> Iterator[int | str]:
    for node in nodes_of(field.tree):
        if isinstance(node, Text | Number):
            yield node.value if isinstance(node, Number) or field.name not in PLAIN else node.value.upper()
        elif isinstance(node, Name) and len(node.parts) == 1 and field.takes_names:
            yield node.parts[0].upper() if field.name in PLAIN else node.parts[0]


def draw_board(values: dict[str, list[int | str]], chance: random.Random) -> Board:
    cells = sorted(chance.sample(range(1, STANDARD.cells + 1), PIECES))
    return Board(tuple(draw_piece(i, cell, values, chance) for i, cell in enumerate(cells)))


def draw_piece(number: int, cell: int, values: dict[str, list[int | str]], chance: random.Random) -> Piece:
    """A piece of such values; a property may be missing, or be the `*` that meets every condition."""
    drawn = {name: chance.choice(some) for name, some in values.items() if some}
    shape, color = (str(drawn.pop(name, "")) for name in PLAIN[:2])
    kept = {name: "*" if chance.random() < 0.05 else each for name, each in drawn.items()}
    return Piece(number, shape, color, cell, tuple(pair for pair in kept.items() if chance.random() < 0.95))


class Played:
    """200 moves of one rule in the interpreter: its boards, its moves, and what was heard."""

    def __init__(self, rule: Rule, chance: random.Random):
        self.rule, self.chance, self.values = rule, chance, values_of(rule)
        self.game = interpreter.prepare(rule)
        self.boards: list[Board] = []
        self.moves: list[tuple[int, int]] = []
        self.begins: list[bool] = []  # for each move whether a new board comes before it
        self.states: list[tuple[int, interpreter.State]] = []
        state = self.begin()
        for _ in range(MOVES):
            fresh = not self.moves or state.finish != Finish.PLAYING
            if fresh and self.moves:
                state = self.begin()
            move = self.choose(state)
            code, state = interpreter.attempt(self.game, state, *move)
            self.moves.append(move)
            self.begins.append(fresh)
            self.states.append((int(code), state))

    def begin(self) -> interpreter.State:
        self.boards.append(draw_board(self.values, self.chance))
        return interpreter.begin(self.game, self.boards[-1])

    def choose(self, state: interpreter.State) -> tuple[int, int]:
        if len(self.moves) % 2:
            legal = interpreter.legal_buckets(self.game, state)
            open_moves = [(piece, bucket) for piece, some in legal.items() for bucket in sorted(some)]
            if open_moves:
                return self.chance.choice(open_moves)
        return self.chance.choice(state.pieces).id, self.chance.randrange(STANDARD.buckets)

    def heard(self, atoms: int) -> Heard:
        rows = [row_of(self.game, state, code, atoms, PIECES) for code, state in self.states]
        return Heard(*(np.array(column) for column in zip(*rows)))


@jax.jit
def play_all(tables: Tables, boards: BoardArrays, moves: jax.Array, begins: jax.Array) -> Heard:
    return jax.vmap(play_one)(tables, boards, moves, begins)


def play_one(tables: Tables, boards: BoardArrays, moves: jax.Array, begins: jax.Array) -> Heard:
    """The same moves in the compiled engine; boards (boards, pieces), moves (moves, 2), begins (moves,)."""

    def board_at(place: jax.Array) -> BoardArrays:
        return jax.tree.map(lambda leaf: leaf[place], boards)

    def one_move(carry: tuple[GameState, jax.Array], now: tuple[jax.Array, jax.Array]) -> tuple:
        (state, place), (move, is_new) = carry, now
        place = place + is_new
        fresh = begin(tables, board_at(place))
        state = jax.tree.map(lambda new, old: jnp.where(is_new, new, old), fresh, state)
        state, code = attempt(tables, state, move[0], move[1])
        return (state, place), tell(tables, state, code)

    first = (begin(tables, board_at(jnp.int32(0))), jnp.int32(-1))
    return jax.lax.scan(one_move, first, (moves, begins))[1]


def compare_engines(rules: list[tuple[str, Rule]]) -> list[str]:
    """Plays every rule in both engines: where they differ. All rules run in one compiled program."""
    chance = random.Random(17)
    played = [Played(rule, chance) for _, rule in rules]
    vocabulary = vocabulary_of([board for each in played for board in each.boards])
    tables = compile_rules([rule for _, rule in rules], STANDARD, vocabulary, PIECES)
    most = max(len(each.boards) for each in played)
    filled = [each.boards + each.boards[-1:] * (most - len(each.boards)) for each in played]
    stacked = stack_boards([board for boards in filled for board in boards], vocabulary, PIECES)
    boards = jax.tree.map(lambda leaf: leaf.reshape(len(played), most, *leaf.shape[1:]), stacked)
    moves = jnp.asarray([each.moves for each in played], jnp.int32)
    begins = jnp.asarray([each.begins for each in played])
    heard = jax.tree.map(np.asarray, play_all(tables, boards, moves, begins))
    differing, codes, ends, counted = [], Counter(), Counter(), []
    for i, ((file, _), each) in enumerate(zip(rules, played)):
        plain = each.heard(tables.sizes.atoms)
        found = differences(plain, Heard(*(part[i] for part in heard)))
        differing += [f"{file}: {one}" for one in found]
        codes.update(code for code, _ in each.states)
        ends.update(int(state.finish) for _, state in each.states)
        counted.append(sum(code != Response.NO_GAME for code, _ in each.states))
    named = ", ".join(f"{Response(code).name} {count}" for code, count in sorted(codes.items()))
    print(f"{len(rules)} rules x {MOVES} moves on {sum(len(each.boards) for each in played)} boards: {named}")
    print(f"boards cleared {ends[Finish.CLEARED]}, in stalemate {ends[Finish.STALEMATE]}, ", end="")
    print(f"{codes[Response.NO_GAME]} of them from the beginning, where the one move is refused")
    print(f"rules of whose moves all are counted {counted.count(MOVES)}, the fewest of a rule {min(counted)}")
    return differing


def look_through(rows: list[dict[str, str]]) -> int:
    rules, broken, refused = read_files(rows)
    print(f"{len(rows)} files: {len(rules)} load and are written back equal")
    for each in broken:
        print(f"  {each}")
    print(f"strict reading refuses {len(refused)}:")
    for each in refused:
        print(f"  {each}")
    differing = compare_engines(rules)
    names = {each.partition(": ")[0] for each in differing}
    print(f"both engines play {len(rules) - len(names)} of {len(rules)} alike")
    for each in differing:
        print(f"  {each}")
    return 1 if broken or differing else 0


if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    sys.exit(look_through([json.loads(line) for line in lines]))
