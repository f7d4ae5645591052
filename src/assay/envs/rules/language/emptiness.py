"""What can be said of an expression without playing: that it always, or never, comes to a number.

Both answers are claims that hold in every game; where neither is given, nothing is known. `moved` says
whether a move was accepted before in the episode: until then every memory is empty.
"""

from __future__ import annotations

from assay.envs.rules.language.syntax import (
    Arithmetic,
    Comparison,
    Expression,
    Name,
    Not,
    Number,
    Text,
    Union,
)

NEAREST = ("Nearby", "Remotest")
MEMORIES = ("p", "pc", "ps", "last", "q")
NUMBERS_OF_RECORDS = ("pos", "bucket")


def always_holds(tree: Expression, moved: bool) -> bool:
    """Whether the expression is never the empty set."""
    if isinstance(tree, Text) or is_always_number(tree, moved):
        return True
    if isinstance(tree, Union):
        return any(always_holds(item, moved) for item in tree.items)
    if isinstance(tree, Name):
        return tree.parts == ("this",) or (tree.parts == ("last",) and moved)
    return False


def is_always_number(tree: Expression, moved: bool) -> bool:
    """Whether a whole number is always among the values."""
    if isinstance(tree, Number):
        return True
    if isinstance(tree, Name):
        return _names_a_number(tree.parts, moved)
    if isinstance(tree, Union):
        return any(is_always_number(item, moved) for item in tree.items)
    if isinstance(tree, Not):
        return is_never(tree.of, moved)
    if isinstance(tree, Arithmetic):
        divides = tree.operator in ("/", "%")
        right = _has_divisor(tree.right) if divides else is_always_number(tree.right, moved)
        return right and is_always_number(tree.left, moved)
    return False


def _names_a_number(parts: tuple[str, ...], moved: bool) -> bool:
    if len(parts) == 1:
        return parts[0] in NEAREST or (parts[0] == "p" and moved)
    known = parts[0] == "this" or (parts[0] == "last" and moved)
    return known and len(parts) == 2 and parts[1] in NUMBERS_OF_RECORDS


def _has_divisor(tree: Expression) -> bool:
    items = tree.items if isinstance(tree, Union) else (tree,)
    return any(isinstance(item, Number) and item.value != 0 for item in items)


def is_never(tree: Expression, moved: bool) -> bool:
    """Whether the expression is always the empty set."""
    if isinstance(tree, Name):
        is_known = tree.parts[0] in (*NEAREST, *MEMORIES, "this")
        return not is_known or (tree.parts[0] in MEMORIES and not moved)
    if isinstance(tree, Not):
        return always_holds(tree.of, moved)
    if isinstance(tree, Union):
        return all(is_never(item, moved) for item in tree.items)
    if isinstance(tree, Arithmetic):
        return any(isinstance(part, Text) or is_never(part, moved) for part in (tree.left, tree.right))
    if isinstance(tree, Comparison):
        return is_never(tree.left, moved) or is_never(tree.right, moved)
    return False
