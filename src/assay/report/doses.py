"""Dose curves: for each axis the score over its levels, with intervals that hold for all of them at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from assay.analysis.exam import AxisFinding, Exam, LevelFinding
from assay.plans.question import CARRY
from assay.report.svg import (
    Scale,
    css_class,
    element,
    mark,
    path,
    picture,
    scale,
    space_labels,
    tick_labels,
    ticks,
    title,
    width_of,
)
from assay.report.text import (
    ARMS,
    by_loss,
    describe_level,
    one_line,
    percent,
    sentence,
    shorten,
    true_minus,
    word_of,
)
from assay.report.text import number as score_text
from assay.stats.limits import ANYWHERE, Limits
from assay.stats.verdict import BREAKS

WIDTH, HEIGHT, TOP, BOTTOM, RIGHT, SIZE = 340.0, 196.0, 10.0, 26.0, 12.0, 11.5
FARTHEST = 2.0  # scores farther from plain than so many times its distance to random play become arrows


class Yardstick(NamedTuple):
    """Effects as places on the upright axis of a panel: plain + effect * unit; `unit` is NaN if not known."""

    plain: float
    unit: float
    in_effects: bool = False  # the axis shows the effects themselves, for want of comparable scores

    def place(self, effect: float) -> float:
        return self.plain + effect * self.unit

    def of(self, level: LevelFinding | None) -> float:
        """The place of a level; None stands for the plain task."""
        if level is None:
            return self.plain
        return level.effect.value if self.in_effects else level.score


EFFECTS = Yardstick(0.0, 1.0, in_effects=True)


def yardstick(exam: Exam, sides: Sequence[AxisFinding]) -> Yardstick:
    """How scores and effects hang together on an axis."""
    if any(side.shares for side in sides):
        return EFFECTS
    head = exam.headline
    return Yardstick(head.plain if math.isfinite(head.plain) else head.score.value, head.unit)


def panels(exam: Exam) -> list[tuple[str, str]]:
    """An arm and a panel for each axis with an order, or with several levels without one."""
    drawn_panels = []
    for arm in ARMS:
        by_axis: dict[str, list[AxisFinding]] = {}
        for finding in exam.findings:
            if finding.arm == arm and finding.levels:
                by_axis.setdefault(finding.axis, []).append(finding)
        for sides in sorted(by_axis.values(), key=lambda sides: min(map(by_loss, sides))):
            if sides[0].ordered or sum(len(side.levels) for side in sides) > 1:
                drawn_panels.append((arm, _panel(exam, sides, yardstick(exam, sides))))
    return drawn_panels


def _panel(exam: Exam, sides: Sequence[AxisFinding], ruler: Yardstick) -> str:
    first = sides[0]
    chips = [
        element("span", escape(said), class_=f"chip {css_class(side.word)}", title=sentence(side))
        for side in sides[:3]
        if (said := true_minus(f"{side.word} {describe_level(side)}".strip()))
    ]
    if len(sides) > 3:
        chips.append(element("span", f"and {len(sides) - 3} more", class_="chip"))
    means = "; ".join(filter(None, (one_line(first.means), first.proof)))
    if ruler.in_effects:
        means = f"{means}; drawn as effects on shares of each task's own optimum".removeprefix("; ")
    caption = element(
        "figcaption",
        element("h4", escape(one_line(first.axis))),
        element("p", *chips, class_="chips"),
        element("p", escape(means), class_="means", title=means),
    )
    return element("figure", caption, _drawing(exam, sides, ruler), class_="panel")


def _drawing(exam: Exam, sides: Sequence[AxisFinding], ruler: Yardstick) -> str:
    levels, neutral = _in_order(sides)
    ends = Ends(exam, ruler, sides[0].arm)
    upward = _upward(exam, levels, ends)
    marks = ticks(upward.low, upward.high, 5)
    labels = (
        [f"{100 * value:.0f}%".replace("-", "−") for value in marks]
        if ruler.in_effects
        else tick_labels(marks)
    )
    left = max([width_of(text, SIZE) for text in labels], default=0.0) + 10
    first, last = left + 18, WIDTH - RIGHT - 16
    gap = (last - first) / max(len(levels) - 1, 1)
    places = (
        [first + gap * place for place in range(len(levels))] if len(levels) > 1 else [(first + last) / 2]
    )
    right = WIDTH - RIGHT
    drawn = [
        element("line", x1=left, x2=right, y1=upward(value), y2=upward(value), class_="grid")
        + element("text", escape(text), x=left - 6, y=upward(value) + 4, text_anchor="end")
        for value, text in zip(marks, labels)
    ]
    drawn += _references(exam, levels, places, upward, ruler, left, right)
    ordered = sides[0].ordered
    drawn += _ribbon(levels, places, upward, ends) if ordered else _bars(levels, places, upward, ends)
    broken = {side.level for side in sides if side.word == BREAKS}
    if ordered:
        drawn += [
            element("line", x1=x, x2=x, y1=TOP, y2=HEIGHT - BOTTOM, class_="break-line")
            for level, x in zip(levels, places)
            if level and level.level in broken
        ]
    drawn += [_point(exam, level, x, upward, ruler) for level, x in zip(levels, places)]
    drawn += _level_labels(sides, levels, places, neutral, broken, right)
    says = "; ".join(sentence(side) for side in sides)
    return picture(WIDTH, HEIGHT, says, *drawn, class_="dose")


def _in_order(sides: Sequence[AxisFinding]) -> tuple[list[LevelFinding | None], str]:
    """All levels from left to right, None for the neutral one, and its text."""
    first = sides[0]
    if not first.ordered:
        return [None, *(level for side in sides for level in side.levels)], "plain"
    below = [level for side in sides if side.side == "below" for level in reversed(side.levels)]
    above = [level for side in sides if side.side != "below" for level in side.levels]
    return [*below, None, *above], first.neutral


def _upward(exam: Exam, levels: Sequence[LevelFinding | None], ends: Ends) -> Scale:
    """The scale of scores: all that is drawn, unless it lies too far away to leave the rest legible."""
    ruler = ends.ruler
    values = [ruler.plain]
    for level in filter(None, levels):
        values += [ruler.of(level), *(ends(level, end) for end in (1, 2))]
    for which in ("random", "optimum"):
        values += [value for value in _along(exam, which, levels, ruler) if value is not None]
    if ruler.unit > 0:
        near = FARTHEST * ruler.unit
        values = [value for value in values if abs(value - ruler.plain) <= near]
    return scale(values, HEIGHT - BOTTOM, TOP)


def _references(exam, levels, places, upward, ruler, left, right) -> list[str]:
    """Plain play and the margin straight across; random play and the optimum from level to level."""
    drawn = []
    if math.isfinite(ruler.plain):
        y = upward(ruler.plain)
        drawn.append(element("line", title("plain"), x1=left, x2=right, y1=y, y2=y, class_="plain-line"))
    if ruler.unit > 0 and not upward.beyond(ruler.place(-exam.margin)):
        y = upward(ruler.place(-exam.margin))
        drawn.append(element("line", title("margin"), x1=left, x2=right, y1=y, y2=y, class_="margin-line"))
    for which in ("random", "optimum"):
        for run in _runs(_along(exam, which, levels, ruler), places):
            inside = [(x, upward(value)) for x, value in run if not upward.beyond(value)]
            if len(inside) == 1:  # a lone point is too short for a line: a stroke on both sides of it
                (x, y), = inside  # fmt: skip
                inside = [(max(x - 10, left), y), (min(x + 10, right), y)]
            if inside:
                drawn.append(element("path", title(which), d=path(inside), class_=f"{which}-line"))
    return drawn


def _along(exam, which: str, levels, ruler: Yardstick) -> list[float | None]:
    """What random play or the optimum scores at each level; nothing where the axis shows no scores."""
    if ruler.in_effects:
        return []
    values = [getattr(exam.headline if level is None else level, which) for level in levels]
    # Known of the plain task alone, it would be a stroke that says nothing of the axis.
    known = any(value is not None for value, level in zip(values, levels) if level is not None)
    return values if known else []


def _runs(values: Sequence[float | None], places: Sequence[float]) -> list[list[tuple[float, float]]]:
    """The stretches of neighbouring places at which there is a number."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, value in zip(places, values):
        if value is None or math.isnan(value):
            runs.append([])
        else:
            runs[-1].append((x, value))
    return [run for run in runs if run]


