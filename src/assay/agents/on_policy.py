"""Learning from rollouts of the policy as it is: the loop of PPO and A2C, all of it on the device.

Rollout, iteration, report, train: in that order. A `Method` is what sets one algorithm apart: the updates
that it makes of a rollout's steps. `on_policy_config.py` has the settings, `policy_network.py` the policy,
and `on_policy_lanes.py` the same on hosted tasks. Episodes that a time limit cuts are valued by their last
observation.

On pictures one seed fills a GPU: seeds are trained one after another, since a `vmap` over networks makes
grouped convolutions, which are several times slower. On other observations seeds are a `vmap`, but on CPUs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents.action_distribution import as_action, draw, likelihoods
from assay.agents.adam import Moments, no_moments
from assay.agents.agent import PieceLearner, Trained, require_fit
from assay.agents.encoder import prepare
from assay.agents.normalise import count_rows
from assay.agents.on_policy_config import OnPolicyConfig, settings_unfit
from assay.agents.policy_network import (
    Judged,
    Policy,
    first_memory,
    first_policy,
    fits,
    forget,
    judge,
    judge_sequences,
    lane_keys,
    prepare_all,
    view_of,
)
from assay.agents.tally import Report, Tally, count_step, empty_tally, take_report
from assay.core import step as loop
from assay.core.env import Task, World, record
from assay.core.keys import stream
from assay.core.space import Space

Spaces = dict[str, Space]


@dataclass(frozen=True)
class Method:
    """An on-policy algorithm by what it learns from a rollout."""

    # key, spaces, config, policy, moments, batch, learning rate -> policy, moments
    update: Callable[..., tuple[Policy, Moments]]


@record
class Rollout:
    """Steps of every env, (steps, envs, ...) each."""

    observation: Any  # as the network saw it
    action: Any  # the draw behind it
    likelihood: Any  # the logarithm of its probability
    value: Any
    reward: Any
    ended: Any
    cut: Any = None  # whether it ended by a time limit; None where its reward has what would have followed
    last: Any = None  # the last observation of an episode, prepared; zeros where no env ended
    memory: Any = ()  # after the step, of the episode that it was made in


class Batch(NamedTuple):
    """Steps of a rollout, (steps, ...) each; with a core they stay in sequences, (envs, steps, ...)."""

    observation: Any
    action: Any
    likelihood: Any
    value: Any
    advantage: Any
    begins: Any = ()  # whether an episode begins, where the policy has a core
    memory: Any = ()  # before the first step of a sequence, (envs, ...)


@record
class Learner:
    policy: Policy
    optimiser: Moments
    worlds: World  # (envs, ...)
    observations: Any  # (envs, ...), prepared
    memory: Any  # (envs, ...), before these observations
    tally: Tally  # (envs, ...)
    iteration: Any  # () int32


def start(key: jax.Array, task: Task, config: OnPolicyConfig) -> Learner:
    """A learner before its first step."""
    spaces = loop.spaces(task)
    require_fit(config.name, fits(spaces) or settings_unfit(config, spaces))
    space, policy = spaces["observation"], first_policy(stream(key, "network"), spaces, config)
    observations, worlds = jax.vmap(partial(loop.reset, task))(lane_keys(stream(key, "reset"), config))
    tally = jax.tree.map(lambda leaf: jnp.zeros((config.envs, *leaf.shape)), empty_tally())
    prepared = prepare_all(stream(key, "augment"), space, config, observations)
    memory = first_memory(space, policy, (config.envs,))
    return Learner(policy, no_moments(policy), worlds, prepared, memory, tally, jnp.int32(0))


def play(key: jax.Array, task: Task, config: OnPolicyConfig, learner: Learner) -> tuple[Learner, Rollout]:
    """A rollout of the policy as it is."""
    spaces, policy = loop.spaces(task), learner.policy
    space, actions = spaces["observation"], spaces["action"]
    Carry = tuple[World, Any, Any, Tally]

    def prepare_one(observation: jax.Array) -> jax.Array:
        return prepare(space, observation[None])[0]

    def step(carry: Carry, t: jax.Array) -> tuple[Carry, Rollout]:
        worlds, prepared, memory, tally = carry
        now = jax.random.fold_in(key, t)
        view = view_of(space, policy, memory, prepared)
        outputs, values, memory = judge(space, policy, view, config.precision, memory)
        drawn = draw(stream(now, "action"), actions, outputs, policy.spread)
        keys, again = (lane_keys(stream(now, name), config) for name in ("step", "again"))
        observations, worlds, out, last = loop.autoreset(
            task, keys, again, worlds, jax.vmap(partial(as_action, actions))(drawn), prepare_one
        )
        ended, cut = out.terminated | out.truncated, out.truncated & ~out.terminated
        likelihood = likelihoods(actions, outputs, policy.spread, drawn)
        reward = paid_to(config, out.reward)
        row = Rollout(view, drawn, likelihood, values, reward, ended, cut, last, memory)
        tally = jax.vmap(count_step)(tally, out)
        prepared = prepare_all(stream(now, "augment"), space, config, observations)
        return (worlds, prepared, forget(ended, memory), tally), row

    carry = learner.worlds, learner.observations, learner.memory, learner.tally
    (worlds, prepared, memory, tally), rollout = jax.lax.scan(
        step, carry, jnp.arange(config.rollout), unroll=unrolled(4)
    )
    learner = replace(learner, worlds=worlds, observations=prepared, memory=memory, tally=tally)
    return learner, rollout


def value_after(
    space: Space, config: OnPolicyConfig, policy: Policy, memory: Any, prepared: jax.Array
) -> jax.Array:
    """The values of observations after what is remembered, (envs,)."""
    view = view_of(space, policy, memory, prepared)
    values: jax.Array = judge(space, policy, view, config.precision, memory).values
    return values


def pay_for_cuts(space: Space, config: OnPolicyConfig, policy: Policy, rollout: Rollout) -> jax.Array:
    """Rewards with the value of what would have followed, where a time limit cut an episode.

    Values of last observations are computed here, step by step of those that cut something, and not while
    playing: a branch in that loop costs a GPU half as much again as the loop itself.
    """
    steps = rollout.cut.any(1)
    in_turn = jnp.argsort(~steps)  # those that cut something first

    def pay(i: jax.Array, reward: jax.Array) -> jax.Array:
        last, memory = jax.tree.map(lambda leaf: leaf[in_turn[i]], (rollout.last, rollout.memory))
        values = value_after(space, config, policy, memory, last)
        more = jnp.where(rollout.cut[in_turn[i]], config.discount * values, 0.0)
        return reward.at[in_turn[i]].add(more)

    paid: jax.Array = jax.lax.fori_loop(0, steps.sum(), pay, rollout.reward)
    return paid


def advantages(config: OnPolicyConfig, rollout: Rollout, last_values: jax.Array) -> jax.Array:
    """Generalised advantage estimates (Schulman et al. 2016), (steps, envs)."""

    def back(carry: tuple[jax.Array, jax.Array], row: tuple) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        advantage, next_value = carry
        reward, value, ended = row
        goes_on = config.discount * (1.0 - ended)
        surprise = reward + goes_on * next_value - value
        advantage = surprise + goes_on * config.trace * advantage
        return (advantage, value), advantage

    rows = rollout.reward, rollout.value, rollout.ended
    first = jnp.zeros_like(last_values), last_values
    return jax.lax.scan(back, first, rows, reverse=True)[1]


def batch_of(rollout: Rollout, gains: jax.Array, memory: Any, has_core: bool) -> Batch:
    """A rollout's steps in one row, or in a sequence for each env; `memory` is that before the first step."""
    rows = Batch(rollout.observation, rollout.action, rollout.likelihood, rollout.value, gains)
    if not has_core:
        return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), rows)
    # Where a rollout begins with an episode, its memory is that of none already.
    begins = jnp.concatenate([jnp.zeros_like(rollout.ended[:1]), rollout.ended[:-1]])
    rows = jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), rows._replace(begins=begins))
    return rows._replace(memory=memory)


