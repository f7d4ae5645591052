"""Runs the experiments of docs/results/playground.md and prints their tables as Markdown.

    .venv/bin/python benchmarks/playground_results.py runs/playground [seeds]

Each suite is a run of its own in the folder; finished ones are only read again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

AGENTS = ("dqn", "tabular_q")
SUITES = ("delay", "sequence-length", "transition-noise", "reward-noise", "reward-density",
          "irrelevant-features")  # fmt: skip
COLUMNS = {
    "learning (AUC)": "area",
    "of the optimum": "area_share",
    "noise-free rollouts (AUC)": "rollout",
    "final score": "trained",
}


def assay(*words: object) -> None:
    subprocess.run([Path(sys.executable).with_name("assay"), *map(str, words)], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip


def found(folder: Path, agent: str, suite: str, seeds: str) -> dict:
    """The report of one suite, BCa intervals with Bonferroni's correction, as the paper has them."""
    run = folder / f"{agent}-{suite}"
    more = ["--seeds", seeds] if seeds else []
    assay("run", f"playground/{suite}", "--agent", agent, "--out", run, *more)
    assay("report", run, "--intervals", "bca", "--format", "json", "--to", run)
    return json.loads((run / "report.json").read_text())


def table(told: dict) -> str:
    rows = told["findings"]
    columns = {name: key for name, key in COLUMNS.items() if any(row.get(key) for row in rows)}
    lines = ["| level | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for row in rows:
        level = ", ".join(f"{name}={value}" for name, value in row["point"].items())
        lines.append(f"| `{level}` | " + " | ".join(shown(row[key], key) for key in columns.values()) + " |")
    return "\n".join(lines)


def shown(interval: dict | list | None, key: str) -> str:
    if interval is None:
        return "-"
    value, low, high = interval.values() if isinstance(interval, dict) else interval
    digits = 2 if key.endswith("share") else 1
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def main(folder: str, seeds: str = "") -> None:
    for suite in SUITES:
        for agent in AGENTS:
            told = found(Path(folder), agent, suite, seeds)
            cost = f"{told['wall_s'] / 60:.1f} min, {told['cpu_s'] / 60:.1f} CPU-min"
            print(f"\n### {suite}, {agent} ({len(told['seeds'])} seeds; {cost})\n\n{table(told)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
