"""What an axis declares: its name, the components it touches, its levels and what they mean.

No jax here and nothing of ours but errors: params files import this module alone, so the catalogue of every
family loads in milliseconds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from assay.errors import WrongLevel

COMPONENTS = ("initial", "action", "transition", "reward", "observation", "terminal")

LARGEST = 3e38  # levels are float32 where they act

Kind = Literal["dose", "switch", "choice", "structure"]
Stochasticity = Literal["", "0", "1", "2.1", "2.2", "3.1", "3.2"]  # types of STORI's taxonomy

F = TypeVar("F", bound=Callable[..., Any])

# What a level does to the difficulty for a human player; "" where unstated.
DIRECTIONS = ("simplification", "neutral", "harder", "unknown")


@dataclass(frozen=True)
class Axis:
    """One thing that can be varied.

    kind: a `dose` has an order and a neutral level, a `switch` is off or on, a `choice` is one of a few
    values, and a `structure` changes shapes or generated tables, so each level is a program of its own.

    name, components, type, neutral, levels, means and origin are asked of every axis; low, high and choices
    limit what a task may write, and acts is the Channel, Inner or Field of an axis of your own. needs,
    context, excludes and tied say beside which settings it acts; asks that it changes what is asked; doubles,
    same_as and aliases relate it to other names; instead replaces its record under a switch; tags, direction,
    directions, restates and stochasticity describe it to people; refuses says why it cannot be had.
    """

    name: str
    components: tuple[str, ...]
    kind: Kind
    type: Any  # int, float, bool, str, or a function that returns the typed value or raises WrongLevel
    neutral: Any
    levels: tuple[Any, ...]  # without neutral, each direction from weak to strong, for laws and `examine`
    means: str
    origin: str
    low: float | None = None
    high: float | None = None
    choices: tuple[Any, ...] = ()
    needs: tuple[str, ...] = ()  # "delay": away from neutral; "mode=color": exactly so; "a|b": either
    context: str = (
        ""  # the least text that satisfies `needs`, for checks and pictures: "sequence_length=2+delay=1"
    )
    excludes: tuple[str, ...] = ()  # settings that have nothing to do beside this one
    tied: tuple[str, ...] = ()  # "gate=handout": while that holds the level is built into the env
    asks: bool = False  # changes what is asked: scores compare only as shares of this task's own reference
    doubles: str = ""  # of a family's key: the variation of any task that has the same effect
    same_as: str = ""  # the other way round, set by the catalogue: the key, which `examine` prefers
    # The Channel, Inner or HostRule it is, at neutral; None: a field of the params, or a structure. A record
    # whose module needs jax is named as text.
    acts: Any = None
    instead: tuple[tuple[str, Any], ...] = ()  # (switch, record): what it is while that structure is on
    tags: tuple[str, ...] = ()  # words by which `assay list --tag` finds it
    direction: str = ""  # one of DIRECTIONS
    directions: tuple[tuple[Any, str], ...] = ()  # of single levels that differ
    restates: tuple[Any, ...] = ()  # levels that only restate the plain task: controls, no test conditions
    aliases: tuple[str, ...] = ()  # other spellings
    refuses: str = ""  # why it cannot be had at all
    # Its type in STORI's taxonomy of chance (docs/stochasticity.md); "" where that does not speak of it.
    # Written out here, in one statement, because digests of code leave out exactly this statement.
    stochasticity: Stochasticity = ""

    def __post_init__(self) -> None:
        unknown = set(self.components) - set(COMPONENTS)
        if unknown or not self.components:
            raise ValueError(
                f"axis {self.name!r} declares {sorted(unknown)}; components are {', '.join(COMPONENTS)}."
            )

        wrong = {self.direction, *(word for _, word in self.directions)} - {"", *DIRECTIONS}
        if wrong:
            raise ValueError(
                f"axis {self.name!r} has the direction {min(wrong)!r}; there are {', '.join(DIRECTIONS)}."
            )

    def direction_of(self, level: Any) -> str:
        """What a level does to the difficulty for a human player."""
        return next((word for each, word in self.directions if each == level), self.direction)

    def to_level(self, value: Any) -> Any:
        """`value` as this axis understands it (180 and 180.0 are one level), or WrongLevel."""
        if self.choices:
            if value in self.choices and type(value) is type(self.choices[self.choices.index(value)]):
                return value
            raise self.wrong(value)
        if self.type is bool:
            if isinstance(value, bool):
                return value
            raise self.wrong(value)
        if self.type in (int, float):
            return self._number(value)
        if self.type is str:
            if isinstance(value, str):
                return value
            raise self.wrong(value)
        try:
            return self.type(value)
        except WrongLevel as error:
            raise WrongLevel(f"{self.name} takes {self.takes()}, not {show_value(value)}: {error}") from None
        except (TypeError, ValueError, OverflowError):  # the last of an infinite number
            raise self.wrong(value) from None

    def _number(self, value: Any) -> int | float:
        number = as_plain_number(value)
        if number is None or not abs(number) < LARGEST:  # NaN too
            raise self.wrong(value)
        if self.type is int and number != int(number):
            raise self.wrong(value)
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise self.wrong(value)
        typed: int | float = self.type(number)
        return typed

    def wrong(self, value: Any) -> WrongLevel:
        return WrongLevel(f"{self.name} takes {self.takes()} ({self.means}), not {show_value(value)}.")

    def takes(self) -> str:
        """What a level may be, in words."""
        if self.choices:
            return "one of " + ", ".join(str(choice) for choice in self.choices)
        if self.type is bool:
            return "true or false"
        if self.type in (int, float):
            noun = "a whole number" if self.type is int else "a number"
            if self.low is not None and self.high is not None:
                return f"{noun} from {self.low:g} to {self.high:g}"
            if self.low is not None:
                return f"{noun} from {self.low:g} up"
            return noun
        if self.type is str:
            return "a word"
        return getattr(self.type, "takes", "a list")


def takes(what: str) -> Callable[[F], F]:
    """Names what a typing function accepts, for error messages."""

    def mark(function: F) -> F:
        marked: Any = function
        marked.takes = what
        return function

    return mark


def stochastic_tags(component: str) -> tuple[str, str]:
    """The tags of an axis that lets chance into a component."""
    return "stochastic", f"stochastic-{component}"


def show_value(value: Any) -> str:
    """A value for an error message: short, and as the user would have written it."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def as_plain_number(value: Any) -> int | float | None:
    """Python's numbers and numpy's scalars; booleans and everything else are none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return value.item() if kind in ("i", "u", "f") and value.ndim == 0 else None


def axis(components: str, default: Any, *, kind: Kind = "dose", static: bool = False, **about: Any) -> Any:
    """A params field that is an axis: `slip: float = axis("transition", 0.0, levels=(0.1, 0.5), ...)`.

    The axis takes the field's name, and its neutral is the field's default. `static` marks what sets shapes
    or picks code; everything else is traced, so one program serves all its levels.
    """
    about.setdefault("type", type(default))
    declared = dict(components=tuple(components.split()), kind=kind, neutral=default, **about)
    return field(default=default, metadata={"axis": declared, "static": static or kind == "structure"})


def structure(components: str, default: Any, **about: Any) -> Any:
    """A params field that changes shapes or generated tables: one program per level, no schedule."""
    return axis(components, default, kind="structure", **about)


def group(fields: type) -> Any:
    """A params field that holds further ones, whose axes are called `<this field>.<that field>`."""
    return field(default=fields(), metadata={"group": fields})


def axes(params: type, within: str = "") -> tuple[Axis, ...]:
    """The axes that a params class and its groups declare, in the order written."""
    declared: list[Axis] = []
    for f in dataclasses.fields(params):
        if "axis" in f.metadata:
            declared.append(Axis(name=within + f.name, **f.metadata["axis"]))
        elif "group" in f.metadata:
            declared += axes(f.metadata["group"], f"{within}{f.name}.")
    return tuple(declared)
