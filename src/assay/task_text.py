"""The text form of a task, `family/name[+variation[=value]][@schedule]...`: parse, print, suggest.

The catalogue knows what a name means, and which type its value must have. For every task that can be built,
`parse(str(task)) == task`, so its text can take its place in files, records and addresses.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, NamedTuple

from assay.errors import BadText, UnknownName
from assay.ids import task_of_gymnasium_id
from assay.positions import tell_in_text
from assay.task_values import (
    FLOAT,
    INT,
    Value,
    as_plain,
    cut,
    parse_value,
    print_value,
    require_text,
)

__all__ = [
    "DRAWN", "Schedule", "Setting", "TaskText", "Value", "parse", "parse_schedule", "parse_value",
    "print_schedule", "print_task", "print_value", "suggest", "unknown_name_error",
]  # fmt: skip

_ENV = re.compile(r"[\w.:-]+(/[\w.:-]+)+", re.ASCII)
_NAME = re.compile(r"[\w.:-]+", re.ASCII)


class _Kind(NamedTuple):
    example: str
    takes: str  # what its numbers must be, in words
    fits: Callable[[tuple[Any, ...]], bool]


def _are_steps(numbers: tuple[Any, ...]) -> bool:
    return all(type(number) is int and number >= 0 for number in numbers)


def _is_chance(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 < number <= 1


def _are_numbers(numbers: tuple[Any, ...]) -> bool:
    return all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers)


_KINDS = {
    "sudden": _Kind(
        "@sudden:300",
        "one step, an integer from 0 on",
        lambda n: len(n) == 1 and _are_steps(n),
    ),
    "cyclic": _Kind(
        "@cyclic:600:300",
        "the steps on and off, one or two integers from 1 on",
        lambda n: len(n) == 2 and _are_steps(n) and min(n) > 0,
    ),
    "ramp": _Kind(
        "@ramp:100:200",
        "its first and its last step, two integers from 0 on, the last one larger",
        lambda n: len(n) == 2 and _are_steps(n) and n[0] < n[1],
    ),
    "random": _Kind(
        "@random:0.01",
        "one chance per step, above 0 and at most 1",
        lambda n: len(n) == 1 and _is_chance(n[0]),
    ),
    "window": _Kind(
        "@window:100:200",
        "the first step on and the first step off again, two integers from 0 on, the last one larger",
        lambda n: len(n) == 2 and _are_steps(n) and n[0] < n[1],
    ),
    "turn": _Kind(
        "@turn:600:1:2",
        "the steps of a turn, the number of its turn from 0 on, and how many turns there are",
        lambda n: len(n) == 3 and _are_steps(n) and n[0] > 0 and n[1] < n[2],
    ),
    "uniform": _Kind(
        "@uniform:0",
        "one number, the other end of the range that each episode draws from",
        lambda n: len(n) == 1 and _are_numbers(n),
    ),
    "loguniform": _Kind(
        "@loguniform:0.1",
        "one number above 0, the other end of the range that each episode draws from",
        lambda n: len(n) == 1 and _are_numbers(n) and n[0] > 0,
    ),
    "choice": _Kind(
        "@choice:0:2:4",
        "the other levels that an episode may have, one or more numbers",
        lambda n: len(n) > 0 and _are_numbers(n),
    ),
}
_UNITS = ("steps", "life", "episodes")  # the first goes without saying
PLAIN = "plain"  # the name of a concept in which nothing is on
# Schedules that are known from the time alone; the others draw.
TIMED = ("sudden", "cyclic", "ramp", "window", "turn")
DRAWN = ("uniform", "loguniform", "choice")  # the level is a distribution, drawn anew for each episode


@dataclass(frozen=True)
class Schedule:
    """When a variation acts: a kind of clock, its numbers, and what it counts.

    unit: "steps" of the episode, steps of the whole "life", or "episodes" since it began.
    """

    kind: str
    numbers: tuple[int | float, ...]
    unit: str = "steps"

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in _KINDS:
            examples = ", ".join(kind.example for kind in _KINDS.values())
            raise BadText(f"no schedule is called {self.kind!r}; write one of {examples}.")
        if not isinstance(self.numbers, tuple | list):
            raise BadText(f"the numbers of a schedule must be a tuple such as (300,), not {self.numbers!r}.")
        if self.unit not in _UNITS:
            raise BadText(f"the unit of a schedule is one of {', '.join(_UNITS)}, not {self.unit!r}.")
        example, takes, fits = _KINDS[self.kind]
        numbers: tuple[Any, ...] = tuple(map(as_plain, self.numbers))
        if self.kind == "cyclic" and len(numbers) == 1:
            numbers *= 2  # as long off as on
        if not fits(numbers):
            written = ":".join(map(print_value, numbers)) or "nothing"
            perhaps = "" if self.kind in DRAWN else ", perhaps with :life or :episodes"
            raise BadText(f"@{self.kind} takes {takes}, not {written}; write {example}{perhaps}.")
        if self.unit != _UNITS[0] and self.kind in DRAWN:
            raise BadText(
                f"@{self.kind} draws a level for each episode, so ':{self.unit}' has no meaning; drop it."
            )
        if self.kind == "random":
            numbers = (float(numbers[0]),)  # @random:1 and @random:1.0 are one schedule
        object.__setattr__(self, "numbers", numbers)

    def __str__(self) -> str:
        return print_schedule(self)


@dataclass(frozen=True, eq=False)
class Setting:
    """One variation in a task, with its value and perhaps a schedule."""

    name: str
    value: Value = True
    schedule: Schedule | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            wanted = "letters, digits and _ - . : such as action.sticky"
            raise BadText(f"{self.name!r} cannot name a variation; write {wanted}.")
        if not isinstance(self.schedule, Schedule | None):
            raise BadText(f"the schedule of {self.name} must be a Schedule or None, not {self.schedule!r}.")
        try:
            object.__setattr__(self, "value", as_plain(self.value))
        except BadText as error:
            raise BadText(f"{self.name}: {error}") from None

    # In Python 1, 1.0 and True are equal; as values of a task they differ, as their texts do.
    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Setting) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        value = "" if self.value is True else f"={print_value(self.value)}"
        return self.name + value + (str(self.schedule) if self.schedule else "")


@dataclass(frozen=True)
class TaskText:
    """A task as written: an env and the settings on it, in order."""

    env: str
    settings: tuple[Setting, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.env, str) or not _ENV.fullmatch(self.env):
            if isinstance(self.env, str) and (ours := task_of_gymnasium_id(self.env)):
                raise BadText(f"{self.env} is {ours} here; write that.")
            wanted = "family/name in letters, digits and _ - . : such as toy/discrete"
            raise BadText(f"{self.env!r} cannot name an env; write {wanted}, then each variation after a +.")
        settings = self.settings
        if not isinstance(settings, tuple | list) or not all(isinstance(each, Setting) for each in settings):
            raise BadText(f"the settings of {self.env} must be a tuple of Setting, not {settings!r}.")
        object.__setattr__(self, "settings", tuple(settings))
        names = [setting.name for setting in self.settings]
        for name in names:
            if names.count(name) > 1:
                raise BadText(f"the task {str(self)!r} sets {name!r} more than once; keep one of them.")

    @property
    def family(self) -> str:
        """The part of the env's name before the first slash."""
        return self.env.split("/")[0]

    def __str__(self) -> str:
        return print_task(self)


