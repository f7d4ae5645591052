"""`assay sweep`: a dose curve of chosen axes at chosen levels, with its break point."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli import conducting as options
from assay.errors import AssayError

EXAMPLES = (
    "assay sweep tabular_q toy/discrete --axis transition_noise=0.1 --seeds 5 --steps 1000 --out runs/second",
    "assay sweep random gym/CartPole-v1 --axis action.delay=1:4:1 --dry-run",
)


def run(
    agent: options.Agent,
    task: options.Task,
    axis: Annotated[
        list[str], typer.Option(help="An axis and its levels: delay=1,2,4 or hue=0:180:20; again for more.")
    ],
    seeds: options.Seeds = None,
    episodes: options.Episodes = None,
    steps: options.Steps = None,
    settings: options.Settings = None,
    margin: options.Margin = 0.1,
    first_seed: Annotated[int, typer.Option(help="The first seed.", min=0)] = 0,
    trust: options.Trust = False,
    workers: options.Workers = 0,
    out: options.Out = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Try an agent over the levels of one axis or a few.

    An axis of the reward, or one that changes the spaces, is trained under at every level; any other is put
    to the frozen agent. An axis without levels takes those of the catalogue.
    """
    axes: dict[str, str] = {}
    for each in axis:
        name, _, levels = each.partition("=")
        if name in axes:
            raise AssayError(f"{name} is given twice; put its levels together: --axis {name}=1,2,4.")
        axes[name] = levels
    from assay.runs.request import sweep_plan

    plan = sweep_plan(
        agent, task, axes, margin=margin, seeds=seeds, first_seed=first_seed, episodes=episodes,
        settings=options.settings(settings, steps), trust=trust,
    )  # fmt: skip
    if dry_run:
        return options.print_plan(plan, json, out)
    done, failed = options.do(plan, out, workers)
    with done:
        options.tell_exam(done, failed, json)
