"""The three figures of the paper as SVG files that stand alone: curves, box plots, pairs of runs."""

from __future__ import annotations

import re

from assay.analysis.difficulty import Difficulty
from assay.report.difficulty_figures import box_panels, curve_panels, heat_panels

# The report's colours for light paper; a file beside a page cannot take the page's own.
STYLE = """
text { font: 11.5px system-ui, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1d1c1a; }
.grid { stroke: #e2dfd6; } .axis { fill: #5e5a52; } .line { fill: none; stroke-width: 1.8; }
.spread { stroke: none; opacity: 0.16; } .bar { stroke: #5e5a52; stroke-width: 1.5; }
.box { fill: #0b63a5; fill-opacity: 0.25; stroke: #5e5a52; } .outlier { fill: none; stroke: #5e5a52; }
.curve { stroke: #1d1c1a; stroke-width: 1.8; } .cell { fill: #0b63a5; stroke: #e2dfd6; }
.heading { font-weight: 600; }
"""
COLORS = ("#0b63a5", "#c4551a", "#2f8f4e", "#9a4fb5", "#b58a00", "#2497a8")
MARGIN, HEADING = 12, 26


def figures(difficulty: Difficulty) -> dict[str, str]:
    """By name of its file, each figure: a panel for every player, side by side."""
    kinds = {"curves": curve_panels, "boxes": box_panels}
    drawn = {f"gohr-{name}.svg": draw(panels(difficulty)) for name, panels in kinds.items()}
    heat = heat_panels(difficulty)[: len(difficulty.players)]  # behind them is one for every rule
    return drawn | {"gohr-pairs.svg": draw(heat)}


def draw(panels: list[str]) -> str:
    """Panels of the report in one picture."""
    colors = "".join(
        f".line.line-{i} {{ stroke: {color}; }} .spread.line-{i} {{ fill: {color}; }}\n"
        for i, color in enumerate(COLORS)
    )
    x, tallest, parts = MARGIN, 0.0, []
    for panel in panels:
        heading = re.search(r"<h4>(.*?)</h4>", panel)
        found = re.search(r'<svg viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>(.*)</svg>', panel, re.DOTALL)
        assert heading and found, "a panel of the report is a heading and a drawing"
        width, height = float(found[1]), float(found[2])
        parts.append(f'<text class="heading" x="{x}" y="{MARGIN + 10}">{heading[1]}</text>')
        parts.append(f'<g transform="translate({x} {MARGIN + HEADING})">{found[3]}</g>')
        x, tallest = x + int(width) + 2 * MARGIN, max(tallest, height)
    tall = tallest + HEADING + 2 * MARGIN
    paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
    size = f'width="{x}" height="{tall:g}" viewBox="0 0 {x} {tall:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}{colors}</style>'
    return f"{head}\n{paper}\n" + "\n".join(parts) + "\n</svg>\n"
