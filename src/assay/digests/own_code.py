"""The sources of an agent, an env or a variation: files of the user's own, and versions of distributions.

Code is followed by its import statements, without running it. Modules of the user's own, editable installs
among them, are followed as far as they go, and their files count byte by byte. Of a library its distribution
counts, with all that it requires. Imports by a computed name, and files that are read, are not found here:
`watching.py` notes them.
"""

from __future__ import annotations

import ast
import hashlib
import platform
import re
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from assay.digests.imports import Stamp, absolute, files_of, imported_by, locations_of, reach, stamp, tree
from assay.errors import UnknownName

OURS = "assay"
PYTHON = "python"  # counts among the versions
DECLARED = "ASSAY_FILES"  # of a module: files beside it that decide what it does
STDLIB = Path(sysconfig.get_path("stdlib"))
INSTALLED = ("site-packages", "dist-packages")
_NAME = re.compile(r"[A-Za-z0-9._-]+")


class Sources(NamedTuple):
    """Files by the names under which they count, and distributions by name, each with its version."""

    files: dict[str, Path]
    versions: dict[str, str]
    code: Mapping[str, Path] = MappingProxyType({})  # files of assay's own, which count by their syntax
    definitions: Mapping[str, str] = MappingProxyType({})  # digests of what counts apart from its file
    ours: tuple[str, ...] = ()  # modules of assay that the user's own code uses; with all that they use


def digest_of_content(content: bytes) -> str:
    """The digest by which a file of the user's own counts, byte by byte."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def sources(roots: Iterable[str], files: Iterable[Path] = ()) -> Sources:
    """The sources of these modules and files. A given file counts under its path."""
    by_name: dict[str, Path] = {str(path): path for path in files}
    names: set[str] = set()
    ours: set[str] = set()
    roots = list(roots)
    names.update(
        *(
            imported_distributions(root)
            for root in roots
            if kind_of(root.partition(".")[0]) in (OURS, "library")
        )
    )

    def follow(name: str) -> list[str]:
        top = name.partition(".")[0]
        kind = kind_of(top)
        if kind == "library":
            names.update(distributions_of(top))
        if kind != "own":
            return []
        own = list(files_of(name))
        for module, path in own:
            by_name.update({module: path, **declared_files_of(path)})
            ours.update(modules_of_assay(module, path))
        return [each for module, path in own for each in imported_by(module, path)]

    for _ in reach(roots, follow):
        pass
    versions = versions_of(with_requirements(frozenset(names)))
    return Sources(by_name, {PYTHON: version_of(PYTHON), **versions}, ours=tuple(sorted(ours)))


def modules_of_assay(module: str, path: Path) -> list[str]:
    """The modules of assay that a file of the user's own uses, by imports or through the door."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    offers: Mapping[str, str] = vars(import_module(OURS))["_DOOR"]
    modules = []
    for name in names_of_assay(stamp(path), package):
        first = name.partition(".")[2].partition(".")[0]
        modules.append(offers.get(first, name))
    return modules


@lru_cache(maxsize=4096)
def names_of_assay(file: Stamp, package: str) -> tuple[str, ...]:
    """The dotted names of assay's that a file imports, and those of which it takes attributes."""
    bound: dict[str, str] = {}
    names: dict[str, None] = {}
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                names[alias.name] = None
        elif isinstance(node, ast.ImportFrom):
            base = absolute("." * node.level + (node.module or ""), package)
            for alias in node.names:
                bound[alias.asname or alias.name] = f"{base}.{alias.name}"
                names[f"{base}.{alias.name}"] = None
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Attribute) and (dotted := dotted_name(node)):
            head, _, rest = dotted.partition(".")
            names[f"{bound.get(head, '')}.{rest}"] = None
    return tuple(name for name in names if name.partition(".")[0] == OURS)


def dotted_name(node: ast.expr) -> str:
    """`a.b.c` as text; "" for what is not made of names alone."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := dotted_name(node.value)):
        return f"{before}.{node.attr}"
    return ""


@cache
def imported_distributions(root: str) -> frozenset[str]:
    """The distributions that a module of a library or of assay imports, itself or through its package."""
    package = root.rpartition(".")[0] or root
    if package == OURS:
        package = root  # else all that any part of assay may ever import would count

    def follow(name: str) -> list[str]:
        inside = f"{name}.".startswith(f"{package}.")
        return [n for m, path in files_of(name) for n in imported_by(m, path)] if inside else []

    tops = {name.partition(".")[0] for name in reach([root], follow)}
    return frozenset().union(*(distributions_of(top) for top in tops if kind_of(top) == "library"))


def kind_of(top: str) -> str:
    """The owner of a top-level module: "own", "library", "assay"; "" for Python's own or a missing one."""
    if top == OURS:
        return OURS
    if top in sys.stdlib_module_names:
        return ""
    paths = locations_of(top)
    if not paths:
        return ""
    if not any(set(INSTALLED) & set(path.parts) for path in paths):
        return "" if all(path.is_relative_to(STDLIB) for path in paths) else "own"
    return "library" if distributions_of(top) else "own"  # copied there by hand


def declared_files_of(path: Path) -> dict[str, Path]:
    """The files that a module names in ASSAY_FILES, a tuple of texts, relative to its own folder."""
    declared = {}
    for name in declared_names(stamp(path)):
        file = path.parent / Path(name).expanduser()
        if not file.is_file():
            raise UnknownName(
                f"{path} declares the file {name} in {DECLARED}, which does not exist; mend it."
            )
        declared[str(file)] = file
    return declared


@lru_cache(maxsize=4096)
def declared_names(file: Stamp) -> tuple[str, ...]:
    for node in tree(file).body:
        if not isinstance(node, ast.Assign):
            continue
        if any(isinstance(target, ast.Name) and target.id == DECLARED for target in node.targets):
            try:
                declared = ast.literal_eval(node.value)
            except ValueError:
                declared = None
            texts = (declared,) if isinstance(declared, str) else declared
            if not isinstance(texts, (tuple, list)) or not all(isinstance(text, str) for text in texts):
                raise UnknownName(f"{DECLARED} of {file.path} is a tuple of texts, as in ('weights.npy',).")
            return tuple(texts)
    return ()


@cache
def distributions_of(top: str) -> frozenset[str]:
    """The distributions that a top-level module comes from; nearly always the one of its name."""
    for name in (top, top.replace("_", "-")):
        try:
            return frozenset([distribution(name).name])
        except PackageNotFoundError:
            continue
    return frozenset(packages_distributions().get(top, ()))  # looks through all that is installed


@cache
def with_requirements(names: frozenset[str]) -> frozenset[str]:
    """Distributions with all that they require, extras left aside."""
    required: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in required and version_of(name):
            required.add(name)
            todo += requirements(name)
    return frozenset(required)


@cache
def requirements(name: str) -> tuple[str, ...]:
    lines = [line for line in distribution(name).requires or () if "extra ==" not in line]
    needed = (match.group() for match in map(_NAME.match, lines) if match)
    return tuple(distribution(each).name for each in needed if version_of(each))


@cache
def version_of(name: str) -> str:
    if name == PYTHON:
        return platform.python_version()
    try:
        return distribution(name).version
    except PackageNotFoundError:
        return ""


def versions_of(names: Iterable[str]) -> dict[str, str]:
    return {name: version_of(name) for name in sorted(names)}
