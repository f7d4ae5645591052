"""What the platformer's tests share: a task played action by action, compiled once for each structure."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import root_of, step_key
from assay.core.variation import put
from assay.native import native

KEY = root_of(0)
LEFT, RIGHT, JUMP = 1, 2, 4
LONGEST = 512  # actions; one length for all, for each is compiled


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
    task = native(text).task
    params = task.env.params
    for v in task.variations:
        params = put(params, v.name, v.level)
    return Task(replace(task.env, params=params))


def play(text, actions, key=KEY):
    """States by name as arrays over time, beginning with the first state; and the rewards."""
    count = len(actions)
    padded = np.zeros((2, LONGEST), np.int32)
    padded[:, :count] = actions
    first, (states, rewards, cut) = jax.device_get(played(folded(text), jnp.stack([key, key]), padded))
    joined = jax.tree.map(lambda a, b: np.concatenate([a[:1], b[0, :count]]), first, states)
    return joined, rewards[0, :count], cut[0, :count]
