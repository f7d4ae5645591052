"""How long episodes last before anybody is trained: whether a drift within them can come at all."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import NotApplicable
from assay.interop.gymnasium import HostedEnv, make
from assay.plans.drift_question import DriftQuestion

TRIED = 10  # episodes of random play


def require_in_time(question: DriftQuestion) -> float:
    """The time limit of a hosted env, before which a drift must come; native tasks have an axis for it."""
    env = make(question.control)
    try:
        limit = env.inner.host.limit if isinstance(env, HostedEnv) else math.inf
    finally:
        env.close()
    if question.drifts[0] >= limit:
        raise NotApplicable(
            f"the schedule of {question.task} does not come on within the {limit:,.0f} steps after which "
            "every episode is over; let it begin earlier."
        )
    return float(limit)


def say_random_play_is_short(question: DriftQuestion) -> str:
    """A sentence where no episode of random play lives to see the drift, else "".

    That proves nothing of agents that learn to last, but those that do not are trained in vain.
    """
    first = question.drifts[0]
    longest = max(random_length(question.control, first + 1))
    if longest > first:
        return ""
    return (
        f"{TRIED} episodes of random play on {question.control} last {longest:,} steps at most, and the "
        f"first drift comes after {first:,}: unless agents learn to last longer, nothing drifts, and there "
        "will be no report"
    )


def random_length(task: str, steps: int) -> list[int]:
    """The lengths of episodes of random play, each of so many steps at most."""
    env = make(task)
    env.action_space.seed(0)
    lengths = []
    try:
        for episode in range(TRIED):
            env.reset(seed=0 if episode == 0 else None)
            length, ended = 0, False
            while length < steps and not ended:
                *_, terminated, truncated, _ = env.step(env.action_space.sample())
                length, ended = length + 1, bool(np.any(terminated) or np.any(truncated))
            lengths.append(length)
            if not ended:
                break
    finally:
        env.close()
    return lengths
