"""The axis profile: one row per side of an axis, its effect with its interval against the margin.

Places along a row are percentages of its width, so the plot fits any screen while its text keeps its size.
"""

from __future__ import annotations

import math
from html import escape

from assay.report.exam import AxisFinding, Exam
from assay.report.svg import Scale, css_class, element, mark, title
from assay.report.text import (
    ARMS,
    ASKED,
    by_loss,
    one_line,
    percent,
    percent_bounds,
    sentence,
    true_minus,
    where,
)

WIDEST = (-1.5, 0.75)  # beyond these effects an arrow says that the plot does not reach
NARROWEST = (-0.3, 0.15)


def profile(exam: Exam) -> str:
    """The findings of each arm as a plot, the greatest loss first."""
    across = _across(exam)
    return "".join(
        element(
            "div",
            element("h3", escape(ASKED[arm])),
            _ruler(across),
            element("ol", *(_row(finding, exam.margin, across) for finding in found), class_="forest"),
            _ruler(across) if len(found) > 12 else "",
            class_="arm",
        )
        for arm in ARMS
        if (found := sorted((each for each in exam.findings if each.arm == arm), key=by_loss))
    )


def _across(exam: Exam) -> Scale:
    """From effects to percent of the row's width, one scale for all arms."""
    ends = [end for finding in exam.findings for end in finding.effect if math.isfinite(end)]
    low = min(max(min(ends, default=0.0), WIDEST[0]), NARROWEST[0])
    high = max(min(max(ends, default=0.0), WIDEST[1]), NARROWEST[1])
    return Scale(math.floor(low * 10 - 0.5) / 10, math.ceil(high * 10 + 0.5) / 10, 0.0, 100.0)


def _ruler(across: Scale) -> str:
    step = 0.5 if across.high - across.low > 1.2 else 0.25 if across.high - across.low > 0.6 else 0.1
    labels = []
    for place in range(math.ceil(across.low / step), math.floor(across.high / step) + 1):
        share = across(place * step)
        if not 6 < share < 94:  # its label would stick out of the plot
            continue
        written = f"{place * step * 100:+.0f}%".replace("-", "−") if place else "0"
        labels.append(element("text", escape(written), x=f"{share:.2f}%", y=13, text_anchor="middle"))
    strip = element("svg", *labels, height=18, class_="ruler", aria_hidden="true")
    return element("div", element("span"), strip, element("span"), class_="forest-row head")


def _row(finding: AxisFinding, margin: float, across: Scale) -> str:
    word, at = css_class(finding.word), where(finding)
    named = element("code", escape(one_line(finding.axis)))
    level = (
        element("span", escape(true_minus(at)), class_="where", title=where(finding, whole=True))
        if at
        else ""
    )
    value = percent(finding.effect)
    number, _, ends = value.partition(" [")
    shown = element("b", escape(true_minus(number)))
    if ends:
        shown += " " + element("span", escape(true_minus(percent_bounds(finding.effect))), class_="ends")
    return element(
        "li",
        element("span", named, " ", level, class_="name", title=one_line(finding.axis)),
        _strip(finding, margin, across),
        element("span", shown, class_="value"),
        class_=f"forest-row {word}",
    )


def _strip(finding: AxisFinding, margin: float, across: Scale) -> str:
    effect = finding.effect
    zero, least = across(0.0), across(-margin)
    drawn = [
        element("rect", x=f"{least:.2f}%", y=0, width=f"{zero - least:.2f}%", height="100%", class_="band"),
        _line(0, 100, "50%", "50%", "track"),
        _line(zero, zero, 0, "100%", "zero"),
    ]
    if not math.isnan(effect.value):
        low, high = across(effect.low), across(effect.high)
        drawn.append(_line(low, high, "50%", "50%", "interval"))
        for end, value in ((low, effect.low), (high, effect.high)):
            towards = across.beyond(value)
            # A head at the edge where the interval goes on beyond the plot, else a stop.
            shape = f"M{-8 * towards},-5L0,0L{-8 * towards},5Z" if towards else "M0,-4L0,4"
            drawn.append(
                _at(end, element("path", d=shape, class_="interval head" if towards else "interval"))
            )
        if not across.beyond(effect.value):
            drawn.append(_at(across(effect.value), mark(finding.word, 0, 0)))
    strip = element("svg", title(sentence(finding)), *drawn, role="img", class_="strip")
    return element("div", strip, class_="plot")


def _line(x1: float, x2: float, y1: int | str, y2: int | str, class_: str) -> str:
    return element("line", x1=f"{x1:.2f}%", x2=f"{x2:.2f}%", y1=y1, y2=y2, class_=class_)


def _at(place: float, shape: str) -> str:
    """A shape with its origin at this percentage of the row: a path by itself knows no percent."""
    return element("svg", shape, x=f"{place:.2f}%", y="50%", overflow="visible", width=1, height=1)
