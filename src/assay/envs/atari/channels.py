"""Refuses channels that do not fit the preprocessing of a game."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core.host import require_per_frame
from assay.core.variation import Channel
from assay.envs.atari.settings import Preprocessing
from assay.errors import NotApplicable


def refuse_channels(name: str, options: Preprocessing, channels: Sequence[Channel]) -> None:
    """Refuses two kinds of stickiness in one task, and channels that cannot act on every frame."""
    if options.sticky and any(each.name == "action.sticky" for each in channels):
        raise NotApplicable(
            f"{name} is sticky frame by frame (sticky={options.sticky:g}) and "
            f"action.sticky {options.action_channels} by {options.action_channels}; write sticky=0 beside "
            "action.sticky, or drop one of them."
        )
    if options.action_channels == "frame":
        require_per_frame(channels, name, "action_channels=frame")
