"""From checked rules to a Python function. Only what the parser's few nodes stand for is ever written out.

A compiled hook is called with (ram, put, mem, draw, frame, action, points): a snapshot of the 128 cells, the
function that writes one, the variation's memory, its stream, the frames since reset, and where they exist
the action about to be executed and what the emulator just paid. All conditions of one call read the same
snapshot. What goes into a cell is taken modulo 256.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.envs.atari.language import (
    COMPARISONS,
    DRAWING,
    Among,
    Call,
    Item,
    Name,
    Node,
    Number,
    Over,
    Sign,
)
from assay.positions import Unreadable

ACTIONS = (
    "NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN", "UPRIGHT", "UPLEFT", "DOWNRIGHT", "DOWNLEFT", "UPFIRE",
    "RIGHTFIRE", "LEFTFIRE", "DOWNFIRE", "UPRIGHTFIRE", "UPLEFTFIRE", "DOWNRIGHTFIRE", "DOWNLEFTFIRE",
)  # fmt: skip
CELLS = 128
ARGUMENTS = "ram, put, mem, draw, frame, action, points"


@dataclass(frozen=True)
class Scope:
    """What the names of a hook stand for."""

    cells: Mapping[str, tuple[int, ...] | int]  # a range of cells, or one
    memory: Mapping[str, int]  # name -> place; of lists too
    lists: frozenset[str] = frozenset()  # those of memory that hold a list
    constants: Mapping[str, Any] = field(default_factory=dict)  # `value`, and a loop's names while it runs
    locals: frozenset[str] = frozenset()
    hook: str = "frame"

    def known(self) -> list[str]:
        return [*self.cells, *self.memory, *self.constants, *self.locals]


@dataclass(frozen=True)
class Rule:
    """One line of a hook, parsed."""

    loop: tuple[str, Among] | None = None
    let: tuple[tuple[str, Node], ...] = ()
    when: Node | None = None
    sets: tuple[tuple[Node, tuple[Node, ...]], ...] = ()  # target -> one value, or one per cell
    keeps: tuple[tuple[Node, Node], ...] = ()
    pays: Node | None = None
    becomes: Node | None = None


class Writer:
    """Writes the body of one hook."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.lines: list[str] = []
        self.written: dict[
            int, set[int | None]
        ] = {}  # cell -> the numbers it gets; None: not always the same

    def rule(self, rule: Rule) -> None:
        if rule.loop is None:
            return self.once(rule, self.scope)
        name, among = rule.loop
        if name in self.scope.known():
            raise Unreadable(f"the loop's name {name!r} already means something else", among.at)
        for value in values_of(among, self.scope):
            constants = {**self.scope.constants, name: value}
            self.once(rule, replace(self.scope, constants=constants))
        return None

    def once(self, rule: Rule, scope: Scope) -> None:
        for name, node in rule.let:
            if name in self.scope.known():
                raise Unreadable(f"{name!r} already means something else", node.at)
            self.lines.append(f"v_{name} = {expression(node, scope)}")
            scope = replace(scope, locals=scope.locals | {name})
        inside = "    " if rule.when is not None else ""
        if rule.when is not None:
            self.lines.append(f"if {expression(rule.when, scope)}:")
        before = len(self.lines)
        for target, values in rule.sets:
            for line in self.assignments(target, values, scope):
                self.lines.append(inside + line)
        if rule.pays is not None:
            self.lines.append(f"{inside}points = {expression(rule.pays, scope)}")
        if rule.becomes is not None:
            self.lines.append(f"{inside}action = {expression(rule.becomes, scope)}")
        if rule.keeps:
            places = ", ".join(memory_place(target, scope) for target, _ in rule.keeps)
            kept = ", ".join(expression(node, scope) for _, node in rule.keeps)
            self.lines.append(f"{inside}{places} = {kept}")
        if len(self.lines) == before and rule.when is not None:
            self.lines.append("    pass")

    def assignments(self, target: Node, values: tuple[Node, ...], scope: Scope) -> list[str]:
        """One write per cell; a single value is worked out anew for each."""
        if isinstance(target, Item) and constant(target.index, scope) is None:
            address = address_of(target, scope)
            for cell in range_of(target.name, scope):
                self.written.setdefault(cell, set()).add(None)
            return [f"put({address}, {mask(values[0], scope)})"]
        found = addresses(target, scope)
        if len(values) not in (1, len(found)):
            raise Unreadable(f"{len(values)} values for {len(found)} cells", target.at)
        for i, cell in enumerate(found):
            known = constant(values[i % len(values)], scope)
            self.written.setdefault(cell, set()).add(None if known is None else int(known) & 255)
        return [
            f"put({address}, {mask(values[i % len(values)], scope, here=address)})"
            for i, address in enumerate(found)
        ]


