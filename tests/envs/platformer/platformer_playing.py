"""What the platformer's tests share: a task played action by action, compiled once for each structure."""

import jax
import jax.numpy as jnp
import numpy as np

from assay.core import step as loop
from assay.core.keys import root_of, step_key
from assay.native import native

KEY = root_of(0)
LEFT, RIGHT, JUMP = 1, 2, 4


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


def play(text, actions, key=KEY):
    """States by name as arrays over time, beginning with the first state; and the rewards."""
    task = native(text).task if isinstance(text, str) else text
    count, length = len(actions), 64 if len(actions) <= 64 else 512  # few lengths, for each is compiled
    padded = jnp.zeros((2, length), jnp.int32).at[:, :count].set(jnp.asarray(actions))
    first, (states, rewards, cut) = played(task, jnp.stack([key, key]), padded)
    joined = jax.tree.map(
        lambda a, b: np.concatenate([np.asarray(a[:1]), np.asarray(b[0, :count])]), first, states
    )
    return joined, np.asarray(rewards[0, :count]), np.asarray(cut[0, :count])
