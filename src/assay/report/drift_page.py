"""The page on a drift: both curves with the drift marked, its metrics, and how they are meant."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from itertools import pairwise

from assay.analysis.drift import CurvePoint, Drift
from assay.report.drift_text import headings, say_facts, say_result, say_what, table_rows, title
from assay.report.frame import facts, frame_page, legend, prose
from assay.report.svg import Scale, element, path, picture, scale, space_labels, tick_labels, ticks, width_of
from assay.report.svg import title as hint
from assay.report.text import one_line, true_minus
from assay.stats.aggregate import Interval

WIDTH, HEIGHT, TOP, BOTTOM, RIGHT, SIZE = 960.0, 360.0, 22.0, 44.0, 16.0, 13.0
Side = Callable[[CurvePoint], Interval]


def drift_page(drift: Drift, command: str = "", fingerprint: str = "") -> str:
    """The whole of `drift.html`."""
    top = element(
        "header",
        element("p", "Drift", class_="kicker"),
        element("p", element("b", escape(one_line(drift.agent))), " on ",
                element("code", escape(one_line(drift.question.task))), class_="subject"),
        element("h1", escape(true_minus(say_result(drift)))),
    )  # fmt: skip
    notes = element("ul", *(element("li", prose(f"{each}.")) for each in say_facts(drift)), class_="notes")
    again = [("Command", command), ("Control", drift.question.control),
             ("Seeds", ", ".join(map(str, drift.seeds)))]  # fmt: skip
    sections = [
        ("curves", "Before and after", _legend(drift) + draw_curves(drift)),
        ("metrics", "Metrics", _table(drift) + notes),
        ("reproduce", "Reproduce", facts(again)),
    ]
    return frame_page(title(drift), top, "", sections, fingerprint)


def _legend(drift: Drift) -> str:
    def swatch(kind: str) -> str:
        return element("span", class_=f"swatch {kind}")

    band = "bands: 95% of each window's mean" if drift.units > 1 else "one unit has no band"
    return legend([
        (swatch("line drifted-line"), "with the drift"),
        (swatch("line control-line"), f"control, without it ({band})"),
        (swatch("on"), f"{escape(' or '.join(drift.concepts) or 'the variation')} is on"),
        (swatch("break-line"), "the drift"),
    ])  # fmt: skip


def draw_curves(drift: Drift) -> str:
    """Both curves over time; where the variation is on, the ground is shaded."""
    points = drift.points
    ends = [
        end for each in points for side in (each.drifted, each.control) for end in side if math.isfinite(end)
    ]
    upward = scale(ends, HEIGHT - BOTTOM, TOP)
    marks = ticks(upward.low, upward.high, 6)
    texts = tick_labels(marks)
    left = max([width_of(text, SIZE) for text in texts], default=0.0) + 10
    last = drift.points[-1].end
    across = scale([0.0, last], left, WIDTH - RIGHT, room=0.0)
    drawn = [*_grounds(drift, across), *_grid(marks, texts, upward, left)]
    sides: tuple[tuple[str, Side], ...] = (
        ("control", lambda each: each.control),
        ("drifted", lambda each: each.drifted),
    )
    drawn += [_band(drift, side, across, upward, name) for name, side in sides if drift.units > 1]
    drawn += [_line(drift, side, across, upward, name) for name, side in sides]
    drawn += _drift_lines(drift, across)
    steps = ticks(across.low, across.high, 8)
    wanted = [(across(step), text) for step, text in zip(steps, tick_labels(steps))]
    drawn += [
        element("text", escape(text), x=x, y=HEIGHT - BOTTOM + 20, text_anchor="middle")
        for x, text in space_labels(wanted, SIZE, left - 4, WIDTH)
    ]
    what = "episodes" if drift.question.counted == "episodes" else (
        "steps of training" if drift.question.learning else "step of the episode"
    )  # fmt: skip
    drawn.append(element("text", what, x=WIDTH - RIGHT, y=HEIGHT - 4, text_anchor="end"))
    drawn.append(
        element("text", "score per episode" if drift.question.learning else "score per step", x=left, y=12.0)
    )
    says = f"scores over time, drifted and control, {title(drift)}"
    return picture(WIDTH, HEIGHT, one_line(says), *drawn, class_="drift")


def _grounds(drift: Drift, across: Scale) -> list[str]:
    return [
        element(
            "rect",
            x=across(start),
            y=TOP,
            width=across(end) - across(start),
            height=HEIGHT - BOTTOM - TOP,
            class_="on",
        )
        for start, end in (
            (a * drift.question.lanes, b * drift.question.lanes) for a, b in drift.question.spans
        )
        if across(end) > across(start)
    ]


def _grid(marks: Sequence[float], texts: Sequence[str], upward: Scale, left: float) -> list[str]:
    return [
        element("line", x1=left, x2=WIDTH - RIGHT, y1=upward(value), y2=upward(value), class_="grid")
        + element("text", escape(text), x=left - 6, y=upward(value) + 4, text_anchor="end")
        for value, text in zip(marks, texts)
    ]


def _pieces(drift: Drift) -> list[Sequence[CurvePoint]]:
    """The windows between drifts: a line across a drift would show a fall before it came, or a return."""
    times = {time for each in drift.findings for time in (each.at, each.until)}
    borders = [0, *sorted(times), math.inf]
    pieces = [[each for each in drift.points if start <= each.time < end] for start, end in pairwise(borders)]
    return [piece for piece in pieces if piece]


def _trace(piece: Sequence[CurvePoint], value: Callable[[CurvePoint], float]) -> list[tuple[float, float]]:
    """Times and values through the middles of windows, level in the outer halves of the first and last."""
    first, last = piece[0], piece[-1]
    inner = [(each.time, value(each)) for each in piece]
    return [(first.start, value(first)), *inner, (last.end, value(last))]


def _band(drift: Drift, side: Side, across: Scale, upward: Scale, name: str) -> str:
    shapes = []
    for piece in _pieces(drift):
        above = _trace(piece, lambda each: side(each).high)
        below = _trace(piece, lambda each: side(each).low)
        edge = [(across(time), upward(value)) for time, value in [*above, *reversed(below)]]
        shapes.append(path(edge, closed=True))
    return element("path", d="".join(shapes), class_=f"{name}-band")


def _line(drift: Drift, side: Side, across: Scale, upward: Scale, name: str) -> str:
    lines = [
        [(across(time), upward(value)) for time, value in _trace(piece, lambda each: side(each).value)]
        for piece in _pieces(drift)
    ]
    return element("path", hint(name), d="".join(map(path, lines)), class_=f"{name}-line")


def _drift_lines(drift: Drift, across: Scale) -> list[str]:
    drawn = []
    for each in drift.findings:
        x = across(each.at)
        says = f"drift after {each.at:,} {drift.question.counted}{say_what(each, drift)}"
        drawn.append(element("line", hint(says),
                             x1=x, x2=x, y1=TOP, y2=HEIGHT - BOTTOM, class_="break-line"))  # fmt: skip
        if each.recovery.value and len(drift.findings) == 1:
            back = across(each.at + each.recovery.value)
            drawn.append(element("line", x1=back, x2=back, y1=TOP, y2=HEIGHT - BOTTOM, class_="back-line"))
            drawn.append(element("text", "back", x=back + 4, y=TOP + 14))
    if len(drift.findings) == 1:
        at = across(drift.findings[0].at)
        drawn.append(element("text", "drift", x=at - 5, y=TOP + 14, text_anchor="end", class_="drift-word"))
    return drawn


def _table(drift: Drift) -> str:
    head = element("thead", element("tr", *(element("th", each, scope="col") for each in headings(drift))))
    rows = [
        element(
            "tr",
            element("th", escape(first), scope="row"),
            *(_cell(text, label) for text, label in zip(cells, headings(drift)[1:])),
        )
        for first, *cells in table_rows(drift)
    ]
    return element("table", head, element("tbody", *rows), class_="measures")


def _cell(text: str, label: str) -> str:
    value, bracket, ends = true_minus(text).partition(" [")
    inner = element("b", escape(value))
    if bracket:
        inner += " " + element("span", escape(f"[{ends}"), class_="ends")
    return element("td", inner, data_label=label)
