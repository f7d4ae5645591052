"""A rule taken apart, before it is padded: lists of what will be rows of its tables. No jax here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from assay.envs.rules.engine.sizes import Sizes
from assay.envs.rules.engine.variables import Variable

Slot = tuple[int, int]  # an atom: its line, and its place in the line, both from 0
Kind = Literal["fixed", "common", "by_piece", "by_bucket", "by_both"]
KINDS: tuple[Kind, ...] = ("fixed", "common", "by_piece", "by_bucket", "by_both")


@dataclass(frozen=True)
class AtomDraft:
    """The conditions of an atom that need no table; sets of numbers, of which 0 stands for no value."""

    slot: Slot
    count: int  # -1: unmetered
    buckets: int  # bits
    shapes: frozenset[int]
    colors: frozenset[int]
    cells: frozenset[int]


@dataclass(frozen=True)
class ListDraft:
    """A position list with orders, or the orders of a `postpos`."""

    slot: Slot
    cells: frozenset[int]
    orders: frozenset[int]


@dataclass(frozen=True)
class FactorDraft:
    """A condition of an atom: where its table begins, and the weight of each variable in the index."""

    slot: Slot
    offset: int
    weights: tuple[tuple[Variable, int], ...]

    @property
    def kind(self) -> Kind:
        whose = {variable.whose for variable, _ in self.weights}
        if whose <= {"piece"}:
            return "fixed"
        if "bin" in whose:
            return "by_both" if whose & {"piece", "kin"} else "by_bucket"
        return "by_piece" if whose & {"piece", "kin"} else "common"


@dataclass
class Draft:
    """A rule as lists, which grow while it is read."""

    line_counts: list[int] = field(default_factory=list)
    atoms: list[AtomDraft] = field(default_factory=list)
    ranks: list[tuple[int, ...]] = field(default_factory=list)  # per order, of each cell from 1
    lists: list[ListDraft] = field(default_factory=list)
    trims: list[ListDraft] = field(default_factory=list)
    factors: list[FactorDraft] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    near: tuple[int, ...] = ()  # of each cell from 1

    def of_kind(self, kind: Kind) -> list[FactorDraft]:
        return [each for each in self.factors if each.kind == kind]

    def remembered(self, whose: str) -> list[Variable]:
        """The variables of one memory, sorted."""
        used = {variable for each in self.factors for variable, _ in each.weights}
        return sorted(variable for variable in used if variable.whose == whose)

    def sizes(self, frame: Sequence[int], pieces: int) -> Sizes:
        cells, buckets, rows, shapes, colors = frame
        last, kin, bins = (len(self.remembered(whose)) for whose in ("last", "kin", "bin"))
        fixed, common, by_piece, by_bucket, by_both = (len(self.of_kind(kind)) for kind in KINDS)
        atoms = max(place for each in self.atoms for _, place in [each.slot]) + 1
        return Sizes(
            cells=cells, buckets=buckets, pieces=pieces, rows=rows, shapes=shapes, colors=colors,
            lines=len(self.line_counts), atoms=atoms, lists=len(self.lists), orders=len(self.ranks),
            trims=len(self.trims), last=last, kin=kin, bins=bins, fixed=fixed, common=common,
            by_piece=by_piece, by_bucket=by_bucket, by_both=by_both, entries=len(self.entries),
        )  # fmt: skip
