"""How an agent meets the emulator: one record of everything between its action and the console's frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

MODES = ("rgb", "gray", "gray84", "rgb64", "ram", "labels", "palette")
HOUR_HALF = 108_000  # frames: half an hour at 60 a second


@dataclass(frozen=True)
class Preprocessing:
    """The defaults are those of Gymnasium's `ALE/<Game>-v5`."""

    frameskip: int | tuple[int, int] = 4  # frames per action, or from how many to how many
    sticky: float = 0.25  # chance, frame by frame, that the action before is executed once more
    fire: bool = False  # press the button once at the start, before the no-ops
    noops: int = 0  # at most so many no-ops before an episode, at least one
    noop_frames: int = 1  # that each of them lasts, and the press of the button
    life_loss: bool = False  # a lost life ends the episode
    actions: str = "minimal"  # or full: all 18
    max_frames: int = HOUR_HALF  # after which an episode is cut
    observation: str = "rgb"
    stack: int = 0  # observations side by side; 0: four for gray84, else one
    pool: bool = True  # gray84 and rgb64 show the brighter of the last two frames
    channels: str = "last"  # or first: where a stack's frames lie
    action_channels: str = "step"  # or frame: how often variations of the action act

    @property
    def depth(self) -> int:
        return self.stack or (4 if self.observation == "gray84" else 1)


PRESETS: dict[str, dict[str, Any]] = {
    # The evaluation of HackAtari's paper, in which a no-op is a whole step.
    "paper": {"observation": "gray84", "fire": True, "noops": 30, "noop_frames": 4},
    # Machado et al. 2018: sticky actions, every action, five minutes, lives are not told.
    "machado2018": {"actions": "full", "max_frames": 18_000, "frameskip": 5},
    # Kaiser et al. 2020 and those after them.
    "atari100k": {"observation": "gray84", "sticky": 0.0, "noops": 30, "life_loss": True},
    # World models that read 64 x 64 pixels in colour.
    "rgb64": {"observation": "rgb64", "sticky": 0.0, "noops": 30},
}
NAMES = tuple(each.name for each in fields(Preprocessing))


def preprocessing(settings: Mapping[str, Any]) -> Preprocessing:
    """The record that a task's settings stand for; its own go before those of its preset."""
    chosen = PRESETS.get(settings.get("preset", "v5"), {}) | {n: settings[n] for n in NAMES if n in settings}
    return replace(Preprocessing(), **chosen)
