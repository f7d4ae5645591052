"""Built outdoors: skylines, streets, villages, factories, castles, viaducts, fairs and ruins."""

from __future__ import annotations

import math

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
    ring,
    stroke,
    under,
    wedge,
)
from tools.art.land import cloud


def windows(
    c: Canvas, x: float, top: float, wide: float, foot: float, lit: str, dark: str, chance: float, pitch=4
) -> None:
    for y in range(int(top) + 3, int(foot) - 3, pitch + 1):
        for dx in range(2, int(wide) - 2, pitch):
            on = c.rng.random() < chance
            c.fill(box(x + dx, y, 2, 3 if pitch > 3 else 2), lit if on else dark)


def skyline(c: Canvas, *, sky: str, ranks, sun=None, stars=0, street="", shape=None) -> None:
    """ranks: (widths, low, high, colour, lit, dark, chance), far to near;
    shape: rows added by column, up or down.
    """
    c.sky(sky, 0, 100)
    if stars:
        c.stars(stars, "a8b0d0 ffffff", 80)
    if sun:
        c.sun(*sun)
    for width, low, high, text, lit, dark, chance in ranks:
        x = 0.0
        while x < SIZE - 3:
            wide = min(width * (0.7 + 0.6 * c.rng.random()), SIZE - x)
            top = low + (high - low) * c.rng.random()
            if shape:
                top += shape[int(x * len(shape) / SIZE)]
            c.fill(box(x, top, wide, SIZE - top), text)
            c.tint(box(x + wide * 0.75, top, wide * 0.25, SIZE - top), "000010", 0.25)
            if lit:
                windows(c, x, top, wide * 0.95, SIZE, lit, dark, chance)
            if c.rng.random() < 0.3:
                c.fill(box(x + wide / 2, top - 9, 1, 9), text)
            x += wide + (1 if c.rng.random() < 0.4 else 0)
    if street:
        c.fill(ROW >= 120, street)
        c.fill((ROW == 124) & (COLUMN % 16 < 8), "f0e8b0")


