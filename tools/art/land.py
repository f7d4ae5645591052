"""Open country: mountains, hills, dunes, canyons, volcanoes, fields, ice and bare worlds."""

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
    noise,
    ridge,
    stroke,
    under,
    wedge,
)


def peak(
    c: Canvas, x: float, top: float, half: float, lit: str, shade: str, snow: str = "", base=128
) -> None:
    """One mountain: light on its left flank, shade on its right, snow above a jagged line."""
    mask = wedge(x, top, base, half)
    jag = ridge(c.rng, 16, 2, sharp=True) * 5
    split = across(x) + jag[None, :] * 0.3 + (ROW - top) * 0.12 < 0
    c.fill(mask & split, lit)
    c.fill(mask & ~split, shade)
    if snow:
        line = top + (base - top) * 0.28 + jag * 1.4
        c.fill(mask & (ROW < line[None, :]) & split, snow)
        c.tint(mask & (ROW < line[None, :]) & ~split, snow, 0.55)


def mountains(c: Canvas, *, sky: str, far: str, peaks, front: str, floor: int, sun=None, stars=0) -> None:
    """peaks: (x, top, half width, lit, shade, snow) from back to front."""
    c.sky(sky, 0, floor + 10)
    if stars:
        c.stars(stars, "8890b0 ffffff", floor)
    if sun:
        c.sun(*sun)
    c.below(floor - 22 + ridge(c.rng, 6, 4, sharp=True) * 12, far)
    for one in peaks:
        peak(c, *one)
    c.below(floor + ridge(c.rng, 5, 4) * 5, front, 30)


def tree(c: Canvas, x: float, foot: float, size: float, crown: str, light: str, trunk: str) -> None:
    c.fill(box(x - size * 0.12, foot - size, max(size * 0.24, 1), size), trunk)
    for dx, dy, r in ((-0.35, 1.0, 0.42), (0.35, 1.0, 0.42), (0, 1.35, 0.5)):
        c.fill(disc(x + dx * size, foot - dy * size, r * size), crown)
    c.fill(disc(x - 0.2 * size, foot - 1.45 * size, 0.28 * size), light)


def hills(
    c: Canvas, *, sky: str, layers, trees=(), wood=("2f6f3a", "5fae4f", "5a3b22"), sun=None, clouds=()
) -> None:
    """layers: (row, swell, points, colours); trees: (x, foot, size)."""
    c.sky(sky, 0, 90)
    if sun:
        c.sun(*sun)
    for x, y, size, text in clouds:
        cloud(c, x, y, size, text)
    for row, swell, points, text in layers:
        c.below(row + ridge(c.rng, points, 2, 0.3) * swell, text, 40)
    for one in trees:
        tree(c, *one, *wood)


def cloud(c: Canvas, x: float, y: float, size: float, text: str, shade: str = "") -> None:
    """A flat-bottomed heap of discs."""
    mask = np.zeros((SIZE, SIZE), bool)
    for dx in np.linspace(-1, 1, 6):
        r = size * (0.35 + 0.3 * c.rng.random()) * (1.2 - abs(dx) * 0.6)
        mask |= disc(x + dx * size * 1.2, y - r * 0.5, r)
    mask &= ROW <= y
    c.fill(mask, text)
    if shade:
        c.fill(mask & (ROW > y - size * 0.22), shade)


def dunes(c: Canvas, *, sky: str, layers, pyramids=(), sun=None, stars=0, cactus=()) -> None:
    """layers: (row, swell, points, lit colours, shade colour); pyramids: (x, top, half, base, lit, shade)."""
    c.sky(sky, 0, 80)
    if stars:
        c.stars(stars, "c0c8e8 ffffff", 70)
    if sun:
        c.sun(*sun)
    for x, top, half, base, lit, shade in pyramids:
        mask = wedge(x, top, base, half)
        c.fill(mask, lit)
        c.fill(mask & (across(x) > (ROW - top) * 0.25), shade)
        c.tint(mask & (ROW % 4 == 0), shade, 0.35)
    for row, swell, points, lit, shade in layers:
        line = row + ridge(c.rng, points, 1) * swell
        mask = c.below(line, lit, 50)
        fall = np.clip(
            np.roll(line, -3) - np.roll(line, 3), 0, None
        )  # a dune's lee side lies in its own shade
        c.fill(mask & (ROW < (line + fall * swell * 0.7)[None, :]), shade)
        c.tint(mask & ((ROW * 3 + np.round(line)[None, :].astype(int)) % 13 == 0), shade, 0.25)
    for x, foot, size, text in cactus:
        c.fill(box(x - 2, foot - size, 4, size) | disc(x - 0.5, foot - size, 2), text)
        for side in (-1, 1):
            arm = box(x + side * 6 - 1, foot - size * (0.75 + 0.1 * side), 3, size * 0.35)
            bridge = box(min(x, x + side * 6), foot - size * (0.42 + 0.1 * side), 7, 3)
            c.fill(arm | bridge, text)


