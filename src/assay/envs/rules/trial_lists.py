"""Trial lists: CSV tables of the published game, a row for each run, and modifiers of the same form.

    rule_id,max_boards,min_objects,max_objects
    clockwise,5,9,9

Every known column has a type; columns that are not known are kept and named in `others`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from assay.envs.rules.board import COLORS, SHAPES
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.random_boards import BoardDraw
from assay.errors import AssayError

Names = tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """A row of a trial list or of a modifier; None where it has no entry."""

    rule_id: str | None = None
    max_boards: int | None = None
    min_objects: int | None = None
    max_objects: int | None = None
    min_shapes: int | None = None
    max_shapes: int | None = None
    min_colors: int | None = None
    max_colors: int | None = None
    shapes: Names | None = None
    colors: Names | None = None
    images: Names | None = None
    initial_boards: str | None = None
    initial_boards_order: str | None = None
    cond_train: str | None = None  # column condTrain
    cond_test: str | None = None  # column condTest
    crowded: bool | None = None
    feedback_switches: str | None = None  # fixed shows the pieces that can move, free does not
    free_wrong_cost: float | None = None  # of a pick that fails
    min_points: float | None = None
    max_points: float | None = None
    b: float | None = None
    activate_bonus_at: int | None = None
    clear_how_many: int | None = None
    bonus_extra_pts: int | None = None
    clearing_threshold: float | None = None
    x2_after: int | None = None
    x4_after: int | None = None
    x2_likelihood: float | None = None
    x4_likelihood: float | None = None
    give_up_at: int | None = None
    can_continue: bool | None = None  # column continue
    stack_memory_depth: int | None = None
    stack_memory_show_order: bool | None = None
    grid_memory_show_order: bool | None = None
    others: tuple[tuple[str, str], ...] = ()  # columns that are not known, as they stand

    def modify(self, modifier: Trial) -> Trial:
        """This row with the entries of a modifier in place of its own."""
        given = {name: getattr(modifier, name) for name in FIELD_NAMES}
        kept = {name: value for name, value in given.items() if value is not None}
        return replace(self, **kept, others=tuple({**dict(self.others), **dict(modifier.others)}.items()))

    def board_draw(self, geometry: Geometry = STANDARD, folder: Path | None = None) -> BoardDraw:
        """The random boards that the row asks for; what it leaves out is as in the paper's experiments."""
        usual = BoardDraw()
        shapes = expand_names(self.shapes or SHAPES, folder)
        colors = expand_names(self.colors or COLORS, folder)
        return BoardDraw(
            objects=_limits(self.min_objects, self.max_objects, usual.objects),
            shapes=_limits(self.min_shapes, self.max_shapes, usual.shapes),
            colors=_limits(self.min_colors, self.max_colors, usual.colors),
            shape_names=shapes,
            color_names=colors,
            crowded=bool(self.crowded),
            geometry=geometry,
        )


def _limits(low: int | None, high: int | None, usual: tuple[int, int]) -> tuple[int, int]:
    if low is None and high is None:
        return usual
    first, last = (high if low is None else low), (low if high is None else high)
    assert first is not None and last is not None
    return first, last


