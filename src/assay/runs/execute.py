"""From jobs to their results. Jobs of one batch are trained together, one lane each, by one program.

A job's result does not depend on its batch: its draws come from its own seed, its evaluation is laid out by
its own tries alone, and a lane's numbers are the same bits in a batch of 2 or of 10 (a test holds that). How
many lanes its program had is recorded nevertheless: on other devices the bits may depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
import pyarrow as pa

from assay.agents.agent import Agent, Report, Trained
from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import root_of, seed_words, stream
from assay.core.streams import digest_number
from assay.errors import AssayError
from assay.interop.play import Played
from assay.interop.watching import watching
from assay.plans.agents import config_of, ours
from assay.plans.job_plan import Try, job_plan
from assay.plans.places import rollout_name
from assay.plans.protocol import measures_of
from assay.plans.sources import made_with, sources_of_job
from assay.results import Episode, Job, open_run
from assay.runs.batches import builder_of, device, in_pieces, is_native
from assay.runs.evaluate import Outcomes, evaluate, evaluate_each
from assay.runs.outside import one_by_one
from assay.runs.program import signature, stacked
from assay.runs.result import Meter, Result, added, episode_rows, evaluation_seed

TOGETHER = 16  # tasks evaluated at a time: the layout of a job's evaluation is its own
LARGE = 4096  # numbers of an observation from which on it is dear to make


def execute(jobs: list[Job], lanes: int = 0) -> Iterator[Result]:
    """The results of one batch, each as soon as it is there, by a program of so many lanes or more."""
    results = in_one_program(jobs, lanes) if is_native(jobs[0]) else map(one_by_one, jobs)
    yield from map(on_this_device, results)


def on_this_device(result: Result) -> Result:
    return result._replace(made_with=result.made_with._replace(device=device()))


class Way(NamedTuple):
    """How a batch is evaluated."""

    act: Callable
    measures: tuple  # of the env
    blind: bool


def in_one_program(jobs: list[Job], lanes: int) -> Iterator[Result]:
    """Native agents on native tasks."""
    first = job_plan(jobs[0])
    agent, config = ours(jobs[0].agent), config_of(jobs[0].agent, first.settings)
    meter = Meter()
    given = first.weights is not None
    with watching() as seen:
        trained = load_together(agent, config, jobs) if given else train_together(agent, config, jobs, lanes)
    width = 1 if given else width_of(jobs, lanes)
    training = meter.read(shared_by=len(jobs))
    way = Way(agent.act_of(config), measures_of(jobs[0].train_task), agent.blind)
    for lane, job in enumerate(jobs):
        params, reports, checkpoints = jax.tree.map(lambda leaf, lane=lane: leaf[lane], trained)
        try:
            with watching() as here:
                weights = named_arrays(params)
                require_finite(job, weights)
                episodes = list(evaluated(way, job, params))
                curves = curve_rows(reports, rolled_out(way, job, checkpoints))
            kept = None if given else weights or None
            cost = added(training, meter.read())
            yield Result(
                job.id,
                episodes,
                curves,
                kept,
                cost,
                made_with=made_with(job, sources_of_job(job), seen | here)._replace(lanes=width),
            )
        except AssayError as error:
            yield Result(job.id, [], None, None, meter.read(), str(error))


@partial(jax.jit, static_argnames=("train", "config", "checkpoints"))
def _train(keys: jax.Array, tasks: Task, train: Any, config: Any, checkpoints: bool) -> Trained:
    trained = jax.vmap(lambda key, task: train(key, task, config))(keys, tasks)
    # Dropped in here, they are not computed: the program then has no room for them and makes no copies.
    return trained if checkpoints else trained._replace(checkpoints=())


def width_of(jobs: list[Job], lanes: int) -> int:
    """The lanes of a program. A lone job has a twin: a batch of one compiles to other bits."""
    return max(2, len(jobs), lanes)


def train_together(agent: Agent, config: Any, jobs: list[Job], width: int) -> Trained:
    """(lanes, ...) of each; copies of the first job fill the lanes that no other needs."""
    lanes = [*jobs, *[jobs[0]] * (width_of(jobs, width) - len(jobs))]
    keys = jax.numpy.stack([stream(root_of(job.seed), "train") for job in lanes])
    tasks = stacked([builder_of(job)(job.train_task) for job in lanes])
    return jax.device_get(_train(keys, tasks, agent.train, config, job_plan(jobs[0]).rollouts))


def load_together(agent: Agent, config: Any, jobs: list[Job]) -> Trained:
    """(lanes, ...) of params that an earlier run trained, and reports of nothing."""
    lanes = []
    for job in jobs:
        given = job_plan(job).weights
        assert given is not None, "jobs of one batch have weights or have none"
        with open_run(given.folder) as run:
            arrays = run.weights(given.job).arrays
        shapes = jax.eval_shape(
            lambda key, task: agent.train(key, task, config).params,
            root_of(job.seed),
            builder_of(job)(job.train_task),
        )
        lanes.append(restored(job, given.folder, shapes, arrays))
    nothing = jax.numpy.zeros((len(jobs), 0))
    params = jax.tree.map(lambda *leaves: np.stack(leaves), *lanes)
    return jax.device_get(Trained(params, Report(*[nothing] * len(Report._fields))))


def restored(job: Job, folder: str, shapes: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Params from their arrays, refused where these are not the agent's."""
    wanted, structure = jax.tree_util.tree_flatten_with_path(shapes)
    names = [path_name(path) for path, _ in wanted]
    fits = set(names) == set(arrays) and all(arrays[n].shape == s.shape for n, (_, s) in zip(names, wanted))
    if not fits:
        raise AssayError(f"the weights in {folder} are not those of {job.agent} with these settings.")
    return jax.tree_util.tree_unflatten(structure, [arrays[name] for name in names])


