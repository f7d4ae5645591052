"""Observations of the emulator: their modes, patches and masks of the picture, the stack of frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.core.space import Box
from assay.envs.atari.compiled_variation import ActiveVariation
from assay.envs.atari.decoding import LARGEST
from assay.envs.atari.frame_stack import FrameStack
from assay.envs.atari.game_table import WIDTH
from assay.envs.atari.games import Game
from assay.envs.atari.masks import paint_masks
from assay.envs.atari.objects.views import CUT_OUT, OF_BOXES, ObjectView
from assay.envs.atari.objects.views import MODES as OBJECT_MODES
from assay.envs.atari.resize import shrink_picture
from assay.envs.atari.settings import Preprocessing

NO_PICTURES = ("ram", "labels", "decoded", *OF_BOXES)
POOLED = ("gray84", "rgb64", CUT_OUT)  # these may show the brighter of a step's last two frames


def shape_of(mode: str, screen: tuple[int, ...], names: int) -> tuple[int, ...]:
    """The shape of one observation; `screen` is (height, width), `names` how many `observed_names` it has."""
    return {
        "rgb": (*screen, 3), "gray": screen, "palette": screen,
        "gray84": (84, 84), "rgb64": (64, 64, 3), "ram": (128,), "labels": (names,), "decoded": (names,),
        "objects": (names,), "planes": (84, 84, names),
        **dict.fromkeys((CUT_OUT, "binary_masks", "class_masks"), (84, 84)),
    }[mode]  # fmt: skip


def space_of(single: tuple[int, ...], frames: int, channels: str, mode: str) -> Box:
    """The space of a stack of `frames` observations."""
    most, dtype = (LARGEST, "int32") if mode == "decoded" else (255, "uint8")
    if frames == 1:
        return Box(0, most, single, dtype)
    if channels == "first":
        return Box(0, most, (frames, *single), dtype)
    if len(single) == 3:
        return Box(0, most, (*single[:2], single[2] * frames), dtype, frames=frames)
    return Box(0, most, (*single, frames), dtype, frames=frames)


def pixels_of(screen: np.ndarray) -> np.ndarray:
    """A screen as a row of its pixels, without a copy."""
    return screen.reshape(-1, *screen.shape[2:])


def places_of(part: np.ndarray, numbers: tuple[int, ...]) -> np.ndarray:
    """Where in the screen a part of it has one of these colours, counted from the part's first pixel."""
    is_one = part == numbers[0]
    for number in numbers[1:]:
        is_one |= part == number
    row, column = np.divmod(np.flatnonzero(is_one), part.shape[1])
    return row * WIDTH + column


class Picture(NamedTuple):
    """One frame as the emulator shows it; what no active variation needs is None."""

    screen: np.ndarray  # in the form of the observation's mode, before it is made smaller
    gray: np.ndarray | None = None  # for the merging of frames by their brightness
    colours: np.ndarray | None = None  # the console's numbers, for patches


