"""What DDPG, TD3 and SAC share: which spaces they fit, actions between bounds, critics, and their targets.

Inside, an action is a row of numbers from -1 to 1, one for each entry of the action space, so that no
dimension counts more because its range is larger. `to_box` and `to_unit` pass between these and values of
the space.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.encoder import is_picture
from assay.agents.network import ACTIVATIONS, Layers, as_features, first_layers
from assay.core.keys import stream
from assay.core.space import Box, Opaque, Space


def why_no_actor(spaces: dict[str, Space]) -> str:
    """The reason why an agent with an actor and critics cannot learn in these spaces, or ""."""
    action, seen = spaces["action"], spaces["observation"]
    if isinstance(action, Opaque):
        return f"its actions are rows of numbers, and these are a {action.what}"
    if not isinstance(action, Box):
        return "it chooses actions in a continuous range, and these are numbered"
    if np.dtype(action.dtype).kind != "f":
        return f"it chooses actions in a continuous range, and these are whole numbers ({action.dtype})"
    if not action.bounded:
        return "it scales actions to their bounds, and these have none"
    if isinstance(seen, Opaque):
        return f"its networks see numbers, and these observations are a {seen.what}"
    if is_picture(seen):
        return f"its networks see rows of numbers, and these observations are pictures of {seen.shape}"
    return ""


def dimensions(space: Space) -> int:
    """How many numbers an action has."""
    return int(np.prod(space.shape))


def middle_and_half(space: Space) -> tuple[np.ndarray, np.ndarray]:
    """The middle of each dimension's range and half its width, (dimensions,) float32 each."""
    assert isinstance(space, Box), "`why_no_actor` refuses other actions"
    low, high = (np.broadcast_to(np.asarray(each, "float64"), space.shape).ravel()
                 for each in (space.low, space.high))  # fmt: skip
    return ((low + high) / 2).astype("float32"), ((high - low) / 2).astype("float32")


def to_box(space: Space, unit: jax.Array) -> jax.Array:
    """The value of the action space, for (dimensions,) numbers from -1 to 1."""
    assert isinstance(space, Box), "`why_no_actor` refuses other actions"
    middle, half = middle_and_half(space)
    # Rounding must not lead beyond a bound.
    value = jnp.clip((middle + half * unit).reshape(space.shape), space.low, space.high)
    return value.astype(jax.dtypes.canonicalize_dtype(space.dtype))


def to_unit(space: Space, value: jax.Array) -> jax.Array:
    """The inverse of `to_box`; a dimension whose bounds are equal gives 0."""
    middle, half = middle_and_half(space)
    return (value.reshape(-1).astype(jnp.float32) - middle) / np.where(half > 0, half, 1)


def see(space: Space, observations: jax.Array) -> jax.Array:
    """What the networks see of a batch of observations, (batch, features) float32."""
    return jax.vmap(partial(as_features, space))(observations)


def first_critics(key: jax.Array, count: int, sizes: tuple[int, ...]) -> Layers:
    """So many critics side by side, (count, ...) of each leaf; `sizes` leave out the one output."""
    critics = [first_layers(stream(key, f"critic {i}"), (*sizes, 1)) for i in range(count)]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *critics)


def pass_through(layers: Layers, x: jax.Array, activation: str) -> jax.Array:
    """The outputs of the network for these features, (..., outputs).

    `network.outputs` with a gradient whose bits do not depend on how many seeds are trained side by side.
    """
    weights, bias = layers[0]
    x = add_bias(x @ weights, bias)
    for weights, bias in layers[1:]:
        x = add_bias(ACTIVATIONS[activation](x) @ weights, bias)
    return x


@jax.custom_vjp
def add_bias(x: jax.Array, bias: jax.Array) -> jax.Array:
    return x + bias


def add_bias_and_keep(x: jax.Array, bias: jax.Array) -> tuple[jax.Array, None]:
    return x + bias, None


def pass_back(_: None, gradient: jax.Array) -> tuple[jax.Array, jax.Array]:
    return gradient, sum_rows(gradient)


add_bias.defvjp(add_bias_and_keep, pass_back)


def sum_rows(rows: jax.Array) -> jax.Array:
    """The sum over a batch, (batch, n) -> (n,), whose bits do not depend on how many seeds are trained.

    XLA compiles a plain sum to another order for 2 seeds than for 10, and a product to the same. Without the
    barriers it would see through the product with ones.
    """
    ones, rows = jax.lax.optimization_barrier((jnp.ones((1, len(rows))), rows))
    return (ones @ rows)[0]


def judge(critics: Layers, seen: jax.Array, actions: jax.Array, activation: str) -> jax.Array:
    """The values by each critic, (critics, batch)."""
    both = jnp.concatenate([seen, actions], -1)
    return jax.vmap(lambda layers: pass_through(layers, both, activation)[:, 0])(critics)


def critic_loss(values: jax.Array, wanted: jax.Array, huber: float = 0.0) -> jax.Array:
    """Half the mean squared error, added up over the critics; errors beyond a `huber` count linearly."""
    errors = jnp.abs(values - wanted)
    near = jnp.minimum(errors, huber) if huber else errors
    return (0.5 * near * near + near * (errors - near)).mean(-1).sum()


def weight_penalty(layers: Layers) -> Any:
    """Half the sum of squared weights; biases are free."""
    return 0.5 * sum(jnp.sum(weights * weights) for weights, _ in layers)


def follow(target: Any, params: Any, share: float) -> Any:
    """The target after it moved by this share of the way to the params."""
    return jax.tree.map(lambda old, new: old + share * (new - old), target, params)
