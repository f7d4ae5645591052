"""The files of modules and what they import, found by reading: no module is run."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple


class Stamp(NamedTuple):
    """Tells whether a file has changed, without reading it."""

    path: str
    changed: int
    size: int


def stamp(path: Path) -> Stamp:
    status = os.stat(path)
    return Stamp(str(path), status.st_mtime_ns, status.st_size)


def locations_of(top: str) -> list[Path]:
    """The file, or the folders, of a top-level module, which is not run."""
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):  # ValueError: a module that runs as a script has no spec
        spec = None
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return [Path(folder) for folder in spec.submodule_search_locations]
    return [Path(spec.origin)] if spec.has_location and spec.origin else []


def files_of(name: str) -> Iterator[tuple[str, Path]]:
    """The files that importing a module runs: the `__init__.py` of its packages, and its own file."""
    top, *parts = name.split(".")
    folders = locations_of(top)
    if folders and folders[0].is_file():
        yield top, folders[0]
        folders = []
    for done in range(len(parts) + 1):
        here = ".".join([top, *parts[:done]])
        if done:
            part = parts[done - 1]
            module = next((f for folder in folders for f in candidates(folder, part) if f.is_file()), None)
            folders = [folder / part for folder in folders if (folder / part).is_dir()]
            if module is not None:
                yield here, module
        for folder in folders:
            if (folder / "__init__.py").is_file():
                yield here, folder / "__init__.py"
                break


def candidates(folder: Path, name: str) -> list[Path]:
    return [folder / f"{name}{suffix}" for suffix in (".py", *EXTENSION_SUFFIXES)]


def imported_by(module: str, path: Path, at_once: bool = False) -> list[str]:
    """The modules that a file imports, at any level; `from a import b` may mean the module a.b.

    `at_once`: only statements at the top level, which run as soon as the file itself is imported.
    """
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return [absolute(name, package) for name in import_names(stamp(path), at_once) if absolute(name, package)]


def reach(roots: Iterable[str], lead_to: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """All names that the roots lead to, directly or through others, each once."""
    visited: set[str] = set()
    left = list(roots)
    while left:
        name = left.pop()
        if name not in visited:
            visited.add(name)
            yield name
            left += lead_to(name)


def absolute(name: str, package: str) -> str:
    """The full name of a module that a package imports by leading dots."""
    dots = len(name) - len(name.lstrip("."))
    if not dots:
        return name
    above = package.split(".")[: len(package.split(".")) - dots + 1]
    return ".".join([*above, name[dots:]]).strip(".")


@lru_cache(maxsize=4096)
def import_names(file: Stamp, at_once: bool = False) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for node in tree(file).body if at_once else ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            names |= dict.fromkeys(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            joint = "" if base.endswith(".") or not base else "."
            names |= dict.fromkeys([base, *(f"{base}{joint}{alias.name}" for alias in node.names)])
    return tuple(names)


@lru_cache(maxsize=512)
def tree(file: Stamp) -> ast.Module:
    if not file.path.endswith(".py"):
        return ast.Module([], [])  # compiled: only its bytes can be digested
    try:
        return ast.parse(Path(file.path).read_bytes())
    except (SyntaxError, ValueError):
        return ast.Module([], [])  # importing it will raise the error
