"""The types of the platformer's settings, and the kinds of axes that they declare. No jax here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from assay.core.axis import as_plain_number, axis, show_value, structure, takes
from assay.errors import WrongLevel
from assay.task_text import suggest

KAGE = "KAGE-Env"
OURS = "assay"
PIXELS = "observation=pixels"
STATE = "observation=state"


def names_from(known: Collection[str], kind: str, may_be_empty: bool = False) -> Callable:
    """A typing function for a list of one or more of these names; one alone may stand without brackets."""

    @takes(f"a list of {kind} such as [{', '.join(list(known)[:2])}]")
    def names(value: Any) -> tuple[str, ...]:
        listed = (value,) if isinstance(value, str) else tuple(value)
        for name in listed:
            if name not in known:
                near = suggest(str(name), known)
                raise WrongLevel(
                    f"{show_value(name)} is none of them" + (f"; did you mean {near}?" if near else ".")
                )
        if not listed and not may_be_empty:
            raise WrongLevel("name at least one.")
        return listed

    return names


@takes("a list of names of ours or of files")
def paths(value: Any) -> tuple[str, ...]:
    listed = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(each, str) and each for each in listed):
        raise WrongLevel("each must be a text.")
    return listed


@takes("a list of whole numbers")
def whole_numbers(value: Any) -> tuple[int, ...]:
    numbers = [as_plain_number(each) for each in value]
    whole = [number for number in numbers if number is not None and number % 1 == 0]
    if len(whole) < len(numbers):
        raise WrongLevel("each must be a whole number.")
    return tuple(int(number) for number in whole)


@takes("[x, y] or [x, y, vx, vy], the first two whole numbers")
def start_state(value: Any) -> tuple[float, ...]:
    listed = [as_plain_number(each) for each in value]
    numbers = [number for number in listed if number is not None]
    if len(listed) not in (0, 2, 4) or len(numbers) < len(listed):
        raise WrongLevel("it must have two numbers, or four.")
    if any(number % 1 != 0 for number in numbers[:2]):
        raise WrongLevel("positions must be whole numbers.")
    return tuple(float(number) for number in numbers)


@takes("a colour as [red, green, blue], each from 0 to 255")
def rgb(value: Any) -> tuple[int, ...]:
    channels = whole_numbers(value)
    if len(channels) != 3 or not all(0 <= each <= 255 for each in channels):
        raise WrongLevel("it must have three numbers from 0 to 255.")
    return channels


def number(components: str, default: Any, means: str, levels: tuple, low: Any = None, high: Any = None,
           origin: str = KAGE, **about: Any) -> Any:  # fmt: skip
    """A traced number. It is checked on states in place of pictures, which allows many more steps."""
    about.setdefault("context", STATE)
    about |= {"low": low, "high": high, "levels": levels}
    return axis(components, default, means=means, origin=origin, **about)


def built_number(components: str, default: int, means: str, levels: tuple, low: int, high: int,
                 **about: Any) -> Any:  # fmt: skip
    """A whole number that sets sizes: it is read when the env is built, so each level is its own program."""
    about |= {"low": low, "high": high, "levels": levels}
    return structure(components, default, means=means, origin=KAGE, **about)


# The least setting that satisfies a need which names no value.
EXAMPLES = {
    "character.shape_types": "character.shape_types=[star]",
    "filters.radial_light_strength": "filters.radial_light_strength=1.0",
}


def look(default: Any, means: str, levels: tuple, needs: str = "", built: bool = False, **about: Any) -> Any:
    """A setting that only pictures show.

    `needs` are further settings that it requires. With `built` it is read when the env is built, so each
    level is its own program. `beside` are settings under which it shows well, and under which it is checked.
    """
    all_needs = (PIXELS, *needs.split())
    beside = "+".join(filter(None, (about.pop("beside", ""), context_of(needs.split()))))
    about |= {"needs": all_needs, "context": beside, "means": means, "levels": levels}
    about.setdefault("origin", KAGE)
    if built:
        return structure("observation", default, stochasticity="3.1", **about)
    return axis(
        "observation",
        default,
        kind="switch" if isinstance(default, bool) else "dose",
        stochasticity="3.1",
        **about,
    )


def context_of(needs: list[str]) -> str:
    """The shortest text that satisfies these needs; those that hold by default ("=false") are left out."""
    first = [need.split("|")[0] for need in needs]
    written = [
        EXAMPLES.get(need, need.removesuffix("=true")) for need in first if not need.endswith("=false")
    ]
    return "+".join(filter(None, written))
