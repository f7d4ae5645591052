"""Random rules, boards and moves that use every construct of the language, from a seed.

    sample = draw_sample(random.Random(3))
    sample.rule, sample.geometry, sample.board, sample.moves

`constructs_of` names what a sample uses; `test_random_rules.py` counts that none of CONSTRUCTS is rare. A
sample is one that strict reading accepts, so `parse(write(sample.rule), geometry=sample.geometry)` is it;
with `lenient=True` it also says what only `strict=False` reads, as names and cells that do not exist.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from assay.envs.rules.board import COLORS, SHAPES, Board, Piece
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.interpreter import attempt, begin, legal_buckets, prepare
from assay.envs.rules.language.orders import BUILT_IN
from assay.envs.rules.language.syntax import (
    Arithmetic,
    Atom,
    Cell,
    Comparison,
    Expression,
    Line,
    Name,
    Not,
    Number,
    Order,
    OrderName,
    Position,
    Property,
    Range,
    Rule,
    Text,
    Union,
)

GEOMETRIES = (Geometry(5, 5, 4), Geometry(7, 4, 4), Geometry(4, 6, 3), Geometry(6, 6, 6), Geometry(3, 3, 5))
NUMERIC, WORDED = "size", "kind"  # the properties of property pieces
WORDS = ("cat", "Dog", "OWL")
VALUES = ((NUMERIC, (0, 1, 2, 3, 4, "*")), (WORDED, (*WORDS, "*")))  # all that pieces have of properties
SHAPE_NAMES, COLOR_NAMES = (*SHAPES, "ARROWS/UP"), (*COLORS, "ÖLIG")  # as a path, and beyond ASCII
LARGE = (2_147_483_647, -2_147_483_647, 65_536)  # sums and products of these do not fit into 32 bits
UNKNOWN = (("nobody",), ("last", "weight"), ("q", "nobody", "pos"), ("p", "weight"))
UNKNOWN_ORDER = "Nowhere"
FIELDS = ("shape", "color", "pos", "bucket", NUMERIC, WORDED)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
OPERATORS = ("+", "-", "*", "/", "%")


@dataclass(frozen=True)
class Sample:
    """A game to play: attempts are (piece id, bucket); some name a piece that is gone or that never was."""

    rule: Rule
    geometry: Geometry
    board: Board
    moves: tuple[tuple[int, int], ...]


def draw_sample(
    chance: random.Random,
    *,
    geometry: Geometry | None = None,
    pieces: tuple[int, int] = (2, 12),
    moves: int = 40,
    guided: bool = False,
    lenient: bool = False,
) -> Sample:
    """One sample; a geometry that is given is kept, else it is the usual one for half of all samples.

    Guided moves are often ones that the rule accepts, so that games get far; the interpreter finds them.
    """
    place = geometry or (STANDARD if chance.random() < 0.5 else chance.choice(GEOMETRIES))
    has_properties = chance.random() < 0.5
    rule = RuleDraw(chance, place, has_properties, lenient).draw_rule()
    count = min(chance.randint(*pieces), place.cells)
    board = draw_board(chance, place, count, has_properties)
    sample = Sample(rule, place, board, ())
    attempts = draw_guided if guided else draw_attempts
    return replace(sample, moves=tuple(attempts(chance, sample, moves)))


def draw_attempts(chance: random.Random, sample: Sample, moves: int) -> list[tuple[int, int]]:
    count, buckets = len(sample.board.pieces), sample.geometry.buckets
    return [(chance.randrange(count), chance.randrange(buckets)) for _ in range(moves)]


def draw_guided(chance: random.Random, sample: Sample, moves: int) -> list[tuple[int, int]]:
    """Two of five are legal where any move is, and one of fifty names what does not exist."""
    game = prepare(sample.rule, sample.geometry)
    state, attempts = begin(game, sample.board), []
    for piece, bucket in draw_attempts(chance, sample, moves):
        kind = chance.random()
        if kind < 0.4:
            legal = [(p, b) for p, some in legal_buckets(game, state).items() for b in sorted(some)]
            piece, bucket = chance.choice(legal) if legal else (piece, bucket)
        elif kind < 0.41:
            piece = len(sample.board.pieces)
        elif kind < 0.42:
            bucket = chance.choice((-1, sample.geometry.buckets))
        attempts.append((piece, bucket))
        state = attempt(game, state, piece, bucket)[1]
    return attempts


def draw_board(chance: random.Random, geometry: Geometry, count: int, has_properties: bool) -> Board:
    cells = list(range(1, geometry.cells + 1))
    crowded = chance.random() < 0.2
    chosen = sorted(chance.choices(cells, k=count) if crowded else chance.sample(cells, count))
    return Board(tuple(draw_piece(chance, i, cell, has_properties) for i, cell in enumerate(chosen)))


def draw_piece(chance: random.Random, number: int, cell: int, has_properties: bool) -> Piece:
    shape, color = chance.choice(SHAPE_NAMES), chance.choice(COLOR_NAMES)
    if not has_properties:
        return Piece(number, shape, color, cell)
    properties: list[tuple[str, int | str]] = []
    if chance.random() < 0.9:
        properties.append((NUMERIC, "*" if chance.random() < 0.1 else chance.randint(0, 4)))
    if chance.random() < 0.9:
        properties.append((WORDED, "*" if chance.random() < 0.1 else chance.choice(WORDS)))
    bare = chance.random() < 0.1 and bool(properties)
    return Piece(number, "" if bare else shape, "" if bare else color, cell, tuple(properties))


class RuleDraw:
    """Draws a rule for boards of one geometry, with properties or without."""

    def __init__(self, chance: random.Random, geometry: Geometry, has_properties: bool, lenient: bool):
        self.chance, self.geometry, self.has_properties = chance, geometry, has_properties
        self.lenient = lenient
        self.orders: tuple[Order, ...] = ()

    def happens(self, probability: float) -> bool:
        return self.chance.random() < probability

    def draw_rule(self) -> Rule:
        if self.happens(0.3):
            self.orders = (self.draw_order("Mine"),)
        if self.happens(0.15):
            self.orders += (self.draw_order(self.chance.choice(tuple(BUILT_IN))),)
        lines = tuple(self.draw_line() for _ in range(self.chance.choice((1, 1, 2, 2, 3, 4))))
        return Rule(lines, self.orders)

    def draw_order(self, name: str) -> Order:
        cells = list(range(1, self.geometry.cells + 1))
        self.chance.shuffle(cells)
        if self.happens(0.5):
            cells = cells[: self.chance.randint(1, len(cells))]
        groups: list[tuple[int, ...]] = []
        while cells:
            size = self.chance.randint(1, 3) if self.happens(0.5) else 1
            groups.append(tuple(cells[:size]))
            cells = cells[size:]
        return Order(name, tuple(groups))

    def draw_line(self) -> Line:
        atoms = tuple(self.draw_atom() for _ in range(self.chance.choice((1, 1, 2, 2, 3, 4))))
        return Line(atoms, self.draw_count(0.3))

    def draw_count(self, probability: float) -> int | None:
        if not self.happens(probability):
            return None
        return 0 if self.happens(0.1) else self.chance.randint(1, 4)

    def draw_atom(self) -> Atom:
        if self.happens(0.05):
            return Atom()
        atom = Atom(
            count=self.draw_count(0.35),
            shape=self.draw_values("shape", SHAPE_NAMES) if self.happens(0.25) else None,
            color=self.draw_values("color", COLOR_NAMES) if self.happens(0.25) else None,
            positions=self.draw_position_lists(),
            bucket=self.draw_bucket() if self.happens(0.75) else None,
        )
        if len(atom.positions) <= 1 and self.happens(0.4):
            return replace(atom, keyed=False)
        return replace(
            atom,
            code=self.draw_code() if self.happens(0.2) else None,
            postpos=self.draw_postpos() if self.happens(0.2) else (),
            properties=self.draw_properties() if self.has_properties and self.happens(0.5) else (),
        )

    def draw_position_lists(self) -> tuple[tuple[Position, ...], ...]:
        if self.happens(0.65):
            return ()
        return tuple(self.draw_positions() for _ in range(2 if self.happens(0.15) else 1))

    def draw_positions(self) -> tuple[Position, ...]:
        if self.happens(0.5):
            return tuple(self.draw_order_name() for _ in range(2 if self.happens(0.2) else 1))
        beyond = 20 if self.lenient else 0  # cells that the board does not have
        cells = self.chance.sample(range(1, self.geometry.cells + 1 + beyond), self.chance.randint(1, 9))
        listed: list[Position] = [Cell(cell) for cell in cells]
        if self.happens(0.2):
            listed.append(self.draw_order_name())
        return tuple(listed)

    def draw_order_name(self) -> OrderName:
        if self.lenient and self.happens(0.2):
            return OrderName(UNKNOWN_ORDER)
        return OrderName(self.chance.choice((*BUILT_IN, *(2 * [order.name for order in self.orders]))))

    def draw_postpos(self) -> tuple[OrderName, ...]:
        return tuple(self.draw_order_name() for _ in range(2 if self.happens(0.2) else 1))

    def draw_values(self, field: str, names: tuple[str, ...]) -> Expression:
        kind = self.chance.random()
        if self.lenient and kind < 0.15:
            return Not(Name((self.chance.choice(names[:4]),)))  # is that variable undefined? so it is 1
        if kind < 0.4:
            return self.draw_literal(names)
        if kind < 0.5:
            return Text(self.chance.choice(names))
        if kind < 0.7:
            listed = self.chance.sample(names, self.chance.randint(1, 3))
            return Union(tuple(self.draw_literal((each,)) for each in listed))
        asked = Name(self.chance.choice((("last", field), ("q", "bucket", field), ("this", field))))
        if kind < 0.8:
            return asked
        literal = Text(self.chance.choice(names)) if self.happens(0.4) else self.draw_literal(names)
        return Union((literal, asked))

    def draw_literal(self, names: tuple[str, ...]) -> Expression:
        """A name; in quotes where it is no single word."""
        name = self.chance.choice(names)
        return Name((name,)) if name.isidentifier() else Text(name)

    def draw_bucket(self) -> Expression:
        kind = self.chance.random()
        if kind < 0.25:
            return Number(self.chance.randint(-2, self.geometry.buckets + 1))
        if kind < 0.4:
            return Union(tuple(Number(each) for each in self.draw_some_buckets()))
        if kind < 0.55:
            return Name((self.chance.choice(("Nearby", "Remotest", "p", "pc", "ps")),))
        if kind < 0.7:
            return self.draw_idiom()
        return self.draw_expression(2)

    def draw_some_buckets(self) -> list[int]:
        return self.chance.sample(range(self.geometry.buckets), self.chance.randint(1, 3))

    def draw_idiom(self) -> Expression:
        """Anything first, then something that depends on what went before: [!p * [0, 1], p + 1]."""
        memory = Name(self.chance.choice((("p",), ("pc",), ("ps",), ("p", "color"), ("last", "bucket"))))
        begin = Arithmetic("*", Not(memory), Union(tuple(map(Number, self.draw_some_buckets()))))
        moved = Arithmetic(self.chance.choice("+-"), memory, Number(self.chance.randint(1, 3)))
        return Union((begin, moved))

    def draw_code(self) -> Expression:
        kind = self.chance.random()
        if kind < 0.25:
            return Not(self.draw_variable())
        if kind < 0.45:
            return self.draw_text_comparison()
        if kind < 0.85:
            operator = self.chance.choice(COMPARISONS)
            return Comparison(operator, self.draw_expression(1), self.draw_expression(1))
        return self.draw_expression(2)

    def draw_text_comparison(self) -> Expression:
        field = self.chance.choice(("shape", "color"))
        left, other = Name(("this", field)), Name((self.chance.choice(("last", "this")), field))
        literal = Text(self.chance.choice(SHAPES if field == "shape" else COLORS))
        return Comparison(self.chance.choice(("==", "!=")), left, literal if self.happens(0.5) else other)

    def draw_expression(self, depth: int) -> Expression:
        kind = self.chance.random()
        if depth == 0 or kind < 0.2:
            return self.draw_leaf()
        if kind < 0.25:
            operator, sides = self.chance.choice(OPERATORS), (self.draw_list(depth), self.draw_list(depth))
            return Arithmetic(operator, *sides)
        if kind < 0.65:
            operator = self.chance.choice(OPERATORS)
            return Arithmetic(operator, self.draw_expression(depth - 1), self.draw_expression(depth - 1))
        if kind < 0.75:
            inside = self.draw_expression(depth - 1)
            return Not(Not(inside)) if self.happens(0.4) else Not(inside)
        if kind < 0.9:
            return self.draw_list(depth)
        operator = self.chance.choice(COMPARISONS)
        return Comparison(operator, self.draw_expression(depth - 1), self.draw_expression(depth - 1))

    def draw_list(self, depth: int) -> Union:
        return Union(tuple(self.draw_expression(depth - 1) for _ in range(self.chance.randint(1, 3))))

    def draw_leaf(self) -> Expression:
        kind = self.chance.random()
        if kind < 0.03:
            return Number(self.chance.choice(LARGE))
        if kind < 0.45:
            return Number(self.chance.randint(-3, 7))
        return Text(self.chance.choice((*COLORS, *WORDS))) if kind < 0.48 else self.draw_variable()

    def draw_variable(self) -> Name:
        if self.lenient and self.happens(0.3):
            return Name(self.chance.choice(UNKNOWN))
        if self.happens(0.3):
            return Name((self.chance.choice(("p", "p", "pc", "ps", "Nearby", "Remotest")),))
        first = self.chance.choice(("p", "p", "this", "this", "last", "last", "q", "q"))
        fields = (*FIELDS, NUMERIC, WORDED) if self.has_properties else FIELDS[:4]
        asked = [self.chance.choice(fields)]
        if first == "q" and self.happens(0.6):
            asked.append(self.chance.choice(fields))
        if first in ("this", "last") and self.happens(0.2):
            asked = []
        return Name((first, *asked))

    def draw_properties(self) -> tuple[Property, ...]:
        names = [NUMERIC, WORDED] if self.happens(0.2) else [self.chance.choice((NUMERIC, WORDED))]
        return tuple(self.draw_property(name) for name in names)

    def draw_property(self, name: str) -> Property:
        kind = self.chance.random()
        if kind < 0.1:
            return Property(name, None)
        if name == WORDED:
            return Property(name, self.draw_words() if kind < 0.8 else Name(("last", WORDED)))
        if kind < 0.45:
            lows = [self.chance.randint(0, 3) for _ in range(2 if self.happens(0.3) else 1)]
            return Property(name, tuple(Range(low, low + self.chance.randint(0, 2)) for low in lows))
        if kind < 0.65:
            return Property(name, Number(self.chance.randint(0, 4)))
        if kind < 0.8:
            return Property(name, Union(tuple(Number(self.chance.randint(0, 4)) for _ in range(2))))
        return Property(name, self.draw_expression(2))

    def draw_words(self) -> Expression:
        if self.happens(0.2):
            return Text(self.chance.choice(WORDS))
        if self.happens(0.5):
            return Name((self.chance.choice(WORDS),))
        return Union(tuple(Name((each,)) for each in self.chance.sample(WORDS, 2)))
