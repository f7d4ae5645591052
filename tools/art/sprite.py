"""From a drawing in letters to the frames of a skin.

A drawing is 24 rows. A row of 16 letters is drawn as it is; a row of 8 is the left half of a mirrored row.
Each letter is a colour of PALETTE; a dot is empty. The dark outline that keeps a skin readable on any
background is added here, so drawings leave it out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

HEIGHT, WIDTH = 24, 16
IDLE, WALK = 2, 4  # frames of each
EMPTY = "."
OUTLINE = (22, 18, 30)

PALETTE = {
    "K": (30, 26, 38),
    "d": (60, 60, 82),
    "k": (84, 86, 104),
    "g": (136, 142, 156),
    "w": (192, 200, 212),
    "W": (250, 250, 246),
    "S": (246, 200, 156),
    "s": (216, 154, 112),
    "R": (222, 48, 48),
    "r": (150, 28, 44),
    "O": (244, 140, 40),
    "Y": (252, 220, 70),
    "y": (206, 152, 40),
    "G": (80, 184, 76),
    "f": (40, 120, 64),
    "L": (164, 228, 100),
    "B": (64, 112, 224),
    "b": (44, 64, 146),
    "C": (110, 214, 244),
    "P": (146, 80, 196),
    "p": (90, 50, 132),
    "M": (244, 140, 188),
    "m": (206, 84, 144),
    "N": (150, 96, 54),
    "n": (98, 62, 38),
    "T": (226, 192, 140),
}


@dataclass(frozen=True)
class Drawing:
    """One skin: its rows, and how it moves."""

    rows: tuple[str, ...]
    gait: str = "walk"  # a key of GAITS
    legs: int = 19  # first row of the legs
    arms: tuple[int, int, int] | None = None  # first row, last row, columns from each side that swing
    idle: dict[int, str] = field(default_factory=dict)  # rows that look different in the second idle frame
    step: dict[int, str] = field(default_factory=dict)  # and in every second walk frame


def drawing(text: str, **rules) -> Drawing:
    return Drawing(tuple(text.split()), **rules)


def letters(rows: tuple[str, ...], changed: dict[int, str]) -> np.ndarray:
    """(24, 16) of single letters."""
    if len(rows) != HEIGHT:
        raise ValueError(f"a drawing has {HEIGHT} rows, not {len(rows)}")
    whole = []
    for number, row in enumerate(rows):
        row = changed.get(number, row)
        row = row + row[::-1] if len(row) == WIDTH // 2 else row
        if len(row) != WIDTH:
            raise ValueError(f"row {number} has {len(row)} letters: {row}")
        whole.append(list(row))
    return np.array(whole)


def moved(grid: np.ndarray, down: int = 0, right: int = 0) -> np.ndarray:
    """The grid shifted; what leaves is lost and what enters is empty."""
    out = np.full_like(grid, EMPTY)
    height, width = grid.shape
    out[max(down, 0) : height + min(down, 0), max(right, 0) : width + min(right, 0)] = grid[
        max(-down, 0) : height + min(-down, 0), max(-right, 0) : width + min(-right, 0)
    ]
    return out


def over(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    return np.where(above == EMPTY, below, above)


def only(grid: np.ndarray, where: np.ndarray) -> np.ndarray:
    return np.where(where, grid, EMPTY)


def swung(grid: np.ndarray, arms: tuple[int, int, int] | None, phase: int) -> np.ndarray:
    """One arm up and the other down by a pixel."""
    if arms is None or phase == 0:
        return grid
    first, last, wide = arms
    row, column = np.indices(grid.shape)
    left = (row >= first) & (row <= last) & (column < wide)
    right = (row >= first) & (row <= last) & (column >= WIDTH - wide)
    rest = only(grid, ~(left | right))
    return over(over(moved(only(grid, left), phase), moved(only(grid, right), -phase)), rest)


def walk(grid: np.ndarray, one: Drawing, frame: int) -> np.ndarray:
    """Legs apart, left foot up, legs together, right foot up; the body sinks a pixel on both feet."""
    row, column = np.indices(grid.shape)
    body = swung(only(grid, row < one.legs), one.arms, (1, 0, -1, 0)[frame])
    left, right = only(grid, (row >= one.legs) & (column < 8)), only(grid, (row >= one.legs) & (column >= 8))
    ups, sides = ((0, 0), (-2, 0), (0, 0), (0, -2))[frame], ((-1, 1), (0, 1), (1, -1), (-1, 0))[frame]
    legs = over(moved(left, ups[0], sides[0]), moved(right, ups[1], sides[1]))
    return over(legs, moved(body, int(frame % 2 == 0)))


def fly(grid: np.ndarray, one: Drawing, frame: int) -> np.ndarray:
    """Up and down in the air; wings and hems change with every second frame."""
    return moved(grid, (1, 0, 0, -1)[frame])


def waddle(grid: np.ndarray, one: Drawing, frame: int) -> np.ndarray:
    """The upper half leans to the side of the foot that stands, and sinks once in between."""
    row, column = np.indices(grid.shape)
    lean = (-1, 0, 1, 0)[frame]
    upper = moved(only(grid, row < 11), int(frame == 1), lean)
    lower = only(grid, (row >= 11) & (row < one.legs))
    left, right = only(grid, (row >= one.legs) & (column < 8)), only(grid, (row >= one.legs) & (column >= 8))
    return over(over(moved(left, -(lean > 0)), moved(right, -(lean < 0))), over(lower, upper))


def hop(grid: np.ndarray, one: Drawing, frame: int) -> np.ndarray:
    """Crouch, leave the ground with stretched legs, fly, land."""
    row, _ = np.indices(grid.shape)
    body, legs = only(grid, row < one.legs), only(grid, row >= one.legs)
    rise = (1, -1, -3, -2)[frame]
    return over(moved(legs, min(rise + frame % 2, 0)), moved(body, rise))


def glide(grid: np.ndarray, one: Drawing, frame: int) -> np.ndarray:
    """Nothing but the body's own bob and swinging arms: for gowns and robes that hide the feet."""
    row, _ = np.indices(grid.shape)
    body = swung(only(grid, row < one.legs), one.arms, (1, 0, -1, 0)[frame])
    hem = moved(only(grid, row >= one.legs), 0, (-1, 0, 1, 0)[frame])
    return over(hem, moved(body, int(frame == 1)))


