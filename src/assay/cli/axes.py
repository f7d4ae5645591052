"""An axis in words: how it is written, what it touches, whether it is proved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from assay.catalogue import env_entry, load
from assay.core.axis import COMPONENTS, Axis
from assay.task_text import Setting, print_value


def require_env(env: str) -> str:
    """`env` if there is such an env, else UnknownName; of an open family the host itself is asked."""
    entry = env_entry(env)
    if not entry.native and not entry.axes_of and env not in entry.examples:
        load(entry.build)(env, {}).close()
    return env


def form(axis: Axis) -> str:
    """The axis as it is written in a task, its level as a letter: `action.random=p`."""
    if axis.type is bool:
        return str(Setting(axis.name, not axis.neutral))
    return f"{axis.name}={letter(axis)}"


def letter(axis: Axis) -> str:
    if axis.choices:
        return "|".join(map(str, axis.levels))
    if axis.type is float or isinstance(axis.levels[0], float):
        return "p" if (axis.low, axis.high) == (0, 1) else "x"
    if isinstance(axis.levels[0], tuple):
        return "[...]"
    return "word" if axis.type is str else "n"


def touches(axis: Axis) -> str:
    return "all six" if set(axis.components) == set(COMPONENTS) else ", ".join(axis.components)


def level_text(axis: Axis, level: Any) -> str:
    """A level as one would write it; "none" where an empty list says that nothing is given."""
    return "none" if level == () else print_value(level)


class AxisFacts(NamedTuple):
    """What an axis declares, as JSON tells it."""

    name: str
    form: str
    components: tuple[str, ...]
    kind: str
    takes: str
    neutral: Any
    levels: tuple[Any, ...]
    low: float | None
    high: float | None
    choices: tuple[Any, ...]
    needs: tuple[str, ...]
    asks: bool
    means: str
    origin: str
    same_as: str
    tags: tuple[str, ...]
    direction: str
    directions: Mapping[Any, str]
    restates: tuple[Any, ...]
    aliases: tuple[str, ...]
    stochasticity: str


def facts(axis: Axis) -> AxisFacts:
    number = axis.type in (int, float)
    computed: dict[str, Any] = {
        "form": form(axis),
        "takes": axis.takes(),
        "low": axis.low if number else None,
        "high": axis.high if number else None,
        "directions": dict(axis.directions),
    }
    declared = {name: getattr(axis, name) for name in AxisFacts._fields if name not in computed}
    return AxisFacts(**declared, **computed)
