"""For authors of variations, envs and families: the records they write, and helpers for what these hold.

A variation needs `Channel` and perhaps a helper below; a native env `Env`, `record`, `axis` and spaces; a
family of another package an `EnvEntry` and a `Family` (docs/how-to.md). Each is loaded when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.lazy import door

if TYPE_CHECKING:
    from assay.core.axis import Axis, axes, axis, group, structure
    from assay.core.command import Command
    from assay.core.env import Env, record
    from assay.core.family import EnvEntry, Family, InsideLaws, ShowPolicy
    from assay.core.host import Powers
    from assay.core.inspection import Inspection
    from assay.core.space import Box, Discrete, Space
    from assay.core.variation import Channel, Field, HostRule, Inner
    from assay.entries import AgentEntry, Entries
    from assay.variations.channel_parts import (
        last_value,
        one_normal,
        one_uniform,
        plain_space,
        ring,
        ring_and_sum,
        value_and_count,
        whether_and_which,
    )

_OFFERS = {
    **dict.fromkeys(("Axis", "axes", "axis", "group", "structure"), "assay.core.axis"),
    **dict.fromkeys(("Env", "record"), "assay.core.env"),
    "Command": "assay.core.command",
    **dict.fromkeys(("EnvEntry", "Family", "InsideLaws", "ShowPolicy"), "assay.core.family"),
    "Powers": "assay.core.host",
    "Inspection": "assay.core.inspection",
    **dict.fromkeys(("Box", "Discrete", "Space"), "assay.core.space"),
    **dict.fromkeys(("Channel", "Field", "HostRule", "Inner"), "assay.core.variation"),
    **dict.fromkeys(("AgentEntry", "Entries"), "assay.entries"),
    **dict.fromkeys(
        (
            "last_value", "one_normal", "one_uniform", "plain_space", "ring", "ring_and_sum",
            "value_and_count", "whether_and_which",
        ),
        "assay.variations.channel_parts",
    ),
}  # fmt: skip
__all__ = [
    "AgentEntry",
    "Axis",
    "Box",
    "Channel",
    "Command",
    "Discrete",
    "Entries",
    "Env",
    "EnvEntry",
    "Family",
    "Field",
    "HostRule",
    "Inner",
    "InsideLaws",
    "Inspection",
    "Powers",
    "ShowPolicy",
    "Space",
    "axes",
    "axis",
    "group",
    "last_value",
    "one_normal",
    "one_uniform",
    "plain_space",
    "record",
    "ring",
    "ring_and_sum",
    "structure",
    "value_and_count",
    "whether_and_which",
]

__getattr__ = door(__name__, _OFFERS)


def __dir__() -> list[str]:
    return sorted(__all__)
