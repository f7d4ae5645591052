"""Heat maps of one measure over two settings: a number in every cell, its shade between least and most."""

from __future__ import annotations

from html import escape

from assay.analysis.experiment import Map
from assay.report.short_names import short_names
from assay.report.svg import element, picture, title, width_of
from assay.report.text import number, one_line, shorten, true_minus

WIDTH, TALL, HEAD, SIZE = 340.0, 30.0, 34.0, 11.5
SMALLEST = 8.0  # of the numbers in the cells
FAINT, STRONG = 0.05, 0.45  # shades: even on the strongest the number is read, light and dark


def panels(heat_map: Map) -> list[str]:
    """Two: the mean over seeds, and their spread; one seed has none."""
    if not heat_map.has_spread:
        return [_panel(heat_map, heat_map.mean, f"{heat_map.what}, one seed")]
    return [
        _panel(heat_map, heat_map.mean, f"{heat_map.what}, mean over seeds"),
        _panel(heat_map, heat_map.sd, f"{heat_map.what}, sd over seeds"),
    ]


def _panel(heat_map: Map, values: tuple[tuple[float | None, ...], ...], heading: str) -> str:
    caption = element("figcaption", element("h4", escape(heading)))
    return element("figure", caption, _drawing(heat_map, values, heading), class_="panel")


def _drawing(heat_map: Map, values: tuple[tuple[float | None, ...], ...], heading: str) -> str:
    known = [value for row in values for value in row if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    rows = short_names([true_minus(level) for level in heat_map.rows], 9)
    left = max(width_of(level, SIZE) for level in rows) + 8
    wide = (WIDTH - left) / len(heat_map.columns)
    longest = max([len(number(value)) for value in known], default=1)
    size = max(SMALLEST, min(SIZE, (wide - 3) / (longest * 0.62)))
    across = short_names([true_minus(level) for level in heat_map.columns], max(3, int(wide / 7.6)))
    drawn = [
        element("text", escape(shorten(f"{one_line(heat_map.across)} →", 40)), x=left, y=11),
        *(
            element("text", escape(level), x=left + (place + 0.5) * wide, y=HEAD - 6, text_anchor="middle")
            for place, level in enumerate(across)
        ),
    ]  # fmt: skip
    for down, (level, row) in enumerate(zip(rows, values)):
        top = HEAD + down * TALL
        drawn.append(element("text", escape(level), x=left - 6, y=top + TALL / 2 + 4, text_anchor="end"))
        for place, value in enumerate(row):
            says = f"{heat_map.down}={heat_map.rows[down]}, {heat_map.across}={heat_map.columns[place]}: "
            share = 0.0 if value is None or high == low else (value - low) / (high - low)
            shade = 0.0 if value is None else FAINT + share * (STRONG - FAINT)
            drawn.append(
                element("rect", title(one_line(says + number(value))), x=left + place * wide + 1, y=top + 1,
                        width=wide - 2, height=TALL - 2, rx=2, class_="cell", fill_opacity=f"{shade:.3f}")
            )  # fmt: skip
            text = "–" if value is None else true_minus(number(value))
            drawn.append(
                element("text", escape(text), x=left + (place + 0.5) * wide, y=top + TALL / 2 + 4,
                        text_anchor="middle", class_="in-cell", style=f"font-size:{size:.1f}px")
            )  # fmt: skip
    height = HEAD + len(rows) * TALL + 4
    says = f"{heading}: {heat_map.down} down, {heat_map.across} across"
    below = element("text", escape(shorten(f"↓ {one_line(heat_map.down)}", 44)), x=0, y=height + 10)
    return picture(WIDTH, height + 14, says, *drawn, below, class_="heat")
