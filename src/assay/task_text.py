"""The text form of a task, `family/name[+variation[=value]][@schedule]...`: parse, print, suggest.

The catalogue knows what a name means, and which type its value must have. For every task that can be built,
`parse(str(task)) == task`, so its text can take its place in files, records and addresses.
"""

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeAlias

from assay.errors import BadText, UnknownName
from assay.ids import task_of_gymnasium_id
from assay.positions import tell_in_text

Value: TypeAlias = "int | float | bool | str | tuple[Value, ...]"

# Python neither converts integers of thousands of digits nor recurses without end; we refuse both before.
INT_BOUND = 10**300
DEEPEST_LIST = 16
_TOO_DEEP = f"a list may hold lists to a depth of {DEEPEST_LIST}; write a flatter one."

_ENV = re.compile(r"[\w.:-]+(/[\w.:-]+)+", re.ASCII)
_NAME = re.compile(r"[\w.:-]+", re.ASCII)
_INT = re.compile(r"-?[0-9]+")
_MANTISSA = r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
_FLOAT = re.compile(rf"{_MANTISSA}([eE]-?[0-9]+)?")
_PLUS_EXPONENT = re.compile(rf"{_MANTISSA}[eE](\+[0-9]*)?")
_NOT_FINITE = re.compile(r"-?(nan|inf|infinity)", re.IGNORECASE | re.ASCII)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/-]*")
_QUOTED = re.compile(r'"([^"\\]|\\["\\n])*"')
_TOKEN = re.compile(r'"([^"\\]|\\.)*"|.', re.DOTALL)  # a quoted text or one character


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
DRAWN = ("uniform", "loguniform", "choice")  # the level is a distribution, drawn anew for each episode


@dataclass(frozen=True)
class Schedule:
    """When a variation acts: a kind of clock, its numbers, and whether it counts over a whole lifetime."""

    kind: str
    numbers: tuple[int | float, ...]
    life: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in _KINDS:
            examples = ", ".join(kind.example for kind in _KINDS.values())
            raise BadText(f"no schedule is called {self.kind!r}; write one of {examples}.")
        if not isinstance(self.numbers, tuple | list):
            raise BadText(f"the numbers of a schedule must be a tuple such as (300,), not {self.numbers!r}.")
        if not isinstance(self.life, bool):
            raise BadText(f"the life of a schedule must be True or False, not {self.life!r}.")
        example, takes, fits = _KINDS[self.kind]
        numbers: tuple[Any, ...] = tuple(map(_as_plain, self.numbers))
        if self.kind == "cyclic" and len(numbers) == 1:
            numbers *= 2  # as long off as on
        if not fits(numbers):
            written = ":".join(map(print_value, numbers)) or "nothing"
            perhaps = "" if self.kind in DRAWN else ", perhaps with :life"
            raise BadText(f"@{self.kind} takes {takes}, not {written}; write {example}{perhaps}.")
        if self.life and self.kind in DRAWN:
            raise BadText(f"@{self.kind} draws a level for each episode, so ':life' has no meaning; drop it.")
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
            object.__setattr__(self, "value", _as_plain(self.value))
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
    env, *pieces = _cut(_require_text("task", text), "+")
    TaskText(env)  # a bad env is reported before anything that comes after it
    settings, position = [], len(env) + 1  # behind the +
    for piece in pieces:
        try:
            settings.append(_read_setting(piece))
        except BadText as error:
            raise BadText(tell_in_text("task", text, position, str(error))) from None
        position += len(piece) + 1
    return TaskText(env, tuple(settings))


def print_task(task: TaskText) -> str:
    """The canonical text of a task."""
    return "+".join([task.env, *map(str, task.settings)])


def parse_value(text: str) -> Value:
    """Read one value: a number, true or false, a word, a "quoted text" or a [list]."""
    return _as_plain(_read_value(_require_text("value", text)))


