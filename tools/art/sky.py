"""Above: clouds, storms, space, nebulas and things that float."""

from __future__ import annotations

import numpy as np

from tools.art.canvas import (
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
from tools.art.land import cloud, tree


def clouds(c: Canvas, *, sky: str, heaps=(), sheet=None, sun=None, birds=0) -> None:
    """heaps: (x, y, size, colour, shade); sheet: (row, swell, colours) of a closed layer seen from above."""
    c.sky(sky)
    if sun:
        c.sun(*sun)
    for one in heaps:
        cloud(c, *one)
    if sheet:
        row, swell, text = sheet
        for n in range(4):
            line = row + n * (SIZE - row) / 4 + ridge(c.rng, 5 + n, 2, 0.4) * swell
            bumps = np.abs(ridge(c.rng, 16, 1)) * 6
            c.below(line - bumps, text, 24)
    for _ in range(birds):
        x, y = c.rng.random() * SIZE, 10 + c.rng.random() * 70
        c.fill(stroke(x - 4, y - 2, x, y, 1) | stroke(x, y, x + 4, y - 2, 1), "202838")


def storm(
    c: Canvas,
    *,
    sky: str,
    mass: str,
    cover: float,
    bolts=(),
    rain=0.0,
    rain_colour="b8c8e0",
    land="",
    row=104,
    flakes=0,
) -> None:
    """mass: colours of the clouds down to about row `cover`; bolts: (x, top); rain: how many streaks lean."""
    c.sky(sky)
    heap = noise(c.rng, 4, 5, 4)
    line = cover + ridge(c.rng, 5, 3) * 12
    c.dither(heap * 0.8 + ROW / 500, mass, ROW < (line + heap * 16)[ROW[:, 0]])
    if land:
        c.below(row + ridge(c.rng, 5, 4, sharp=True) * 7, land, SIZE - row)
    for x, top in bolts:
        y = top
        c.glow(x, (top + row) / 2, 46, "e8e8ff", 0.55)
        while y < row:
            to_x, to_y = x + (c.rng.random() - 0.5) * 22, y + 8 + c.rng.random() * 8
            c.fill(stroke(x, y, to_x, to_y, 2.4), "ffffff")
            if c.rng.random() < 0.4:
                c.fill(stroke(to_x, to_y, to_x + (c.rng.random() - 0.5) * 30, to_y + 12, 1), "d8e0ff")
            x, y = to_x, to_y
    for n in range(int(abs(rain) * 200)):
        x, y, size = c.rng.random() * SIZE, c.rng.random() * SIZE, 4 + n % 5
        lean = 0.5 if rain > 0 else -0.5
        c.tint(stroke(x, y, x - lean * size, y + size, 1), rain_colour, 0.6)
    for _ in range(flakes):
        c.fill(disc(c.rng.random() * SIZE, c.rng.random() * SIZE, 0.5 + c.rng.random() * 1.3), "ffffff")


def planet(
    c: Canvas, x: float, y: float, radius: float, text: str, bands=True, ring_colour="", lit=-1
) -> None:
    if ring_colour:
        tilt = ROW - y + across(x) * 0.25
        away = np.sqrt((across(x)) ** 2 + (tilt * 3.4) ** 2)
        halo = (away > radius * 1.25) & (away < radius * 1.9) & (np.floor(away / 2.5) % 4 > 0)
        c.fill(halo & (tilt < 0), ring_colour)
    swirl = noise(c.rng, 2, 16, 2) if bands else noise(c.rng, 5, 5, 4)
    curve = np.clip(1 - (distance(x, y) / radius) ** 2, 0, 1) ** 0.5
    light = np.clip(curve * 0.7 + lit * (across(x) + (ROW - y)) / radius * 0.45, 0, 1)
    c.dither(swirl * 0.45 + light * 0.6, text, disc(x, y, radius))
    if ring_colour:
        c.fill(halo & (tilt >= 0), ring_colour)


def space(c: Canvas, *, sky: str, stars: int, planets=(), comet=None, belt=None, ship=None) -> None:
    """planets: (x, y, radius, colours, bands?, ring, lit); comet: (x, y, dx, dy);
    belt: (row, swell, colours).
    """
    c.sky(sky)
    c.stars(stars, "7078a0 b8c0e0 ffffff")
    for one in planets:
        planet(c, *one)
    if comet:
        x, y, dx, dy = comet
        for share in np.linspace(1, 0, 30):
            c.tint(
                disc(x + dx * share, y + dy * share, 1 + 4 * (1 - share) + share * 7),
                "bfe4ff",
                0.12 + 0.2 * (1 - share),
            )
        c.fill(disc(x, y, 4), "ffffff")
    if belt:
        row, swell, text = belt
        for _ in range(60):
            x, y = c.rng.random() * SIZE, row + (c.rng.random() + c.rng.random() - 1) * swell
            r = 0.8 + c.rng.random() ** 2 * 5
            c.fill(disc(x, y, r, 1.3), text.split()[0])
            c.fill(disc(x - r * 0.2, y - r * 0.25, r * 0.6, 1.3), text.split()[1])
    if ship:
        x, y, size = ship
        c.fill(disc(x, y, size * 0.5, 2.6), "b8c0d0")
        c.fill((distance(x, y - size * 0.2, 1.2) < size * 0.6) & (y - size * 0.2 > ROW), "8ad8f0")
        c.fill(disc(x, y + size * 0.12, size * 0.18, 6), "6a7284")


def nebula(
    c: Canvas, *, gas: str, cells_across: int, cells_down: int, hole=None, arms=None, stars=90
) -> None:
    """hole: (x, y, radius) of a dark globule; arms: (x, y, turns) of a spiral galaxy."""
    cloud_ = noise(c.rng, cells_across, cells_down, 5, 0.55)
    if arms:
        x, y, turns = arms
        away = distance(x, y, 1.3)
        angle = np.round(np.arctan2(ROW - y, across(x) / 1.3) / (2 * np.pi), 5)
        wave = (angle * 2 + away / 46 * turns) % 1
        # The arms end before the column where the picture wraps, or they would be cut there.
        arm = np.clip(1 - np.abs(wave - 0.5) * 3, 0, 1) * np.clip(1.1 - away / 44, 0, 1)

        cloud_ = arm * (0.6 + 0.5 * cloud_) + np.clip(1 - away / 16, 0, 1)
    if hole:
        x, y, radius = hole
        cloud_ = cloud_ * np.clip((distance(x, y) + (cloud_ - 0.5) * 30) / radius - 0.3, 0, 1)
    c.dither(cloud_, gas)
    c.stars(stars, "8890c0 d8d8f8 ffffff")


def isle(c: Canvas, x: float, y: float, half: float, top: str, rock: str, shade: str) -> None:
    jag = ridge(c.rng, 20, 2, sharp=True) * 4
    mask = (
        (np.abs(across(x)) < half) & (y <= ROW) & (y + (half - np.abs(across(x))) * 1.1 + jag[None, :] > ROW)
    )
    c.fill(mask, rock)
    c.fill(mask & (across(x) > half * 0.15), shade)
    c.fill((np.abs(across(x)) < half + 1) & (ROW >= y - 3) & (ROW < y + 3 + jag[None, :] * 0.5), top)


def floating(
    c: Canvas, *, sky: str, isles=(), balloons=(), heaps=(), sun=None, wood=("2f7f4a", "6fc45f", "5a3b22")
) -> None:
    """isles: (x, y, half, top, rock, shade), each with a tree; balloons: (x, y, radius, one, two)."""
    c.sky(sky)
    if sun:
        c.sun(*sun)
    for one in heaps:
        cloud(c, *one)
    for x, y, half, top, rock, shade in isles:
        tree(c, x - half * 0.3, y - 2, half * 0.55, *wood)
        isle(c, x, y, half, top, rock, shade)
    for x, y, radius, one, two in balloons:
        bag = disc(x, y, radius) | (wedge(x, y, y + radius * 1.45, radius * 0.2, radius * 0.98) & (ROW >= y))
        c.fill(bag, one)
        width = np.sqrt(np.clip(radius**2 - (ROW - y) ** 2, 4, None))
        c.fill(bag & (np.floor(across(x) / width * 2.5 + 0.5) % 2 == 0), two)
        c.tint(bag & (across(x) > radius * 0.4), "000000", 0.2)
        c.fill(box(x - radius * 0.22, y + radius * 1.75, radius * 0.44, radius * 0.35), "6e4626")
        for side in (-1, 1):
            c.fill(
                stroke(
                    x + side * radius * 0.2, y + radius * 1.4, x + side * radius * 0.2, y + radius * 1.8, 1
                ),
                "403020",
            )


def fog(c: Canvas, *, air: str, shapes, near: str, row: float) -> None:
    """shapes: rows and colours of ridges that fade out upwards into the fog."""
    c.sky(air)
    for base, swell, points, text in shapes:
        line = base + ridge(c.rng, points, 4, sharp=True) * swell
        fade = np.clip(1 - (ROW - line[None, :]) / 34, 0, 1)
        c.tint(under(line), text, np.floor(fade * 6 + 0.5) / 6)
    c.below(row + ridge(c.rng, 6, 3) * 4, near, SIZE - row)
