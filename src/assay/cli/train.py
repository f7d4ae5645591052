"""`assay train`: agents trained on one task; curves are kept, and weights of assay's own agents."""

from __future__ import annotations

from assay.cli.execution import execute
from assay.cli.option_groups import with_option_groups
from assay.cli.options import Learner, Task, Training, Work

EXAMPLES = (
    "assay train tabular_q toy/discrete --seeds 5 --steps 2000",
    "assay train dqn toy/discrete+delay=2 --seeds 5 --set learning_rate=0.0005 --dry-run",
)


@with_option_groups
def run(agent: Learner, task: Task, training: Training, work: Work) -> None:
    """Train an agent on a task, seed by seed, and say how well it does there.

    The weights of assay's own agents are kept: `assay examine run:FOLDER TASK` examines the trained agents.
    Training of your own (mine:train) leaves none with assay; `assay examine mine:train TASK` trains and
    examines it.
    """
    from assay.plans.make_plan import train_plan

    execute(train_plan(agent, task, **training.plan_arguments()), work)
