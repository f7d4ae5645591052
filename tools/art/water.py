"""Water: the open sea, under the sea, beaches, waterfalls and harbours."""

from __future__ import annotations

import numpy as np

from tools.art.canvas import (
    COLUMN,
    ROW,
    SIZE,
    Canvas,
    across,
    box,
    disc,
    distance,
    noise,
    ridge,
    stroke,
    under,
    wedge,
)
from tools.art.land import cloud


def sea(
    c: Canvas,
    *,
    sky: str,
    water: str,
    row: int,
    foam: str,
    swell=0.0,
    sun=None,
    glitter="",
    clouds=(),
    boat=None,
    stars=0,
) -> None:
    """swell: height of the waves; glitter: colour of the sun's path; boat: (x, foot, size, hull, sail)."""
    c.sky(sky, 0, row)
    if stars:
        c.stars(stars, "c0c8e8 ffffff", row)
    if sun:
        c.sun(*sun)
    for one in clouds:
        cloud(c, *one)
    c.sky(water, row, SIZE, ROW >= row)
    if glitter:
        wide = 3 + (ROW - row) * 0.28
        dash = (ROW * 7 + (COLUMN // 3) * 5) % 4 < 2
        c.fill((ROW >= row) & (np.abs(across(sun[0])) < wide) & dash & (ROW % 3 > 0), glitter)
    for n in range(7):
        y = row + 3 + (SIZE - row) * (n / 7) ** 1.4
        line = y + ridge(c.rng, 4 + n, 2) * (1 + swell * (n + 1) / 4)
        if boat and n == 4:
            x, foot, size, hull, sail = boat
            c.fill(box(x, foot - size * 1.3, 1, size * 1.3), "3a2a20")
            c.fill(wedge(x, foot - size * 1.3, foot - size * 0.2, size * 0.7) & (across(x) > 1), sail)
            c.fill(wedge(x, foot - size * 1.1, foot - size * 0.2, size * 0.5) & (across(x) < -1), sail)
            c.fill(
                (np.abs(across(x)) < size * 0.75 - (ROW - foot) * 0.8)
                & (ROW >= foot)
                & (foot + size * 0.3 > ROW),
                hull,
            )
        shade = water.split()[n % len(water.split())]
        if swell:
            c.fill(under(line) & (ROW < (line + 5 + n)[None, :]), shade)
        crest = (ROW >= line[None, :]) & (ROW < (line + 1 + n // 3)[None, :])
        c.fill(crest & (noise(c.rng, 8, 4, 2) > 0.5), foam)


def fish(c: Canvas, x: float, y: float, size: float, text: str, way: int = 1) -> None:
    c.fill(disc(x, y, size * 0.5, 1.7), text)
    back = -way * across(x)
    c.fill((np.abs(ROW - y) < (back - size * 0.5)) & (back < size * 1.3) & (back > 0), text)
    c.fill(disc(x + way * size * 0.45, y - size * 0.1, 0.7), "101020")


def underwater(
    c: Canvas,
    *,
    water: str,
    bed: str,
    row: float,
    rays="",
    weeds=(),
    corals=(),
    shoal=(),
    bubbles=0,
    jellies=(),
    rocks=(),
) -> None:
    """weeds: (x, top, colour); corals: (x, size, colour); shoal: (x, y, size, colour);
    jellies: (x, y, size, colour).
    """
    c.sky(water)
    for x in (8, 40, 58, 100) if rays else ():
        c.tint(np.abs(across(x) - ROW * 0.35) < 3 + ROW * 0.07, rays, np.clip(0.5 - ROW / 240, 0, 1))
    for x, top, half, text in rocks:
        jag = ridge(c.rng, 14, 3, sharp=True) * 4
        mask = (
            np.abs(across(x) + jag[None, :])
            < half * np.clip((ROW - top) / 26, 0, 1) ** 0.5 + jag[ROW[:, 0]][:, None]
        )
        c.fill(mask & (ROW > top), text)
    for x, top, text in weeds:
        sway = ridge(c.rng, 5, 1)[ROW[:, 0]][:, None] * 4
        side = across(x) - sway
        c.fill((np.abs(side) < 1.6) & (ROW > top), text)
        c.fill((np.abs(side) < 5) & (ROW > top + 3) & ((ROW + side.astype(int)) % 9 < 3), text)
    c.below(row + ridge(c.rng, 5, 3) * 5, bed, SIZE - row)
    for x, size, text in corals:
        foot = row + 4
        for dx in (-0.8, -0.4, 0, 0.4, 0.8):
            high = size * (1 - abs(dx) * 0.4) * (0.8 + 0.4 * c.rng.random())
            c.fill(stroke(x, foot, x + dx * size, foot - high, 3.4), text)
            c.fill(disc(x + dx * size, foot - high, 2.6), text)
    for n, (x, y, size, text) in enumerate(shoal):
        fish(c, x, y, size, text, 1 if n % 3 else -1)
    for x, y, size, text in jellies:
        c.glow(x, y, size * 2.6, text, 0.5)
        c.fill((distance(x, y) < size) & (ROW < y + 1), text)
        for dx in (-0.7, -0.25, 0.25, 0.7):
            wave = ridge(c.rng, 12, 1)[ROW[:, 0]][:, None] * 2
            c.fill((np.abs(across(x + dx * size) - wave) < 0.8) & (y <= ROW) & (y + size * 2.6 > ROW), text)
    for _ in range(bubbles):
        x, y, r = c.rng.random() * SIZE, c.rng.random() * row, 1 + c.rng.random() * 2.5
        c.tint((distance(x, y) <= r) & (distance(x, y) > r - 1), "ffffff", 0.8)


def palm(c: Canvas, x: float, foot: float, high: float, lean: float, trunk: str, leaves: str) -> None:
    for share in np.linspace(0, 1, 24):
        c.fill(disc(x + lean * share**2, foot - high * share, 2.6 - share * 1.2), trunk)
    top_x, top_y = x + lean, foot - high
    for n, (dx, dy) in enumerate(
        ((-1, 0.25), (-0.8, -0.35), (0, -0.6), (0.8, -0.4), (1, 0.2), (-0.5, 0.7), (0.6, 0.7))
    ):
        for share in np.linspace(0, 1, 14):
            drop = share**2 * 0.5
            text = leaves.split()[n % 2]
            c.fill(
                disc(
                    top_x + dx * share * high * 0.42,
                    top_y + (dy * share + drop) * high * 0.36,
                    3 * (1.1 - share),
                ),
                text,
            )


def beach(
    c: Canvas,
    *,
    sky: str,
    water: str,
    sand: str,
    row: int,
    shore: float,
    palms=(),
    sun=None,
    isle=None,
    leaves="2f8a3c 1f6a34",
    trunk="7a5230",
    shade=None,
) -> None:
    """The sea from row down to the shore, then sand; palms: (x, foot, height, lean);
    isle: (x, half, height, colour).
    """
    c.sky(sky, 0, row)
    if sun:
        c.sun(*sun)
    c.sky(water, row, shore, ROW >= row)
    if isle:
        x, half, high, text = isle
        c.fill(
            (np.abs(across(x)) < half)
            & (ROW >= row - high * (1 - (across(x) / half) ** 2))
            & (ROW < row + 1),
            text,
        )
    for n in range(12):
        y = row + 2 + n * (shore - row) / 12
        c.tint(box(c.rng.random() * SIZE, y, 12 + n * 2, 1), "ffffff", 0.6)
    line = shore + ridge(c.rng, 3, 2) * 4
    c.fill(under(line - 3), "f8fcf8")
    c.below(line, sand, SIZE - shore)
    for x, foot, high, lean in palms:
        c.tint(disc(x + 6, foot, 3, 5), "5a3a20", 0.35)
        palm(c, x, foot, high, lean, trunk, leaves)
    if shade:
        x, foot, size = shade
        c.fill(box(x, foot - size, 1, size), "604030")
        dome = (distance(x, foot - size * 0.8) < size * 0.7) & (ROW < foot - size * 0.8)
        c.fill(dome, "f8f0e0")
        c.fill(dome & ((across(x) / size * 5).astype(int) % 2 == 0), "e04848")


def waterfall(
    c: Canvas, *, sky: str, rock: str, falls, pool: str, top: float, foot: float, moss: str, mist="ffffff"
) -> None:
    """falls: (x, half width)."""
    c.sky(sky, 0, top + 10)
    grain = noise(c.rng, 12, 5, 3)
    cliff = under(top + ridge(c.rng, 6, 4) * 9)
    c.dither(grain, rock, cliff)
    c.tint(cliff & ((ROW + (grain * 40).astype(int)) % 19 < 2), rock.split()[0], 0.6)
    c.fill(cliff & ~under(top + 7 + ridge(c.rng, 12, 3) * 9), moss)
    c.sky(pool, foot, SIZE, ROW >= foot)
    for x, half in falls:
        edge = ridge(c.rng, 10, 2)[ROW[:, 0]][:, None] * 1.6
        mask = (np.abs(across(x) + edge) < half) & cliff & (ROW < foot + 4)
        streak = ridge(c.rng, 64, 1, sharp=True)[COLUMN[0]]
        c.dither(
            0.55 + 0.45 * streak[None, :] + 0.2 * ((ROW * 3 + COLUMN * 11) % 13 < 3),
            "5aa0d0 a8dcf4 ffffff",
            mask,
        )
        c.tint(disc(x, foot + 3, half * 0.7, 1.9), mist, 0.75)
    for _ in range(16):
        c.tint(box(c.rng.random() * SIZE, foot + 6 + c.rng.random() * (SIZE - foot), 10, 1), "ffffff", 0.6)


def ship(c: Canvas, x: float, foot: float, size: float, hull: str, house: str) -> None:
    c.fill(
        (np.abs(across(x)) < size - (ROW - foot) * 0.5) & (foot - size * 0.3 <= ROW) & (foot + 3 > ROW), hull
    )
    c.fill(box(x - size * 0.5, foot - size * 0.62, size * 0.8, size * 0.34), house)
    c.fill(box(x - size * 0.15, foot - size * 1.0, size * 0.24, size * 0.4), "c84030")
    for n in range(4):
        c.fill(box(x - size * 0.42 + n * size * 0.2, foot - size * 0.52, 2, 2), "203040")


def harbour(
    c: Canvas,
    *,
    sky: str,
    water: str,
    row: int,
    quay: str,
    cranes=(),
    ships=(),
    sun=None,
    lamps=False,
    crates=(),
) -> None:
    """cranes: (x, height, reach, colour); ships: (x, foot, size, hull, house);
    crates: (x, y, width, height, colour).
    """
    c.sky(sky, 0, row)
    if sun:
        c.sun(*sun)
    c.fill((ROW >= (row - 6 + np.round(ridge(c.rng, 16, 2, sharp=True) * 4))[None, :]) & (ROW < row), quay)
    c.sky(water, row, SIZE, ROW >= row)
    for _ in range(22):
        c.tint(box(c.rng.random() * SIZE, row + 2 + c.rng.random() * (SIZE - row), 9, 1), "ffffff", 0.35)
    for x, high, reach, text in cranes:
        foot = row + 2
        for dx in (-5, 5):
            c.fill(stroke(x + dx, foot, x, foot - high, 2), text)
        c.fill(stroke(x - reach * 0.35, foot - high * 0.8, x + reach, foot - high * 1.02, 3), text)
        c.fill(stroke(x, foot - high * 1.2, x + reach, foot - high * 1.02, 1), text)
        c.fill(stroke(x, foot - high * 1.2, x, foot - high * 0.8, 2), text)
        c.fill(box(x + reach * 0.85, foot - high, 1, high * 0.5), text)
    for one in ships:
        ship(c, *one)
    for x, y, wide, high, text in crates:
        c.fill(box(x, y, wide, high), text)
        c.tint(box(x, y, wide, high) & ((COLUMN - round(x)) % 4 == 0), "000000", 0.25)
    if lamps:
        for x in (12, 44, 76, 108):
            c.fill(box(x, row - 18, 1, 18), "303040")
            c.glow(x, row - 18, 12, "ffe0a0", 0.9)
