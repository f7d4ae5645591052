"""Runs the experiments of docs/results/gohr.md, and keeps what the page needs of them in benchmarks/gohr/.

    .venv/bin/python benchmarks/gohr_results.py runs/gohr [--only paper,facets] [--workers 1]
    .venv/bin/python benchmarks/gohr_page.py     # the page and its figures, from the kept files alone

Each player of each study is a run of its own in the folder: one that was stopped goes on where it stood, and
finished ones are only read again. `--seeds 4` makes it small; give it another `--keep` folder then.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from assay.analysis.difficulty import Cell, find_difficulty
from assay.results import Run, open_run

HERE = Path(__file__).parent
KEPT = HERE / "gohr"
FACETS = "benchmarks/gohr/facets.yaml"
LEARNER = ("--agent", "linear_q", "--set")
EXAMINED = (
    "pieces,shapes,colors,assignment,crowded,merge_denials,hide_shape,hide_color,swap_buckets,metering,"
    "unmetered,line_order,priority,add_feature,horizon"
)
BOARDS = 20  # behind those references that are not exact


class Study(NamedTuple):
    """Runs that are read together: by name of its folder, the words of `assay run`."""

    runs: dict[str, tuple[str, ...]]
    draws: int  # resamples behind the bands
    has_curves: bool = False  # whether whole curves are kept, not only their ends


STUDIES = {
    "paper": Study(
        {f"linear_q-{each}": ("gohr/sample-4", *LEARNER, f"actions={each}") for each in ("all", "occupied")},
        50_000,
        has_curves=True,
    ),
    "benchmark": Study(
        {
            "benchmark-all": ("gohr/benchmark", *LEARNER, "actions=all"),
            "benchmark-occupied": ("gohr/benchmark", *LEARNER, "actions=occupied"),
            "benchmark-myopic": ("gohr/benchmark", *LEARNER, "actions=occupied", "--set", "discount=0"),
            "benchmark-random": ("gohr/benchmark", "--agent", "random", "--episodes", "200"),
        },
        2_000,
    ),
    "facets": Study({"facets": (FACETS, *LEARNER, "actions=all")}, 2_000),
}


def assay(*words: object) -> str:
    command = [sys.executable, "-m", "assay", *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def number(value: float) -> float:
    """Without a fraction where there is none, so that the file stays small."""
    return int(value) if value == int(value) else round(value, 2)


def numbers(values: Sequence[float]) -> list[float]:
    return [number(value) for value in values]


def keep_cell(cell: Cell, has_curves: bool) -> dict[str, Any]:
    first = 0 if has_curves else cell.episodes - 1
    return {
        "rule": cell.rule, "player": cell.player, "episodes": cell.episodes, "seeds": list(cell.seeds),
        "tce": numbers(cell.tce), "mastered": list(cell.mastered), "costs": numbers(cell.costs),
        "mastered_at": list(cell.mastered_at), "rising": list(cell.rising),
        "curve": {name: numbers(getattr(cell.curve, name)[first:]) for name in ("median", "low", "high")},
    }  # fmt: skip


def describe_run(run: Run, words: Sequence[str]) -> dict[str, Any]:
    """The command, settings, versions and cost of one run."""
    jobs = run.jobs()
    versions = next(job.versions for job in jobs if job.versions)
    kept = {name: versions[name] for name in ("assay", "jax", "numpy", "python") if name in versions}
    told = {"settings": run.plan["settings"], "seeds": len({job.seed for job in jobs}), "jobs": len(jobs)}
    cpu_s = sum(job.cpu_s or 0.0 for job in jobs)
    return {"command": " ".join(("assay", "run", *words)), **told, "versions": kept, "cpu_s": round(cpu_s, 1)}


def do_study(study: Study, folder: Path, more: Sequence[str]) -> dict[str, Any]:
    for name, words in study.runs.items():
        assay("run", *words, *more, "--out", folder / name)
    with ExitStack() as stack:
        runs = {name: stack.enter_context(open_run(folder / name)) for name in study.runs}
        found = find_difficulty(list(runs.values()), study.draws)
        told = [describe_run(run, study.runs[name]) for name, run in runs.items()]
    return {
        "draws": study.draws, "runs": told,
        "cells": [keep_cell(cell, study.has_curves) for cell in found.cells],
    }  # fmt: skip


def do_exam(folder: Path, more: Sequence[str]) -> dict[str, Any]:
    words = ("examine", "linear_q", "rules/b3_then_b1", "--set", "actions=occupied", "--axes", EXAMINED,
             "--seeds", "8")  # fmt: skip
    assay(*words, *more, "--out", folder / "exam")
    return {"command": " ".join(("assay", *words)), **keep_exam(folder / "exam" / "report.json")}


def keep_exam(report: Path) -> dict[str, Any]:
    """What an exam says of each axis, with its score, cost and versions."""
    told = json.loads(report.read_text())
    kept = {name: told[name] for name in ("headline", "units", "budget", "episodes", "coverage")}
    kept["versions"] = {name: told["versions"][name] for name in ("assay", "jax", "numpy", "python")}
    fields = ("axis", "word", "level", "side", "ordered", "effect", "whose")
    findings = [{name: each[name] for name in fields} for each in told["findings"]]
    return {**kept, "cpu_s": round(told["cpu_s"], 1), "cells": findings}


def do_references() -> dict[str, Any]:
    words = ("rules", "references", "--boards", str(BOARDS))
    return {"command": " ".join(("assay", *words)), **keep_references(json.loads(assay(*words, "--json")))}


def keep_references(found: list[dict[str, Any]]) -> dict[str, Any]:
    """By rule and set of actions, the errors of random play in an episode, and how they are known."""
    return {
        "random": {
            each["rule"]: {
                one["actions"]: [round(one["errors"]["value"], 3), one["errors"]["how"]]
                for one in each["random"]
            }
            for each in found
        }
    }


def write(path: Path, kept: dict[str, Any]) -> None:
    """A line for every cell, so that a change shows where it is."""
    cells = kept.pop("cells", None)
    text = json.dumps(kept, indent=1)
    if cells is not None:
        rows = ",\n".join(json.dumps(each, separators=(",", ":")) for each in cells)
        text = text.removesuffix("\n}") + f',\n "cells": [\n{rows}\n ]\n}}'
    path.write_text(text + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="paper,benchmark,references,facets,exam")
    parser.add_argument("--seeds", type=int, default=0, help="runs a cell; 0: as many as the study has")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=KEPT)
    asked = parser.parse_args()
    more = ["--workers", str(asked.workers)] + (["--seeds", str(asked.seeds)] if asked.seeds else [])
    asked.keep.mkdir(parents=True, exist_ok=True)
    for name in asked.only.split(","):
        if name == "references":
            kept = do_references()
        elif name == "exam":
            kept = do_exam(asked.folder, more[:2])
        else:
            kept = do_study(STUDIES[name], asked.folder, more)
        write(asked.keep / f"{name}.json", kept)


if __name__ == "__main__":
    main()
