"""Trains an agent piece by piece, and leaves a checkpoint now and then, from which a killed training goes on.

Pieces grow or shrink until one takes about as long as lies between two checkpoints. How a training is cut
changes none of its bits: the same compiled program makes each iteration. A job has a folder of its own for
what it saves: one state, and the params of every report where a suite asks for them. It is deleted when the
job is done.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.agent import Agent, PieceLearner, Trained
from assay.agents.tally import Report
from assay.core.env import Task
from assay.core.keys import root_of, stream
from assay.plans.job_plan import job_plan
from assay.results import Job
from assay.runs.batches import builder_of, device
from assay.runs.checkpoint import SAVE_EVERY_S, STATE, Store, params_file

FOLDER = "checkpoints"  # in the folder of a run


class Progress(NamedTuple):
    """A training under way, as a checkpoint holds it."""

    state: Any  # of the learner
    iterations: Any  # () int32
    made: Any  # () int32, reports so far
    reports: Report  # (reports,) each; those to come are zeros


def store_of(job: Job, folder: Path | None) -> Store | None:
    """Where a job keeps its checkpoints; None where there is no folder for them."""
    if folder is None:
        return None
    plan = job_plan(job)
    about = {
        "agent": job.agent, "task": job.train_task, "seed": job.seed, "settings": dict(plan.settings),
        "rollouts": plan.rollouts, "code": job.source_digest, "jax": jax.__version__, "device": device(),
    }  # fmt: skip
    return Store(folder / job.id, about)


def forget(folder: Path, jobs: Iterable[str]) -> None:
    """Deletes the checkpoints of jobs that are done."""
    for job in jobs:
        shutil.rmtree(folder / job, ignore_errors=True)
    with suppress(OSError):  # it holds those of other jobs, or there are none
        folder.rmdir()


def train_in_pieces(agent: Agent, config: Any, job: Job, folder: Path | None = None) -> Trained:
    """The trained agent of one job: as `agent.train` gives it, from a checkpoint in `folder` where one is."""
    assert agent.pieces is not None, "only an agent that declares its pieces is trained in them"
    key, task = stream(root_of(job.seed), "train"), builder_of(job)(job.train_task)
    training = Training(agent.pieces, config, key, task, store_of(job, folder), job_plan(job).rollouts)
    training.resume()
    training.finish()
    return training.trained()


class Training:
    """One training, from wherever it is to its end."""

    def __init__(
        self, learner: PieceLearner, config: Any, key: jax.Array, task: Task, store: Store | None, keeps: bool
    ) -> None:
        self.learner, self.config, self.key, self.task = learner, config, key, task
        self.store, self.keeps = store, keeps
        self.ends = learner.report_at(config)
        self.progress: Progress = begin(key, task, learner=learner, config=config)
        self.params: list[Any] = []  # at every report, where a suite asks for them
        self.saved_params = 0
        self.last_save = time.monotonic()
        self.piece = 1  # iterations

    def resume(self) -> None:
        """Goes back to where a killed training was, if it left a checkpoint."""
        if self.store is None or not self.store.has_state:
            return
        self.progress = self.store.load(STATE, jax.eval_shape(lambda: self.progress))
        if self.keeps:
            shapes = jax.eval_shape(lambda: self.learner.params(self.progress.state))
            self.saved_params = int(self.progress.made)
            self.params = [self.store.load(params_file(i), shapes) for i in range(self.saved_params)]

    def finish(self) -> None:
        for end in self.ends[int(self.progress.made) :]:
            while (left := end - int(self.progress.iterations)) > 0:
                self.advance(min(self.piece, left))
                if time.monotonic() - self.last_save >= SAVE_EVERY_S:
                    self.save()
            self.progress = make_report(self.progress, learner=self.learner, config=self.config)
            if self.keeps:
                self.params.append(jax.device_get(self.learner.params(self.progress.state)))
        if self.store and self.store.has_state:
            self.save()  # the evaluation that follows may be killed too

    def advance(self, count: int) -> None:
        """Some more iterations; the next piece is larger or smaller, so that it fits between two saves."""
        began = time.monotonic()
        self.progress = jax.block_until_ready(
            make_iterations(
                self.key, self.task, self.progress, jnp.int32(count), learner=self.learner, config=self.config
            )
        )
        seconds = time.monotonic() - began
        if seconds < SAVE_EVERY_S / 4:
            self.piece *= 2
        elif seconds > SAVE_EVERY_S:
            self.piece = max(1, self.piece // 2)

    def save(self) -> None:
        """Params first: a state says how many reports were made, and their params must be there."""
        if self.store is None:
            return
        for number in range(self.saved_params, len(self.params)):
            self.store.save(params_file(number), self.params[number])
        self.saved_params = len(self.params)
        self.store.save(STATE, self.progress)
        self.last_save = time.monotonic()

    def trained(self) -> Trained:
        params = self.learner.params(self.progress.state)
        kept = jax.tree.map(lambda *leaves: np.stack(leaves), *self.params) if self.keeps else ()
        trained: Trained = jax.device_get(Trained(params, self.progress.reports, kept))
        return trained


@partial(jax.jit, static_argnames=("learner", "config"))
def begin(key: jax.Array, task: Task, *, learner: PieceLearner, config: Any) -> Progress:
    state = learner.start(key, task, config)
    one = jax.eval_shape(lambda: learner.report(config, state)[1])
    count = len(learner.report_at(config))
    reports = jax.tree.map(lambda leaf: jnp.zeros((count, *leaf.shape), leaf.dtype), one)
    return Progress(state, jnp.int32(0), jnp.int32(0), reports)


@partial(jax.jit, static_argnames=("learner", "config"), donate_argnums=2)
def make_iterations(
    key: jax.Array, task: Task, progress: Progress, count: jax.Array, *, learner: PieceLearner, config: Any
) -> Progress:
    state = learner.advance(key, task, config, progress.state, count)
    return progress._replace(state=state, iterations=progress.iterations + count)


@partial(jax.jit, static_argnames=("learner", "config"))
def make_report(progress: Progress, *, learner: PieceLearner, config: Any) -> Progress:
    state, made = learner.report(config, progress.state)
    reports = jax.tree.map(lambda rows, row: rows.at[progress.made].set(row), progress.reports, made)
    return progress._replace(state=state, made=progress.made + 1, reports=reports)
