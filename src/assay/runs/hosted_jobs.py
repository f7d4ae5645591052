"""Jobs of an agent of ours on a hosted task: it is trained there or loaded, then evaluated."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from assay.agents.agent import Agent, Trained
from assay.agents.tally import Report
from assay.core.keys import root_of
from assay.errors import AssayError
from assay.interop.watching import watching
from assay.plans.agents import catalogue_agent, config_of, is_outside
from assay.plans.job_plan import Try, job_plan
from assay.plans.protocol import measures_of
from assay.plans.sources import provenance_of_result, sources_of_job
from assay.results import Job
from assay.runs.hosted_training import policy_of, spaces_of, task_of, train_on_hosted
from assay.runs.outside_jobs import evaluate_in_python, play_task
from assay.runs.result import Meter, Result
from assay.runs.train_in_pieces import store_of
from assay.runs.training_records import (
    curve_rows,
    named_arrays,
    require_finite,
    roll_out,
    rollout_seed,
    stored_params,
)
from assay.tasks import resolve


def learns_on_hosted(job: Job) -> bool:
    """Whether the agent of a job on a hosted task is one of ours that learns, or has learned, there."""
    return not is_outside(job.agent) and catalogue_agent(job.agent).on_hosts


def learn_on_hosted(job: Job, folder: Path | None = None) -> Result:
    """The result of such a job; a long training leaves checkpoints in `folder`, and goes on from them."""
    meter, todo = Meter(), job_plan(job)
    agent, config = catalogue_agent(job.agent), config_of(job.agent, todo.settings)
    try:
        with watching() as accesses:
            trained = train_or_load(job, agent, config, folder)
            weights = named_arrays(trained.params)
            require_finite(job, weights)
            make_policy = policy_of(agent, config, trained.params)
            episodes, transcript = evaluate_in_python(job, make_policy)
            means = partial(means_of, job, agent, config, trained.checkpoints)
            rollouts = roll_out(job, bool(measures_of(job.train_task)), means)
        return Result(
            job.id,
            episodes,
            curve_rows(trained.reports, rollouts),
            None if todo.weights is not None or agent.load else weights,
            meter.read(),
            made_with=provenance_of_result(job, sources_of_job(job), accesses),
            transcript=transcript,
        )
    except AssayError as error:
        return Result(job.id, [], None, None, meter.read(), str(error))


def train_or_load(job: Job, agent: Agent, config: Any, folder: Path | None) -> Trained:
    """The trained agent; if it comes trained or an earlier run trained it, there are no reports."""
    todo, no_reports = job_plan(job), Report(*[np.zeros(0)] * len(Report._fields))
    if agent.load:
        return Trained(agent.load(), no_reports)
    stored = todo.weights
    if stored is None:
        store = store_of(job, folder)
        return train_on_hosted(
            agent, job.agent, job.train_task, job.seed, config, store=store, keeps=todo.rollouts
        )
    learner, task = agent.learner, task_of(spaces_of(resolve(job.train_task)))
    assert learner is not None
    shapes = jax.eval_shape(lambda: learner.params(learner.start(root_of(job.seed), task, config)))
    return Trained(stored_params(job, stored, shapes), no_reports)


def means_of(job: Job, agent: Agent, config: Any, checkpoints: Any, each: Try) -> dict[str, np.ndarray]:
    """Means by measure, (reports,) each; the policy of every report plays the same episodes."""
    means: dict[str, list[float]] = {}
    for number in range(len(jax.tree.leaves(checkpoints)[0])):
        make_policy = policy_of(agent, config, jax.tree.map(lambda leaf, i=number: leaf[i], checkpoints))
        played = play_task(job, make_policy, each.task, each.arm, rollout_seed(job.seed))
        rows = [{"score": one.score, "length": one.steps, **one.measures} for one in played]
        for name in rows[0]:
            means.setdefault(name, []).append(float(np.mean([row[name] for row in rows])))
    return {name: np.array(values) for name, values in means.items()}
