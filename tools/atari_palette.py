"""Writes the console's 128 colours as the emulator shows them.

    python -m tools.atari_palette

Boxing keeps the colour of its ring in one cell: every number is written there, and the picture says which
colour it is.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assay.envs.atari.emulator import Emulator
from assay.envs.atari.game_table import PALETTE

RING_COLOUR = 3  # the cell
TARGET = Path(__file__).parents[1] / "src/assay/envs/atari/variations" / PALETTE
HEAD = (
    "# The console's colours 0, 2, 4 ... 254 as red, green and blue.\n"
    "# Written by `python -m tools.atari_palette`; a test compares it with the emulator.\n"
)


def read_palette() -> dict[int, str]:
    """The number of a colour -> its red, green and blue in hexadecimal digits."""
    emulator = Emulator("boxing", "atari/Boxing")
    emulator.reset()
    for _ in range(30):  # until the ring is drawn
        emulator.act(0)
    colours: dict[int, str] = {}
    for number in range(0, 256, 2):
        emulator.put(RING_COLOUR, number)
        emulator.act(0)
        numbers, picture = emulator.ale.getScreen(), emulator.ale.getScreenRGB()
        row, column = np.argwhere(numbers == number)[0]
        colours[number] = bytes(picture[row, column]).hex()
    return colours


def main() -> None:
    TARGET.write_text(HEAD + "".join(f'- "{each}"\n' for each in read_palette().values()))


if __name__ == "__main__":
    main()