class Ends(NamedTuple):
    """The ends of a level's interval on the upright axis, cut where no score can lie."""

    exam: Exam
    ruler: Yardstick
    arm: str

    def __call__(self, level: LevelFinding | None, end: int) -> float:
        if level is None:
            return self.ruler.plain
        if math.isnan(level.effect.value):
            return math.nan
        place = self.ruler.place(level.effect[end])
        return place if self.ruler.in_effects else self.possible(level, place)

    def possible(self, level: LevelFinding, score: float) -> float:
        """Nearer than the declared range and the optimum; a score that was seen is possible in any case."""
        limits = Limits(*self.exam.score_range) if self.exam.score_range else ANYWHERE
        # What is learned under a reward is scored by the plain one: there the plain optimum is the limit.
        best = level.optimum if self.arm == CARRY else self.exam.headline.optimum
        if best is not None:
            limits = limits.both(Limits(high=best))
        return limits.nearest(score, level.score)


def _ribbon(levels, places, upward, ends: Ends) -> list[str]:
    """The interval as a shade and the scores as a line; both stop where something is not known."""
    lows, highs = (_runs([ends(level, end) for level in levels], places) for end in (1, 2))
    drawn = [
        element(
            "path", d=path([(x, upward(v)) for x, v in [*low, *reversed(high)]], closed=True), class_="ribbon"
        )
        for low, high in zip(lows, highs)
        if len(low) > 1
    ]
    scores = [ends.ruler.of(level) for level in levels]
    drawn += [
        element("path", d=path([(x, upward(v)) for x, v in run]), class_="curve")
        for run in _runs(scores, places)
        if len(run) > 1
    ]
    return drawn


