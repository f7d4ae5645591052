"""The figures of difficulty: median curves with bands, box plots of TCE, and shares of pairs of runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from assay.analysis.difficulty import Cell, Comparison, Difficulty
from assay.report.difficulty_tables import SURE, chance_text, error_text
from assay.report.short_names import short_names
from assay.report.svg import (
    Scale,
    element,
    path,
    picture,
    scale,
    space_labels,
    tick_labels,
    ticks,
    title,
    width_of,
)
from assay.report.text import one_line, true_minus

WIDTH, HEIGHT, TOP, BOTTOM, RIGHT, SIZE = 460.0, 260.0, 10.0, 40.0, 14.0, 11.5
LINES = 6  # curves in one panel, and colours that there are
ROW = 24.0  # of a box plot
CELL, HEAD = 38.0, 26.0  # of the heat map
NAME = 34  # characters of a rule's name
FEWEST_MARKS = 3  # of a scale of powers of ten
POWERS = tuple(10.0**power for power in range(8))


def curve_panels(difficulty: Difficulty) -> list[str]:
    """A panel for each player, and a further one for every six rules, the hardest first."""
    panels = []
    for player in difficulty.players:
        mine = sorted(
            (cell for cell in difficulty.cells if cell.player == player), key=lambda cell: -cell.median_tce
        )
        for start in range(0, len(mine), LINES):
            panels.append(_panel(player, _curves(player, mine[start : start + LINES])))
    return panels


def box_panels(difficulty: Difficulty) -> list[str]:
    """A panel for each player: a box for each rule, on a scale of powers of ten."""
    return [
        _panel(player, _boxes(player, [cell for cell in difficulty.cells if cell.player == player]))
        for player in difficulty.players
    ]


def heat_panels(difficulty: Difficulty) -> list[str]:
    """For each player a map of rules by rules; where players differ, for each rule one of players."""
    shown = [
        *((each, difficulty.rules, difficulty.between_rules) for each in difficulty.players),
        *((each, difficulty.players, difficulty.between_players) for each in difficulty.rules),
    ]
    panels = []
    for where, names, comparisons in shown:
        there = {(each.harder, each.than): each for each in comparisons if each.where == where}
        kept = [name for name in names if any(name in pair for pair in there)]
        if len(kept) > 1:
            panels.append(_panel(where, _heat(where, kept, there)))
    return panels


def _panel(heading: str, drawing: str) -> str:
    caption = element("figcaption", element("h4", escape(one_line(heading))))
    return element("figure", caption, drawing, class_="panel")


def _curves(player: str, cells: Sequence[Cell]) -> str:
    foot = BOTTOM + 15 * len(cells)
    height = HEIGHT + 15 * len(cells)
    upward = scale([0.0, *(max(cell.curve.high) for cell in cells)], height - foot, TOP, room=0.0)
    marks = ticks(upward.low, upward.high, 6)
    left = max(width_of(text, SIZE) for text in [*tick_labels(marks), "0"]) + 10
    across = scale([0.0, *(float(cell.episodes) for cell in cells)], left, WIDTH - RIGHT, room=0.0)
    drawn = [
        element("line", x1=left, x2=WIDTH - RIGHT, y1=upward(value), y2=upward(value), class_="grid")
        + element("text", escape(text), x=left - 6, y=upward(value) + 4, text_anchor="end")
        for value, text in zip(marks, tick_labels(marks))
    ]
    for place, cell in enumerate(cells):
        drawn += _curve(cell, place, across, upward)
    episodes = ticks(across.low, across.high, 6)
    wanted = [(across(each), text) for each, text in zip(episodes, tick_labels(episodes))]
    drawn += [
        element("text", escape(text), x=x, y=height - foot + 16, text_anchor="middle")
        for x, text in space_labels(wanted, SIZE, left - 4, WIDTH)
    ]
    drawn.append(
        element("text", "episodes", x=WIDTH - RIGHT, y=height - foot + 29, text_anchor="end", class_="axis")
    )
    names = short_names([cell.rule for cell in cells], NAME)
    for place, cell in enumerate(cells):
        y = height - foot + 44 + 15 * place
        drawn.append(element("line", x1=left, x2=left + 18, y1=y - 4, y2=y - 4, class_=f"line line-{place}"))
        says = f"{names[place]}, {error_text(cell.median_tce)} at the end"
        drawn.append(element("text", escape(says), x=left + 24, y=y))
    says = f"{player}: median cumulated errors over episodes, {len(cells)} rules"
    return picture(WIDTH, height + 8, one_line(says), *drawn, class_="difficulty")


def _curve(cell: Cell, place: int, across: Scale, upward: Scale) -> list[str]:
    def points(values: Sequence[float]) -> list[tuple[float, float]]:
        return [(across(episode), upward(value)) for episode, value in enumerate(values, start=1)]

    around = points(cell.curve.low) + points(cell.curve.high)[::-1]
    return [
        element("path", d=path(around, closed=True), class_=f"spread line-{place}"),
        element("path", title(one_line(cell.rule)), d=path(points(cell.curve.median)),
                class_=f"line line-{place}"),
    ]  # fmt: skip


def _boxes(player: str, cells: Sequence[Cell]) -> str:
    """On a scale of log(1 + TCE): a run that never learns has a hundred times the errors of the others."""
    height = ROW * len(cells) + BOTTOM
    names = short_names([cell.rule for cell in cells], NAME)
    left = max(width_of(name, SIZE) for name in names) + 10
    most = max(value for cell in cells for value in cell.tce)
    least = min(value for cell in cells for value in cell.tce)
    across = scale([math.log10(1 + least), math.log10(1 + most)], left, WIDTH - RIGHT)

    def at(value: float) -> float:
        return across(math.log10(1 + value))

    foot = ROW * len(cells)
    marks = [each * power for power in POWERS for each in (1, 2, 5) if least <= each * power <= most]
    if len(marks) < FEWEST_MARKS:  # the runs lie close together
        marks = ticks(least, most, 6)
    wanted = [(at(mark), error_text(mark)) for mark in marks or [least]]
    drawn = [element("line", x1=x, x2=x, y1=0, y2=foot, class_="grid") for x, _ in wanted]
    drawn += [
        element("text", escape(text), x=x, y=foot + 15, text_anchor="middle")
        for x, text in space_labels(wanted, SIZE, left - 8, WIDTH)
    ]
    drawn.append(element("text", "TCE", x=WIDTH - RIGHT, y=foot + 30, text_anchor="end", class_="axis"))
    for place, cell in enumerate(cells):
        middle = (place + 0.5) * ROW
        drawn.append(element("text", escape(names[place]), x=left - 8, y=middle + 4, text_anchor="end"))
        drawn += _box(cell, middle, at)
    return picture(WIDTH, height, one_line(f"{player}: box plots of TCE"), *drawn, class_="difficulty")


def _box(cell: Cell, middle: float, at: Callable[[float], float]) -> list[str]:
    box = cell.box
    low, middle_text, high = map(error_text, (box.low_quartile, box.median, box.high_quartile))
    says = title(f"{one_line(cell.rule)}: median {middle_text}, quartiles {low} and {high}")
    whiskers = [(box.low_whisker, box.low_quartile), (box.high_quartile, box.high_whisker)]
    wide = max(at(box.high_quartile) - at(box.low_quartile), 1.0)
    return [
        *(element("line", x1=at(one), x2=at(other), y1=middle, y2=middle, class_="bar")
          for one, other in whiskers),
        element("rect", says, x=at(box.low_quartile), y=middle - 7, width=wide, height=14.0, class_="box"),
        element("line", x1=at(box.median), x2=at(box.median), y1=middle - 7, y2=middle + 7, class_="curve"),
        *(element("circle", title(error_text(value)), cx=at(value), cy=middle, r=2.4, class_="outlier")
          for value in box.outliers),
    ]  # fmt: skip


def _heat(where: str, names: Sequence[str], there: dict[tuple[str, str], Comparison]) -> str:
    """The share of pairs of runs in which the row has more errors than the column; * where p < 0.05."""
    texts = [f"{place} {name}" for place, name in enumerate(short_names(names, NAME), start=1)]
    left = max(width_of(text, SIZE) for text in texts) + 10
    drawn = []
    for down, row in enumerate(names):
        top = HEAD + down * CELL
        drawn.append(
            element("text", escape(texts[down]), x=left - 6, y=top + CELL / 2 + 4, text_anchor="end")
        )
        drawn.append(
            element("text", str(down + 1), x=left + (down + 0.5) * CELL, y=HEAD - 8, text_anchor="middle")
        )
        for along, column in enumerate(names):
            compared = there.get((row, column))
            if compared is not None:
                drawn += _heat_cell(compared, left + along * CELL, top)
    size = HEAD + CELL * len(names)
    says = f"{where}: share of pairs of runs in which the row has more errors than the column"
    return picture(left + CELL * len(names) + 4, size + 4, one_line(says), *drawn, class_="difficulty")


def _heat_cell(compared: Comparison, x: float, y: float) -> list[str]:
    says = (f"{compared.harder} has more errors than {compared.than} in {compared.share:.0%} of pairs; "
            f"U {compared.u:g} of {compared.pairs}, p {chance_text(compared.chance)}, "
            f"ease ratio {compared.ease:.3g}")  # fmt: skip
    mark = "*" if compared.chance < SURE else ""
    shade = 0.05 + 0.4 * compared.share
    return [
        element("rect", title(one_line(says)), x=x + 1, y=y + 1, width=CELL - 2, height=CELL - 2, rx=2,
                class_="cell", fill_opacity=f"{shade:.3f}"),
        element("text", true_minus(f"{compared.share:.2f}{mark}"), x=x + CELL / 2, y=y + CELL / 2 + 4,
                text_anchor="middle", class_="in-cell"),
    ]  # fmt: skip
