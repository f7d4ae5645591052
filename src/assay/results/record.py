"""The schema: what a run holds, as typed records. Only this file knows the columns, their order and types."""

from __future__ import annotations

import hashlib
import json
import math
import numbers
import operator
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from assay.errors import AssayError

SCHEMA = 3
STATUSES = ("waiting", "running", "done", "failed")
REFERENCE_KINDS = ("random", "blind", "optimum", "retrained", "human")
COUNTED = "events."  # in `extra`, before the name of an axis: how often it acted in the episode
NONE = "none"  # in a digest, for curves or weights that a job did not leave

R = TypeVar("R", bound="Record")


class Cost(NamedTuple):
    """The time that a job took, in seconds; None where it was not measured."""

    wall_s: float | None = None
    cpu_s: float | None = None
    device_s: float | None = None


class _Kind(NamedTuple):
    sql: str
    arrow: pa.DataType
    takes: str  # what a value must be, in words
    plain: Callable[[Any], Any]  # the value in Python's own type; TypeError or ValueError if it has none


class Column(NamedTuple):
    name: str  # in SQL, Arrow and Parquet
    field: str  # of the dataclass: `return` is a word of Python, so there it is `return_`
    type: type
    optional: bool

    @property
    def sql(self) -> str:
        return _KINDS[self.type].sql

    @property
    def arrow(self) -> pa.DataType:
        return _KINDS[self.type].arrow


@dataclass(frozen=True, kw_only=True)
class Record:
    """One row: every field is checked, and converted to plain Python, when the record is built."""

    may_be_nan: ClassVar[bool] = False  # SQLite would store NaN as NULL

    def __post_init__(self) -> None:
        for column in columns(type(self)):
            value = getattr(self, column.field)
            if value is None and column.optional:
                continue
            object.__setattr__(self, column.field, self._plain(column, value))

    def _plain(self, column: Column, value: Any) -> Any:
        kind = _KINDS[column.type]
        try:
            plain = kind.plain(value)
        except (TypeError, ValueError) as error:
            name = f"{type(self).__name__.lower()}.{column.name}"
            raise AssayError(f"{name} takes {kind.takes}, not {value!r} ({error}).") from None
        if column.type is float and not self.may_be_nan and not math.isfinite(plain):
            name = f"{type(self).__name__.lower()}.{column.name}"
            raise AssayError(f"{name} takes a finite number, not {plain}; mend the code that computed it.")
        return plain


@dataclass(frozen=True, kw_only=True)
class Job(Record):
    """One agent, trained and evaluated once; the columns of `IDENTITY` decide its result."""

    id: str
    suite: str = ""
    version: int = 0
    pair: str = ""
    train_task: str
    eval_task: str
    agent: str
    config: dict[str, Any]
    seed: int
    budget: int
    status: str = "waiting"
    started: float | None = None
    ended: float | None = None
    wall_s: float | None = None
    cpu_s: float | None = None
    device_s: float | None = None
    host: str | None = None
    versions: dict[str, Any] | None = None
    source_digest: str
    digest: str | None = None
    part_digest: str | None = None  # of the bytes of its part; `digest` is of the curves that they hold
    uncovered: dict[str, Any] | None = (
        None  # files and modules that it used and the source digest does not cover
    )
    lanes: int | None = None  # of the program that trained it: how many agents were trained together
    device: str | None = None  # on which it was done
    elsewhere: str | None = None  # the URL of the folder that holds its files; NULL: the run's folder
    transcript_digest: str | None = None  # of the bytes of its transcript; NULL: it left none
    notes_digest: str | None = None  # of the bytes of a language model's answers; NULL: it left none

    @classmethod
    def planned(cls, **identity: Any) -> Job:
        """A job that waits, with the id that its other columns give it."""
        job = cls(id="", **identity)
        return replace(job, id=job.expected_id)

    @property
    def identity(self) -> dict[str, Any]:
        """The columns that decide the result, and so the id."""
        return {name: getattr(self, name) for name in IDENTITY}

    @property
    def expected_id(self) -> str:
        return job_id(**self.identity)


@dataclass(frozen=True, kw_only=True)
class Episode(Record):
    """One episode of evaluation."""

    job: str
    task: str
    arm: str
    axis: str = ""
    level: str = ""
    world_seed: int | None = None
    episode: int
    steps: int
    return_: float
    score: float
    terminated: bool
    truncated: bool
    extra: dict[str, Any] = field(default_factory=dict)
    drawn: dict[str, Any] | None = None  # by axis, where levels are drawn anew for each episode
    digest: str | None = None  # of first and last observation, executed actions and rewards

    @property
    def key(self) -> tuple[Any, ...]:
        """The columns that tell it from other episodes."""
        return self.job, self.task, self.arm, self.axis, self.level, self.world_seed, self.episode


@dataclass(frozen=True, kw_only=True)
class Reference(Record):
    """A score of one task to measure others by: of random, blind, best, retrained or human play."""

    task: str
    kind: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    how: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in REFERENCE_KINDS:
            raise AssayError(
                f"no reference is of kind {self.kind!r}; write one of {', '.join(REFERENCE_KINDS)}."
            )


@dataclass(frozen=True, kw_only=True)
class Curve(Record):
    """One point of a learning curve."""

    may_be_nan: ClassVar[bool] = True  # a mean over no episodes; Parquet keeps it

    job: str
    step: int
    name: str
    value: float


