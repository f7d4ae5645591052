"""Compiles checked rules to a Python function, whose text is written from parsed nodes alone.

A compiled hook is called with (ram, put, mem, draw, frame, action, points): a snapshot of the 128 cells, the
function that writes one cell, the variation's memory, its random stream and the frames since reset. Action
hooks also get the action about to be executed, reward hooks the points that the emulator just paid. The hooks
in WITH_CELLS_BEFORE also get the cells before the frame (`old`) and at the episode's start (`start`). All
conditions of one call read the same snapshot. Values are written modulo 256.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.envs.atari.rule_functions import HELPERS
from assay.envs.atari.rule_language import (
    COMPARISONS,
    DRAWING,
    Among,
    Call,
    Item,
    Name,
    Node,
    Number,
    Operation,
    Quantifier,
)
from assay.envs.atari.rule_records import Rule
from assay.positions import Unreadable

ACTIONS = (
    "NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN", "UPRIGHT", "UPLEFT", "DOWNRIGHT", "DOWNLEFT", "UPFIRE",
    "RIGHTFIRE", "LEFTFIRE", "DOWNFIRE", "UPRIGHTFIRE", "UPLEFTFIRE", "DOWNRIGHTFIRE", "DOWNLEFTFIRE",
)  # fmt: skip
CELLS = 128
ARGUMENTS = "ram, put, mem, draw, frame, action, points"
WITH_CELLS_BEFORE = ("before", "event", "hide")
KEEPERS = {
    "was": ("old", ("event", "objects")),
    "at_start": ("start", WITH_CELLS_BEFORE),
}  # function -> array, hooks
OF_CHANCES = {"probability": "draw.level", "happens": "draw.happens()", "happens_once": "draw.happens_once()"}
RETURNED = {"reward": ["return points"], "action": ["return action"], "event": ["return points, owed"]}


def arguments_of(hook: str) -> str:
    return f"{ARGUMENTS}, old, start" if hook in WITH_CELLS_BEFORE else ARGUMENTS


@dataclass(frozen=True)
class Scope:
    """The meanings of the names in a hook."""

    cells: Mapping[str, tuple[int, ...] | int]  # a range of cells, or one
    memory: Mapping[str, int]  # name -> index in the memory; of lists too
    lists: frozenset[str] = frozenset()  # the names of memory that hold a list
    constants: Mapping[str, Any] = field(default_factory=dict)  # `value`, and the names of loops
    locals: frozenset[str] = frozenset()
    hook: str = "frame"
    has_chance: bool = False  # whether the variation's level is a probability

    def names(self) -> list[str]:
        return [*self.cells, *self.memory, *self.constants, *self.locals]


class HookWriter:
    """Writes the body of one hook."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.lines: list[str] = ["owed = 0"] if scope.hook == "event" else []
        # Cell -> the numbers that rules write there; None stands for a number that is not constant.
        self.numbers: dict[int, set[int | None]] = {}

    def write_rule(self, rule: Rule) -> None:
        if rule.loop is None:
            return self.write_once(rule, self.scope)
        name, among = rule.loop
        if name in self.scope.names():
            raise Unreadable(f"the loop's name {name!r} already means something else", among.at)
        for value in values_of(among, self.scope):
            constants = {**self.scope.constants, name: value}
            self.write_once(rule, replace(self.scope, constants=constants))
        return None

    def write_once(self, rule: Rule, scope: Scope) -> None:
        for name, node in rule.let:
            if name in self.scope.names():
                raise Unreadable(f"{name!r} already means something else", node.at)
            self.lines.append(f"v_{name} = {write_expression(node, scope)}")
            scope = replace(scope, locals=scope.locals | {name})
        indent = "    " if rule.when is not None else ""
        if rule.when is not None:
            self.lines.append(f"if {write_expression(rule.when, scope)}:")
        before = len(self.lines)
        for target, nodes in rule.sets:
            for line in self.write_assignments(target, nodes, scope):
                self.lines.append(indent + line)
        if rule.pays is not None:
            self.lines.append(f"{indent}points = {write_expression(rule.pays, scope)}")
        if rule.owes is not None:
            self.lines.append(f"{indent}owed += {write_expression(rule.owes, scope)}")
        if rule.becomes is not None:
            self.lines.append(f"{indent}action = {write_expression(rule.becomes, scope)}")
        if rule.keeps:
            targets = ", ".join(write_memory_entry(target, scope) for target, _ in rule.keeps)
            values = ", ".join(write_expression(node, scope) for _, node in rule.keeps)
            self.lines.append(f"{indent}{targets} = {values}")
        if len(self.lines) == before and rule.when is not None:
            self.lines.append("    pass")

    def write_assignments(self, target: Node, values: tuple[Node, ...], scope: Scope) -> list[str]:
        """One line per cell; a single value is computed anew for each cell."""
        if isinstance(target, Item) and constant_value(target.index, scope) is None:
            address = write_address(target, scope)
            for cell in cells_of(target.name, scope):
                self.numbers.setdefault(cell, set()).add(None)
            return [f"put({address}, {write_byte(values[0], scope)})"]
        cells = addresses(target, scope)
        if len(values) not in (1, len(cells)):
            raise Unreadable(
                f"{len(values)} values for {len(cells)} cells; give one value or one per cell",
                target.at,
            )
        for i, cell in enumerate(cells):
            number = constant_value(values[i % len(values)], scope)
            self.numbers.setdefault(cell, set()).add(None if number is None else int(number) & 255)
        return [
            f"put({cell}, {write_byte(values[i % len(values)], scope, here=cell)})"
            for i, cell in enumerate(cells)
        ]


