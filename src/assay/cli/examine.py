"""`assay examine`: which change of its world breaks an agent, from which level on, and how sure that is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.execution import execute
from assay.cli.option_groups import with_option_groups
from assay.cli.options import AGENTS, ExamOptions, Task, Work, known_axes, require_used
from assay.cli.output import Progress, tell
from assay.conduct.proving import with_proofs
from assay.errors import AssayError, NotApplicable
from assay.plans.defaults import LEVELS as DEFAULT_LEVELS
from assay.plans.question import CARRY

if TYPE_CHECKING:
    from assay.plans.plan import ExamPlan
    from assay.plans.shift_request import ShiftRequest

EXAMPLES = (
    "assay examine tabular_q toy/discrete --axes transition_noise --seeds 5 --steps 2000 --out runs/first",
    "assay examine random gym/CartPole-v1 --axes action.delay --episodes 10",
    "assay examine dqn toy/discrete --dry-run",
)
TRAINED = "run:"  # before the folder of `assay train`
LEVELS = ("strongest", "all")


@with_option_groups
def run(
    agent: Annotated[
        str, typer.Argument(help=f"An agent: {AGENTS}; or run:FOLDER, which `assay train` made.")
    ],
    task: Task,
    *,
    axes: Annotated[
        list[str] | None,
        typer.Option(
            help="Try only these axes, separated by commas; may be repeated.", show_default="all axes"
        ),
    ] = None,
    levels: Annotated[
        str, typer.Option(help="Levels of reward axes that agents are trained under: strongest or all.")
    ] = DEFAULT_LEVELS,
    retrain: Annotated[
        bool,
        typer.Option(
            "--retrain",
            help="Also train agents where an axis changes the spaces or what is asked, which frozen "
            "agents cannot try.",
        ),
    ] = False,
    shift: Annotated[
        bool,
        typer.Option(
            "--shift",
            help="Also compare the agent's choices in the same states, plain and varied (`assay shift`).",
        ),
    ] = False,
    exam: ExamOptions,
    work: Work,
) -> None:
    """Try every axis of a task on an agent, and say which of them break it.

    An agent of assay's own is trained first, one per seed; a given agent is tried as it is. The agent is then
    frozen and plays every axis that can change its score, in pairs with the plain task. Under reward axes,
    which a frozen agent cannot feel, new agents are trained and scored by the plain reward. The verdict is
    printed, and a report is written beside the records.
    """
    if levels not in LEVELS:
        raise AssayError(f"--levels is {' or '.join(LEVELS)}, not {levels!r}.")
    only = known_axes(task, axes)  # before anything slow is loaded
    from assay.plans.make_plan import exam_plan
    from assay.plans.of_trained import exam_of_trained

    make_plan = exam_of_trained if agent.startswith(TRAINED) else exam_plan
    plan = make_plan(
        agent.removeprefix(TRAINED), task, margin=exam.margin, only=only, all_levels=levels == "all",
        retrain=retrain, trust=exam.trust, **exam.plan_arguments(),
    )  # fmt: skip
    require_used(plan, exam.trust, exam.unproved, retrain=retrain, all_levels=levels == "all")
    add = partial(measure_exam, request=request_of_exam(plan), work=work) if shift else None
    execute(plan, work, partial(with_proofs, tell=tell, unproved=exam.unproved), add)


def request_of_exam(plan: ExamPlan) -> ShiftRequest:
    """The shift under those axes of an exam that touch the observation alone."""
    from assay.plans.shift_request import OBSERVATION, require_teller, shift_request

    axes = [each.axis for each in plan.questions if each.arm == CARRY and each.components == OBSERVATION]
    if not axes:
        raise NotApplicable(
            "--shift compares renderings of one state, and no axis of this exam touches the observation "
            "alone; drop it."
        )
    request = shift_request(plan.task, axes)
    require_teller(plan.agent, plan.settings, plan.task)
    return request


def measure_exam(run: Any, request: ShiftRequest, work: Work) -> None:
    """Measures the shift of a finished exam, whose report then shows it."""
    from assay.cli.shift import say_cost
    from assay.door.shift import conclude_shift
    from assay.plans.plan import plan_of

    say_cost(plan_of(run), request, work, is_trained=True)
    progress = Progress()
    conclude_shift(run, request, progress)
    progress.close()
