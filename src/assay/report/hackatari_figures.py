"""Figures 1 to 3 of HackAtari's paper, drawn anew, with the agent of the run among the published ones.

1  expert scores over games, on originals and on variations, agent by agent
2  performance changes of deep agents and of people, variation by variation
3  the same of object-centric agents, beside PPO
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from assay.analysis.hackatari import YOURS, HackAtari, Stand
from assay.analysis.published_changes import KINDS, STUDY
from assay.plans.plan import CONTROL
from assay.report.hackatari_tables import change_text, name_of, share_interval
from assay.report.svg import Scale, element, path, picture, scale, tick_labels, ticks, title
from assay.report.text import count, one_line, shorten, true_minus
from assay.stats.aggregate import Interval

WIDTH, SIZE, NAMES, TOP = 1000.0, 13.0, 236.0, 26.0
BAR, PAIR = 11.0, 34.0  # heights of a bar and of an agent's pair of bars
LINE, ROOM = 9.0, 12.0  # of an agent in a row of Figures 2 and 3, and between rows
LEAST, MOST = -1.5, 2.0  # changes beyond are at the edge, as arrows
LONGEST = 30  # characters of a name
MANY = 2.5  # times the largest score that an interval may reach; beyond, it ends in an arrow
DEEP, OBJECT_CENTRIC = KINDS
BASELINE = "PPO"  # the deep agent in Figure 3
HALVES = (("simplification", "Simplifications"), ("", "Other variations"))


class Point(NamedTuple):
    """One agent in one row."""

    agent: str
    sign: str  # its class: line-0 to line-5, people or yours
    change: Interval | None
    says: str


def standing_figure(found: HackAtari) -> str:
    """Figure 1; "" where nobody is published for these games."""
    stands = sorted(found.stands, key=lambda each: -each.original.value)
    if len(stands) < 2:
        return ""
    values = [value for each in stands for value in (each.original.value, each.varied.value)]
    ends = [end for each in stands for interval in (each.original, each.varied) for end in interval[1:]]
    top = MANY * max(values)
    kept = [min(max(end, -top), top) for end in ends if math.isfinite(end)]
    across = scale([0.0, 1.0, *values, *kept], NAMES, WIDTH - 12, room=0.02)
    height = TOP + PAIR * len(stands) + 30
    drawn = [hatching(), *rules_of(across, height - 26, percent=False)]
    for number, each in enumerate(stands):
        drawn += pair_of_bars(each, TOP + PAIR * number, across)
    says = "Expert scores over games, on originals and on variations"
    return picture(WIDTH, height, says, *drawn, class_="changes")


def hatching() -> str:
    line = element("path", d="M0,6L6,0", class_="hatch")
    return element(
        "defs", element("pattern", line, id="hatched", width=6, height=6, patternUnits="userSpaceOnUse")
    )


def pair_of_bars(each: Stand, top: float, across: Scale) -> list[str]:
    own = " yours" if each.kind == YOURS else ""
    name = shorten(one_line(name_of(each).removesuffix(", published")), LONGEST)
    games = "" if each.kind == YOURS else count(each.games, "game")
    place = {"x": NAMES - 10, "text_anchor": "end"}
    drawn = [
        element("text", escape(name), **place, y=top + 14, class_=f"name{own}"),
        element("text", escape(games), **place, y=top + 27, class_="small"),
    ]
    for number, (interval, what) in enumerate(((each.original, "originals"), (each.varied, "variations"))):
        y, zero, at = top + 3 + number * (BAR + 2), across(0.0), across(interval.value)
        says = f"{name_of(each)}, {what}: {share_interval(interval)}"
        box = {"x": min(zero, at), "y": y, "width": abs(at - zero), "height": BAR}
        drawn.append(element("rect", title(says), **box, class_=f"score{own}{' varied' if number else ''}"))
        if number:
            drawn.append(element("rect", **box, fill="url(#hatched)", pointer_events="none"))
        drawn += whisker(interval, y + BAR / 2, across, "bar-interval")
    return drawn


def whisker(interval: Interval, y: float, across: Scale, class_: str) -> list[str]:
    """The line of an interval; an arrowhead where it goes on beyond the plot."""
    if not any(map(math.isfinite, interval[1:])):
        return []
    low, high = (across(end) for end in interval[1:])
    drawn = [element("line", x1=low, x2=high, y1=y, y2=y, class_=class_)]
    for end in interval[1:]:
        if towards := across.beyond(end):
            x = across(end)
            head = [(x - 7 * towards, y - 3.5), (x, y), (x - 7 * towards, y + 3.5)]
            drawn.append(element("path", d=path(head, closed=True), class_=f"{class_} head"))
    return drawn


def rules_of(across: Scale, foot: float, percent: bool) -> list[str]:
    """Lines of the grid and their labels above; nothing and one person, or random play, are stronger."""
    places = ticks(across.low, across.high, 8)
    labels = (
        [f"{round(100 * value):+d}%" if value else "0" for value in places]
        if percent
        else tick_labels(places)
    )
    drawn = []
    for value, text in zip(places, labels):
        drawn.append(element("line", x1=across(value), x2=across(value), y1=TOP - 4, y2=foot, class_="grid"))
        drawn.append(
            element("text", escape(true_minus(text)), x=across(value), y=TOP - 10, text_anchor="middle")
        )
    strong = ((0.0, "zero", "no change"), (-1.0, "random-line", "random play")) if percent else (
        (0.0, "zero", "random play"), (1.0, "optimum-line", "expert"))  # fmt: skip
    for value, class_, words in strong:
        drawn.append(element("line", x1=across(value), x2=across(value), y1=TOP - 4, y2=foot, class_=class_))
        drawn.append(
            element("text", words, x=across(value), y=foot + 16, text_anchor="middle", class_="small")
        )
    return drawn


def change_figures(found: HackAtari, kind: str) -> list[tuple[str, str]]:
    """Figure 2 (`kind` "deep") or 3 ("object-centric"): a heading and a drawing for each half of the rows."""
    rows = rows_of(found, kind)
    if not any(len(points) > 1 for points in rows.values()):
        return []
    directions = {task.label: task.direction for task in found.tasks}
    figures = []
    for direction, heading in HALVES:
        mine = {
            label: points for label, points in rows.items()
            if (directions[label] == HALVES[0][0]) == bool(direction) and directions[label] != CONTROL
        }  # fmt: skip
        if mine:
            figures.append((heading, changes_drawn(mine, f"Performance change, {heading.lower()}")))
    return figures


def agents_of(found: HackAtari, kind: str) -> dict[str, str]:
    """The agents of a figure and their signs."""
    known = dict.fromkeys(each.agent for each in found.published if each.kind == kind)
    agents = [*([BASELINE] if kind == OBJECT_CENTRIC else []), *known]
    signs = {agent: f"line-{number % 7}" for number, agent in enumerate(agents)}
    return signs | ({STUDY: "people"} if kind == DEEP else {}) | {found.agent: YOURS}


def rows_of(found: HackAtari, kind: str) -> dict[str, list[Point]]:
    """By variation: everybody in it, the agent of the run last."""
    signs = agents_of(found, kind)
    rows: dict[str, list[Point]] = {task.label: [] for task in found.tasks if task.direction}
    for each in found.published:
        if each.agent in signs and each.agent != found.agent:
            words = change_text(each.change) if each.change else "undefined: not told to be above random play"
            says = f"{each.agent}, published, {each.label}: {words}"
            rows[each.label].append(Point(each.agent, signs[each.agent], each.change, says))
    order = list(signs)
    for task in found.tasks:
        if task.direction:
            rows[task.label].sort(key=lambda point: order.index(point.agent))
            words = task.why_no_change or change_text(task.change)
            rows[task.label].append(
                Point(found.agent, YOURS, task.change, f"{found.agent}, {task.label}: {words}")
            )
    return rows


def changes_drawn(rows: dict[str, list[Point]], says: str) -> str:
    across = Scale(LEAST, MOST, NAMES, WIDTH - 12)
    heights = [LINE * max(len(points), 2) + ROOM for points in rows.values()]
    foot = TOP + sum(heights)
    drawn, top = rules_of(across, foot, percent=True), TOP
    for (label, points), height in zip(rows.items(), heights):
        game, _, variation = label.partition(" ")
        middle = top + height / 2
        drawn += [
            element("line", x1=0, x2=WIDTH, y1=top, y2=top, class_="grid"),
            element("text", escape(game), x=0, y=middle - 3, class_="name"),
            element("text", escape(shorten(variation, LONGEST)), x=0, y=middle + 13, class_="small"),
        ]
        for number, point in enumerate(points):
            drawn += point_drawn(point, top + (ROOM + LINE) / 2 + number * LINE, across)
        top += height
    return picture(WIDTH, foot + 24, says, *drawn, class_="changes")


def point_drawn(point: Point, y: float, across: Scale) -> list[str]:
    if point.change is None:
        words = "undefined" if point.sign == YOURS else "×"
        text = element(
            "text", title(point.says), words, x=across(LEAST) + 4, y=y + 4, class_=f"small {point.sign}"
        )
        return [text]
    x, beyond = across(point.change.value), across.beyond(point.change.value)
    drawn = whisker(point.change, y, across, f"change-interval {point.sign}") if not beyond else []
    if beyond:
        shape = [(x - 8 * beyond, y - 4), (x, y), (x - 8 * beyond, y + 4)]
        return [element("path", title(point.says), d=path(shape, closed=True), class_=f"change {point.sign}")]
    shapes: dict[str, Sequence[tuple[float, float]]] = {
        YOURS: [(x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6)],
        "people": [(x - 4, y - 4), (x + 4, y - 4), (x + 4, y + 4), (x - 4, y + 4)],
    }
    if point.sign in shapes:
        mark = element(
            "path", title(point.says), d=path(shapes[point.sign], closed=True), class_=f"change {point.sign}"
        )
    else:
        mark = element("circle", title(point.says), cx=x, cy=y, r=3.4, class_=f"change {point.sign}")
    return [*drawn, mark]


def signs_legend(found: HackAtari, kind: str) -> list[tuple[str, str]]:
    """The keys of a figure: a sign and a name."""
    there = {each.agent for each in found.published} | {found.agent}
    signs = {agent: sign for agent, sign in agents_of(found, kind).items() if agent in there}
    return [
        (f'<i class="dot {sign}"></i>',
         shorten(one_line(agent), LONGEST) if sign == YOURS else f"{agent}, published")
        for agent, sign in signs.items()
    ]  # fmt: skip
