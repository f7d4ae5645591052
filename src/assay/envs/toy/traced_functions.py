"""Functions of the user's own that become part of the compiled program.

They are tried on shapes when the env is built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from assay.core.env import record
from assay.core.keys import stream
from assay.core.variation import Inner, static
from assay.envs.toy.own_functions import describe_error, load_function
from assay.errors import WrongLevel

NOISE = "reward_noise_function"


def trace_function(
    key: str,
    text: str,
    takes: Mapping[str, jax.Array | jax.ShapeDtypeStruct],
    shape: tuple[int, ...] = (),
    kinds: str = "fiu",
) -> Callable:
    """The function that the setting `key` names; it must trace to one array of this shape and kind.

    `takes` names its arguments and holds an array, or the shape of one, for each.
    """
    function, names = load_function(key, text), ", ".join(takes)
    try:
        hash(function)  # it is part of a task's structure, which must be hashable
        output = jax.eval_shape(function, *takes.values())
    except Exception as error:
        raise WrongLevel(
            f"{key}={text} cannot be traced on jax's ({names}) ({describe_error(error)}); write it with "
            "jax.numpy: MDP Playground's functions, of numpy values and an rng, do not compile."
        ) from None
    is_array = isinstance(output, jax.ShapeDtypeStruct)
    if not is_array or output.shape != shape or output.dtype.kind not in kinds:
        expected = f"numbers of shape {shape}" if shape else "one number" if "f" in kinds else "True or False"
        raise WrongLevel(
            f"{key}={text} returns {describe_output(output)}; a function of ({names}) must return {expected}."
        )
    return function


def describe_output(output: Any) -> str:
    if isinstance(output, jax.ShapeDtypeStruct):
        return f"an array of shape {output.shape} and type {output.dtype}"
    return "nothing" if output is None else f"a {type(output).__name__}"


def int_shape(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.int32)


def float_shape(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def check_reward_noise(others: Any, state: Any, action: Any) -> None:
    """Tries the task's `reward_noise_function`, if it has one, on a state and an action of these shapes."""
    if NOISE in others and others[NOISE].value:
        takes = {"key": jax.random.key(0), "state": state, "action": action}
        trace_function(NOISE, others[NOISE].value, takes)


def keep_reward(reward: Callable, level: Any, *arguments: Any) -> jax.Array:
    return reward(*arguments)


@dataclass(frozen=True)
class AddNoise:
    """Adds a function's noise to a reward; a record, since equal records share a program."""

    function: Callable  # key, state, action -> noise
    view: Callable  # params, state, action -> the state and the action that the function is given

    def __call__(
        self, reward: Callable, level: Any, key: Any, params: Any, state: Any, action: Any, after: Any
    ) -> jax.Array:
        noise = self.function(stream(key, NOISE), *self.view(params, state, action))
        return reward(key, params, state, action, after) + jnp.asarray(noise, jnp.float32)


@record
class RewardNoise(Inner):
    """`reward_noise_function`: its level is the function's name, and a text cannot be a leaf of a pytree.

    So the named function becomes `apply`, and the level becomes whether there is one. The noise is added
    outside of the env's reward, so that the score stays free of it.
    """

    view: Callable = static()

    def __post_init__(self):
        if isinstance(self.level, str):
            acts = AddNoise(load_function(NOISE, self.level), self.view) if self.level else keep_reward
            object.__setattr__(self, "apply", acts)
            object.__setattr__(self, "level", bool(self.level))


def make_reward_noise(view: Callable) -> RewardNoise:
    return RewardNoise("", NOISE, ("reward",), keep_reward, neutral=False, view=view)
