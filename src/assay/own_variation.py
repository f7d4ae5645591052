"""A variation of the user's own: the record in a module, checked and made into an axis. No jax here."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from assay.core.axis import COMPONENTS, Axis, Kind, show_value
from assay.core.streams import RESERVED, shared_stream
from assay.core.variation import Channel, Field, Inner
from assay.errors import AssayError, NotApplicable, WrongLevel
from assay.task_text import suggest

Record = Field | Inner | Channel
WHAT = "a variation is a Field, an Inner or a Channel, or an Axis of one"
EXAMPLES = {
    Channel: 'Channel(0.5, name="fog", components=("observation",), apply=fog)',
    Inner: 'Inner(0.5, name="slip", components=("transition",), apply=slip)',
    Field: 'Field(20, name="horizon", components=("terminal",), neutral=100)',
}
FUNCTIONS = {
    Channel: ("apply", "memory", "draw", "space", "fits", "report"),
    Inner: ("apply", "report"),
    Field: (),
}


def own_axis(code: str, value: Any, taken: Collection[str], plain: Mapping[str, Any]) -> Axis:
    """The axis of a user's record or Axis, or of a function that returns one.

    `taken` are the names of assay's axes, and `plain` has the neutral level of each that the env has: that of
    a Field which names none.
    """
    if inspect.isroutine(value) and needs_arguments(value):
        raise NotApplicable(f"{code!r} is a function that takes arguments; {WHAT}.")
    given = value() if callable(value) else value
    acts = given.acts if isinstance(given, Axis) else given
    if not isinstance(acts, (Field, Inner, Channel)):
        is_axis = isinstance(given, Axis)
        what = f"an Axis whose acts is {show_value(acts)}" if is_axis else a_or_an(type(acts).__name__)
        raise NotApplicable(f"{code!r} is {what}; {WHAT}.")
    if isinstance(acts, Field) and acts.neutral is None and isinstance(acts.name, str):
        acts = replace(acts, neutral=plain.get(acts.name))
    require_whole(code, acts)
    shared = None if isinstance(acts, Field) else shared_stream(acts.name, (*RESERVED, *taken))
    if shared:
        raise NotApplicable(
            f"{code!r} is called {acts.name!r} and draws as {shared[1]!r}, a name that assay uses itself; "
            "rename it."
        )
    require_components(code, acts)
    axis = with_code(code, given, acts) if isinstance(given, Axis) else axis_of_record(code, acts)
    require_levels(code, axis)
    return axis


def axis_of_record(code: str, acts: Record) -> Axis:
    kind: Kind = "switch" if isinstance(acts.level, bool) else "dose"
    return Axis(
        code, acts.components, kind, type(acts.level), acts.neutral, (acts.level,),
        means=(documentation(acts) or "a variation of your own"), origin=code, acts=acts, asks=acts.asks,
    )  # fmt: skip


def with_code(code: str, axis: Axis, acts: Record) -> Axis:
    """A user's Axis under the name by which tasks write it; it declares what its record declares."""
    if axis.components != acts.components or axis.neutral != acts.neutral or axis.asks != acts.asks:
        field = next(
            name for name in ("components", "neutral", "asks") if getattr(axis, name) != getattr(acts, name)
        )
        raise NotApplicable(
            f"{code!r} is an Axis with {field}={getattr(axis, field)!r}, and the {type(acts).__name__} that "
            f"it names has {field}={getattr(acts, field)!r}; make them equal."
        )
    return replace(axis, name=code, origin=axis.origin or code, acts=acts, doubles="", same_as="", aliases=())


def require_whole(code: str, acts: Record) -> None:
    """Refuses a record that leaves out what it is known by, or what acts."""
    kind = type(acts)
    needed = ["name", "components", *(["neutral"] if kind is Field else ["apply"])]
    missing = [field for field in needed if getattr(acts, field) is None]
    example = f"write {EXAMPLES[kind]}"
    if missing:
        raise NotApplicable(
            f"{code!r} is {a_or_an(kind.__name__)} without {' and '.join(missing)}; {example}."
        )
    if not isinstance(acts.name, str) or not acts.name:
        raise NotApplicable(f"{code!r} has the name {show_value(acts.name)}, which is no text; {example}.")
    for field in FUNCTIONS[kind]:
        value = getattr(acts, field)
        if not callable(value) and not (field == "report" and value is None):
            raise NotApplicable(f"{code!r} has {field}={show_value(value)}, which is no function; {example}.")


def require_levels(code: str, axis: Axis) -> None:
    """Refuses a neutral or a level that the axis itself does not take."""
    if not isinstance(axis.levels, tuple) or not axis.levels:
        raise NotApplicable(f"{code!r} has levels={axis.levels!r}; write a tuple, as (0.25, 0.5).")
    for field, level in (("neutral", axis.neutral), *(("level", level) for level in axis.levels)):
        try:
            axis.to_level(level)
        except WrongLevel:
            raise WrongLevel(
                f"{code!r} takes {axis.takes()}, and its {field} is {show_value(level)}; mend one of them."
            ) from None
        except TypeError:  # its type is no type
            raise AssayError(
                f"{code!r} has type={axis.type!r}; a type is int, float, bool, str or a function."
            ) from None


def require_components(code: str, acts: Record) -> None:
    """Refuses unknown components, and a Channel on anything but one value that passes by it."""
    declared = acts.components
    if not isinstance(declared, tuple) or not declared:
        raise NotApplicable(f'{code!r} declares the components {declared!r}; write a tuple, as ("reward",).')
    for word in declared:
        if word not in COMPONENTS:
            near = suggest(word, COMPONENTS) if isinstance(word, str) else None
            hint = f"did you mean {near}? " if near else ""
            raise NotApplicable(
                f"{code!r} declares the component {word!r}, which does not exist; {hint}The components are "
                f"{', '.join(COMPONENTS)}."
            )
    if isinstance(acts, Channel) and len(declared) > 1:
        raise NotApplicable(
            f"{code!r} is a Channel, which acts on one component, and declares {' and '.join(declared)}; "
            "make a Channel for each."
        )
    if isinstance(acts, Channel) and declared[0] not in ("action", "reward", "observation"):
        raise NotApplicable(
            f"{code!r} is a Channel, which acts on the action, the reward or the observation, and not on "
            f"the {declared[0]}."
        )


def needs_arguments(function: Any) -> bool:
    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    except ValueError:  # a function in C without a signature
        return False
    return False


def documentation(acts: Record) -> str:
    """The first line of what its function says of itself."""
    lines = ("" if isinstance(acts, Field) else acts.apply.__doc__ or "").strip()
    return lines.splitlines()[0] if lines else ""


def a_or_an(noun: str) -> str:
    return f"{'an' if noun[:1] in 'AEIOUaeiou' else 'a'} {noun}"
