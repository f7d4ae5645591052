"""The picture of a game of hidden rules, for people: the board, its pieces, the buckets and the last attempt.

Pieces are masks of their shape in the colour of their name. The cell and the bucket of the last attempt have
a frame: green where it was accepted, red where it was not. Pictures are indexed [x, y, 3].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.rules.game import Params, State, features, put_into_cells
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.observation import Shown
from assay.envs.rules.params import RuleGame
from assay.envs.rules.task_boards import plan_boards

SIDE = 44  # pixels of a cell
FINE = 4  # points per pixel and direction from which its share of a shape is found
PAPER, CELL, LINE, BIN = (244, 241, 233), (255, 255, 255), (214, 208, 196), (120, 112, 101)
RIGHT, WRONG = (46, 140, 72), (198, 48, 42)
INKS = {
    "RED": (208, 52, 44), "BLACK": (38, 38, 40), "BLUE": (44, 98, 190), "YELLOW": (232, 184, 28),
    "GREEN": (52, 150, 84), "ORANGE": (230, 126, 34), "PURPLE": (128, 70, 160), "PINK": (226, 120, 160),
    "BROWN": (130, 86, 52), "WHITE": (226, 226, 230), "GRAY": (140, 140, 144), "CYAN": (44, 170, 186),
}  # fmt: skip
SPARE_INKS = ((90, 60, 140), (20, 120, 110), (180, 90, 20), (110, 110, 40), (160, 40, 100))
CORNERS = {"SQUARE": (4, 0.125, 1.0), "TRIANGLE": (3, 0.25, 1.0), "HEXAGON": (6, 0.0, 1.0),
           "DIAMOND": (4, 0.0, 1.0), "PENTAGON": (5, 0.25, 1.0), "STAR": (5, 0.25, 0.42)}  # fmt: skip


def points() -> tuple[np.ndarray, np.ndarray]:
    """The fine points of a cell, from -1 to 1, x to the right and y upwards."""
    line = (np.arange(SIDE * FINE) + 0.5) / (SIDE * FINE) * 2 - 1
    x, y = np.meshgrid(line, line, indexing="ij")
    return x, -y


def soften(inside: np.ndarray) -> np.ndarray:
    """Which points are inside, as the share of each pixel."""
    return inside.reshape(SIDE, FINE, SIDE, FINE).mean((1, 3)).astype(np.float32)


def shape_mask(name: str, number: int) -> np.ndarray:
    """(SIDE, SIDE) float32; a name without a drawing of its own is a polygon or star with more corners."""
    x, y = points()
    if name == "CIRCLE":
        return soften(np.hypot(x, y) < 0.62)
    corners, turn, inner = CORNERS.get(name, (5 + number, 0.25, (1.0, 0.6)[number % 2]))
    return soften(inside_star(x, y, corners, turn, inner))


def inside_star(x: np.ndarray, y: np.ndarray, corners: int, turn: float, inner: float) -> np.ndarray:
    """Points inside a regular star; `inner` is the depth of its notches, 1 for a plain polygon."""
    angle = (np.arctan2(y, x) / (2 * np.pi) - turn) * corners % 1.0
    part = np.abs(angle - 0.5) * 2  # 1 at a corner, 0 between two
    half = np.pi / corners
    outer, notch = 0.74, 0.74 * (np.cos(half) if inner == 1.0 else inner)
    # The edge from a corner to the notch beside it, as the distance at which a ray meets it.
    ray = (1 - part) * half
    edge = outer * notch * np.sin(half) / (notch * np.sin(half - ray) + outer * np.sin(ray))
    return np.hypot(x, y) < edge


def ink_of(name: str, number: int) -> tuple[int, int, int]:
    return INKS.get(name, SPARE_INKS[number % len(SPARE_INKS)])


def draw_ground(geometry: Geometry) -> np.ndarray:
    """The empty board and its buckets, (width, height, 3) float32."""
    across, up = geometry.columns + 2, geometry.rows + 2
    ground = np.empty((across * SIDE, up * SIDE, 3), np.float32)
    ground[:] = PAPER
    ground[SIDE:-SIDE, SIDE:-SIDE] = LINE
    for column in range(geometry.columns):
        for row in range(geometry.rows):
            x, y = (column + 1) * SIDE, (row + 1) * SIDE
            ground[x + 1 : x + SIDE - 1, y + 1 : y + SIDE - 1] = CELL
    for x, y in bucket_corners(geometry):
        ground[x : x + SIDE, y : y + SIDE] += bucket_mask()[..., None] * (np.array(BIN) - PAPER)
    return ground


def bucket_corners(geometry: Geometry) -> list[tuple[int, int]]:
    """The pixel at the upper left of each bucket."""
    top = (geometry.rows + 1) * geometry.buckets
    places = [(x / geometry.buckets, (top - y) / geometry.buckets) for x, y in geometry.bucket_places]
    return [(int(x * SIDE), int(y * SIDE)) for x, y in places]


def bucket_mask() -> np.ndarray:
    """A pail, open above."""
    x, y = points()
    width = 0.5 + 0.14 * y
    body = (np.abs(x) < width + 0.12) & (y < 0.5) & (y > -0.68)
    hollow = (np.abs(x) < width - 0.02) & (y > -0.52)
    return soften(body & ~hollow)


def frame_mask(width: int = 3) -> np.ndarray:
    mask = np.ones((SIDE, SIDE), bool)
    mask[width:-width, width:-width] = False
    return mask


def render(settings: RuleGame, params: Params, state: State, attempts: object = None) -> jax.Array:
    """The picture of a state: RGB, [x, y, 3] uint8."""
    boards = plan_boards(settings)
    picture = jnp.asarray(draw_ground(boards.geometry))
    picture = draw_pieces(params, state, picture, masks_of(params, boards.vocabulary.shapes),
                          inks_of(params, boards.vocabulary.colors))  # fmt: skip
    ink = jnp.where(state.response == Shown.ACCEPTED, jnp.array(RIGHT, jnp.float32), jnp.array(WRONG))
    return jnp.round(draw_frames(params, state, picture, boards.geometry, ink)).astype(jnp.uint8)


def masks_of(params: Params, names: tuple[str, ...]) -> jax.Array:
    """A mask for each shape that is shown; kinds of a table are told apart by corners."""
    known = names if params.kinds is None else ("",) * params.layout.shapes
    return jnp.asarray(np.stack([shape_mask(name, i) for i, name in enumerate(known)]))


def inks_of(params: Params, names: tuple[str, ...]) -> jax.Array:
    known = names if params.kinds is None else ("BLACK",)
    return jnp.asarray(np.array([ink_of(name, i) for i, name in enumerate(known)], np.float32))


def draw_pieces(
    params: Params, state: State, picture: jax.Array, masks: jax.Array, inks: jax.Array
) -> jax.Array:
    columns, rows = params.layout.columns, params.layout.rows
    shape, color = (put_into_cells(params, state, each) for each in features(params, state.board))
    mask = jnp.where((shape > 0)[:, None, None], masks[shape - 1], 0.0)  # (cells, SIDE, SIDE)
    ink = inks[color - 1]
    # Cells are numbered along rows, upwards; pixels go downwards.
    layer = mask.reshape(rows, columns, SIDE, SIDE)[::-1]
    layer = layer.transpose(1, 2, 0, 3).reshape(columns * SIDE, rows * SIDE)
    tint = ink.reshape(rows, columns, 3)[::-1].transpose(1, 0, 2).repeat(SIDE, 0).repeat(SIDE, 1)
    inner = picture[SIDE:-SIDE, SIDE:-SIDE]
    return picture.at[SIDE:-SIDE, SIDE:-SIDE].set(inner + layer[..., None] * (tint - inner))


def draw_frames(
    params: Params, state: State, picture: jax.Array, geometry: Geometry, ink: jax.Array
) -> jax.Array:
    """The frames around the cell and the bucket of the last attempt."""
    cell, bucket = state.tried.cell - 1, state.tried.bucket - 1
    column, row = cell % geometry.columns, cell // geometry.columns
    corners = jnp.asarray(np.array(bucket_corners(geometry), np.int32))
    for x, y, there in (
        ((column + 1) * SIDE, (geometry.rows - row) * SIDE, cell >= 0),
        (*corners[jnp.maximum(bucket, 0)], bucket >= 0),
    ):
        under = jax.lax.dynamic_slice(picture, (x, y, 0), (SIDE, SIDE, 3))
        framed = jnp.where(jnp.asarray(frame_mask())[..., None] & there, ink, under)
        picture = jax.lax.dynamic_update_slice(picture, framed, (x, y, 0))
    return picture
