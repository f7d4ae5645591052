"""A learner of ours on a hosted task: its envs are played in plain Python, its choices and updates compiled.

All lanes step together and are read in their order, so the result depends on the task, the settings and the
seed alone, and not on the number of processes that play the lanes. One compiled call learns from a step of
every lane and chooses the next actions, so one row per lane passes between Python and the program.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode

from assay.agents.agent import Act, Agent, LaneLearner, LaneSteps, Trained, require_fit
from assay.agents.tally import Report
from assay.core.env import Env, Task
from assay.core.keys import root_of, stream
from assay.core.space import Space
from assay.core.streams import digest_number
from assay.errors import AssayError
from assay.interop.gymnasium import HostedEnv, TaskEnv
from assay.interop.play import LANES
from assay.interop.policy import Policy
from assay.interop.worker_vector import WorkerVectorEnv
from assay.runs.checkpoint import SAVE_EVERY_S, STATE, Store, params_file, stored_length
from assay.runs.lane_positions import LanePositions, Positions, Step, go_to
from assay.tasks import Resolved, resolve

REPORT_TYPES = np.int32, np.float32, np.float32, np.float32, np.int32


@dataclass(frozen=True, eq=False)
class KnownSpaces:
    """The spaces of a hosted task, as a function like the `spaces` of a native env."""

    spaces: dict[str, Space]

    def __call__(self, params: Any) -> dict[str, Space]:
        return dict(self.spaces)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnownSpaces) and self.spaces == other.spaces

    def __hash__(self) -> int:
        return hash(tuple((name, space.shape, space.dtype) for name, space in self.spaces.items()))


def refuse_in_program(*_: Any) -> Any:
    raise AssertionError("a hosted env is played in Python, and no program contains it")


def task_of(spaces: dict[str, Space]) -> Task:
    """A stand-in for a hosted task; an agent asks a task for nothing but its spaces."""
    return Task(
        Env(
            (),
            initial=refuse_in_program,
            transition=refuse_in_program,
            reward=refuse_in_program,
            observation=refuse_in_program,
            terminal=refuse_in_program,
            horizon=refuse_in_program,
            spaces=KnownSpaces(spaces),
        )
    )


@partial(jax.jit, static_argnums=(0, 2))
def begin(
    learner: LaneLearner, task: Task, config: Any, key: jax.Array, observations: Any
) -> tuple[Any, Any]:
    """The state of a learner before its first step, and its first actions."""
    state = learner.start(key, task, config)
    return state, learner.choose(task, config, state, observations)


@partial(jax.jit, static_argnums=(0, 2), donate_argnums=3)
def go_on(
    learner: LaneLearner, task: Task, config: Any, state: Any, steps: LaneSteps, observations: Any
) -> tuple[Any, Any]:
    """Learns from a step of every lane, and chooses the next actions. The state is updated in its place."""
    state = learner.learn(task, config, state, steps)
    return state, learner.choose(task, config, state, observations)


def train_on_hosted(
    agent: Agent, name: str, text: str, seed: int, config: Any, workers: int | None = None,
    store: Store | None = None, keeps: bool = True,
) -> Trained:  # fmt: skip
    """Trains one agent on the task of a text; `workers` is the number of processes that play its lanes.

    With a store it goes on from what was saved there, if its learner can be saved. `keeps` asks for the
    params of every report.
    """
    training = HostedTraining(agent, name, text, seed, config, workers, store, keeps)
    try:
        training.play_on()
        return training.trained()
    finally:
        training.close()


class Saved(NamedTuple):
    """A training under way, as a checkpoint holds it."""

    state: Any  # of the learner
    actions: Any  # (lanes, ...), the next ones
    observations: Any  # (lanes, ...), those that they were chosen by
    positions: Positions
    step: Any  # () int64
    tally: tuple[Any, Any]
    reports: Report  # (reports,) each; those to come are zeros
    made: Any  # () int64, reports so far


class HostedTraining:
    """One training on a hosted task, from wherever it is to its end."""

    def __init__(
        self, agent: Agent, name: str, text: str, seed: int, config: Any, workers: int | None = None,
        store: Store | None = None, keeps: bool = False,
    ) -> None:  # fmt: skip
        learner, resolved = agent.learner, resolve(text)
        assert learner is not None, "a plan asks for training on hosted tasks only where an agent can learn"
        self.learner, self.config, self.keeps = learner, config, keeps
        spaces, remembers = facts_of(resolved)
        why = learner.fits(spaces) or learner.fits_settings(config, spaces)
        require_fit(name, why or agent.fits_settings(config, spaces))
        # Episodes that depend on those before them cannot be played again by themselves.
        self.store = store if learner.saves and not remembers else None
        self.task, self.lanes = task_of(spaces), learner.lanes(config)
        self.last = learner.last_step(config)
        self.seeds = [digest_number(seed, "train", lane) % 2**63 for lane in range(self.lanes)]
        self.env = lanes_of(resolved, self.lanes, workers)
        self.tally, self.positions = LaneTally(self.lanes), LanePositions(self.lanes)
        self.reports: list[Report] = []
        self.checkpoints: list[Any] = []
        self.saved_checkpoints = 0
        self.step = 0
        self.last_save = time.monotonic()
        try:
            first, _ = self.env.reset(seed=self.seeds)
            self.positions.begin(first)
            self.observations: Any = first  # later on the device
            self.state, self.actions = begin(
                learner, self.task, config, stream(root_of(seed), "train"), self.observations
            )
            if self.store is not None and self.store.has_state:
                self.resume(self.store)
        except BaseException:
            self.close()
            raise

    def play_on(self, until: float = inf) -> bool:
        """Trains to the end, or to this moment of the monotonic clock; whether it came to the end."""
        while self.step < self.last and time.monotonic() < until:
            self.make_step()
            if self.store is not None and time.monotonic() - self.last_save >= SAVE_EVERY_S:
                self.save()
        if self.store is not None and (self.store.has_state or self.step < self.last):
            self.save()  # the evaluation that follows may be killed too
        return self.step >= self.last

    def make_step(self) -> None:
        """One step of every lane, and what is learned from it."""
        actions = np.asarray(self.actions)
        after, paid, terminated, truncated, info = self.env.step(actions)
        ended = terminated | truncated
        self.tally.count(info["score"], paid, ended)
        if self.store is not None:
            self.positions.count(actions, Step(after, paid, info["score"], ended))
        last, seen = last_observations(after, info), jnp.array(after)  # which reaches the device but once
        steps = LaneSteps(
            self.observations, self.actions, np.asarray(paid, np.float32), seen if last is after else last,
            terminated, truncated & ~terminated,
        )  # fmt: skip
        self.state, self.actions = go_on(self.learner, self.task, self.config, self.state, steps, seen)
        self.observations, self.step = seen, self.step + self.lanes
        if self.step % self.config.report_every == 0 or self.step >= self.last:
            self.reports.append(self.tally.report(self.step))
            if self.keeps:
                self.checkpoints.append(jax.device_get(self.learner.params(self.state)))

    def save(self) -> None:
        """Params first: a state says how many reports were made, and their params must be there."""
        assert self.store is not None, "only a training with a store is saved"
        for number in range(self.saved_checkpoints, len(self.checkpoints)):
            self.store.save(params_file(number), self.checkpoints[number])
        self.saved_checkpoints = len(self.checkpoints)
        self.store.save(STATE, self.saved())
        self.last_save = time.monotonic()

    def saved(self) -> Saved:
        count = -(-self.last // self.config.report_every)
        reports = Report(*(np.zeros(count, dtype) for dtype in REPORT_TYPES))
        for number, report in enumerate(self.reports):
            for column, part in zip(reports, report):
                column[number] = part
        return Saved(
            self.state, np.asarray(self.actions), np.asarray(self.observations), self.positions.read(),
            np.int64(self.step), (self.tally.so_far, self.tally.finished), reports,
            np.int64(len(self.reports)),
        )  # fmt: skip

    def resume(self, store: Store) -> None:
        """Goes back to where a killed training was."""
        like = self.saved()
        played, own = stored_length(store.folder / STATE, ".positions.actions"), like.actions
        rows = np.zeros((played, *own.shape[1:]), own.dtype) if played else like.positions.actions
        saved: Saved = store.load(STATE, like._replace(positions=like.positions._replace(actions=rows)))
        self.state, self.actions, positions = saved.state, saved.actions, saved.positions
        self.positions.set(positions)
        self.observations, traces = go_to(self.env, self.seeds, positions)
        same = np.array_equal(self.observations, saved.observations)
        if not same or not np.array_equal(traces, positions.traces):
            raise AssayError(
                f"{store.folder / STATE} cannot be gone on from: the same actions lead elsewhere now; "
                "delete it, and the training begins anew."
            )
        self.step, made = int(saved.step), int(saved.made)
        self.tally.so_far, self.tally.finished = (np.array(part) for part in saved.tally)
        self.reports = [Report(*(np.asarray(part)[i] for part in saved.reports)) for i in range(made)]
        params = jax.eval_shape(self.learner.params, self.state)
        if self.keeps:
            self.checkpoints = [jax.device_get(store.load(params_file(i), params)) for i in range(made)]
            self.saved_checkpoints = made

    def trained(self) -> Trained:
        kept = stack_trees(self.checkpoints) if self.keeps else ()
        return Trained(jax.device_get(self.learner.params(self.state)), stack_trees(self.reports), kept)

    def close(self) -> None:
        self.env.close()


def stack_trees(trees: list[Any]) -> Any:
    return jax.tree.map(lambda *leaves: np.stack(leaves), *trees)


def spaces_of(resolved: Resolved) -> dict[str, Space]:
    return facts_of(resolved)[0]


def facts_of(resolved: Resolved) -> tuple[dict[str, Space], bool]:
    """The spaces of a task, and whether its episodes depend on those before them."""
    env = HostedEnv(resolved)
    try:
        return dict(env.inner.spaces), env.remembers
    finally:
        env.close()


def lanes_of(resolved: Resolved, lanes: int, workers: int | None) -> WorkerVectorEnv:
    """The lanes of a task; a lane whose episode ends begins the next one in the same step.

    Emulators are played in processes of their own if there is more than one core.
    """
    if workers is None:
        cores = len(os.sched_getaffinity(0))
        workers = min(lanes, cores) if resolved.entry.workers and cores > 1 else 0
    return WorkerVectorEnv(resolved, lanes, AutoresetMode.SAME_STEP, workers)


def last_observations(after: np.ndarray, info: dict[str, Any]) -> np.ndarray:
    """The observation after the step in each lane; if a new episode has begun, the last one of the old."""
    if "final_obs" not in info:
        return after
    last = after.copy()
    for lane in np.flatnonzero(info["_final_obs"]):
        last[lane] = info["final_obs"][lane]
    return last


class LaneTally:
    """The episodes of all lanes between two reports."""

    def __init__(self, lanes: int) -> None:
        self.so_far = np.zeros((3, lanes))  # score, payment and length of the episodes under way
        self.finished = np.zeros(4)  # sums over finished episodes: the same, and their number

    def count(self, score: np.ndarray, paid: np.ndarray, ended: np.ndarray) -> None:
        self.so_far += [score, paid, np.ones(len(paid))]
        if ended.any():
            self.finished += [*self.so_far[:, ended].sum(1), ended.sum()]
            self.so_far[:, ended] = 0.0

    def report(self, step: int) -> Report:
        episodes = self.finished[3]
        with np.errstate(invalid="ignore"):  # NaN where no episode has finished
            score, paid, length = (np.float32(each) for each in self.finished[:3] / episodes)
        self.finished = np.zeros(4)
        return Report(np.int32(step), score, paid, length, np.int32(episodes))


@partial(jax.jit, static_argnums=0)
def act_once(
    act: Act, task: Task, params: Any, memory: Any, words: Any, step: Any, observation: Any
) -> tuple[Any, Any]:
    key = jax.random.fold_in(jax.random.wrap_key_data(words, impl="threefry2x32"), step)
    return act(task, params, memory, key, observation)


@partial(jax.jit, static_argnums=0)
def act_on_rows(act: Act, task: Task, params: Any, rows: Any) -> Any:
    """An action for each row, by an agent that neither draws at random nor has a memory."""
    return jax.vmap(lambda row: act(task, params, (), root_of(0), row)[0])(rows)


def policy_of(agent: Agent, config: Any, params: Any) -> Callable[[TaskEnv], Policy]:
    """A function that gives the policy of an agent of ours, with these params, in a hosted env."""
    act = agent.act_of(config)
    params = jax.device_put(params)

    def bind(env: TaskEnv) -> Policy:
        assert isinstance(env, HostedEnv)
        task = task_of(dict(env.inner.spaces))
        if agent.draws_with(config) or jax.tree.leaves(agent.start_memory(task, params)):
            playing = Episode(agent, act, task, params)
            return Policy(playing.act, reset=playing.reset)

        def act_batch(rows: Any) -> np.ndarray:
            return as_actions(act_on_rows(act, task, params, rows))

        # A single row goes through the program of the batch too: another program might round otherwise.
        return Policy(lambda row: act_batch(np.stack([row] * LANES))[0], act_batch=act_batch)

    return bind


def as_actions(chosen: Any) -> np.ndarray:
    """Actions in Gymnasium's types: whole numbers are int64 there."""
    actions = np.asarray(chosen)
    return actions.astype(np.int64) if actions.dtype.kind == "i" else actions


class Episode:
    """An agent of ours within one episode, with its memory and its own stream of chance."""

    def __init__(self, agent: Agent, act: Act, task: Task, params: Any) -> None:
        self.act_by, self.start, self.task, self.params = act, agent.start_memory, task, params

    def reset(self, seed: int) -> None:
        self.words = np.asarray(jax.random.key_data(stream(root_of(seed), "agent")))
        self.memory, self.steps = self.start(self.task, self.params), 0

    def act(self, observation: Any) -> Any:
        now = self.words, np.int32(self.steps), np.asarray(observation)
        chosen, self.memory = act_once(self.act_by, self.task, self.params, self.memory, *now)
        self.steps += 1
        actions = as_actions(chosen)
        return actions if actions.shape else actions[()]
