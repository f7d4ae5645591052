"""Learning curves and dose responses as PNG files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from assay.stats.intervals import student
from assay.suites import kage

from .arithmetic import MEASURES, UNUSED
from .formats import count
from .learners import BASE, FLOAT32, WITH_AUGMENTATION, Contender, contender_trainings
from .results import Results
from .trainings import Training, select

# Okabe and Ito's colours, told apart by the colour-blind.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#777777"
OTHERS = (ORANGE, GREEN, PURPLE)
# By training appearance, pairs whose eval looks are drawn: of small, middling and large gaps in the paper.
DRAWN = {
    "plain": ("agent_appearance 2", "layout 1", "background 1"),
    "skeleton": ("distractors 2", "distractors 3", "background 8"),
    "colors": ("background 4",),
    "image": ("background 6",),
    "images": ("background 7",),
    "skeleton-image": ("background 9", "filters 7", "filters 4"),
    "skeleton-images": ("background 10",),
}
STYLE: Any = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#e6e6e6", "grid.linewidth": 0.6, "axes.axisbelow": True, "legend.frameon": False,
    "legend.fontsize": 8, "figure.facecolor": "white", "axes.titlesize": 9, "axes.titlelocation": "left",
}  # fmt: skip
LEAST_LOSS = 10  # returns closer to 0 than this are drawn on a linear scale
DPI, COLOURS = 110, 96


def save(figure: Figure, path: Path) -> None:
    """With a small palette, which halves the file and cannot be seen."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=DPI, format="png")
    plt.close(figure)
    image = Image.open(drawn).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(path, optimize=True)


def millions(training: Training) -> np.ndarray:
    steps: np.ndarray = training.steps / 1e6
    return steps


def name_axes(axes: Axes, measure: str) -> None:
    axes.set_xlim(0, 25.4)
    if measure == "return":
        axes.set_yscale("symlog", linthresh=LEAST_LOSS, linscale=0.4)
        axes.set_ylim(-6000, 3)
        axes.set_yticks([-1000, -100, -10, 0], ["−1000", "−100", "−10", "0"])
        axes.minorticks_off()
    elif measure == "success":
        axes.set_ylim(-0.03, 1.03)


def draw_learning(results: Results, path: Path) -> None:
    """Success and return over training: a row per appearance, a thin line per seed and look."""
    names = [name for name in DRAWN if select(results.trainings, name)]
    pairs = {pair.name: pair for pair in kage.ALL}
    with plt.rc_context(STYLE):
        figure, grid = plt.subplots(
            len(names), 2, figsize=(9.2, 0.6 + 1.9 * len(names)), sharex=True, squeeze=False,
            layout="constrained",
        )  # fmt: skip
        for row, name in zip(grid, names):
            trainings = select(results.trainings, name)
            looks = [("train look", trainings[0].tasks[0], BLUE)]
            looks += [
                (f"eval: {each}", pairs[each].evaluate, color) for each, color in zip(DRAWN[name], OTHERS)
            ]
            for axes, measure in zip(row, ("success", "return")):
                draw_seeds(axes, trainings, looks, measure)
                draw_blind(axes, results, measure)
                name_axes(axes, measure)
                axes.set_title(f"{measure}, trained on {name} ({count(len(trainings))})")
            row[1].legend(*row[0].get_legend_handles_labels(), loc="center left", bbox_to_anchor=(1.0, 0.5))
        for axes in grid[-1]:
            axes.set_xlabel("million steps")
        save(figure, path)


def draw_seeds(
    axes: Axes, trainings: Sequence[Training], looks: Sequence[tuple[str, str, str]], measure: str
) -> None:
    for rank, (words, task, color) in enumerate(looks):
        for number, each in enumerate(trainings):
            axes.plot(
                millions(each), each.column(measure, task), color=color, linewidth=0.9,
                label="" if number else words, zorder=len(looks) - rank + 2,
            )  # fmt: skip


