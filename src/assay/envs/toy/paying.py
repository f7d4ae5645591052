"""When a toy env pays, as fields of its settings; no jax here."""

from __future__ import annotations

from typing import Any

from assay.core.axis import axis, structure
from assay.envs.toy.values import PLAYGROUND


def flush_on_end() -> Any:
    return structure(
        "reward", False, levels=(True,), needs=("delay",), context="delay=2",
        origin=f"{PLAYGROUND}, Algorithm 2", means="pay what `delay` still holds at the end",
    )  # fmt: skip


def reward_every_n_steps() -> Any:
    """Of the envs that know no sequences of states."""
    return axis(
        "reward", 1, low=1, high=10**9, levels=(2, 3, 4), asks=True, origin=PLAYGROUND,
        means="pay what is earned at a step divisible by it, and nothing else",
    )  # fmt: skip
