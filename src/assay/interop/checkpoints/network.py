"""The published networks that see four gray pictures of 84 x 84, run in JAX, and the policies that play them.

Layers have flax's form: kernels of height x width x in x out, pictures with their frames last.

DQN and M-DQN (Mnih et al. 2015) have three convolutions, a full layer and one of values. C51 (Bellemare et
al. 2017) has a distribution over given returns for each action, and takes the best mean. i-DQN (Vincent et
al. 2025) has several sets of values, of which one is drawn at every step. Actor-critics draw the action; that
of IMPALA (Espeholt et al. 2018) has residual blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.interop.play import LANES
from assay.interop.policy import Policy

Layer = dict[str, Any]  # the arrays kernel and bias
STRIDES = (4, 2, 1)
SHAPES = ((8, 8, 4, 32), (4, 4, 32, 64), (3, 3, 64, 64))
WIDTH = 512  # of the full layer
# Numbers that the convolutions give -> how they treat edges: 7 x 7 x 64 without padding, 11 x 11 x 64 with.
PADDINGS = {3136: "VALID", 7744: "SAME"}
ACTIONS, HEADS = "actions", "heads"


class PixelAgent(NamedTuple):
    """A network that was read from a file."""

    kind: str  # for sentences
    actions: int
    params: Any
    values: Callable[
        ..., jax.Array
    ]  # params, pictures, and the head where heads are drawn -> (rows, actions)
    draws: str = ""  # what it draws at random at every step: actions, or which head acts
    game: str = ""  # the env that the file names


def convolve(inputs: jax.Array, layer: Layer, stride: int, padding: str) -> jax.Array:
    kernel = layer["kernel"]
    out = jax.lax.conv_general_dilated(
        inputs, kernel, (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return out + layer["bias"]


def connect(inputs: jax.Array, layer: Layer) -> jax.Array:
    return inputs @ layer["kernel"] + layer["bias"]


def flat(inputs: jax.Array) -> jax.Array:
    return inputs.reshape(len(inputs), -1)


def brightness(pictures: jax.Array) -> jax.Array:
    return pictures.astype(jnp.float32) / 255


def convolutions(layers: list[Layer], pictures: jax.Array, padding: str) -> jax.Array:
    out = brightness(pictures)
    for layer, stride in zip(layers, STRIDES):
        out = jax.nn.relu(convolve(out, layer, stride, padding))
    return flat(out)


def two_layers(hidden: Layer, last: Layer, inputs: jax.Array) -> jax.Array:
    return connect(jax.nn.relu(connect(inputs, hidden)), last)


def nature_values(params: Any, pictures: jax.Array) -> jax.Array:
    """(rows, actions): the values of a DQN, or the logits of an actor over the same layers."""
    padding = PADDINGS[params["full"]["kernel"].shape[0]]
    seen = convolutions(params["convolutions"], pictures, padding)
    return two_layers(params["full"], params["last"], seen)


def expected_values(params: Any, pictures: jax.Array) -> jax.Array:
    """(rows, actions): the mean return of each action's distribution."""
    atoms = params["atoms"]
    logits = nature_values(params, pictures)
    return jax.nn.softmax(logits.reshape(len(logits), -1, len(atoms))) @ atoms


def values_of_head(params: Any, pictures: jax.Array, head: jax.Array) -> jax.Array:
    """(rows, actions): the values of one head, on its own body, or from head 1 on a shared second one."""
    bodies = len(params["convolutions"][0]["bias"])
    layers = at(params["convolutions"], jnp.minimum(head, bodies - 1))
    return two_layers(
        at(params["full"], head), at(params["last"], head), convolutions(layers, pictures, "SAME")
    )


def at(layers: Any, place: jax.Array) -> Any:
    """One of the networks whose arrays lie along a first axis."""
    return jax.tree.map(lambda each: each[place], layers)


def residual_logits(params: Any, pictures: jax.Array) -> jax.Array:
    """(rows, actions): the actor's logits over the residual network of IMPALA."""
    out = brightness(pictures)
    for stage in params["stages"]:
        out = halve(convolve(out, stage["first"], 1, "SAME"))
        for block in stage["blocks"]:
            inner = out
            for layer in block:
                inner = convolve(jax.nn.relu(inner), layer, 1, "SAME")
            out = out + inner
    return two_layers(params["full"], params["last"], flat(jax.nn.relu(out)))


def halve(inputs: jax.Array) -> jax.Array:
    """The largest of every 3 x 3 numbers, at every second place."""
    return jax.lax.reduce_window(inputs, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def policy_in(agent: PixelAgent, channels_first: bool) -> Policy:
    """How the network plays where the frames of a picture lie along its last axis, or its first."""
    params = jax.device_put(agent.params)
    values = jax.jit(agent.values)

    def outputs(rows: Any, *head: int) -> np.ndarray:
        pictures = np.asarray(rows)
        return np.asarray(values(params, np.moveaxis(pictures, 1, -1) if channels_first else pictures, *head))

    if agent.draws:
        heads = len(agent.params["last"]["bias"]) if agent.draws == HEADS else 0
        drawing = Drawing(outputs, heads)
        return Policy(drawing.act, reset=drawing.reset)

    def act_batch(rows: Any) -> np.ndarray:
        return outputs(rows).argmax(-1)

    # A single row goes through the program of the batch too: another program might round otherwise.
    return Policy(lambda row: int(act_batch(np.stack([row] * LANES))[0]), act_batch=act_batch)


class Drawing:
    """Plays a network that draws at every step, by a generator that is seeded for each episode."""

    def __init__(self, outputs: Callable[..., np.ndarray], heads: int):
        self.outputs, self.heads = outputs, heads
        self.reset(0)

    def reset(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def act(self, observation: Any) -> int:
        row = np.asarray(observation)[None]
        if self.heads:
            return int(self.outputs(row, int(self.rng.integers(self.heads))).argmax())
        logits = self.outputs(row)[0]
        # The largest of logits with Gumbel noise has the probabilities of their softmax.
        return int((logits + self.rng.gumbel(size=len(logits))).argmax())
