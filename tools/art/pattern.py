"""Pictures of nothing: tiles, rings, stripes, glass, circuits, mazes and the grain of materials."""

from __future__ import annotations

import numpy as np

from tools.art.canvas import (
    COLUMN,
    ROW,
    SIZE,
    Canvas,
    across,
    box,
    cells,
    colours,
    disc,
    distance,
    noise,
    ridge,
    stroke,
)


def paint(c: Canvas, number: np.ndarray, text: str) -> None:
    """Each whole number its own colour, round and round."""
    table = np.array(colours(text), np.uint8)
    c.pixels[:] = table[number.astype(int) % len(table)]


def slope(fall: str) -> np.ndarray:
    """From 0 to 1 over the picture: "left", "right", "up", "down", "in", "out", "middle", "edges"."""
    tent = np.abs(COLUMN - 63.5) / 64
    away = distance(64, 64) / 90
    return {
        "left": tent, "right": 1 - tent, "up": 1 - ROW / 127, "down": ROW / 127, "in": 1 - away, "out": away,
        "middle": 1 - np.abs(ROW - 63.5) / 64, "edges": np.abs(ROW - 63.5) / 64,
    }[fall]  # fmt: skip


def even(value: np.ndarray, number: np.ndarray) -> np.ndarray:
    """The mean of value over all pixels of the same number."""
    count = np.bincount(number.ravel())
    return (np.bincount(number.ravel(), value.ravel()) / np.maximum(count, 1))[number]


