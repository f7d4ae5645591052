"""What the platformer's tests share: a task played action by action, compiled once for each structure."""

from dataclasses import replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import root_of, step_key
from assay.core.variation import put
from assay.native import build_native
from assay.tasks import resolve

KEY = root_of(0)
LEFT, RIGHT, JUMP = 1, 2, 4
LONGEST, LANES = 512, 5  # actions, and episodes beside each other: one size for all, for each is compiled
CROWD_STEPS = 150
# Everything that a scene may hold; all that plays it is one program, whatever the start and the speed.
CROWD = ("platformer/run+preset=kage-default+npc.sticky_enabled+effects.point_light_enabled"
         "+background.switch_frequency=0.5+filters.pop_filter_list=[noir,retro]+start=[{x},30]"
         "+physics.move_speed={speed}")  # fmt: skip


@jax.jit
def played(task, key, actions):
    """The first state, then all states and rewards; in lanes, for so is play in training."""

    def of_lane(key, actions):
        world = loop.start(task, step_key(key, 0))

        def one(world, action):
            out = loop.advance(task, step_key(key, world.time + 1), world, action)
            return out.state, (out.state.state, out.reward, out.truncated)

        return world.state, jax.lax.scan(one, world, actions)[1]

    return jax.vmap(of_lane)(key, actions)


def folded(text):
    """The task with its fields put into the params, so that few programs serve all levels."""
    task = build_native(text).task
    params = task.env.params
    for v in task.variations:
        params = put(params, v.name, v.level)
    return Task(replace(task.env, params=params))


def settings_of(text):
    """The settings of a task as plain values, by the names of its text."""
    found = resolve(text)
    settings = found.settings
    for axis, setting in found.variation_settings:
        settings = put(settings, axis.name, setting.value)
    return settings


def played_in_lanes(task, keys, actions):
    """What `played` gives, on the host; what follows the actions is not to be read."""
    padded = np.zeros((LANES, LONGEST), np.int32)
    padded[:, : len(actions[0])] = actions
    return jax.device_get(played(task, keys, padded))


def play(text, actions, key=KEY):
    """States by name as arrays over time, beginning with the first state; and the rewards."""
    count = len(actions)
    task = folded(f"{text}+observation=state")  # a scene is no part of the state, and would be compiled too
    first, (states, rewards, cut) = played_in_lanes(task, jnp.stack([key] * LANES), [actions] * LANES)
    joined = jax.tree.map(lambda a, b: np.concatenate([a[:1], b[0, :count]]), first, states)
    return joined, rewards[0, :count], cut[0, :count]


@jax.jit
def worlds_of(task, key, actions):
    """The first world and all after it, with their scenes."""
    world = loop.start(task, step_key(key, 0))

    def one(world, action):
        out = loop.advance(task, step_key(key, world.time + 1), world, action)
        return out.state, out.state

    return world, jax.lax.scan(one, world, actions)[1]


@cache
def crowd(x=64, speed=1, actions=(0,), seed=0):
    """The worlds of a full scene, on the host; the actions are repeated to the end."""
    task = folded(CROWD.format(x=x, speed=speed))
    chosen = np.resize(np.array(actions, np.int32), CROWD_STEPS)
    return jax.device_get(worlds_of(task, root_of(seed), jnp.asarray(chosen)))