class Eye:
    """Turns the emulator's screen and RAM into observations of one mode."""

    def __init__(self, emulator: Any, options: Preprocessing, game: Game):
        mode, stack = options.observation, options.depth
        self.ale, self.mode, self.channels = emulator.ale, mode, options.channels
        self.ram, self.buffer = emulator.ram, emulator.buffer
        self.labels = np.array(game.label_cells() if mode == "labels" else [], "intp")
        self.decoder = game.decoder if mode == "decoded" else None
        self.objects = ObjectView(mode, game.finder, game.rows) if mode in OBJECT_MODES else None
        # Where objects are read from them, the cells before the step's last frame and after it. The latter
        # are those of the moment before rules write, for what they write is not on the screen yet.
        self.old = self.drawn = b""
        self.pool = options.pool and mode in POOLED
        self.patched: tuple[ActiveVariation, ...] = ()
        self.note_paint: Callable[[str], None] | None = None  # called with the axis of every patch painted
        self.fetch: Callable[[], np.ndarray] = {
            "rgb": self.ale.getScreenRGB, "rgb64": self.ale.getScreenRGB, "palette": self.ale.getScreen,
            "gray": self.ale.getScreenGrayscale, "gray84": self.ale.getScreenGrayscale,
            CUT_OUT: self.ale.getScreenGrayscale,
        }.get(mode, self.ale.getScreen)  # fmt: skip
        self.single = shape = shape_of(mode, emulator.shape, len(game.observed_names(mode)))
        dtype = "int32" if self.decoder else "uint8"
        first = options.channels == "first"
        self.stack = FrameStack(shape, stack, dtype, first) if stack > 1 else None
        self.before: Picture | None = None  # the frame before, where two are merged
        self.per_frame = options.granularity == "frame"
        self.held: Picture | None = None  # the present frame, where it was drawn with cells hidden
        self.last: Picture | None = None  # the frame seen last, where it was not hidden but might have been
        self.masked_now: tuple[ActiveVariation, ...] = ()  # those whose masks lie over the present frame
        self.hidden_now: tuple[ActiveVariation, ...] = ()  # those that hide cells in it

    @property
    def space(self) -> Box:
        return space_of(self.single, 1 if self.stack is None else self.stack.frames, self.channels, self.mode)

    def vary(self, active: Sequence[ActiveVariation]) -> None:
        """Sets the active variations, whose patches the observations show."""
        self.patched = tuple(each for each in active if each.compiled.patches)
        self.masking = tuple(each for each in active if each.compiled.masks)
        self.hiding = tuple(each for each in active if "hide" in each.compiled.hooks)
        if not self.hiding:
            self.held = self.last = None
        # One that was switched off hides nothing in later frames.
        self.masked_now = tuple(each for each in self.masked_now if each in active)
        self.hidden_now = tuple(each for each in self.hidden_now if each in active)
        self.drawn = b""
        if self.objects:
            self.objects.leave_out({name for each in active for name in each.compiled.unlists})
        self.merged = any(each.compiled.brighter_of_two for each in active)

    @property
    def two_frames(self) -> bool:
        return self.pool or self.merged

    @property
    def looks_back(self) -> bool:
        """Whether observations need the cells before the last frame."""
        return self.objects is not None and self.objects.finder.looks_back

    def count_shown(self) -> None:
        """Counts what was decided for a frame that is seen after all, since the game ended with it."""
        for each in (*self.masking, *self.hiding):
            each.draws.opportunities += 1
            each.draws.events += each in self.masked_now or each in self.hidden_now

    @property
    def shows_pictures(self) -> bool:
        return self.mode not in NO_PICTURES

    def decide(self, seen: bool = True) -> None:
        """Draws which masks and hidden cells the frames to come have, until it is called again."""
        self.masked_now = tuple(each for each in self.masking if each.draws.happens(seen))
        self.hidden_now = tuple(each for each in self.hiding if each.draws.happens(seen))

    def capture(self) -> Picture:
        """The emulator's present screen."""
        screen = self.fetch()
        by_gray = self.merged and (screen.ndim == 3 or self.mode == "palette")
        gray = self.ale.getScreenGrayscale() if by_gray else None
        return Picture(screen, gray, self.ale.getScreen() if self.patched else None)

    def remember(self) -> None:
        """Keeps the present frame, to be merged with the step's last one."""
        picture = self.held or self.capture()
        if self.per_frame and self.masked_now:
            picture = picture._replace(screen=self.mask(picture.screen.copy()))
        self.before = picture

    def mask(self, screen: np.ndarray) -> np.ndarray:
        """Paints the masks of the present frame over a screen."""
        form = {"rgb64": "rgb", "gray84": "gray", CUT_OUT: "gray"}.get(self.mode, self.mode)
        for each in self.masked_now:
            paint_masks(screen, each.compiled.masks, form)
        return screen

    def begin(self) -> np.ndarray:
        """The first observation of an episode, which fills the whole stack."""
        self.before = None
        frame = self.look()
        if self.stack is None:
            return frame
        self.stack.fill(frame)
        return self.stack.copy()

    def see(self) -> np.ndarray:
        """The observation after a step; the caller may keep and change it."""
        frame = self.look()
        if self.stack is None:
            return frame
        self.stack.push(frame)
        return self.stack.copy()

    def look(self) -> np.ndarray:
        """The present observation, without a stack."""
        if self.mode == "ram":
            return self.buffer.copy()
        if self.mode == "labels":
            return self.buffer[self.labels]
        if self.decoder:
            return self.decoder.decode(self.buffer)
        if self.objects and self.mode != CUT_OUT:
            return self.objects.see(self.drawn or self.ram, self.old)
        picture = self.held or self.capture()
        screen = picture.screen
        if self.hiding:
            self.last = None if self.held else picture._replace(screen=screen.copy())
            if self.held and self.two_frames:
                screen = screen.copy()  # the next step may merge it with its own
        if self.per_frame and self.masked_now:
            screen = self.mask(screen)
        if self.before is not None and self.two_frames:
            screen = self.merge(screen, picture.gray, self.before)
        if self.patched:
            screen = self.paint(screen, picture.colours)
        if self.masked_now and not self.per_frame:
            screen = self.mask(screen)
        if self.objects:
            screen = self.objects.cut_out(screen, self.drawn or self.ram, self.old)
        if self.mode in ("gray84", CUT_OUT):
            return shrink_picture(screen, 84, 84)
        return shrink_picture(screen, 64, 64) if self.mode == "rgb64" else screen

    def merge(self, screen: np.ndarray, gray: np.ndarray | None, before: Picture) -> np.ndarray:
        """Pixel by pixel the brighter of the last two frames, written over the later one."""
        if gray is None or before.gray is None:
            np.maximum(screen, before.screen, out=screen)  # of pooled colours each by itself, as is usual
            return screen
        # By the numbers of few pixels: masks of whole pictures take ten times as long.
        places = np.flatnonzero(before.gray > gray)
        pixels_of(screen)[places] = pixels_of(before.screen).take(places, axis=0)
        return screen

    def paint(self, screen: np.ndarray, colours: np.ndarray | None = None) -> np.ndarray:
        """Paints the patches of all active variations over the screen."""
        colours = self.ale.getScreen() if colours is None else colours
        for each in self.patched:
            arguments = (self.ram, None, each.memory, each.draws, 0, 0, 0)
            for patch in each.compiled.patches:
                if patch.when is not None and not patch.when(*arguments):
                    continue
                if self.note_paint:
                    self.note_paint(each.axis)
                x, y, width, height = (int(edge(*arguments)) for edge in patch.box)
                left, top = max(x, 0), max(y, 0)
                rows, columns = slice(top, max(y + height, 0)), slice(left, max(x + width, 0))
                colour = screen[patch.like[1], patch.like[0]].copy()
                if patch.only:
                    places = places_of(colours[rows, columns], patch.only)
                    pixels_of(screen)[places + (top * WIDTH + left)] = colour
                else:
                    screen[rows, columns] = colour
        return screen

    def save(self) -> tuple:
        stack = None if self.stack is None else self.stack.copy()
        shown = [[each.axis for each in those] for those in (self.masked_now, self.hidden_now)]
        return stack, self.before, self.held, self.last, shown, self.old, self.drawn

    def restore(self, saved: tuple) -> None:
        """Goes to what `save` gave; `vary` has set the active variations before."""
        stack, self.before, self.held, self.last, (masked, hidden), self.old, self.drawn = saved
        self.masked_now = tuple(each for each in self.masking if each.axis in masked)
        self.hidden_now = tuple(each for each in self.hiding if each.axis in hidden)
        if stack is not None and self.stack is not None:
            self.stack.restore(stack)
