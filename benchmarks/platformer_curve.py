"""Draws frames per second of the platformer by the number of lanes: docs/images/platformer-lanes.png.

    assay bench platformer/curve --json > benchmarks/platformer/lanes-cpu.json     (on a CPU)
    assay bench platformer/curve --json > benchmarks/platformer/lanes-gpu.json     (on a GPU)
    .venv/bin/python benchmarks/platformer_curve.py

On a GPU a frame counts when it is stored, on a CPU when every byte of it was added up, per CPU-second. Points
of KAGE-Env were measured on the same machines, not in the same run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
PICTURE = HERE.parent / "docs" / "images" / "platformer-lanes.png"
COLORS = {"easy": "#0072b2", "hard": "#d55e00"}  # told apart by the colour-blind too
PANELS = (("lanes-gpu.json", "One NVIDIA H200", "steps_per_second", "frames per second"),
          ("lanes-cpu.json", "CPU", "steps_per_cpu_second", "frames per CPU-second"))  # fmt: skip
KAGE_ENV: Mapping[str, Mapping[str, Mapping[int, float]]] = {
    "lanes-gpu.json": {"easy": {2**16: 8.37e6}, "hard": {2**10: 5.7e3, 2**12: 5.7e3, 2**14: 5.7e3}},
    "lanes-cpu.json": {
        "easy": {1: 21.3e3, 16: 17.8e3, 128: 10.7e3, 1024: 10.1e3},
        "hard": {1: 6.3, 16: 8.7, 128: 7.3},
    },
}


# Lines were "hardest, 128 lanes" when the first of these files were made.
LINE = re.compile(r"(.+?), ([\d,]+) (?:lanes|envs? at once)")
HARD = ("hardest", "everything on")


def read_curves(path: Path, field: str) -> dict[str, dict[int, float]]:
    """By "easy" and "hard": the rate at each number of lanes; where memory ended there is none."""
    curves: dict[str, dict[int, float]] = {"easy": {}, "hard": {}}
    for figure in json.loads(path.read_text())["figures"]:
        name, lanes = LINE.fullmatch(figure["name"]).groups()
        if figure[field]:
            curves["hard" if name in HARD else "easy"][int(lanes.replace(",", ""))] = figure[field]
    return curves


def draw() -> None:
    panels = [panel for panel in PANELS if (HERE / "platformer" / panel[0]).exists()]
    figure, places = plt.subplots(1, len(panels), figsize=(5.2 * len(panels), 4.2), squeeze=False)
    for axes, (name, title, field, unit) in zip(places[0], panels):
        for kind, curve in read_curves(HERE / "platformer" / name, field).items():
            said = "plain task" if kind == "easy" else "everything on"
            # Two points far apart show no course between them.
            line = "o-" if all(lanes == 1 or lanes // 2 in curve for lanes in curve) else "o"
            axes.plot(*zip(*sorted(curve.items())), line, color=COLORS[kind], ms=4, label=f"assay, {said}")
            theirs = sorted(KAGE_ENV[name][kind].items())
            axes.plot(*zip(*theirs), "x--", color=COLORS[kind], ms=6, lw=1, label=f"KAGE-Env, {said}")
        axes.set(xscale="log", yscale="log", title=title, xlabel="lanes", ylabel=unit)
        axes.set_xscale("log", base=2)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    draw()
