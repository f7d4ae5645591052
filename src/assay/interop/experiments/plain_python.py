"""Reads the values in a Python file of settings without running it.

`read_names` walks the parsed text: literals, loops, conditions, comprehensions, arithmetic, and the functions
of `plain_functions.py`. Nothing of the file is executed and nothing of it is imported. What it cannot know
becomes `Unknown`, and matters only where somebody asks for it; a statement of another kind is refused.
"""

from __future__ import annotations

import ast
import builtins
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import yaml

from assay.errors import AssayError
from assay.interop.experiments.plain_functions import (
    BUILTINS,
    IN_MODULES,
    METHODS,
    OPERATIONS,
    method_of,
    require_count,
    require_small,
)
from assay.interop.experiments.plain_values import Module, NormalNoise, OpenedFile, Unknown

MOST_STEPS, MOST_BYTES = 1_000_000, 1_000_000
MODULES = {name.rpartition(".")[0] for name in IN_MODULES} | {"ray", "yaml"}
# What evaluating a value may raise when the file itself is wrong.
MISTAKES = (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError)


@dataclass(frozen=True)
class Lambda:
    """A function of one expression, with the names that it sees when it is called."""

    node: ast.Lambda
    reader: Reader

    def __call__(self, *values: Any) -> Any:
        arguments = [each.arg for each in self.node.args.args]
        return self.reader.inside(dict(zip(arguments, values))).value(self.node.body)


