"""Builds the axis of a channel from its function and its levels."""

from __future__ import annotations

from typing import Any

from assay.core.axis import Axis, stochastic_tags
from assay.core.variation import Channel

OF_THE_CHANNEL = ("memory", "draw", "space", "fits", "sized", "lasts", "report", "per_frame")


def channel_axis(
    component: str, name: str, kind: Any, neutral: Any, levels: tuple, apply: Any, means: str, origin: str,
    **more: Any,
) -> Axis:  # fmt: skip
    """An axis whose channel acts on one component.

    In `more`, fields of `Channel` go to the channel and all others to the axis; `type_` is the axis's type.
    """
    fields = {field: more.pop(field) for field in OF_THE_CHANNEL if field in more}
    type_ = more.pop("type_", type(neutral))
    acts = Channel(neutral, name, (component,), apply, neutral=neutral, **fields)
    tags = stochastic_tags(component) if "draw" in fields else ()
    return Axis(name, (component,), kind, type_, neutral, levels, means, origin, acts=acts, tags=tags, **more)
