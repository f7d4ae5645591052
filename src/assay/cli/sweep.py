"""`assay sweep`: a dose curve of chosen axes at chosen levels, or a design over several settings at once."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assay.cli import conducting as options
from assay.cli import executing
from assay.cli.output import tell
from assay.conduct.proving import with_proofs
from assay.errors import AssayError
from assay.plans.defaults import MARGIN
from assay.plans.plan import Plan

EXAMPLES = (
    "assay sweep tabular_q toy/discrete --axis transition_noise=0.1 --seeds 5 --steps 1000 --out runs/second",
    "assay sweep random gym/CartPole-v1 --axis action.delay=1:4:1 --dry-run",
    "assay sweep dqn toy/discrete --design grid --over delay=0,4 --over agent.batch=16,32 --dry-run",
)


@executing.with_executor
def run(
    agent: options.Agent,
    task: options.Task,
    axis: Annotated[
        list[str] | None,
        typer.Option(help="An axis and its levels: delay=1,2,4 or hue=0:180:20; again for more."),
    ] = None,
    design: Annotated[
        str,
        typer.Option(help="Points over several settings at once: grid, random or sobol.", show_default=False),
    ] = "",
    over: Annotated[
        list[str] | None,
        typer.Option(help="What a design varies: delay=0,1,2 or agent.learning_rate=1e-5:1e-2:log."),
    ] = None,
    points: Annotated[
        int | None, typer.Option(help="How many points a random or sobol design has.", show_default=False)
    ] = None,
    seeds: options.Seeds = None,
    episodes: options.Episodes = None,
    steps: options.Steps = None,
    settings: options.Settings = None,
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
    """Try an agent over the levels of one axis or a few.

    An axis of the reward, or one that changes the spaces, is trained under at every level; any other is put
    to the frozen agent. An axis without levels takes those of the catalogue. With --design the agent is
    trained anew at every point of a design over settings of the task and of the agent.
    """
    if bool(design) == bool(axis) or bool(over) != bool(design):
        raise AssayError(
            "sweep takes --axis delay=1,2,4, or --design grid with --over delay=0,1 --over agent.batch=16,32."
        )
    levels = parse_named(axis or [], "--axis")
    options.known_axes(task, list(levels) or None)  # before anything slow is loaded
    from assay.plans.make_plan import design_plan, sweep_plan

    asked: dict[str, Any] = {
        "seeds": seeds, "first_seed": first_seed, "episodes": episodes,
        "settings": options.settings(settings, steps), "trust": trust, "max_steps": max_steps,
        "transcripts": transcripts,
    }  # fmt: skip
    if design:
        plan: Plan = design_plan(agent, task, parse_named(over or [], "--over"), design, points, **asked)
    elif points is not None:
        raise AssayError("--points is for a random or sobol design; an axis has the levels that it is given.")
    else:
        plan = sweep_plan(agent, task, levels, margin=margin, **asked)
    options.require_used(plan, trust=trust, unproved=unproved)
    if dry_run:
        return options.print_plan(plan, json, out)
    doer = executor()
    done, failed = options.do(with_proofs(plan, tell, unproved), out, doer)
    with done:
        (options.tell_pairs if design else options.tell_exam)(done, failed, json)


def parse_named(written: list[str], option: str) -> dict[str, str]:
    """`name=values`, each name once."""
    found: dict[str, str] = {}
    for each in written:
        name, _, values = each.partition("=")
        if name in found:
            raise AssayError(f"{name} is given twice; put its levels together: {option} {name}=1,2,4.")
        found[name] = values
    return found
