"""A learner of ours on a hosted task: its envs are played in plain Python, its choices and updates compiled.

All lanes step together and are read in their order, so the result depends on the task, the settings and the
seed alone, and not on the number of processes that play the lanes. One compiled call learns from a step of
every lane and chooses the next actions, so one row per lane passes between Python and the program.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
from gymnasium.vector import AutoresetMode

from assay.agents.agent import Act, Agent, LaneLearner, LaneSteps, Trained, require_fit
from assay.agents.tally import Report
from assay.core.env import Env, Task
from assay.core.keys import root_of, stream
from assay.core.space import Space
from assay.core.streams import digest_number
from assay.interop.gymnasium import HostedEnv, TaskEnv
from assay.interop.play import LANES
from assay.interop.policy import Policy
from assay.interop.worker_vector import WorkerVectorEnv
from assay.tasks import Resolved, resolve


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
    agent: Agent, name: str, text: str, seed: int, config: Any, workers: int | None = None
) -> Trained:
    """Trains one agent on the task of a text; `workers` is the number of processes that play its lanes."""
    learner, resolved = agent.learner, resolve(text)
    assert learner is not None, "a plan asks for training on hosted tasks only where an agent can learn there"
    lanes = learner.lanes(config)
    env = lanes_of(resolved, lanes, workers)
    try:
        task = task_of(spaces_of(resolved))
        spaces = task.env.spaces(())
        why = learner.fits(spaces) or learner.fits_settings(config, spaces)
        require_fit(name, why or agent.fits_settings(config, spaces))
        observations, _ = env.reset(
            seed=[digest_number(seed, "train", lane) % 2**63 for lane in range(lanes)]
        )
        state, actions = begin(learner, task, config, stream(root_of(seed), "train"), observations)
        tally, reports, checkpoints = LaneTally(lanes), [], []
        for step in range(lanes, config.steps + 1, lanes):
            after, paid, terminated, truncated, info = env.step(np.asarray(actions))
            tally.count(info["score"], paid, terminated | truncated)
            last = last_observations(after, info)
            steps = LaneSteps(observations, actions, np.asarray(paid, np.float32), last, terminated)
            state, actions = go_on(learner, task, config, state, steps, after)
            observations = after
            if step % config.report_every == 0:
                reports.append(tally.report(step))
                checkpoints.append(jax.device_get(learner.params(state)))
        return Trained(checkpoints[-1], stack_trees(reports), stack_trees(checkpoints))
    finally:
        env.close()


def stack_trees(trees: list[Any]) -> Any:
    return jax.tree.map(lambda *leaves: np.stack(leaves), *trees)


def spaces_of(resolved: Resolved) -> dict[str, Space]:
    env = HostedEnv(resolved)
    try:
        return dict(env.inner.spaces)
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
