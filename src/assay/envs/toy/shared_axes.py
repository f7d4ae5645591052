"""The axes that several toy envs have, each written once; no jax here.

A function that returns a field is for the class of an env's settings. One that returns an `Axis` is for its
tuple of inner variations. Arguments are what differs from env to env.
"""

from __future__ import annotations

from typing import Any, Literal

from assay.core.axis import Axis, axis, stochastic_tags, structure
from assay.envs.toy.setting_types import PLAYGROUND, function

ALL = "initial action transition reward observation terminal"
EXAMPLES = "assay.envs.toy.examples"


def sequence_length(default: int, levels: tuple[int, ...], means: str, **about: Any) -> Any:
    return structure(
        "reward", default, low=1, levels=levels, asks=True, origin=PLAYGROUND, means=means, **about
    )


def make_denser(default: bool, means: str, **about: Any) -> Any:
    return structure(
        "reward", default, levels=(not default,), asks=True, origin=PLAYGROUND, means=means, **about
    )


def target_point(typing: Any, levels: tuple[Any, ...], means: str, **about: Any) -> Any:
    return structure(
        "initial reward terminal", (), type=typing, levels=levels, asks=True, origin=PLAYGROUND, means=means,
        **about,
    )  # fmt: skip


def terminal_states(
    typing: Any, levels: tuple[Any, ...], means: str, components: str = "initial terminal", **about: Any
) -> Any:
    return structure(components, (), type=typing, levels=levels, origin=PLAYGROUND, means=means, **about)


def irrelevant_features(means: str) -> Any:
    return structure(
        "initial action transition observation", False, levels=(True,), origin=PLAYGROUND, means=means,
        stochasticity="3.1",
    )  # fmt: skip


def flush_on_end() -> Any:
    return structure(
        "reward", False, levels=(True,), needs=("delay",), context="delay=2",
        origin=f"{PLAYGROUND}, Algorithm 2", means="pay what `delay` still holds at the end",
    )  # fmt: skip


def gate(*, needs: tuple[str, ...], context: str, earning: str) -> Any:
    """`earning` says what the agent does at the step that the gate looks at by default."""
    return structure(
        "reward", "completion", choices=("completion", "handout"), levels=("handout",), asks=True,
        needs=needs, context=context, origin=f"{PLAYGROUND}'s code",
        means=f"which step reward_every_n_steps looks at: {earning}, or being paid",
    )  # fmt: skip


def gate_of_steps() -> Any:
    """For the envs without sequences of states, where the gate is open at every step by default."""
    return gate(
        needs=("delay", "reward_every_n_steps"), context="reward_every_n_steps=2+delay=1", earning="earning"
    )


def reward_every_n_steps(
    default: int = 1, means: str = "pay what is earned at a step divisible by it, and nothing else"
) -> Any:
    return axis(
        "reward", default, low=1, high=10**9, levels=(2, 3, 4), asks=True, origin=PLAYGROUND, means=means
    )


def horizon() -> Any:
    return axis(
        "terminal", 100, low=1, high=10**9, levels=(50, 25, 10, 200), origin="assay",
        means="steps after which an episode is cut (a truncation)",
    )  # fmt: skip


def transition_noise(
    means: str,
    acts: str,
    levels: tuple[float, ...] = (0.01, 0.02, 0.1, 0.25, 0.5),
    high: float = 1,
    stochasticity: Literal["1", "2.1"] = "2.1",
) -> Axis:
    return Axis(
        "transition_noise", ("transition",), "dose", float, 0.0, levels, low=0, high=high, means=means,
        origin=PLAYGROUND, acts=acts, tags=stochastic_tags("transition"), stochasticity=stochasticity,
    )  # fmt: skip


def state_jump(means: str, acts: str) -> Axis:
    return Axis(
        "state_jump", ("transition",), "dose", float, 0.0, (0.01, 0.05, 0.2), low=0, high=1, means=means,
        origin="STORI", acts=acts, tags=stochastic_tags("transition"), stochasticity="2.1",
    )  # fmt: skip


def hidden_mode(means: str) -> Axis:
    return Axis(
        "hidden_mode", ("transition",), "dose", float, 0.0, (0.01, 0.05, 0.2), low=0, high=1, means=means,
        origin="assay", acts="assay.envs.toy.hidden:HIDDEN_MODE", tags=stochastic_tags("transition"),
        stochasticity="2.2",
    )  # fmt: skip


def aliased(means: str) -> Axis:
    return Axis(
        "aliased", ("observation",), "dose", int, 1, (2, 4), low=1, high=10**6, means=means, origin="assay",
        acts="assay.envs.toy.hidden:ALIASED", stochasticity="3.2",
    )  # fmt: skip


def reward_noise_function(acts: str, example: str) -> Axis:
    return Axis(
        "reward_noise_function", ("reward",), "structure", function, "", (example,), origin=PLAYGROUND,
        means="a function (key, state, action) -> noise, in jax.numpy, that is added to what the step earns, "
        "before any delay; state is the one in which the action was chosen", acts=acts,
        tags=stochastic_tags("reward"),
    )  # fmt: skip