def parse(text: str) -> TaskText:
    """Read the text form of a task."""
    env, *pieces = cut(require_text("task", text), "+")
    TaskText(env)  # a bad env is reported before anything that comes after it
    settings, position = [], len(env) + 1  # behind the +
    for piece in pieces:
        try:
            settings += read_concepts(piece) if piece.startswith("[") else [_read_setting(piece)]
        except BadText as error:
            raise BadText(tell_in_text("task", text, position, str(error))) from None
        position += len(piece) + 1
    return TaskText(env, tuple(settings))


def print_task(task: TaskText) -> str:
    """The canonical text of a task."""
    return "+".join([task.env, *map(str, task.settings)])


def parse_schedule(text: str) -> Schedule:
    """Read a schedule such as `@ramp:100:200:life`; the @ may be left out."""
    kind, *parts = require_text("schedule", text).removeprefix("@").split(":")
    unit = parts.pop() if parts and parts[-1] in _UNITS[1:] else _UNITS[0]
    # What is no number stays a text, so that the schedule itself refuses it and says what it takes.
    numbers: list[Any] = [parse_value(part) if FLOAT.fullmatch(part) else part for part in parts]
    return Schedule(kind, tuple(numbers), unit)


def print_schedule(schedule: Schedule) -> str:
    """The canonical text of a schedule, with its @."""
    unit = [] if schedule.unit == _UNITS[0] else [schedule.unit]
    return ":".join(["@" + schedule.kind, *map(print_value, schedule.numbers), *unit])


def suggest(name: str, known: Collection[str], n: int = 3) -> str | None:
    """At most n known names near to a misspelt one, as `'delay' or 'decay'`; None if none is near."""
    module, colon, behind = name.rpartition(":")
    if colon and not any(":" in each for each in known):
        # The module's name is left out of the comparison: `mine:Pol-v0` is near to `Pole-v0`.
        return " or ".join(repr(f"{module}:{each}") for each in _nearest(behind, known, n)) or None
    return " or ".join(map(repr, _nearest(name, known, n))) or None


