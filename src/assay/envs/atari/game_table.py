"""The table of the emulator's games and the colours of its console, as the package keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import yaml

RULES = files("assay.envs.atari") / "variations"
TABLE = "_games.yaml"  # every game of the emulator: `python -m tools.atari_games` writes it
PALETTE = "_palette.yaml"  # the console's colours: `python -m tools.atari_palette` writes it
WIDTH = 160  # columns of the console's picture, in every game
MOST_ROWS = 250  # of any game's picture
LUMINANCE = (0.2989, 0.5870, 0.1140)  # weights of red, green and blue in the emulator's gray


@cache
def game_rows() -> Mapping[str, Mapping[str, Any]]:
    """Game -> its row of the table."""
    rows: dict[str, dict[str, Any]] = load_table(TABLE)
    return rows


def rows_of(game: str) -> int:
    """The height of a game's picture; the largest one for a game that the emulator does not have."""
    return int(game_rows()[game]["rows"]) if game in game_rows() else MOST_ROWS


@cache
def palette() -> np.ndarray:
    """(256, 3) uint8: the red, green and blue of each colour; odd numbers look like the even ones before."""
    colours = np.array([list(bytes.fromhex(each)) for each in load_table(PALETTE)], "uint8")
    return np.repeat(colours, 2, axis=0)


@cache
def grays() -> np.ndarray:
    """(256,) uint8: the emulator's gray of each colour."""
    return np.round(palette() @ np.array(LUMINANCE)).astype("uint8")


def load_table(name: str) -> Any:
    return yaml.load((RULES / name).read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
