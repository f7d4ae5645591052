"""Makes docs/results/kage.md of the trainings in benchmarks/kage/.

    .venv/bin/python benchmarks/kage_tables.py

Pairs whose training appearance has no file yet are named as missing. The paper's figures are those of its
Table 3, as printed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.stats.rank import spearman
from assay.suites import kage

FOLDER, PAGE = Path(__file__).parent / "kage", Path(__file__).parents[1] / "docs/results/kage.md"
INTRO = """
Made by `benchmarks/kage_tables.py` of the files in `benchmarks/kage/`, which `benchmarks/kage_results.py`
leaves: PPO with the settings of KAGE-Bench (25 M steps, 128 envs, `assay list ppo`), products in bfloat16,
time limits bootstrapped, one NVIDIA H200, JAX 0.11.2. Evaluated every 50 iterations and at the end on 128
episodes, actions drawn, the same levels for every appearance. Backgrounds and skins are assay's own, not
those of KAGE-Env. Frames were drawn by a GPU kernel that this version does not have yet; compared with the
renderer's on 64 lanes after 40 steps, its bytes are the same, but one in a million by one under lights.
"""
HOW = """
As in the paper, the largest value over training of each measure for itself, mean ± standard error over seeds;
a maximum over noisy evaluations is too good, on both sides. *Sparse* takes every sixth evaluation, as many as
the paper has; *once*: success at any step; *final*: after training. The last three columns are the paper's.
"""
DIGITS = {"progress": 2, "success": 2}
SPARSE = 6  # the paper evaluates every 300 iterations, we every 50
MEASURES = {
    "passed_distance": "Δ dist., %",
    "progress": "Δ prog., %",
    "success": "Δ SR, %",
    "return": "Δ return",
}
# Success on the train and the eval config, gaps of distance, progress and success in percent, and of return.
PAPER: dict[str, tuple[float, ...]] = {
    "agent_appearance 1": (0.70, 0.49, 2.8, 2.6, 30.0, 189.7),
    "agent_appearance 2": (0.99, 0.85, 2.1, 2.0, 14.1, 52.5),
    "agent_appearance 3": (0.80, 0.55, 3.1, 3.6, 31.3, 125.3),
    "agent_appearance 4": (0.70, 0.55, 3.0, 2.7, 21.4, 84.2),
    "agent_appearance 5": (0.60, 0.55, 1.0, 1.4, 8.3, 128.7),
    "background 1": (0.90, 0.01, 72.8, 73.1, 98.9, 1867.3),
    "background 2": (0.90, 0.07, 59.6, 59.8, 92.2, 1591.3),
    "background 3": (0.90, 0.01, 61.2, 61.3, 98.9, 1611.1),
    "background 4": (0.80, 0.65, 2.0, 2.4, 18.8, 50.6),
    "background 5": (0.90, 0.06, 50.2, 50.5, 93.3, 1266.6),
    "background 6": (0.94, 0.85, 1.4, 2.0, 9.6, 170.1),
    "background 7": (0.77, 0.78, 0.0, 0.0, -1.3, 22.7),
    "background 8": (0.95, 0.01, 55.9, 56.4, 99.0, 1463.7),
    "background 9": (0.97, 0.89, 1.3, 2.0, 8.3, 167.9),
    "background 10": (0.97, 0.98, -0.1, 0.0, -1.0, 9.0),
    "distractors 1": (0.70, 0.69, 0.6, 0.0, 1.4, 14.4),
    "distractors 2": (0.80, 0.80, 0.1, 0.0, 0.0, 0.6),
    "distractors 3": (0.70, 0.48, 5.0, 5.4, 31.4, 176.7),
    "distractors 4": (0.90, 0.77, 1.5, 1.1, 14.4, 48.9),
    "distractors 5": (0.75, 0.06, 12.8, 13.3, 92.0, 418.4),
    "distractors 6": (0.99, 0.57, 3.9, 3.9, 42.4, 116.0),
    "effects 1": (0.77, 0.22, 14.5, 14.1, 71.4, 384.6),
    "effects 2": (0.80, 0.22, 21.6, 21.7, 72.5, 479.2),
    "effects 3": (0.89, 0.04, 25.8, 25.8, 95.5, 638.5),
    "filters 1": (0.90, 0.04, 20.3, 20.4, 95.6, 506.9),
    "filters 2": (0.94, 0.08, 18.0, 18.6, 91.5, 523.6),
    "filters 3": (1.00, 0.02, 12.6, 12.8, 98.0, 503.3),
    "filters 4": (0.86, 0.01, 23.5, 23.7, 98.8, 727.9),
    "filters 5": (0.80, 0.07, -3.4, -3.6, 91.3, 283.1),
    "filters 6": (0.90, 0.13, 6.4, 6.5, 85.6, 210.3),
    "filters 7": (0.67, 0.44, 6.6, 6.6, 34.3, 166.8),
    "filters 8": (0.80, 0.16, 2.2, 2.4, 80.0, 526.0),
    "filters 9": (0.60, 0.01, 17.1, 16.7, 98.3, 490.6),
    "layout 1": (0.86, 0.32, 4.0, 3.3, 62.8, 160.9),
}


class Training(NamedTuple):
    """One file: by measure the means, (evaluations, tasks)."""

    seed: int
    seconds: float
    tasks: list[str]
    means: dict[str, np.ndarray]

    def column(self, measure: str, task: str) -> np.ndarray:
        return self.means[measure][:, self.tasks.index(task)]


def read(path: Path) -> Training:
    told: dict[str, Any] = json.loads(path.read_text())
    names = [name for name in told["evaluations"][0] if name not in ("iteration", "steps")]
    means = {name: np.array([[m for m, _ in row[name]] for row in told["evaluations"]]) for name in names}
    return Training(told["seed"], told["seconds"], told["tasks"], means)


def trainings() -> dict[str, list[Training]]:
    """By training task; trainings in another precision are compared elsewhere."""
    found: dict[str, list[Training]] = {}
    for path in sorted(FOLDER.glob("*.json")):
        if "float32" not in path.name:
            one = read(path)
            found.setdefault(one.tasks[0], []).append(one)
    return found


def gap(measure: str, plain: np.ndarray, varied: np.ndarray) -> np.ndarray:
    """Per seed; a share of the plain value in percent, except that of the return, which is a difference."""
    return plain - varied if measure == "return" else 100 * (plain - varied) / plain


def largest(one: Training, measure: str, task: str, every: int = 1) -> float:
    column = one.column(measure, task)
    return float(np.concatenate([column[::every], column[-1:]]).max())


def spread(values: np.ndarray, digits: int) -> str:
    """Mean and standard error over seeds."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():.{digits}f} ± {error:.{digits}f}"