def street(c: Canvas, *, sky: str, fronts, pave: str, roof: str, lit: str, shut="", snow=False) -> None:
    """fronts: (width, top, wall, door, awning);
    their widths add up to 128. House fronts seen from across the road.
    """
    c.sky(sky, 0, 60)
    x = 0
    for wide, top, wall, door, awning in fronts:
        c.fill(box(x, top, wide, SIZE - top), wall)
        c.fill(wedge(x + wide / 2 - 0.5, top - wide * 0.42, top, wide / 2), roof)
        c.tint(box(x + wide - 2, top, 2, SIZE - top), "201020", 0.4)
        if snow:
            edge = wedge(x + wide / 2 - 0.5, top - wide * 0.42, top, wide / 2)
            c.fill(edge & ~np.roll(edge, 4, 0), "ffffff")
        for y in range(top + 6, 88, 18):
            for dx in range(5, wide - 8, 12):
                c.fill(box(x + dx - 1, y - 1, 9, 12), "f4ecd8")
                c.fill(box(x + dx, y, 7, 10), lit if c.rng.random() < 0.5 else "34405c")
                c.fill(box(x + dx + 3, y, 1, 10) | box(x + dx, y + 4, 7, 1), "f4ecd8")
                if shut:
                    c.fill(box(x + dx - 4, y, 3, 10) | box(x + dx + 8, y, 3, 10), shut)
        c.fill(box(x + wide * 0.5 - 5, 98, 10, 22), door)
        c.fill(box(x + wide * 0.5 + 2, 108, 2, 2), "f0d060")
        if awning:
            strip = box(x + 2, 90, wide - 4, 7)
            c.fill(strip, awning)
            c.fill(strip & ((COLUMN // 4) % 2 == 0), "f8f4ec")
        x += wide
    c.fill(ROW >= 118, pave)
    c.tint((ROW >= 118) & ((COLUMN + (ROW // 4) * 6) % 12 == 0), "000000", 0.3)


def house(c: Canvas, x: float, foot: float, wide: float, wall: str, roof: str, lit: str) -> None:
    c.fill(box(x - wide / 2, foot - wide * 0.6, wide, wide * 0.6), wall)
    c.fill(wedge(x - 0.5, foot - wide * 1.15, foot - wide * 0.55, wide * 0.66), roof)
    c.fill(box(x + wide * 0.2, foot - wide * 1.1, wide * 0.14, wide * 0.4), "6a3a30")
    c.fill(box(x - wide * 0.1, foot - wide * 0.32, wide * 0.2, wide * 0.32), "5a3420")
    for dx in (-0.36, 0.18):
        c.fill(box(x + dx * wide, foot - wide * 0.42, wide * 0.18, wide * 0.18), lit)


def village(c: Canvas, *, sky: str, slopes, houses, sun=None, stars=0, snow=0, church=None) -> None:
    """slopes: (row, swell, points, colours); houses: (x, foot, width, wall, roof, lit);
    church: (x, foot, size).
    """
    c.sky(sky, 0, 80)
    if stars:
        c.stars(stars, "c0c8e8 ffffff", 70)
    if sun:
        c.sun(*sun)
    for n, (row, swell, points, text) in enumerate(slopes):
        c.below(row + ridge(c.rng, points, 2, 0.4) * swell, text, 50)
        if church and n == len(slopes) - 2:
            x, foot, size = church
            c.fill(box(x - size * 0.2, foot - size * 1.4, size * 0.4, size * 1.4), "e8e0d0")
            c.fill(wedge(x - 0.5, foot - size * 2.4, foot - size * 1.4, size * 0.26), "7a3430")
            c.fill(box(x + size * 0.2, foot - size * 0.7, size * 0.8, size * 0.7), "d8ccb8")
            c.fill(disc(x, foot - size * 1.1, size * 0.1), "303850")
    for one in houses:
        house(c, *one)
    for _ in range(snow):
        c.fill(disc(c.rng.random() * SIZE, c.rng.random() * SIZE, 0.4 + c.rng.random() * 0.9), "ffffff")


def factory(c: Canvas, *, sky: str, stacks, halls, smoke: str, ground: str, lit: str, wind=0.5) -> None:
    """stacks: (x, top, width, colour); halls: (x, top, width, colour), with saw-tooth roofs."""
    c.sky(sky, 0, 110)
    for x, top, wide, _text in stacks:
        for n in range(12):
            r = wide * 0.5 + n * 1.5
            puff = disc(x + wind * n * 7 + c.rng.random() * 4, top - 3 - n * 4.2, r)
            c.tint(puff, smoke.split()[n % len(smoke.split())], 0.85 - n * 0.045)
    for x, top, wide, text in stacks:
        c.fill(wedge(x, top, SIZE, wide * 0.75, wide * 0.5), text)
        c.tint(wedge(x, top, SIZE, wide * 0.75, wide * 0.5) & (across(x) > wide * 0.15), "100010", 0.35)
        c.fill((np.abs(across(x)) <= wide * 0.56) & (top + 4 <= ROW) & (top + 8 > ROW), "d8d0c8")
    for x, top, wide, text in halls:
        saw = top + ((COLUMN - round(x)) % 14) * 0.6
        mask = ((COLUMN - round(x)) % SIZE < wide) & (ROW >= saw)
        c.fill(mask, text)
        c.tint(mask & (ROW < saw + 2), "ffffff", 0.25)
        for y in range(int(top) + 14, 112, 12):
            for dx in range(4, int(wide) - 6, 9):
                c.fill(box(x + dx, y, 6, 6), lit if c.rng.random() < 0.6 else "28283a")
                c.fill(box(x + dx + 2, y, 1, 6), text)
    c.fill(ROW >= 116, ground)
    c.tint((ROW >= 116) & (ROW % 5 == 0), "ffffff", 0.12)


def castle(
    c: Canvas,
    *,
    sky: str,
    hill: str,
    row: float,
    towers,
    wall: str,
    shade: str,
    roof: str,
    lit: str,
    sun=None,
    stars=0,
) -> None:
    """towers: (x, top, half width, pointed); a wall with battlements joins the outermost."""
    c.sky(sky, 0, 100)
    if stars:
        c.stars(stars, "b8b8d8 ffffff", 80)
    if sun:
        c.sun(*sun)
    c.below(row + 8 + ridge(c.rng, 3, 3) * 9, hill, 40)
    first, last = towers[0][0], towers[-1][0]
    high = row - 16
    c.fill(box(first, high, last - first, 40) & ((high + 4 <= ROW) | (COLUMN % 6 < 3)), wall)
    for x, top, half, pointed in towers:
        c.fill(box(x - half, top, 2 * half, row + 16 - top), wall)
        c.fill(box(x + half * 0.3, top, half * 0.7, row + 16 - top), shade)
        if pointed:
            c.fill(wedge(x - 0.5, top - half * 3, top, half + 2), roof)
            c.fill(box(x, top - half * 3 - 6, 1, 6) | box(x, top - half * 3 - 6, 6, 3), "e04040")
        else:
            c.fill(box(x - half - 2, top - 4, 2 * half + 4, 6) & ((top - 1 <= ROW) | (COLUMN % 5 < 3)), wall)
        for y in range(int(top) + 6, int(row), 14):
            c.fill(box(x - 1, y, 2, 5), lit)
    gate = (first + last) / 2
    c.fill(disc(gate, row + 6, 7) | box(gate - 7, row + 6, 14, 14), "241820")
    line = row + 16 + ridge(c.rng, 4, 3) * 5
    c.below(line, hill, 40)


def viaduct(
    c: Canvas,
    *,
    sky: str,
    far: str,
    deck: float,
    span: int,
    stone: str,
    shade: str,
    foot: str,
    train="",
    tiers=1,
    sun=None,
) -> None:
    """Arches that repeat every `span` columns, a divisor of 128."""
    c.sky(sky, 0, 100)
    if sun:
        c.sun(*sun)
    c.below(86 + ridge(c.rng, 4, 4) * 16, far, 50)
    for tier in range(tiers):
        top = deck + tier * 36
        thick = 7 if tier == 0 else 4
        mid = (COLUMN % span) - span / 2 + 0.5
        pier = span * 0.12
        arch = (np.abs(mid) < span / 2 - pier) & (
            ROW > top + thick + span / 2 - np.sqrt(np.clip((span / 2 - pier) ** 2 - mid**2, 0, None))
        )
        mask = (ROW >= top) & ~arch & (ROW < (top + 36 if tiers > 1 else SIZE))
        grain = (
            noise(c.rng, 32, 32, 1) * 0.5
            + ((COLUMN + (ROW // 4 % 2) * 4) % 8 == 0) * 0.4
            + (ROW % 4 == 0) * 0.3
        )
        c.dither(grain, stone, mask)
        c.fill(mask & (mid > span / 2 - pier * 0.5), shade)
    c.fill((deck - 3 <= ROW) & (deck > ROW) & (COLUMN % 4 < 2), shade)
    if train:
        for n, x in enumerate((20, 42, 64)):
            c.fill(box(x, deck - 13, 20, 11), train.split()[n % 2])
            for dx in (3, 9, 15):
                c.fill(box(x + dx, deck - 11, 3, 4), "f8f0c0")
        c.fill(box(86, deck - 10, 18, 8) | box(86, deck - 16, 7, 8) | box(98, deck - 16, 3, 7), "30303c")
        for n in range(5):
            c.tint(disc(99 - n * 8, deck - 20 - n * 3, 3 + n), "ffffff", 0.8 - n * 0.1)
    c.below(114 + ridge(c.rng, 5, 3) * 7, foot, 24)


def fair(
    c: Canvas, *, sky: str, ground: str, wheel=None, tents=(), bulbs="", stars=0, fireworks=(), flags=False
) -> None:
    """wheel: (x, y, radius, colour); tents: (x, top, half, one, two); fireworks: (x, y, radius, colour)."""
    c.sky(sky, 0, 112)
    if stars:
        c.stars(stars, "b8b8d8 ffffff", 90)
    for x, y, radius, text in fireworks:
        for n in range(20):
            turn = n * math.tau / 20
            dx, dy = math.cos(turn), math.sin(turn)
            c.fill(
                stroke(x + dx * radius * 0.3, y + dy * radius * 0.3, x + dx * radius, y + dy * radius, 1.2),
                text,
            )
        c.glow(x, y, radius * 1.1, text, 0.7)
    if wheel:
        x, y, radius, text = wheel
        for n in range(12):
            turn = n * math.tau / 12 + 0.1
            end_x, end_y = x + math.cos(turn) * radius, y + math.sin(turn) * radius
            c.fill(stroke(x, y, end_x, end_y, 1), text)
            c.fill(disc(end_x, end_y + 2, 3.4), bulbs.split()[n % len(bulbs.split())])
        c.fill(ring(x, y, radius, 2) | ring(x, y, radius * 0.55, 1), text)
        for dx in (-0.55, 0.55):
            c.fill(stroke(x, y, x + dx * radius, 118, 3), text)
    for x, top, half, one, two in tents:
        roof, low = (
            wedge(x, top, top + half * 0.8, half * 1.05),
            box(x - half * 0.9, top + half * 0.8, half * 1.8, SIZE),
        )
        share = across(x) / (np.clip((ROW - top) / (half * 0.8), 0.05, 1) * half)
        c.fill(roof | low, one)
        c.fill((roof | low) & (np.floor(share * 3.5) % 2 == 0), two)
        c.tint(low & (ROW < top + half * 0.8 + 3), "000000", 0.3)
        c.fill(disc(x, 122, half * 0.28, 0.8), "201420")
        c.fill(box(x, top - 8, 1, 8) | box(x, top - 8, 6, 4), "f0d040")
    if flags:
        for n in range(16):
            y = 20 + 8 * abs(n % 8 - 4) / 2
            c.fill(
                (np.abs(across(n * 8 + 4)) < 3 - (ROW - y) * 0.5) & (y <= ROW) & (y + 6 > ROW),
                bulbs.split()[n % len(bulbs.split())],
            )
    c.fill(ROW >= 118, ground)


def ruins(
    c: Canvas,
    *,
    sky: str,
    pillars,
    stone: str,
    shade: str,
    ground: str,
    row: float,
    beam=None,
    ivy="",
    sun=None,
    stars=0,
    clouds=(),
) -> None:
    """pillars: (x, top, width); beam: (x, y, width) of a lintel that still lies across."""
    c.sky(sky, 0, row)
    if stars:
        c.stars(stars, "b8c0d8 ffffff", int(row))
    if sun:
        c.sun(*sun)
    for one in clouds:
        cloud(c, *one)
    c.below(row + ridge(c.rng, 4, 3) * 5, ground, SIZE - row)
    for x, top, wide in pillars:
        broken = ridge(c.rng, 32, 1, sharp=True) * 3
        mask = (np.abs(across(x)) <= wide / 2) & (ROW >= top + broken[None, :]) & (ROW < row + 12)
        c.fill(mask, stone)
        c.fill(mask & ((across(x) + wide) % 4 < 1), shade)
        c.fill(mask & (across(x) > wide * 0.22), shade)
        c.fill(box(x - wide * 0.7, row + 10, wide * 1.4, 5), stone)
        c.tint(box(x - wide * 0.7, row + 13, wide * 1.4, 2), shade, 0.8)
        if ivy:
            creep = noise(c.rng, 16, 16, 2)
            c.fill(mask & (creep > 0.62) & (ROW > top + 10), ivy)
    if beam:
        x, y, wide = beam
        c.fill(box(x, y, wide, 9), stone)
        c.fill(box(x, y + 6, wide, 3), shade)
        c.fill(box(x + 4, y + 2, wide - 8, 2) & (COLUMN % 6 < 3), shade)
    for _ in range(9):
        x, y, r = c.rng.random() * SIZE, row + 10 + c.rng.random() * 20, 2 + c.rng.random() * 4
        c.fill(disc(x, y, r, 1.5), stone)
        c.fill(disc(x + 1, y + r * 0.5, r * 0.7, 1.5) & under(np.full(SIZE, y)), shade)
