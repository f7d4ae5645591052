"""What the settings of the platformer share: how values are typed, and how axes are declared. No jax here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from assay.core.axis import as_plain_number, axis, show_value, structure, takes
from assay.errors import WrongLevel
from assay.names import suggest

KAGE = "KAGE-Env"
OURS = "assay"
PIXELS = "observation=pixels"
STATE = "observation=state"


def names_from(known: Collection[str], what: str, may_be_empty: bool = False) -> Callable:
    """A typing function for a list of one or more of these names; one alone may stand without brackets."""

    @takes(f"a list of {what} such as [{', '.join(list(known)[:2])}]")
    def names(value: Any) -> tuple[str, ...]:
        found = (value,) if isinstance(value, str) else tuple(value)
        for name in found:
            if name not in known:
                near = suggest(str(name), known)
                raise WrongLevel(
                    f"{show_value(name)} is none of them" + (f"; did you mean {near}?" if near else ".")
                )
        if not found and not may_be_empty:
            raise WrongLevel("name at least one.")
        return found

    return names


@takes("a list of names of ours or of files")
def paths(value: Any) -> tuple[str, ...]:
    found = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(each, str) and each for each in found):
        raise WrongLevel("each is a text.")
    return found


@takes("a list of whole numbers")
def whole_numbers(value: Any) -> tuple[int, ...]:
    numbers = [as_plain_number(each) for each in value]
    whole = [number for number in numbers if number is not None and number % 1 == 0]
    if len(whole) < len(numbers):
        raise WrongLevel("each is a whole number.")
    return tuple(int(number) for number in whole)


@takes("[x, y] or [x, y, vx, vy], the first two whole numbers")
def start_state(value: Any) -> tuple[float, ...]:
    given = [as_plain_number(each) for each in value]
    numbers = [number for number in given if number is not None]
    if len(given) not in (0, 2, 4) or len(numbers) < len(given):
        raise WrongLevel("it has two numbers, or four.")
    if any(number % 1 != 0 for number in numbers[:2]):
        raise WrongLevel("positions are whole.")
    return tuple(float(number) for number in numbers)


@takes("a colour as [red, green, blue], each from 0 to 255")
def rgb(value: Any) -> tuple[int, ...]:
    found = whole_numbers(value)
    if len(found) != 3 or not all(0 <= each <= 255 for each in found):
        raise WrongLevel("it has three numbers from 0 to 255.")
    return found


def number(components: str, default: Any, means: str, levels: tuple, low: Any = None, high: Any = None,
           origin: str = KAGE, **about: Any) -> Any:  # fmt: skip
    """A traced number that pictures do not show by themselves, proved without them: on many more steps."""
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


def seen(default: Any, means: str, levels: tuple, needs: str = "", built: bool = False, **about: Any) -> Any:
    """What shows in pictures alone. `needs` is what must be on beside them; `built`: read by `build`.

    `beside` are settings with which it shows well, and among which it is proved.
    """
    wanted = (PIXELS, *needs.split())
    beside = "+".join(filter(None, (about.pop("beside", ""), context_of(needs.split()))))
    about |= {"needs": wanted, "context": beside, "means": means, "levels": levels}
    about.setdefault("origin", KAGE)
    if built:
        return structure("observation", default, **about)
    return axis("observation", default, kind="switch" if isinstance(default, bool) else "dose", **about)


def context_of(needs: list[str]) -> str:
    """The least text that satisfies these; what is so by itself ("=false") is left out."""
    first = [need.split("|")[0] for need in needs]
    written = [
        EXAMPLES.get(need, need.removesuffix("=true")) for need in first if not need.endswith("=false")
    ]
    return "+".join(filter(None, written))