def evaluated(way: Way, job: Job, params: Any) -> Iterator[Episode]:
    """Every try of a job, in order."""
    todo = job_plan(job)
    rows, words = todo.tries, seed_words(evaluation_seed(job.seed))
    found: dict[int, Outcomes] = {}
    groups: dict[Any, list[int]] = {}
    built = builder_of(job)
    for place, each in enumerate(rows):
        groups.setdefault(signature(built(each.task)), []).append(place)
    for places in groups.values():
        for some in in_pieces(places, TOGETHER):
            filled = [] if is_dear(way, built(rows[some[0]].task)) else [some[0]] * (TOGETHER - len(some))
            tasks = stacked([built(rows[place].task) for place in [*some, *filled]])
            out = jax.device_get(evaluate(tasks, params, words, way.act, todo.episodes, *way[1:]))
            found |= {place: jax.tree.map(lambda leaf, i=i: leaf[i], out) for i, place in enumerate(some)}
    for place, each in enumerate(rows):
        yield from episode_rows(job, each, as_played(found[place]))


def is_dear(way: Way, task: Task) -> bool:
    """Whether filling up a batch costs more than the program that jobs of other sizes then share.

    Pictures take most of the time there is; of a blind policy, which needs none, there are many episodes.
    """
    return way.blind or bool(np.prod(loop.spaces(task)["observation"].shape) > LARGE)


def as_played(outcomes: Outcomes) -> Iterator[Played]:
    """The outcomes of one task, episode by episode."""
    for number, (steps, paid, score, terminated, truncated, digest) in enumerate(zip(*outcomes[:-2])):
        drawn, told = (
            {name: np.asarray(values[number]).tolist() for name, values in each.items()}
            for each in (outcomes.drawn, outcomes.told)
        )
        shown = "".join(f"{word:08x}" for word in np.asarray(digest))
        yield Played(steps, paid, score, terminated, truncated, drawn or None, told, shown)


def rolled_out(way: Way, job: Job, checkpoints: Any) -> dict[str, np.ndarray]:
    """What the policy of every report does in the tasks of the job: means over episodes, (reports,).

    Of an env without measures, and where there is one task to evaluate on, scores and lengths there.
    """
    todo = job_plan(job)
    if not todo.rollouts:
        return {}
    rows = todo.tries
    if not way.measures and len(rows) <= 2:
        found = means_of(way, job, rows[-1], checkpoints)
        return {"rollout": found["score"], "rollout_length": found["length"]}
    return {
        rollout_name(place, measure): means
        for place, each in enumerate(rows)
        for measure, means in means_of(way, job, each, checkpoints).items()
    }


def means_of(way: Way, job: Job, each: Try, checkpoints: Any) -> dict[str, np.ndarray]:
    """By measure, (reports,): every policy plays the same episodes, in every task."""
    words, task = seed_words(rollout_seed(job.seed)), builder_of(job)(each.task)
    count = len(jax.tree.leaves(checkpoints)[0])
    # The pictures of all policies at once might not fit into the memory.
    pieces = [slice(i, i + 1) for i in range(count)] if is_dear(way, task) else [slice(None)]
    parts = []
    for piece in pieces:
        some = jax.tree.map(lambda leaf, piece=piece: leaf[piece], checkpoints)
        found = jax.device_get(evaluate_each(task, some, words, way.act, job_plan(job).episodes, *way[1:]))
        parts.append({"score": found.score, "length": found.steps, **found.told})
    return {
        name: np.concatenate([np.asarray(part[name], np.float64).mean(-1) for part in parts])
        for name in parts[0]
    }


def rollout_seed(seed: int) -> int:
    """The seed of the rollouts, apart from that of the evaluation at the end."""
    return digest_number(seed, "rollouts") % 2**63


def curve_rows(reports: Report, more: Mapping[str, np.ndarray]) -> pa.Table | None:
    """A lane's reports, and what more was measured at each, as the curve table without the job."""
    steps = np.asarray(reports.step, np.int64)
    if not steps.size:
        return None
    told = {name: values for name, values in reports._asdict().items() if name != "step"} | dict(more)
    told = {"return" if name == "paid" else name: values for name, values in told.items()}  # as records say
    names, values = list(told), [np.asarray(each, np.float64) for each in told.values()]
    return pa.table({
        "step": np.tile(steps, len(names)),
        "name": np.repeat(names, steps.size).tolist(),
        "value": np.concatenate(values),
    })  # fmt: skip


def named_arrays(params: Any) -> dict[str, np.ndarray]:
    """The leaves of a pytree by their paths."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(params)
    return {path_name(path): np.asarray(leaf) for path, leaf in leaves}


def path_name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".") or "params"


def require_finite(job: Job, weights: dict[str, np.ndarray]) -> None:
    bad = [name for name, array in weights.items() if not np.isfinite(array).all()]
    if bad:
        raise AssayError(
            f"{job.agent} trained on {job.train_task} with seed {job.seed} has weights that are not finite "
            f"({bad[0]}); lower its learning rate, or look at the rewards."
        )
