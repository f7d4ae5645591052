"""Enlarged sheets of the art, for looking at: `python -m tools.art.contact FOLDER`."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from tools.art import scenes, skins

GROUNDS = ((24, 24, 36), (128, 132, 128), (236, 232, 220))  # a dark, a mid and a light background


def on(ground: tuple[int, int, int], frame: np.ndarray) -> np.ndarray:
    alpha = frame[..., 3:] / 255
    return (alpha * frame[..., :3] + (1 - alpha) * np.array(ground)).astype(np.uint8)


def skin_sheet(names: list[str], labelled: bool, scale: int = 6, columns: int = 9) -> Image.Image:
    """One frame of each skin; the grounds take turns unless labelled."""
    cell_w, cell_h = 20 * scale, 28 * scale + (12 if labelled else 0)
    rows = -(-len(names) // columns)
    sheet = Image.new("RGB", (columns * cell_w, rows * cell_h), GROUNDS[1])
    pen = ImageDraw.Draw(sheet)
    for number, name in enumerate(names):
        row, column = divmod(number, columns)
        ground = GROUNDS[(number + row) % 3]
        cell = np.full((28, 20, 3), ground, np.uint8)
        cell[2:26, 2:18] = on(ground, skins.skin(name)[0])
        sheet.paste(Image.fromarray(cell.repeat(scale, 0).repeat(scale, 1)), (column * cell_w, row * cell_h))
        if labelled:
            pen.text((column * cell_w + 4, row * cell_h + 28 * scale), name, fill=(255, 255, 255))
    return sheet


def motion_sheet(names: list[str], scale: int = 3) -> Image.Image:
    """Every frame of every skin, three skins to a row."""
    strips = [
        np.concatenate([on(GROUNDS[n % 3], f) for f in skins.skin(name)], 1) for n, name in enumerate(names)
    ]
    rows = [np.concatenate(strips[n : n + 3], 1) for n in range(0, len(strips), 3)]
    return Image.fromarray(np.concatenate(rows, 0).repeat(scale, 0).repeat(scale, 1))


def scene_sheet(scenes: np.ndarray, columns: int) -> Image.Image:
    rows = [np.concatenate(list(scenes[n : n + columns]), 1) for n in range(0, len(scenes), columns)]
    return Image.fromarray(np.concatenate(rows, 0))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = list(skins.NAMES)
    skin_sheet(names, True).save(folder / "skins_labelled.png")
    motion_sheet(names).save(folder / "skins_motion.png")
    random.Random(0).shuffle(names)  # in no order that gives names away
    skin_sheet(names, False).save(folder / "skins_unlabelled.png")
    pictures = scenes.all_scenes()
    for number in range(0, len(pictures), 32):
        sheet = scene_sheet(pictures[number : number + 32], 8)
        sheet.resize((sheet.width * 3 // 2, sheet.height * 3 // 2), 0).save(
            folder / f"scenes_{number:03}.png"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "contact"))
