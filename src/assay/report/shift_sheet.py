"""The states where the choice changes most, as a picture: plain beside varied, and bars of probabilities."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image, ImageDraw

from assay.analysis.shift import Moment, Shift
from assay.report.sheet import EDGE, GAP, INK, MARGIN, PAPER, SMALL, SOFT, TEXT, font, wrap
from assay.report.shift_text import action_bars, name_moment, say_moment

COLUMNS = 2
SIDE = 256  # pixels that a picture may have on the sheet
TRACK, RIGHT = 110, 38  # of the bars: the length of 100%, and numbers behind it
BETWEEN = 28  # cells
PLAIN, VARIED = (96, 102, 110), (196, 84, 20)  # of the bars, and of the words above the pictures
HEAD = 2 * round(1.3 * TEXT) + 4


class CellSize(NamedTuple):
    wide: int  # of one picture
    high: int
    scale: int
    label: int  # the width of the longest name of an action

    @property
    def width(self) -> int:
        return 2 * self.wide + self.label + TRACK + RIGHT + 4 * GAP

    @property
    def height(self) -> int:
        return HEAD + round(1.3 * SMALL) + 2 + self.high


def draw_shift(shift: Shift) -> Image.Image:
    """The sheet; pictures are enlarged by a whole number and never smoothed."""
    pictures = [(read(each.plain_seen), read(each.varied_seen)) for each in shift.moments]
    high = max(side.height for pair in pictures for side in pair)
    wide = max(side.width for pair in pictures for side in pair)
    scale = max(1, SIDE // max(high, wide))
    names = (bar.name for moment in shift.moments for bar in action_bars(shift, moment))
    label = 12 + round(max(font(SMALL).getlength(name) for name in names))
    cell = CellSize(wide * scale, high * scale, scale, label)
    columns = min(COLUMNS, len(pictures))
    rows = -(-len(pictures) // columns)
    title = wrap(f"{shift.agent} on {shift.task}: where the choice changes most", TEXT,
                 columns * (cell.width + BETWEEN) - BETWEEN)  # fmt: skip
    top = MARGIN + round(1.3 * TEXT) * len(title) + 8
    page = Image.new(
        "RGB",
        (2 * MARGIN + columns * (cell.width + BETWEEN) - BETWEEN,
         top + rows * (cell.height + BETWEEN) - BETWEEN + MARGIN),
        PAPER,
    )  # fmt: skip
    pen = ImageDraw.Draw(page)
    for number, line in enumerate(title):
        pen.text((MARGIN, MARGIN + number * round(1.3 * TEXT)), line, font=font(TEXT), fill=INK)
    for number, (moment, pair) in enumerate(zip(shift.moments, pictures)):
        left = MARGIN + number % columns * (cell.width + BETWEEN)
        draw_cell(page, shift, moment, pair, cell, left, top + number // columns * (cell.height + BETWEEN))
    return page


def read(data: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


def draw_cell(
    page: Image.Image,
    shift: Shift,
    moment: Moment,
    pair: Sequence[Image.Image],
    cell: CellSize,
    left: int,
    top: int,
) -> None:
    """One state: its axis above, then plain, the bars, and varied."""
    pen = ImageDraw.Draw(page)
    pen.text((left, top), name_moment(moment), font=font(TEXT), fill=INK)
    said = f"{say_moment(moment)}; total variation {moment.distance:.2f}"
    pen.text((left, top + round(1.3 * TEXT)), said, font=font(SMALL), fill=SOFT)
    words, pictures = top + HEAD, top + HEAD + round(1.3 * SMALL) + 2
    bars = left + cell.wide + 2 * GAP
    places = (left, bars + cell.label + TRACK + RIGHT + 2 * GAP)
    for place, side, name, colour in zip(places, pair, ("plain", "varied"), (PLAIN, VARIED)):
        pen.text((place, words), name, font=font(SMALL), fill=colour)
        shown = side.resize((side.width * cell.scale, side.height * cell.scale), Image.Resampling.NEAREST)
        page.paste(shown, (place, pictures))
        edge = (place - 1, pictures - 1, place + shown.width, pictures + shown.height)
        pen.rectangle(edge, outline=EDGE)
    draw_bars(pen, shift, moment, bars + cell.label, pictures, cell.high)


def draw_bars(
    pen: ImageDraw.ImageDraw, shift: Shift, moment: Moment, start: int, top: int, room: int
) -> None:
    """Two bars for each action from `start` on, plain above varied; the names stand before them."""
    bars = action_bars(shift, moment)
    row = min(room // len(bars), 32)
    thick = max(3, (row - 6) // 2)
    top += (room - row * len(bars)) // 2
    for number, (name, plain, varied) in enumerate(bars):
        middle = top + number * row + row // 2
        wide = font(SMALL).getlength(name)
        pen.text((start - 8 - wide, middle - SMALL // 2 - 2), name, font=font(SMALL), fill=INK)
        for chance, colour, above in ((plain, PLAIN, middle - thick - 1), (varied, VARIED, middle + 1)):
            if chance >= 0.005:
                end = start + max(1, round(chance * TRACK))
                pen.rectangle((start, above, end - 1, above + thick - 1), fill=colour)
                place = end + 4
                pen.text((place, above + thick / 2), f"{chance:.0%}", font=font(min(SMALL, thick + 3)),
                         fill=colour, anchor="lm")  # fmt: skip
    pen.line((start - 1, top, start - 1, top + row * len(bars)), fill=EDGE)
