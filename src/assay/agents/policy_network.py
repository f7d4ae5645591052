"""The network of PPO and A2C: what it sees, what it remembers, what it thinks of it, and how it acts.

An observation goes through layers (`encoder.py`, `residual.py`), perhaps through a recurrent core (`gru.py`),
and from there to two heads: the actor's outputs, which make a distribution of actions
(`action_distribution.py`), and the critic's value. Which of these parts there are is read off the weights.

A memory is `()`, the state of the core, or a stack: the last observations as the network sees them.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents import gru
from assay.agents.action_distribution import (
    as_action,
    count_outputs,
    draw,
    first_spread,
    likeliest,
    probabilities,
    why_no_distribution,
)
from assay.agents.agent import Act, Chances
from assay.agents.augment import augment
from assay.agents.encoder import Layer, encode, first_encoder, is_picture, new_layer, prepare, too_small
from assay.agents.network import features
from assay.agents.normalise import Running, normalise, nothing_seen
from assay.agents.on_policy_config import GRU, IMPALA, TYPES, OnPolicyConfig
from assay.agents.residual import Residual, encode_residual, first_residual
from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import stream
from assay.core.space import Opaque, Space

ACT_S = 8e-4  # CPU-seconds of one picture of 128 x 128 on a plain core


class Policy(NamedTuple):
    """The weights of both heads and of what they see; None where there is no such part."""

    encoder: list[Layer] | Residual
    actor: Layer
    critic: Layer
    critic_encoder: list[Layer] | Residual | None = None  # the critic's own
    spread: Any = None  # of actions drawn from a Gaussian, its logarithm
    core: gru.Gru | None = None
    seen: Running | None = None  # what observations are normalised by


class Judged(NamedTuple):
    """What a policy makes of a batch of observations."""

    outputs: Any  # (batch, outputs) of the actor
    values: Any  # (batch,)
    memory: Any = ()  # after these observations


def first_policy(key: jax.Array, spaces: dict[str, Space], config: OnPolicyConfig) -> Policy:
    space, actions = spaces["observation"], spaces["action"]
    layers = first_layers(key, space, config)
    width = len(layers.last.bias if isinstance(layers, Residual) else layers[-1].bias)
    core, own, seen = None, None, None
    if config.memory == GRU:
        core = gru.first_gru(stream(key, "core"), width, config.memory_width)
        width = config.memory_width
    if config.separate:
        own = first_layers(stream(key, "critic encoder"), space, config)
    if config.normalise:
        seen = nothing_seen(config.frames * features(space))
    return Policy(
        layers,
        new_layer(stream(key, "actor"), (width, count_outputs(actions)), 0.01),
        new_layer(stream(key, "critic"), (width, 1), 1.0),
        own, first_spread(actions), core, seen,
    )  # fmt: skip


def first_layers(key: jax.Array, space: Space, config: OnPolicyConfig) -> list[Layer] | Residual:
    if config.encoder == IMPALA and is_picture(space):
        return first_residual(key, space)
    return first_encoder(key, space, hidden=config.width, layers=config.layers, frames=config.frames)


def see(space: Space, layers: list[Layer] | Residual, rows: jax.Array, precision: str) -> jax.Array:
    if isinstance(layers, Residual):
        seen = encode_residual(space, layers, rows, TYPES[precision])
    else:
        seen = encode(space, layers, rows, TYPES[precision])
    return seen.astype(jnp.float32)


def scaled(policy: Policy, rows: jax.Array) -> jax.Array:
    return rows if policy.seen is None else normalise(policy.seen, rows)


def judge(
    space: Space, policy: Policy, view: jax.Array, precision: str = "float32", memory: Any = ()
) -> Judged:
    """What the policy makes of what it sees, (batch, ...), after what it remembers, (batch, ...)."""
    rows = scaled(policy, view)
    seen = see(space, policy.encoder, rows, precision)
    if policy.core is not None:
        seen = memory = gru.remember(policy.core, memory, seen)
    elif frames_of(space, policy) > 1:
        memory = view
    return Judged(*ask_heads(space, policy, rows, seen, precision), memory)


def judge_sequences(
    space: Space, policy: Policy, views: jax.Array, memory: jax.Array, begins: jax.Array, precision: str
) -> Judged:
    """The same of whole sequences, (lanes, steps, ...); `memory` is that before the first step."""
    assert policy.core is not None, "without a core no step needs those before it"
    rows = jnp.swapaxes(views, 0, 1)
    seen = see(space, policy.encoder, scaled(policy, rows.reshape(-1, *rows.shape[2:])), precision)
    seen = seen.reshape(*rows.shape[:2], -1)
    seen = jnp.swapaxes(gru.remember_all(policy.core, memory, seen, begins.T), 0, 1)
    outputs, values = ask_heads(space, policy, None, seen.reshape(-1, seen.shape[-1]), precision)
    return Judged(outputs.reshape(*begins.shape, -1), values.reshape(begins.shape))


def ask_heads(
    space: Space, policy: Policy, rows: Any, seen: jax.Array, precision: str
) -> tuple[jax.Array, jax.Array]:
    own = policy.critic_encoder
    judged = seen if own is None else see(space, own, rows, precision)
    outputs = seen @ policy.actor.weights + policy.actor.bias
    return outputs, (judged @ policy.critic.weights + policy.critic.bias)[:, 0]


def frames_of(space: Space, policy: Policy) -> int:
    """How many observations the network sees at a time."""
    if is_picture(space) or isinstance(policy.encoder, Residual):
        return 1
    return int(policy.encoder[0].weights.shape[-2]) // features(space)


def first_memory(space: Space, policy: Policy, lanes: tuple[int, ...] = ()) -> Any:
    """The memory before an episode: nothing has been seen."""
    if policy.core is not None:
        return jnp.zeros((*lanes, gru.width_of(policy.core)))
    frames = frames_of(space, policy)
    return jnp.zeros((*lanes, frames * features(space))) if frames > 1 else ()


def view_of(space: Space, policy: Policy, memory: Any, prepared: jax.Array) -> jax.Array:
    """What the network sees of an observation, (batch, ...): in a stack the newest is the last."""
    if frames_of(space, policy) == 1:
        return prepared
    return jnp.concatenate([memory[:, prepared.shape[-1] :], prepared], -1)


def forget(ended: jax.Array, memory: Any) -> Any:
    """The memory of each lane; none where an episode ended."""
    return jax.tree.map(lambda leaf: jnp.where(ended[:, None], 0.0, leaf), memory)


def start_memory(task: Task, params: Policy) -> Any:
    return first_memory(loop.spaces(task)["observation"], params)


def judge_one(space: Space, policy: Policy, memory: Any, observation: jax.Array) -> Judged:
    """The same for one observation and its memory."""
    memory = jax.tree.map(lambda leaf: leaf[None], memory)
    view = view_of(space, policy, memory, prepare(space, observation[None]))
    judged = judge(space, policy, view, memory=memory)
    return jax.tree.map(lambda leaf: leaf[0], judged)


def act(
    task: Task, params: Policy, memory: Any, key: jax.Array, observation: jax.Array, greedy: bool = False
) -> tuple[jax.Array, Any]:
    spaces = loop.spaces(task)
    action, judged = spaces["action"], judge_one(spaces["observation"], params, memory, observation)
    drawn = likeliest(action, judged.outputs) if greedy else draw(key, action, judged.outputs, params.spread)
    return as_action(action, drawn), judged.memory


def draws(config: Any) -> bool:
    """Whether `act` uses its key."""
    return not config.greedy


def acts(config: Any) -> Act:
    return act_with(config.greedy)


@cache
def act_with(greedy: bool) -> Act:
    """The same function for the same choice: another one would compile the evaluation anew."""
    return partial(act, greedy=greedy)


def chances(
    task: Task, params: Policy, memory: Any, observation: jax.Array, greedy: bool = False
) -> jax.Array:
    """The probabilities of numbered actions; a greedy policy takes the likeliest."""
    spaces = loop.spaces(task)
    outputs = judge_one(spaces["observation"], params, memory, observation).outputs
    shares = probabilities(spaces["action"], outputs)
    return jax.nn.one_hot(jnp.argmax(shares), len(shares)) if greedy else shares


def tells(config: Any) -> Chances:
    """For every agent that acts by this policy, with settings that say whether it is `greedy`."""
    return chances_with(config.greedy)


@cache
def chances_with(greedy: bool) -> Chances:
    return partial(chances, greedy=greedy)


def lane_keys(key: jax.Array, config: OnPolicyConfig) -> jax.Array:
    return jax.random.split(key, config.envs)


def prepare_all(key: jax.Array, space: Space, config: OnPolicyConfig, observations: jax.Array) -> jax.Array:
    """The observations of all envs as the learner stores them; pictures changed at random if asked for."""
    if is_picture(space) and (config.shift or config.jitter):
        change = partial(augment, shift=config.shift, jitter=config.jitter)
        observations = jax.vmap(change)(lane_keys(key, config), observations)
    return prepare(space, observations)


def fits(spaces: dict[str, Space]) -> str:
    space = spaces["observation"]
    if isinstance(space, Opaque):
        return f"its network sees numbers, and these observations are a {space.what}"
    return why_no_distribution(spaces["action"]) or too_small(space)


def learns_alone(spaces: dict[str, Space]) -> bool:
    """Whether seeds are trained one after another: on pictures one fills a device.

    On a CPU all are. Short sums have other last bits there in a batch of another size, and a seed's numbers
    must not depend on those beside it; what a batch saves in running, its longer compilation takes.
    """
    return is_picture(spaces["observation"]) or jax.default_backend() == "cpu"