def judge_batch(space: Space, config: OnPolicyConfig, policy: Policy, batch: Batch) -> Judged:
    """What the policy makes now of the steps of a batch."""
    if policy.core is None:
        return judge(space, policy, batch.observation, config.precision)
    return judge_sequences(space, policy, batch.observation, batch.memory, batch.begins, config.precision)


def improve(
    method: Method, key: jax.Array, spaces: Spaces, config: OnPolicyConfig, policy: Policy,
    moments: Moments, rollout: Rollout, last_values: jax.Array, memory: Any, iteration: Any,
) -> tuple[Policy, Moments]:  # fmt: skip
    """What is learned from a rollout whose rewards have what would have followed."""
    gains = advantages(config, rollout, last_values)
    batch, rate = batch_of(rollout, gains, memory, policy.core is not None), rate_at(config, iteration)
    policy, moments = method.update(key, spaces, config, policy, moments, batch, rate)
    if policy.seen is not None:
        # Not before the update, which compares the policy with itself as it was.
        rows = rollout.observation.reshape(-1, rollout.observation.shape[-1])
        policy = policy._replace(seen=count_rows(policy.seen, rows))
    return policy, moments


def iterate(method: Method, key: jax.Array, task: Task, config: OnPolicyConfig, learner: Learner) -> Learner:
    """One rollout and what is learned from it; `key` is that of the whole training."""
    spaces, first = loop.spaces(task), learner.memory
    space = spaces["observation"]
    now = jax.random.fold_in(key, learner.iteration)
    learner, rollout = play(stream(now, "play"), task, config, learner)
    last_values = value_after(space, config, learner.policy, learner.memory, learner.observations)
    if config.ending == "bootstrap":
        rollout = replace(rollout, reward=pay_for_cuts(space, config, learner.policy, rollout))
    policy, moments = improve(
        method, stream(now, "update"), spaces, config, learner.policy, learner.optimiser, rollout,
        last_values, first, learner.iteration,
    )  # fmt: skip
    return replace(learner, policy=policy, optimiser=moments, iteration=learner.iteration + 1)


