"""One figure for every experiment, in the paper's form: bars with intervals, or maps of two settings."""

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
from PIL import Image

from .experiments import Experiment
from .records import Record
from .tables import interval_of

COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")  # Okabe and Ito's
STYLE: Any = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#e6e6e6", "grid.linewidth": 0.6, "axes.axisbelow": True, "legend.frameon": False,
    "figure.facecolor": "white", "axes.titlesize": 9, "axes.titlelocation": "left",
}  # fmt: skip
DPI, PALETTE = 110, 96
SEEN = 0.08  # of a bar's height: room above the longest whisker


def name_of(experiment: Experiment) -> str:
    return f"playground-{experiment.suite}.png"


def draw(experiment: Experiment, records: Sequence[Record], folder: Path) -> None:
    two = len(records[0].levels[0].point) == 2
    with plt.rc_context(STYLE):
        if two:
            draw_maps(records, folder / name_of(experiment))
        else:
            draw_bars(records, folder / name_of(experiment))


def draw_bars(records: Sequence[Record], path: Path) -> None:
    """A panel for every agent: learning by level, and rollouts without noise where there are any."""
    columns = min(3, len(records))
    rows = -(-len(records) // columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(3.1 * columns, 2.4 * rows), squeeze=False, sharey=True, layout="constrained"
    )
    for axes, record, color in zip(grid.flat, records, COLORS):
        measures = [name for name in ("area", "rollout") if record.levels[0].units.get(name)]
        for place, measure in enumerate(measures):
            bars(axes, record, measure, place, len(measures), color)
        axes.set_title(f"{record.agent}, {len(record.seeds)} seeds")
        labels = [short(each.point) for each in record.levels]
        axes.set_xticks(range(len(labels)), labels, rotation=0 if max(map(len, labels)) < 7 else 30)
        axes.set_xlabel(next(iter(record.levels[0].point), ""))
        axes.grid(axis="x", visible=False)
    for axes in list(grid.flat)[len(records) :]:
        axes.set_visible(False)
    for row in grid:
        row[0].set_ylabel("score, mean over training")
    save(figure, path)


def bars(axes: Axes, record: Record, measure: str, place: int, of: int, color: str) -> None:
    found = [interval_of(np.array(each.units[measure]), len(record.levels)) for each in record.levels]
    means = np.array([each.value for each in found])
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    low, high = np.where(np.isfinite(low), low, means), np.where(np.isfinite(high), high, means)
    width = 0.8 / of
    where = np.arange(len(means)) + (place - (of - 1) / 2) * width
    axes.bar(where, means, width * 0.94, color=color, alpha=1.0 if place == 0 else 0.45,
             label="training" if place == 0 else "rollouts without noise")  # fmt: skip
    axes.errorbar(where, means, [means - low, high - means], fmt="none", ecolor="#333333", capsize=2, lw=1)
    if of > 1 and place == of - 1:
        axes.legend(fontsize=7, loc="upper right")


def short(point: Any) -> str:
    words = ["none" if value is None else str(value) for value in point.values()]
    return ", ".join(words).replace("[", "").replace("]", "")


def draw_maps(records: Sequence[Record], path: Path) -> None:
    """For every agent the mean over seeds and, below it, the spread."""
    figure, grid = plt.subplots(
        2, len(records), figsize=(3.4 * len(records), 5.2), squeeze=False, layout="constrained"
    )
    for column, record in enumerate(records):
        down, across = list(record.levels[0].point)
        rows = list(dict.fromkeys(each.point[down] for each in record.levels))
        columns = list(dict.fromkeys(each.point[across] for each in record.levels))
        cells = {(each.point[down], each.point[across]): each.units["area"] for each in record.levels}
        for axes, what, of in zip(grid[:, column], ("mean", "standard deviation"), (np.mean, np.std)):
            values = np.array([[float(of(cells[row, each])) for each in columns] for row in rows])
            image = axes.imshow(values, cmap="viridis", aspect="auto")
            axes.set_xticks(range(len(columns)), list(map(str, columns)))
            axes.set_yticks(range(len(rows)), list(map(str, rows)))
            axes.set_title(f"{record.agent}, {what}, {len(record.seeds)} seeds")
            axes.set_xlabel(across)
            axes.set_ylabel(down if column == 0 else "")
            axes.grid(visible=False)
            figure.colorbar(image, ax=axes, shrink=0.85)
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """With a small palette, which halves the file and cannot be seen."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=DPI, format="png")
    plt.close(figure)
    image = Image.open(drawn).convert("RGB").quantize(PALETTE, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