def draw_blind(axes: Axes, results: Results, measure: str) -> None:
    if results.blind:
        level = results.blind.most(measure).value
        axes.axhline(level, color=GREY, linewidth=1, linestyle=(0, (4, 3)), label="best blind policy")


def draw_doses(results: Results, path: Path) -> None:
    """As the paper's Figure 7: a row per measure, a column per set, a line per dose, means over seeds."""
    sets = [
        (name, suite) for name in kage.DOSES for suite in kage.SUITES
        if suite.name == f"kage/{name}" and results.of(suite.pairs[0])
    ]  # fmt: skip
    with plt.rc_context(STYLE):
        figure, grid = plt.subplots(
            len(MEASURES), len(sets), figsize=(0.6 + 4.2 * len(sets), 8.2), sharex=True, squeeze=False,
            layout="constrained",
        )  # fmt: skip
        for column, (name, suite) in zip(grid.T, sets):
            trainings = results.of(suite.pairs[0])
            colors = plt.get_cmap("viridis")(np.linspace(0, 0.92, len(suite.pairs)))
            for axes, measure in zip(column, MEASURES):
                for dose, pair, color in zip(kage.DOSES[name][2], suite.pairs, colors):
                    curves = [each.column(measure.name, pair.evaluate) for each in trainings]
                    mean = np.mean(curves, axis=0)
                    axes.plot(millions(trainings[0]), mean, color=color, linewidth=1.1, label=dose)
                name_axes(axes, measure.name)
                axes.set_title("success" if measure.head == "SR" else measure.head)
            column[0].set_title(f"{name}, {count(len(trainings))}\n{MEASURES[0].head}")
            column[-1].set_xlabel("million steps")
            column[2].legend(title="dose", loc="center left", bbox_to_anchor=(1.0, 0.5), title_fontsize=8)
        save(figure, path)


def draw_contender(results: Results, contender: Contender, path: Path) -> None:
    """Both learners on the base config: means with 95% intervals over seeds."""
    sides = [
        ("bfloat16 PPO", select(results.trainings, BASE), BLUE),
        (contender.words, contender_trainings(results, contender), ORANGE),
    ]
    with plt.rc_context(STYLE):
        figure, grid = plt.subplots(1, 2, figsize=(9.2, 2.8), layout="constrained")
        for axes, measure in zip(grid, ("success", "return")):
            for words, trainings, color in sides:
                draw_band(axes, trainings, measure, f"{words}, {count(len(trainings))}", color)
            draw_blind(axes, results, measure)
            name_axes(axes, measure)
            axes.set_title(f"{measure} on the base config")
            axes.set_xlabel("million steps")
        grid[0].legend(loc="lower right")
        save(figure, path)


def draw_band(axes: Axes, trainings: Sequence[Training], measure: str, label: str, color: str) -> None:
    curves = np.stack([each.own(measure) for each in trainings], axis=1)  # (evaluations, seeds)
    axes.plot(millions(trainings[0]), curves.mean(axis=1), color=color, linewidth=1.2, label=label)
    if len(trainings) > 1:
        low, high = np.array([student(row, rng=UNUSED)[1:] for row in curves]).T
        high = np.minimum(high, 1.0 if measure == "success" else 0.0)  # no value exceeds these
        axes.fill_between(millions(trainings[0]), low, high, color=color, alpha=0.2, linewidth=0)


def draw_all(results: Results, names: Sequence[str], folder: Path) -> None:
    """The figures of these names, which `page.figures_of` gives."""
    draws = {
        "kage-learning.png": draw_learning,
        "kage-doses.png": draw_doses,
        "kage-float32.png": lambda *both: draw_contender(both[0], FLOAT32, both[1]),
        "kage-augmented.png": lambda *both: draw_contender(both[0], WITH_AUGMENTATION, both[1]),
    }
    for name in names:
        draws[name](results, folder / name)
