"""Line drawings of docs/results/stori.md as SVG files that stand alone: learning curves and drifts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from assay.report.svg import Scale, scale, ticks

STYLE = """
text { font: 12px system-ui, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1d1c1a; }
.heading { font-weight: 600; font-size: 13px; } .soft { fill: #5e5a52; } .grid { stroke: #e2dfd6; }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; } .spread { opacity: 0.14; stroke: none; }
.mark { stroke: #5e5a52; stroke-dasharray: 3 3; }
"""
COLORS = ("#1d1c1a", "#0b63a5", "#c4551a", "#2f8f4e", "#9a4fb5", "#b58a00", "#2497a8", "#c22e52")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 470, 260, 46, 120, 34, 40
MOST_TICKS = 5
LETTER_STEP = 15  # between two names beside their lines


class Line(NamedTuple):
    """A line with its name, and perhaps a band around it."""

    name: str
    points: Sequence[tuple[float, float]]
    color: str
    band: Sequence[tuple[float, float]] = ()  # low and high at every point
    dashes: str = ""


class Panel(NamedTuple):
    heading: str
    across: str
    lines: Sequence[Line]
    marks: Sequence[float] = ()  # places on the axis across
    until: float = math.nan  # the end of the axis across
    reaches: Sequence[float] = ()  # values that the axis upwards has room for, beside those of the lines


def number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def draw(panels: Sequence[Panel], columns: int = 2) -> str:
    """Panels in rows of so many columns, in one picture."""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    wide, tall = columns * WIDTH, rows * HEIGHT
    parts = [
        f'<g transform="translate({i % columns * WIDTH} {i // columns * HEIGHT})">{draw_panel(each)}</g>'
        for i, each in enumerate(panels)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{tall}" viewBox="0 0 {wide} {tall}">'
    )
    paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return f"{head}<style>{STYLE}</style>\n{paper}\n" + "\n".join(parts) + "\n</svg>\n"


def draw_panel(panel: Panel) -> str:
    xs = [x for line in panel.lines for x, _ in line.points]
    ys = [y for line in panel.lines for _, y in line.points if math.isfinite(y)]
    ys += [end for line in panel.lines for ends in line.band for end in ends]
    end = max(xs) if math.isnan(panel.until) else panel.until
    x = Scale(0.0, end, LEFT, WIDTH - RIGHT)
    y = scale([0.0, *ys, *panel.reaches], HEIGHT - BOTTOM, TOP)
    parts = [f'<text class="heading" x="{LEFT}" y="20">{escape(panel.heading)}</text>']
    for value in ticks(y.low, y.high, MOST_TICKS):
        at = f"{y(value):.1f}"
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>')
        parts.append(words(number(value), LEFT - 5, y(value) + 4, "end"))
    for value in ticks(0.0, end, MOST_TICKS):
        parts.append(words(number(value), x(value), HEIGHT - BOTTOM + 16))
    parts.append(words(panel.across, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8))
    for place in panel.marks:
        parts.append(
            f'<line class="mark" x1="{x(place):.1f}" x2="{x(place):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        )
    for line in panel.lines:
        parts += draw_line(line, x, y)
    return "".join(parts + name_lines(panel.lines, y))


def words(text: str, x: float, y: float, anchor: str = "middle") -> str:
    return f'<text class="soft" text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def draw_line(line: Line, x: Scale, y: Scale) -> list[str]:
    parts = []
    if line.band:
        over = [(place, high) for (place, _), (_, high) in zip(line.points, line.band)]
        under = [(place, low) for (place, _), (low, _) in zip(line.points, line.band)]
        around = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in [*over, *reversed(under)])
        parts.append(f'<polygon class="spread" fill="{line.color}" points="{around}"/>')
    points = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line.points if math.isfinite(b))
    dashes = f' stroke-dasharray="{line.dashes}"' if line.dashes else ""
    parts.append(f'<polyline class="line" stroke="{line.color}"{dashes} points="{points}"/>')
    return parts


def name_lines(lines: Sequence[Line], y: Scale) -> list[str]:
    """The names beside the ends of their lines, moved apart where they would touch."""
    ends = sorted((y(line.points[-1][1]), i) for i, line in enumerate(lines) if line.points)
    places: list[float] = []
    for place, _ in ends:
        places.append(max(place, places[-1] + LETTER_STEP) if places else place)
    overflow = max(0.0, places[-1] - (HEIGHT - BOTTOM)) if places else 0.0
    left = WIDTH - RIGHT + 6
    return [
        f'<text x="{left + 16}" y="{place - overflow + 4:.1f}">{escape(lines[i].name)}</text>'
        f'<line class="line" stroke="{lines[i].color}"'
        + (f' stroke-dasharray="{lines[i].dashes}"' if lines[i].dashes else "")
        + f' x1="{left}" x2="{left + 12}" y1="{place - overflow:.1f}" y2="{place - overflow:.1f}"/>'
        for place, (_, i) in zip(places, ends)
    ]