FIELD_NAMES = tuple(field.name for field in fields(Trial) if field.name != "others")
COLUMNS = {"cond_train": "condTrain", "cond_test": "condTest", "can_continue": "continue"}
FIELD_OF = {COLUMNS.get(name, name): name for name in FIELD_NAMES}
FEEDBACK = ("fixed", "free")
TRUTH = {"true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True)
class TrialList:
    """A list whose rows are still text, so that a slip in one row is none in the others."""

    source: str
    columns: list[str]
    rows: list[tuple[int, list[str]]]  # the line of the file, from 1, and its entries

    def __len__(self) -> int:
        return len(self.rows)

    def read(self, number: int) -> Trial:
        """The row of that number, from 1."""
        line, entries = self.rows[number - 1]
        return _read_row(self.columns, entries, f"row {number} of {self.source} (line {line})")


def open_trials(text: str, source: str = "the trial list") -> TrialList:
    reader = csv.reader(text.splitlines())
    rows = [(reader.line_num, row) for row in reader if any(entry.strip() for entry in row)]
    if len(rows) < 2:
        raise AssayError(f"{source} has no row below its headings.")
    names = [name.strip().lstrip("#") for name in rows[0][1]]
    double = [name for name in names if names.count(name) > 1]
    if double:
        raise AssayError(f"{source} has the column {double[0]!r} twice; keep one of them.")
    return TrialList(source, names, rows[1:])


def read_trials(text: str, source: str = "the trial list") -> tuple[Trial, ...]:
    """All rows of a list; a row that has no entry for `rule_id` is good for a modifier alone."""
    trials = open_trials(text, source)
    return tuple(trials.read(number) for number in range(1, len(trials) + 1))


def _read_row(names: list[str], row: list[str], where: str) -> Trial:
    if len(row) > len(names):
        raise AssayError(f"{where} has {len(row)} entries for {len(names)} columns.")
    entries = {name: entry.strip() for name, entry in zip(names, row)}
    known = {
        FIELD_OF[name]: _read_entry(FIELD_OF[name], entry, f"{name} in {where}")
        for name, entry in entries.items()
        if name in FIELD_OF and entry
    }
    others = tuple((name, entry) for name, entry in entries.items() if name not in FIELD_OF)
    return Trial(**known, others=others)


def _read_entry(name: str, entry: str, where: str) -> Any:
    kind = str(KINDS[name]).removesuffix(" | None")
    value = READERS[kind](entry, where)
    if name == "feedback_switches" and value not in FEEDBACK:
        raise AssayError(f"{where} is {entry!r}; it takes {' or '.join(FEEDBACK)}.")
    return value


def _read_int(entry: str, where: str) -> int:
    try:
        return int(entry)
    except ValueError:
        raise AssayError(f"{where} is {entry!r:.40}, which is no whole number.") from None


def _read_float(entry: str, where: str) -> float:
    try:
        return float(entry)
    except ValueError:
        raise AssayError(f"{where} is {entry!r:.40}, which is no number.") from None


def _read_bool(entry: str, where: str) -> bool:
    if entry.lower() not in TRUTH:
        raise AssayError(f"{where} is {entry!r:.40}; it takes true or false.")
    return TRUTH[entry.lower()]


def _read_names(entry: str, where: str) -> Names:
    return tuple(name.strip() for name in entry.split(";") if name.strip())


KINDS = {field.name: field.type for field in fields(Trial)}
READERS: dict[str, Callable[[str, str], Any]] = {
    "str": lambda entry, where: entry,
    "int": _read_int,
    "float": _read_float,
    "bool": _read_bool,
    "Names": _read_names,
}


def expand_names(names: Names, folder: Path | None = None) -> Names:
    """Names with each `dir/*` replaced by the files of that folder, without their endings."""
    expanded: list[str] = []
    for name in names:
        if not name.endswith("/*"):
            expanded.append(name)
            continue
        inside = name.removesuffix("/*")
        files = sorted((folder / inside).iterdir()) if folder and (folder / inside).is_dir() else []
        if not files:
            raise AssayError(
                f"{name!r} names a folder of shapes or colors, and there is none with files in it."
            )
        expanded += list(dict.fromkeys(f"{inside}/{file.stem}" for file in files if file.is_file()))
    return tuple(expanded)


def split_combination(text: str) -> tuple[str, str]:
    """The rule and the modifier of `R:rule:modifier`."""
    parts = text.split(":")
    if len(parts) != 3 or parts[0] != "R" or not all(parts):
        raise AssayError(f"a rule with a modifier is written R:rule:modifier, not {text!r}.")
    return parts[1], parts[2]


def combine(rule_id: str, modifier: Trial) -> Trial:
    """The run that `R:rule:modifier` asks for."""
    return Trial(rule_id=rule_id).modify(replace(modifier, rule_id=None))


# The modifier of the published benchmark: 9 objects of 4 shapes and 4 colours.
BENCHMARK_MODIFIER = Trial(
    min_objects=9, max_objects=9, min_shapes=4, max_shapes=4, min_colors=4, max_colors=4
)
