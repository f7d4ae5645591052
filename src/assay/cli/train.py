"""`assay train`: agents trained on one task, their weights and curves kept."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli import conducting as options
from assay.cli import executing

EXAMPLES = (
    "assay train tabular_q toy/discrete --seeds 5 --steps 2000",
    "assay train dqn toy/discrete+delay=2 --seeds 5 --set learning_rate=0.0005 --dry-run",
)


@executing.with_executor
def run(
    agent: options.Agent,
    task: options.Task,
    seeds: options.Seeds = None,
    episodes: options.Episodes = None,
    steps: options.Steps = None,
    settings: options.Settings = None,
    first_seed: Annotated[int, typer.Option(help="The first seed.", min=0)] = 0,
    max_steps: options.MaxSteps = None,
    transcripts: options.Transcripts = False,
    executor: executing.Chosen = None,
    out: options.Out = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Train an agent on a task, seed by seed, and say how well it does there."""
    from assay.plans.make_plan import train_plan

    plan = train_plan(
        agent, task, seeds=seeds, first_seed=first_seed, episodes=episodes,
        settings=options.settings(settings, steps), max_steps=max_steps,
        transcripts=transcripts,
    )  # fmt: skip
    if dry_run:
        return options.print_plan(plan, json, out)
    doer = executor()
    done, failed = options.do(plan, out, doer)
    with done:
        options.tell_pairs(done, failed, json)