def _bars(levels, places, upward, ends: Ends) -> list[str]:
    drawn = []
    for level, x in zip(levels, places):
        low, high = (ends(level, end) for end in (1, 2))
        if not math.isnan(low):
            drawn.append(element("line", x1=x, x2=x, y1=upward(low), y2=upward(high), class_="bar"))
    return drawn


def _point(exam: Exam, level: LevelFinding | None, x: float, upward: Scale, ruler: Yardstick) -> str:
    value = ruler.of(level)
    if not math.isfinite(value):
        return ""
    if level is None:
        return mark("plain", x, upward(value), title("plain"))
    says = f"{one_line(level.level)}: {percent(level.effect)}, score {score_text(level.score)}"
    word = word_of(level.effect, exam.margin)
    return mark(word, x, upward(value), title(says), beyond=upward.beyond(value))


def _level_labels(sides, levels, places, neutral, broken, right) -> list[str]:
    """Names of levels as far as they fit: where it breaks and the outermost first, the rest after."""
    names = [neutral if level is None else level.level for level in levels]
    longest = max(5, int((places[1] - places[0] - SIZE) / width_of("0", SIZE))) if len(places) > 1 else 30
    ranks = sorted(
        range(len(names)),
        key=lambda place: (
            levels[place] is not None and levels[place].level not in broken,
            place not in (0, len(names) - 1),
            place,
        ),
    )
    wanted = [(places[place], true_minus(shorten(names[place], longest))) for place in ranks]
    whole = {true_minus(shorten(each, longest)): one_line(each) for each in names}
    return [
        element("text", title(whole[text]), escape(text), x=x, y=HEIGHT - 8, text_anchor="middle")
        for x, text in space_labels(wanted, SIZE, 2, right + RIGHT - 2)
    ]
