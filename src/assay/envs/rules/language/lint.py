"""A report on a rule without training anything: what it uses, whether it can get stuck, and slips in it."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass

from assay.envs.rules.board import COLORS, SHAPES, Board, Piece
from assay.envs.rules.codes import Finish
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.interpreter import Game, State, attempt, begin, legal_buckets, prepare
from assay.envs.rules.language.faults import OWN, Fault, find_missing_properties
from assay.envs.rules.language.parse import read
from assay.envs.rules.language.reach import accepts_no_first_move, find_unreachable, offers_always
from assay.envs.rules.language.redundant import find_redundant
from assay.envs.rules.language.strange_values import Known, find_strange_values
from assay.envs.rules.language.syntax import Name, Rule, Text
from assay.envs.rules.language.walk import atoms_of, fields_of, nodes_of, orders_in, variables_of

YES, NO, UNKNOWN = "yes", "no", "unknown"
PIECES = 9  # of the boards whose states are counted, as in the paper
GAMES, LARGEST_BOARD = 300, 9  # of the search for a stalemate
MEMORIES = ("p", "pc", "ps", "last", "q")


@dataclass(frozen=True)
class Finding:
    """Something at a place of the file."""

    line: int
    column: int
    says: str


@dataclass(frozen=True)
class LintReport:
    """All that can be said of a rule without playing it for long."""

    source: str
    lines: int
    atoms: int
    stationary: bool
    uses: tuple[str, ...]
    stalemate: str  # yes, no or unknown
    stalemate_because: str
    states: int  # an upper bound
    states_counted: str
    faults: tuple[Finding, ...]  # what strict reading refuses
    unreachable: tuple[Finding, ...]  # atoms that accept nothing in any game
    unused_orders: tuple[Finding, ...]
    unusual_names: tuple[str, ...]  # shapes and colours beyond the usual ones
    redundant: tuple[Finding, ...]  # atoms without effect, for another one accepts all that they accept
    own_values: tuple[Finding, ...]  # shapes and colours that no usual piece has
    own_properties: tuple[Finding, ...]  # that only pieces of a table have

    @property
    def is_clean(self) -> bool:
        idle = self.unreachable or self.redundant or self.unused_orders
        return not (self.faults or idle or self.own_values or self.own_properties)


def lint(
    text: str, source: str = "the rule", geometry: Geometry = STANDARD, pieces: Known | None = None
) -> LintReport:
    """The report on a text; one that cannot be read at all is refused.

    `pieces` are those of a table: what none of them has is then a fault. Without it pieces are the usual
    ones, and a rule that asks for others may be meant for a task that has them.
    """
    rule, slips = read(text, source=source, geometry=geometry)
    known = pieces or Known()
    missing, strange = find_missing_properties(rule, known.properties), find_strange_values(rule, known)
    faults = sorted([*slips, *missing, *strange], key=lambda fault: fault.place) if pieces else slips
    unreachable = _tell(find_unreachable(rule, geometry))
    idle = {(each.line, each.column) for each in unreachable}
    stalemate, because = judge_stalemate(rule, geometry)
    states, counted = bound_states(rule, geometry)
    used = {name.name for atom in atoms_of(rule) for name in orders_in(atom)}
    unused = [Fault(f"the order {each.name} is never used", each.at) for each in rule.orders]
    return LintReport(
        source=source,
        lines=len(rule.lines),
        atoms=sum(len(line.atoms) for line in rule.lines),
        stationary=is_stationary(rule),
        uses=find_uses(rule),
        stalemate=stalemate,
        stalemate_because=because,
        states=states,
        states_counted=counted,
        faults=_tell(faults),
        unreachable=unreachable,
        unused_orders=_tell(each for each, order in zip(unused, rule.orders) if order.name not in used),
        unusual_names=find_unusual_names(rule),
        redundant=_tell(each for each in find_redundant(rule, geometry) if each.place not in idle),
        own_values=() if pieces else _tell(strange),
        own_properties=() if pieces else _tell(missing),
    )


def _tell(faults: Iterable[Fault]) -> tuple[Finding, ...]:
    return tuple(Finding(each.at.line, each.at.column, each.says) for each in faults)


def variables_in(rule: Rule) -> list[Name]:
    return [name for atom in atoms_of(rule) for field in fields_of(atom) for name in variables_of(field)]


def is_metered(rule: Rule) -> bool:
    counts = [*(line.count for line in rule.lines), *(atom.count for atom in atoms_of(rule))]
    return any(count is not None for count in counts)


def is_stationary(rule: Rule) -> bool:
    """Whether what is accepted depends on the piece alone: one line, no counts, no memory, no order."""
    remembers = any(name.parts[0] in MEMORIES for name in variables_in(rule))
    ranks = any(True for atom in atoms_of(rule) for _ in orders_in(atom))
    return len(rule.lines) == 1 and not (is_metered(rule) or remembers or ranks)


def find_uses(rule: Rule) -> tuple[str, ...]:
    """The features of the language that a rule uses, by name."""
    atoms = list(atoms_of(rule))
    uses = {
        "several lines": len(rule.lines) > 1,
        "counts": is_metered(rule),
        "shapes": any(atom.shape is not None for atom in atoms),
        "colors": any(atom.color is not None for atom in atoms),
        "positions": any(atom.positions for atom in atoms),
        "orders": any(True for atom in atoms for _ in orders_in(atom)),
        "postpos": any(atom.postpos for atom in atoms),
        "code": any(atom.code is not None for atom in atoms),
        "properties": uses_properties(rule),
    }
    variables = sorted({".".join(name.parts) for name in variables_in(rule)})
    return (*(name for name, used in uses.items() if used), *variables)


def uses_properties(rule: Rule) -> bool:
    asked = any(part not in OWN for name in variables_in(rule) for part in name.parts[1:])
    return asked or any(atom.properties for atom in atoms_of(rule))


def find_unusual_names(rule: Rule) -> tuple[str, ...]:
    names: set[str] = set()
    for atom in atoms_of(rule):
        for tree, usual in ((atom.shape, SHAPES), (atom.color, COLORS)):
            for node in nodes_of(tree) if tree is not None else ():
                single = node.parts[0] if isinstance(node, Name) and len(node.parts) == 1 else ""
                word = node.value if isinstance(node, Text) else single
                names |= {word} - set(usual) - {""}
    return tuple(sorted(names))


def judge_stalemate(rule: Rule, geometry: Geometry) -> tuple[str, str]:
    """Whether a board of plain pieces can end in a stalemate, and why; never without a proof or a witness."""
    if never_stalemates(rule, geometry):
        return NO, "on every board some atom, with fresh counts, takes a piece of the usual shapes and colors"
    if accepts_no_first_move(rule, geometry):
        return YES, "at once on every board, for no atom accepts a first move"
    if uses_properties(rule):
        return UNKNOWN, "it depends on the properties of pieces"
    witness = find_stalemate(prepare(rule, geometry))
    if witness is None:
        return UNKNOWN, f"{GAMES} random games did not end in one, which proves nothing"
    left = len(witness.pieces)
    return (
        YES,
        f"after {_count(len(witness.history), 'accepted move')} {tell_pieces(witness)} cannot be moved, "
        f"{_count(left, 'piece')} left",
    )


def never_stalemates(rule: Rule, geometry: Geometry) -> bool:
    """Whether it is proved: a stalemate would need every line to offer nothing with fresh counters."""
    atoms = [atom for line in rule.lines if line.count != 0 for atom in line.atoms]
    return all(offers_always(atoms, rule, geometry, moved) for moved in (False, True))


def tell_pieces(state: State) -> str:
    piece = state.pieces[0]
    return f"{piece.color} {piece.shape} in cell {piece.cell}"


def find_stalemate(game: Game) -> State | None:
    """A game that ended in a stalemate: single pieces of every kind first, then random games."""
    for shape in SHAPES:
        for color in COLORS:
            for cell in range(1, game.geometry.cells + 1):
                state = begin(game, Board((Piece(0, shape, color, cell),)))
                if state.finish == Finish.STALEMATE:
                    return state
    chance = random.Random(0)
    for number in range(GAMES):
        state = _play(game, _draw_board(game.geometry, 2 + number % (LARGEST_BOARD - 1), chance), chance)
        if state.finish == Finish.STALEMATE:
            return state
    return None


def _draw_board(geometry: Geometry, count: int, chance: random.Random) -> Board:
    cells = chance.sample(range(1, geometry.cells + 1), min(count, geometry.cells))
    kinds = [(chance.choice(SHAPES), chance.choice(COLORS)) for _ in cells]
    return Board(tuple(Piece(i, *kind, cell) for i, (kind, cell) in enumerate(zip(kinds, cells))))


def _play(game: Game, board: Board, chance: random.Random) -> State:
    """Legal moves, drawn at random, to the end."""
    state = begin(game, board)
    while state.finish == Finish.PLAYING:
        moves = [(number, bucket) for number, open_ in legal_buckets(game, state).items() for bucket in open_]
        _, state = attempt(game, state, *chance.choice(sorted(moves)))
    return state


def bound_states(rule: Rule, geometry: Geometry) -> tuple[int, str]:
    """An upper bound of the states of one board: pieces left, line and counters, memory."""
    counters = sum(
        max(line.count or 1, 1) * math.prod((atom.count or 0) + 1 for atom in line.atoms)
        for line in rule.lines
    )
    names = {name.parts for name in variables_in(rule)}
    if any(parts[0] in ("last", "q") or (parts[0] == "p" and len(parts) > 1) for parts in names):
        histories = sum(math.perm(PIECES, k) * geometry.buckets**k for k in range(PIECES + 1))
        return (
            histories * counters,
            f"{histories:,} sequences of accepted moves x {_count(counters, 'state')} of lines and counters, "
            f"for a board of {PIECES} pieces",
        )
    values = geometry.buckets + 1  # or nothing yet
    memory = values ** (
        (("p",) in names) + len(COLORS) * (("pc",) in names) + len(SHAPES) * (("ps",) in names)
    )
    parts = _count(counters, "state") + " of lines and counters", _count(memory, "memory", "memories")
    says = f"2^{PIECES} sets of pieces left x {' x '.join(parts)}"
    return 2**PIECES * counters * memory, f"{says}, for a board of {PIECES} pieces"


def tell_report(report: LintReport) -> str:
    """The report as lines of text."""
    kind = "stationary" if report.stationary else "not stationary"
    size = f"{_count(report.lines, 'line')}, {_count(report.atoms, 'atom')}"
    said = [
        f"{report.source}: {size}, {kind}",
        f"  uses: {', '.join(report.uses) or 'nothing but buckets'}",
        f"  can it stalemate? {report.stalemate}: {report.stalemate_because}",
        f"  states: at most {report.states:,} ({report.states_counted})",
    ]
    for each in (*report.faults, *report.unreachable, *report.redundant, *report.unused_orders):
        said.append(f"  line {each.line}, column {each.column}: {each.says}")
    for each in report.own_values:
        says = f"of the usual pieces, unless shape_names or color_names give others, {each.says}"
        said.append(f"  line {each.line}, column {each.column}: {says}")
    for each in report.own_properties:
        said.append(f"  line {each.line}, column {each.column}: of the usual pieces {each.says}")
    return "\n".join([*said, *(["  nothing wrong"] if report.is_clean else [])])


def _count(number: int, word: str, words: str = "") -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {words or word + 's'}"
