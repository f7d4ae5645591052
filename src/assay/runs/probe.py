"""What a plan must know of a hosted env before an exam: do its episodes end, and does it obey its seed?

An exam pairs episodes of the plain and the varied task that begin alike. An env that ignores its seed, or
that carries something over from one episode to the next, breaks the pairs without a word; it is refused here.
"""

from __future__ import annotations

import math
from typing import Any

from assay.core.streams import generator
from assay.errors import NotApplicable
from assay.interop.gymnasium import HostedEnv, make
from assay.names import TaskText
from assay.runs.play import content_of

MAX_STEPS = 10_000  # of an episode, where an env has no limit of its own
TRIED = 25  # steps of each episode that is compared


def has_no_limit(env: HostedEnv) -> bool:
    """Whether nothing is known to end an episode that the agent does not end."""
    host = env.inner.host
    return host.limit == math.inf and not host.ends_itself


def probe(text: TaskText, max_steps: int | None) -> int | None:
    """The steps after which episodes are cut, or None where the env itself has a limit and none was asked."""
    env = make(text)
    try:
        require_seeded(env, text)
        if max_steps is None and has_no_limit(env):
            return MAX_STEPS
        return max_steps
    finally:
        env.close()


def require_seeded(env: HostedEnv, text: TaskText) -> None:
    """Refuses an env whose episodes are not those of their seed and number."""
    first = [trace(env, 0), trace(env, 1)]
    if trace(env, 0) != first[0]:
        raise NotApplicable(unseeded(text, "the same env, reset twice with one seed, played two episodes"))
    other = make(text)
    try:
        if trace(other, 1) != first[1]:
            why = (
                "episode 1 of a seed differs between an env that played episode 0 before and one that did not"
            )
            raise NotApplicable(unseeded(text, why))
    finally:
        other.close()


def unseeded(text: TaskText, why: str) -> str:
    return (
        f"{text} does not obey its seed: {why}, under the same actions, so plain and varied episodes could "
        "not be paired; draw from self.np_random alone, and begin anew at every reset."
    )


def trace(env: HostedEnv, episode: int) -> list[Any]:
    """What the first steps of an episode of seed 0 show, under actions of a stream of their own."""
    seen, _ = env.begin(0, episode)
    rng, shown = generator("probe", episode), [content_of(seen)]
    for _ in range(TRIED):
        seen, reward, terminated, truncated, _ = env.step(env.inner.host.sample(rng))
        shown += [content_of(seen), float(reward), terminated, truncated]
        if terminated or truncated:
            break
    return shown
