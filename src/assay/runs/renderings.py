"""Two renderings of one state: what a policy would do in the states it visits, if they looked otherwise.

The policy plays plain episodes, and their latent states are kept. A task that differs in the observation
alone then renders these very states: no step is made in it, so the states are the same by construction. What
its pictures and its observation channels remember is carried along the plain episode, with the same keys. The
agent's memory in a state is that of the plain episode too.

Frames and probabilities come from different programs: the same frames pass through the same program of the
policy, so equal observations give equal probabilities, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.agent import Chances
from assay.core import step as loop
from assay.core.env import Task, World
from assay.core.keys import episode_key, root, step_key
from assay.core.variation import Channel
from assay.runs.evaluate import EvaluationSetup, Playing, Policy, alive, evaluate, first_moment, step_on
from assay.runs.program import stack_tasks


class Visited(NamedTuple):
    """The plain episodes of one policy."""

    states: Any  # (episodes, length, ...) latent states before each step; those after an end mean nothing
    memories: Any  # (episodes, length, ...) the agent's memory there
    steps: np.ndarray  # (episodes,) int
    scores: np.ndarray  # (episodes,) float


def visit(task: Task, params: Any, words: Any, setup: EvaluationSetup, episodes: int) -> Visited:
    """Plays the first episodes of a seed and keeps every state."""
    steps, scores = play(task, params, words, setup, episodes)
    # A power of two, so that episodes of about one length share a program.
    length = 1 << (int(steps.max()) - 1).bit_length()
    states, memories = walk(task, Policy(params), words, setup, episodes, length)
    return Visited(states, memories, steps, scores)


def play(
    task: Task, params: Any, words: Any, setup: EvaluationSetup, episodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """The steps and the scores of the first episodes of a seed, (episodes,) each."""
    outcomes = jax.device_get(evaluate(stack_tasks([task]), params, words, setup, episodes))
    return np.asarray(outcomes.steps[0], int), np.asarray(outcomes.score[0], float)


@partial(jax.jit, static_argnames=("setup", "episodes", "length"))
def walk(
    task: Task, policy: Policy, words: Any, setup: EvaluationSetup, episodes: int, length: int
) -> tuple[Any, Any]:
    """The latent states and the agent's memories of the episodes, (episodes, length, ...)."""

    def one_episode(number: jax.Array) -> tuple[Any, Any]:
        key = episode_key(root(words), number)

        def one_step(episode: Playing, _: None) -> tuple[Playing, tuple[Any, Any]]:
            moved = step_on(task, policy.params, key, setup, episode).episode
            lives = alive(episode)
            kept = jax.tree.map(lambda new, old: jnp.where(lives, new, old), moved, episode)
            return kept, (episode.world.state, episode.memory)

        first = first_moment(task, policy.params, key, setup)
        visited: tuple[Any, Any] = jax.lax.scan(one_step, first, length=length)[1]
        return visited

    result: tuple[Any, Any] = jax.vmap(one_episode)(jnp.arange(episodes))
    return result


def choose_steps(steps: np.ndarray, states: int) -> list[np.ndarray]:
    """The steps of each episode at which its state is rendered: as many in each, evenly spaced."""
    each = max(1, states // len(steps))
    return [np.unique(np.linspace(0, last - 1, min(each, last)).round().astype(int)) for last in steps]


def observe_states(
    task: Task, words: Any, visited: Visited, picks: Sequence[np.ndarray]
) -> Iterator[np.ndarray]:
    """What a task shows in the picked states, (states, ...) for one episode after the other."""
    for number, chosen in enumerate(picks):
        yield observe_episode(task, words, visited, number, padded(chosen, picks))[: len(chosen)]


def observe_episode(task: Task, words: Any, visited: Visited, number: int, steps: np.ndarray) -> np.ndarray:
    """What a task shows at these steps of one episode, (steps, ...)."""
    states = jax.tree.map(lambda leaf: leaf[number], visited.states)
    return np.asarray(views(task, words, number, states, steps, remembers(task)))


def padded(chosen: np.ndarray, picks: Sequence[np.ndarray]) -> np.ndarray:
    """The steps, the last one repeated, as many as any episode has: one program serves all of them."""
    return np.pad(chosen, (0, max(map(len, picks)) - len(chosen)), mode="edge")


def remembers(task: Task) -> bool:
    """Whether an observation depends on earlier ones, so that every state has to be observed in turn."""
    world = jax.eval_shape(loop.start, task, jax.random.key(0))
    return any(
        isinstance(variation, Channel) and variation.components[0] == "observation" and jax.tree.leaves(held)
        for variation, held in zip(task.variations, world.memory)
    )


@partial(jax.jit, static_argnames=("carries",))
def views(task: Task, words: Any, number: Any, states: Any, picks: Any, carries: bool) -> Any:
    """The observations of the picked states of one episode, (picks, ...)."""
    key = episode_key(root(words), number)
    first = loop.start(task, step_key(key, 0))
    length = len(jax.tree.leaves(states)[0])

    def one_state(world: World, at: tuple[Any, Any]) -> tuple[World, Any]:
        time, state = at
        now = step_key(key, time)
        world = jax.tree.map(
            partial(jnp.where, time == 0), replace(world, state=state), next_world(task, now, world, state)
        )
        if not carries:
            return world, world
        seen, world = loop.look(task, now, world)
        return world, seen

    _, shown = jax.lax.scan(one_state, first, (jnp.arange(length), states))
    shown = jax.tree.map(lambda leaf: leaf[picks], shown)
    if carries:
        return shown
    return jax.vmap(lambda time, world: loop.look(task, step_key(key, time), world)[0])(picks, shown)


def next_world(task: Task, key: jax.Array, world: World, state: Any) -> World:
    """The world one step later, in a state that is given; as `loop.advance` makes it of its own state."""
    clocks = loop.tick_clocks(task, key, world)
    moved = World(state, world.memory, clocks, world.time + 1, world.life + 1)
    return replace(moved, scene=loop.stage_pictures(task, key, moved, world.scene))


def chances_in(
    task: Task, params: Any, visited: Visited, picks: Sequence[np.ndarray], chances: Chances, seen: Any
) -> list[np.ndarray]:
    """The policy's probabilities in the picked states, (states, actions) per episode, under observations.

    `seen` has the observations of each episode; None for an agent that does not look. The task gives the
    spaces, which all renderings share.
    """
    result = []
    for number, chosen in enumerate(picks):
        where = padded(chosen, picks)
        memories = jax.tree.map(lambda leaf, i=number, at=where: leaf[i][at], visited.memories)
        observations = None if seen is None else padded_rows(next(seen), len(where))
        told = tell_chances(task, Policy(params), memories, observations, len(where), chances)
        result.append(np.asarray(told, float)[: len(chosen)])
    return result


def padded_rows(rows: np.ndarray, count: int) -> np.ndarray:
    return np.concatenate([rows, np.repeat(rows[-1:], count - len(rows), axis=0)])


@partial(jax.jit, static_argnames=("count", "chances"))
def tell_chances(
    task: Task, policy: Policy, memories: Any, observations: Any, count: int, chances: Chances
) -> Any:
    def in_state(memory: Any, observation: Any) -> Any:
        return chances(task, policy.params, memory, observation)

    return jax.vmap(in_state, axis_size=count)(memories, observations)
