"""Signs, letters and inks with which pieces of hidden rules are written. No jax here."""

from __future__ import annotations

from dataclasses import dataclass

from assay.envs.rules.board import Piece
from assay.envs.rules.engine.variables import Vocabulary

SIGNS = {"SQUARE": "■", "STAR": "★", "CIRCLE": "●", "TRIANGLE": "▲", "HEXAGON": "⬢", "DIAMOND": "◆"}
SPARE_SIGNS = "♥♣♠♦✚✖✿☾"
# For terminals without these signs, one letter for one: a drawing keeps its columns.
IN_LETTERS = str.maketrans("■★●▲⬢◆♥♣♠♦✚✖✿☾", "#*OT@V&%$~+X=C")
# Of 256-colour terminals. Black ink needs a light cell, so that cells of pieces have one.
INKS = {"RED": 160, "BLACK": 16, "BLUE": 26, "YELLOW": 136, "GREEN": 28, "ORANGE": 166, "PURPLE": 91}
LIGHT, GOOD, BAD, FAINT = 255, 34, 160, 245
MOST_KINDS = 12  # that a legend lists
MOST_LETTERS = 60  # of what a legend says of a kind


def paint(text: str, ink: int, ground: int | None = None, bold: bool = False) -> str:
    """Text in the colours of a terminal."""
    codes = [*(["1"] if bold else []), f"38;5;{ink}", *([f"48;5;{ground}"] if ground is not None else [])]
    return f"\033[{';'.join(codes)}m{text}\033[0m"


def leave_plain(text: str, ink: int, ground: int | None = None, bold: bool = False) -> str:
    """Text where colours are not wanted."""
    return text


def short_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """A letter for each name, its first that no other name before it has; black is K, as printers say."""
    taken: list[str] = []
    for name in names:
        letters = [*("K" if name == "BLACK" else ""), *name, *"0123456789"]
        taken.append(next(letter for letter in letters if letter not in taken))
    return tuple(taken)


@dataclass(frozen=True)
class Signs:
    """How pieces are written and named. Shapes, colours and kinds are numbers from 1, as they are shown."""

    vocabulary: Vocabulary
    kinds: tuple[Piece, ...] = ()  # where pieces are shown by the number of their kind
    hides: frozenset[str] = frozenset()  # features that are not shown: "shape", "color"

    @property
    def legend(self) -> str:
        """What the signs mean, in a line."""
        if self.kinds:
            return self.list_kinds(range(1, len(self.kinds) + 1))
        names = self.vocabulary
        shapes = ", ".join(
            f"{self.sign_of(i, 1)[0]} {name.lower()}" for i, name in enumerate(names.shapes, 1)
        )
        colors = ", ".join(
            f"{letter} {name.lower()}" for letter, name in zip(short_names(names.colors), names.colors)
        )
        told = [*([] if "color" in self.hides else [colors]), *([] if "shape" in self.hides else [shapes])]
        return f"{'; '.join(told)}." if told else "A piece is ??."

    def list_kinds(self, numbers: range | list[int]) -> str:
        """These kinds with their properties, as many as fit into a legend."""
        told = "; ".join(f"#{number} {self.describe_kind(number)}" for number in numbers[:MOST_KINDS])
        left = len(numbers) - MOST_KINDS
        return f"{told}; and {left} more kinds." if left > 0 else f"{told}."

    def describe_kind(self, number: int) -> str:
        kind = self.kinds[number - 1]
        looks = [kind.color.lower(), kind.shape.lower()]
        text = " ".join([*filter(None, looks), *(f"{name}={value}" for name, value in kind.properties)])
        return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."

    def name_piece(self, shape: int, color: int) -> str:
        """A piece in words."""
        if self.kinds:
            return f"kind {shape}"
        name = "" if "color" in self.hides else f"{self.vocabulary.colors[color - 1]} "
        what = "piece" if "shape" in self.hides else self.vocabulary.shapes[shape - 1]
        return f"{name}{what}".lower()

    def sign_of(self, shape: int, color: int) -> tuple[str, str, int]:
        """The sign of a piece, the first letters of its colour, and its ink."""
        if self.kinds:
            return str(shape), "#", INKS["BLACK"]
        names = self.vocabulary
        sign = SIGNS.get(names.shapes[shape - 1], SPARE_SIGNS[(shape - 1) % len(SPARE_SIGNS)])
        sign = "?" if "shape" in self.hides else sign
        if "color" in self.hides:
            return sign, "?", INKS["BLACK"]
        ink = INKS.get(names.colors[color - 1], 89 + color)
        return sign, short_names(names.colors)[color - 1], ink