def canyon(c: Canvas, *, sky: str, mesas, floor: str, row: int, strata: str, gap=None, sun=None) -> None:
    """mesas: (x, top, half width, dark); strata paint every wall;
    gap: (x, half) of a gorge that shows the sky.
    """
    c.sky(sky, 0, row)
    if sun:
        c.sun(*sun)
    bands = (noise(c.rng, 2, 24, 1) * 0.35 + (ROW % 24) / 24 * 0.65) % 1
    for x, top, half, dark in mesas:
        edge = ridge(c.rng, 16, 3, sharp=True) * 2.5
        step = np.where(ROW - top < (row - top) * 0.45, 0.72, 1.0)
        wall = (
            (np.abs(across(x) + edge[None, :]) < half * step)
            & (ROW >= top + edge[None, :] * 0.4)
            & (ROW < row + 6)
        )
        if gap:
            wall &= np.abs(across(gap[0]) + ridge(c.rng, 12, 2)[None, :] * 4) > gap[1]
        c.dither(bands, strata, wall)
        c.tint(wall & (across(x) > half * 0.3), "301018", 0.3)
        c.tint(wall, "20102c", dark)
    c.below(row + ridge(c.rng, 4, 3) * 4, floor, 40)


def volcano(
    c: Canvas,
    *,
    sky: str,
    x: float,
    top: float,
    half: float,
    rock: str,
    lava: str,
    smoke: str,
    ground: str,
    lake=False,
    ash=1.0,
) -> None:
    c.sky(sky, 0, 110)
    shades = smoke.split()
    for n in range(40):
        share = 1 - n / 40  # the farthest puffs first
        at = x + ash * share**1.5 * 52 + (c.rng.random() - 0.5) * 22 * share, top - share * (top + 4)
        r, tone = 4 + share * 15 * c.rng.random(), int(c.rng.integers(len(shades) - 1))
        c.fill(disc(*at, r), shades[tone])
        c.fill(disc(at[0] - r * 0.2, at[1] - r * 0.25, r * 0.7), shades[tone + 1])
    c.glow(x, top, 40, lava.split()[-1], 0.9)
    cone = wedge(x, top, 118, half, 8) | wedge(x + 64, 96, 118, 60)
    c.dither(noise(c.rng, 10, 10, 3) * 0.7 + (across(x) > 0) * 0.3, rock, cone)
    path = ridge(c.rng, 8, 3) * 7
    for n, lean in enumerate((-0.45, 0.05, 0.5)):
        shift = path[(ROW + 40 * n) % SIZE]
        mask = (
            (np.abs(across(x) - (ROW - top) * lean - shift * 0.4) < 1 + (ROW - top) * 0.035)
            & cone
            & (ROW >= top)
        )
        c.dither((ROW - top) / 80, lava, mask & ((ROW < 95) | (n == 1)))
    c.fill(disc(x, top, 3, 2.6), lava.split()[-1])
    c.below(104 + ridge(c.rng, 7, 3, sharp=True) * 6, ground, 26)
    if lake:
        glow = noise(c.rng, 6, 20, 3)
        c.dither(glow, lava, under(112 + ridge(c.rng, 4, 2) * 5) & (glow > 0.3))


def fields(
    c: Canvas,
    *,
    sky: str,
    row: int,
    vanish: float,
    furrows: str,
    count: float,
    mill=None,
    sun=None,
    hedge="2c4a26",
) -> None:
    """Rows of a crop that meet at one point of the horizon; stripes wrap because `count` is whole."""
    c.sky(sky, 0, row)
    if sun:
        c.sun(*sun)
    depth = (ROW - row + 6) / (SIZE - row + 6)
    lane = np.floor(across(vanish) / np.maximum(depth + 0.04, 0.01) * count / SIZE + 0.5)
    land = ROW >= row
    c.dither((lane % 3) / 2 * 0.9 + noise(c.rng, 16, 16, 2) * 0.15, furrows, land)
    c.tint(land, hedge, np.clip(0.5 - depth, 0, 1))
    c.fill((ROW >= (row - 4 + ridge(c.rng, 20, 2) * 3)[None, :]) & (ROW < row + 1), hedge)
    if mill:
        x, foot, size, body, sail = mill
        c.fill(wedge(x, foot - size, foot, size * 0.3, size * 0.18), body)
        c.tint(wedge(x, foot - size, foot, size * 0.3, size * 0.18) & (across(x) > 0), "402020", 0.35)
        c.fill(wedge(x, foot - size * 1.25, foot - size, size * 0.24), "7a3a2a")
        for dx, dy in ((0.75, 0.4), (-0.75, -0.4), (0.4, -0.75), (-0.4, 0.75)):
            c.fill(stroke(x, foot - size, x + dx * size, foot - size + dy * size, 3), sail)