def compile_hook(rules: Sequence[Rule], scope: Scope, name: str) -> tuple[Callable, dict[int, set]]:
    """A hook as a function; and each cell that it may write, with the numbers that it writes there."""
    writer = HookWriter(scope)
    for rule in rules:
        writer.write_rule(rule)
    body = "\n    ".join([*writer.lines, *RETURNED.get(scope.hook, [])] or ["pass"])
    source = f"def hook({arguments_of(scope.hook)}):\n    {body}\n"
    space: dict[str, Any] = {"__builtins__": {}, **HELPERS}
    # The source is written from parsed nodes alone: no text of a file reaches it.
    exec(compile(source, f"<rules of {name}>", "exec"), space)
    return space["hook"], writer.numbers


def compile_expression(node: Node, scope: Scope, name: str) -> Callable:
    """An expression as a function of the arguments of a hook."""
    source = f"def hook({ARGUMENTS}):\n    return {write_expression(node, scope)}\n"
    space: dict[str, Any] = {"__builtins__": {}, **HELPERS}
    exec(compile(source, f"<rules of {name}>", "exec"), space)
    return space["hook"]


def write_byte(node: Node, scope: Scope, here: int | None = None) -> str:
    number = constant_value(node, scope)
    if number is not None:
        return str(int(number) & 255)
    if here is not None:
        scope = replace(scope, constants={**scope.constants, "here": WrittenCell(here)})
    return f"{write_expression(node, scope)} & 255"


@dataclass(frozen=True)
class WrittenCell:
    """The meaning of `here`: the cell that is being written."""

    address: int


def write_expression(node: Node, scope: Scope) -> str:
    """A node as Python text; a name without a meaning is refused."""
    if isinstance(node, Number):
        return repr(node.value)
    if isinstance(node, Name):
        return write_name(node, scope)
    if isinstance(node, Item):
        if node.name in scope.lists:
            return f"mem[{scope.memory[node.name]}][{write_expression(node.index, scope)}]"
        return f"ram[{write_address(node, scope)}]"
    if isinstance(node, Call):
        return write_call(node, scope)
    if isinstance(node, Quantifier):
        return write_quantifier(node, scope)
    if isinstance(node, Operation):
        return write_operator(node, scope)
    raise Unreadable("a range can stand only after `in`", node.at)


