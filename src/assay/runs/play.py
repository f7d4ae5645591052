"""Evaluation of an agent from outside: whole episodes of one env, one after another, in plain Python.

Episodes depend on the seed and their number alone, so those of a plain and a varied task are pairs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import Any, NamedTuple

from assay.core.axis import shown
from assay.errors import AssayError
from assay.interop.agents import FAILURES, Act, blame
from assay.interop.checks import WrongAction
from assay.interop.gymnasium import TaskEnv


class Played(NamedTuple):
    """What became of one episode."""

    steps: int
    paid: float  # the return the agent was paid
    score: float  # the return of the unmodified reward
    terminated: bool
    truncated: bool
    drawn: dict[str, Any] | None = None  # by axis: the levels drawn for this episode
    told: Mapping[str, Any] = MappingProxyType({})  # by measure of the env: of how the episode ended


def play(
    act: Act, env: TaskEnv, name: str, seed: int, episodes: int, measures: Sequence[str] = ()
) -> list[Played]:
    """The first episodes of `seed` in an env made by `assay.make`; `name` is the agent's, for errors.

    `measures` are the names under which the env's last `info` tells them.

    An agent that keeps something from step to step has a function `reset`, as an attribute of the function
    or a method beside the method that acts; it is called without arguments before each episode.
    """
    reset = own_reset(act)
    return [one_episode(act, reset, env, name, seed, episode, measures) for episode in range(episodes)]


def own_reset(act: Act) -> Callable[[], Any] | None:
    owner = act.__self__ if inspect.ismethod(act) else act
    reset = getattr(owner, "reset", None) or getattr(act, "reset", None)
    return reset if callable(reset) else None


def one_episode(
    act: Act,
    reset: Callable[[], Any] | None,
    env: TaskEnv,
    name: str,
    seed: int,
    episode: int,
    measures: Sequence[str] = (),
) -> Played:
    if reset is not None:
        try:
            reset()
        except FAILURES as error:
            raise AssayError(
                f"the reset of {name} raised {blame(error)}, before episode {episode}."
            ) from error
    observation, first = env.reset(seed=seed) if episode == 0 else env.reset()
    steps, paid, score, over = 0, 0.0, 0.0, False
    while not over:
        try:
            action = act(observation)
        except FAILURES as error:
            when = f"at step {steps} of episode {episode} of {env.task}"
            raise AssayError(f"{name} raised {blame(error)}, {when}.") from error
        try:
            observation, reward, terminated, truncated, info = env.step(action)
        except WrongAction:
            raise refused(action, env, name, steps, episode) from None
        earned = info["score"]
        if not (isfinite(reward) and isfinite(earned)):
            raise AssayError(
                f"{env.task} paid {reward} for a score of {earned} at step {steps} of episode {episode}, "
                f"seed {seed}; no mean is taken over what is not finite, so mend the env."
            )
        steps, paid, score, over = steps + 1, paid + float(reward), score + earned, terminated or truncated
    told = {measure: info[measure] for measure in measures}
    return Played(steps, paid, score, bool(terminated), bool(truncated), first.get("drawn") or None, told)


def refused(action: Any, env: TaskEnv, name: str, step: int, episode: int) -> AssayError:
    """The env has checked the action, as it does in everybody's loop; here is who returned it, and when."""
    returned = "None, which is no action," if action is None else " ".join(shown(action).split())
    when = f"at step {step} of episode {episode}"
    return AssayError(f"{name} returned {returned} {when}, and {env.task} takes {env.action_space}.")
