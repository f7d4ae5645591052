"""`assay run`: the pairs of a suite, trained and evaluated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.catalogue import suite as named
from assay.cli import conducting as options
from assay.cli import executing
from assay.cli.output import tell
from assay.conduct.proving import with_proofs
from assay.suites.find import is_file, read

EXAMPLES = (
    "assay run playground/delay --agent tabular_q --seeds 1 --steps 2000 --episodes 20",
    "assay run playground/transition-noise --agent dqn --dry-run",
)


@executing.with_executor
def run(
    suite: Annotated[
        str, typer.Argument(help="A suite by name (`assay list suites`), or a YAML file of one.")
    ],
    agent: Annotated[
        str, typer.Option(help="dqn, tabular_q, random, mine:act, mine:train or sb3:model.zip.")
    ],
    seeds: Annotated[int | None, typer.Option(help="How many seeds.", show_default="the suite's")] = None,
    episodes: Annotated[
        int | None, typer.Option(help="Episodes of evaluation per task.", show_default="the suite's")
    ] = None,
    steps: options.Steps = None,
    settings: options.Settings = None,
    first_seed: Annotated[int, typer.Option(help="The first seed.", min=0)] = 0,
    max_steps: options.MaxSteps = None,
    trust: options.Trust = False,
    transcripts: options.Transcripts = False,
    executor: executing.Chosen = None,
    out: options.Out = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Run a suite: train on one task of each pair, evaluate on both, for every seed."""
    from assay.plans.make_plan import suite_plan

    chosen = read(Path(suite)) if is_file(suite) else named(suite)
    plan = suite_plan(
        chosen, agent, seeds=seeds, first_seed=first_seed, episodes=episodes,
        settings=options.settings(settings, steps), trust=trust, max_steps=max_steps,
        transcripts=transcripts,
    )  # fmt: skip
    options.require_used(plan, trust=trust)
    if dry_run:
        return options.print_plan(plan, json, out)
    doer = executor()
    done, failed = options.do(with_proofs(plan, tell, refuses=False), out, doer)
    with done:
        options.tell_pairs(done, failed, json)
