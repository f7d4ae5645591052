"""A host that hands out its own state array, and channels that abuse what they are given."""

import sys

import numpy as np

from assay.core.host import Powers
from assay.core.space import Box, Discrete
from assay.core.variation import Channel


class Leaky:
    """A point that is pushed left or right; its observation is the very array it computes with."""

    env, limit, fresh, action_space, observation_space = None, np.inf, False, None, None
    ends_itself, powers = False, Powers()

    def __init__(self):
        self.spaces = {
            "action": Discrete(2),
            "reward": Box(-np.inf, np.inf, (), "float64"),
            "observation": Box(-100.0, 100.0, (2,), "float64"),
        }
        self.brightness = 1.0

    def reset(self, seed):
        self.state, self.time = np.random.default_rng(seed).normal(size=2), 0
        return self.state, {}

    def step(self, action):
        self.time += 1
        self.state[1] += 0.1 * (2 * action - 1)
        self.state[0] += 0.1 * self.state[1]
        return self.state, float(self.state[0]), False, self.time >= 50, {}

    def latent(self):
        return self.state.copy()

    def sample(self, rng):
        return int(rng.integers(2))

    def close(self):
        pass


def build(name, settings, render_mode=None):
    return Leaky()


def in_place(xp, level, memory, draw, value, ends, space):
    value *= 1 - level
    return memory, value


class Resets:
    """Remembers across episodes, which a channel's memory cannot."""

    count = 0


def counting_memory(xp, space, bound):
    Resets.count += 1
    return Resets.count


def dims_later(xp, level, memory, draw, value, ends, space):
    return memory, value * (1 - 0.5 * level) if memory % 3 == 0 and level else value


IN_PLACE = Channel(0.0, "in_place", ("observation",), in_place)
COUNTS_RESETS = Channel(0.0, "counts_resets", ("observation",), dims_later, memory=counting_memory)


def writes_into_info(xp, level, memory, draw, value, ends, space):
    """Tells the agent its reward beforehand, in the info that the loop is about to hand out."""
    told = sys._getframe(1).f_locals.get("info")
    if told is not None and level:
        told["hint"] = value
    return memory, value + level


def own_generator(xp, space, bound):
    return np.random.default_rng(0)


def adds_its_own_noise(xp, level, memory, draw, value, ends, space):
    return memory, value + level * memory.normal()


def drops_now_and_then(xp, level, memory, draw, value, ends, space):
    return memory, xp.where(memory.random() < 0.1 * level, 0.0 * value, value)


def one_draw(space, bound):
    return ("normal", ())


def count(xp, space, bound):
    return 0


def late(xp, level, memory, draw, value, ends, space):
    return memory + 1, value + level + (1e-3 if memory >= 200 else 0.0)


def very_late(xp, level, memory, draw, value, ends, space):
    return memory + 1, value + level + (1e-3 if memory >= 520 else 0.0)


def last_seen(xp, space, bound):
    return [None]


def repaints(xp, level, memory, draw, value, ends, space):
    """Darkens the observation that the agent was given one step ago."""
    if memory[0] is not None:
        memory[0] *= 1 - level
    memory[0] = value * (1 - level)
    return memory, memory[0]


INTO_INFO = Channel(0.0, "into_info", ("reward",), writes_into_info)
OWN_NOISE = Channel(0.0, "own_noise", ("reward",), adds_its_own_noise, memory=own_generator)
OWN_DROPS = Channel(0.0, "own_drops", ("reward",), drops_now_and_then, memory=own_generator)
IGNORES_ITS_DRAW = Channel(
    0.0, "ignores_its_draw", ("reward",), adds_its_own_noise, memory=own_generator, draw=one_draw
)
LATE = Channel(0.0, "late", ("reward",), late, memory=count)
VERY_LATE = Channel(0.0, "very_late", ("reward",), very_late, memory=count, lasts=True)
REPAINTS = Channel(0.0, "repaints", ("observation",), repaints, memory=last_seen)