def read_names(path: Path) -> Mapping[str, Any]:
    """The names that a file binds, with plain values; what cannot be known is `Unknown`."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}; give a Python file.") from None
    if len(text) > MOST_BYTES:
        raise AssayError(f"{path} has more than {MOST_BYTES:,} bytes, so it is no file of settings.")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        where = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise AssayError(f"{path} is not Python{where}; give a file of settings.") from None
    reader = Reader(path, ChainMap({"__name__": "experiment"}), [MOST_STEPS])
    reader.run(tree.body)
    return {name: settle(value) for name, value in reader.names.items()}


def settle(value: Any) -> Any:
    """The value in plain Python: no arrays, functions that draw noise as such, other functions unknown."""
    if isinstance(value, (np.ndarray, np.generic)):
        return settle(value.tolist())
    if isinstance(value, Lambda):
        return noise_of(value)
    if isinstance(value, dict):
        return {key: settle(each) for key, each in require_small(value).items()}
    if type(value) in (list, tuple):
        return type(value)(settle(each) for each in require_small(value))
    if isinstance(value, (range, set)):
        return [settle(each) for each in value]
    return value


def noise_of(function: Lambda) -> NormalNoise | Unknown:
    """The normal noise that a function draws by its last argument, or by whichever it calls `normal` of."""
    body, arguments = function.node.body, [each.arg for each in function.node.args.args]
    unknown = Unknown(ast.unparse(function.node), function.node.lineno)
    if not isinstance(body, ast.Call) or not isinstance(body.func, ast.Attribute) or len(body.args) != 2:
        return unknown
    drawn_by = body.func.value
    if body.func.attr != "normal" or not isinstance(drawn_by, ast.Name) or drawn_by.id not in arguments:
        return unknown
    mean, deviation = (settle(function.reader.value(each)) for each in body.args)
    known = isinstance(mean, (int, float)) and isinstance(deviation, (int, float))
    return NormalNoise(mean, deviation) if known else unknown


class Reader:
    """Walks statements and expressions with the names bound so far."""

    def __init__(self, path: Path, names: ChainMap, steps_left: list[int], anything: bool = False):
        self.path, self.names, self.steps_left = path, names, steps_left
        self.anything = anything  # whether a module was imported with a star, so that any name may be bound

    def inside(self, names: dict[str, Any]) -> Reader:
        return Reader(self.path, self.names.new_child(names), self.steps_left, self.anything)

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        raise AssayError(f"line {getattr(node, 'lineno', 1)} of {self.path} is not read: {why}.")

    def run(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            try:
                self.take(statement)
            except MISTAKES as error:
                if isinstance(error, AssayError) and "is not read" in str(error):
                    raise
                told = error if isinstance(error, AssayError) else f"{type(error).__name__}: {error}"
                self.refuse(statement, str(told))

    def take(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value):
                bound = self.value(value)
                for target in targets:
                    self.bind(target, bound)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.bind(target, self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                old = self.value(as_read(target))
                self.bind(target, self.operate(statement, op, old, self.value(value)))
            case ast.For(target=target, iter=items, body=body, orelse=[]):
                for each in self.items(items):
                    self.bind(target, each)
                    self.run(body)
            case ast.If(test=test, body=body, orelse=other):
                self.run(body if self.holds(test) else other)
            case ast.With(items=opened, body=body):
                for each in opened:
                    value = self.value(each.context_expr)
                    if each.optional_vars:
                        self.bind(each.optional_vars, value)
                self.run(body)
            case ast.Expr(value=value):
                self.value(value)
            case ast.Import() | ast.ImportFrom():
                self.import_names(statement)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                self.names[name] = Unknown(name, statement.lineno)
            case ast.Pass() | ast.Assert() | ast.AnnAssign():
                pass
            case _:
                self.refuse(statement, f"a statement of the kind {type(statement).__name__.lower()}")

    def import_names(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if alias.name == "*":
                self.anything = True
            elif isinstance(statement, ast.Import):
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                self.names[alias.asname or name] = self.named(name, statement)
            else:
                self.names[alias.asname or alias.name] = self.named(
                    f"{statement.module}.{alias.name}", statement
                )

    def named(self, name: str, node: ast.AST) -> Any:
        """A module, or what one of those that are known holds under a name."""
        if name in IN_MODULES:
            return IN_MODULES[name]
        if name in MODULES:
            return Module(name)
        if name == "yaml.safe_load":
            return self.load_yaml
        return Unknown(name, getattr(node, "lineno", 1))

    def load_yaml(self, opened: Any) -> Any:
        """What a YAML file beside this one holds, or beside its folder, from where experiments are run."""
        assert isinstance(opened, OpenedFile)
        name = Path(opened.name)
        if name.is_absolute() or ".." in name.parts or name.suffix not in (".yaml", ".yml"):
            return Unknown(f"the file {opened.name}", opened.line)
        for folder in (self.path.parent, self.path.resolve().parent.parent):
            place = folder / name
            if place.is_file() and place.stat().st_size <= MOST_BYTES:
                return require_small(yaml.safe_load(place.read_text(encoding="utf-8")))
        return Unknown(f"the file {opened.name}", opened.line)

    def bind(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.names[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                values = list(value)
                if len(values) != len(parts):
                    self.refuse(target, f"it binds {len(values)} values to {len(parts)} names")
                for part, each in zip(parts, values):
                    self.bind(part, each)
            case ast.Subscript(value=owner, slice=key):
                self.value(owner)[self.value(key)] = value
            case _:
                self.refuse(target, f"it binds {ast.unparse(target)}")

    def items(self, node: ast.expr) -> list:
        value = self.value(node)
        if isinstance(value, Unknown):
            self.refuse(node, f"it goes over {value}")
        return list(value)

    def holds(self, node: ast.expr) -> bool:
        value = self.value(node)
        if isinstance(value, Unknown):
            self.refuse(node, f"it asks for {value}")
        return bool(value)

    def value(self, node: ast.expr) -> Any:
        self.steps_left[0] -= 1
        if self.steps_left[0] < 0:
            self.refuse(node, f"it would take more than {MOST_STEPS:,} steps")
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.look_up(name, node)
            case ast.List(elts=elements):
                return require_small(list(self.elements(elements)))
            case ast.Tuple(elts=elements):
                return require_small(tuple(self.elements(elements)))
            case ast.Set(elts=elements):
                return set(self.elements(elements))
            case ast.Dict(keys=keys, values=values):
                return self.dictionary(keys, values)
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element) | ast.SetComp(elt=element):
                return require_small([each.value(element) for each in self.rounds(node.generators)])
            case ast.DictComp(key=key, value=value):
                return {each.value(key): each.value(value) for each in self.rounds(node.generators)}
            case ast.BinOp(left=left, op=op, right=right):
                return self.operate(node, op, self.value(left), self.value(right))
            case ast.UnaryOp(op=op, operand=operand):
                value = self.value(operand)
                return value if isinstance(value, Unknown) else OPERATIONS[type(op)](value)
            case ast.BoolOp(op=op, values=parts):
                return self.join(op, parts)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.compare(node, left, ops, others)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.value(body if self.holds(test) else other)
            case ast.Subscript(value=owner, slice=key):
                return self.part(self.value(owner), key)
            case ast.Attribute(value=owner, attr=name):
                return self.attribute(self.value(owner), name, node)
            case ast.Call():
                return self.call(node)
            case ast.Lambda():
                return Lambda(node, self)
        return Unknown(ast.unparse(node), node.lineno)

    def look_up(self, name: str, node: ast.expr) -> Any:
        if name in self.names:
            return self.names[name]
        if name in BUILTINS:
            return BUILTINS[name]
        if name == "open":
            return OpenedFile
        if self.anything or hasattr(builtins, name):
            return Unknown(name, node.lineno)
        return self.refuse(node, f"the name {name} is not bound before it")

    def elements(self, nodes: list[ast.expr]) -> Iterator[Any]:
        for node in nodes:
            if isinstance(node, ast.Starred):
                yield from self.items(node.value)
            else:
                yield self.value(node)

    def dictionary(self, keys: list[ast.expr | None], values: list[ast.expr]) -> dict:
        made: dict = {}
        for key, value in zip(keys, values):
            if key is None:
                made |= self.value(value)
            else:
                made[self.value(key)] = self.value(value)
        return require_small(made)

    def rounds(self, generators: list[ast.comprehension]) -> Iterator[Reader]:
        """A reader for every round of a comprehension."""
        first, *others = generators
        inner = self.inside({})
        for each in self.items(first.iter):
            inner.bind(first.target, each)
            if all(inner.holds(test) for test in first.ifs):
                yield from inner.rounds(others) if others else [inner]

    def operate(self, node: ast.AST, op: ast.operator, left: Any, right: Any) -> Any:
        if unknown := next((each for each in (left, right) if isinstance(each, Unknown)), None):
            return unknown
        operation = OPERATIONS.get(type(op))
        if operation is None or (isinstance(op, ast.Mod) and isinstance(left, str)):
            self.refuse(node, f"the operation {type(op).__name__} on {type(left).__name__}")
        if isinstance(op, ast.Mult):
            for many, times in ((left, right), (right, left)):
                if isinstance(many, (str, list, tuple)) and isinstance(times, int):
                    require_count(len(many) * times)
        if isinstance(op, ast.Pow) and isinstance(right, int):
            require_count(abs(right))
            if isinstance(left, int) and abs(left) > 1:
                require_count(abs(right) * left.bit_length() / 100)
        return require_small(operation(left, right))

    def join(self, op: ast.boolop, parts: list[ast.expr]) -> Any:
        value: Any = isinstance(op, ast.And)
        for part in parts:
            value = self.value(part)
            if isinstance(value, Unknown) or bool(value) != isinstance(op, ast.And):
                return value
        return value

    def compare(self, node: ast.expr, left: ast.expr, ops: list, others: list[ast.expr]) -> Any:
        before = self.value(left)
        for op, other in zip(ops, others):
            after = self.value(other)
            for each in (before, after):
                if isinstance(each, Unknown):
                    return each
                require_small(each)
            if isinstance(op, (ast.In, ast.NotIn)):
                answer = (before in after) == isinstance(op, ast.In)
            else:
                answer = OPERATIONS[type(op)](before, after)
            if not answer:
                return answer
            before = after
        return answer

    def part(self, owner: Any, key: ast.expr) -> Any:
        if isinstance(owner, Unknown):
            return owner
        if isinstance(key, ast.Slice):
            ends = [self.value(end) if end else None for end in (key.lower, key.upper, key.step)]
            return owner[slice(*ends)]
        at = self.value(key)
        return at if isinstance(at, Unknown) else owner[at]

    def attribute(self, owner: Any, name: str, node: ast.expr) -> Any:
        if isinstance(owner, Unknown):
            return Unknown(ast.unparse(node), node.lineno)
        if isinstance(owner, Module):
            return self.named(f"{owner.name}.{name}", node)
        return method_of(owner, name) or Unknown(ast.unparse(node), node.lineno)

    def call(self, node: ast.Call) -> Any:
        function = self.value(node.func)
        if isinstance(function, Unknown):
            return Unknown(ast.unparse(node.func) + "(...)", node.lineno)
        values = list(self.elements(node.args))
        named: dict[str, Any] = {}
        for each in node.keywords:
            named |= {each.arg: self.value(each.value)} if each.arg else self.value(each.value)
        unknown = next((each for each in (*values, *named.values()) if isinstance(each, Unknown)), None)
        if unknown and not changes_owner(node):
            return unknown
        if function is OpenedFile:
            return OpenedFile(str(values[0]), node.lineno)
        if function is isinstance:
            return isinstance(values[0], types_of(values[1]))
        made = function(*values, **named)
        return list(made) if isinstance(made, (zip, enumerate)) else made


def as_read(target: ast.expr) -> ast.expr:
    """A target that is assigned to, as an expression that is read."""
    return ast.parse(ast.unparse(target), mode="eval").body


def changes_owner(node: ast.Call) -> bool:
    """Whether a call only puts its argument somewhere, so that it may be unknown: `points.append(value)`."""
    putting = {name for names in METHODS.values() for name in names} - {"join", "index", "count"}
    return isinstance(node.func, ast.Attribute) and node.func.attr in putting


def types_of(named: Any) -> tuple[type, ...]:
    """Types as a file names them."""
    return tuple(map(type_of, named)) if isinstance(named, tuple) else (type_of(named),)


def type_of(named: Any) -> Any:
    """A type; `range` and `str` stand for functions here."""
    return {BUILTINS["range"]: range, BUILTINS["str"]: str}.get(named, named)
