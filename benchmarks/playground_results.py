"""Runs the experiments of MDP Playground with the agents that the paper names, and keeps what they find.

    .venv/bin/python benchmarks/playground_results.py [--only delay,time-unit] [--agents dqn] [--seconds 540]

Every experiment and agent leaves one small file in benchmarks/playground/, a number for each seed, level and
measure; those that are there are not run again. Runs themselves are kept in `--runs`, and go on from there
when they were stopped. `playground_tables.py` makes the page of the small files. Random play is run beside
the agents of every experiment.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
from playground_pages.experiments import EXPERIMENTS, RANDOM, Experiment
from playground_pages.records import FOLDER, KEPT, Level, Record, read, write

import assay
from assay.analysis.pairs import find_pairs
from assay.conduct.phases import conduct, open_or_create
from assay.conduct.proving import with_proofs
from assay.plans.make_plan import suite_plan
from assay.results import Run
from assay.runs.choose_executor import executor_of
from assay.suites.suite import Suite, with_settings

COMMAND = ("python", "benchmarks/playground_results.py")


def cpu_seconds() -> float:
    """Of this process and of its workers that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def run(experiment: Experiment, agent: str, seeds: int, folder: Path, workers: int, lanes: int) -> Record:
    """Does what is missing of one run, and sums it up."""
    settings = experiment.settings_of(agent)
    plan = suite_plan(assay.suite(f"playground/{experiment.suite}"), agent, seeds=seeds, settings=settings)
    began, spent = time.monotonic(), cpu_seconds()
    executor = executor_of(workers=workers, lanes=lanes or None)
    plan = with_proofs(plan, lambda *_: None, False)
    with open_or_create(plan, folder, COMMAND, folder.parent) as opened:
        failed = conduct(opened, executor)
        if failed:
            raise SystemExit(f"{experiment.suite} with {agent}: {failed[0]}")
        levels = tuple(levels_of(opened))
    return Record(
        experiment.suite, agent, settings, int(dict(plan.settings).get("steps", 0)), plan.seeds, levels,
        {"jax": jax.__version__, "numpy": np.__version__}, jax.devices()[0].device_kind,
        time.monotonic() - began, cpu_seconds() - spent,
    )  # fmt: skip


def suite_of(experiment: Experiment) -> Suite:
    """With the levels alone that the experiment keeps; games are seen as their memory, which costs least."""
    suite = assay.suite(f"playground/{experiment.suite}")
    if experiment.kept:
        suite = replace(suite, pairs=tuple(suite.pairs[each] for each in experiment.kept))
    return with_settings(suite, "observation=ram") if suite.pairs[0].train.startswith("atari/") else suite


def levels_of(run: Run) -> Iterator[Level]:
    for finding in find_pairs(run, "percentile"):
        units = {name: finding.units[name] for name in KEPT if name in finding.units}
        yield Level(finding.train, finding.evaluate, finding.point, units)


def players(experiment: Experiment) -> tuple[str, ...]:
    """Its agents, and random play where the suite is not about one agent's settings."""
    own = assay.suite(f"playground/{experiment.suite}").agent
    return experiment.agents if own else (*experiment.agents, RANDOM)


def is_done(experiment: Experiment, agent: str, seeds: int, folder: Path) -> bool:
    found = read(experiment.suite, agent, folder)
    return found is not None and len(found.seeds) >= seeds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="some experiments")
    parser.add_argument("--agents", default="", help="some agents")
    parser.add_argument("--seeds", type=int, default=0, help="fewer than the experiment's own")
    parser.add_argument("--seconds", type=float, default=1e9, help="after these nothing new is begun")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--lanes", type=int, default=0, help="seeds to a program")
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--runs", type=Path, default=Path("runs/playground"))
    asked = parser.parse_args()
    until = time.monotonic() + asked.seconds
    for experiment in EXPERIMENTS:
        for agent in players(experiment):
            wanted = not asked.only or experiment.suite in asked.only.split(",")
            if not wanted or (asked.agents and agent not in asked.agents.split(",")):
                continue
            seeds = min(asked.seeds or experiment.seeds, experiment.seeds)
            if is_done(experiment, agent, seeds, asked.out) or time.monotonic() > until:
                continue
            folder = asked.runs / f"{experiment.suite}-{agent}-{seeds}"
            record = run(experiment, agent, seeds, folder, asked.workers, asked.lanes)
            write(record, asked.out)
            print(f"{experiment.suite}, {agent}: {seeds} seeds, {record.seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