GAITS = {"walk": walk, "fly": fly, "waddle": waddle, "hop": hop, "glide": glide}


def breathe(grid: np.ndarray, one: Drawing) -> np.ndarray:
    """The second idle frame: all above the legs a pixel lower, or a floating thing a pixel higher."""
    if one.gait == "fly":
        return moved(grid, -1)
    row, _ = np.indices(grid.shape)
    return over(only(grid, row >= one.legs), moved(only(grid, row < one.legs), 1))


def coloured(grid: np.ndarray) -> np.ndarray:
    """RGBA uint8 (24, 16, 4) with the outline around every filled pixel."""
    out = np.zeros((*grid.shape, 4), np.uint8)
    for letter, colour in PALETTE.items():
        out[grid == letter] = (*colour, 255)
    filled = np.pad(grid != EMPTY, 1)
    near = filled[:-2, 1:-1] | filled[2:, 1:-1] | filled[1:-1, :-2] | filled[1:-1, 2:]
    out[near & ~filled[1:-1, 1:-1]] = (*OUTLINE, 255)
    return out


def frames(one: Drawing) -> np.ndarray:
    """All frames of a skin, idle then walk: uint8 (6, 24, 16, 4)."""
    plain = letters(one.rows, {})
    idle = [plain, breathe(letters(one.rows, one.idle), one)]
    steps = [GAITS[one.gait](letters(one.rows, one.step if n % 2 else {}), one, n) for n in range(WALK)]
    return np.stack([coloured(grid) for grid in idle + steps])
