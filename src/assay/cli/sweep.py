"""`assay sweep`: a dose curve of chosen axes at chosen levels, or a design over several settings at once."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from assay.cli.execution import execute
from assay.cli.option_groups import with_option_groups
from assay.cli.options import Agent, ExamOptions, Task, Work, known_axes, require_used
from assay.cli.output import tell
from assay.conduct.proving import with_proofs
from assay.errors import AssayError
from assay.plans.plan import Plan

EXAMPLES = (
    "assay sweep tabular_q toy/discrete --axis transition_noise=0.1 --seeds 5 --steps 1000 --out runs/second",
    "assay sweep random gym/CartPole-v1 --axis action.delay=1:4:1 --dry-run",
    "assay sweep dqn toy/discrete --design grid --over delay=0,4 --over agent.batch=16,32 --dry-run",
)


@with_option_groups
def run(
    agent: Agent,
    task: Task,
    *,
    axis: Annotated[
        list[str] | None,
        typer.Option(help="An axis and its levels, delay=1,2,4 or hue=0:180:20; may be repeated."),
    ] = None,
    design: Annotated[
        str,
        typer.Option(help="Vary several settings at once: grid, random or sobol.", show_default=False),
    ] = "",
    over: Annotated[
        list[str] | None,
        typer.Option(
            help="A setting that a design varies, delay=0,1,2 or agent.learning_rate=1e-5:1e-2:log; may be "
            "repeated."
        ),
    ] = None,
    points: Annotated[
        int | None, typer.Option(help="How many points a random or sobol design has.", show_default=False)
    ] = None,
    exam: ExamOptions,
    work: Work,
) -> None:
    """Try an agent over the levels of one axis or a few.

    The frozen agent plays every level. Where an axis changes the reward or the spaces, agents are trained at
    every level instead. An axis without levels takes those of the catalogue. With --design agents are trained
    anew at every point of a design over settings of the task and of the agent.
    """
    if bool(design) == bool(axis) or bool(over) != bool(design):
        raise AssayError(
            "sweep takes --axis delay=1,2,4, or --design grid with --over delay=0,1 --over agent.batch=16,32."
        )
    levels = parse_named(axis or [], "--axis")
    known_axes(task, list(levels) or None)  # before anything slow is loaded
    from assay.plans.make_plan import design_plan, sweep_plan

    asked = exam.plan_arguments()
    if design:
        over_levels = parse_named(over or [], "--over")
        plan: Plan = design_plan(agent, task, over_levels, design, points, trust=exam.trust, **asked)
    elif points is not None:
        raise AssayError("--points is for a random or sobol design; with --axis, list the levels themselves.")
    else:
        plan = sweep_plan(agent, task, levels, margin=exam.margin, trust=exam.trust, **asked)
    require_used(plan, exam.trust, exam.unproved)
    execute(plan, work, partial(with_proofs, tell=tell, unproved=exam.unproved))


def parse_named(written: list[str], option: str) -> dict[str, str]:
    """The values by name, from texts `name=values`; a name that is given twice is refused."""
    values_by_name: dict[str, str] = {}
    for each in written:
        name, _, values = each.partition("=")
        if name in values_by_name:
            raise AssayError(f"{name} is given twice; put its levels together: {option} {name}=1,2,4.")
        values_by_name[name] = values
    return values_by_name
