"""Indoors and underground: rooms, libraries, halls, dungeons, caves, machine rooms and ship decks."""

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
    cells,
    disc,
    distance,
    noise,
    ridge,
    ring,
    stroke,
    under,
    wedge,
)


def room(
    c: Canvas,
    *,
    wall: str,
    paper: str,
    pattern: str,
    floor: str,
    skirting: str,
    panes=(),
    view="",
    frames=(),
    lamp=None,
    sofa=None,
    dado=0,
) -> None:
    """panes: (x, y, width, height) of windows on `view`;
    frames: (x, y, width, height, colour) of pictures.
    """
    c.fill(ROW >= 0, wall)
    prints = {
        "stripes": COLUMN % 16 < 8,
        "dots": ((COLUMN % 16 - 8) ** 2 + ((ROW + COLUMN // 16 % 2 * 8) % 16 - 8) ** 2) < 9,
        "diamonds": (np.abs(COLUMN % 16 - 8) + np.abs(ROW % 16 - 8)) < 5,
        "planks": (ROW % 12 == 0) | ((COLUMN + ROW // 12 * 21) % 64 == 0),
    }
    c.fill(prints[pattern], paper)
    if dado:
        c.fill(dado <= ROW, skirting)
        c.tint((dado + 3 <= ROW) & (COLUMN % 16 < 1), "000000", 0.35)
    for x, y, wide, high in panes:
        c.fill(box(x - 3, y - 3, wide + 6, high + 6), "f4ead8")
        c.sky(view, y, y + high, box(x, y, wide, high))
        c.fill(box(x + wide / 2 - 1, y, 2, high) | box(x, y + high / 2 - 1, wide, 2), "f4ead8")
        c.fill(box(x - 10, y - 5, 9, high + 12) | box(x + wide + 1, y - 5, 9, high + 12), skirting)
    for x, y, wide, high, text in frames:
        c.fill(box(x - 2, y - 2, wide + 4, high + 4), "c8983c")
        c.fill(box(x, y, wide, high), text)
        c.fill(box(x, y + high * 0.6, wide, high * 0.4), "3a5a3a")
    c.fill(ROW >= 104, floor)
    c.tint((ROW >= 104) & ((ROW % 8 == 0) | ((COLUMN + ROW // 8 * 13) % 32 == 0)), "000000", 0.3)
    c.fill((ROW >= 100) & (ROW < 104), skirting)
    if sofa:
        x, text = sofa
        c.fill(box(x, 80, 52, 26) | box(x - 6, 88, 8, 20) | box(x + 50, 88, 8, 20), text)
        c.tint(box(x + 2, 94, 48, 3) | box(x + 25, 80, 2, 26), "000000", 0.35)
    if lamp:
        x, y, text = lamp
        c.fill(box(x, 0, 1, y), "303030")
        c.glow(x, y + 6, 44, text, 0.7)
        c.fill(wedge(x, y, y + 10, 12, 4), text)


def library(
    c: Canvas, *, wood: str, shade: str, books: str, shelf: int, gaps=(), candle=(), arch=None
) -> None:
    """Shelves every `shelf` rows; gaps: (x, y, width, height) without books;
    arch: (x, half, top, colours) of a passage.
    """
    c.fill(ROW >= 0, shade)
    table = books.split()
    for top in range(0, SIZE, shelf):
        x = 0
        while x < SIZE:
            wide = int(c.rng.integers(3, 8))
            wide = min(wide, SIZE - x)
            high = shelf - 5 - c.rng.random() * shelf * 0.35
            text = table[int(c.rng.integers(len(table)))]
            c.fill(box(x, top + shelf - 3 - high, wide, high), text)
            c.tint(box(x + wide - 1, top + shelf - 3 - high, 1, high), "000000", 0.45)
            c.tint(box(x, top + shelf - high, wide, 2), "f8e090", 0.6 if wide > 4 else 0)
            x += wide
        c.fill((ROW >= top + shelf - 3) & (ROW < top + shelf), wood)
    c.fill(COLUMN % 64 < 4, wood)
    c.tint(COLUMN % 64 == 3, "000000", 0.5)
    for x, y, wide, high in gaps:
        c.fill(box(x, y, wide, high), shade)
    if arch:
        x, half, top, text = arch
        opening = disc(x, top + half, half) | box(x - half, top + half, 2 * half, SIZE)
        c.fill(disc(x, top + half, half + 4) | box(x - half - 4, top + half, 2 * half + 8, SIZE), wood)
        c.sky(text, top, SIZE, opening)
    for x, y in candle:
        c.fill(box(x - 1, y, 3, 8), "f8f0d8")
        c.fill(disc(x, y - 3, 1.6, 0.7), "ffe070")
        c.glow(x, y - 2, 30, "ffc860", 0.8)


def hall(
    c: Canvas,
    *,
    wall: str,
    columns,
    shade: str,
    span: int,
    spring: float,
    view: str,
    floor: str,
    glass="",
    carpet="",
    banners="",
    throne="",
) -> None:
    """A row of arches, one every `span` columns; view lies behind them, or coloured glass does."""
    c.dither(noise(c.rng, 16, 16, 2), wall)
    mid = COLUMN % span - span / 2 + 0.5
    half = span * 0.34
    opening = (
        (ROW > spring - np.sqrt(np.clip(half**2 - mid**2, 0, None)) * 1.3)
        & (np.abs(mid) < half)
        & (ROW < 104)
    )
    c.sky(view, spring - half, 104, opening)
    if glass:
        number, near, second = cells(c.rng, 90)
        table = np.array([tuple(bytes.fromhex(word)) for word in glass.split()], np.uint8)
        c.pixels[opening] = table[number % len(table)][opening]
        c.fill(opening & (second - near < 1.4), "181420")
    post = np.abs((COLUMN + span // 2) % span - span / 2 + 0.5)
    c.fill((post < columns[0] / 2) & (ROW < 106), columns[1])
    c.fill((post < columns[0] / 2) & (ROW < 106) & ((COLUMN % 3) == 0), shade)
    c.fill(
        (post < columns[0] / 2 + 3)
        & (((ROW > spring - 4) & (ROW < spring + 3)) | ((ROW > 99) & (ROW < 108))),
        columns[1],
    )
    if banners:
        for n in range(SIZE // span):
            x = n * span
            flag = (np.abs(across(x)) < 6) & (ROW > 14) & (ROW < 52 - np.abs(across(x)))
            c.fill(flag, banners.split()[n % len(banners.split())])
            c.fill(flag & (np.abs(across(x)) + np.abs(ROW - 30) < 4), "f4e090")
    if throne:
        x = span / 2
        c.glow(x, 70, 40, throne, 0.45)
        back = box(x - 9, 58, 18, 46) | disc(x, 58, 9)
        c.fill(back, throne)
        c.fill(box(x - 6, 60, 12, 26) | disc(x, 60, 6), "a82838")
        c.fill(box(x - 14, 84, 28, 8) | box(x - 14, 84, 5, 22) | box(x + 9, 84, 5, 22), throne)
        c.fill(box(x - 20, 102, 40, 4), shade)
    tile = ((COLUMN * 8 // SIZE) + (ROW - 104) // 8) % 2 == 0
    c.fill(ROW >= 106, floor.split()[0])
    c.fill((ROW >= 106) & tile, floor.split()[-1])
    if carpet:
        c.fill(ROW >= 114, carpet)
        c.fill((ROW == 115) | (ROW == 126), "e8c050")


def dungeon(
    c: Canvas, *, bricks: str, high: int, torches=(), bars=None, chains=(), slime="", door=None
) -> None:
    """torches: (x, y); bars: (x, y, width, height, colours behind); door: (x, top, half)."""
    course = ROW // high
    offset = (COLUMN + course * high) % (2 * high)
    tone = noise(c.rng, SIZE // (2 * high), SIZE // high, 1)[
        course * high, (COLUMN // (2 * high)) * 2 * high % SIZE
    ]
    c.dither(tone * 0.6 + noise(c.rng, 32, 32, 2) * 0.35 + 0.1, bricks)
    c.fill((ROW % high == 0) | (offset == 0), bricks.split()[0])
    c.tint((ROW % high == 1) | (offset == 1), "ffffff", 0.12)
    if slime:
        line = 14 + ridge(c.rng, 24, 2, sharp=True) * 14
        c.tint(ROW < line[None, :], slime, 0.75)
    if bars:
        x, y, wide, tall, text = bars
        c.fill(box(x - 3, y - 3, wide + 6, tall + 6), "1c1a20")
        c.sky(text, y, y + tall, box(x, y, wide, tall))
        c.fill(box(x, y, wide, tall) & ((COLUMN - round(x)) % 8 < 2), "303038")
    if door:
        x, top, half = door
        frame, leafs = half + 4, disc(x, top + half, half) | box(x - half, top + half, 2 * half, SIZE)
        c.fill(disc(x, top + half, frame) | box(x - frame, top + half, 2 * frame, SIZE), "2a2630")
        c.fill(leafs, "6e4626")
        c.fill(leafs & (across(x) % 6 < 1), "3a2414")
        c.fill(leafs & ((ROW == round(top + half)) | (ROW == round(top + half + 30))), "22222c")
    for x, y in chains:
        for n in range(0, 44, 4):
            c.fill(ring(x, y + n, 2, 1.2), "8a8a96")
    for x, y in torches:
        c.glow(x, y, 46, "ff9830", 0.75)
        c.fill(box(x - 1, y + 3, 3, 12), "5a3a20")
        c.fill(disc(x, y, 4, 0.7) | wedge(x, y - 9, y, 3), "ff8820")
        c.fill(disc(x, y + 1, 2.2, 0.7), "fff0a0")
    c.tint(ROW >= 120, "000000", 0.5)


def cave(c: Canvas, *, rock: str, void: str, mouth, spikes, pool="", gems=(), glow=None, edge="") -> None:
    """mouth: (x, y, radius, stretch) of the hollow; spikes: (x, length, half, from above?);
    gems: (x, y, size, colour).
    """
    x, y, radius, stretch = mouth
    grain = noise(c.rng, 8, 8, 4)
    away = distance(x, y, stretch) + (grain - 0.5) * 24
    c.dither(grain * 0.75 + np.clip((away - radius) / -60 + 0.3, -0.2, 0.4), rock)
    hollow = away < radius
    c.dither(np.clip(away / radius, 0, 1), void, hollow)
    if edge:
        c.fill((away >= radius) & (away < radius + 2.5), edge)
    dark = rock.split()[0]
    for at, length, half, above in spikes:
        tone = (across(at) < 0) & (np.abs(across(at)) < half)
        if above:
            mask = (np.abs(across(at)) < half * (1 - ROW / length)) & (ROW < length)
        else:
            mask = (np.abs(across(at)) < half * (1 - (SIZE - ROW) / length)) & (SIZE - length < ROW)
        c.fill(mask, dark)
        c.fill(mask & tone, rock.split()[1])
    if pool:
        line = 112 + ridge(c.rng, 4, 2) * 3
        c.below(line, pool, 16)
        c.tint(under(line) & ((ROW * 5 + COLUMN // 5) % 9 == 0), "ffffff", 0.4)
    for at, row, size, text in gems:
        c.glow(at, row, size * 2.6, text, 0.6)
        for lean, tall in ((-0.5, 0.8), (0.5, 0.9), (0, 1.4)):
            body = (
                np.abs(across(at) - lean * (row + size * 0.6 - ROW))
                + np.clip(row - size * tall + size * 0.4 - ROW, 0, None)
                < size * 0.28
            )
            mask = body & (row - size * tall < ROW) & (row + size * 0.6 > ROW)
            c.fill(mask, text)
            c.tint(mask & (across(at) - lean * (row + size * 0.6 - ROW) < 0), "ffffff", 0.45)
    if glow:
        c.glow(*glow)


def gear(c: Canvas, x: float, y: float, radius: float, teeth: int, text: str, shade: str) -> None:
    down = ROW - y
    turn = np.round(np.arctan2(down, across(x)) / math.tau * teeth, 5) % 1
    rim = radius + np.where(turn < 0.5, radius * 0.16, 0)
    c.fill(distance(x, y) <= rim, text)
    c.fill((distance(x, y) <= radius * 0.78) & (distance(x, y) > radius * 0.3), shade)
    for n in range(4):
        dx, dy = math.cos(n * math.tau / 8), math.sin(n * math.tau / 8)
        c.fill(
            stroke(
                x - dx * radius * 0.8,
                y - dy * radius * 0.8,
                x + dx * radius * 0.8,
                y + dy * radius * 0.8,
                radius * 0.16,
            ),
            text,
        )
    c.fill(disc(x, y, radius * 0.14), "181418")


def works(c: Canvas, *, wall: str, gears=(), pipes=(), steam=(), dials=(), rivets=16, floor="28242c") -> None:
    """gears: (x, y, radius, teeth, colour, shade); pipes: (x, y, to x, to y, width, lit, shade);
    dials: (x, y, radius).
    """
    c.dither(noise(c.rng, 6, 10, 3), wall)
    c.tint((rivets - 1 == COLUMN % rivets) | (ROW % (2 * rivets) == 0), "000000", 0.35)
    c.tint((COLUMN % rivets == 2) & (ROW % 8 == 4), "ffffff", 0.4)
    for x, y, to_x, to_y, wide, lit, shade in pipes:
        c.fill(stroke(x, y, to_x, to_y, wide), shade)
        shift = -wide * 0.18
        c.fill(stroke(x + shift, y + shift, to_x + shift, to_y + shift, wide * 0.42), lit)
        for at_x, at_y in ((x, y), (to_x, to_y)):
            c.fill(disc(at_x, at_y, wide * 0.75), shade)
            c.fill(disc(at_x + shift, at_y + shift, wide * 0.4), lit)
    for one in gears:
        gear(c, *one)
    for x, y, radius in dials:
        c.fill(disc(x, y, radius + 2), "c8a040")
        c.fill(disc(x, y, radius), "f4f0e0")
        c.fill(stroke(x, y, x + radius * 0.6, y - radius * 0.5, 1.4), "d03030")
    for x, y, size in steam:
        for n in range(7):
            c.tint(
                disc(x + c.rng.random() * size, y - n * size * 0.5, size * (0.5 + n * 0.12)),
                "ffffff",
                0.55 - n * 0.05,
            )
    c.fill(ROW >= 120, floor)


def deck(
    c: Canvas, *, wall: str, panel: str, port=None, space: str, lights: str, screens=(), racks=(), strip=""
) -> None:
    """A room of the future; port: (x, y, radius, stretch) of a window on the stars;
    racks: (x, width) of computers.
    """
    c.sky(wall)
    c.tint((COLUMN % 32 == 0) | (ROW % 32 == 0), "000000", 0.4)
    c.tint((COLUMN % 32 == 1) | (ROW % 32 == 1), "ffffff", 0.2)
    if port:
        x, y, radius, stretch = port
        c.fill(disc(x, y, radius + 5, stretch), panel)
        c.fill(disc(x, y, radius + 1, stretch), "101018")
        c.dither(noise(c.rng, 3, 3, 4), space, disc(x, y, radius, stretch))
        for _ in range(40):
            at = (c.rng.random() * SIZE, c.rng.random() * SIZE)
            c.fill(disc(*at, 0.6) & disc(x, y, radius - 1, stretch), "ffffff")
    table = lights.split()
    for x, wide in racks:
        c.fill(box(x, 14, wide, 100), panel)
        c.tint(box(x, 14, 2, 100), "ffffff", 0.3)
        for row in range(18, 108, 6):
            c.fill(box(x + 3, row, wide - 6, 4), "14141e")
            for dx in range(4, int(wide) - 5, 3):
                if c.rng.random() < 0.55:
                    c.fill(box(x + dx, row + 1, 1, 2), table[int(c.rng.integers(len(table)))])
    for x, y, wide, high, text in screens:
        c.fill(box(x - 2, y - 2, wide + 4, high + 4), panel)
        c.fill(box(x, y, wide, high), "0c1420")
        line = y + high / 2 + ridge(c.rng, 24, 2, sharp=True) * high * 0.35
        c.fill(box(x, y, wide, high) & (np.abs(ROW - line[None, :]) < 1.2), text)
        c.glow(x + wide / 2, y + high / 2, wide * 0.9, text, 0.25)
    if strip:
        c.fill((ROW >= 4) & (ROW < 7) & (COLUMN % 32 > 5), strip)
        c.tint(ROW < 16, strip, 0.25)
    c.fill(ROW >= 114, panel)
    c.tint((ROW >= 114) & (COLUMN % 8 < 4) & (ROW % 4 < 2), "000000", 0.35)