def pair_rows(known: dict[str, list[Training]]) -> tuple[list[str], list[str], dict[str, np.ndarray]]:
    rows, missing, success_gaps = [], [], {}
    for pair in kage.ALL:
        if pair.train not in known:
            missing.append(pair.name)
            continue
        ones = known[pair.train]

        def of(measure: str, task: str, every: int = 1, ones: list[Training] = ones) -> np.ndarray:
            return np.array([largest(one, measure, task, every) for one in ones])

        gaps = {m: gap(m, of(m, pair.train), of(m, pair.evaluate)) for m in MEASURES}
        success_gaps[pair.name] = gaps["success"]
        final = [
            np.array([one.column("success", task)[-1] for one in ones])
            for task in (pair.train, pair.evaluate)
        ]
        paper = PAPER[pair.name]
        cells = [
            pair.name,
            str(len(ones)),
            spread(of("success", pair.train), 2),
            spread(of("success", pair.evaluate), 2),
            *(spread(gaps[m], 0 if m == "return" else 1) for m in MEASURES),
            spread(of("success", pair.evaluate, SPARSE), 2),
            spread(of("success_once", pair.evaluate), 2),
            *(spread(each, 2) for each in final),
            f"{paper[0]:.2f}",
            f"{paper[1]:.2f}",
            f"{paper[4]:.1f}",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows, missing, success_gaps


def dose_rows(known: dict[str, list[Training]], name: str) -> list[str]:
    doses = kage.DOSES[name][2]
    suite = next(each for each in kage.SUITES if each.name == f"kage/{name}")
    if suite.pairs[0].train not in known:
        return []
    rows = []
    for dose, pair in zip(doses, suite.pairs):
        ones = known[pair.train]
        cells = [
            spread(
                np.array([largest(one, measure, pair.evaluate) for one in ones]),
                2 if measure == "success" else 1,
            )
            if measure != "progress"
            else spread(np.array([largest(one, measure, pair.evaluate) for one in ones]), 2)
            for measure in MEASURES
        ]
        rows.append(f"| {dose} | " + " | ".join(cells) + " |")
    return rows


def rank_line(gaps: dict[str, np.ndarray]) -> str:
    """Spearman's rho of our success gaps with the paper's; only our seeds can be resampled."""
    names, seeds = list(gaps), min(map(len, gaps.values()))
    ours = np.stack([gaps[name][:seeds] for name in names], 1)
    theirs = np.array([[PAPER[name][4] for name in names]] * 2)
    rho = spearman(ours, theirs, rng=np.random.default_rng(0)).rho
    return (
        f"Spearman's correlation of our success gaps with the paper's over {len(names)} pairs: "
        f"{rho.value:.2f} [{rho.low:.2f}, {rho.high:.2f}], {seeds} seeds of ours resampled."
    )


def page() -> str:
    known = trainings()
    rows, missing, gaps = pair_rows(known)
    head = [f"{len(ones)} of {task}" for task, ones in known.items()]
    failed = [
        f"{task}, seed {one.seed}" for task, ones in known.items() for one in ones
        if one.column("success", task)[-1] < 0.5
    ]  # fmt: skip
    seconds = [one.seconds for ones in known.values() for one in ones]
    parts = [
        "# KAGE-Bench: PPO on pictures",
        "",
        " ".join(INTRO.split()),
        "",
        f"Trainings so far: {'; '.join(head)}; {min(seconds):.0f} to {max(seconds):.0f} s each with their "
        "evaluations. "
        f"Final success below 0.5 on what it was trained on: {', '.join(failed) or 'none'}.",
        f"Not trained yet: {', '.join(missing) or 'nothing'}.",
        "",
        "## Pairs",
        "",
        " ".join(HOW.split()),
        "",
        "| pair | seeds | SR train | SR eval | " + " | ".join(MEASURES.values())
        + " | SR eval, sparse | once | final train | final eval | paper train | paper eval | paper Δ SR |",
        "|" + "---|" * 15,
        *rows,
        "",
        rank_line(gaps),
    ]  # fmt: skip
    for name, (asks, _, _) in kage.DOSES.items():
        parts += ["", f"## {name}", "", asks[0].upper() + asks[1:], ""]
        doses = dose_rows(known, name)
        parts += [
            "| dose | distance | progress | success | return |", "|---|---|---|---|---|", *doses,
        ] if doses else ["Not trained yet."]  # fmt: skip
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
