"""Bugs planted in agents of assay, one at a time, for `unit_test_calibration.py`.

A bug is a broken piece that stands in for the sound one while an agent's training is traced, or a setting
that its training takes in place of the one it was given. Nothing of the sound agent changes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from unittest.mock import patch

import jax
import jax.numpy as jnp

from assay.agents import dqn_update, n_step, on_policy, ppo, replay, sac
from assay.agents.agent import Agent
from assay.agents.noisy import undisturbed
from assay.agents.normalise import Running, count_rows
from assay.plans.agents import catalogue_agent


@dataclass(frozen=True)
class Bug:
    """What is broken, in which agent, and what the battery should name."""

    name: str
    agent: str
    part: str  # that the battery should name
    pieces: tuple[tuple[str, Any], ...] = ()  # where a piece is looked up, and what stands there
    settings: tuple[tuple[str, Any], ...] = ()  # what training takes in place of what it was given
    change: Callable[[Agent], Agent] | None = None


def buggy(bug: Bug) -> Agent:
    sound = catalogue_agent(bug.agent)

    def train(key: jax.Array, task: Any, config: Any) -> Any:
        with ExitStack() as patches:
            for place, piece in bug.pieces:
                patches.enter_context(patch(place, piece))
            # Past the checks of the settings: a bug keeps no rules.
            config = replace(config)
            for name, value in bug.settings:
                object.__setattr__(config, name, value)
            return sound.train(key, task, config)

    agent = replace(sound, train=train)
    return bug.change(agent) if bug.change else agent


def update_without_target(config, key, learner, q, target_q, lanes=1):
    return SOUND_UPDATE(config, key, replace(learner, target=learner.params), q, None, lanes)


def follow_at_once(target, params, share):
    return params


def through_ends(rows, *rest):
    return SOUND_RETURNS(replace(rows, terminated=jnp.zeros_like(rows.terminated)), *rest)


def advantages_through_ends(config, rollout, last_values):
    return SOUND_ADVANTAGES(config, replace(rollout, ended=jnp.zeros_like(rollout.ended)), last_values)


def remember_cuts_as_ends(replay, step, transition):
    return SOUND_REMEMBER(replay, step, replace(transition, terminated=transition.ended))


def remember_the_first(replay, step, transition):
    """A ring that is full takes nothing more."""
    return jax.tree.map(lambda all, one: all.at[step].set(one, mode="drop"), replay, transition)


def bootstrap_too_early(rows, step, first, n, discount, lanes=1):
    """The value after the last reward but one, so that the last counts twice."""
    right = SOUND_RETURNS(rows, step, first, n, discount, lanes)
    short = SOUND_RETURNS(rows, step, first, n - 1, discount, lanes)
    return replace(right, after=short.after)


def discount_too_little(rows, step, first, n, discount, lanes=1):
    """The value after n steps is discounted as if it were n - 1 away."""
    right = SOUND_RETURNS(rows, step, first, n, discount, lanes)
    return replace(right, discount=right.discount / discount)


def negative(function):
    return lambda *values: -function(*values)


def normalise_while_acting(agent: Agent) -> Agent:
    """The observations that are met when it is evaluated count too."""

    def start_memory(task, params):
        return () if params.seen is None else params.seen

    def act_and_count(act, task, params, memory, key, observation):
        if not isinstance(memory, Running):
            return act(task, params, memory, key, observation)
        known = count_rows(memory, observation[None])
        return act(task, params._replace(seen=known), (), key, observation)[0], known

    acts = {}

    def acts_of(config):
        act = agent.act_of(config)
        return acts.setdefault(config, partial(act_and_count, act))

    return replace(agent, start_memory=start_memory, acts=acts_of)


AGENTS = "assay.agents"
# Kept here, for while a training is traced something else stands in their places.
SOUND_UPDATE, SOUND_ADVANTAGES = dqn_update.update, on_policy.advantages
SOUND_REMEMBER, SOUND_RETURNS = replay.remember, n_step.returns_from


def sound_network(key, params):
    """The noise is left out."""
    return undisturbed(params)


BUGS = (
    Bug("no target network", "dqn", "target network", ((AGENTS + ".dqn.update", update_without_target),)),
    Bug("no target network (ddpg)", "ddpg", "target network", ((AGENTS + ".ddpg.follow", follow_at_once),)),
    Bug("discount 1", "dqn", "discount", settings=(("discount", 1.0),)),
    Bug("discount 1 (ppo)", "ppo", "discount", settings=(("discount", 1.0),)),
    Bug(
        "through termination",
        "dqn",
        "bootstrapping at termination",
        ((AGENTS + ".dqn_update.returns_from", through_ends),),
    ),
    Bug(
        "through termination (ppo)",
        "ppo",
        "bootstrapping at termination",
        ((AGENTS + ".on_policy.advantages", advantages_through_ends),),
    ),
    Bug(
        "no bootstrap at truncation",
        "dqn",
        "bootstrapping at truncation",
        ((AGENTS + ".dqn.remember", remember_cuts_as_ends),),
    ),
    Bug(
        "no bootstrap at truncation (ppo)",
        "ppo",
        "bootstrapping at truncation",
        settings=(("ending", "kage"),),
    ),
    Bug("reward sign", "dqn", "size of rewards", settings=(("clip", True),)),
    Bug("reward sign (ppo)", "ppo", "size of rewards", settings=(("signs", True),)),
    Bug("noise left out of acting", "rainbow", "exploration", ((AGENTS + ".dqn.disturb", sound_network),)),
    Bug(
        "n-step one early",
        "rainbow",
        "n-step returns",
        ((AGENTS + ".dqn_update.returns_from", bootstrap_too_early),),
    ),
    Bug(
        "n-step discount",
        "rainbow",
        "n-step returns",
        ((AGENTS + ".dqn_update.returns_from", discount_too_little),),
    ),
    Bug("replay never overwrites", "dqn", "replay", ((AGENTS + ".dqn.remember", remember_the_first),)),
    Bug(
        "replay never overwrites (sac)",
        "sac",
        "replay",
        ((AGENTS + ".off_policy.remember", remember_the_first),),
    ),
    Bug("normaliser at evaluation", "ppo", "statistics of observations", change=normalise_while_acting),
    Bug("entropy sign", "ppo", "entropy bonus", ((AGENTS + ".ppo.entropies", negative(ppo.entropies)),)),
    Bug(
        "entropy sign (a2c)", "a2c", "entropy bonus", ((AGENTS + ".a2c.entropies", negative(ppo.entropies)),)
    ),
    Bug("entropy sign (sac)", "sac", "entropy bonus", ((AGENTS + ".sac.alpha_of", negative(sac.alpha_of)),)),
)
