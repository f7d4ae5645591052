"""Under trees: trunks, pines, jungle, mushrooms, bamboo and swamp."""

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


def trunks(c: Canvas, *, back: str, layers, floor: str, row: float, canopy="", marks="", rays="") -> None:
    """layers: (columns of the trunks, width, lit, shade), from far to near."""
    c.sky(back, 0, row)
    if rays:
        for x in (20, 52, 96):
            beam = np.abs(across(x) - ROW * 0.4) < 5 + ROW * 0.05
            c.tint(beam, rays, 0.35)
    c.below(row + ridge(c.rng, 5, 3) * 4, floor, SIZE - row)
    for places, width, lit, shade in layers:
        for x in places:
            bend = ridge(c.rng, 2, 2)[ROW[:, 0]] * 3
            side = across(x) - bend[:, None]
            foot = row + width * 0.8 + c.rng.random() * 6
            root = np.clip((ROW - foot + 9) / 9, 0, 1) ** 2 * width * 0.5
            mask = (np.abs(side) < width / 2 + root) & (ROW < foot)
            c.fill(mask, lit)
            c.fill(mask & (side > width * 0.12), shade)
            if marks:
                spot = (noise(c.rng, 32, 24, 1) > 0.66) & ((ROW // 2) % 4 == 0)
                c.fill(mask & spot, marks)
    if canopy:
        leaves = noise(c.rng, 9, 9, 3)
        line = 26 + ridge(c.rng, 6, 3) * 12
        c.dither(leaves, canopy, (ROW < line[None, :]) & (leaves > (ROW - 14) / 40))


def pine(c: Canvas, x: float, top: float, foot: float, half: float, text: str, light: str = "") -> None:
    tiers = 4
    for n in range(tiers):
        upper = top + (foot - top) * n / (tiers + 0.6)
        lower = top + (foot - top) * (n + 1.45) / (tiers + 0.6)
        mask = wedge(x, upper, lower, half * (0.45 + 0.55 * (n + 1) / tiers))
        c.fill(mask, text)
        if light:
            c.fill(mask & (across(x) < -half * 0.05 - (ROW - upper) * 0.25), light)
    c.fill(box(x - 1, foot - (foot - top) * 0.06, 2, (foot - top) * 0.1), "3a281c")


def pines(c: Canvas, *, sky: str, ranks, floor: str, row: float, sun=None, snow=0, stars=0) -> None:
    """ranks: (count, top, foot, half, colour, light) from far to near; a rank stands at random columns."""
    c.sky(sky, 0, row)
    if stars:
        c.stars(stars, "b0b8d8 ffffff", 80)
    if sun:
        c.sun(*sun)
    for count, top, foot, half, text, light in ranks:
        c.below(foot - 2 + ridge(c.rng, 4, 2) * 3, text, 40)
        for n in range(count):
            x = (n + 0.7 * c.rng.random()) * SIZE / count
            pine(
                c,
                x,
                top + c.rng.random() * (foot - top) * 0.3,
                foot,
                half * (0.8 + 0.4 * c.rng.random()),
                text,
                light,
            )
    c.below(row + ridge(c.rng, 4, 3) * 4, floor, SIZE - row)
    for _ in range(snow):
        c.fill(disc(c.rng.random() * SIZE, c.rng.random() * SIZE, 0.5 + c.rng.random()), "ffffff")


def leaf(c: Canvas, x: float, y: float, size: float, lean: float, text: str, vein: str) -> None:
    """A long leaf from (x, y) outwards, leaning by `lean` columns for each row."""
    for share in np.linspace(0, 1, 12):
        bend = share * (1 + share * 0.6)
        r = size * 0.2 * (1 - abs(2 * share - 0.8)) + 0.6
        c.fill(disc(x + lean * bend * size, y - size * share * (1 - 0.75 * share), max(r, 0.8)), text)
    c.fill(stroke(x, y, x + lean * size * 0.8, y - size * 0.4, 1), vein)


def jungle(c: Canvas, *, back: str, frame: str, near: str, vein: str, gap, vines=5, blossoms="") -> None:
    """Leaves all around an opening; gap: (x, y, radius, stretch)."""
    c.sky(back)
    x, y, radius, stretch = gap
    mass = noise(c.rng, 8, 8, 3)
    away = distance(x, y, stretch) + (mass - 0.5) * 26
    c.dither(mass, frame, away > radius)
    c.tint(away > radius * 1.5, frame.split()[0], 0.45)
    for n in range(vines):
        at = (n + c.rng.random() * 0.7) * SIZE / vines
        sway = ridge(c.rng, 3, 2)[ROW[:, 0]] * 4
        length = 30 + c.rng.random() * 60
        c.fill((np.abs(across(at) - sway[:, None]) < 1) & (ROW < length), near)
        c.fill((np.abs(across(at + 2) - sway[:, None]) < 1.6) & (ROW < length) & (ROW % 7 < 3), near)
    for n in range(16):
        leaf(
            c,
            n * 8 + c.rng.random() * 8,
            SIZE + 4,
            22 + c.rng.random() * 18,
            c.rng.random() * 1.6 - 0.8,
            near,
            vein,
        )
    for n in range(9 if blossoms else 0):
        c.fill(disc(c.rng.random() * SIZE, 80 + c.rng.random() * 44, 3), blossoms.split()[n % 2])


def mushroom(
    c: Canvas, x: float, top: float, size: float, foot: float, cap: str, spot: str, stem: str
) -> None:
    c.fill(wedge(x, top + size * 0.4, foot, size * 0.26, size * 0.18), stem)
    c.tint(
        wedge(x, top + size * 0.4, foot, size * 0.26, size * 0.18) & (across(x) > size * 0.05), "402848", 0.3
    )
    dome = (distance(x, top + size * 0.6, 1.35) < size * 0.62) & (ROW < top + size * 0.62)
    c.fill(dome, cap)
    c.tint(dome & (across(x) > size * 0.3), "301030", 0.3)
    for dx, dy, r in ((-0.35, 0.36, 0.12), (0.1, 0.2, 0.13), (0.45, 0.42, 0.1), (-0.05, 0.46, 0.07)):
        c.fill(disc(x + dx * size, top + dy * size, r * size), spot)


def mushrooms(c: Canvas, *, back: str, floor: str, row: float, stand, spores="", rear="") -> None:
    """stand: (x, top, size, cap, spot, stem) from far to near."""
    c.sky(back, 0, row)
    if rear:
        mass = noise(c.rng, 6, 8, 3)
        c.tint(mass + ROW / 256 > 0.75, rear, 0.6)
    for x, top, size, cap, spot, stem in stand:
        mushroom(c, x, top, size, row + 8, cap, spot, stem)
    c.below(row + ridge(c.rng, 6, 3) * 4, floor, SIZE - row)
    for _ in range(30 if spores else 0):
        c.fill(disc(c.rng.random() * SIZE, c.rng.random() * row, 0.4 + c.rng.random()), spores)


def bamboo(c: Canvas, *, back: str, canes, leaves: str, joint: str, lean=0.0, moon=None) -> None:
    """canes: (columns, width, lit, shade)."""
    c.sky(back)
    if moon:
        c.sun(*moon)
    for places, width, lit, shade in canes:
        for x in places:
            tilt = lean * (c.rng.random() * 0.6 + 0.7)
            side = across(x) - (ROW - 64) * tilt
            offset = int(c.rng.random() * 20)
            c.fill(np.abs(side) < width / 2, lit)
            c.fill((np.abs(side) < width / 2) & (side > width * 0.1), shade)
            c.fill((np.abs(side) < width / 2 + 0.6) & ((ROW + offset) % 21 < 1 + width / 6), joint)
    for n in range(34):
        x, y = c.rng.random() * SIZE, c.rng.random() * SIZE
        c.fill(
            stroke(x, y, x + 8 * (1 if n % 2 else -1), y + 5 + c.rng.random() * 4, 2.2), leaves.split()[n % 2]
        )


def branch(c: Canvas, x: float, y: float, dx: float, dy: float, width: float, text: str, depth: int) -> None:
    c.fill(stroke(x, y, x + dx, y + dy, width), text)
    if depth:
        for turn in (-0.6, 0.5):
            turn *= 0.7 + 0.6 * c.rng.random()
            bent_x, bent_y = dx * 0.72 - dy * turn * 0.7, dy * 0.72 + dx * turn * 0.7
            branch(c, x + dx, y + dy, bent_x, bent_y, max(width * 0.6, 1), text, depth - 1)


def swamp(c: Canvas, *, sky: str, water: str, row: float, dead, mist: str, moon=None, reeds=0) -> None:
    """dead: (x, height, width, colour) of bare trees; the water below row shows them upside down."""
    c.sky(sky, 0, row)
    if moon:
        c.sun(*moon)
    bank = row - 5 + ridge(c.rng, 7, 3) * 4
    shade = dead[0][3]
    c.fill(under(bank) & (ROW <= row), shade)
    for x, height, width, text in dead:
        branch(c, x, row, c.rng.random() * 6 - 3, -height * 0.42, width, text, 5)
    mirror = np.clip(2 * int(row) - np.arange(SIZE), 0, SIZE - 1)
    wobble = np.roll(c.pixels[mirror], 1, 1)
    c.sky(water, row, SIZE, row < ROW)
    share = 0.45 * ((ROW + COLUMN // 16) % 4 > 0) * (row < ROW)
    c.pixels[:] = np.floor(c.pixels * (1 - share[..., None]) + wobble * share[..., None] + 0.5)
    veil = noise(c.rng, 2, 10, 3)
    c.tint((veil > 0.6) & (np.abs(ROW - row) < 26), mist, 0.4)
    for n in range(reeds):
        x, top = c.rng.random() * SIZE, 84 + c.rng.random() * 24
        c.fill(stroke(x, top, x + 3 * c.rng.random(), 130, 1.2), "2c3a1c")
        c.fill(box(x - 1, top - 2, 3, 7) if n % 2 else np.zeros((SIZE, SIZE), bool), "5a3a1e")