def rate_at(config: OnPolicyConfig, iteration: Any) -> Any:
    """The learning rate of an iteration."""
    return (
        config.learning_rate * (1 - iteration / config.iterations) if config.anneal else config.learning_rate
    )


def paid_to(config: OnPolicyConfig, reward: jax.Array) -> jax.Array:
    """The rewards that are learned from."""
    return jnp.sign(reward) if config.signs else reward


def unrolled(times: int) -> int:
    """How many turns of a loop become one: a GPU gains by it, and a CPU would only compile longer."""
    return times if jax.default_backend() == "gpu" else 1


def report(config: OnPolicyConfig, learner: Learner) -> tuple[Learner, Report]:
    """What the episodes that finished since the last report came to, over all envs."""
    lanes = learner.tally
    whole = Tally(lanes.so_far, lanes.finished.sum(0))
    _, made = take_report(whole, learner.iteration * config.batch)
    tally = Tally(lanes.so_far, jnp.zeros_like(lanes.finished))
    return replace(learner, tally=tally), made


def advance(
    method: Method, key: jax.Array, task: Task, config: OnPolicyConfig, learner: Learner, count: Any
) -> Learner:
    """Some iterations; `key` is that of the whole training."""
    turn = partial(iterate, method, key, task, config)
    after: Learner = jax.lax.fori_loop(0, count, lambda _, now: turn(now), learner)
    return after


def report_at(config: OnPolicyConfig) -> tuple[int, ...]:
    """The iterations after which a report is made, the last one included."""
    times = range(config.between_reports, config.iterations + 1, config.between_reports)
    return (*times, *([config.iterations] if config.iterations % config.between_reports else ()))


def train(method: Method, key: jax.Array, task: Task, config: OnPolicyConfig) -> Trained:
    """Trains one agent. Pure and jittable; `Agent.alone` says where it is not for `vmap`."""

    def make_report(learner: Learner, _: None, iterations: int) -> tuple[Learner, tuple[Report, Policy]]:
        learner, made = report(config, advance(method, key, task, config, learner, iterations))
        return learner, (made, learner.policy)

    learner, parts = start(key, task, config), []
    whole, rest = divmod(config.iterations, config.between_reports)
    for count, iterations in ((whole, config.between_reports), (min(rest, 1), rest)):
        if count:
            every = partial(make_report, iterations=iterations)
            learner, part = jax.lax.scan(every, learner, None, length=count)
            parts.append(part)
    reports, checkpoints = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *parts)
    return Trained(learner.policy, reports, checkpoints)


def pieces(method: Method) -> PieceLearner:
    """How a training by this method can be stopped and go on."""
    return PieceLearner(report_at, start, partial(advance, method), report, attrgetter("policy"))
