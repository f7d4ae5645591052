"""`assay examine`: which change of its world breaks an agent, from which level on, and how sure that is."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli import conducting as options
from assay.cli import executing
from assay.cli.output import tell
from assay.conduct.proving import with_proofs
from assay.errors import AssayError
from assay.plans.defaults import LEVELS as DEFAULT_LEVELS
from assay.plans.defaults import MARGIN

EXAMPLES = (
    "assay examine tabular_q toy/discrete --axes transition_noise --seeds 5 --steps 2000 --out runs/first",
    "assay examine random gym/CartPole-v1 --axes action.delay --episodes 10",
    "assay examine dqn toy/discrete --dry-run",
)
TRAINED = "run:"  # before the folder of `assay train`
LEVELS = ("strongest", "all")


@executing.with_executor
def run(
    agent: options.Agent,
    task: options.Task,
    seeds: options.Seeds = None,
    episodes: options.Episodes = None,
    steps: options.Steps = None,
    settings: options.Settings = None,
    axes: Annotated[
        list[str] | None,
        typer.Option(help="Only these axes, with commas; may be given again.", show_default="all"),
    ] = None,
    levels: Annotated[
        str, typer.Option(help="Levels of the reward axes that are learned under: strongest or all.")
    ] = DEFAULT_LEVELS,
    retrain: Annotated[
        bool, typer.Option("--retrain", help="Also train where spaces or what is asked differ.")
    ] = False,
    margin: options.Margin = MARGIN,
    first_seed: Annotated[int, typer.Option(help="The first seed.", min=0)] = 0,
    max_steps: options.MaxSteps = None,
    trust: options.Trust = False,
    unproved: options.Unproved = False,
    transcripts: options.Transcripts = False,
    executor: executing.Chosen = None,
    out: options.Out = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Try every axis of a task on an agent, and say which break it.

    An agent of assay's own is trained first, seed by seed; a given one is tried as it is. Then it is frozen
    and played under every axis that can move it, paired with the plain task; and it is trained anew under
    every reward axis and scored by the plain reward. The verdict is printed, and a page written beside the
    records.
    """
    if levels not in LEVELS:
        raise AssayError(f"--levels is {' or '.join(LEVELS)}, not {levels!r}.")
    only = options.known_axes(task, axes)  # before anything slow is loaded
    from assay.plans.make_plan import exam_of_trained, exam_plan

    given = agent.startswith(TRAINED)
    plan = (exam_of_trained if given else exam_plan)(
        agent.removeprefix(TRAINED), task, margin=margin, only=only,
        all_levels=levels == "all", retrain=retrain, seeds=seeds, first_seed=first_seed, episodes=episodes,
        settings=options.settings(settings, steps), trust=trust, max_steps=max_steps,
        transcripts=transcripts,
    )  # fmt: skip
    options.require_used(plan, trust=trust, unproved=unproved, retrain=retrain, all_levels=levels == "all")
    if dry_run:
        return options.print_plan(plan, json, out)
    doer = executor()
    done, failed = options.do(with_proofs(plan, tell, unproved), out, doer)
    with done:
        options.tell_exam(done, failed, json)
