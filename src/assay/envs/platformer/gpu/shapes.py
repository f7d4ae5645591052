"""Shapes that turn, inside the GPU kernel: the agent's and the distractors, as `shapes.py` defines them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.platformer.build_params import Params
from assay.envs.platformer.draw_characters import KAGE_REACH, shape_color
from assay.envs.platformer.gpu.layers import agent_place
from assay.envs.platformer.gpu.tiles import (
    PIXELS,
    Box,
    Facts,
    Layer,
    Sight,
    Words,
    add_meetings,
    byte_mask,
    draw_met,
    fill_bytes,
    splat,
)
from assay.envs.platformer.palettes import (
    SHAPES,
)
from assay.envs.platformer.shapes import (
    GRAIN,
    INNER,
    Size,
    agent_size,
    corner_angle,
    distractor_size,
    order_from_above,
)

RADII = {"triangle": [1.0] * 3, "star": [1.0, INNER] * 5, "polygon": [1.0] * 6}  # parts, corner by corner
EDGES = 10  # of the shape with most corners
CORNERS = np.array([len(RADII.get(name, ())) for name in SHAPES], np.int32)
CURVES = [name for name in SHAPES if name not in RADII]
KINDS = np.array([CURVES.index(name) if name in CURVES else len(CURVES) for name in SHAPES], np.int32)
CORNER_ANGLES, CORNER_PARTS = np.zeros((2, len(SHAPES), EDGES), np.float32)
for number, name in enumerate(SHAPES):
    parts = RADII.get(name, [])
    CORNER_ANGLES[number, : len(parts)] = [corner_angle(k, len(parts)) for k in range(len(parts))]
    CORNER_PARTS[number, : len(parts)] = parts


def turning_shape_layer(facts: Facts, params: Params, state: Any, scene: Any) -> Layer:
    tables = params.tables
    size = agent_size(tables.width, tables.height, jnp.minimum(tables.width, tables.height))
    x, y = agent_place(state)
    return shapes_layer(
        facts, params, x[None], y[None], scene.shape[None], shape_color(scene.shape_color)[None],
        jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32)[None], size), jnp.deg2rad(scene.angle)[None],
        tables.shape_reach, cut=False,
    )  # fmt: skip


def distractor_layer(facts: Facts, params: Params, state: Any, scene: Any) -> Layer:
    shapes, as_kage = scene.distractors, params.compat == "kage"
    x, y = (jnp.round(each).astype(jnp.int32) for each in (shapes.x, shapes.y))
    angle = shapes.angle if as_kage else jnp.deg2rad(shapes.angle)
    size = jax.tree.map(
        lambda leaf: jnp.broadcast_to(jnp.asarray(leaf, jnp.float32), x.shape), distractor_size(shapes.size)
    )
    return shapes_layer(
        facts, params, x, y, shapes.shape, shape_color(shapes.color), size, angle,
        params.tables.distractor_reach, cut=as_kage,
    )  # fmt: skip


def shapes_layer(
    facts: Facts,
    params: Params,
    x: jax.Array,
    y: jax.Array,
    shape: jax.Array,
    color: jax.Array,
    size: Size,
    radians: jax.Array,
    reach: int,
    cut: bool,
) -> Layer:
    """Turned shapes one after another; their corners are worked out before, once for each shape."""
    count = x.shape[0]
    far = jnp.minimum(jnp.ceil(reach_of(size)).astype(jnp.int32) + 1, reach)
    kind, corners = jnp.asarray(KINDS)[shape], jnp.asarray(CORNERS)[shape]
    whole = facts.add_ints(x, y, kind, *(color[:, channel] for channel in range(3)), corners)
    meetings = add_meetings(facts, Box(y - far, x - far, 2 * far + 1, 2 * far + 1))
    thin = jnp.maximum(1.0, size.radius / 4) / 2
    real = facts.add_floats(
        jnp.cos(radians), jnp.sin(radians), size.radius, thin, *size.ellipse, *size.diamond
    )
    edges = facts.add_floats(*polygon_edges(shape, size.radius, radians))  # four of (count, EDGES)

    def draw(sight: Sight, words: Words) -> Words:
        def put(i: jax.Array, words: Words) -> Words:
            x, y, shape = (sight.ints[whole + by * count + i] for by in range(3))
            colors = [splat(sight.ints[whole + by * count + i]) for by in range(3, 6)]
            numbers = [sight.floats[real + by * count + i] for by in range(9)]
            dy = (sight.rows - y).astype(jnp.float32)
            offsets = [(sight.columns(pixel) - x).astype(jnp.float32) for pixel in range(PIXELS)]
            first_edge = edges + i * EDGES
            branches: list[Callable[[], jax.Array]] = [
                partial(mask_curve, name, sight, offsets, dy, numbers) for name in CURVES
            ]
            corners = sight.ints[whole + 6 * count + i]
            branches.append(partial(mask_polygon, sight, offsets, dy, first_edge, count * EDGES, corners))
            mask = jax.lax.switch(shape, branches)
            if cut:
                near = jnp.abs(dy + 0.5) < KAGE_REACH
                mask &= byte_mask([near & (jnp.abs(dx + 0.5) < KAGE_REACH) for dx in offsets])
            return fill_bytes(words, mask, colors)

        return draw_met(sight, meetings, count, put, words)

    return draw


def reach_of(size: Size) -> jax.Array:
    """How far from its centre the largest of the shapes of this size may come."""
    by_x, by_y, most = size.ellipse
    corner = size.radius * np.float32(2**0.5)
    ellipse = jnp.sqrt(most / jnp.minimum(by_x, by_y))
    return jnp.maximum(jnp.maximum(corner, ellipse), jnp.maximum(*size.diamond))


def mask_curve(name: str, sight: Sight, offsets: list[Any], dy: Any, numbers: list[Any]) -> jax.Array:
    inside = (inside_curve(name, dx, dy, numbers) for dx in offsets)
    return byte_mask([jnp.broadcast_to(each, sight.shape) for each in inside])


def inside_curve(name: str, dx: Any, dy: Any, numbers: list[Any]) -> jax.Array:
    """A shape of `shapes.mask_shape` without corners, or with four; which one is known here."""
    cos, sin, r, thin, by_x, by_y, most, side, tip = numbers
    if name == "circle":
        return dx * dx + dy * dy <= r * r
    x, y = dx * cos - dy * sin, dx * sin + dy * cos
    across, along = jnp.abs(x), jnp.abs(y)
    if name == "square":
        return (across <= r) & (along <= r)
    if name == "ellipse":
        return by_x * (x * x) + by_y * (y * y) <= most
    if name == "diamond":
        return across * tip + along * side <= side * tip
    line, upright = (across <= r) & (along <= thin), (along <= r) & (across <= thin)
    return line if name == "line" else line | upright


def mask_polygon(
    sight: Sight, offsets: list[Any], dy: Any, first_edge: Any, stride: int, corners: Any
) -> jax.Array:
    """Any of the shapes with corners: a pixel is inside where an odd number of edges lie to its right."""

    def cross(edge: Any, mask: jax.Array) -> jax.Array:
        x0, y0, y1, slope = (sight.floats[first_edge + edge + by * stride] for by in range(4))
        crosses = (y0 > dy) != (y1 > dy)
        at = x0 + (dy - y0) * slope
        return mask ^ byte_mask([crosses & (dx < at) for dx in offsets])

    # A loop and not a line for each edge: half of the kernel would be edges, and take as long to compile.
    mask: jax.Array = jax.lax.fori_loop(0, corners, cross, jnp.zeros(sight.shape, jnp.uint32))
    return mask


def polygon_edges(shape: jax.Array, radius: jax.Array, radians: jax.Array) -> tuple[jax.Array, ...]:
    """Of each edge its upper corner, the row of its lower one, and its slope, (count, EDGES) each.

    Edges that a shape does not have are not asked for; neither are those of shapes without corners.
    """
    count = jnp.asarray(CORNERS)[shape][:, None]
    angles = radians[:, None] + jnp.asarray(CORNER_ANGLES)[shape]
    radii = radius[:, None] * jnp.asarray(CORNER_PARTS)[shape]
    x, y = (jnp.round(radii * f(angles) * GRAIN) / GRAIN for f in (jnp.cos, jnp.sin))
    # Otherwise both would be worked out again for each number of each edge that has a part in them.
    x, y = jax.lax.optimization_barrier((x, y))
    is_last = jnp.arange(EDGES) == count - 1
    after = tuple(jnp.where(is_last, line[:, :1], jnp.roll(line, -1, 1)) for line in (x, y))
    x0, y0, x1, y1 = order_from_above(jnp, (x, y), after)
    return x0, y0, y1, (x1 - x0) / jnp.where(y1 == y0, 1.0, y1 - y0)
