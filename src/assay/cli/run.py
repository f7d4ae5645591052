"""`assay run`: the pairs of a suite, trained and evaluated."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from assay.cli.execution import execute
from assay.cli.option_groups import with_option_groups
from assay.cli.options import AGENTS, SuiteTraining, Trust, Work, require_used
from assay.cli.output import tell
from assay.cli.suite_files import suite_at
from assay.conduct.proving import with_proofs
from assay.errors import BadText
from assay.suites.suite import with_settings

TRAINED = "run:"  # before the folder of `assay train`
EXAMPLES = (
    "assay run playground/delay --agent tabular_q --seeds 1 --steps 1000 --episodes 10",
    "assay run playground/transition-noise --agent dqn --dry-run",
)


@with_option_groups
def run(
    suite: Annotated[
        str,
        typer.Argument(
            help="The name of a suite (`assay list suites`), a YAML file, or an experiment file of MDP "
            "Playground (.py), which is read and not run."
        ),
    ],
    agent: Annotated[
        str,
        typer.Option(
            help=f"An agent: {AGENTS}; or run:FOLDER, which `assay train` made.",
            show_default="the suite's, where it is of one agent",
        ),
    ] = "",
    *,
    beside: Annotated[
        str | None,
        typer.Option("--with", help="Settings of every task, such as observation=objects."),
    ] = None,
    training: SuiteTraining,
    trust: Trust = False,
    work: Work,
) -> None:
    """Run a suite: train on one task of each pair, evaluate on both, for every seed."""
    from assay.plans.make_plan import suite_plan
    from assay.plans.of_trained import suite_of_trained

    chosen = suite_at(suite)
    if beside:
        chosen = with_settings(chosen, beside)
    if not (agent or chosen.agent):
        raise BadText(f"{chosen.name} is for any agent; add one, such as --agent dqn.")
    make_plan = suite_of_trained if agent.startswith(TRAINED) else suite_plan
    name = agent.removeprefix(TRAINED) or chosen.agent
    plan = make_plan(chosen, name, trust=trust, **training.plan_arguments())
    require_used(plan, trust=trust)
    execute(plan, work, partial(with_proofs, tell=tell, refuses=False))