def _nearest(name: str, known: Collection[str], n: int) -> list[str]:
    by_lower = {each.lower(): each for each in known}
    lower = name.lower()
    if lower in by_lower:
        return [by_lower[lower]]
    near = get_close_matches(lower, by_lower, n, cutoff=0.7) or _overlapping(lower, by_lower)[:n]
    return [by_lower[each] for each in near]


def unknown_name_error(
    kind: str, name: str, known: Collection[str], where: str = "", see: str = "", shown: int | None = None
) -> UnknownName:
    """The error for a name that is not known: it should be a `kind`, perhaps of the env or family `where`.

    `see` is the command that lists the known names; by default `assay list` of `where`, or of that kind.
    `shown` is how many it lists, where these are not the known ones; 0 if it lists other things too.
    """
    near = suggest(name, known)
    hint = f"did you mean {near}? " if near else ""
    place = f" of {where}" if where else ""
    see = see or f"assay list {where or kind + 's'}"
    number = len(known) if shown is None else shown
    count = f" {number}" if number else ""
    return UnknownName(f"no {kind}{place} is called {name!r}; {hint}`{see}` shows all{count}.")


def _overlapping(name: str, known: Collection[str]) -> list[str]:
    """Names that begin with or contain this one, or the other way round, the likeliest first."""

    # Two letters are inside nearly everything, so they suggest nothing unless they begin the name.
    def overlaps(each: str) -> bool:
        return each.startswith(name) or (len(name) > 2 and name in each) or (len(each) > 2 and each in name)

    matches = filter(overlaps, known) if name else ()
    return sorted(matches, key=lambda each: (not each.startswith(name), abs(len(each) - len(name)), each))


def _read_setting(piece: str) -> Setting:
    head, *schedules = cut(piece, "@")
    name, *values = cut(head, "=")
    Setting(name)  # a bad name is reported before a bad value
    if len(schedules) > 1:
        raise BadText(f"{piece!r} has more than one schedule; write one, such as {name}@sudden:300.")
    if len(values) > 1:
        raise BadText(f"{piece!r} has more than one '='; put a value that contains '=' in double quotes.")
    if values == [""]:
        raise BadText(f"there is no value after '{name}='; write {name}=4, or {name} alone for a switch.")
    value = parse_value(values[0]) if values else True
    return Setting(name, value, parse_schedule(schedules[0]) if schedules else None)


def read_concepts(piece: str) -> list[Setting]:
    """The settings of `[a=1+b=2]@sudden:300`, which come on together, or of `[a=1,b=2]@sudden:300:600`.

    A comma stands between concepts that follow one another; `plain` is one in which nothing is on. Each
    setting gets a schedule of its own, so that the task is one of plain settings.
    """
    head, *schedules = cut(piece, "@")
    if len(schedules) != 1 or not head.endswith("]"):
        raise BadText(f"{piece!r} has a list of variations and no schedule; write [a=1,b=2]@sudden:300:600.")
    concepts = [cut(each, "+") for each in cut(head[1:-1], ",")]
    clocks = spread_schedule(schedules[0], len(concepts))
    settings = [
        (_read_setting(each), clock)
        for concept, clock in zip(concepts, clocks)
        for each in concept
        if each != PLAIN
    ]
    if not settings:
        raise BadText(f"{head} holds no variation beside {PLAIN}; write one, as in [plain,a=1]@cyclic:600.")
    own = [str(setting) for setting, _ in settings if setting.schedule is not None]
    if own:
        raise BadText(f"{own[0]!r} has a schedule inside a list that has one; drop one of them.")
    names = [setting.name for setting, _ in settings]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise BadText(
            f"{twice[0]!r} stands in two concepts of {head}, and their schedules would overlap: an axis has "
            "one level and one schedule in a task; keep one of them."
        )
    return [Setting(setting.name, setting.value, clock) for setting, clock in settings]


def spread_schedule(text: str, concepts: int) -> list[Schedule]:
    """The schedule of each of several concepts."""
    if concepts == 1:
        return [parse_schedule(text)]
    kind, *parts = text.split(":")
    unit = parts.pop() if parts and parts[-1] in _UNITS[1:] else _UNITS[0]
    numbers = [int(part) if INT.fullmatch(part) else -1 for part in parts]
    if kind == "cyclic" and len(numbers) == 1:
        return [Schedule("turn", (numbers[0], place, concepts), unit) for place in range(concepts)]
    if kind != "sudden" or len(numbers) != concepts or numbers != sorted(set(numbers)) or numbers[0] < 0:
        steps = ":".join(str(300 * (i + 1)) for i in range(concepts))
        raise BadText(
            f"{concepts} concepts follow one another by @sudden:{steps}, one step each and rising, or in "
            f"turns by @cyclic:600, not by @{text}."
        )
    windows = [Schedule("window", pair, unit) for pair in pairwise(numbers)]
    return [*windows, Schedule("sudden", (numbers[-1],), unit)]
