"""The padded sizes of compiled rules. Rules of equal sizes stack, and run in one program. No jax here.

Every size is structure: a part of the language that no rule of a batch uses has size 0, and its arithmetic is
left out of the program.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from assay.errors import AssayError

# Limits of one rule. A rule beyond them is refused with its reason.
MOST_PIECES = 128
MOST_LINES = 64
MOST_ATOMS = 64  # of one line
MOST_FACTORS = 256  # of each kind
MOST_ENTRIES = 2**18  # of all its tables together
MOST_ORDERS = 64


@dataclass(frozen=True)
class Sizes:
    """How large the arrays of a compiled rule are."""

    cells: int
    buckets: int
    pieces: int  # slots of a board; boards with fewer pieces leave the last ones empty
    rows: int  # what a piece is: shape, colour, cell, its place among the buckets, then named properties
    shapes: int
    colors: int
    lines: int
    atoms: int  # of the longest line
    lists: int  # position lists with an order among them
    orders: int
    trims: int  # atoms with `postpos`
    last: int  # remembered values of the last piece: p, last.color
    kin: int  # of the last piece that shares a property with a piece: pc, q.shape.pos
    bins: int  # of the last piece in a bucket: q.bucket.color
    # Factors by what their value depends on, apart from the bucket tried; see `factors.py`.
    fixed: int  # on the piece alone
    common: int  # on the last piece
    by_piece: int
    by_bucket: int
    by_both: int
    entries: int  # of all tables together

    @property
    def words(self) -> int:
        """How many words of 32 bits hold a set of pieces."""
        return words_of(self.pieces)

    def holds(self, other: Sizes) -> bool:
        return self.frame == other.frame and all(
            getattr(other, each.name) <= getattr(self, each.name) for each in fields(Sizes)
        )

    @property
    def frame(self) -> tuple[int, ...]:
        """What must be equal, since it is no padding."""
        return (self.cells, self.buckets, self.rows, self.shapes, self.colors)


LIMITS = {
    "pieces": (MOST_PIECES, "pieces on a board"),
    "lines": (MOST_LINES, "lines"),
    "atoms": (MOST_ATOMS, "atoms in one line"),
    "orders": (MOST_ORDERS, "orders in use"),
    "fixed": (MOST_FACTORS, "expressions about the piece alone"),
    "common": (MOST_FACTORS, "expressions about the last piece"),
    "by_piece": (MOST_FACTORS, "expressions about what a piece remembers"),
    "by_bucket": (MOST_FACTORS, "expressions about what a bucket remembers"),
    "by_both": (MOST_FACTORS, "expressions about what pieces and buckets remember"),
}


def words_of(bits: int) -> int:
    return -(-bits // 32)


def check_limits(sizes: Sizes) -> None:
    """Refuses a rule that is larger than the engine allows."""
    for name, (most, what) in LIMITS.items():
        if getattr(sizes, name) > most:
            raise AssayError(
                f"the compiled engine takes up to {most} {what}, not {getattr(sizes, name)}; "
                "shorten the rule, or play it with the plain interpreter."
            )


def common_sizes(sizes: Iterable[Sizes]) -> Sizes:
    """The smallest sizes that hold all of these."""
    every = list(sizes)
    if not every:
        raise AssayError("sizes in common need at least one compiled rule.")
    if len({each.frame for each in every}) > 1:
        raise AssayError(
            "rules run in one program only on boards of one size with the same buckets, shapes, colours and "
            "properties; compile these rules for the same ones."
        )
    return Sizes(*(max(getattr(each, field.name) for each in every) for field in fields(Sizes)))