def ice(c: Canvas, *, sky: str, bergs, water: str, row: int, lights=None, stars=0, sun=None) -> None:
    """bergs: (x, top, half, lit, shade); lights: colours of an aurora."""
    c.sky(sky, 0, row)
    if stars:
        c.stars(stars, "a0b0d0 ffffff", row)
    if sun:
        c.sun(*sun)
    if lights:
        for n, text in enumerate(lights):
            line = 24 + 13 * n + ridge(c.rng, 3, 2) * 14
            fade = np.clip(1 - np.abs(ROW - line[None, :]) / 18, 0, 1) * (ROW < line[None, :] + 8)
            streak = 0.6 + 0.4 * ridge(c.rng, 32, 1)[None, :]
            c.tint(np.ones((SIZE, SIZE), bool), text, np.floor(fade * streak * 8) / 8)
    c.sky(water, row, SIZE, ROW >= row)
    for x, top, half, lit, shade in bergs:
        jag = ridge(c.rng, 12, 3, sharp=True) * 5
        edge = np.abs(across(x)) * (row - top) / half * 0.8 + top + jag[None, :]
        mask = (ROW >= edge) & (ROW < row + 3) & (np.abs(across(x)) < half)
        c.fill(mask, lit)
        c.fill(mask & (across(x) + jag[None, :] * 2 > (ROW - top) * 0.2), shade)
        mirror = mask[np.clip(2 * row + 4 - np.arange(SIZE), 0, SIZE - 1)] & (ROW > row + 3)
        c.tint(mirror & ((ROW + COLUMN // 8) % 3 > 0), lit, 0.45)
    for _ in range(26):
        y = row + 4 + int(c.rng.random() ** 1.5 * (SIZE - row - 4))
        c.tint(box(c.rng.random() * SIZE, y, 4 + (y - row) * 0.3, 1 + (y - row) // 24), "ffffff", 0.5)


def craters(c: Canvas, *, sky: str, ground: str, row: float, pits, globe=None, stars=60, spires=()) -> None:
    """pits: (x, y, radius) with a lit far rim; globe: (x, y, radius, colours);
    spires: (x, top, half, colour).
    """
    c.sky(sky, 0, row + 10)
    c.stars(stars, "b8b8d0 ffffff", int(row) + 8)
    if globe:
        x, y, radius, text = globe
        swirl = noise(c.rng, 3, 8, 3) * 0.6 + np.clip((across(x) - ROW + y) / radius * 0.3 + 0.2, 0, 1) * 0.5
        c.dither(swirl, text, disc(x, y, radius))
    line = row + ridge(c.rng, 4, 4) * 6
    for x, top, half, text in spires:
        c.fill(wedge(x, top, row + 10, half, 1), text)
        c.tint(wedge(x, top, row + 10, half, 1) & (across(x) > 0), "100818", 0.4)
    mask = c.below(line, ground, SIZE - row)
    c.tint(mask & (noise(c.rng, 24, 24, 2) > 0.72), "000000", 0.18)
    shades = ground.split()
    for x, y, radius in pits:
        c.fill(disc(x, y, radius, 2.4), shades[0])
        c.fill(disc(x, y + radius * 0.18, radius * 0.86, 2.4), "1c1824")
        c.tint(disc(x, y + radius * 0.4, radius * 0.7, 2.4), shades[-1], 0.6)


def flower(c: Canvas, x: float, y: float, size: float, petal: str, heart: str, stem: str) -> None:
    c.fill(stroke(x, y, x + size * 0.15, min(y + 60, 140), max(size * 0.14, 1)), stem)
    for dx, dy in ((1, 0), (-1, 0), (0.5, 0.87), (-0.5, 0.87), (0.5, -0.87), (-0.5, -0.87)):
        c.fill(disc(x + dx * size * 0.6, y + dy * size * 0.6, size * 0.44), petal)
        c.tint(stroke(x, y, x + dx * size * 0.8, y + dy * size * 0.8, 1), "000000", 0.15)
    c.fill(disc(x, y, size * 0.4), heart)


def meadow(c: Canvas, *, sky: str, grass: str, row: float, flowers, petals: str, small=0) -> None:
    """flowers: (x, y, size) of those near the eye; `small` far ones as dots."""
    c.sky(sky, 0, row + 10)
    c.below(row + ridge(c.rng, 5, 3) * 5, grass, SIZE - row)
    blades = ridge(c.rng, 64, 1, sharp=True) * 6
    c.tint((ROW + blades[None, :].astype(int)) % 17 < 2, grass.split()[-1], 0.4 * (ROW > row + 6))
    table = petals.split()
    for n in range(small):
        y = row + 8 + c.rng.random() * (SIZE - row - 8)
        c.fill(disc(c.rng.random() * SIZE, y, 0.6 + (y - row) / 40), table[n % len(table)])
    for n, (x, y, size) in enumerate(flowers):
        flower(c, x, y, size, table[n % len(table)], "f6c83c" if n % 2 else "7a4a1e", "2e6a2c")
