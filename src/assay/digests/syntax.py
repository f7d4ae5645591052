"""Digests of Python files by what they mean to Python: without comments, docstrings and layout.

Rewording a sentence about the code changes no digest. The text that is digested is our own, not that of
`ast.dump`: that one differs between versions of Python, and a certificate made by one is read by others.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.digests.imports import Stamp, stamp

NO_MEANING = frozenset({"ctx", "kind", "type_comment", "type_ignores"})  # said by the rest of the tree


def digest_of_file(path: Path) -> str:
    """Of a Python file its syntax, of any other its bytes. A file that Python cannot read counts by bytes."""
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
    """A tree as words, in an order that tells any two trees apart. What is empty is left out."""
    left: list[Any] = [node]
    while left:
        here = left.pop()
        if isinstance(here, ast.Constant):
            yield f"{type(here.value).__name__} {here.value!r}"
        elif isinstance(here, ast.AST):
            yield f"({type(here).__name__}"
            left.append(")")
            for name in reversed(here._fields):
                value = getattr(here, name, None)
                if value is None or value == [] or name in NO_MEANING:
                    continue
                left.append(
                    [each for each in value if not is_remark(each)]
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


def is_remark(node: Any) -> bool:
    """Whether a statement is a text that stands alone: a docstring, or a comment in quotes."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
