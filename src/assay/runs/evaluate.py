"""Evaluation of a native agent: many tasks of one structure, many episodes, one compiled program.

Every task plays the same episodes: the keys depend on the seed and the episode's number alone, so plain and
varied outcomes are pairs. `measures` are those of the env, read off the state in which an episode ends. An
agent's memory begins anew with every episode. For an agent that never `looks`, no observation is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents.agent import Act, no_memory
from assay.core import step as loop
from assay.core.clock import is_drawn
from assay.core.env import Step, Task, World, holder
from assay.core.keys import episode_key, root, step_key, stream

FIRST_WORDS, MULTIPLIERS = (0x243F6A88, 0x85A308D3), (0x9E3779B1, 0x85EBCA77)  # odd, and otherwise arbitrary


class EvaluationSetup(NamedTuple):
    """How an agent plays, and what is measured of its episodes."""

    act: Act
    measures: tuple[Any, ...] = ()  # of the env
    looks: bool = True
    start_memory: Callable[..., Any] = no_memory


class Outcomes(NamedTuple):
    """The outcome of each episode, (tasks, episodes)."""

    steps: jax.Array  # int32
    paid: jax.Array  # float32, the return the agent was paid
    score: jax.Array  # float32, the return of the unmodified reward
    terminated: jax.Array  # bool
    truncated: jax.Array  # bool
    digest: jax.Array  # (2,) uint32: of the first and last observation, executed actions and rewards
    drawn: Mapping[str, jax.Array]  # by axis: the levels drawn for these episodes; empty where none are
    measures: Mapping[str, jax.Array]  # of the state in which the episode ended, by name


class Playing(NamedTuple):
    """An episode under way."""

    observation: Any  # None for an agent that does not look
    world: World
    memory: Any  # the agent's own
    so_far: Outcomes


def mix_in(digest: jax.Array, values: Any) -> jax.Array:
    """A digest of 64 bits, as two words, with the bits of further values mixed in; their order counts."""
    words = [bits_of(leaf) for leaf in jax.tree.leaves(values)]
    if not words:
        return digest
    row = jnp.concatenate(words)
    position = jnp.arange(1, row.size + 1, dtype=jnp.uint32)
    # Each word is scrambled together with its position, so that their sum depends on their order.
    first = scramble(row ^ scramble(position)).sum(dtype=jnp.uint32)
    second = scramble(row + position * jnp.uint32(MULTIPLIERS[1])).sum(dtype=jnp.uint32)
    return scramble(digest * jnp.array(MULTIPLIERS, jnp.uint32) + jnp.stack([first, second]))


def scramble(word: jax.Array) -> jax.Array:
    """A one-to-one map of 32 bits in which every bit depends on nearly every other (splitmix's finish)."""
    word = (word ^ (word >> 16)) * jnp.uint32(0x7FEB352D)
    word = (word ^ (word >> 15)) * jnp.uint32(0x846CA68B)
    return word ^ (word >> 16)


def bits_of(leaf: jax.Array) -> jax.Array:
    """The bits of an array as a row of words."""
    leaf = jnp.asarray(leaf)
    if leaf.dtype == jnp.float32:
        return jax.lax.bitcast_convert_type(leaf, jnp.uint32).reshape(-1)
    return leaf.astype(jnp.uint32).reshape(-1)


def alive(episode: Playing) -> jax.Array:
    return ~(episode.so_far.terminated | episode.so_far.truncated)


def drawn_levels(task: Task, world: World) -> dict[str, Any]:
    """The levels that were drawn for the episode which begins in this world, by axis."""
    pairs = zip(task.variations, world.clocks)
    return {variation.name: level for variation, level in pairs if is_drawn(variation)}


@holder
class Policy:
    """The params of an agent: a tree of arrays, perhaps in records of another package."""

    params: Any


def evaluate(tasks: Task, params: Any, words: Any, setup: EvaluationSetup, episodes: int) -> Outcomes:
    """The outcomes of one trained agent on a stack of tasks; it takes as long as the longest episode."""
    outcomes: Outcomes = on_every_task(tasks, Policy(params), words, setup, episodes)
    return outcomes


def evaluate_each(task: Task, policies: Any, words: Any, setup: EvaluationSetup, episodes: int) -> Outcomes:
    """The outcomes of a stack of policies on one task, (policies, episodes); all play the same episodes."""
    outcomes: Outcomes = by_every_policy(task, Policy(policies), words, setup, episodes)
    return outcomes


@partial(jax.jit, static_argnames=("setup", "episodes"))
def on_every_task(tasks: Task, policy: Policy, words: Any, setup: EvaluationSetup, episodes: int) -> Outcomes:
    return jax.vmap(lambda task: play_episodes(task, policy.params, root(words), setup, episodes))(tasks)


@partial(jax.jit, static_argnames=("setup", "episodes"))
def by_every_policy(
    task: Task, policies: Policy, words: Any, setup: EvaluationSetup, episodes: int
) -> Outcomes:
    return jax.vmap(lambda params: play_episodes(task, params, root(words), setup, episodes))(policies.params)


def play_episodes(
    task: Task, params: Any, seed: jax.Array, setup: EvaluationSetup, episodes: int
) -> Outcomes:
    """The outcomes of the first episodes of a seed, (episodes,)."""

    def one_episode(number: jax.Array) -> Outcomes:
        key = episode_key(seed, number)

        def one_step(episode: Playing) -> Playing:
            return step_on(task, params, key, setup, episode)[0]

        first = first_moment(task, params, key, setup)
        last = jax.lax.while_loop(alive, one_step, first)
        measures = {each.name: each.of(last.world.state) for each in setup.measures}
        digest = mix_in(last.so_far.digest, last.observation)
        return last.so_far._replace(digest=digest, measures=measures)

    return jax.vmap(one_episode)(jnp.arange(episodes))


def first_moment(task: Task, params: Any, key: jax.Array, setup: EvaluationSetup) -> Playing:
    """The episode that has this key, before its first step."""
    observation, world = begin(task, step_key(key, 0), setup.looks)
    nothing = jnp.int32(0), jnp.float32(0), jnp.float32(0), jnp.bool_(False), jnp.bool_(False)
    begun = mix_in(jnp.array(FIRST_WORDS, jnp.uint32), observation)
    memory = setup.start_memory(task, params)
    return Playing(observation, world, memory, Outcomes(*nothing, begun, drawn_levels(task, world), {}))


class Moved(NamedTuple):
    """A step of an episode, with the episode after it."""

    episode: Playing
    key: jax.Array  # of the step
    chosen: Any
    out: Step


def step_on(task: Task, params: Any, key: jax.Array, setup: EvaluationSetup, episode: Playing) -> Moved:
    """One step of the episode that has this key."""
    step = loop.step if setup.looks else loop.advance
    now, so_far = step_key(key, episode.so_far.steps + 1), episode.so_far
    chosen, memory = setup.act(task, params, episode.memory, stream(now, "agent"), episode.observation)
    out = step(task, now, episode.world, chosen)
    outcomes = Outcomes(
        so_far.steps + 1,
        so_far.paid + out.reward,
        so_far.score + out.score,
        out.terminated,
        out.truncated,
        mix_in(so_far.digest, (out.executed, out.reward)),
        so_far.drawn,
        so_far.measures,
    )
    return Moved(Playing(out.observation, out.state, memory, outcomes), now, chosen, out)


def begin(task: Task, key: jax.Array, looks: bool) -> tuple[Any, World]:
    """The first observation of a new episode, and its world."""
    return loop.reset(task, key) if looks else (None, loop.start(task, key))
