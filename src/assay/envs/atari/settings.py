"""Preprocessing: one record of everything between the agent's action and the console's frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from assay.envs.atari.objects.views import MODES as OBJECT_MODES

MODES = ("rgb", "gray", "gray84", "rgb64", "ram", "labels", "decoded", "palette", *OBJECT_MODES)
DEPTHS = {"gray84": 4, "objects": 2, **{mode: 4 for mode in OBJECT_MODES if mode != "objects"}}
HALF_HOUR = 108_000  # frames, at 60 a second


@dataclass(frozen=True)
class Preprocessing:
    """The defaults are those of Gymnasium's `ALE/<Game>-v5`."""

    frameskip: int | tuple[int, int] = 4  # frames per action, or the fewest and the most
    sticky: float = 0.25  # chance, at every frame, that the previous action is executed again
    fire: bool = False  # press the button once at the start, before the no-ops
    noops: int = 0  # the most no-ops before an episode, the fewest being one; 0: none
    noop_frames: int = 1  # frames for which each no-op, or the press of the button, lasts
    life_loss: bool = False  # a lost life ends the episode
    actions: str = "minimal"  # or full: all 18
    max_frames: int = HALF_HOUR  # frames after which an episode is truncated
    observation: str = "rgb"
    stack: int = 0  # frames in an observation; 0: as many as is usual for it
    pool: bool = True  # gray84, rgb64 and object_masks show the brighter of the last two frames
    channels: str = "last"  # or first: the axis along which a stack's frames lie
    action_channels: str = "step"  # or frame: when variations of the action act
    granularity: str = "step"  # or frame: how often variations with a chance draw
    align: str = "same"  # or next: which frame a picture with hidden cells shows

    @property
    def depth(self) -> int:
        return self.stack or DEPTHS.get(self.observation, 1)


PRESETS: dict[str, dict[str, Any]] = {
    # The evaluation in HackAtari's paper, where a no-op lasts a whole step.
    "paper": {"observation": "gray84", "fire": True, "noops": 30, "noop_frames": 4},
    # Machado et al. 2018: sticky actions, every action, five minutes, a lost life does not end an episode.
    "machado2018": {"actions": "full", "max_frames": 18_000, "frameskip": 5},
    # Kaiser et al. 2020 and later work.
    "atari100k": {"observation": "gray84", "sticky": 0.0, "noops": 30, "life_loss": True},
    # World models that read 64 x 64 pixels in colour.
    "rgb64": {"observation": "rgb64", "sticky": 0.0, "noops": 30},
}
NAMES = tuple(each.name for each in fields(Preprocessing))


def read_preprocessing(settings: Mapping[str, Any]) -> Preprocessing:
    """The record of a task's settings, which override those of its preset."""
    chosen = PRESETS.get(settings.get("preset", "v5"), {}) | {n: settings[n] for n in NAMES if n in settings}
    if settings.get("compat") == "stori":  # the original draws at every frame and shows the next one
        chosen |= {"granularity": "frame", "align": "next"}
    return replace(Preprocessing(), **chosen)
