"""Functions of the user's own that become part of the program: tried on shapes when the env is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from assay.core.env import record
from assay.core.keys import stream
from assay.core.variation import Inner, static
from assay.envs.toy.own_functions import load_function, say_error
from assay.errors import WrongLevel

NOISE = "reward_noise_function"


def trace_function(
    key: str,
    text: str,
    takes: Mapping[str, jax.Array | jax.ShapeDtypeStruct],
    shape: tuple[int, ...] = (),
    kinds: str = "fiu",
) -> Callable:
    """The function that the setting `key` names, refused where jax cannot trace it to one such array.

    `takes` names its arguments and holds an array, or the shape of one, for each.
    """
    function, names = load_function(key, text), ", ".join(takes)
    try:
        hash(function)  # it is structure: tasks are told apart by it
        found = jax.eval_shape(function, *takes.values())
    except Exception as error:
        raise WrongLevel(
            f"{key}={text} cannot be traced on jax's ({names}) ({say_error(error)}); write it with "
            "jax.numpy, for MDP Playground's functions, of numpy values and an rng, do not compile."
        ) from None
    if not isinstance(found, jax.ShapeDtypeStruct) or found.shape != shape or found.dtype.kind not in kinds:
        what = f"numbers of shape {shape}" if shape else "one number" if "f" in kinds else "True or False"
        raise WrongLevel(f"{key}={text} returns {describe(found)}; of ({names}) it returns {what}.")
    return function


def describe(found: Any) -> str:
    if isinstance(found, jax.ShapeDtypeStruct):
        return f"an array of shape {found.shape} and type {found.dtype}"
    return "nothing" if found is None else f"a {type(found).__name__}"


def whole_numbers(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.int32)


def numbers(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def check_reward_noise(others: Any, state: Any, action: Any) -> None:
    """Tries the task's `reward_noise_function`, if it has one, on a state and an action of these shapes."""
    if NOISE in others and others[NOISE].value:
        takes = {"key": jax.random.key(0), "state": state, "action": action}
        trace_function(NOISE, others[NOISE].value, takes)


def as_paid(reward: Callable, level: Any, *arguments: Any) -> jax.Array:
    return reward(*arguments)


@dataclass(frozen=True)
class Adds:
    """A reward with the noise of one function. A record, not a closure: equal ones share a program."""

    function: Callable  # key, state, action -> noise
    view: Callable  # params, state, action -> the state and the action that the function is shown

    def __call__(
        self, reward: Callable, level: Any, key: Any, params: Any, state: Any, action: Any, after: Any
    ) -> jax.Array:
        noise = self.function(stream(key, NOISE), *self.view(params, state, action))
        return reward(key, params, state, action, after) + jnp.asarray(noise, jnp.float32)


@record
class RewardNoise(Inner):
    """`reward_noise_function`: its level is the function's name, which no leaf can be.

    So the name becomes what is applied, and the level says whether there is a function. It stands outside of
    the env's reward, so that the score stays free of it.
    """

    view: Callable = static()

    def __post_init__(self):
        if isinstance(self.level, str):
            acts = Adds(load_function(NOISE, self.level), self.view) if self.level else as_paid
            object.__setattr__(self, "apply", acts)
            object.__setattr__(self, "level", bool(self.level))


def reward_noise(view: Callable) -> RewardNoise:
    return RewardNoise("", NOISE, ("reward",), as_paid, neutral=False, view=view)
