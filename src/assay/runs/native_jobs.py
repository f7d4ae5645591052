"""From jobs to their results. Jobs of one batch are trained together, one lane each, by one program.

A job's result does not depend on its batch: its draws come from its own seed, its evaluation is laid out by
its own tries alone, and a lane's numbers are the same bits in a batch of 2 or of 10 (a test holds that). How
many lanes its program had is recorded nevertheless: on other devices the bits may depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
import pyarrow as pa

from assay.agents.agent import Agent, Trained
from assay.agents.tally import Report
from assay.core import step as loop
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
from assay.runs.batches import builder_of, device, in_pieces, is_native
from assay.runs.evaluate import EvaluationSetup, Outcomes, evaluate, evaluate_each
from assay.runs.hosted_jobs import learn_on_hosted, learns_on_hosted
from assay.runs.outside_jobs import one_by_one
from assay.runs.program import signature, stack_tasks
from assay.runs.result import Meter, Result, add_costs, episode_rows, evaluation_seed
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

TOGETHER = 16  # tasks evaluated at a time: the layout of a job's evaluation is its own
LARGE = 4096  # numbers of an observation from which on it is dear to make


def execute(jobs: list[Job], lanes: int = 0) -> Iterator[Result]:
    """The results of one batch, each as soon as it is there, by a program of so many lanes or more."""
    if is_native(jobs[0]):
        results = in_one_program(jobs, lanes)
    else:
        results = map(learn_on_hosted if learns_on_hosted(jobs[0]) else one_by_one, jobs)
    yield from map(on_this_device, results)


def on_this_device(result: Result) -> Result:
    return result._replace(made_with=result.made_with._replace(device=device()))


def in_one_program(jobs: list[Job], lanes: int) -> Iterator[Result]:
    """Native agents on native tasks."""
    first = job_plan(jobs[0])
    agent, config = catalogue_agent(jobs[0].agent), config_of(jobs[0].agent, first.settings)
    meter = Meter()
    given = first.weights is not None
    with watching() as seen:
        trained = load_together(agent, config, jobs) if given else train_together(agent, config, jobs, lanes)
    width = 1 if given else width_of(jobs, lanes)
    training = meter.read(shared_by=len(jobs))
    measures = measures_of(jobs[0].train_task)
    setup = EvaluationSetup(agent.act_of(config), measures, agent.looks, agent.start_memory)
    for lane, job in enumerate(jobs):
        params, reports, checkpoints = jax.tree.map(lambda leaf, lane=lane: leaf[lane], trained)
        try:
            with watching() as here:
                weights = named_arrays(params)
                require_finite(job, weights)
                episodes, transcript = evaluate_tries(setup, job, params)
                means = partial(means_of, setup, job, checkpoints)
                curves = curve_rows(reports, roll_out(job, bool(setup.measures), means))
            kept = None if given else weights or None
            cost = add_costs(training, meter.read())
            yield Result(
                job.id,
                episodes,
                curves,
                kept,
                cost,
                made_with=provenance_of_result(job, sources_of_job(job), seen | here)._replace(lanes=width),
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


def width_of(jobs: list[Job], lanes: int) -> int:
    """The lanes of a program. A lone job has a twin: a batch of one compiles to other bits."""
    return max(2, len(jobs), lanes)


def train_together(agent: Agent, config: Any, jobs: list[Job], width: int) -> Trained:
    """(lanes, ...) of each; copies of the first job fill the lanes that no other needs."""
    lanes = [*jobs, *[jobs[0]] * (width_of(jobs, width) - len(jobs))]
    keys = jax.numpy.stack([stream(root_of(job.seed), "train") for job in lanes])
    tasks = stack_tasks([builder_of(job)(job.train_task) for job in lanes])
    trained: Trained = jax.device_get(_train(keys, tasks, agent.train, config, job_plan(jobs[0]).rollouts))
    return trained


def load_together(agent: Agent, config: Any, jobs: list[Job]) -> Trained:
    """(lanes, ...) of params that an earlier run trained, and reports of nothing."""
    lanes = []
    for job in jobs:
        given = job_plan(job).weights
        assert given is not None, "jobs of one batch have weights or have none"
        shapes = jax.eval_shape(
            lambda key, task: agent.train(key, task, config).params,
            root_of(job.seed),
            builder_of(job)(job.train_task),
        )
        lanes.append(stored_params(job, given, shapes))
    nothing = jax.numpy.zeros((len(jobs), 0))
    params = jax.tree.map(lambda *leaves: np.stack(leaves), *lanes)
    loaded: Trained = jax.device_get(Trained(params, Report(*[nothing] * len(Report._fields))))
    return loaded


class Evaluated(NamedTuple):
    """Every try of a job, in order."""

    episodes: list[Episode]
    transcript: pa.Table | None  # None where none is asked for


def evaluate_tries(setup: EvaluationSetup, job: Job, params: Any) -> Evaluated:
    todo = job_plan(job)
    rows, words = todo.tries, seed_words(evaluation_seed(job.seed))
    outcomes: dict[int, Outcomes] = {}
    steps: dict[int, list[list[StepTaken]]] = {}
    groups: dict[Any, list[int]] = {}
    built = builder_of(job)
    for place, each in enumerate(rows):
        groups.setdefault(signature(built(each.task)), []).append(place)
    for places in groups.values():
        for some in in_pieces(places, TOGETHER):
            filled = [] if is_dear(setup, built(rows[some[0]].task)) else [some[0]] * (TOGETHER - len(some))
            tasks = stack_tasks([built(rows[place].task) for place in [*some, *filled]])
            out = jax.device_get(evaluate(tasks, params, words, setup, todo.episodes))
            outcomes |= {place: jax.tree.map(lambda leaf, i=i: leaf[i], out) for i, place in enumerate(some)}
            if todo.transcripts:
                steps |= dict(zip(some, transcribe(tasks, params, words, setup, todo.episodes, out)))
    episodes = [
        row for place, each in enumerate(rows) for row in episode_rows(job, each, as_played(outcomes[place]))
    ]
    return Evaluated(episodes, transcript_of((rows[place].task, steps[place]) for place in sorted(steps)))


def is_dear(setup: EvaluationSetup, task: Task) -> bool:
    """Whether filling up a batch costs more than the program that jobs of other sizes then share.

    Pictures take most of the time there is; of a policy that does not look there are many episodes.
    """
    return not setup.looks or bool(np.prod(loop.spaces(task)["observation"].shape) > LARGE)


def as_played(outcomes: Outcomes) -> Iterator[Played]:
    """The outcomes of one task, episode by episode."""
    for number, (steps, paid, score, terminated, truncated, digest) in enumerate(zip(*outcomes[:-2])):
        drawn, told = (
            {name: np.asarray(values[number]).tolist() for name, values in each.items()}
            for each in (outcomes.drawn, outcomes.told)
        )
        shown = "".join(f"{word:08x}" for word in np.asarray(digest))
        yield Played(steps, paid, score, terminated, truncated, drawn or None, told, shown)


def means_of(setup: EvaluationSetup, job: Job, checkpoints: Any, each: Try) -> dict[str, np.ndarray]:
    """By measure, (reports,): every policy plays the same episodes, in every task."""
    words, task = seed_words(rollout_seed(job.seed)), builder_of(job)(each.task)
    count = len(jax.tree.leaves(checkpoints)[0])
    # The pictures of all policies at once might not fit into the memory.
    pieces = [slice(i, i + 1) for i in range(count)] if is_dear(setup, task) else [slice(None)]
    parts = []
    for piece in pieces:
        some = jax.tree.map(lambda leaf, piece=piece: leaf[piece], checkpoints)
        outcomes = jax.device_get(evaluate_each(task, some, words, setup, job_plan(job).episodes))
        parts.append({"score": outcomes.score, "length": outcomes.steps, **outcomes.told})
    return {
        name: np.concatenate([np.asarray(part[name], np.float64).mean(-1) for part in parts])
        for name in parts[0]
    }
