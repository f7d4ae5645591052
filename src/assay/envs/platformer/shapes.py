"""The nine shapes as masks over pixel offsets from a centre; for numpy where they stand still, else jax.

Every shape is asked of every pixel and one answer is kept: which shape it is may differ from lane to lane.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.envs.platformer.palettes import SHAPES

INNER = float(np.sin(np.pi / 10) / np.sin(3 * np.pi / 10))  # of a star's radius, between its points
GRAIN = 1024  # corners lie on this part of a pixel, so that a corner on a pixel's row is so on every machine


class Size(NamedTuple):
    """Half lengths in pixels."""

    radius: Any
    ellipse: tuple[Any, Any]  # along x, along y
    diamond: tuple[Any, Any]


def agent_size(width: Any, height: Any, least: Any) -> Size:
    """Of the agent's shape in its box; `least` is the smaller of the two."""
    radius = least / 2
    return Size(radius, (width / 2, height / 2), (radius, radius))


def distractor_size(size: Any) -> Size:
    return Size(size / 2, (0.5 * size, 0.3 * size), (size / 2, size * 1.0))


def mask(xp: Any, shape: Any, dx: Any, dy: Any, size: Size, radians: Any) -> Any:
    """Which of the pixels at offsets dx, dy belong to the shape of this number."""
    dx, dy = dx.astype(xp.float32), dy.astype(xp.float32)
    cos, sin = xp.cos(radians), xp.sin(radians)
    x, y = dx * cos - dy * sin, dx * sin + dy * cos
    r, across, along = size.radius, xp.abs(x), xp.abs(y)
    thin = xp.maximum(1.0, r / 4) / 2
    line, upright = (across <= r) & (along <= thin), (along <= r) & (across <= thin)
    (wide, high), (side, tip) = size.ellipse, size.diamond
    found = {
        "circle": dx * dx + dy * dy <= r * r,
        "square": (across <= r) & (along <= r),
        "line": line,
        "ellipse": (x / wide) ** 2 + (y / high) ** 2 <= 1,
        "triangle": polygon(xp, dx, dy, [r] * 3, radians),
        "star": polygon(xp, dx, dy, [r, r * INNER] * 5, radians),
        "polygon": polygon(xp, dx, dy, [r] * 6, radians),
        "cross": line | upright,
        "diamond": across / side + along / tip <= 1,
    }
    kept = found[SHAPES[0]]
    for number, name in enumerate(SHAPES[1:], 1):
        kept = xp.where(shape == number, found[name], kept)
    return kept


def polygon(xp: Any, dx: Any, dy: Any, radii: list, radians: Any) -> Any:
    """Even-odd filling of the polygon with corners at these distances, the first at the top."""
    corners = [corner(xp, radius, radians, k, len(radii)) for k, radius in enumerate(radii)]
    inside = xp.zeros(np.broadcast_shapes(dx.shape, dy.shape), bool)
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1]):
        crosses = (y0 > dy) != (y1 > dy)
        slope = (x1 - x0) / xp.where(y1 == y0, 1.0, y1 - y0)
        inside = inside ^ (crosses & (dx < x0 + (dy - y0) * slope))
    return inside


def corner(xp: Any, radius: Any, radians: Any, k: int, count: int) -> tuple[Any, Any]:
    angle = radians + (-np.pi / 2 + k * 2 * np.pi / count)
    return tuple(xp.round(radius * f(angle) * GRAIN) / GRAIN for f in (xp.cos, xp.sin))
