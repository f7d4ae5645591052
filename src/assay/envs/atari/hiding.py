"""Hides parts of a game in the picture alone: a frame is drawn with cells edited, and then undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from assay.envs.atari.emulator import Emulator
from assay.envs.atari.rule_functions import without_fire
from assay.envs.atari.screen import Eye

Shown = TypeVar("Shown")


class Drawing(NamedTuple):
    """How a hidden frame was drawn, so that it can be drawn again."""

    state: Any  # of the emulator
    edits: dict[int, int]  # cell -> the value that it was drawn with
    code: int  # the action of the frame


class Hider:
    """Draws the frames of a host whose cells are hidden.

    With align=same the present frame is drawn with its cells edited and undone, and then truly played. The
    emulator's screen and memory are therefore the true ones after every step. With align=next, as in STORI,
    an idle frame is played after the true one, drawn with edited cells and undone.
    """

    def __init__(self, emulator: Emulator, eye: Eye, align: str):
        self.emulator, self.eye, self.after = emulator, eye, align == "next"
        self.drawing: Drawing | None = None  # of the frame that was seen last
        self.previous: Drawing | None = None  # of the frame that the step before showed

    def edits(self, frame: int) -> dict[int, int]:
        """The cells to edit in the present state; none where there is nothing to hide."""
        edits: dict[int, int] = {}
        self.emulator.read()
        for each in self.eye.hidden_now:
            hide = each.compiled.hooks["hide"]
            hide(self.emulator.ram, edits.__setitem__, each.memory, each.draws, frame, 0, 0, b"", each.start)
        return edits

    def draw(self, frame: int, code: int) -> None:
        """Draws a hidden frame from the present state, to which the emulator returns."""
        edits = self.edits(frame)
        self.eye.held = self.drawing = None
        if edits and self.eye.shows_pictures:
            if code and any(each.compiled.button_up for each in self.eye.hidden_now):
                code = without_fire(code)
            self.drawing = Drawing(self.emulator.save_light(), edits, code)
            self.eye.held = self.emulator.draw_edited(*self.drawing, self.eye.capture)

    def repeat(self) -> None:
        """Shows what the step before showed: the game ended before a frame that hides cells was drawn."""
        self.drawing = self.previous
        self.eye.held = self.draw_again(self.previous, self.eye.capture) if self.previous else self.eye.last

    def draw_again(self, drawing: Drawing, capture: Callable[[], Shown]) -> Shown:
        """What `capture` takes of a hidden frame; the emulator returns to its present state."""
        now = self.emulator.save()
        self.emulator.restore(drawing.state)
        shown = self.emulator.draw_edited(*drawing, capture)
        self.emulator.restore(now)
        return shown
