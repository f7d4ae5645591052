"""The modules of assay that a job may run, and a digest of them.

They are followed from roots by import statements, those inside functions too, and by the texts that name
code ("assay.envs.toy.discrete:build"). Of the texts in a table only other tables are followed: it names all
that there is, and whoever knows which entries are meant gives these as roots. A closure may hold too much,
and never too little.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from assay.digests.imports import Stamp, files_of, imported_by, reach, stamp, tree

OURS = "assay"
DOOR = OURS  # offers everything to those who ask, and nothing of ours asks
TABLE = re.compile(r"assay\.(catalogue|envs\.commands|envs\.\w+\.family)")
# Modules that hold many small things of which a job needs a few: these count by definition.
BY_DEFINITION = re.compile(r"assay\.variations(\.\w+)?")
CODE = re.compile(r"\w+(\.\w+)*:\w+")  # "module:attribute"


def closure(roots: Iterable[str], leave_out: re.Pattern[str] | None = None) -> dict[str, Path]:
    """The files of assay's own that the modules `roots` can lead to; past those that are left out none is."""
    modules: dict[str, Path] = {}

    def follow(name: str) -> Iterator[str]:
        for module, path in files_of(name):
            if module in modules or (leave_out and leave_out.fullmatch(module)):
                continue
            modules[module] = path
            yield from (each for each in modules_behind(module, path) if each.partition(".")[0] == OURS)

    for _ in reach((root for root in roots if root.partition(".")[0] == OURS), follow):
        pass
    return modules


def modules_behind(module: str, path: Path) -> Iterator[str]:
    """The modules that a file imports, or names as text."""
    if module == DOOR:
        yield from imported_by(module, path, at_once=True)
        return
    yield from imported_by(module, path)
    named = code_named_by(stamp(path))
    yield from filter(TABLE.fullmatch, named) if TABLE.fullmatch(module) else named


@lru_cache(maxsize=4096)
def code_named_by(file: Stamp) -> tuple[str, ...]:
    texts = (node.value for node in ast.walk(tree(file)) if isinstance(node, ast.Constant))
    named = [text for text in texts if isinstance(text, str) and CODE.fullmatch(text)]
    return tuple(dict.fromkeys(text.partition(":")[0] for text in named))
