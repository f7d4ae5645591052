"""From jobs to their results. Jobs of one batch are trained together, one lane each, by one program.

A job's result does not depend on its batch: its draws come from its own seed, its evaluation is laid out by
its own tries alone, and a lane's numbers are the same bits in a batch of 2 or of 10 (a test checks that). The
number of lanes is recorded nevertheless: on other devices the bits may depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import pyarrow as pa

from assay.agents.agent import Agent, Trained
from assay.agents.tally import Report
from assay.core.env import Task
from assay.core.events import StepTaken
from assay.core.keys import root_of, seed_words, stream
from assay.errors import AssayError
from assay.interop.play import Played
from assay.interop.watching import watching
from assay.plans.agents import catalogue_agent, config_of
from assay.plans.job_plan import Try, job_plan
from assay.plans.protocol import measures_of
from assay.plans.sources import provenance_of_result, sources_of_job
from assay.results import Episode, Job
from assay.runs.batches import builder_of, device, in_pieces, is_native, trains_alone
from assay.runs.evaluate import EvaluationSetup, Outcomes, evaluate, evaluate_each
from assay.runs.hosted_jobs import learn_on_hosted, learns_on_hosted
from assay.runs.outside_jobs import do_outside_job
from assay.runs.program import build_alone, has_large_observations, signature, stack_tasks
from assay.runs.result import Meter, Result, add_costs, episode_rows, evaluation_seed
from assay.runs.train_in_pieces import train_in_pieces
from assay.runs.training_records import (
    curve_rows,
    named_arrays,
    require_finite,
    roll_out,
    rollout_seed,
    stored_params,
)
from assay.runs.transcript import transcribe
from assay.runs.transcript_rows import transcript_of

TOGETHER = 16  # tasks evaluated at a time, so that the layout depends on the job alone


def execute(jobs: list[Job], lanes: int = 0, checkpoints: Path | None = None) -> Iterator[Result]:
    """Yields the results of one batch, each as soon as it is ready; its program has `lanes` lanes or more.

    A long training that can be stopped leaves checkpoints in the folder `checkpoints`, and goes on from them.
    """
    if is_native(jobs[0]):
        results = do_native_jobs(jobs, lanes, checkpoints)
    else:
        outside = partial(do_outside_job, run=checkpoints.parent if checkpoints else None)
        inside = partial(learn_on_hosted, folder=checkpoints)
        results = map(inside if learns_on_hosted(jobs[0]) else outside, jobs)
    yield from map(add_device, results)


def add_device(result: Result) -> Result:
    return result._replace(made_with=result.made_with._replace(device=device()))


def do_native_jobs(jobs: list[Job], lanes: int, checkpoints: Path | None = None) -> Iterator[Result]:
    """Yields the results of native agents on native tasks, all trained by one program."""
    first = job_plan(jobs[0])
    agent, config = catalogue_agent(jobs[0].agent), config_of(jobs[0].agent, first.settings)
    is_alone = trains_alone(jobs[0])
    if is_alone and len(jobs) > 1:
        for job in jobs:
            yield from do_native_jobs([job], lanes, checkpoints)
        return
    meter = Meter()
    sources = {job.id: sources_of_job(job) for job in jobs}  # of all, before one of them reads a file
    is_loaded = first.weights is not None or agent.load is not None
    with watching() as accesses:
        trained = (
            load_together(agent, config, jobs)
            if is_loaded
            else train_together(agent, config, jobs, lanes, checkpoints)
        )
    width = 1 if is_loaded or is_alone else width_of(jobs, lanes)
    training = meter.read(shared_by=len(jobs))
    measures = measures_of(jobs[0].train_task)
    looks = agent.looks and (
        agent.sees or not has_large_observations(builder_of(jobs[0])(jobs[0].train_task))
    )
    setup = EvaluationSetup(agent.act_of(config), measures, looks, agent.start_memory)
    for lane, job in enumerate(jobs):
        params, reports, checkpoints = jax.tree.map(lambda leaf, lane=lane: leaf[lane], trained)
        try:
            with watching() as own_accesses:
                weights = named_arrays(params)
                require_finite(job, weights)
                episodes, transcript = evaluate_tries(setup, job, params)
                means = partial(means_of, setup, job, checkpoints)
                curves = curve_rows(reports, roll_out(job, bool(setup.measures), means))
            kept = None if is_loaded else weights or None
            cost = add_costs(training, meter.read())
            yield Result(
                job.id,
                episodes,
                curves,
                kept,
                cost,
                made_with=provenance_of_result(job, sources[job.id], accesses | own_accesses)._replace(
                    lanes=width
                ),
                transcript=transcript,
            )
        except AssayError as error:
            yield Result(job.id, [], None, None, meter.read(), str(error))


@partial(jax.jit, static_argnames=("train", "config", "checkpoints"))
def _train(keys: jax.Array, tasks: Task, train: Any, config: Any, checkpoints: bool) -> Trained:
    trained = jax.vmap(lambda key, task: train(key, task, config))(keys, tasks)
    # Dropped in here, they are not computed: the program then has no room for them and makes no copies.
    kept: Trained = trained if checkpoints else trained._replace(checkpoints=())
    return kept


@partial(jax.jit, static_argnames=("train", "config", "checkpoints"))
def _train_alone(key: jax.Array, task: Task, train: Any, config: Any, checkpoints: bool) -> Trained:
    trained: Trained = train(key, task, config)
    return trained if checkpoints else trained._replace(checkpoints=())


def width_of(jobs: list[Job], lanes: int) -> int:
    """The lanes of a program. A lone job has a twin: a batch of one compiles to other bits."""
    return max(2, len(jobs), lanes)


def train_together(
    agent: Agent, config: Any, jobs: list[Job], width: int, checkpoints: Path | None = None
) -> Trained:
    """The trained agents, (lanes, ...) of each part; copies of the first job fill the spare lanes."""
    if trains_alone(jobs[0]):
        (job,) = jobs
        alone = (
            train_in_pieces(agent, config, job, checkpoints)
            if agent.pieces
            else train_alone(agent, config, job)
        )
        one: Trained = jax.tree.map(lambda leaf: leaf[None], alone)
        return one
    lanes = [*jobs, *[jobs[0]] * (width_of(jobs, width) - len(jobs))]
    keys = jax.numpy.stack([stream(root_of(job.seed), "train") for job in lanes])
    tasks = stack_tasks([builder_of(job)(job.train_task) for job in lanes])
    trained: Trained = jax.device_get(_train(keys, tasks, agent.train, config, job_plan(jobs[0]).rollouts))
    return trained


def train_alone(agent: Agent, config: Any, job: Job) -> Trained:
    key, task = stream(root_of(job.seed), "train"), builder_of(job)(job.train_task)
    trained: Trained = jax.device_get(_train_alone(key, task, agent.train, config, job_plan(job).rollouts))
    return trained


def load_together(agent: Agent, config: Any, jobs: list[Job]) -> Trained:
    """The params that an earlier run trained, or that assay ships, (lanes, ...) of each, without reports."""
    lanes = [agent.load()] * len(jobs) if agent.load else []
    for job in jobs[len(lanes) :]:
        stored = job_plan(job).weights
        assert stored is not None, "jobs of one batch have weights or have none"
        shapes = jax.eval_shape(
            lambda key, task: agent.train(key, task, config).params,
            root_of(job.seed),
            builder_of(job)(job.train_task),
        )
        lanes.append(stored_params(job, stored, shapes))
    nothing = jax.numpy.zeros((len(jobs), 0))
    params = jax.tree.map(lambda *leaves: np.stack(leaves), *lanes)
    loaded: Trained = jax.device_get(Trained(params, Report(*[nothing] * len(Report._fields))))
    return loaded


class Evaluated(NamedTuple):
    """The evaluation of every try of a job, in order."""

    episodes: list[Episode]
    transcript: pa.Table | None  # None where none is asked for


def evaluate_tries(setup: EvaluationSetup, job: Job, params: Any) -> Evaluated:
    todo = job_plan(job)
    rows, words = todo.tries, seed_words(evaluation_seed(job.seed))
    outcomes: dict[int, Outcomes] = {}
    steps: dict[int, list[list[StepTaken]]] = {}
    groups: dict[Any, list[int]] = {}
    build = builder_of(job)
    for row, each in enumerate(rows):
        groups.setdefault(signature(build(each.task)), []).append(row)
    for group in groups.values():
        for some in in_pieces(group, TOGETHER):
            # Tasks without companions differ from pair to pair, and so do the programs, filled up or not.
            is_filled = build is not build_alone and not is_costly(setup, build(rows[some[0]].task))
            copies = [some[0]] * (TOGETHER - len(some)) if is_filled else []
            tasks = stack_tasks([build(rows[row].task) for row in [*some, *copies]])
            out = jax.device_get(evaluate(tasks, params, words, setup, todo.episodes))
            outcomes |= {row: jax.tree.map(lambda leaf, i=i: leaf[i], out) for i, row in enumerate(some)}
            if todo.transcripts:
                steps |= dict(zip(some, transcribe(tasks, params, words, setup, todo.episodes, out)))
    episodes = [
        episode
        for row, each in enumerate(rows)
        for episode in episode_rows(job, each, as_played(outcomes[row]))
    ]
    return Evaluated(episodes, transcript_of((rows[row].task, steps[row]) for row in sorted(steps)))


def is_costly(setup: EvaluationSetup, task: Task) -> bool:
    """Whether filling up a batch costs more than it saves, which is a second program for another size.

    Drawing pictures takes most of the time; a policy that does not look plays many episodes.
    """
    return not setup.looks or has_large_observations(task)


def as_played(outcomes: Outcomes) -> Iterator[Played]:
    """The outcomes of one task, episode by episode."""
    for number, (steps, paid, score, terminated, truncated, digest) in enumerate(zip(*outcomes[:-2])):
        drawn, measures = (
            {name: np.asarray(values[number]).tolist() for name, values in each.items()}
            for each in (outcomes.drawn, outcomes.measures)
        )
        digest_text = "".join(f"{word:08x}" for word in np.asarray(digest))
        yield Played(steps, paid, score, terminated, truncated, drawn or None, measures, digest_text)


def means_of(setup: EvaluationSetup, job: Job, checkpoints: Any, each: Try) -> dict[str, np.ndarray]:
    """Means by measure, (reports,) each; every policy plays the same episodes, in every task."""
    words, task = seed_words(rollout_seed(job.seed)), builder_of(job)(each.task)
    count = len(jax.tree.leaves(checkpoints)[0])
    # The pictures of all policies at once might not fit into the memory.
    pieces = [slice(i, i + 1) for i in range(count)] if is_costly(setup, task) else [slice(None)]
    parts = []
    for piece in pieces:
        some = jax.tree.map(lambda leaf, piece=piece: leaf[piece], checkpoints)
        outcomes = jax.device_get(evaluate_each(task, some, words, setup, job_plan(job).episodes))
        parts.append({"score": outcomes.score, "length": outcomes.steps, **outcomes.measures})
    return {
        name: np.concatenate([np.asarray(part[name], np.float64).mean(-1) for part in parts])
        for name in parts[0]
    }
