"""Bars of one measure, one row per pair: the mean with its interval, from nothing.

Places along a row are percentages of its width, as in the axis profile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from assay.analysis.pairs import PairFinding
from assay.report.pair_table import are_alike
from assay.report.svg import (
    Scale,
    element,
    strip_interval,
    strip_line,
    tick_labels,
    ticks,
    title,
)
from assay.report.text import bounds, ends_in_words, number, one_line, true_minus
from assay.stats.aggregate import Interval

WIDEST = 2.0  # times the values' own spread from nothing: an interval beyond that ends in an arrow


def bars(findings: Sequence[PairFinding], measure: str, heading: str) -> str:
    """The rows under their ruler; nothing where no pair has the measure."""
    rows = [(each, getattr(each, measure)) for each in findings if getattr(each, measure) is not None]
    if not rows:
        return ""
    across = _across([interval for _, interval in rows])
    return element(
        "div",
        element("h3", escape(heading)),
        _ruler(across),
        element(
            "ol",
            *(_row(each, measure, interval, across, heading) for each, interval in rows),
            class_="forest",
        ),
        class_="arm",
    )


def _across(intervals: Sequence[Interval]) -> Scale:
    values = [0.0, *(interval.value for interval in intervals)]
    spread = (max(values) - min(values)) or 1.0
    ends = [end for interval in intervals for end in interval if math.isfinite(end)]
    low = max(min([0.0, *ends]), min(values) - (WIDEST - 1) * spread)
    high = min(max([0.0, *ends]), max(values) + (WIDEST - 1) * spread)
    room = 0.04 * ((high - low) or 1.0)
    return Scale(low - (room if low < 0 else 0.0), high + room, 0.0, 100.0)


def _ruler(across: Scale) -> str:
    places = ticks(across.low, across.high, 5)
    labels = [
        element("text", escape(text), x=f"{across(value):.2f}%", y=13, text_anchor=_anchor(across(value)))
        for value, text in zip(places, tick_labels(places))
        if across(value) < 94
    ]
    strip = element("svg", *labels, height=18, class_="ruler", aria_hidden="true")
    return element("div", element("span"), strip, element("span"), class_="forest-row head measured")


def _anchor(share: float) -> str:
    return "start" if share < 6 else "middle"


def _row(each: PairFinding, measure: str, interval: Interval, across: Scale, heading: str) -> str:
    value, ends = number(interval.value), ends_of(interval, each.seeds, are_alike(each, measure))
    zero, at = across(0.0), across(interval.value)
    drawn = [
        element("rect", x=f"{min(zero, at):.2f}%", y="22%", width=f"{abs(at - zero):.2f}%", height="56%",
                class_="level-bar"),
        strip_line(zero, zero, 0, "100%", "zero"),
        # One seed has no interval, and arrows on both sides would say that it has a wide one.
        *(strip_interval(interval.low, interval.high, across) if has_an_end(interval) else ()),
    ]  # fmt: skip
    says = f"{heading}, {one_line(each.label)}: {value} {bounds(interval, '.4g')}"
    strip = element("svg", title(says), *drawn, role="img", class_="strip")
    return element(
        "li",
        element("span", element("code", escape(one_line(each.label))), class_="name", title=each.train),
        element("div", strip, class_="plot"),
        element("span", element("b", escape(true_minus(value))), " ",
                element("span", escape(true_minus(ends)), class_="ends"),
                class_="value"),
        class_="forest-row measured",
    )  # fmt: skip


def has_an_end(interval: Interval) -> bool:
    return any(math.isfinite(end) for end in interval[1:])


def ends_of(interval: Interval, seeds: int = 2, alike: bool = False) -> str:
    """`[40.1, 50.2]`, with as many digits as scores have; without ends in words."""
    if not has_an_end(interval):
        return ends_in_words(interval, "", seeds, alike=alike)
    return f"[{', '.join(number(end) for end in interval[1:])}]"
