"""Learning curves: for each label one panel, in it one line per seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from assay.analysis.exam import LearningCurve
from assay.plans.question import PLAIN
from assay.report.svg import element, path, picture, scale, space_labels, tick_labels, ticks, title, width_of
from assay.report.text import count, one_line

WIDTH, HEIGHT, TOP, BOTTOM, RIGHT, SIZE = 340.0, 160.0, 8.0, 24.0, 14.0, 11.5
MOST_POINTS = 120  # per line: more than a panel has pixels to show, and a page of megabytes


def panels(curves: Sequence[LearningCurve], together: bool = False) -> list[str]:
    """The plain task first, then the labels in the order in which they come.

    `together` puts all panels on one scale, so that they compare, and draws the mean over seeds in each.
    """
    by_label: dict[str, list[LearningCurve]] = {}
    for curve in curves:
        by_label.setdefault(curve.label, []).append(curve)
    every = [score for curve in curves for score in curve.scores] if together else []
    return [
        element(
            "figure", element("figcaption", element("h4", escape(one_line(label)))), drawn, class_="panel"
        )
        for label in sorted(by_label, key=lambda label: label != PLAIN)
        if (drawn := _drawing(label, by_label[label], every))
    ]


def thin_out(
    steps: Sequence[int], scores: Sequence[float], most: int = MOST_POINTS
) -> list[tuple[float, float]]:
    """At most so many points: means of neighbours; NaN where none of them has a score."""
    size = max(1, math.ceil(len(steps) / most))
    points = []
    for start in range(0, min(len(steps), len(scores)), size):
        known = [score for score in scores[start : start + size] if math.isfinite(score)]
        group = steps[start : start + size]
        points.append((sum(group) / len(group), sum(known) / len(known) if known else math.nan))
    return points


def mean_line(lines: Sequence[Sequence[tuple[float, float]]]) -> list[tuple[float, float]]:
    """The mean over seeds at every step that one of them has; NaN where none has a score."""
    by_step: dict[float, list[float]] = {}
    for line in lines:
        for step, score in line:
            by_step.setdefault(step, []).extend([score] if math.isfinite(score) else [])
    return [(step, sum(known) / len(known) if known else math.nan) for step, known in sorted(by_step.items())]


def _drawing(label: str, curves: Sequence[LearningCurve], every: Sequence[float]) -> str:
    lines = [(curve.seed, thin_out(curve.steps, curve.scores)) for curve in curves]
    known = [point for _, line in lines for point in line if math.isfinite(point[1])]
    if not known:
        return ""
    upward = scale([*every, *(score for _, score in known)], HEIGHT - BOTTOM, TOP)
    marks = ticks(upward.low, upward.high, 4)
    texts = tick_labels(marks)
    left = max([width_of(text, SIZE) for text in texts], default=0.0) + 10
    across = scale([0.0, *(step for step, _ in known)], left, WIDTH - RIGHT, room=0.0)
    drawn = [
        element("line", x1=left, x2=WIDTH - RIGHT, y1=upward(value), y2=upward(value), class_="grid")
        + element("text", escape(text), x=left - 6, y=upward(value) + 4, text_anchor="end")
        for value, text in zip(marks, texts)
    ]
    drawn += [
        element("path", title(f"seed {seed}"), d="".join(map(path, runs)), class_="seed")
        for seed, line in lines
        if (runs := _unbroken(line, across, upward))
    ]
    if every and len(lines) > 1:
        middle = _unbroken(mean_line([line for _, line in lines]), across, upward)
        drawn.append(element("path", title("mean over seeds"), d="".join(map(path, middle)), class_="curve"))
    steps = ticks(across.low, across.high, 4)
    wanted = [(across(step), text) for step, text in zip(steps, tick_labels(steps))]
    drawn += [
        element("text", escape(text), x=x, y=HEIGHT - 6, text_anchor="middle")
        for x, text in space_labels(wanted, SIZE, left - 4, WIDTH)
    ]
    return picture(
        WIDTH, HEIGHT, f"{one_line(label)}: {count(len(lines), 'seed')}", *drawn, class_="learning"
    )


def _unbroken(line, across, upward) -> list[list[tuple[float, float]]]:
    """The stretches between gaps; a lone point becomes a short stroke, or it would not be seen."""
    runs: list[list[tuple[float, float]]] = [[]]
    for step, score in line:
        if math.isfinite(score):
            runs[-1].append((across(step), upward(score)))
        else:
            runs.append([])
    return [run if len(run) > 1 else [run[0], (run[0][0] + 2, run[0][1])] for run in runs if run]
