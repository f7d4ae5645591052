"""What a plan must know of a hosted env before an exam: do its episodes end, and does it obey its seed?

An exam pairs episodes of the plain and the varied task that begin alike. An env that ignores its seed, or
that carries something over from one episode to the next, breaks the pairs without a word; it is refused here.
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

TRIED = 25  # steps of each episode that is compared


def has_no_limit(env: HostedEnv) -> bool:
    """Whether nothing is known to end an episode that the agent does not end."""
    host = env.inner.host
    return host.limit == math.inf and not host.ends_itself


def probe(text: TaskText, max_steps: int | None) -> int | None:
    """The steps after which episodes are cut, or None where the env itself has a limit and none was asked."""
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
    """Refuses an env whose first observation is not of the space that it declares."""
    seen, space = env.begin(0, 0)[0], env.observation_space
    shape = np.shape(seen)
    if isinstance(space, Box) and (
        shape != space.shape or not np.can_cast(np.asarray(seen).dtype, space.dtype)
    ):
        raise NotApplicable(
            f"{text} shows an observation of shape {shape} and type {np.asarray(seen).dtype}, and declares "
            f"{space.shape} and {space.dtype}; mend its observation_space, or what it returns."
        )


def require_seeded(env: HostedEnv, text: TaskText) -> None:
    """Refuses an env whose episodes are not those of their seed and number."""
    first = [trace(env, 0), trace(env, 1)]
    if trace(env, 0) != first[0]:
        raise NotApplicable(
            find_unseeded(text, "the same env, reset twice with one seed, played two episodes")
        )
    other = make(text)
    assert isinstance(other, HostedEnv)
    try:
        if trace(other, 1) != first[1]:
            why = (
                "episode 1 of a seed differs between an env that played episode 0 before and one that did not"
            )
            raise NotApplicable(find_unseeded(text, why))
    finally:
        other.close()


def find_unseeded(text: TaskText, why: str) -> str:
    return (
        f"{text} does not obey its seed: {why}, under the same actions, so plain and varied episodes could "
        "not be paired; draw from self.np_random alone, and begin anew at every reset."
    )


def trace(env: HostedEnv, episode: int) -> list[Any]:
    """What the first steps of an episode of seed 0 show, under actions of a stream of their own."""
    seen, _ = env.begin(0, episode)
    rng = generator("probe", episode)
    shown: list[Any] = [content_of(seen)]
    for step in range(TRIED):
        try:
            seen, reward, terminated, truncated, _ = env.step(env.inner.host.sample(rng))
        except FAILURES as error:
            raise AssayError(f"{env.task} raised {blame(error)}, at step {step} of random play.") from error
        if not math.isfinite(reward):
            raise AssayError(f"{env.task} paid {reward} at step {step} of random play; mend the env.")
        shown += [content_of(seen), float(reward), terminated, truncated]
        if terminated or truncated:
            break
    return shown
