"""Observations of the emulator: their modes, patches of the picture, the stack of frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.core.space import Box
from assay.envs.atari.compiled_variation import ActiveVariation
from assay.envs.atari.resize import shrink_picture
from assay.envs.atari.settings import Preprocessing

POOLED = ("gray84", "rgb64")  # these may show the brighter of a step's last two frames


def shape_of(mode: str, screen: tuple[int, ...], labels: int) -> tuple[int, ...]:
    """The shape of one observation of a mode; `screen` is (height, width)."""
    return {
        "rgb": (*screen, 3), "gray": screen, "palette": screen,
        "gray84": (84, 84), "rgb64": (64, 64, 3), "ram": (128,), "labels": (labels,),
    }[mode]  # fmt: skip


def space_of(single: tuple[int, ...], frames: int, channels: str) -> Box:
    """The space of a stack of `frames` observations."""
    if frames == 1:
        return Box(0, 255, single, "uint8")
    if channels == "first":
        return Box(0, 255, (frames, *single), "uint8")
    if len(single) == 3:
        return Box(0, 255, (*single[:2], 3 * frames), "uint8", frames=frames)
    return Box(0, 255, (*single, frames), "uint8", frames=frames)


class Eye:
    """Turns the emulator's screen and RAM into observations of one mode."""

    def __init__(self, emulator: Any, options: Preprocessing, labels: Sequence[int]):
        mode, stack = options.observation, options.depth
        self.ale, self.mode, self.channels = emulator.ale, mode, options.channels
        self.ram, self.buffer = emulator.ram, emulator.buffer
        self.labels = np.array(labels, "intp")
        self.pool = options.pool and mode in POOLED
        self.patched: tuple[ActiveVariation, ...] = ()
        self.note_paint: Callable[[str], None] | None = None  # called with the axis of every patch painted
        self.fetch: Callable[[], np.ndarray] = {
            "rgb": self.ale.getScreenRGB, "rgb64": self.ale.getScreenRGB, "palette": self.ale.getScreen,
            "gray": self.ale.getScreenGrayscale, "gray84": self.ale.getScreenGrayscale,
        }.get(mode, self.ale.getScreen)  # fmt: skip
        self.single = shape = shape_of(mode, emulator.shape, len(labels))
        self.stack = np.zeros((stack, *shape), "uint8") if stack > 1 else None
        self.before: np.ndarray | None = None  # the screen one frame earlier, where two are merged
        self.dim: np.ndarray | None = None  # its brightness

    @property
    def space(self) -> Box:
        return space_of(self.single, 1 if self.stack is None else len(self.stack), self.channels)

    def vary(self, active: Sequence[ActiveVariation]) -> None:
        """Sets the active variations, whose patches the observations show."""
        self.patched = tuple(each for each in active if each.compiled.patches)
        self.merged = any(each.compiled.brighter_of_two for each in active)

    @property
    def two_frames(self) -> bool:
        return self.pool or self.merged

    def remember(self) -> None:
        """Keeps the present screen, to be merged with the step's last frame."""
        self.before = self.fetch()
        self.dim = self.brightness(self.before)

    def brightness(self, screen: np.ndarray) -> np.ndarray:
        return screen if screen.ndim == 2 and self.mode != "palette" else self.ale.getScreenGrayscale()

    def begin(self) -> np.ndarray:
        """The first observation of an episode, which fills the whole stack."""
        self.before = self.dim = None
        frame = self.look()
        if self.stack is None:
            return frame
        self.stack[:] = frame
        return self.copy_stack()

    def see(self) -> np.ndarray:
        """The observation after a step; the caller may keep and change it."""
        frame = self.look()
        if self.stack is None:
            return frame
        self.stack[:-1] = self.stack[1:]
        self.stack[-1] = frame
        return self.copy_stack()

    def copy_stack(self) -> np.ndarray:
        """The stack as an observation, its frames along the axis that the task asks for."""
        assert self.stack is not None, "there is a stack only of several frames"
        frames = self.stack.copy()
        if self.channels == "first":
            return frames
        frames = np.moveaxis(frames, 0, -1)
        return frames if frames.ndim == 3 else np.swapaxes(frames, 2, 3).reshape(*self.single[:2], -1)

    def look(self) -> np.ndarray:
        """The present observation, without a stack."""
        if self.mode == "ram":
            return self.buffer.copy()
        if self.mode == "labels":
            return self.buffer[self.labels]
        screen = self.fetch()
        if self.before is not None and self.two_frames:
            screen = self.merge(screen)
        if self.patched:
            screen = self.paint(screen)
        if self.mode == "gray84":
            return shrink_picture(screen, 84, 84)
        return shrink_picture(screen, 64, 64) if self.mode == "rgb64" else screen

    def merge(self, screen: np.ndarray) -> np.ndarray:
        """Pixel by pixel the brighter of the last two frames."""
        assert self.before is not None, "`remember` kept the frame before"
        if screen.ndim == 2 and self.mode != "palette":
            return np.maximum(screen, self.before)
        if self.pool and not self.merged:
            return np.maximum(screen, self.before)  # separately in each colour, as is usual for pooled frames
        mask = self.dim > self.ale.getScreenGrayscale()
        screen[mask] = self.before[mask]
        return screen

    def paint(self, screen: np.ndarray) -> np.ndarray:
        """Paints the patches of all active variations over the screen."""
        colours = self.ale.getScreen()
        for each in self.patched:
            arguments = (self.ram, None, each.memory, each.draws, 0, 0, 0)
            for patch in each.compiled.patches:
                if patch.when is not None and not patch.when(*arguments):
                    continue
                if self.note_paint:
                    self.note_paint(each.axis)
                x, y, width, height = (int(edge(*arguments)) for edge in patch.box)
                rows = slice(max(y, 0), max(y + height, 0))
                columns = slice(max(x, 0), max(x + width, 0))
                part, colour = screen[rows, columns], screen[patch.like[1], patch.like[0]].copy()
                if patch.only is None:
                    part[...] = colour
                else:
                    part[patch.only[colours[rows, columns]]] = colour
        return screen

    def save(self) -> tuple:
        return None if self.stack is None else self.stack.copy(), self.before, self.dim

    def restore(self, saved: tuple) -> None:
        stack, self.before, self.dim = saved
        if stack is not None and self.stack is not None:
            self.stack[:] = stack
