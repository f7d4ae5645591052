"""A host that hands out its own state array, and two channels that abuse what they are given."""

import numpy as np

from assay.core.space import Box, Discrete
from assay.core.variation import Channel


class Leaky:
    """A point that is pushed left or right; its observation is the very array it computes with."""

    env, limit, fresh, action_space, observation_space = None, np.inf, False, None, None
    ends_itself = False

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
