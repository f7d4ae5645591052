"""Pictures beside each other with words around them: contact sheets and animations. Arrays in, files out.

A picture is (height, width, 3) uint8. It is enlarged by a whole number and never smoothed, so what a sheet
shows is what was drawn, pixel for pixel; only a GIF may have fewer colours than its pictures.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from assay.errors import AssayError

MARGIN, GAP, GROUP_GAP, ROW_GAP = 12, 6, 18, 14  # pixels
TEXT, SMALL = 15, 13  # pixels, sizes of letters
LINE = 1.3  # of the size
PAPER, INK, SOFT, EDGE = (255, 255, 255), (20, 20, 20), (95, 95, 95), (190, 190, 190)
COLOURS = 256  # the most that a GIF's frame has


class Cell(NamedTuple):
    """A picture, and perhaps a word under it."""

    picture: np.ndarray
    note: str = ""


class Row(NamedTuple):
    """Cells under a label."""

    label: str
    cells: Sequence[Cell]


class Sheet(NamedTuple):
    """Rows of as many cells as there are headings; columns in groups of `group` stand closer together."""

    rows: Sequence[Row]
    headings: Sequence[str]
    title: str = ""
    scale: int = 1
    group: int = 1


class Words(NamedTuple):
    """A line of text at its place."""

    left: int
    top: int
    text: str
    size: int
    colour: tuple[int, int, int]


class Layout(NamedTuple):
    """Where everything goes; `places` has (left, top) of every cell, row by row."""

    width: int
    height: int
    words: list[Words]
    places: list[list[tuple[int, int]]]


@cache
def font(size: int) -> Any:
    return ImageFont.load_default(size)  # one that comes with Pillow, so a sheet is alike on every machine


def wrap(text: str, size: int, width: int) -> list[str]:
    """The text in lines of at most so many pixels, cut where a task's text has a + or a comma."""
    lines = [""]
    for piece in re.findall(r"[ +]?[^ +,]*,?", text):
        for part in fitting(piece, size, width):
            if lines[-1] and font(size).getlength(lines[-1] + part) > width:
                lines.append("")
            lines[-1] += part if lines[-1] else part.lstrip()
    return [line for line in lines if line]


def fitting(piece: str, size: int, width: int) -> list[str]:
    """A piece, cut within words if it is longer than a line."""
    parts = [""]
    for letter in piece:
        if parts[-1] and font(size).getlength(parts[-1] + letter) > width:
            parts.append("")
        parts[-1] += letter
    return parts


def lay_out(sheet: Sheet) -> Layout:
    """The places of all cells and words."""
    pictures = [cell.picture for row in sheet.rows for cell in row.cells]
    high, wide = (sheet.scale * max(picture.shape[i] for picture in pictures) for i in (0, 1))
    lefts = [MARGIN + i * (wide + GAP) + i // sheet.group * (GROUP_GAP - GAP) * (sheet.group > 1)
             for i in range(len(sheet.headings))]  # fmt: skip
    within = lefts[-1] + wide - MARGIN
    words: list[Words] = []

    def write(text: str, left: int, top: int, size: int, room: int, colour: tuple = INK) -> int:
        """Adds the text in lines; returns the row below them."""
        for line in wrap(text, size, room):
            words.append(Words(left, top, line, size, colour))
            top += round(LINE * size)
        return top

    top = write(sheet.title, MARGIN, MARGIN, TEXT, within) + 4 * bool(sheet.title)
    places = []
    for number, row in enumerate(sheet.rows):
        top = write(row.label, MARGIN, top + ROW_GAP * bool(number), TEXT, within)
        if not number:  # headings stand right above the first pictures
            top = max(write(text, left, top, SMALL, wide, SOFT) for text, left in zip(sheet.headings, lefts))
        places.append([(left, top + 2) for left in lefts[: len(row.cells)]])
        top += 2 + high
        noted = zip(row.cells, lefts)
        top = max(write(cell.note, left, top + 2, SMALL, wide, SOFT) for cell, left in noted)
    return Layout(2 * MARGIN + within, top + MARGIN, words, places)


def draw_sheet(sheet: Sheet) -> Image.Image:
    """The sheet as one picture."""
    layout = lay_out(sheet)
    page = Image.new("RGB", (layout.width, layout.height), PAPER)
    pen = ImageDraw.Draw(page)
    for line in layout.words:
        pen.text((line.left, line.top), line.text, font=font(line.size), fill=line.colour)
    for row, places in zip(sheet.rows, layout.places):
        for cell, place in zip(row.cells, places):
            picture = Image.fromarray(enlarge(cell.picture, sheet.scale))
            page.paste(picture, place)
            pen.rectangle((place[0] - 1, place[1] - 1, place[0] + picture.width, place[1] + picture.height),
                          outline=EDGE)  # fmt: skip
    return page


def enlarge(picture: np.ndarray, scale: int) -> np.ndarray:
    """Each pixel as a square of `scale` pixels."""
    return picture.repeat(scale, 0).repeat(scale, 1)


def scale_for(pictures: Sequence[np.ndarray], side: int) -> int:
    """The largest whole number that keeps every picture within `side` pixels each way, at least 1."""
    return max(1, side // max(max(picture.shape[:2]) for picture in pictures))


def save_png(page: Image.Image, path: Path, colours: int = 0) -> None:
    """Writes a page, with all its colours or with so many."""
    if colours:
        page = page.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    save_aside(page, path, format="PNG", optimize=True)


def save_gif(pages: Sequence[Image.Image], path: Path, milliseconds: int) -> None:
    """Writes pages as an animation that runs for ever."""
    frames = [page.quantize(COLOURS, dither=Image.Dither.NONE) for page in pages]
    save_aside(
        frames[0], path, format="GIF", save_all=True, append_images=frames[1:], duration=milliseconds, loop=0,
    )  # fmt: skip


def save_aside(page: Image.Image, path: Path, **how: Any) -> None:
    """The file, whole or not there: it is written aside and takes its name when it is finished."""
    aside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        page.save(aside, **how)
        os.replace(aside, path)
    except OSError as error:
        raise AssayError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        aside.unlink(missing_ok=True)


def require_place(path: Path, ending: str) -> None:
    """Refuses a file that could not be written in the end, before anything is drawn for it."""
    if path.suffix != ending:
        raise AssayError(f"{path} must end in {ending}, which says what is written to it.")
    if path.is_dir():
        raise AssayError(f"{path} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise AssayError(f"{path} cannot be written: there is no folder {path.parent}; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise AssayError(f"{path} cannot be written: the folder {path.parent} admits no new files.")
