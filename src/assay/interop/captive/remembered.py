"""The atoms of a rule with their answers remembered: sets of open buckets as bits, by what they depend on.

An answer of an atom has two parts. What the piece, its cell and the memory of the episode say is asked of
the interpreter's own atom, once for each kind of piece and each memory that the atom looks at. What orders
say depends on the cells that are occupied, and is found anew for each state from ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from assay.envs.rules.atoms import PlayableAtom, compile_atom
from assay.envs.rules.board import Piece, PropertyValue
from assay.envs.rules.evaluate import History
from assay.envs.rules.interpreter import Counts, Game
from assay.envs.rules.language.orders import Ranks, rank_orders
from assay.envs.rules.language.syntax import Atom, Cell, OrderName
from assay.envs.rules.language.walk import fields_of, variables_of

ALWAYS_THE_SAME = ("Nearby", "nearby", "Remotest", "remotest", "this")  # variables of the piece alone
MOST_KINDS = 20_000  # answers an atom remembers before it begins anew, so that memory is bounded


class Kind:
    """All of a piece but its id. Equal pieces have the same one, so that a look into a table is quick."""

    __slots__ = ()


@lru_cache(maxsize=MOST_KINDS)
def find_kind(cell: int, shape: str, color: str, properties: tuple[tuple[str, PropertyValue], ...]) -> Kind:
    return Kind()


@dataclass(frozen=True)
class RankedPositions:
    """A list of positions with orders in it: the cell is listed, or first in one of the orders."""

    cells: frozenset[int]
    orders: tuple[Ranks, ...]

    def keep_allowed(self, occupied: Sequence[int], masks: list[int]) -> list[int]:
        """The answers for the occupied cells that the list allows, and nothing for the others."""
        if len(self.orders) == 1 and not self.cells:  # the usual list, in a third less time
            ranks = self.orders[0]
            ranked = [ranks[cell - 1] for cell in occupied]
            best = min(ranked)
            return [mask if rank == best else 0 for mask, rank in zip(masks, ranked)]
        allowed = self.find_allowed(occupied)
        return [mask if cell in allowed else 0 for mask, cell in zip(masks, occupied)]

    def find_allowed(self, occupied: Sequence[int]) -> set[int]:
        """The cells that the list allows; of those that are not occupied it may say anything."""
        allowed = set(self.cells)
        for ranks in self.orders:
            ranked = [ranks[cell - 1] for cell in occupied]
            best = min(ranked)
            allowed.update([cell for cell, rank in zip(occupied, ranked) if rank == best])
        return allowed


class Standing:
    """The pieces on a board, in its order, with what atoms ask of them again and again."""

    def __init__(self, pieces: Sequence[Piece]):
        self.pieces = list(pieces)
        self.ids = [piece.id for piece in pieces]
        self.cells = [piece.cell for piece in pieces]
        self.kinds = [find_kind(each.cell, each.shape, each.color, each.properties) for each in pieces]

    def remove(self, place: int) -> Piece:
        del self.ids[place], self.cells[place], self.kinds[place]
        return self.pieces.pop(place)


class RememberedAtom:
    """An atom that is asked for all pieces of a state at once."""

    def __init__(self, game: Game, atom: Atom, ranks: dict[str, Ranks]):
        plain = tuple(each for each in atom.positions if all(isinstance(one, Cell) for one in each))
        self.plain: PlayableAtom = compile_atom(
            replace(atom, positions=plain, postpos=()), game.geometry, ranks
        )
        self.ranked = tuple(_rank(each, ranks) for each in atom.positions if each not in plain)
        known = [ranks[each.name] for each in atom.postpos if each.name in ranks]
        self.first_after = tuple(known) if atom.postpos else None
        names = {name.parts for field in fields_of(atom) for name in variables_of(field)}
        changing = {name for name in names if name[0] not in ALWAYS_THE_SAME}
        self.looks_at_history = bool(changing)
        self.looks_at_last_bucket_alone = changing == {("p",)}
        self.answers: dict[int | None, dict[Kind, int]] = {}  # by the last bucket, where it is looked at

    @property
    def is_fixed(self) -> bool:
        """Whether its answer for a piece is the same in every state."""
        return not (self.looks_at_history or self.ranked or self.first_after is not None)

    def takes(self, standing: Standing, history: History) -> list[int]:
        """For each piece of a state, the buckets that accept it, as bits."""
        if not self.looks_at_history:
            masks = self._recall(standing, None, history)
        elif self.looks_at_last_bucket_alone:
            masks = self._recall(standing, history[-1].bucket if history else None, history)
        else:
            masks = [to_bits(self.plain.takes((), history, piece)) for piece in standing.pieces]
        for each in self.ranked:
            masks = each.keep_allowed(standing.cells, masks)
        return masks if self.first_after is None else self._keep_first(standing.cells, masks)

    def _recall(self, standing: Standing, last: int | None, history: History) -> list[int]:
        """The answers as they were given before to such pieces, with that last bucket."""
        answers = self.answers.setdefault(last, {})
        try:
            return [answers[kind] for kind in standing.kinds]
        except KeyError:
            if len(answers) > MOST_KINDS:
                answers.clear()
        for kind, piece in zip(standing.kinds, standing.pieces):
            if kind not in answers:
                answers[kind] = to_bits(self.plain.takes((), history, piece))
        return [answers[kind] for kind in standing.kinds]

    def _keep_first(self, cells: Sequence[int], masks: list[int]) -> list[int]:
        """The answers after `postpos`: only those of cells that are first among the cells it takes."""
        assert self.first_after is not None
        rivals = [cell for cell, mask in zip(cells, masks) if mask]
        if not rivals:
            return masks
        first = RankedPositions(frozenset(), self.first_after).find_allowed(rivals)
        return [mask if cell in first else 0 for cell, mask in zip(cells, masks)]


def _rank(positions: Sequence[Cell | OrderName], ranks: dict[str, Ranks]) -> RankedPositions:
    cells = frozenset(each.number for each in positions if isinstance(each, Cell))
    named = [each.name for each in positions if isinstance(each, OrderName)]
    return RankedPositions(cells, tuple(ranks[name] for name in named if name in ranks))


def to_bits(buckets: frozenset[int]) -> int:
    return sum(1 << bucket for bucket in buckets)


@dataclass(frozen=True)
class RememberedLine:
    """A line of a rule; its counters when it is fresh."""

    atoms: tuple[RememberedAtom, ...]
    count: int | None
    atom_counts: Counts

    @cached_property
    def is_fixed(self) -> bool:
        """Whether an accepted move changes no answer for the pieces that stay, and no counter."""
        return not self.is_counted and all(atom.is_fixed for atom in self.atoms)

    @cached_property
    def is_counted(self) -> bool:
        return self.count is not None or any(count is not None for count in self.atom_counts)


def remember(game: Game) -> tuple[RememberedLine, ...]:
    """The lines of a game, with nothing remembered yet."""
    ranks = rank_orders(game.rule, game.geometry)
    return tuple(
        RememberedLine(
            tuple(RememberedAtom(game, atom, ranks) for atom in line.atoms), line.count, playable.atom_counts
        )
        for line, playable in zip(game.rule.lines, game.lines)
    )