def compile_hook(rules: Sequence[Rule], scope: Scope, name: str) -> tuple[Callable, dict[int, set]]:
    """A hook as a function, and the cells that it may write with the numbers they get."""
    writer = Writer(scope)
    for rule in rules:
        writer.rule(rule)
    result = {"reward": ["return points"], "action": ["return action"], "screen": []}.get(scope.hook, [])
    body = "\n    ".join([*writer.lines, *result] or ["pass"])
    source = f"def hook({ARGUMENTS}):\n    {body}\n"
    space: dict[str, Any] = {"__builtins__": {}, **HELPERS}
    exec(
        compile(source, f"<rules of {name}>", "exec"), space
    )  # made of parsed nodes alone, no text of a file
    return space["hook"], writer.written


def condition(node: Node, scope: Scope, name: str) -> Callable:
    """An expression alone as a function of the same arguments."""
    source = f"def hook({ARGUMENTS}):\n    return {expression(node, scope)}\n"
    space: dict[str, Any] = {"__builtins__": {}, **HELPERS}
    exec(compile(source, f"<rules of {name}>", "exec"), space)
    return space["hook"]


def mask(node: Node, scope: Scope, here: int | None = None) -> str:
    known = constant(node, scope)
    if known is not None:
        return str(int(known) & 255)
    if here is not None:
        scope = replace(scope, constants={**scope.constants, "here": Here(here)})
    return f"{expression(node, scope)} & 255"


@dataclass(frozen=True)
class Here:
    """Stands for the cell that is being written."""

    address: int


def expression(node: Node, scope: Scope) -> str:
    """A node as Python text, names looked up and checked."""
    if isinstance(node, Number):
        return repr(node.value)
    if isinstance(node, Name):
        return compile_name(node, scope)
    if isinstance(node, Item):
        if node.name in scope.lists:
            return f"mem[{scope.memory[node.name]}][{expression(node.index, scope)}]"
        return f"ram[{address_of(node, scope)}]"
    if isinstance(node, Call):
        return compile_call(node, scope)
    if isinstance(node, Over):
        return compile_quantifier(node, scope)
    if isinstance(node, Sign):
        return compile_sign(node, scope)
    raise Unreadable("a range stands only after `in`", node.at)


def compile_name(node: Name, scope: Scope) -> str:
    name = node.name
    if name in scope.constants:
        value = scope.constants[name]
        return f"ram[{value.address}]" if isinstance(value, Here) else repr(value)
    if name in scope.locals:
        return f"v_{name}"
    if name in scope.memory:
        if name in scope.lists:
            raise Unreadable(f"{name} is a list; take one entry, as in {name}[0]", node.at)
        return f"mem[{scope.memory[name]}]"
    if name in scope.cells:
        cell = scope.cells[name]
        if not isinstance(cell, int):
            raise Unreadable(f"{name} is {len(cell)} cells; take one, as in {name}[0]", node.at)
        return f"ram[{cell}]"
    if name == "frame":
        return "frame"
    if name == "points" and scope.hook == "reward":
        return "points"
    if name == "action" and scope.hook == "action":
        return "action"
    if name in ACTIONS:
        return str(ACTIONS.index(name))
    raise Unreadable(f"nothing is called {name!r} here{near(name, scope.known())}", node.at)


def near(name: str, known: Sequence[str]) -> str:
    from assay.names import suggest

    found = suggest(name, list(known))
    return f"; did you mean {found}?" if found else ""


def compile_call(node: Call, scope: Scope) -> str:
    arguments = ", ".join(expression(each, scope) for each in node.arguments)
    if node.name in DRAWING:
        return f"draw.{node.name}({arguments})"
    return f"{node.name}({arguments})"


def compile_quantifier(node: Over, scope: Scope) -> str:
    if node.name in scope.known():
        raise Unreadable(f"the loop's name {node.name!r} already means something else", node.at)
    parts = []
    for value in values_of(node.among, scope):
        constants = {**scope.constants, node.name: value}
        parts.append(f"({expression(node.each, replace(scope, constants=constants))})")
    if node.how == "count":
        return "(" + " + ".join(f"(1 if {part} else 0)" for part in parts) + ")"
    return "(" + (" or " if node.how == "any" else " and ").join(parts) + ")"


def compile_sign(node: Sign, scope: Scope) -> str:
    sign = node.signs[0]
    if sign == "if":
        condition, yes, no = (expression(each, scope) for each in node.operands)
        return f"({yes} if {condition} else {no})"
    if len(node.operands) == 1:
        word = "not " if sign == "not" else sign
        return f"({word}{expression(node.operands[0], scope)})"
    if sign in ("and", "or"):
        return "(" + f" {sign} ".join(expression(each, scope) for each in node.operands) + ")"
    if sign in COMPARISONS:
        return compile_comparison(node, scope)
    left, right = (expression(each, scope) for each in node.operands)
    return f"({left} {sign} {right})"


