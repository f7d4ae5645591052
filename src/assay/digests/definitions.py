"""Digests of single values: a record by its fields, a function by its definition and all that it uses.

A new function in a file therefore leaves the digests of the others as they are. Where a definition uses a
module that counts as a whole file, the result names that module, and the caller digests the file.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from assay.digests.closure import BY_DEFINITION, OURS
from assay.digests.imports import Stamp, absolute, files_of, stamp, tree
from assay.digests.syntax import UNMEASURED, digest_of_tree

PLAIN = (str, bytes, bool, int, float, complex, type(None), range, frozenset)
WORDS = frozenset({"means", "origin", "tags"}) | UNMEASURED  # fields of an axis that only people read


class Definition(NamedTuple):
    """The digest of a value, and the modules that the digest does not cover."""

    digest: str
    modules: frozenset[str]  # used by the value and counted as whole files; other packages' modules too


class Module(NamedTuple):
    """A file, split into its definitions."""

    by_name: Mapping[str, tuple[ast.stmt, ...]]  # all statements that give a name its value
    imported: Mapping[str, tuple[str, str]]  # name -> its module and, for `from m import n`, its name there
    always: tuple[ast.stmt, ...]  # statements that define no name and run whenever the module is imported


def digest_of_definition(value: Any) -> Definition:
    """A digest of a value as the code defines it, and the modules that the digest does not cover."""
    walk = Walk()
    walk.add(value)
    digest = blake2b("\n".join(walk.words).encode(), digest_size=16)
    for module, name in sorted(walk.definitions):
        digest.update(f"\n{module}:{name} ".encode())
        digest.update(" ".join(digest_of_tree(each) for each in walk.definitions[module, name]).encode())
    return Definition(digest.hexdigest(), frozenset(walk.modules))


class Walk:
    """One walk through a value, with everything met so far."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.definitions: dict[tuple[str, str], tuple[ast.stmt, ...]] = {}
        self.modules: set[str] = set()

    def add(self, value: Any) -> None:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            self.words.append(f"({type(value).__qualname__}")
            for each in dataclasses.fields(value):
                if each.name not in WORDS:
                    self.words.append(f".{each.name}")
                    self.add(getattr(value, each.name))
            self.words.append(")")
        elif isinstance(value, functools.partial):
            self.add(("partial", value.func, value.args, value.keywords))
        elif isinstance(value, type) or inspect.isroutine(value):
            self.follow(value)
        elif isinstance(value, Mapping):
            self.add(tuple(value.items()))
        elif isinstance(value, (tuple, list)):
            self.words.append("[")
            for each in value:
                self.add(each)
            self.words.append("]")
        elif isinstance(value, PLAIN):
            self.words.append(f"{type(value).__name__} {value!r}")
        else:
            self.follow(type(value))
            self.add(vars(value))

    def follow(self, code: Any) -> None:
        """Adds a function or a class: its definition, and the values that it closes over."""
        module, name = code.__module__ or "builtins", code.__qualname__.partition(".")[0]
        self.words.append(f"{module}:{code.__qualname__}")
        for cell in getattr(code, "__closure__", None) or ():
            self.add(cell.cell_contents)
        self.reach(module, name)

    def reach(self, module: str, name: str) -> None:
        """Adds the definition of a name, and of all names that it uses."""
        if not BY_DEFINITION.fullmatch(module):
            if module.partition(".")[0] not in ("builtins", ""):
                self.modules.add(module)
            return
        here = definitions_of(module)
        if (module, name) in self.definitions:
            return
        if name not in here.by_name:
            self.reach_all(module)  # a lambda, for example: any of its parts may be meant
            return
        statements = (*here.by_name[name], *here.always)
        self.definitions[module, name] = statements
        for used in sorted(names_in(statements)):
            if used in here.by_name:
                self.reach(module, used)
            elif used in here.imported:
                other, attribute = here.imported[used]
                self.reach_imported(other, attribute)
        for other, attribute in imports_in(statements, module):
            self.reach_imported(other, attribute)

    def reach_all(self, module: str) -> None:
        """Adds every definition of a module."""
        here = definitions_of(module)
        for name in sorted(here.by_name):
            self.reach(module, name)
        self.definitions[module, "*"] = here.always

    def reach_imported(self, module: str, name: str) -> None:
        whole = f"{module}.{name}" if name else module
        if module.partition(".")[0] != OURS:
            return  # a library: its version is digested elsewhere
        if any(name_of_file == whole for name_of_file, _ in files_of(whole)):
            # A module: any part of it may be used.
            self.reach_all(whole) if BY_DEFINITION.fullmatch(whole) else self.modules.add(whole)
        else:
            self.reach(module, name)


def definitions_of(module: str) -> Module:
    path = next(path for name_of_file, path in files_of(module) if name_of_file == module)
    return read_definitions(module, stamp(path))


@lru_cache(maxsize=256)
def read_definitions(module: str, file: Stamp) -> Module:
    by_name: dict[str, list[ast.stmt]] = {}
    imported: dict[str, tuple[str, str]] = {}
    always: list[ast.stmt] = []
    package = module if file.path.endswith("__init__.py") else module.rpartition(".")[0]
    for statement in tree(file).body:
        if isinstance(statement, ast.Import):
            imported |= {(a.asname or a.name.partition(".")[0]): (a.name, "") for a in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            base = absolute("." * statement.level + (statement.module or ""), package)
            imported |= {(a.asname or a.name): (base, a.name) for a in statement.names}
        elif assigned := tuple(names_assigned(statement)):
            for name in assigned:
                by_name.setdefault(name, []).append(statement)
        elif not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
            always.append(statement)
    return Module({name: tuple(each) for name, each in by_name.items()}, imported, tuple(always))


def names_assigned(statement: ast.stmt) -> Iterator[str]:
    """The names to which a statement assigns a value or an attribute."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        targets = [statement.target]
    for target in targets:
        yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def imports_in(statements: Iterable[ast.stmt], module: str) -> Iterator[tuple[str, str]]:
    """What statements import by themselves, inside functions: modules, and for `from m import n` the name."""
    for node in (node for each in statements for node in ast.walk(each)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute("." * node.level + (node.module or ""), module.rpartition(".")[0])
            yield from ((base, alias.name) for alias in node.names)


def names_in(statements: Iterable[ast.stmt]) -> set[str]:
    return {node.id for each in statements for node in ast.walk(each) if isinstance(node, ast.Name)}
