"""Frozen records as JSON and back: a document has every field, of its declared type, and nothing else.

A field with a default may be missing: it was added to the record in a later version.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, TypeAlias, TypeVar

from assay.errors import AssayError

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
R = TypeVar("R")
TAKES = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}


class WrongDocument(AssayError):
    """A document that does not fit the record it is read as; the sentence names the position in it."""


def to_json(value: Any) -> Any:
    """A record, or a value inside one, as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): to_json(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(each) for each in value]
    return value


def from_json(record: type[R], document: Any, where: str) -> R:
    """The record that a document holds; `where` names the document in errors."""
    if not isinstance(document, Mapping):
        raise WrongDocument(
            f"{where} is {document!r:.60}, not an object with the fields of {record.__name__}."
        )
    declared = {field.name: field for field in fields(record)}  # type: ignore[arg-type]  # R is a dataclass
    for name in document:
        if name not in declared:
            raise WrongDocument(f"{where} has {name!r}, which is no field of {record.__name__}.")
    hints = _hints(record)  # type: ignore[arg-type]  # mypy doubts that a class can be hashed
    values = {}
    for name, field in declared.items():
        if name in document:
            values[name] = _read(hints[name], document[name], f"{name} of {where}")
        elif not _has_default(field):
            raise WrongDocument(f"{where} has no {name}.")
    return record(**values)


@cache
def _hints(record: Any) -> dict[str, Any]:
    return typing.get_type_hints(record)


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _read(hint: Any, value: Any, where: str) -> Any:
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin in (types.UnionType, typing.Union):
        if value is None and type(None) in inside:
            return None
        return _read(next(each for each in inside if each is not type(None)), value, where)
    if is_dataclass(hint):
        return from_json(hint, value, where)  # type: ignore[arg-type]  # a class, not an instance
    if origin is tuple:
        return _read_tuple(inside, value, where)
    if origin in (Mapping, dict):
        if not isinstance(value, Mapping):
            raise WrongDocument(f"{where} is {value!r:.60}, not an object.")
        return {str(name): _read(inside[1], each, f"{name} of {where}") for name, each in value.items()}
    return _read_plain(hint, value, where)


def _read_tuple(inside: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise WrongDocument(f"{where} is {value!r:.60}, not a list.")
    if inside[1:] == (...,):
        return tuple(_read(inside[0], each, f"item {i} of {where}") for i, each in enumerate(value))
    if len(value) != len(inside):
        raise WrongDocument(f"{where} has {len(value)} items, not {len(inside)}.")
    return tuple(
        _read(hint, each, f"item {i} of {where}") for i, (hint, each) in enumerate(zip(inside, value))
    )


def _read_plain(kind: type, value: Any, where: str) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise WrongDocument(f"{where} is {value!r:.60}, not {TAKES[kind]}.")
    return value
