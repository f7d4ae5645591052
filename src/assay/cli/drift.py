"""`assay drift`: what a change of the world costs an agent, against the same run without it."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from assay.cli.execution import RUNS, finish_run, print_plan, typed_command
from assay.cli.option_groups import with_option_groups
from assay.cli.options import Agent, Training, Trust, Unproved, Work
from assay.cli.output import INDENT, print_json, print_table, print_text, tell
from assay.cli.results import refuse_failed, shortest
from assay.plans.defaults import MARGIN

EXAMPLES = (
    "assay drift random toy/grid+transition_noise=0.5@sudden:20 --episodes 40 --out runs/drift",
    "assay drift tabular_q toy/discrete+action.random=0.5@sudden:50 --seeds 10 --steps 2000",
    "assay drift dqn toy/discrete+transition_noise=0.3@sudden:10000:life --seeds 10 --dry-run",
)


@with_option_groups
def run(
    agent: Agent,
    task: Annotated[
        str, typer.Argument(help="A task that drifts: toy/discrete+action.random=0.3@sudden:50.")
    ],
    *,
    control: Annotated[
        str | None,
        typer.Option(help="The task to compare with.", show_default="the task without its schedules"),
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(
            help="Steps, or episodes, that scores are averaged over.",
            show_default="a tenth of the time after the drift",
        ),
    ] = None,
    margin: Annotated[
        float, typer.Option(help="The loss that counts as none, as a share of the control's mean.")
    ] = MARGIN,
    training: Training,
    trust: Trust = False,
    unproved: Unproved = False,
    work: Work,
) -> None:
    """Follow an agent through a drift, beside a control without it.

    With a schedule in steps of the episode (@sudden:300) the agent is frozen: trained without the drift, or
    as it comes, it plays the same episodes with and without it. With one on the clock of a life
    (@sudden:20000:life, @sudden:50:episodes) it goes on learning: both trainings have the same seeds. Told
    are how deep scores fall, when they are back, how much is lost, and how soon an observer sees it.
    """
    from assay.conduct.phases import open_or_create
    from assay.conduct.proving import with_proofs
    from assay.door.drift import conclude_drift
    from assay.plans.drift_length import say_random_play_is_short
    from assay.plans.drift_request import drift_plan

    asked: dict[str, Any] = {**training.plan_arguments(), "trust": trust}
    asked.pop("transcripts")  # a frozen agent is followed by them, and a learner by its curves
    question, plan = drift_plan(agent, task, control=control, window=window, margin=margin, **asked)
    if plan.trains and not question.learning and (caution := say_random_play_is_short(question)):
        tell(caution)
    if work.dry_run:
        work.require_usable()
        return print_plan(plan, work.json, work.out)
    executor = work.executor()
    plan = partial(with_proofs, tell=tell, unproved=unproved)(plan)
    done, failed = finish_run(open_or_create(plan, work.out, typed_command(), RUNS), executor)
    with done:
        refuse_failed(failed, done.folder)
        tell_drift(conclude_drift(done, question), work.json)


def tell_drift(result: Any, json: bool) -> None:
    """The result in a sentence, the table, and what it is over."""
    from assay.analysis.finite_json import strict
    from assay.report.drift_text import headings, say_facts, say_result, table_rows

    if json:
        return print_json({"folder": str(result.folder), **strict(result.drift)})
    print_text(f"{say_result(result.drift)}\n", indent=2)
    heads = headings(result.drift)
    print_table(heads, table_rows(result.drift), wraps=dict.fromkeys(range(1, len(heads)), 24))
    print()
    for fact in say_facts(result.drift):
        print_text(f"{fact}.", indent=2)
    print(f"{INDENT}report  {shortest(result.page)}")
