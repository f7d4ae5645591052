"""Rules as text again, with no more parentheses than they need: `parse(write(rule)) == rule`."""

from __future__ import annotations

from assay.envs.rules.language.parse import DISPLAY
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
    Position,
    Property,
    Range,
    Rule,
    Text,
    Union,
)
from assay.errors import AssayError

COMPARISON, SUM, PRODUCT, UNARY, PRIMARY = range(5)  # how tightly they bind
BINDS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT}


def write(rule: Rule) -> str:
    """The text of a rule: its comments, its orders, its lines."""
    comments = [f"# {line}".rstrip() for line in rule.description.split("\n")] if rule.description else []
    shown = [f"# {DISPLAY} {rule.shown_as}"] if rule.shown_as else []
    lines = [*comments, *shown, *map(write_order, rule.orders), *map(write_line, rule.lines)]
    return "\n".join(lines) + "\n"


def write_order(order: Order) -> str:
    groups = [str(group[0]) if len(group) == 1 else f"[{_join(group)}]" for group in order.groups]
    return f"Order {order.name} = [{', '.join(groups)}]"


def write_line(line: Line) -> str:
    count = [] if line.count is None else [str(line.count)]
    return " ".join([*count, *map(write_atom, line.atoms)])


def write_atom(atom: Atom) -> str:
    fits_a_tuple = len(atom.positions) <= 1 and not (atom.code or atom.postpos or atom.properties)
    return _write_tuple(atom) if fits_a_tuple and not atom.keyed else _write_keyed(atom)


def _write_tuple(atom: Atom) -> str:
    positions = write_positions(atom.positions[0]) if atom.positions else "*"
    values = [_write_values(each) for each in (atom.shape, atom.color)]
    return f"({', '.join([_write_count(atom.count), *values, positions, _write_values(atom.bucket)])})"


def _write_keyed(atom: Atom) -> str:
    fields = [f"count:{atom.count}"] if atom.count is not None else []
    for name, tree in (("shape", atom.shape), ("color", atom.color)):
        fields += [f"{name}:{write_expression(tree)}"] if tree is not None else []
    fields += [_write_property(each) for each in atom.properties]
    fields += [f"pos:{write_positions(each)}" for each in atom.positions]
    fields += [f"bucket:{write_expression(atom.bucket)}"] if atom.bucket is not None else []
    fields += [f"code:{write_expression(atom.code)}"] if atom.code is not None else []
    fields += [f"postpos:{write_positions(atom.postpos)}"] if atom.postpos else []
    return f"({', '.join(fields)})"


def _write_count(count: int | None) -> str:
    return "*" if count is None else str(count)


def _write_values(tree: Expression | None) -> str:
    return "*" if tree is None else write_expression(tree)


def _write_property(each: Property) -> str:
    if each.accepts is None:
        return f"{each.name}:*"
    if isinstance(each.accepts, tuple):
        return f"{each.name}:[{', '.join(map(_write_range, each.accepts))}]"
    return f"{each.name}:{write_expression(each.accepts)}"


def _write_range(limits: Range) -> str:
    return f"{limits.low}..{limits.high}"


def write_positions(positions: tuple[Position, ...]) -> str:
    names = [str(each.number) if isinstance(each, Cell) else each.name for each in positions]
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def write_expression(tree: Expression) -> str:
    if isinstance(tree, Number):
        return str(tree.value)
    if isinstance(tree, Text):
        return _write_text(tree.value)
    if isinstance(tree, Name):
        return ".".join(tree.parts)
    if isinstance(tree, Union):
        return f"[{', '.join(map(write_expression, tree.items))}]"
    if isinstance(tree, Not):
        return f"!{_write_part(tree.of, UNARY)}"
    binds = BINDS[tree.operator] if isinstance(tree, Arithmetic) else COMPARISON
    # Operators of one kind are read from the left, so an equal on the right needs parentheses.
    left = _write_part(tree.left, SUM if binds == COMPARISON else binds)
    return f"{left} {tree.operator} {_write_part(tree.right, binds + 1)}"


def _write_part(tree: Expression, fewest: int) -> str:
    text = write_expression(tree)
    return text if _binding(tree) >= fewest else f"({text})"


def _binding(tree: Expression) -> int:
    if isinstance(tree, Comparison):
        return COMPARISON
    if isinstance(tree, Arithmetic):
        return BINDS[tree.operator]
    return UNARY if isinstance(tree, Not) else PRIMARY


def _write_text(value: str) -> str:
    if '"' in value or "\n" in value:
        raise AssayError(f"the text {value!r} holds a quote or a line break, which no rule file can hold.")
    return f'"{value}"'


def _join(cells: tuple[int, ...]) -> str:
    return ", ".join(map(str, cells))
