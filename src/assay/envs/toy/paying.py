"""When a toy env pays, as fields of its settings and as arithmetic on its params; no jax here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.core.axis import axis, structure
from assay.envs.toy.values import PLAYGROUND


def flush_on_end() -> Any:
    return structure(
        "reward", False, levels=(True,), needs=("delay",), context="delay=2",
        origin=f"{PLAYGROUND}, Algorithm 2", means="pay what `delay` still holds at the end",
    )  # fmt: skip


def gate(*, needs: tuple[str, ...], context: str, earning: str) -> Any:
    """`earning` says what is done at the step that the gate looks at by default."""
    return structure(
        "reward", "completion", choices=("completion", "handout"), levels=("handout",), asks=True,
        needs=needs, context=context, origin=f"{PLAYGROUND}'s code",
        means=f"which step reward_every_n_steps looks at: {earning}, or being paid",
    )  # fmt: skip


def gate_of_steps() -> Any:
    """Of the envs that know no sequences of states: there every step is open unless told otherwise."""
    return gate(
        needs=("delay", "reward_every_n_steps"), context="reward_every_n_steps=2+delay=1", earning="earning"
    )


def reward_every_n_steps() -> Any:
    """Of the envs that know no sequences of states."""
    return axis(
        "reward", 1, low=1, high=10**9, levels=(2, 3, 4), asks=True, origin=PLAYGROUND,
        means="pay what is earned at a step divisible by it, and nothing else",
    )  # fmt: skip


def steps_to_payment(settings: Any, others: Mapping[str, Any]) -> int:
    """How far past earning the gate looks: not at all, or to the step at which the delay pays."""
    if settings.gate == "completion" or "delay" not in others:
        return 0
    return others["delay"].value


def is_open(params: Any, time: Any) -> Any:
    """Whether what is earned at this step, 1 being an episode's first, is paid at all."""
    return (time + params.gate_delay) % params.reward_every_n_steps == 0
