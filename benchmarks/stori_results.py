"""Runs the experiments of docs/results/stori.md, and keeps what the page needs of them in benchmarks/stori/.

    .venv/bin/python benchmarks/stori_results.py runs/stori [--only dqn-breakout,ram] [--read]
    .venv/bin/python benchmarks/stori_page.py     # the page and its figures, from the kept files alone

Every study is a run of its own in the folder. One that was stopped goes on where it stood, finished ones are
only read again, and what is finished of one is kept (`--read` keeps it and starts nothing). Give small
versions (`--steps 2000 --episodes 2`) another `--keep` folder. Trainings take one core each; on machines with
several, XLA_FLAGS=--xla_cpu_multi_thread_eigen=false and `taskset -c 0` make them cost least CPU time, and
MALLOC_MMAP_THRESHOLD_=4000000000 with MALLOC_TRIM_THRESHOLD_=8000000000 halves the cost of an update.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.results import Job, Run, open_run
from assay.results.record import COUNTED
from assay.suites.stori import GAMES, task_of

HERE = Path(__file__).parent
KEPT = HERE / "stori"
LIMIT = ("--max-steps", "2000")
VERSIONS = ("assay", "jax", "numpy", "ale-py", "python")
# The suites' own recipe, but a cheaper network, and fewer and smaller batches.
PICTURES = {
    "replay": 50_000, "clip": "true",
    "network": "small_convolutions", "batch": 16, "steps_per_update": 8, "learning_rate": 0.0005,
    "target_every": 2000, "double": "true", "explore_last": 0.02, "epsilon": 0.05, "report_every": 2000,
}  # fmt: skip
MEMORY = {
    "hidden": "[128,128]", "activation": "relu", "batch": 32, "learning_rate": 0.00025, "target_every": 1000,
    "double": "true", "explore_last": 0.02, "epsilon": 0.05, "report_every": 2000, "clip": "true",
}  # fmt: skip


def settings(values: dict[str, Any]) -> tuple[str, ...]:
    return tuple(word for name, value in values.items() for word in ("--set", f"{name}={value}"))


DQN = ("--agent", "dqn", *settings(PICTURES), *LIMIT, "--seeds", "1")
# In order of importance: what comes last is what is missing where time was short.
STUDIES: dict[str, tuple[str, ...]] = {
    "dqn-breakout": ("stori/breakout", *DQN),
    "dqn-others": ("benchmarks/stori/others.yaml", *DQN),
    "dqn-breakout-7": ("stori/breakout", *DQN, "--first-seed", "7"),
    "single": ("benchmarks/stori/single.yaml", *DQN),
    **{
        name: (f"benchmarks/stori/{name}.yaml", "--agent", "dqn", *settings(MEMORY), *LIMIT)
        for name in ("ram-breakout", "ram")
    },
    **{
        f"random-{game.lower()}": (f"stori/{game.lower()}", "--agent", "random", *LIMIT, "--seeds", "1")
        for game in GAMES
    },
}
TASKS = {task_of(game, preset): (game, kind) for game in GAMES for kind, preset in GAMES[game].items()}


def do_study(name: str, folder: Path, more: Sequence[str], words: Sequence[str]) -> None:
    command = [sys.executable, "-m", "assay", "run", *words, *more, "--out", str(folder / name)]
    print(name, flush=True)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def keep_run(run: Run, words: Sequence[str]) -> dict[str, Any]:
    """What is finished of a run: how it was made, and a cell for every job."""
    done = run.jobs(status="done")
    versions: dict[str, str] = dict(done[0].versions or {}) if done else {}
    told = {
        "command": " ".join(("assay", "run", *words)),
        "settings": run.plan["settings"],
        "versions": {name: versions[name] for name in VERSIONS if name in versions},
        "source": done[0].source_digest[:12] if done else "",
        "max_steps": run.plan["max_steps"],
        "jobs": len(run.jobs()),
    }
    return told | {"cells": [keep_job(run, job) for job in done]}


def keep_job(run: Run, job: Job) -> dict[str, Any]:
    played = run.episodes(job=job.id).to_pylist()
    game, preset = TASKS.get(job.train_task, ("", job.train_task))
    events: Counter[str] = Counter()
    for each in played:
        for name, times in json.loads(each["extra"]).items():
            if name.startswith(COUNTED):
                events[name.removeprefix(COUNTED)] += times
    return {
        "game": game, "preset": preset, "agent": job.agent, "seed": job.seed, "steps": job.budget,
        "cpu_s": round(job.cpu_s or 0, 1), "wall_s": round(job.wall_s or 0, 1),
        # What was paid, as in the paper. It is the score too, but older records count there what events
        # of type 2.1 took back.
        "scores": [number(each["return"]) for each in played],
        "lengths": [each["steps"] for each in played],
        "cut": sum(each["truncated"] for each in played),
        "events": {name: round(times / len(played), 3) for name, times in events.items()},
        "curve": keep_curve(run, job),
    }  # fmt: skip


def keep_curve(run: Run, job: Job) -> list[list[float]]:
    """Steps, and the mean return of the episodes that ended in training since the point before."""
    if job.agent == "random":
        return []
    curve = run.curves(job=job.id).to_pylist()
    return [
        [each["step"], round(each["value"], 3)]
        for each in curve
        if each["name"] == "return" and np.isfinite(each["value"])
    ]


def number(value: float) -> float:
    return int(value) if value == int(value) else round(value, 3)


def write(path: Path, kept: dict[str, Any]) -> None:
    """A line for every cell, so that a change shows where it is."""
    cells = kept.pop("cells")
    text = json.dumps(kept, indent=1)
    rows = ",\n".join(json.dumps(each, separators=(",", ":")) for each in cells)
    path.write_text(text.removesuffix("\n}") + f',\n "cells": [\n{rows}\n ]\n}}\n')


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default=",".join(STUDIES))
    parser.add_argument("--steps", type=int, help="of training; by default the suite's 100,000")
    parser.add_argument("--episodes", type=int, help="of evaluation; by default the suite's 100")
    parser.add_argument("--read", action="store_true", help="keep what is finished, and start nothing")
    parser.add_argument("--keep", type=Path, default=KEPT)
    asked = parser.parse_args()
    more = ["--workers", "1"]
    for name in ("steps", "episodes"):
        more += [f"--{name}", str(getattr(asked, name))] if getattr(asked, name) else []
    asked.keep.mkdir(parents=True, exist_ok=True)
    for name in asked.only.split(","):
        if not asked.read:
            do_study(name, asked.folder, more, STUDIES[name])
        if (asked.folder / name).exists():
            with open_run(asked.folder / name) as run:
                write(asked.keep / f"{name}.json", keep_run(run, STUDIES[name]))


if __name__ == "__main__":
    main()