def write_name(node: Name, scope: Scope) -> str:
    name = node.name
    if name in scope.constants:
        value = scope.constants[name]
        return f"ram[{value.address}]" if isinstance(value, WrittenCell) else repr(value)
    if name in scope.locals:
        return f"v_{name}"
    if name in scope.memory:
        if name in scope.lists:
            raise Unreadable(f"{name} is a list; take one entry, as in {name}[0]", node.at)
        return f"mem[{scope.memory[name]}]"
    if name in scope.cells:
        cell = scope.cells[name]
        if not isinstance(cell, int):
            raise Unreadable(f"{name} is a range of {len(cell)} cells; take one, as in {name}[0]", node.at)
        return f"ram[{cell}]"
    if name == "frame":
        return "frame"
    if name == "points" and scope.hook in ("reward", "event"):
        return "points"
    if name == "action" and scope.hook in ("action", "event"):
        return "action"
    if name in OF_CHANCES:
        if not scope.has_chance:
            raise Unreadable(f"{name} belongs to a variation with the key chance, and this has none", node.at)
        return OF_CHANCES[name]
    if name in ACTIONS:
        return str(ACTIONS.index(name))
    raise Unreadable(f"nothing is called {name!r} here{suggestion(name, scope.names())}", node.at)


def suggestion(name: str, known: Sequence[str]) -> str:
    from assay.task_text import suggest

    match = suggest(name, list(known))
    return f"; did you mean {match}?" if match else ""


def write_call(node: Call, scope: Scope) -> str:
    if node.name in KEEPERS:
        return write_kept_cell(node, scope)
    arguments = ", ".join(write_expression(each, scope) for each in node.arguments)
    if node.name in DRAWING:
        return f"draw.{node.name}({arguments})"
    return f"{node.name}({arguments})"


def write_kept_cell(node: Call, scope: Scope) -> str:
    """A cell as it was before the frame or at the episode's start."""
    array, hooks = KEEPERS[node.name]
    if scope.hook not in hooks:
        raise Unreadable(f"{node.name} can stand only in the rules of {', '.join(hooks)}", node.at)
    text = write_expression(node.arguments[0], scope)
    if not text.startswith("ram["):
        raise Unreadable(f"{node.name} takes a cell, as in {node.name}(ram[5])", node.at)
    return array + text.removeprefix("ram")


def write_quantifier(node: Quantifier, scope: Scope) -> str:
    if node.name in scope.names():
        raise Unreadable(f"the loop's name {node.name!r} already means something else", node.at)
    parts, values = [], values_of(node.among, scope)
    for value in values:
        constants = {**scope.constants, node.name: value}
        parts.append(f"({write_expression(node.each, replace(scope, constants=constants))})")
    if node.how == "pick":
        return f"draw.pick(({', '.join(parts)},), {tuple(values)})"
    if node.how == "count":
        return "(" + " + ".join(f"(1 if {part} else 0)" for part in parts) + ")"
    return "(" + (" or " if node.how == "any" else " and ").join(parts) + ")"


def write_operator(node: Operation, scope: Scope) -> str:
    sign = node.signs[0]
    if sign == "if":
        condition, yes, no = (write_expression(each, scope) for each in node.operands)
        return f"({yes} if {condition} else {no})"
    if len(node.operands) == 1:
        word = "not " if sign == "not" else sign
        return f"({word}{write_expression(node.operands[0], scope)})"
    if sign in ("and", "or"):
        return "(" + f" {sign} ".join(write_expression(each, scope) for each in node.operands) + ")"
    if sign in COMPARISONS:
        return write_comparison(node, scope)
    left, right = (write_expression(each, scope) for each in node.operands)
    return f"({left} {sign} {right})"


def write_comparison(node: Operation, scope: Scope) -> str:
    text = write_expression(node.operands[0], scope)
    for sign, operand in zip(node.signs, node.operands[1:]):
        right = (
            write_membership(operand, scope)
            if isinstance(operand, Among)
            else write_expression(operand, scope)
        )
        text += f" {sign} {right}"
    return f"({text})"


