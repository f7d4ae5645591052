"""The axis profile: one row per side of an axis, its effect with its interval against the margin.

Places along a row are percentages of its width, so the plot fits any screen while its text keeps its size.
"""

from __future__ import annotations

import math
from html import escape

from assay.analysis.exam import AxisFinding, Exam
from assay.report.svg import (
    Scale,
    css_class,
    element,
    mark,
    strip_at,
    strip_interval,
    strip_line,
    title,
)
from assay.report.text import (
    ARMS,
    by_loss,
    describe_level,
    one_line,
    percent,
    percent_bounds,
    question_of,
    sentence,
    true_minus,
)

WIDEST = (-1.5, 0.75)  # beyond these effects an arrow says that the plot does not reach
NARROWEST = (-0.3, 0.15)


def profile(exam: Exam) -> str:
    """The findings of each arm as a plot, the greatest loss first."""
    across = _across(exam)
    return "".join(
        element(
            "div",
            element("h3", escape(question_of(exam, arm))),
            _ruler(across),
            element("ol", *(_row(finding, exam.margin, across) for finding in findings), class_="forest"),
            _ruler(across) if len(findings) > 12 else "",
            class_="arm",
        )
        for arm in ARMS
        if (findings := sorted((each for each in exam.findings if each.arm == arm), key=by_loss))
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
    word, at = css_class(finding.word), describe_level(finding)
    named = element("code", escape(one_line(finding.axis)))
    level = (
        element("span", escape(true_minus(at)), class_="where", title=describe_level(finding, whole=True))
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
        strip_line(0, 100, "50%", "50%", "track"),
        strip_line(zero, zero, 0, "100%", "zero"),
    ]
    if not math.isnan(effect.value):
        drawn += strip_interval(effect.low, effect.high, across)
        if not across.beyond(effect.value):
            drawn.append(strip_at(across(effect.value), mark(finding.word, 0, 0)))
    strip = element("svg", title(sentence(finding)), *drawn, role="img", class_="strip")
    return element("div", strip, class_="plot")
