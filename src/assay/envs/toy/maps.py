"""toy/continuous and toy/grid in pictures: a blue dot on a map with its targets and terminal regions.

Pictures are RGB uint8 [x, y, 3]. A part of one dimension is a line through the middle; parts of more than two
dimensions cannot be drawn.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.space import Box
from assay.errors import NotApplicable

GROUND, LINE = (208, 208, 208), (255, 255, 255)
END, TARGET, AGENT = (0, 0, 0), (0, 255, 0), (0, 0, 255)
RADIUS = 5  # of the dots, in pixels

Size = tuple[int, int]  # width, height


def space(size: Size, parts: int) -> Box:
    return Box(0, 255, (parts * size[0], size[1], 3), "uint8")


def require_flat(part: str, dimensions: int) -> None:
    if dimensions > 2:
        raise NotApplicable(
            f"image_representations draws up to 2 dimensions, and the {part} part has {dimensions}; "
            "leave it out."
        )


def to_pixel(position: jax.Array, half: jax.Array, size: Size) -> jax.Array:
    """The pixel of a position in the box from -half to half, (..., 2) int32."""
    return jnp.trunc((position + half) / (2 * half) * jnp.array(size)).astype(jnp.int32)


def pad_to_two(values: jax.Array, filler: float) -> jax.Array:
    """(..., 1 or 2) as (..., 2)."""
    if values.shape[-1] == 2:
        return values
    return jnp.concatenate([values, jnp.full_like(values, filler)], -1)


def mask_dots(centres: Any, size: Size) -> Any:
    """Which pixels lie on dots round these pixels, (n, 2): (width, height) bool."""
    across, down = (np.arange(side) - centres[:, i, None] for i, side in enumerate(size))
    # As wide as a box of 2 * RADIUS + 1 pixels, both of its ends included.
    return ((2 * across[:, :, None]) ** 2 + (2 * down[:, None]) ** 2 <= (2 * RADIUS + 1) ** 2).any(0)


def mask_boxes(first: Any, last: Any, size: Size) -> Any:
    """Which pixels lie on boxes from these pixels to those, (n, 2), both included: (width, height) bool."""
    across, down = (
        (np.arange(side) >= first[:, i, None]) & (np.arange(side) <= last[:, i, None])
        for i, side in enumerate(size)
    )
    return (across[:, :, None] & down[:, None]).any(0)


def paint(picture: jax.Array, where: jax.Array, colour: tuple[int, int, int]) -> jax.Array:
    return jnp.where(where[..., None], jnp.array(colour, jnp.uint8), picture)


def draw_ground(size: Size) -> jax.Array:
    return jnp.broadcast_to(jnp.array(GROUND, jnp.uint8), (*size, 3))


def draw_plane(
    position: jax.Array, half: jax.Array, size: Size, targets: Any = None, ends: Any = None, edge: Any = 0.0
) -> jax.Array:
    """A picture of a part of the box: (D,) position and half sides, (n, D) targets and centres of boxes."""
    half, picture = pad_to_two(half, 1.0), draw_ground(size)
    if ends is not None and ends.shape[0]:
        reach = pad_to_two(jnp.full(ends.shape, edge / 2), 1.0)  # a line's boxes are as high as the picture
        centres = pad_to_two(ends, 0.0)
        first, last = to_pixel(centres - reach, half, size), to_pixel(centres + reach, half, size)
        picture = paint(picture, mask_boxes(first, last, size), END)
    if targets is not None:
        picture = paint(picture, mask_dots(to_pixel(pad_to_two(targets, 0.0), half, size), size), TARGET)
    return paint(picture, mask_dots(to_pixel(pad_to_two(position, 0.0), half, size)[None], size), AGENT)


def draw_board(shape: tuple[int, ...], size: Size, target: tuple = (), ends: tuple = ()) -> np.ndarray:
    """An empty board, (width, height, 3) uint8: white lines between the cells, terminal cells, the target."""
    cells = np.array((*shape, 1)[:2])
    picture = np.empty((*size, 3), np.uint8)
    picture[:] = GROUND
    for i in range(cells[0]):
        picture[i * size[0] // cells[0]] = LINE
    for i in range(cells[1]):
        picture[:, i * size[1] // cells[1]] = LINE
    if ends:
        first = np.array([(*cell, 0)[:2] for cell in ends])
        picture[mask_boxes(first * size // cells, (first + 1) * size // cells, size)] = END
    if target:
        picture[mask_dots(middle_pixel(np.array([(*target, 0)[:2]]), shape, size), size)] = TARGET
    return picture


def middle_pixel(cell: Any, shape: tuple[int, ...], size: Size) -> Any:
    """The pixel in the middle of a cell, (..., 2)."""
    return (2 * cell + 1) * np.array(size) // (2 * np.array((*shape, 1)[:2]))


def draw_walker(picture: jax.Array, cell: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """The board with the agent's dot on a cell, (D,)."""
    size = picture.shape[0], picture.shape[1]
    cell = cell if cell.shape[0] == 2 else jnp.append(cell, 0)
    return paint(picture, mask_dots(middle_pixel(cell, shape, size)[None], size), AGENT)
