"""The nine shapes as masks over pixel offsets from a centre; for numpy where they stand still, else jax.

The masks of all shapes are computed and one is chosen, since lanes may have different shapes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.envs.platformer.palettes import SHAPES

INNER = float(np.sin(np.pi / 10) / np.sin(3 * np.pi / 10))  # of a star's radius, between its points
GRAIN = 1024  # corners lie on this part of a pixel, so that a corner on a pixel's row is so on every machine


class Size(NamedTuple):
    """Half lengths in pixels; of an ellipse what makes it exact where pixels lie on its edge."""

    radius: Any
    ellipse: tuple[Any, Any, Any]  # factors of x and y squared, and the most that their sum may be
    diamond: tuple[Any, Any]  # along x, along y


def agent_size(width: Any, height: Any, least: Any) -> Size:
    """Of the agent's shape in its box; `least` is the smaller of the two."""
    radius = least / 2
    return Size(radius, (height**2, width**2, (width * height) ** 2 / 4), (radius, radius))


def distractor_size(size: Any) -> Size:
    """The ellipse has half axes of 0.5 and 0.3 of the size."""
    return Size(size / 2, (36, 100, 9 * size**2), (size / 2, size * 1.0))


def mask_shape(xp: Any, shape: Any, dx: Any, dy: Any, size: Size, radians: Any) -> Any:
    """Which of the pixels at offsets dx, dy belong to the shape of this number."""
    dx, dy = dx.astype(xp.float32), dy.astype(xp.float32)
    cos, sin = xp.cos(radians), xp.sin(radians)
    x, y = dx * cos - dy * sin, dx * sin + dy * cos
    r, across, along = size.radius, xp.abs(x), xp.abs(y)
    thin = xp.maximum(1.0, r / 4) / 2
    line, upright = (across <= r) & (along <= thin), (along <= r) & (across <= thin)
    (by_x, by_y, most), (side, tip) = size.ellipse, size.diamond
    # No quotients: compilers divide by multiplying, and pixels on an edge would come and go.
    masks = {
        "circle": dx * dx + dy * dy <= r * r,
        "square": (across <= r) & (along <= r),
        "line": line,
        "ellipse": by_x * (x * x) + by_y * (y * y) <= most,
        "triangle": mask_polygon(xp, dx, dy, [r] * 3, radians),
        "star": mask_polygon(xp, dx, dy, [r, r * INNER] * 5, radians),
        "polygon": mask_polygon(xp, dx, dy, [r] * 6, radians),
        "cross": line | upright,
        "diamond": across * tip + along * side <= side * tip,
    }
    chosen = masks[SHAPES[0]]
    for number, name in enumerate(SHAPES[1:], 1):
        chosen = xp.where(shape == number, masks[name], chosen)
    return chosen


def mask_polygon(xp: Any, dx: Any, dy: Any, radii: list, radians: Any) -> Any:
    """Even-odd filling of the polygon with corners at these distances, the first at the top."""
    corners = [place_corner(xp, radius, radians, k, len(radii)) for k, radius in enumerate(radii)]
    inside = xp.zeros(np.broadcast_shapes(dx.shape, dy.shape), bool)
    for one, other in zip(corners, corners[1:] + corners[:1]):
        x0, y0, x1, y1 = order_from_above(xp, one, other)
        crosses = (y0 > dy) != (y1 > dy)
        slope = (x1 - x0) / xp.where(y1 == y0, 1.0, y1 - y0)
        inside = inside ^ (crosses & (dx < x0 + (dy - y0) * slope))
    return inside


def order_from_above(xp: Any, one: tuple, other: tuple) -> tuple:
    """An edge from its upper corner to its lower one: on the row of the upper the crossing is then exact."""
    down = one[1] <= other[1]
    upper = tuple(xp.where(down, a, b) for a, b in zip(one, other))
    return *upper, *(xp.where(down, b, a) for a, b in zip(one, other))


def corner_angle(k: int, count: int) -> float:
    return float(-np.pi / 2 + k * 2 * np.pi / count)


def place_corner(xp: Any, radius: Any, radians: Any, k: int, count: int) -> tuple[Any, Any]:
    angle = radians + corner_angle(k, count)
    return tuple(xp.round(radius * f(angle) * GRAIN) / GRAIN for f in (xp.cos, xp.sin))
