"""What scenes are painted with: masks, dithered gradients and periodic noise on a 128 x 128 canvas.

Everything wraps around horizontally, so that a scene that scrolls past its right edge goes on at its left.
Noise is interpolation between random numbers, without sines: the same seed gives the same bytes anywhere.
"""

from __future__ import annotations

import numpy as np

SIZE = 128
ROW, COLUMN = np.indices((SIZE, SIZE))
BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])
THRESHOLD = np.tile((BAYER + 0.5) / 16, (SIZE // 4, SIZE // 4))  # (128, 128), for dithering

Colour = tuple[int, int, int]
Mask = np.ndarray  # (128, 128) bool
Line = np.ndarray  # (128,) float: a row for each column


def colours(text: str) -> list[Colour]:
    """Hexadecimal colours apart by spaces: "1b2a49 f0c080"."""
    return [tuple(bytes.fromhex(word)) for word in text.split()]


def colour(text: str) -> Colour:
    return colours(text)[0]


class Canvas:
    """Pixels to paint on, uint8 (128, 128, 3), and the random numbers of this scene."""

    def __init__(self, seed: int):
        self.pixels = np.zeros((SIZE, SIZE, 3), np.uint8)
        self.rng = np.random.default_rng(seed)

    def fill(self, mask: Mask, text: str) -> None:
        self.pixels[mask] = colour(text)

    def tint(self, mask: Mask, text: str, amount: float | np.ndarray) -> None:
        """Move towards a colour by `amount`, from 0 to 1, a number or an array."""
        share = np.broadcast_to(amount, (SIZE, SIZE))[mask][:, None]
        mixed = self.pixels[mask] * (1 - share) + np.array(colour(text)) * share
        self.pixels[mask] = np.floor(mixed + 0.5).clip(0, 255)

    def dither(self, value: np.ndarray, text: str, mask: Mask | None = None) -> None:
        """Paint value, from 0 to 1, in the given colours, with dots of the next where it lies between two."""
        table = np.array(colours(text), np.uint8)
        level = np.clip(value, 0, 1) * (len(table) - 1)
        index = np.floor(level + THRESHOLD * 0.999).astype(int).clip(0, len(table) - 1)
        where = np.ones((SIZE, SIZE), bool) if mask is None else mask
        self.pixels[where] = table[index][where]

    def sky(self, text: str, top: float = 0, bottom: float = SIZE, mask: Mask | None = None) -> None:
        """A vertical gradient, from the first colour at row `top` to the last at row `bottom`."""
        self.dither((ROW - top) / max(bottom - top, 1), text, mask)

    def below(self, line: Line, text: str, depth: float = 60) -> Mask:
        """Fill the ground under a line, from the first colour at it to the last `depth` rows under it."""
        mask = under(line)
        self.dither((ROW - line[None, :]) / depth, text, mask)
        return mask

    def stars(self, count: int, text: str, bottom: int = SIZE) -> None:
        table = colours(text)
        for n in range(count):
            row, column = int(self.rng.integers(bottom)), int(self.rng.integers(SIZE))
            self.pixels[row, column] = table[n % len(table)]
            if n % 9 == 0:
                for d in (-1, 1):
                    self.pixels[(row + d) % SIZE, column] = table[-1]
                    self.pixels[row, (column + d) % SIZE] = table[-1]

    def glow(self, x: float, y: float, radius: float, text: str, strength: float = 0.8) -> None:
        """A soft light that fades out at `radius`."""
        fade = np.clip(1 - distance(x, y) / radius, 0, 1) ** 2 * strength
        steps = np.floor(fade * 8 + THRESHOLD) / 8
        self.tint(np.ones((SIZE, SIZE), bool), text, steps.clip(0, 1))

    def sun(self, x: float, y: float, radius: float, text: str, halo: float = 2.5) -> None:
        self.glow(x, y, radius * halo, text, 0.55)
        self.fill(disc(x, y, radius), text)


def across(x: float) -> np.ndarray:
    """Signed columns from x, the short way round: (128, 128) in [-64, 64)."""
    return (COLUMN - x + SIZE / 2) % SIZE - SIZE / 2


def distance(x: float, y: float, stretch: float = 1.0) -> np.ndarray:
    """From each pixel to a point; stretch over 1 makes its discs wide."""
    return np.sqrt((across(x) / stretch) ** 2 + (ROW - y) ** 2)


def disc(x: float, y: float, radius: float, stretch: float = 1.0) -> Mask:
    return distance(x, y, stretch) <= radius


def ring(x: float, y: float, radius: float, width: float = 1.5) -> Mask:
    return np.abs(distance(x, y) - radius) <= width / 2


def box(x: float, y: float, width: float, height: float) -> Mask:
    """Left, top, width, height."""
    return ((COLUMN - round(x)) % SIZE < round(width)) & (ROW >= round(y)) & (ROW < round(y + height))


def under(line: Line) -> Mask:
    return ROW >= line[None, :]


def wedge(x: float, top: float, bottom: float, half: float, tip: float = 0.0) -> Mask:
    """A triangle standing on row `bottom`, `half` wide on each side there and `tip` at row `top`."""
    share = (ROW - top) / max(bottom - top, 1)
    return (ROW >= top) & (ROW < bottom) & (np.abs(across(x)) <= tip + share * (half - tip))


def stroke(x: float, y: float, to_x: float, to_y: float, width: float = 1.0) -> Mask:
    """A straight line with round ends; at most half the canvas wide."""
    dx, dy = to_x - x, to_y - y
    middle_x, middle_y = x + dx / 2, y + dy / 2
    px, py = across(middle_x) + dx / 2, ROW - middle_y + dy / 2
    along = np.clip((px * dx + py * dy) / max(dx * dx + dy * dy, 1e-9), 0, 1)
    return np.sqrt((px - along * dx) ** 2 + (py - along * dy) ** 2) <= width / 2


def ease(share: np.ndarray) -> np.ndarray:
    return share * share * (3 - 2 * share)


def ridge(rng: np.random.Generator, points: int, octaves: int = 3, rough: float = 0.5, sharp=False) -> Line:
    """A periodic line of hills between -1 and 1, (128,): smooth, or with straight flanks if sharp."""
    total = np.zeros(SIZE)
    for octave in range(octaves):
        count = points * 2**octave
        if count > SIZE:
            break
        knots = rng.random(count) * 2 - 1
        place = np.arange(SIZE) * count / SIZE
        index, share = np.floor(place).astype(int), place % 1
        share = share if sharp else ease(share)
        line = knots[index] * (1 - share) + knots[(index + 1) % count] * share
        total += line * rough**octave
    total -= (total.max() + total.min()) / 2
    return total / max(np.abs(total).max(), 1e-9)


def noise(
    rng: np.random.Generator, across_cells: int, down_cells: int, octaves: int = 3, rough: float = 0.5
) -> np.ndarray:
    """Smooth noise from 0 to 1, (128, 128), periodic both ways."""
    total = np.zeros((SIZE, SIZE))
    for octave in range(octaves):
        wide, high = across_cells * 2**octave, down_cells * 2**octave
        if max(wide, high) > SIZE:
            break
        knots = rng.random((high, wide))
        y, x = ROW * high / SIZE, COLUMN * wide / SIZE
        i, j = np.floor(y).astype(int), np.floor(x).astype(int)
        v, u = ease(y % 1), ease(x % 1)
        upper = knots[i % high, j % wide] * (1 - u) + knots[i % high, (j + 1) % wide] * u
        lower = knots[(i + 1) % high, j % wide] * (1 - u) + knots[(i + 1) % high, (j + 1) % wide] * u
        total += (upper * (1 - v) + lower * v) * rough**octave
    return (total - total.min()) / max(total.max() - total.min(), 1e-9)


def cells(
    rng: np.random.Generator, count: int, stretch: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of `count` random points the nearest: its number, how far it and the second are; all (128, 128)."""
    first, second = np.full((SIZE, SIZE), 1e9), np.full((SIZE, SIZE), 1e9)
    number = np.zeros((SIZE, SIZE), int)
    for n, (x, y) in enumerate(rng.random((count, 2)) * SIZE):
        down = (ROW - y + SIZE / 2) % SIZE - SIZE / 2
        away = np.sqrt((across(x) / stretch) ** 2 + down**2)
        second = np.where(away < first, first, np.minimum(second, away))
        number = np.where(away < first, n, number)
        first = np.minimum(first, away)
    return number, first, second


def flat(row: float) -> Line:
    return np.full(SIZE, float(row))
