"""A channel's memory that outlasts episodes, natively and on a host: by hand, with a channel that counts."""

from dataclasses import replace
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.core import step as loop
from assay.core.env import Task
from assay.core.host import HostedTask, Powers
from assay.core.keys import seed_words
from assay.core.space import Box, Discrete
from assay.core.variation import Channel
from assay.native import build_native
from assay.proof.laws import native as laws


def counting(xp, level, memory, draw, value, ends, space):
    """Pays how many steps it has seen, this one included."""
    (count,) = memory
    return (count + 1,), xp.asarray(count + 1, space.dtype)


def one_count(xp, space, bound):
    return (xp.zeros((), "int32"),)


LASTING = Channel(0.0, "counting", ("reward",), counting, memory=one_count, lasts=True)
RENEWED = Channel(0.0, "recounting", ("reward",), counting, memory=one_count)
HORIZON = 3
PLAIN = build_native(f"toy/discrete+terminal_state_density=0+horizon={HORIZON}").task


def with_channels(*channels):
    return Task(PLAIN.env, (*PLAIN.variations, *channels))


def counts(memory):
    """What the lasting and the renewed channel remember."""
    return [np.asarray(count).ravel().tolist() for (count,) in memory[-2:]]


autoreset, step = jax.jit(loop.autoreset), jax.jit(loop.step)


@pytest.mark.parametrize("lanes", [(2,), (2, 2)], ids=["one task", "a stack of tasks"])
def test_autoreset(lanes):
    task = with_channels(LASTING, RENEWED)
    if len(lanes) == 2:
        task = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), task)
    keys = jax.random.split(jax.random.key(0), lanes)
    worlds = jax.jit(loop.for_every_lane(len(lanes), loop.reset))(task, keys)[1]
    for kept, renewed in [(1, 1), (2, 2), (3, 0), (4, 1), (5, 2), (6, 0), (7, 1)]:
        _, worlds, _, _ = autoreset(task, keys, keys, worlds, jnp.zeros(lanes, jnp.int32))
        assert counts(worlds.memory) == [[kept] * keys.size, [renewed] * keys.size]


def test_the_next_episode_of_a_life_and_a_new_life():
    task, key = with_channels(LASTING, RENEWED), jax.random.key(0)
    world = unplayed = loop.start(task, key)
    for _ in range(HORIZON):
        world = step(task, key, world, jnp.int32(0)).state
    assert counts(loop.start_after(task, key, world).memory) == [[3], [0]]
    assert counts(loop.start(task, key).memory) == [[0], [0]]
    strange = replace(
        unplayed, memory=world.memory
    )  # no step of this life was made: there is nothing to keep
    assert counts(loop.start_after(task, key, strange).memory) == [[0], [0]]


def test_the_judge_remembers_as_long_as_the_judged():
    """Beside a variation of the observation, a lasting channel of both tasks is found untouched."""
    plain = with_channels(LASTING)
    noise = build_native("toy/discrete+observation.noise=0.5").task.variations
    varied = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], with_channels(*noise, LASTING))
    words, scripts = np.stack([seed_words(0), seed_words(1)]), np.array([0, 2])
    trace = laws.follow_all(plain, varied, (0, 2), words, scripts, 10)
    assert np.asarray(trace.reward)[0].tolist() == [list(range(1, 11))] * 2
    assert {name for name, marks in trace.touched.items() if marks.any()} == {"observation"}
    assert np.asarray(trace.truncated).sum() == 6


class Still:
    """A host in which nothing happens, for three steps."""

    limit, fresh, powers = HORIZON, True, Powers()
    spaces: ClassVar = {
        "action": Discrete(2),
        "reward": Box(-np.inf, np.inf, (), "float64"),
        "observation": Discrete(2),
    }

    def reset(self, seed):
        return 0, {}

    def step(self, action):
        return 0, 0.0, False, False, {}


def test_a_host_keeps_it_until_episode_0_begins_a_new_life():
    task = HostedTask(Still(), (LASTING, RENEWED))
    task_of_one = HostedTask(Still(), (LASTING,))

    def episode(of, number):
        of.reset(0, number)
        return [of.step(0).reward for _ in range(HORIZON)]

    assert [episode(task_of_one, number) for number in (0, 1, 0)] == [[1, 2, 3], [4, 5, 6], [1, 2, 3]]
    assert [episode(task, number) for number in (0, 1)] == [[1, 2, 3], [1, 2, 3]]  # what comes last pays
