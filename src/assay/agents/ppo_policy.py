"""The policy of PPO: what it sees, the chances of its actions, and how it acts."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents.agent import Act, Chances, how_many, numbered_actions, with_number
from assay.agents.augment import augment
from assay.agents.encoder import Layer, encode, first_encoder, is_picture, new_layer, prepare, too_small
from assay.agents.ppo_config import IMPALA, TYPES, Config
from assay.agents.residual import Residual, encode_residual, first_residual
from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import stream
from assay.core.space import Opaque, Space

ACT_S = 8e-4  # CPU-seconds of one picture of 128 x 128 on a plain core


class Policy(NamedTuple):
    """The weights of both heads and of what they see."""

    encoder: list[Layer] | Residual
    actor: Layer
    critic: Layer


def first_policy(key: jax.Array, spaces: dict[str, Space], config: Config = Config()) -> Policy:
    space, actions = spaces["observation"], how_many(spaces["action"])
    seen: list[Layer] | Residual
    if config.encoder == IMPALA and is_picture(space):
        seen = first_residual(key, space)
        outputs = len(seen.last.bias)
    else:
        seen = first_encoder(key, space, hidden=config.width)
        outputs = len(seen[-1].bias)
    return Policy(
        seen,
        new_layer(stream(key, "actor"), (outputs, actions), 0.01),
        new_layer(stream(key, "critic"), (outputs, 1), 1.0),
    )


def judge(
    space: Space, policy: Policy, prepared: jax.Array, precision: str = "float32"
) -> tuple[jax.Array, jax.Array]:
    """The logits of the actions, (batch, actions), and the values, (batch,)."""
    if isinstance(policy.encoder, Residual):
        seen = encode_residual(space, policy.encoder, prepared, TYPES[precision])
    else:
        seen = encode(space, policy.encoder, prepared, TYPES[precision])
    seen = seen.astype(jnp.float32)
    logits, values = (seen @ head.weights + head.bias for head in (policy.actor, policy.critic))
    return logits, values[:, 0]


def act(
    task: Task, params: Policy, memory: Any, key: jax.Array, observation: jax.Array, greedy: bool = False
) -> tuple[jax.Array, Any]:
    spaces = loop.spaces(task)
    logits = logits_of(spaces["observation"], params, observation)
    number = jnp.argmax(logits) if greedy else jax.random.categorical(key, logits)
    return with_number(spaces["action"], number.astype(jnp.int32)), memory


def logits_of(space: Space, params: Policy, observation: jax.Array) -> jax.Array:
    return judge(space, params, prepare(space, observation[None]))[0][0]


def acts(config: Config) -> Act:
    return act_with(config.greedy)


@cache
def act_with(greedy: bool) -> Act:
    """The same function for the same choice: another one would compile the evaluation anew."""
    return partial(act, greedy=greedy)


def chances(
    task: Task, params: Policy, memory: Any, observation: jax.Array, greedy: bool = False
) -> jax.Array:
    """The softmax of the logits, from which actions are drawn; a greedy policy takes the largest."""
    logits = logits_of(loop.spaces(task)["observation"], params, observation)
    return jax.nn.one_hot(jnp.argmax(logits), len(logits)) if greedy else jax.nn.softmax(logits)


def tells(config: Any) -> Chances:
    """For every agent that acts by this policy, with settings that say whether it is `greedy`."""
    return chances_with(config.greedy)


@cache
def chances_with(greedy: bool) -> Chances:
    return partial(chances, greedy=greedy)


def likelihoods(logits: jax.Array, numbers: jax.Array) -> jax.Array:
    chosen: jax.Array = jnp.take_along_axis(jax.nn.log_softmax(logits), numbers[..., None], -1)[..., 0]
    return chosen


def lane_keys(key: jax.Array, config: Config) -> jax.Array:
    return jax.random.split(key, config.envs)


def prepare_all(key: jax.Array, space: Space, config: Config, observations: jax.Array) -> jax.Array:
    """The observations of all envs as the learner stores them; pictures changed at random if asked for."""
    if is_picture(space) and (config.shift or config.jitter):
        change = partial(augment, shift=config.shift, jitter=config.jitter)
        observations = jax.vmap(change)(lane_keys(key, config), observations)
    return prepare(space, observations)


def fits(spaces: dict[str, Space]) -> str:
    space = spaces["observation"]
    if isinstance(space, Opaque):
        return f"its network sees numbers, and these observations are a {space.what}"
    return numbered_actions(spaces) or too_small(space)
