"""The last frames of a game as one observation."""

from __future__ import annotations

import numpy as np


class FrameStack:
    """Frames in the order in which an observation holds them, so that handing one out is a plain copy.

    With `first` frames lie one after the other; else each pixel holds its values in all frames side by side,
    and moving all frames on by one is moving the whole memory on by a pixel's values of one frame.
    """

    def __init__(self, shape: tuple[int, ...], frames: int, dtype: str, first: bool):
        self.frames = frames
        if first:
            self._whole = np.zeros((frames, *shape), dtype)
            self._newest = self._whole[-1]
            width = self._newest.size
        else:
            width = shape[2] if len(shape) == 3 else 1
            self._whole = np.zeros((*shape[:2], frames * width), dtype)
            self._newest = self._whole[..., -width:].reshape(shape)  # a view: only its last axis is split
        memory = self._whole.reshape(-1)
        self._older, self._later = memory[:-width], memory[width:]

    def fill(self, frame: np.ndarray) -> None:
        """Every frame is this one."""
        for _ in range(self.frames):
            self.push(frame)

    def push(self, frame: np.ndarray) -> None:
        self._older[...] = self._later
        self._newest[...] = frame

    def copy(self) -> np.ndarray:
        """The observation; the caller may keep and change it."""
        return self._whole.copy()

    def restore(self, whole: np.ndarray) -> None:
        self._whole[...] = whole