def print_value(value: Value) -> str:
    """The canonical text of a value."""
    value = _as_plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # repr is the shortest that reads back, but writes 1e+16 and 1e-05: a + would cut the task in two.
        return re.sub(r"e\+?(-?)0*", r"e\1", repr(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ",".join(map(print_value, value)) + "]"
    if _WORD.fullmatch(value) and value not in ("true", "false") and not _NOT_FINITE.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def parse_schedule(text: str) -> Schedule:
    """Read a schedule such as `@ramp:100:200:life`; the @ may be left out."""
    kind, *parts = _require_text("schedule", text).removeprefix("@").split(":")
    life = parts[-1:] == ["life"]
    # What is no number stays a text, so that the schedule itself refuses it and says what it takes.
    numbers: list[Any] = [
        parse_value(part) if _FLOAT.fullmatch(part) else part for part in parts[: len(parts) - life]
    ]
    return Schedule(kind, tuple(numbers), life)


def print_schedule(schedule: Schedule) -> str:
    """The canonical text of a schedule, with its @."""
    return ":".join(["@" + schedule.kind, *map(print_value, schedule.numbers), *["life"] * schedule.life])


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
    head, *schedules = _cut(piece, "@")
    name, *values = _cut(head, "=")
    Setting(name)  # a bad name is reported before a bad value
    if len(schedules) > 1:
        raise BadText(f"{piece!r} has more than one schedule; write one, such as {name}@sudden:300.")
    if len(values) > 1:
        raise BadText(f"{piece!r} has more than one '='; put a value that contains '=' in double quotes.")
    if values == [""]:
        raise BadText(f"there is no value after '{name}='; write {name}=4, or {name} alone for a switch.")
    value = parse_value(values[0]) if values else True
    return Setting(name, value, parse_schedule(schedules[0]) if schedules else None)


def _read_value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    if _INT.fullmatch(text):
        return int(text) if len(text) < 400 else INT_BOUND
    if _FLOAT.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        return float(text)
    if _PLUS_EXPONENT.fullmatch(text):
        raise BadText(
            f"{text!r} is no number, because + begins the next variation; write 1e3 in place of 1e+3."
        )
    if _WORD.fullmatch(text):
        return text
    if _QUOTED.fullmatch(text):
        return re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], text[1:-1])
    if text.startswith('"'):
        raise BadText(
            rf'{text!r} is no quoted text; inside the quotes write \" for ", \\ for \ and \n for a new line.'
        )
    if text.startswith("[") and text.endswith("]"):
        items = [item.strip(" ") for item in _cut(text[1:-1], ",")]
        return () if items == [""] else tuple(map(_read_value, items))
    raise BadText(f'{text!r} is no value; write a number, true, false, a word, a "quoted text" or a [list].')


def _as_plain(value: object, depth: int = 0) -> Value:
    """The value in plain types, lists as tuples; refuses anything that the text cannot hold."""
    if isinstance(value, list | tuple):
        if depth == DEEPEST_LIST:
            raise BadText(_TOO_DEEP)
        return tuple(_as_plain(item, depth + 1) for item in value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) >= INT_BOUND:
            raise BadText(
                "an integer may have at most 300 digits; write a shorter one, or a float such as 1e300."
            )
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadText(
                f"a number must be finite, not {float(value)}; if a text is meant, put it in double quotes."
            )
        return float(value)
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise BadText(f"{value!r} holds half a character (a lone surrogate), which no file can store.")
        return str.__str__(value)
    raise BadText(
        f"{value!r} is no value of a task; give an int, a float, a bool, a text or a list of these."
    )


def _cut(text: str, mark: str) -> list[str]:
    """The pieces of a text between those marks that are outside quotes and brackets."""
    pieces, start, depth = [], 0, 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign == '"':
            raise BadText(f'a quote opens in {text[token.start() :]!r} and does not close; end it with ".')
        depth += (sign == "[") - (sign == "]")
        if depth < 0:
            raise BadText(f"the last ] of {text[: token.end()]!r} closes nothing; write a list as [1,2].")
        if depth > DEEPEST_LIST:
            raise BadText(f"the last [ of {text[: token.end()]!r} is one too many: {_TOO_DEEP}")
        if sign == mark and not depth:
            pieces.append(text[start : token.start()])
            start = token.end()
    if depth:
        raise BadText(f"a [ in {text!r} is not closed; write a list as [1,2].")
    return [*pieces, text[start:]]


def _require_text(what: str, text: object) -> str:
    if not isinstance(text, str):
        raise BadText(f"a {what} is read from a text, not from {text!r}.")
    return text
