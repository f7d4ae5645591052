"""All states that a game can reach from a board, with states merged that no rule could tell apart.

What a rule asks of pieces (shape, colour, cell) makes their class; pieces of one class are interchangeable.
What it remembers of accepted moves makes its memory. A state is then the classes that are left, the line with
its counters, and the memory. Refused attempts change nothing, so that every edge removes a piece.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from assay.envs.rules.board import Board, Piece
from assay.envs.rules.codes import Finish
from assay.envs.rules.evaluate import NEAREST, REMOTEST
from assay.envs.rules.interpreter import Game, State, attempt, begin, legal_buckets
from assay.envs.rules.language.syntax import Expression, Name, Not, Rule
from assay.envs.rules.language.walk import Field, atoms_of, fields_of, nodes_of, variables_of
from assay.envs.rules.set_arithmetic import Seen

MOST_STATES = 2_000
History = tuple[Seen, ...]
Memory = Callable[[History], Hashable]
FEATURES = ("color", "pos", "shape")
BUCKET = "bucket"


@dataclass(frozen=True)
class Node:
    """A state of a graph. Its successors carry how many legal moves lead there."""

    left: int  # pieces on the board
    cleared: bool
    moves: int  # legal moves, as pairs of a piece and a bucket; 0 where the game is over
    successors: tuple[tuple[Hashable, int], ...]


@dataclass(frozen=True)
class Graph:
    root: Hashable
    nodes: dict[Hashable, Node]

    def ordered(self) -> list[Hashable]:
        """The states, those with the fewest pieces first, so that successors come before."""
        return sorted(self.nodes, key=lambda key: self.nodes[key].left)

    def can_clear(self) -> bool:
        """Whether some sequence of legal moves clears the board."""
        clears: dict[Hashable, bool] = {}
        for key in self.ordered():
            node = self.nodes[key]
            clears[key] = node.cleared or any(clears[after] for after, _ in node.successors)
        return clears[self.root]


def asked_features(rule: Rule) -> tuple[str, ...]:
    """The features of a piece that can decide what the rule accepts; all of them where it asks for others."""
    asked = {part for name in _names(rule) for part in _features_of(name)}
    for atom in atoms_of(rule):
        asked |= {"shape"} if atom.shape is not None else set()
        asked |= {"color"} if atom.color is not None else set()
        asked |= {"pos"} if atom.positions or atom.postpos else set()
        asked |= {each.name for each in atom.properties}
    return tuple(sorted(asked - {BUCKET}))


def _names(rule: Rule) -> list[Name]:
    return [name for atom in atoms_of(rule) for field in fields_of(atom) for name in variables_of(field)]


def _features_of(name: Name) -> tuple[str, ...]:
    first = name.parts[0]
    if first in NEAREST + REMOTEST:
        return ("pos",)
    if first in ("pc", "ps"):
        return ("color",) if first == "pc" else ("shape",)
    if first in ("this", "last") and len(name.parts) == 1:
        return FEATURES
    return name.parts[1:]


def class_of(piece: Piece, asked: tuple[str, ...]) -> Hashable:
    return tuple(piece.ask(name) for name in asked)


def memory_of(rule: Rule, asked: tuple[str, ...]) -> Memory:
    """What of the accepted moves can still decide something."""
    parts: list[Memory] = []
    bare = {name for atom in atoms_of(rule) for field in fields_of(atom) for name in _not_only_negated(field)}
    for name in dict.fromkeys(name.parts for name in _names(rule)):
        first, rest = name[0], name[1:]
        if first in ("pc", "ps") or (first == "p" and rest):
            parts.append(_latest_buckets({"pc": "color", "ps": "shape"}.get(first) or rest[0]))
        elif first == "p":
            parts.append(lambda history: history[-1].bucket if history else None)
        elif first == "last":
            parts.append(lambda history: _shown(history[-1], asked) if history else None)
        elif first == "q" and rest:
            parts.append(_latest_moves(rest[0], asked) if name in bare else _values_seen(rest[0]))
    return lambda history: tuple(part(history) for part in parts)


def _not_only_negated(field: Field) -> set[tuple[str, ...]]:
    """The names of a field that stand outside of `!`, where more than their being there can matter."""

    def walk(tree: Expression) -> set[tuple[str, ...]]:
        if isinstance(tree, Not) and isinstance(tree.of, Name):
            return set()
        if isinstance(tree, Name):
            return {tree.parts}
        inner = [node for node in nodes_of(tree) if node is not tree]
        direct = {id(deep) for node in inner for deep in nodes_of(node) if deep is not node}
        return {name for node in inner if id(node) not in direct for name in walk(node)}

    return walk(field.tree)


def _value(seen: Seen, name: str) -> Hashable:
    return seen.bucket if name == BUCKET else seen.piece.ask(name)


def _shown(seen: Seen, asked: tuple[str, ...]) -> Hashable:
    return class_of(seen.piece, asked), seen.bucket


def _latest_buckets(name: str) -> Memory:
    return lambda history: frozenset({_value(seen, name): seen.bucket for seen in history}.items())


def _latest_moves(name: str, asked: tuple[str, ...]) -> Memory:
    return lambda history: frozenset({_value(seen, name): _shown(seen, asked) for seen in history}.items())


def _values_seen(name: str) -> Memory:
    return lambda history: frozenset(_value(seen, name) for seen in history)


def explore(game: Game, board: Board, most: int = MOST_STATES) -> Graph | None:
    """The graph of a board; None where it would have more than `most` states."""
    asked = asked_features(game.rule)
    memory = memory_of(game.rule, asked)

    def key_of(state: State) -> Hashable:
        left = tuple(sorted((class_of(piece, asked) for piece in state.pieces), key=repr))
        if state.finish != Finish.PLAYING:
            return left, state.finish
        return left, state.line, state.line_count, state.atom_counts, memory(state.history)

    first = begin(game, board)
    root = key_of(first)
    nodes: dict[Hashable, Node] = {}
    pending = {root: first}
    while pending:
        key, state = pending.popitem()
        nodes[key], reached = _expand(game, state, asked, key_of)
        pending |= {after: later for after, later in reached.items() if after not in nodes}
        if len(nodes) + len(pending) > most:
            return None
    return Graph(root, nodes)


def _expand(
    game: Game, state: State, asked: tuple[str, ...], key_of: Callable[[State], Hashable]
) -> tuple[Node, dict[Hashable, State]]:
    """The node of a state, and the states that its legal moves lead to."""
    legal = legal_buckets(game, state)
    moves = Counter(
        (class_of(piece, asked), bucket) for piece in state.pieces for bucket in sorted(legal[piece.id])
    )
    named = {class_of(piece, asked): piece.id for piece in state.pieces}
    reached: dict[Hashable, State] = {}
    successors: Counter[Hashable] = Counter()
    for (kind, bucket), count in moves.items():
        _, after = attempt(game, state, named[kind], bucket)
        reached[key_of(after)] = after
        successors[key_of(after)] += count
    cleared = state.finish == Finish.CLEARED
    return Node(len(state.pieces), cleared, moves.total(), tuple(successors.items())), reached
