"""What DQN remembers within an episode: nothing, a stack of what it saw and did, or the state of a core.

    look      what the network is given of an observation, with the memory before it
    judge     the outputs of the network there, and the state of the core after it
    recall    the memory before the next observation, once an action is chosen

A stack is the last observations, oldest first, each but the newest with the action that followed it; the
network sees it as one row of numbers. A core is a gated recurrent unit (`gru.py`) between the hidden layers
and the outputs; beside what the layers make of an observation it is given the action before. Nothing is given
of rewards, which an agent is not told when it is judged. What was before the episode is zeros.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents import gru
from assay.agents.agent import how_many
from assay.agents.dqn_config import Config
from assay.agents.encoder import encode, first_encoder, prepare
from assay.agents.network import ACTIVATIONS, Layers, as_features, features, first_layers, outputs
from assay.agents.noisy import undisturbed
from assay.agents.on_policy_config import GRU, STACK
from assay.agents.q_network import (
    FULL,
    MULTIPLY_S,
    OF_PICTURES,
    STEP_S,
    first_params,
    multiplications,
    network_of,
    step_s,
)
from assay.core.keys import stream
from assay.core.space import Box, Space

NO_ACTION = -1  # before the first; one-hot it is zeros

Spaces = dict[str, Space]


class Recurrent(NamedTuple):
    """A network with a core. `layers` are full, or convolutions, whose last layer is full."""

    layers: Any
    core: gru.Gru
    last: Layers  # from the state of the core to the outputs


class Recall(NamedTuple):
    """The memory of a core."""

    action: Any  # () int32, the number of the last one
    state: Any  # (width,) float32


def frames_of(spaces: Spaces, params: Any) -> int:
    """How many observations the network sees at a time, by the inputs of its first layer."""
    plain = undisturbed(params)
    if isinstance(plain, tuple):
        return 1
    seen, actions = features(spaces["observation"]), how_many(spaces["action"])
    return max(1, (int(plain[0][0].shape[-2]) + actions) // (seen + actions))


def stack_length(spaces: Spaces, frames: int) -> int:
    return frames * features(spaces["observation"]) + (frames - 1) * how_many(spaces["action"])


def as_seen(config: Config, spaces: Spaces) -> Spaces:
    """The spaces with what the network sees in the place of observations."""
    if config.memory != STACK:
        return spaces
    return stacked(spaces, config.stack_of)


def stacked(spaces: Spaces, frames: int) -> Spaces:
    length = stack_length(spaces, frames)
    return spaces | {"observation": Box(float("-inf"), float("inf"), (length,), "float32")}


def new_params(key: jax.Array, config: Config, spaces: Spaces) -> Any:
    """The network before any training."""
    if config.memory != GRU:
        return first_params(key, config.network, config.hidden, as_seen(config, spaces), config.head)
    space, actions = spaces["observation"], how_many(spaces["action"])
    layers: Any
    if config.network in OF_PICTURES:
        shape = OF_PICTURES[config.network]
        layers, width = first_encoder(key, space, shape), shape.seen
    else:
        sizes = (features(space), *config.hidden)
        layers, width = first_layers(key, sizes), sizes[-1]
    core = gru.first_gru(stream(key, "core"), width + actions, config.memory_width)
    return Recurrent(
        layers, core, first_layers(stream(key, "values"), (config.memory_width, config.head.outputs(actions)))
    )


def first_memory(spaces: Spaces, params: Any) -> Any:
    """The memory before an episode."""
    if isinstance(params, Recurrent):
        return Recall(jnp.int32(NO_ACTION), jnp.zeros(gru.width_of(params.core)))
    frames = frames_of(spaces, params)
    if frames == 1:
        return ()
    return jnp.zeros(stack_length(spaces, frames) - features(spaces["observation"]))


def look(spaces: Spaces, memory: Any, observation: Any) -> Any:
    """What is stored of an observation, and given to the network."""
    if isinstance(memory, jax.Array):
        return jnp.concatenate([memory, as_features(spaces["observation"], observation)])
    return observation


def recall(spaces: Spaces, seen: Any, carried: Any, memory: Any, number: jax.Array) -> Any:
    """The memory once an action is chosen; `seen` and `carried` are what was made of the observation."""
    if isinstance(memory, Recall):
        return Recall(number, carried)
    if not isinstance(memory, jax.Array):
        return ()
    actions = how_many(spaces["action"])
    longer = jnp.concatenate([seen, jax.nn.one_hot(number, actions)])
    return longer[features(spaces["observation"]) + actions :]


def judge(
    spaces: Spaces, params: Any, memory: Any, seen: Any, kind: str = FULL, activation: str = "tanh"
) -> tuple[jax.Array, Any]:
    """The outputs of the network, (outputs,), and the state of its core."""
    if isinstance(params, Recurrent):
        made = with_action(spaces, params, kind, activation, seen[None], memory.action[None])[0]
        state = gru.remember(params.core, memory.state, made)
        return outputs(params.last, state), state
    if isinstance(memory, jax.Array):
        spaces = stacked(spaces, frames_of(spaces, params))
    return network_of(kind, activation, spaces, params)(seen), ()


def with_action(
    spaces: Spaces, params: Recurrent, kind: str, activation: str, observations: Any, before: jax.Array
) -> jax.Array:
    """What the core is given of observations and of the actions before them, (batch, ...) each."""
    space, actions = spaces["observation"], how_many(spaces["action"])
    if kind in OF_PICTURES:
        made = encode(space, params.layers, prepare(space, observations), shape=OF_PICTURES[kind])
    else:
        made = jax.vmap(lambda each: as_features(space, each))(observations)
        if params.layers:
            made = ACTIVATIONS[activation](outputs(params.layers, made, activation))
    return jnp.concatenate([made, jax.nn.one_hot(before, actions)], -1)


def step_cost(config: Config, spaces: Spaces) -> float:
    """CPU-seconds of a step of training on a plain core, its share of an update included."""
    if config.memory != GRU:
        return step_s(config, as_seen(config, spaces))
    width, actions = config.memory_width, how_many(spaces["action"])
    into = OF_PICTURES[config.network].seen if config.network in OF_PICTURES else (config.hidden or (0,))[-1]
    of_core = 3 * width * (into + actions + width)
    once = multiplications(config.network, config.hidden, spaces) + of_core
    # An update goes through a window twice, once for what follows each step, for the network and its target.
    seen = config.batch * config.window * (8 + 2 * config.double) / config.steps_per_update
    return STEP_S + once * MULTIPLY_S * (1 + seen * (1 - config.learning_starts / config.steps))
