"""Digests of Python files by what they mean to Python: without comments, docstrings and layout.

Rewording a comment changes no digest. `ast.dump` differs between versions of Python, and a certificate made
under one version is read under others, so the tree is written out in a form of our own.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.digests.imports import Stamp, stamp

NO_MEANING = frozenset(
    {"ctx", "kind", "type_comment", "type_ignores"}
)  # redundant: the rest of the tree implies them

# Fields that describe an axis and decide nothing that is measured. What declares or sets one is left out of
# a digest, so that a proof outlives a description that is added or mended.
UNMEASURED = frozenset({"stochasticity"})


def digest_of_file(path: Path) -> str:
    """The digest of a Python file's syntax; of the bytes, where Python cannot parse the file."""
    return _digest_of_file(stamp(path))


@lru_cache(maxsize=4096)
def _digest_of_file(file: Stamp) -> str:
    data = Path(file.path).read_bytes()
    if file.path.endswith(".py"):
        try:
            return digest_of_tree(ast.parse(data))
        except (SyntaxError, ValueError):
            pass
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def digest_of_tree(tree: ast.AST) -> str:
    return hashlib.blake2b("\n".join(tokens(tree)).encode(), digest_size=16).hexdigest()


def tokens(node: ast.AST) -> Iterator[str]:
    """A tree as words, in an order that tells any two trees apart; empty fields are left out."""
    left: list[Any] = [node]
    while left:
        here = left.pop()
        if isinstance(here, ast.Constant):
            yield f"{type(here.value).__name__} {here.value!r}"
        elif isinstance(here, ast.AST):
            yield f"({type(here).__name__}"
            left.append(")")
            for name in reversed(here._fields):
                value: Any = getattr(here, name, None)
                if name == "keywords":
                    value = [each for each in value if each.arg not in UNMEASURED]
                if value is None or value == [] or name in NO_MEANING:
                    continue
                left.append(
                    [each for each in value if not is_left_out(each)]
                    if name == "body" and isinstance(value, list)
                    else value
                )
                left.append(f".{name}")
        elif isinstance(here, list):
            left.append("]")
            left += reversed(here)
            yield "["
        else:
            yield here if isinstance(here, str) else repr(here)


def is_left_out(node: Any) -> bool:
    """Whether a statement is a remark, or declares a field that measures nothing."""
    if isinstance(node, ast.AnnAssign):
        return isinstance(node.target, ast.Name) and node.target.id in UNMEASURED
    return is_remark(node)


def is_remark(node: Any) -> bool:
    """Whether a statement is a bare string: a docstring, or a comment in quotes."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
