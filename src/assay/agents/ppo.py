"""PPO (Schulman et al. 2017), all of it on the device: envs, network, and updates in one program.

Rollout, iteration, report, train: in that order. `ppo_config.py` has the settings, `ppo_policy.py` the
policy, `ppo_update.py` what is learned from a rollout, and `ppo_lanes.py` the same on hosted tasks;
`encoder.py` holds what sees, `adam.py` the optimiser. The defaults are those of KAGE-Bench, whose agent this
is on pictures. Episodes that a time limit cuts are valued by their last observation; KAGE-Bench's own
treatment, which takes a cut for an end, is `ending="kage"`.

One seed fills a GPU: seeds are trained one after another, since a `vmap` over networks makes grouped
convolutions, which are several times slower.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.adam import Moments, no_moments
from assay.agents.agent import Agent, PieceLearner, Trained, require_fit, with_number
from assay.agents.augment import without_pictures
from assay.agents.encoder import prepare
from assay.agents.ppo_config import Config
from assay.agents.ppo_lanes import LEARNER
from assay.agents.ppo_policy import (
    ACT_S,
    Policy,
    act,
    acts,
    first_policy,
    fits,
    judge,
    lane_keys,
    likelihoods,
    prepare_all,
    tells,
)
from assay.agents.ppo_update import Batch, Rollout, advantages, paid_to, rate_at, unrolled, update
from assay.agents.tally import Report, Tally, count_step, empty_tally, take_report
from assay.core import step as loop
from assay.core.env import Task, World, record
from assay.core.keys import stream
from assay.core.space import Space


@record
class Learner:
    policy: Policy
    optimiser: Moments
    worlds: World  # (envs, ...)
    observations: Any  # (envs, ...), prepared
    tally: Tally  # (envs, ...)
    iteration: Any  # () int32


def start(key: jax.Array, task: Task, config: Config) -> Learner:
    """A learner before its first step."""
    spaces = loop.spaces(task)
    require_fit("ppo", fits(spaces) or without_pictures(config, spaces))
    policy = first_policy(stream(key, "network"), spaces, config)
    observations, worlds = jax.vmap(partial(loop.reset, task))(lane_keys(stream(key, "reset"), config))
    tally = jax.tree.map(lambda leaf: jnp.zeros((config.envs, *leaf.shape)), empty_tally())
    prepared = prepare_all(stream(key, "augment"), spaces["observation"], config, observations)
    return Learner(policy, no_moments(policy), worlds, prepared, tally, jnp.int32(0))


def play(key: jax.Array, task: Task, config: Config, learner: Learner) -> tuple[Learner, Rollout]:
    """A rollout of the policy as it is."""
    spaces, policy = loop.spaces(task), learner.policy
    space = spaces["observation"]

    def prepare_one(observation: jax.Array) -> jax.Array:
        return prepare(space, observation[None])[0]

    def step(carry: tuple[World, Any, Tally], t: jax.Array) -> tuple[tuple[World, Any, Tally], Rollout]:
        worlds, prepared, tally = carry
        now = jax.random.fold_in(key, t)
        logits, values = judge(space, policy, prepared, config.precision)
        numbers = jax.random.categorical(stream(now, "action"), logits).astype(jnp.int32)
        keys, again = (lane_keys(stream(now, name), config) for name in ("step", "again"))
        observations, worlds, out, last = loop.autoreset(
            task, keys, again, worlds, jax.vmap(partial(with_number, spaces["action"]))(numbers), prepare_one
        )
        ended, cut = out.terminated | out.truncated, out.truncated & ~out.terminated
        reward = paid_to(config, out.reward)
        row = Rollout(prepared, numbers, likelihoods(logits, numbers), values, reward, ended, cut, last)
        tally = jax.vmap(count_step)(tally, out)
        return (worlds, prepare_all(stream(now, "augment"), space, config, observations), tally), row

    carry = learner.worlds, learner.observations, learner.tally
    (worlds, prepared, tally), rollout = jax.lax.scan(
        step, carry, jnp.arange(config.rollout), unroll=unrolled(4)
    )
    return replace(learner, worlds=worlds, observations=prepared, tally=tally), rollout


def pay_for_cuts(space: Space, config: Config, policy: Policy, rollout: Rollout) -> jax.Array:
    """Rewards with the value of what would have followed, where a time limit cut an episode.

    Values of last observations are computed here, step by step of those that cut something, and not while
    playing: a branch in that loop costs a GPU half as much again as the loop itself.
    """
    steps = rollout.cut.any(1)
    in_turn = jnp.argsort(~steps)  # those that cut something first

    def pay(i: jax.Array, reward: jax.Array) -> jax.Array:
        values = judge(space, policy, rollout.last[in_turn[i]], config.precision)[1]
        more = jnp.where(rollout.cut[in_turn[i]], config.discount * values, 0.0)
        return reward.at[in_turn[i]].add(more)

    paid: jax.Array = jax.lax.fori_loop(0, steps.sum(), pay, rollout.reward)
    return paid


def iterate(key: jax.Array, task: Task, config: Config, learner: Learner) -> Learner:
    """One rollout and what is learned from it; `key` is that of the whole training."""
    space = loop.spaces(task)["observation"]
    now = jax.random.fold_in(key, learner.iteration)
    learner, rollout = play(stream(now, "play"), task, config, learner)
    last_values = judge(space, learner.policy, learner.observations, config.precision)[1]
    if config.ending == "bootstrap":
        rollout = replace(rollout, reward=pay_for_cuts(space, config, learner.policy, rollout))
    gains = advantages(config, rollout, last_values)
    rows = Batch(rollout.observation, rollout.action, rollout.likelihood, rollout.value, gains)
    steps = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), rows)
    rate = rate_at(config, learner.iteration)
    policy, moments = update(
        stream(now, "update"), space, config, learner.policy, learner.optimiser, steps, rate
    )
    return replace(learner, policy=policy, optimiser=moments, iteration=learner.iteration + 1)


def report(config: Config, learner: Learner) -> tuple[Learner, Report]:
    """What the episodes that finished since the last report came to, over all envs."""
    lanes = learner.tally
    whole = Tally(lanes.so_far, lanes.finished.sum(0))
    _, made = take_report(whole, learner.iteration * (config.envs * config.rollout))
    tally = Tally(lanes.so_far, jnp.zeros_like(lanes.finished))
    return replace(learner, tally=tally), made


def advance(key: jax.Array, task: Task, config: Config, learner: Learner, count: Any) -> Learner:
    """Some iterations; `key` is that of the whole training."""
    turn = partial(iterate, key, task, config)
    after: Learner = jax.lax.fori_loop(0, count, lambda _, now: turn(now), learner)
    return after


def report_at(config: Config) -> tuple[int, ...]:
    """The iterations after which a report is made, the last one included."""
    times = range(config.between_reports, config.iterations + 1, config.between_reports)
    return (*times, *([config.iterations] if config.iterations % config.between_reports else ()))


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable, but not for `vmap`: see `Agent.alone`."""

    def make_report(learner: Learner, _: None, iterations: int) -> tuple[Learner, tuple[Report, Policy]]:
        learner, made = report(config, advance(key, task, config, learner, iterations))
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


PIECES = PieceLearner(report_at, start, advance, report, attrgetter("policy"))
AGENT = Agent(
    Config, train, act, fits, acts, step_s=2e-5, picture_step_s=1e-2, picture_act_s=ACT_S, alone=True,
    pieces=PIECES, tells=tells, fits_settings=without_pictures, learner=LEARNER,
)  # fmt: skip
