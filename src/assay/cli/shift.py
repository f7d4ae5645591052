"""`assay shift`: how far an agent's choices move when the states it visits look otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.cli.execution import RUNS, finish_run, typed_command
from assay.cli.option_groups import with_option_groups
from assay.cli.options import AGENTS, Task, Work, known_axes, parse_settings
from assay.cli.output import INDENT, Progress, print_json, print_table, print_text, tell
from assay.cli.progress import clock
from assay.cli.results import refuse_failed, shortest
from assay.errors import AssayError
from assay.plans.defaults import LEVELS, SHIFT_EPISODES, SHIFT_PICTURES, SHIFT_STATES

EXAMPLES = (
    "assay shift tabular_q toy/discrete --steps 2000 --axes observation.noise,aliased --out runs/shifted",
    "assay shift run:runs/first toy/discrete --axes aliased",
    "assay shift ppo platformer/run --dry-run",
)
TRAINED = "run:"  # before the folder of `assay train` or of an exam


@with_option_groups
def run(
    agent: Annotated[
        str, typer.Argument(help=f"An agent: {AGENTS}; or run:FOLDER, of `assay train` or of an exam.")
    ],
    task: Task,
    *,
    axes: Annotated[
        list[str] | None,
        typer.Option(
            help="Measure only these axes, separated by commas; may be repeated.",
            show_default="all axes that touch the observation alone",
        ),
    ] = None,
    levels: Annotated[str, typer.Option(help="Levels of every axis: strongest or all.")] = LEVELS,
    states: Annotated[int, typer.Option(help="States that are rendered twice, per policy.")] = SHIFT_STATES,
    episodes: Annotated[
        int, typer.Option(help="Plain episodes that the states are from, and episodes under each axis.")
    ] = SHIFT_EPISODES,
    pictures: Annotated[
        int, typer.Option(help="States to show: those where the choice changes most.")
    ] = SHIFT_PICTURES,
    seeds: Annotated[
        int | None, typer.Option(help="How many agents are trained, one per seed.", show_default="1")
    ] = None,
    first_seed: Annotated[int, typer.Option(help="The first seed; the others follow it.", min=0)] = 0,
    steps: Annotated[
        int | None, typer.Option(help="Env steps of training.", show_default="the agent's own")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the agent: --set greedy=true; may be repeated."),
    ] = None,
    work: Work,
) -> None:
    """Compare an agent's choices in the same states, plain and varied, axis by axis.

    The agent plays plain episodes. States of them are rendered twice, plain and as an axis of the observation
    makes them look, and the distributions of its actions are compared: total variation, KL divergence, and
    the share of states whose most likely action changes. Beside them stands what the axis costs in score,
    over the same episodes. An agent named is trained first; run:FOLDER takes those of a run, whose folder
    keeps the result.
    """
    if levels not in ("strongest", "all"):
        raise AssayError(f"--levels is strongest or all, not {levels!r}.")
    only = known_axes(task, axes)  # before anything slow is loaded
    from assay.conduct.shift import plan_training, require_room, subject_of_run
    from assay.door.shift import require_possible, require_untouched
    from assay.plans.plan import plan_of
    from assay.plans.shift_request import shift_request
    from assay.results import open_run

    request = shift_request(task, only, levels == "all", states, episodes, pictures)
    asked: dict[str, Any] = {
        "seeds": seeds, "first_seed": first_seed, "settings": parse_settings(settings, steps)
    }  # fmt: skip
    if not agent.startswith(TRAINED):
        plan = plan_training(agent, task, request, **asked)
        require_possible(plan, request, work.out)
        return measure_plan(plan, request, work)
    require_untouched(agent, asked, work.out)
    with open_run(agent.removeprefix(TRAINED)) as opened:
        subject_of_run(opened, request.task)  # refuses in a dry run too
        require_room(opened, request)
        if say_cost(plan_of(opened), request, work, is_trained=True):
            measure_run(opened, request, work)


def measure_plan(plan: Any, request: Any, work: Work) -> None:
    """Trains the agents of a plan, where it trains, and measures them."""
    from assay.conduct.phases import open_or_create
    from assay.door.shift import measure_untrained

    if not say_cost(plan, request, work):
        return
    if not plan.trains:
        progress = Progress()
        result = measure_untrained(plan, request, work.out, progress)
        progress.close()
        return tell_shift(result, work)
    run, failed = finish_run(open_or_create(plan, work.out, typed_command(), RUNS), work.executor())
    with run:
        refuse_failed(failed, run.folder)
        measure_run(run, request, work)


def measure_run(run: Any, request: Any, work: Work) -> None:
    from assay.door.shift import conclude_shift

    progress = Progress()
    result = conclude_shift(run, request, progress)
    progress.close()
    tell_shift(result, work)


def say_cost(plan: Any, request: Any, work: Work, is_trained: bool = False) -> bool:
    """Says what is to be done and about how long it takes; whether to go on."""
    from assay.conduct.shift import guess_cost
    from assay.plans.agents import catalogue_agent
    from assay.report.shift_text import NEVER_LOOKS
    from assay.report.text import count

    cost = guess_cost(plan, request)
    trained = 0 if is_trained else plan.budget * len(plan.seeds)
    if work.dry_run and work.json:
        print_json({"levels": [vars(each) for each in request.levels], "states": request.states,
                    "episodes": request.episodes, "seeds": list(plan.seeds), "training_steps": trained,
                    **cost._asdict()})  # fmt: skip
        return False
    lines = [
        f"{count(len(request.levels), 'level')}, {request.states:,} states of "
        f"{count(request.episodes, 'episode')}, "
        f"{len(plan.seeds)} {'policy' if len(plan.seeds) == 1 else 'policies'}",
        f"about {clock(cost.seconds)}: {cost.frames:,} observations at most, "
        f"{count(cost.programs, 'program')}",
    ]
    if trained:
        lines.append(f"{trained:,} env steps of training first, unless they are done already")
    if not catalogue_agent(plan.agent).uses_observations:
        lines.append(NEVER_LOOKS)
    for line in lines:
        print(f"{INDENT}{line}") if work.dry_run else tell(line)
    if work.dry_run:
        print("\n".join(f"{INDENT}{each.axis} at {each.level}" for each in request.levels))
    return not work.dry_run


def tell_shift(result: Any, work: Work) -> None:
    """The table, what it is over, and the states where the choice changes most."""
    from assay.analysis.finite_json import strict
    from assay.report.shift_text import (
        HEADINGS,
        STATE_HEADINGS,
        STATES_SHOWN,
        say_facts,
        state_rows,
        table_rows,
    )

    shift = result.shift
    if work.json:
        return print_json({"folder": str(result.folder), **strict(shift)})
    print_table(HEADINGS, [row.cells for row in table_rows(shift)])
    for fact in say_facts(shift):
        print_text(f"{fact}.", indent=2)
    if shift.moments and not shift.pictures:
        print()
        print_table(STATE_HEADINGS, state_rows(shift), wraps={4: 30, 6: 30})
    if shift.moments:
        print_text(STATES_SHOWN, indent=2)
    for left_out in shift.not_asked:
        print_text(f"not measured  {few_names(left_out.axes)}: {left_out.why}", indent=2)
    if result.picture:
        print(f"{INDENT}picture  {shortest(result.picture)}")
    print(f"{INDENT}files    {shortest(result.folder)}")


def few_names(names: Sequence[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