def compile_comparison(node: Sign, scope: Scope) -> str:
    text = expression(node.operands[0], scope)
    for sign, operand in zip(node.signs, node.operands[1:]):
        right = membership(operand, scope) if isinstance(operand, Among) else expression(operand, scope)
        text += f" {sign} {right}"
    return f"({text})"


def membership(among: Among, scope: Scope) -> str:
    """The values after `in`: a tuple where they are constants or cells, spans written out."""
    parts = []
    for first, last in among.parts:
        if last is None:
            parts.append(expression(first, scope))
        else:
            parts += [str(n) for n in span(first, last, scope)]
    return "(" + ", ".join(parts) + ",)"


def span(first: Node, last: Node, scope: Scope) -> range:
    low, high = constant(first, scope), constant(last, scope)
    if low is None or high is None or high < low:
        raise Unreadable("a range goes from one constant up to another, as in 0..3", first.at)
    return range(int(low), int(high) + 1)


def values_of(among: Among, scope: Scope) -> list[int]:
    """The values that a loop takes: numbers, spans, or the addresses of named cells."""
    found: list[int] = []
    for first, last in among.parts:
        if last is not None:
            found += span(first, last, scope)
        elif isinstance(first, Name) and first.name in scope.cells:
            found += addresses(first, scope)
        else:
            value = constant(first, scope)
            if value is None:
                raise Unreadable("a loop goes over constants, as in `i in 0..3`", first.at)
            found.append(int(value))
    return found


def constant(node: Node, scope: Scope) -> int | float | None:
    """The value of a node that depends on nothing but constants and loops, else None."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name) and node.name in scope.constants:
        value = scope.constants[node.name]
        return None if isinstance(value, Here) else value
    if isinstance(node, Name) and node.name in ACTIONS:
        return ACTIONS.index(node.name)
    if isinstance(node, Sign) and node.signs[0] in ARITHMETIC and not set(node.signs) & {"and", "or"}:
        known = [constant(each, scope) for each in node.operands]
        values = [value for value in known if value is not None]
        if len(values) < len(known):
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
        return (int(address_of(target, scope)),)
    what = target.name if isinstance(target, Name) else "this"
    raise Unreadable(f"{what} is no cell{near(str(what), list(scope.cells))}", target.at)


def range_of(name: str, scope: Scope) -> tuple[int, ...]:
    if name == "ram":
        return tuple(range(CELLS))
    cell = scope.cells[name]
    return (cell,) if isinstance(cell, int) else cell


def address_of(node: Item, scope: Scope) -> str:
    """The address of one cell of a range, or of `ram[...]`, as text: a number where it is known now."""
    known = constant(node.index, scope)
    if node.name != "ram" and node.name not in scope.cells:
        raise Unreadable(f"nothing is called {node.name!r} here{near(node.name, scope.known())}", node.at)
    places = range_of(node.name, scope)
    if known is not None:
        if not 0 <= known < len(places):
            raise Unreadable(f"{node.name} has the places 0 to {len(places) - 1}, not {known}", node.at)
        return str(places[int(known)])
    index = expression(node.index, scope)
    if places == tuple(range(places[0], places[0] + len(places))):
        return f"{places[0]} + {index}" if places[0] else index
    return f"{places}[{index}]"


def memory_place(target: Node, scope: Scope) -> str:
    name = getattr(target, "name", "")
    if name not in scope.memory:
        raise Unreadable(
            f"{name!r} is not in this variation's memory{near(name, list(scope.memory))}", target.at
        )
    place = f"mem[{scope.memory[name]}]"
    if isinstance(target, Item):
        if name not in scope.lists:
            raise Unreadable(f"{name} is one value, not a list", target.at)
        return f"{place}[{expression(target.index, scope)}]"
    return place


def bcd(number: int) -> int:
    """Two decimal digits as the console keeps them."""
    return (number // 10 % 10) * 16 + number % 10


def unbcd(cell: int) -> int:
    return (cell >> 4) * 10 + (cell & 15)


def signed_byte(cell: int) -> int:
    return cell - 256 if cell > 127 else cell


def fires(action: int) -> bool:
    return action == 1 or action >= 10


def without_fire(action: int) -> int:
    return 0 if action == 1 else action - 8 if action >= 10 else action


ARITHMETIC = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "//": lambda a, b: a // b,
    "%": lambda a, b: a % b, "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
}  # fmt: skip
HELPERS = {
    "min": min, "max": max, "abs": abs, "bcd": bcd, "unbcd": unbcd, "signed": signed_byte,
    "fires": fires, "unfired": without_fire,
}  # fmt: skip