def write_membership(among: Among, scope: Scope) -> str:
    """The values after `in` as the text of a tuple, with spans spelled out."""
    parts = []
    for first, last in among.parts:
        if last is None:
            parts.append(write_expression(first, scope))
        else:
            parts += [str(n) for n in span_range(first, last, scope)]
    return "(" + ", ".join(parts) + ",)"


def span_range(first: Node, last: Node, scope: Scope) -> range:
    low, high = constant_value(first, scope), constant_value(last, scope)
    if low is None or high is None or high < low:
        raise Unreadable("a range goes from one constant up to another, as in 0..3", first.at)
    return range(int(low), int(high) + 1)


def values_of(among: Among, scope: Scope) -> list[int]:
    """The values that a loop takes: numbers, spans, or the addresses of named cells."""
    values: list[int] = []
    for first, last in among.parts:
        if last is not None:
            values += span_range(first, last, scope)
        elif isinstance(first, Name) and first.name in scope.cells:
            values += addresses(first, scope)
        else:
            value = constant_value(first, scope)
            if value is None:
                raise Unreadable("a loop goes over constants, as in `i in 0..3`", first.at)
            values.append(int(value))
    return values


def constant_value(node: Node, scope: Scope) -> int | float | None:
    """The value of a node that depends only on constants and the names of loops, else None."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name) and node.name in scope.constants:
        value = scope.constants[node.name]
        return None if isinstance(value, WrittenCell) else value
    if isinstance(node, Name) and node.name in ACTIONS:
        return ACTIONS.index(node.name)
    if isinstance(node, Operation) and node.signs[0] in ARITHMETIC and not set(node.signs) & {"and", "or"}:
        values = [value for each in node.operands if (value := constant_value(each, scope)) is not None]
        if len(values) < len(node.operands):
            return None
        if node.signs[0] == "-" and len(values) == 1:
            return -values[0]
        return ARITHMETIC[node.signs[0]](*values) if len(values) == 2 else None
    return None


def addresses(target: Node, scope: Scope) -> tuple[int, ...]:
    """The cells that a target with constant addresses names."""
    if isinstance(target, Name) and target.name in scope.cells:
        cell = scope.cells[target.name]
        return (cell,) if isinstance(cell, int) else cell
    if isinstance(target, Item):
        return (int(write_address(target, scope)),)
    name = target.name if isinstance(target, Name) else "this"
    raise Unreadable(f"{name} is not a cell{suggestion(name, list(scope.cells))}", target.at)


def cells_of(name: str, scope: Scope) -> tuple[int, ...]:
    if name == "ram":
        return tuple(range(CELLS))
    cell = scope.cells[name]
    return (cell,) if isinstance(cell, int) else cell


def write_address(node: Item, scope: Scope) -> str:
    """The address of one cell of a range, or of `ram[...]`, as text: a number where the index is constant."""
    index = constant_value(node.index, scope)
    if node.name != "ram" and node.name not in scope.cells:
        raise Unreadable(
            f"nothing is called {node.name!r} here{suggestion(node.name, scope.names())}", node.at
        )
    cells = cells_of(node.name, scope)
    if index is not None:
        if not 0 <= index < len(cells):
            raise Unreadable(f"{node.name} has the entries 0 to {len(cells) - 1}, not {index}", node.at)
        return str(cells[int(index)])
    text = write_expression(node.index, scope)
    if cells == tuple(range(cells[0], cells[0] + len(cells))):
        return f"{cells[0]} + {text}" if cells[0] else text
    return f"{cells}[{text}]"


def write_memory_entry(target: Node, scope: Scope) -> str:
    name = getattr(target, "name", "")
    if name not in scope.memory:
        raise Unreadable(
            f"{name!r} is not in this variation's memory{suggestion(name, list(scope.memory))}", target.at
        )
    entry = f"mem[{scope.memory[name]}]"
    if isinstance(target, Item):
        if name not in scope.lists:
            raise Unreadable(f"{name} holds one value, not a list", target.at)
        return f"{entry}[{write_expression(target.index, scope)}]"
    return entry


ARITHMETIC = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "//": lambda a, b: a // b,
    "%": lambda a, b: a % b, "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
}  # fmt: skip
