"""For how long agents were trained, by the records of their training.

A plan gives a number of env steps. An agent whose settings also give a number of episodes stops with
whichever comes first, so that what it played stands in its reports alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.plans.plan import ExamPlan, PairsPlan, Plan, plan_of
from assay.results import Run

EPISODES = "episodes"  # the setting of agents that stop after so many, and the curve that counts them


def describe_training(run: Run) -> str:
    """`20,000 steps`, or `40 episodes (3,712 to 3,840 steps)`; "" for an agent that was not trained."""
    plan = plan_of(run)
    if not plan.budget:
        return ""
    steps = f"{plan.budget:,} steps"
    if EPISODES not in plan.settings:
        return steps
    played = played_of(run, plan)
    if not played:
        return f"{plan.settings[EPISODES]:,} episodes or {steps}, whichever came first"
    episodes, moves = zip(*played)
    return f"{span(episodes)} episode{'s' if max(episodes) > 1 else ''} ({span(moves)} steps)"


def played_of(run: Run, plan: Plan) -> list[tuple[int, int]]:
    """The episodes and the steps of each training that reported them; none of agents trained elsewhere."""
    if isinstance(plan, (ExamPlan, PairsPlan)) and plan.weights:
        return []
    done = {job.id for job in run.jobs(agent=plan.agent, status="done")}
    table = run.curves(name=EPISODES)
    counted: dict[str, tuple[int, int]] = {}
    for job, step, ended in zip(*(table[column].to_pylist() for column in ("job", "step", "value"))):
        if job in done and ended > 0:
            episodes, last = counted.get(job, (0, 0))
            counted[job] = episodes + int(ended), max(last, step)
    return list(counted.values())


def span(numbers: Sequence[int]) -> str:
    """`40`, or `38 to 40`."""
    least, most = min(numbers), max(numbers)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