# Columns that were added after the first runs of this schema: the last of their table, NULL in older runs.
ADDED = {
    "episode": ("drawn", "digest"),
    "job": ("lanes", "device", "elsewhere", "transcript_digest", "notes_digest"),
}
IDENTITY = (
    "suite",
    "version",
    "pair",
    "train_task",
    "eval_task",
    "agent",
    "config",
    "seed",
    "budget",
    "source_digest",
)
TABLES: dict[str, type[Record]] = {"job": Job, "episode": Episode, "reference": Reference, "curve": Curve}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a {type(value).__name__}")
    value.encode()  # a lone surrogate fits no file: UnicodeEncodeError is a ValueError
    return str.__str__(value)


def _integer(value: Any) -> int:
    if isinstance(value, bool):  # np.bool_ has no index
        raise TypeError("a bool")
    number = operator.index(value)
    if not -(2**63) <= number < 2**63:
        raise ValueError("more than 64 bits")
    return number


def _real(value: Any) -> float:
    if type(value) is not float and (isinstance(value, bool) or not isinstance(value, numbers.Real)):
        raise TypeError(f"a {type(value).__name__}")
    return float(value) + 0.0  # SQLite forgets the sign of -0.0, and the digest would not match


def _flag(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"a {type(value).__name__}")
    return bool(value)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"a {type(value).__name__}")
    # As it will be read back, tuples as lists: a record that was stored and read equals itself.
    plain: dict[str, Any] = json.loads(canonical(dict(value)))
    return plain


_KINDS: dict[type, _Kind] = {
    str: _Kind("TEXT", pa.string(), "a text", _text),
    int: _Kind("INTEGER", pa.int64(), "an integer of 64 bits", _integer),
    float: _Kind("REAL", pa.float64(), "a number", _real),
    bool: _Kind("INTEGER", pa.bool_(), "True or False", _flag),
    dict: _Kind("TEXT", pa.string(), "a dict that fits JSON", _object),
}


def columns(record: type[Record]) -> tuple[Column, ...]:
    """A record's columns, in order, as its annotations declare them."""
    return _columns(record)  # type: ignore[arg-type]  # mypy doubts that a class can be hashed


@cache
def _columns(record: type[Record]) -> tuple[Column, ...]:
    hints = typing.get_type_hints(record)
    columns = []
    for name in (each.name for each in fields(record)):
        hint = hints[name]
        optional = isinstance(hint, types.UnionType)
        declared = typing.get_args(hint)[0] if optional else hint
        plain = typing.get_origin(declared) or declared
        columns.append(Column(name.rstrip("_"), name, plain, optional))
    return tuple(columns)


def arrow_schema(record: type[Record]) -> pa.Schema:
    return pa.schema([pa.field(c.name, c.arrow, nullable=c.optional) for c in columns(record)])


def to_row(record: Record) -> tuple[Any, ...]:
    """A record as SQLite stores it: flags as 0 and 1, dicts as canonical JSON."""
    return tuple(_stored(getattr(record, c.field)) for c in columns(type(record)))


def from_row(record: type[R], row: Iterable[Any]) -> R:
    """The record that `to_row` gave this row."""
    return record(**{c.field: _read(c, value) for c, value in zip(columns(record), row)})


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no spaces, ASCII, floats as the shortest that reads back."""
    return _CANONICAL.encode(value)


def job_id(
    *,
    agent: str,
    config: Mapping[str, Any],
    budget: int,
    train_task: str,
    eval_task: str,
    seed: int,
    source_digest: str,
    suite: str = "",
    version: int = 0,
    pair: str = "",
    schema: int = SCHEMA,
) -> str:
    """The id of a job: a digest of all that decides its result, so that equal jobs of equal code share it."""
    identity = locals()  # every argument, by its name
    return digest_of([canonical(identity).encode()])


def episodes_digest(job: str, rows: Iterable[tuple[Any, ...]]) -> str:
    """The digest of a job's episodes as stored, in order, without the NULLs of columns that came later."""
    written = (b"\n" + canonical(as_written("episode", row)).encode() for row in rows)
    return digest_of([job.encode(), *written])


def as_written(table: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row without the NULLs of added columns at its end, which an older run's table does not have."""
    first, end = len(row) - len(ADDED.get(table, ())), len(row)
    while end > first and row[end - 1] is None:
        end -= 1
    return row[:end]


def curves_digest(job: str, curves: pa.Table | None) -> str:
    """The digest of a job's curve rows, in order; "none" if it has none."""
    if curves is None:
        return NONE
    names = canonical(curves["name"].to_pylist()).encode()
    steps = curves["step"].to_numpy().astype("<i8").tobytes()
    values = curves["value"].to_numpy().astype("<f8").tobytes()
    return digest_of([job.encode(), b"\n", names, b"\n", steps, values])


def file_digest(job: str, data: bytes | None) -> str:
    """The digest of the bytes of a file of a job; "none" if it has none."""
    return NONE if data is None else digest_of([job.encode(), b"\n", data])


def digest_of(pieces: Iterable[bytes]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _stored(value: Any) -> Any:
    if isinstance(value, dict):
        return canonical(value)
    return int(value) if isinstance(value, bool) else value


def _read(column: Column, value: Any) -> Any:
    if value is None or column.type not in (bool, dict):
        return value
    if column.type is bool:
        return bool(value)
    try:
        return json.loads(value)
    except ValueError:
        raise AssayError(f"the column {column.name} of a record is no JSON: {value!r}.") from None


def _of_numpy(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not JSON")


# Made once: json.dumps would make one for every episode.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, default=_of_numpy)