def tiles(c: Canvas, *, shape: str, side: int, text: str, line: str, fall: str) -> None:
    """shape: squares, hexagons, scales, triangles or diamonds; `fall` says where the last colours gather."""
    row, column = ROW // side, COLUMN // side
    u, v = COLUMN % side, ROW % side
    if shape == "squares":
        number, edge = (row, column), (u == 0) | (v == 0)
    elif shape == "diamonds":
        p, q = (COLUMN + ROW) // side, (COLUMN - ROW) // side
        number, edge = (
            (p % (SIZE // side), q % (SIZE // side)),
            ((COLUMN + ROW) % side == 0) | ((COLUMN - ROW) % side == 0),
        )
    elif shape == "triangles":
        flip = (u + v < side).astype(int)
        number, edge = (row, column * 2 + flip), (u + v == side) | (u == 0) | (v == 0)
    elif shape == "scales":
        shift = (COLUMN + row % 2 * side // 2) % side
        inside = (shift - side / 2 + 0.5) ** 2 + (v - 0.0) ** 2 < (side * 0.62) ** 2
        number = (row + ~inside, (COLUMN + (row + ~inside) % 2 * side // 2) // side)
        edge = np.abs(np.sqrt((shift - side / 2 + 0.5) ** 2 + v**2) - side * 0.62) < 0.8
    else:
        high = side * 3 // 4
        shift = (COLUMN + ROW // high % 2 * side // 2) % side
        number = (ROW // high, (COLUMN + ROW // high % 2 * side // 2) // side)
        edge = (shift == 0) | ((ROW % high) == np.abs(shift - side // 2) * high // side)
    tile = np.asarray(number[0]) % 64 * 64 + np.asarray(number[1]) % (SIZE // side * 2)
    levels = even(slope(fall), tile) * 0.85 + c.rng.random(64 * 64)[tile] * 0.3 - 0.1
    paint(c, np.round(np.clip(levels, 0, 1) * (len(text.split()) - 1)), text)
    c.fill(edge, line)


def rings(c: Canvas, *, centres, width: float, text: str, squares=False) -> None:
    """Rings around each centre; the nearest one counts."""
    best = np.full((SIZE, SIZE), 1e9)
    for x, y in centres:
        away = np.maximum(np.abs(across(x)), np.abs(ROW - y)) if squares else distance(x, y)
        best = np.minimum(best, away)
    paint(c, np.floor(best / width), text)


def stripes(
    c: Canvas,
    *,
    text: str,
    turns: int,
    slant: int,
    wave: float = 0.0,
    waves: int = 2,
    fall="",
    shade="000000",
) -> None:
    """`turns` repeats across; `slant` repeats down; wave bends them."""
    bend = ridge(c.rng, waves, 1)[ROW[:, 0]][:, None] * wave
    phase = (COLUMN + bend) * turns / SIZE + ROW * slant / SIZE
    paint(c, np.floor((phase % 1) * len(text.split())), text)
    if fall:
        c.tint(ROW >= 0, shade, np.floor(np.clip(slope(fall), 0, 1) * 6) / 7)


def glass(c: Canvas, *, count: int, text: str, lead: str, width: float, fall: str, stretch=1.0) -> None:
    number, near, second = cells(c.rng, count, stretch)
    tone = c.rng.random(count)[number]
    paint(
        c,
        np.round(
            np.clip(even(slope(fall), number) * 0.85 + tone * 0.3 - 0.08, 0, 1) * (len(text.split()) - 1)
        ),
        text,
    )
    c.tint(second - near < width + 2, "ffffff", 0.15)
    c.fill(second - near < width, lead)


def circuit(c: Canvas, *, board: str, track: str, chips, pads: str, count: int) -> None:
    """chips: (x, y, width, height, colour)."""
    c.dither(noise(c.rng, 4, 4, 3), board)
    for n in range(count):
        x, y = int(c.rng.integers(32)) * 4, int(c.rng.integers(32)) * 4
        far, down = 8 + int(c.rng.integers(6)) * 4, (8 + int(c.rng.integers(6)) * 4) * (1 if n % 2 else -1)
        c.fill(
            stroke(x, y, x + far, y, 1.2) | stroke(x + far, y, x + far + down / 2, y + abs(down) / 2, 1.2),
            track,
        )
        c.fill(stroke(x + far + down / 2, y + abs(down) / 2, x + far + down / 2, y + abs(down), 1.2), track)
        c.fill(disc(x, y, 2) | disc(x + far + down / 2, y + abs(down), 2), pads)
    for x, y, wide, high, text in chips:
        c.fill(box(x - 3, y + 2, wide + 6, high - 4) & (ROW % 4 < 2), "d8d8d0")
        c.fill(box(x + 2, y - 3, wide - 4, high + 6) & (COLUMN % 4 < 2), "d8d8d0")
        c.fill(box(x, y, wide, high), text)
        c.tint(box(x + 2, y + 2, wide - 4, 2) | disc(x + 5, y + high - 5, 2), "ffffff", 0.35)


def maze(c: Canvas, *, side: int, wall: str, floor: str, fall: str, path="") -> None:
    """A maze carved by walking, on a torus."""
    count = SIZE // side
    open_ = np.zeros((count, count), bool)
    at = [(1, 1)]
    open_[1, 1] = True
    while at:
        row, column = at[-1]
        ways = [
            (dr, dc)
            for dr, dc in ((0, 2), (2, 0), (0, -2), (-2, 0))
            if not open_[(row + dr) % count, (column + dc) % count]
        ]
        if not ways:
            at.pop()
            continue
        dr, dc = ways[int(c.rng.integers(len(ways)))]
        open_[(row + dr // 2) % count, (column + dc // 2) % count] = True
        open_[(row + dr) % count, (column + dc) % count] = True
        at.append(((row + dr) % count, (column + dc) % count))
    mask = open_[ROW // side, COLUMN // side]
    c.dither(slope(fall), wall, ~mask)
    c.dither(slope(fall), floor, mask)
    c.tint(~mask & np.roll(mask, -1, 0), "000000", 0.4)
    c.tint(~mask & np.roll(mask, 1, 0), "ffffff", 0.3)


def grain(c: Canvas, *, kind: str, text: str, fall: str, scale: int = 4, line="000000") -> None:
    """kind: wood, marble, cloth, stone, sand, camouflage or lava."""
    base = noise(c.rng, scale, scale, 4)
    lean = slope(fall)
    if kind == "wood":
        plank = COLUMN // 32
        warp = noise(c.rng, 8, 2, 3) * 20 + c.rng.random(4)[plank] * 30
        value = ((COLUMN * 1.0 + warp * 2) % 9) / 9 * 0.35 + c.rng.random(4)[plank] * 0.35 + lean * 0.5
        c.dither(value, text)
        c.fill(COLUMN % 32 == 0, line)
    elif kind == "marble":
        vein = np.abs((base * 5 + lean * 1.2) % 1 - 0.5) * 2
        c.dither(vein * 0.5 + lean * 0.5, text)
    elif kind == "cloth":
        over = ((COLUMN // 4 + ROW // 4) % 2 == 0) * 0.25
        check = ((COLUMN // 16) % 2) * 0.3 + ((ROW // 16) % 2) * 0.3
        c.dither(over + check * 0.8 + lean * 0.4 - 0.1, text)
    elif kind == "stone":
        number, near, second = cells(c.rng, 46)
        c.dither(np.clip(c.rng.random(46)[number] * 0.35 + lean * 0.6 + (second - near) / 60, 0, 1), text)
        c.fill(second - near < 2.4, line)
    elif kind == "sand":
        wave = ridge(c.rng, 4, 2) * 12
        value = ((ROW * 2 + wave[None, :] + base * 30) % 22) / 22
        c.dither(value * 0.5 + lean * 0.5, text)
    else:
        paint(c, np.floor(np.clip(base * 0.75 + lean * 0.4 - 0.1, 0, 0.999) * len(text.split())), text)
    if kind == "lava":
        crack = np.abs(noise(c.rng, 5, 5, 3) - 0.5) < 0.045
        c.fill(crack, line)


def blocks(c: Canvas, *, back: str, shapes) -> None:
    """A poster of big shapes: (kind, x, y, size, colour), with kind disc, ring, box, bar or wedge."""
    c.sky(back)
    for kind, x, y, size, text in shapes:
        mask = {
            "disc": disc(x, y, size),
            "ring": (distance(x, y) < size) & (distance(x, y) > size * 0.6),
            "box": box(x - size, y - size, 2 * size, 2 * size),
            "bar": np.abs(across(x) + (ROW - y) * 0.6) < size,
            "wedge": (y - size <= ROW) & (y + size > ROW) & (np.abs(across(x)) < (ROW - y + size) / 2),
        }[kind]
        c.fill(mask, text)


def bokeh(c: Canvas, *, back: str, spots: str, count: int, low: float, high: float, gather) -> None:
    """Lights out of focus, thicker around gather: (x, y, spread)."""
    c.sky(back)
    table = spots.split()
    for n in range(count):
        x = gather[0] + (c.rng.random() + c.rng.random() - 1) * gather[2]
        y = gather[1] + (c.rng.random() + c.rng.random() - 1) * gather[2]
        r = low + (high - low) * c.rng.random()
        c.tint(disc(x, y, r), table[n % len(table)], 0.45)
        c.tint((distance(x, y) < r) & (distance(x, y) > r - 1.4), "ffffff", 0.35)
