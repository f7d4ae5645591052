"""Which channels fit beside the way in which an agent meets the emulator."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core.host import require_per_frame
from assay.core.variation import Channel
from assay.envs.atari.settings import Preprocessing
from assay.errors import NotApplicable


def refuse_channels(name: str, way: Preprocessing, channels: Sequence[Channel]) -> None:
    """Two kinds of stickiness on top of each other are neither; on frames acts what can."""
    if way.sticky and any(each.name == "action.sticky" for each in channels):
        raise NotApplicable(
            f"{name} is sticky frame by frame (sticky={way.sticky:g}) and "
            f"action.sticky {way.action_channels} by {way.action_channels}; write sticky=0 beside "
            "action.sticky, or drop one of them."
        )
    if way.action_channels == "frame":
        require_per_frame(channels, name, "action_channels=frame")
