"""Draws what each of STORI's modes shows: a sheet for every game, plain beside varied at the same moment.

.venv/bin/python benchmarks/stori_sheets.py     # docs/images/stori-breakout.png and three more
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from stori_chances import SEEING, modes_of, play

from assay.report.sheet import Cell, Row, Sheet, draw_sheet, save_png
from assay.suites.stori import GAMES

IMAGES = Path(__file__).parent.parent / "docs" / "images"
STEPS = 1200
ACROSS = 4  # modes side by side
EVENTS = "2.1, events in the game"
BETWEEN = 4  # white columns between plain and varied
COLOURS = 128
# Where acting at every step would show less than acting now and then.
RARELY = {"color_flip": 0.02, "swap_corners": 0.02, "city_switch": 0.02, "block_return": 0.05}
MASKS = (*(f"observation.mask.{half}" for half in ("left", "right", "top", "bottom")), "observation.torch")


def film(task: str) -> list[np.ndarray]:
    """The pictures of the first episode, or of its first steps."""
    pictures = []
    for each in play(task, STEPS):
        pictures.append(each.picture)
        if each.ended:
            break
    return pictures


def moment_of(plain: Sequence[np.ndarray], varied: Sequence[np.ndarray], is_event: bool) -> int:
    """The first moment at which the pictures differ, of what is covered by as many pixels as usual."""
    apart = np.array([(one != other).any(-1).sum() for one, other in zip(plain, varied)])
    if not apart.any():
        return len(apart) - 1
    return int(np.argmax(apart > 0 if is_event else apart >= np.median(apart[apart > 0])))


def pair_cell(plain: Sequence[np.ndarray], game: str, name: str, is_event: bool) -> Cell:
    level = RARELY.get(name, 1.0)
    varied = film(f"atari/{game}{SEEING}+{name}={level}")
    at = moment_of(plain, varied, is_event)
    gap = np.full((len(plain[at]), BETWEEN, 3), 255, np.uint8)
    note = name if (plain[at] != varied[at]).any() else f"{name} (not seen in {len(varied)} steps)"
    return Cell(np.concatenate([plain[at], gap, varied[at]], 1), note)


def sheet_of(game: str) -> Sheet:
    plain = film(f"atari/{game}{SEEING}")
    own = modes_of(game)
    groups = {
        EVENTS: [name for name, kind, _ in own if kind == "2.1"],
        "3.2, covered or hidden": [name for name, kind, _ in own if kind == "3.2"],
        "3.2, any game": list(MASKS) if game == "Breakout" else [],
    }
    rows = []
    for label, names in groups.items():
        cells = [pair_cell(plain, game, name, label == EVENTS) for name in names]
        for first in range(0, len(cells), ACROSS):
            rows.append(Row(label if not first else "", cells[first : first + ACROSS]))
    return Sheet(rows, [""] * ACROSS, f"{game}: plain and varied at the same moment, same actions, same seed")


def main() -> None:
    for game in GAMES:
        save_png(draw_sheet(sheet_of(game)), IMAGES / f"stori-{game.lower()}.png", COLOURS)


if __name__ == "__main__":
    main()
