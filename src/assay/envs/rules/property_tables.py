"""Tables of property pieces: a column for each property, and perhaps one for an image.

    image,size,kind
    cats/1.png,1,cat
    dogs/1.png,2,dog

A row is a kind of piece. Whole numbers are read as such, an empty entry is a property that the kind lacks.
Columns `shape` and `color` are the shape and the colour of the piece.
"""

from __future__ import annotations

import csv
import re

from assay.envs.rules.board import OF_A_PIECE, PropertyValue
from assay.envs.rules.language.tokens import is_name
from assay.envs.rules.random_boards import Kind
from assay.errors import AssayError

WHOLE = re.compile(r"-?[0-9]{1,9}")
TAKEN = ("pos", "postpos", "bucket", "code", "count", "id", "x", "y")


def read_kinds(text: str, source: str = "the table") -> tuple[Kind, ...]:
    """The kinds of pieces in a table, row by row."""
    rows = [row for row in csv.reader(text.splitlines()) if any(entry.strip() for entry in row)]
    if len(rows) < 2:
        raise AssayError(f"{source} has no row of properties below its headings.")
    names = [name.strip() for name in rows[0]]
    _check_names(names, source)
    return tuple(_read_kind(names, row, f"row {i + 1} of {source}") for i, row in enumerate(rows[1:]))


def _check_names(names: list[str], source: str) -> None:
    for name in names:
        if not is_name(name) or name in TAKEN:
            known = ", ".join(TAKEN)
            raise AssayError(f"{source} has a column {name!r}; properties are names, and none of {known}.")
    if len(set(names)) < len(names):
        raise AssayError(f"{source} has two columns of one name; keep one of them.")


def _read_kind(names: list[str], row: list[str], where: str) -> Kind:
    if len(row) != len(names):
        raise AssayError(f"{where} has {len(row)} entries for {len(names)} columns.")
    kind = tuple((name, _read_entry(entry.strip())) for name, entry in zip(names, row) if entry.strip())
    if not any(name not in OF_A_PIECE for name, _ in kind) and not {"shape", "color"} <= set(dict(kind)):
        raise AssayError(f"{where} has no property; fill in one at least.")
    return kind


def _read_entry(entry: str) -> PropertyValue:
    return int(entry) if WHOLE.fullmatch(entry) else entry
