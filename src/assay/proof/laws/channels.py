"""The laws of a channel by itself: fed with values directly it needs no env, and a long episode costs little.

Scripts seldom live long, so that what a channel does after some hundred steps is met here and nowhere else.
What it adds is told from what the env does by feeding the same values under every seed. numpy only.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from assay.core.space import Box, Discrete, Space, require_numbers
from assay.core.streams import generator
from assay.core.variation import RUNNING, Channel

STEPS = 600  # of one episode; past any span of time that a script survives
DIFFERENT = 16  # values that are fed in turn
SEEDS = 3
LONGEST = 100  # a pattern that is no chance repeats itself within so many steps
MOST_TURNS, MOST_CHANGES = 0.25, 8  # beyond these a pattern that never repeats itself is chance
FEW = 16  # so many different values are told apart by how often they change, more by their ups and downs


class Fed(NamedTuple):
    """A channel, the space it acts on, and the namespace in which it is fed."""

    channel: Channel
    space: Space
    xp: Any
    plain_numbers: bool  # whether a value is one of Python's numbers, as hosts pass rewards and actions


def can_be_fed(channel: Any, space: Space) -> bool:
    """Whether this is a channel whose level stands still, on a space whose values can be made up."""
    return isinstance(channel, Channel) and channel.clock is None and isinstance(space, (Box, Discrete))


def make_up_values(fed: Fed, steps: int) -> list:
    """Values of the channel's space in turn, the same at every call."""
    space, rng = require_numbers(fed.space), generator("fed", fed.channel.name)
    size = DIFFERENT, *space.shape
    values: Any
    if isinstance(space, Discrete):
        values = space.start + rng.integers(np.asarray(space.n), size=size)
    elif space.dtype == "uint8":
        values = rng.integers(256, size=size)
    else:
        values = np.clip(rng.normal(size=size), space.low, space.high)
    values = values.astype(space.dtype)
    values = values.tolist() if fed.plain_numbers else list(values)
    return [values[step % DIFFERENT] for step in range(steps)]


def pass_through(fed: Fed, values: list, seed: int) -> Iterator:
    """What comes out, value by value, in one episode of a seed."""
    channel, space = fed.channel, fed.space
    memory, wanted = channel.memory(fed.xp, space, channel.bound), channel.draw(space, channel.bound)
    rng = generator(seed, 0, channel.name)
    for value in values:
        draw = draw_for(rng, wanted[0], wanted[1], fed.plain_numbers) if wanted else ()
        memory, out = channel.apply(fed.xp, channel.level, memory, draw, deepcopy(value), RUNNING, space)
        yield out


def draw_for(rng: np.random.Generator, kind: str, shape: tuple[int, ...], plain_numbers: bool) -> Any:
    draw = np.asarray((rng.random if kind == "uniform" else rng.standard_normal)(shape, dtype=np.float32))
    return draw.tolist() if plain_numbers else draw


def not_neutral(fed: Fed) -> str:
    """ "" where a channel at neutral lets everything pass as it is, else when it first does not."""
    values = make_up_values(fed, STEPS)
    for step, (value, out) in enumerate(zip(values, pass_through(fed, values, seed=0))):
        if not np.array_equal(np.asarray(out, fed.space.dtype), np.asarray(value, fed.space.dtype)):
            return f"it changes what passes at step {step} of a long episode"
    return ""


def alters_what_was_seen(fed: Fed) -> bool:
    """Whether anything handed out is another value later: an agent may keep what it has seen."""
    kept = [
        (out, np.asarray(out).tobytes()) for out in pass_through(fed, make_up_values(fed, STEPS // 6), seed=0)
    ]
    return any(np.asarray(out).tobytes() != then for out, then in kept)


def wrong_chance(fed: Fed) -> str:
    """ "" where what a channel adds by chance comes from its stream, else what is wrong.

    With a stream, it adds something else under every seed. Without one it adds the same, and a constant
    value becomes a constant, a pattern that repeats itself, or a drift: not noise.
    """
    values = make_up_values(fed, STEPS // 3)
    runs = {
        b"".join(np.asarray(out).tobytes() for out in pass_through(fed, values, seed))
        for seed in range(SEEDS)
    }
    if fed.channel.draw(fed.space, fed.channel.bound):
        return "" if len(runs) > 1 else f"what it adds is the same under {SEEDS} seeds"
    if len(runs) > 1:
        return "it declares no draw, and what it adds differs from seed to seed"
    still = list(pass_through(fed, [values[0]] * STEPS, seed=0))
    return "it adds noise of its own, alike under every seed; declare a draw" if is_noise(still) else ""


def is_noise(outputs: list) -> bool:
    """Whether the later half neither repeats itself nor drifts."""
    late = [np.asarray(out, "float64") for out in outputs[len(outputs) // 2 :]]
    words = [out.tobytes() for out in late]
    if any(words[period:] == words[:-period] for period in range(1, LONGEST + 1)):
        return False
    if len(set(words)) <= FEW:
        return sum(a != b for a, b in pairwise(words)) > MOST_CHANGES
    ways = np.sign(np.diff([out.sum() for out in late]))
    return bool(np.mean(ways[1:] != ways[:-1]) > MOST_TURNS)
