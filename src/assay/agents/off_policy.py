"""The loop of DDPG, TD3 and SAC: play a step, remember it, learn from a batch of what is remembered.

An `Algorithm` is what they differ in. `train` plays native tasks, one env per seed; seeds are a `vmap` of it.
At the end the same functions learn from envs outside of any program, where `learner_of` is called.

Noise for the next action is drawn one step ahead, so that noise with a memory, and choosing without one, are
the same to this loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.actor_critic import dimensions, see, to_box, to_unit, why_no_actor
from assay.agents.agent import (
    LaneLearner,
    LaneSteps,
    Trained,
    require_between,
    require_fit,
    require_one_of,
    require_steps,
)
from assay.agents.n_step import Returns, draw_rows, returns_from
from assay.agents.network import ACTIVATIONS, as_features, features
from assay.agents.replay import Transition, empty_replay, remember, remember_lanes
from assay.agents.tally import Report, Tally, count_step, empty_tally, take_report
from assay.core import step as loop
from assay.core.env import Task, World, record
from assay.core.keys import stream
from assay.core.space import Space

MOST_LANES = 8  # envs outside, side by side
STEP_S = 1e-5  # CPU-seconds of a step of training beside the networks, on a plain core
MULTIPLY_S = 2e-11  # of a multiplication in them


@dataclass(frozen=True)
class Algorithm:
    """What an algorithm adds to the loop; it sees features, and actions from -1 to 1."""

    name: str
    first_networks: Callable[..., Any]  # key, spaces, config -> networks and what their optimisers remember
    next_noise: Callable[..., Any]  # config, key, noise, whether an episode begins -> noise, (dimensions,)
    explore: Callable[..., Any]  # config, networks, noise, (features,) -> action, (dimensions,)
    update: Callable[..., Any]  # config, key, networks, Returns -> networks, one gradient step on
    policy: Callable[[Any], Any]  # networks -> the params that `act` needs


@record
class Learner:
    networks: Any
    rows: Transition  # the steps made, the newest
    noise: Any  # (dimensions,), or (lanes, dimensions) outside: of the next action
    step: Any  # () int32, env steps made


def require_settings(name: str, config: Any) -> None:
    """Refuses settings that contradict each other, of those that all these algorithms have."""
    # Updates are made between steps, reports between updates: a remainder would be lost.
    require_steps(
        name,
        steps_per_update=(config.steps_per_update, 1),
        updates=(config.updates, 1),
        report_every=(config.report_every, config.steps_per_update),
        steps=(config.steps, config.report_every),
        replay=(config.replay, config.steps_per_update),
        batch=(config.batch, 1),
        n_step=(config.n_step, 1),
        **{f"hidden[{i}]": (size, 1) for i, size in enumerate(config.hidden)},
    )
    require_between(name, 0, 1, discount=config.discount, tau=config.tau)
    require_between(name, 1e-9, 1e9, actor_rate=config.actor_rate, critic_rate=config.critic_rate,
                    adam_epsilon=config.adam_epsilon)  # fmt: skip
    require_between(name, 1, config.steps, learning_starts=config.learning_starts)
    require_between(name, 0, config.steps, random_steps=config.random_steps)
    require_between(name, 1, ring_length(config) // lanes(config), n_step=config.n_step)
    require_one_of(name, "activation", config.activation, ACTIVATIONS)


def ring_length(config: Any) -> int:
    return int(min(config.replay, config.steps))


def new_learner(
    algorithm: Algorithm, key: jax.Array, spaces: dict[str, Space], config: Any, count: int = 0
) -> Learner:
    """A learner before its first step; `count` lanes are played outside of its program."""
    networks = algorithm.first_networks(stream(key, "networks"), spaces, config)
    nothing = jnp.zeros(((count,) if count else ()) + (dimensions(spaces["action"]),))
    noise = algorithm.next_noise(
        config, stream(key, "first noise"), nothing, jnp.ones(nothing.shape[:-1], bool)
    )
    action = to_box(spaces["action"], jnp.zeros(dimensions(spaces["action"])))
    rows = empty_replay(spaces["observation"], action, ring_length(config))
    return Learner(networks, rows, noise, jnp.int32(0))


def choose_action(
    algorithm: Algorithm, config: Any, spaces: dict[str, Space], key: jax.Array, step: jax.Array,
    networks: Any, noise: jax.Array, observation: Any,
) -> jax.Array:  # fmt: skip
    """The action of one lane: any at all in the random phase, then that of the algorithm."""
    seen = as_features(spaces["observation"], observation)
    own = algorithm.explore(config, networks, noise, seen)
    if not config.random_steps:
        return to_box(spaces["action"], own)
    any_action = jax.random.uniform(stream(key, "any action"), own.shape, minval=-1.0)
    return to_box(spaces["action"], jnp.where(step < config.random_steps, any_action, own))


def learn_if_due(
    algorithm: Algorithm,
    config: Any,
    spaces: dict[str, Space],
    key: jax.Array,
    learner: Learner,
    count: int = 1,
) -> Learner:
    """The learner after the updates that are due after so many steps; `count` lanes lie side by side."""

    def update(networks: Any, number: jax.Array) -> tuple[Any, None]:
        now = jax.random.fold_in(stream_at(key, "batch", learner.step), number)
        picks = draw_rows(stream(now, "rows"), learner.rows, learner.step, config.batch)
        drawn = returns_from(learner.rows, learner.step, picks, config.n_step, config.discount, count)
        return algorithm.update(config, stream(now, "update"), networks, as_numbers(spaces, drawn)), None

    def make_updates() -> Any:
        if config.updates == 1:
            return update(learner.networks, jnp.int32(0))[0]
        return jax.lax.scan(update, learner.networks, jnp.arange(config.updates))[0]

    # Steps are counted alike for all seeds of a batch, so this stays a branch under `vmap`. The rows stay
    # outside: they are long, and a branch would copy what it returns.
    due = (learner.step % config.steps_per_update == 0) & (learner.step > config.learning_starts)
    return replace(learner, networks=jax.lax.cond(due, make_updates, lambda: learner.networks))


def as_numbers(spaces: dict[str, Space], drawn: Returns) -> Returns:
    """The same with what the networks see: features, and actions from -1 to 1."""
    look = partial(see, spaces["observation"])
    unit = jax.vmap(partial(to_unit, spaces["action"]))(drawn.action)
    return replace(drawn, observation=look(drawn.observation), action=unit, after=look(drawn.after))


@record
class Playing:
    """A learner in its env."""

    learner: Learner
    world: World
    observation: Any
    tally: Tally


def experience(algorithm: Algorithm, task: Task, config: Any, key: jax.Array, playing: Playing) -> Playing:
    """One env step into the rows, and a new episode where one ended."""
    spaces, learner = loop.spaces(task), playing.learner
    now, seen = stream_at(key, "env", learner.step), playing.observation
    action = choose_action(
        algorithm, config, spaces, now, learner.step, learner.networks, learner.noise, seen
    )
    out = loop.step(task, stream(now, "step"), playing.world, action)
    ended = out.terminated | out.truncated
    row = Transition(seen, action, out.reward, out.observation, out.terminated, ended)
    # One env per seed and seeds under vmap: both states are computed and one is chosen.
    again = loop.start_after(task, stream(now, "again"), out.state)
    first, again = loop.look(task, stream(now, "again"), again)
    observation, world = jax.tree.map(partial(jnp.where, ended), (first, again), (out.observation, out.state))
    rows = remember(learner.rows, learner.step, row)
    noise = algorithm.next_noise(config, stream(now, "noise"), learner.noise, ended)
    learner = replace(learner, rows=rows, noise=noise, step=learner.step + 1)
    return Playing(learner, world, observation, count_step(playing.tally, out))


def train(algorithm: Algorithm, key: jax.Array, task: Task, config: Any) -> Trained:
    """Trains one agent. Pure and jittable; vmap it over keys and stacked tasks for many seeds."""
    spaces = loop.spaces(task)
    require_fit(algorithm.name, why_no_actor(spaces))

    def make_step(playing: Playing, _: None) -> tuple[Playing, None]:
        playing = experience(algorithm, task, config, key, playing)
        return replace(playing, learner=learn_if_due(algorithm, config, spaces, key, playing.learner)), None

    def make_report(playing: Playing, _: None) -> tuple[Playing, tuple[Report, Any]]:
        playing = jax.lax.scan(make_step, playing, None, length=config.report_every)[0]
        tally, report = take_report(playing.tally, playing.learner.step)
        return replace(playing, tally=tally), (report, algorithm.policy(playing.learner.networks))

    observation, world = loop.reset(task, stream(key, "reset"))
    playing = Playing(new_learner(algorithm, key, spaces, config), world, observation, empty_tally())
    count = config.steps // config.report_every
    playing, (reports, checkpoints) = jax.lax.scan(make_report, playing, None, length=count)
    return Trained(algorithm.policy(playing.learner.networks), reports, checkpoints)


def stream_at(key: jax.Array, name: str, number: Any) -> jax.Array:
    return jax.random.fold_in(stream(key, name), number)


@record
class Outside:
    """A learner whose envs are played outside of its program."""

    key: Any
    learner: Learner


def lanes(config: Any) -> int:
    """The number of envs: it divides the steps of an update, so that one policy chooses all of these."""
    return max(count for count in range(1, MOST_LANES + 1) if config.steps_per_update % count == 0)


def start(algorithm: Algorithm, key: jax.Array, task: Task, config: Any) -> Outside:
    return Outside(key, new_learner(algorithm, key, loop.spaces(task), config, lanes(config)))


def choose(
    algorithm: Algorithm, task: Task, config: Any, state: Outside, observations: jax.Array
) -> jax.Array:
    """One action per lane; lane i makes the i-th of the next steps."""
    learner = state.learner
    steps = learner.step + jnp.arange(len(observations))
    keys = jax.vmap(partial(stream_at, state.key, "env"))(steps)

    def of_lane(key: jax.Array, step: jax.Array, noise: jax.Array, observation: jax.Array) -> jax.Array:
        return choose_action(
            algorithm, config, loop.spaces(task), key, step, learner.networks, noise, observation
        )

    return jax.vmap(of_lane)(keys, steps, learner.noise, observations)


def learn(algorithm: Algorithm, task: Task, config: Any, state: Outside, steps: LaneSteps) -> Outside:
    """Remembers a step of every lane, and makes the updates that are due."""
    learner, count = state.learner, len(steps.reward)
    ended = steps.terminated | steps.cut
    row = Transition(steps.observation, steps.action, steps.reward, steps.after, steps.terminated, ended)
    keys = jax.vmap(partial(stream_at, state.key, "env"))(learner.step + jnp.arange(count))
    of_noise = jax.vmap(partial(stream, name="noise"))(keys)
    learner = replace(
        learner,
        rows=remember_lanes(learner.rows, learner.step, row),
        noise=jax.vmap(partial(algorithm.next_noise, config))(of_noise, learner.noise, ended),
        step=learner.step + count,
    )
    return Outside(state.key, learn_if_due(algorithm, config, loop.spaces(task), state.key, learner, count))


def step_cost(config: Any, spaces: dict[str, Space], passes: float) -> float:
    """CPU-seconds of a step of training on a plain core; an update passes so often through a network.

    A gradient counts as two passes beside the one for its values, and a twin as a network of its own.
    """
    sizes = (features(spaces["observation"]) + dimensions(spaces["action"]), *config.hidden, 1)
    once = sum(into * out for into, out in pairwise(sizes)) * MULTIPLY_S
    updates = config.updates / config.steps_per_update * (1 - config.learning_starts / config.steps)
    return STEP_S + once * (1 + passes * config.batch * updates)


def learner_of(algorithm: Algorithm) -> LaneLearner:
    """How an algorithm learns on hosted tasks."""
    return LaneLearner(
        lanes,
        partial(start, algorithm),
        partial(choose, algorithm),
        partial(learn, algorithm),
        lambda state: algorithm.policy(state.learner.networks),
        why_no_actor,
    )
