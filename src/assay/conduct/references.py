"""The scores that others are compared with: random play, the best blind policy, optima, retrained agents."""

from __future__ import annotations

import numpy as np

from assay.plans.job_plan import job_plan
from assay.plans.plan import ExamPlan, plan_of
from assay.plans.question import BLIND, RANDOM, RETRAIN
from assay.results import Reference, Run
from assay.stats.resampling import bootstrap_t
from assay.task_text import TaskText, parse
from assay.tasks import optimum, resolve


def references_of(run: Run) -> list[Reference]:
    """Every reference of a finished run."""
    if not run.progress().done:
        return []
    plan = plan_of(run)
    retrains = isinstance(plan, ExamPlan) and plan.trains
    return [*first_references(run), *(retrained_scores(run) if retrains else ())]


def first_references(run: Run) -> list[Reference]:
    """The references that findings need."""
    return [*random_scores(run), *blind_scores(run), *optima(run)]


def random_scores(run: Run) -> list[Reference]:
    return reference_scores(
        run, {job.id for job in run.jobs(agent=RANDOM, status="done")}, "random", "random play"
    )


def blind_scores(run: Run) -> list[Reference]:
    jobs = run.jobs(agent=BLIND, status="done")
    chosen = {job.id for job in jobs if job_plan(job).settings["choose"] == "score"}
    return reference_scores(run, chosen, "blind", "the best policy of a family that does not look")


def retrained_scores(run: Run) -> list[Reference]:
    jobs = [job for job in run.jobs(status="done") if job_plan(job).arm == RETRAIN]
    return reference_scores(
        run, {job.id for job in jobs}, "retrained", "agents trained there and evaluated there"
    )


def reference_scores(run: Run, jobs: set[str], kind: str, how: str) -> list[Reference]:
    """The mean score of some jobs on each task they played, with its interval."""
    if not jobs:
        return []
    keys = ["task", "job"]
    rows = run.episodes(job=sorted(jobs)).group_by(keys).aggregate([("score", "mean")]).to_pylist()
    by_task: dict[str, list[float]] = {}
    for row in sorted(rows, key=lambda row: row["job"]):
        by_task.setdefault(row["task"], []).append(row["score_mean"])
    references = []
    for task, values in sorted(by_task.items()):
        ends: dict[str, float] = {}
        if len(values) > 1 and np.ptp(values) > 0:
            interval = bootstrap_t(np.array(values), rng=np.random.default_rng(0))
            ends = {"low": interval.low, "high": interval.high}
        references.append(Reference(task=task, kind=kind, value=float(np.mean(values)), n=len(values),
                               how=f"{how}, mean of {len(values)} seeds", **ends))  # fmt: skip
    return references


def optima(run: Run) -> list[Reference]:
    """The best possible score of every task played, where it can be computed."""
    tasks = sorted(set(run.episodes()["task"].to_pylist()))
    best_returns = [(task, optimum(without_reward_axes(task))) for task in tasks]
    return [
        Reference(task=task, kind="optimum", value=best.value, how=best.how)
        for task, best in best_returns
        if best.value is not None
    ]


def without_reward_axes(task: str) -> TaskText:
    """The task without the axes that change only the payment: scores are of the unmodified reward."""
    resolved = resolve(parse(task))
    kept = [
        s
        for axis, s in zip(resolved.axes, resolved.text.settings)
        if axis.asks or axis.components != ("reward",)
    ]
    return TaskText(resolved.text.env, tuple(kept))
