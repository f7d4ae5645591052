"""Short names that stay different: figures have room for a few letters, and tasks may begin alike."""

from __future__ import annotations

from collections.abc import Sequence

from assay.report.text import one_line

ELLIPSIS = "…"
KEPT = 3  # letters before the place where names begin to differ


def short_names(names: Sequence[str], longest: int) -> list[str]:
    """The names, cut to at most so many characters where something tells them apart in so few.

    A long one loses its end; where names then look alike it loses its middle, and where they still do,
    everything before the place at which they differ.
    """
    whole = [one_line(name) for name in names]
    for cut in (cut_end, cut_middle):
        short = [cut(name, longest) for name in whole]
        if tells_apart(short, whole):
            return short
    shared = length_in_common(list(dict.fromkeys(whole)))
    return number_equals([cut_start(name, shared - KEPT, longest) for name in whole], whole)


def length_in_common(names: Sequence[str]) -> int:
    """How many letters all names begin with."""
    letters = zip(*names)
    return next((place for place, each in enumerate(letters) if len(set(each)) > 1), min(map(len, names)))


def tells_apart(short: Sequence[str], whole: Sequence[str]) -> bool:
    return len(set(short)) == len(set(whole))


def cut_end(name: str, longest: int) -> str:
    return name if len(name) <= longest else name[: longest - 1].rstrip() + ELLIPSIS


def cut_middle(name: str, longest: int) -> str:
    """Mostly the end is kept, which is where the name of a file stands."""
    if len(name) <= longest:
        return name
    head = (longest - 1) // 3
    return f"{name[:head]}{ELLIPSIS}{name[head + 1 - longest :]}"


def cut_start(name: str, start: int, longest: int) -> str:
    if len(name) <= longest or start <= 0:
        return cut_end(name, longest)
    return cut_end(f"{ELLIPSIS}{name[start:]}", longest)


def number_equals(short: list[str], whole: Sequence[str]) -> list[str]:
    """A number behind names that no cut tells apart."""
    places = {name: number for number, name in enumerate(dict.fromkeys(whole), start=1)}
    if tells_apart(short, whole):
        return short
    return [f"{text} {places[name]}" if short.count(text) > 1 else text for text, name in zip(short, whole)]
