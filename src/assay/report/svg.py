"""What the pictures are drawn with: elements as text, scales that clip, ticks, labels that keep apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from assay.stats.verdict import BREAKS, HOLDS

# Widths are guessed from the widest of the usual fonts (DejaVu): a guess too wide leaves air, one too narrow
# lets labels run into each other.
CHARACTER = 0.66  # of the font size


def element(name: str, *children: str, **attributes: object) -> str:
    """An element; children are markup already (`escape` what is not), attributes are escaped here.

    `class_` stands for class and `stroke_width` for stroke-width; attributes that are None are left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>"


def title(text: str) -> str:
    """What a screen reader says of an element and a mouse shows."""
    return element("title", escape(text))


def picture(width: float, height: float, says: str, *children: str, class_: str) -> str:
    """A drawing of fixed proportions that grows with its column."""
    box = f"0 0 {width:g} {height:g}"
    return element("svg", title(says), *children, viewBox=box, role="img", class_=class_)


class Scale(NamedTuple):
    """A straight map from values to places; values outside its ends are put on them."""

    low: float
    high: float
    start: float  # the place of `low`
    end: float  # the place of `high`

    def __call__(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def beyond(self, value: float) -> int:
        """-1 or 1 for a value below or above the ends, else 0."""
        return int(value > self.high) - int(value < self.low)


def scale(values: Iterable[float], start: float, end: float, room: float = 0.06) -> Scale:
    """A scale over all the finite values, with some room at both ends."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    spread = (high - low) or abs(high) or 1.0
    if low == high:  # one value: somewhere in the middle, unless it is the start of a scale without room
        low, high = (low - spread / 2, high + spread / 2) if room else (low, high + spread)
    return Scale(low - room * spread, high + room * spread, start, end)


def ticks(low: float, high: float, most: int) -> list[float]:
    """At most so many round numbers between low and high, evenly apart."""
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return []
    power = 10.0 ** math.floor(math.log10(span / most))
    for step in (power * factor for factor in (1, 2, 2.5, 5, 10, 20)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return [place * step for place in range(first, last + 1)]
    return []


def tick_labels(values: Sequence[float]) -> list[str]:
    """The values with as many digits as their distance needs, and no more."""
    if len(values) < 2:
        return [f"{value:.3g}" for value in values]
    step, size = abs(values[1] - values[0]), max(map(abs, values))
    if size >= 1e7 or step < 1e-4:
        return [f"{value:.2g}".replace("e+0", "e").replace("-", "−") for value in values]
    if size >= 10_000 and step >= 100:
        digits = 0 if step % 1000 == 0 else 1
        return [f"{value / 1000:.{digits}f}k".replace("-", "−") if value else "0" for value in values]
    digits = next((d for d in range(5) if abs(step - round(step, d)) < 1e-9 * size), 4)
    return [f"{value + 0.0:.{digits}f}".replace("-", "−") for value in values]


def width_of(text: str, size: float) -> float:
    return CHARACTER * size * len(text)


def space_labels(
    wanted: Sequence[tuple[float, str]], size: float, left: float, right: float
) -> list[tuple[float, str]]:
    """The labels that fit on one line around their places, the first ones first, between left and right."""
    taken: list[tuple[float, float]] = []
    placed = []
    for place, text in wanted:
        half = width_of(text, size) / 2
        middle = min(max(place, left + half), right - half)
        span = (middle - half - size / 2, middle + half + size / 2)
        if all(span[1] <= start or span[0] >= end for start, end in taken):
            taken.append(span)
            placed.append((middle, text))
    return placed


def path(points: Sequence[tuple[float, float]], closed: bool = False) -> str:
    """The d of a path through the points."""
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points) + ("Z" if closed else "")


def mark(word: str, x: float, y: float, *children: str, beyond: int = 0) -> str:
    """A point, shape and colour by its verdict; an arrowhead where its value lies above (1) or below (-1)."""
    if beyond:
        shape = path([(x - 5, y + 4 * beyond), (x + 5, y + 4 * beyond), (x, y - 5 * beyond)], closed=True)
        return element("path", *children, d=shape, class_=f"mark arrow {css_class(word)}")
    if word == BREAKS:
        shape = path([(x - 5.5, y), (x, y - 5.5), (x + 5.5, y), (x, y + 5.5)], closed=True)
        return element("path", *children, d=shape, class_="mark breaks")
    return element("circle", *children, cx=x, cy=y, r=4.2, class_=f"mark {css_class(word)}")


def strip_line(x1: float, x2: float, y1: int | str, y2: int | str, class_: str) -> str:
    """A line in a strip whose places are percentages of its width."""
    return element("line", x1=f"{x1:.2f}%", x2=f"{x2:.2f}%", y1=y1, y2=y2, class_=class_)


def strip_at(place: float, shape: str) -> str:
    """A shape with its origin at this percentage of the strip: a path by itself knows no percent."""
    return element("svg", shape, x=f"{place:.2f}%", y="50%", overflow="visible", width=1, height=1)


def strip_interval(low: float, high: float, across: Scale) -> list[str]:
    """An interval along a strip; a head at the edge where it goes on beyond the plot, else a stop."""
    drawn = [strip_line(across(low), across(high), "50%", "50%", "interval")]
    for value in (low, high):
        towards = across.beyond(value)
        shape = f"M{-8 * towards},-5L0,0L{-8 * towards},5Z" if towards else "M0,-4L0,4"
        head = element("path", d=shape, class_="interval head" if towards else "interval")
        drawn.append(strip_at(across(value), head))
    return drawn


def css_class(word: str) -> str:
    """A verdict as a class of the style sheet."""
    return word if word in (BREAKS, HOLDS, "plain") else "doubt"


def _text(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
