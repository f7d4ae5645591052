"""Checks a hosted env before an exam: do its episodes end, and does its seed decide them?

An exam pairs episodes of the plain and the varied task that begin alike. An env that ignores its seed, or
that carries something over from one episode to the next, would break the pairs silently; it is refused here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from assay.core.streams import generator
from assay.errors import AssayError, NotApplicable
from assay.interop.agents import FAILURES, blame
from assay.interop.gymnasium import HostedEnv, make
from assay.interop.play import content_of
from assay.plans.defaults import MAX_STEPS
from assay.task_text import TaskText

STEPS_COMPARED = 25  # of each episode


def has_no_limit(env: HostedEnv) -> bool:
    """Whether an episode may go on for ever: the env has no time limit and does not end by itself."""
    host = env.inner.host
    return host.limit == math.inf and not host.ends_itself


def probe(text: TaskText, max_steps: int | None) -> int | None:
    """The steps after which episodes are cut; None where only the env's own limit holds."""
    env = make(text)
    assert isinstance(env, HostedEnv), "native envs have a limit among their axes"
    try:
        require_declared_observations(env, text)
        require_seeded(env, text)
        if max_steps is None and has_no_limit(env):
            return MAX_STEPS
        return max_steps
    finally:
        env.close()


def require_declared_observations(env: HostedEnv, text: TaskText) -> None:
    """Refuses an env whose first observation does not fit the space that it declares."""
    observation, space = env.begin(0, 0)[0], env.observation_space
    shape, dtype = np.shape(observation), np.asarray(observation).dtype
    if isinstance(space, Box) and (shape != space.shape or not np.can_cast(dtype, space.dtype)):
        raise NotApplicable(
            f"{text} returns an observation of shape {shape} and type {dtype}, but declares {space.shape} "
            f"and {space.dtype}; correct its observation_space, or what it returns."
        )


def require_seeded(env: HostedEnv, text: TaskText) -> None:
    """Refuses an env whose episodes are not decided by their seed and number."""
    first = [trace(env, 0), trace(env, 1)]
    if trace(env, 0) != first[0]:
        raise NotApplicable(
            unseeded_message(text, "one env, reset twice with the same seed, played two different episodes")
        )
    other = make(text)
    assert isinstance(other, HostedEnv)
    try:
        if trace(other, 1) != first[1]:
            why = (
                "episode 1 of a seed differs between an env that played episode 0 first and one that did not"
            )
            raise NotApplicable(unseeded_message(text, why))
    finally:
        other.close()


def unseeded_message(text: TaskText, why: str) -> str:
    return (
        f"{text} does not obey its seed: {why} under the same actions, so plain and varied episodes cannot "
        "be paired; draw only from self.np_random, and reset everything at every reset."
    )


def trace(env: HostedEnv, episode: int) -> list[Any]:
    """Observations, rewards and endings of the first steps of an episode of seed 0, under fixed actions."""
    observation, _ = env.begin(0, episode)
    rng = generator("probe", episode)
    record: list[Any] = [content_of(observation)]
    for step in range(STEPS_COMPARED):
        try:
            observation, reward, terminated, truncated, _ = env.step(env.inner.host.sample(rng))
        except FAILURES as error:
            raise AssayError(f"{env.task} raised {blame(error)}, at step {step} of random play.") from error
        if not math.isfinite(reward):
            raise AssayError(
                f"{env.task} returned a reward of {reward} at step {step} of random play; correct the env."
            )
        record += [content_of(observation), float(reward), terminated, truncated]
        if terminated or truncated:
            break
    return record
