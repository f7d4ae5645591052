"""The modules of assay that a job may run, and a digest of them.

The search starts from roots and follows import statements, those inside functions too, and texts that name
code ("assay.envs.toy.discrete:build"). A table such as the catalogue names every entry that exists, so of its
texts only those that name other tables are followed; the caller adds the entries it needs as roots. A closure
may hold more modules than a job runs, but never fewer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from assay.digests.imports import Stamp, files_of, imported_by, reach, stamp, tree

OURS = "assay"
DOOR = OURS  # its lazy names lead to every module, but no module of ours imports through it
TABLE = re.compile(r"assay\.(catalogue|envs\.commands|envs\.\w+\.family)")
# Modules with many small definitions of which a job needs a few: each definition has its own digest.
BY_DEFINITION = re.compile(r"assay\.variations(\.\w+)?")
CODE = re.compile(r"\w+(\.\w+)*:\w+")  # "module:attribute"


def closure(roots: Iterable[str], leave_out: re.Pattern[str] | None = None) -> dict[str, Path]:
    """The files of assay that the modules `roots` can lead to; modules in `leave_out` are not followed."""
    modules: dict[str, Path] = {}

    def follow(name: str) -> Iterator[str]:
        for module, path in files_of(name):
            if module in modules or (leave_out and leave_out.fullmatch(module)):
                continue
            modules[module] = path
            yield from (each for each in modules_used_by(module, path) if each.partition(".")[0] == OURS)

    for _ in reach((root for root in roots if root.partition(".")[0] == OURS), follow):
        pass
    return modules


def modules_used_by(module: str, path: Path) -> Iterator[str]:
    """The modules that a file imports or names as text."""
    if module == DOOR:
        yield from imported_by(module, path, at_once=True)
        return
    yield from imported_by(module, path)
    named = code_named_by(stamp(path))
    yield from filter(TABLE.fullmatch, named) if TABLE.fullmatch(module) else named


@lru_cache(maxsize=4096)
def code_named_by(file: Stamp) -> tuple[str, ...]:
    """The modules in a file's texts of the form "module:attribute"."""
    texts = (node.value for node in ast.walk(tree(file)) if isinstance(node, ast.Constant))
    named = [text for text in texts if isinstance(text, str) and CODE.fullmatch(text)]
    return tuple(dict.fromkeys(text.partition(":")[0] for text in named))
