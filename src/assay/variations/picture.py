"""Channel variations of pictures (Box of uint8, rows x columns x channels): shift, scale, rotate, flip, gray.

All but gray draw anew for every picture. All arithmetic on pixels is in whole numbers, so that jax and
numpy agree bit for bit. Pixels from beyond the border are dark.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from assay.core.axis import takes
from assay.core.space import Box, Space
from assay.errors import WrongLevel
from assay.variations.channel_axis import channel_axis
from assay.variations.channel_parts import describe, one_uniform

FIXED = 2**14  # the number one, in the fixed-point tables of cosines and sines
COSINE, SINE = (
    np.round(FIXED * function(np.deg2rad(np.arange(360)))).astype("int32") for function in (np.cos, np.sin)
)

BRIGHTNESS = (77, 150, 29)  # of red, green and blue in 256ths: 0.299, 0.587, 0.114
GRAY = ((),)


def shift(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """Moves the picture by up to `level` pixels each way, in steps of a quantum, rounded down."""
    reach, quantum = level if isinstance(level, tuple) else (level, 1)
    pixels = xp.asarray(xp.minimum(xp.floor(draw * (2 * reach + 1)), 2 * reach), "int32") - reach
    down, right = pixels // quantum * quantum
    height, width = value.shape[:2]
    return memory, pick_pixels(xp, value, xp.arange(height) - down, xp.arange(width) - right)


def scale(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """Enlarges about the centre by a log-uniform factor from 1/level to level, or from low to high."""
    low, high = level if isinstance(level, tuple) else (1 / level, level)
    low, high = (xp.log(xp.asarray(edge, "float32")) for edge in (low, high))
    percent = xp.asarray(xp.floor(100 * xp.exp(low + draw * (high - low)) + 0.5), "int32")
    rows, columns = (
        (100 * double_distances(xp, size) + size * percent) // (2 * percent) for size in value.shape[:2]
    )
    return memory, pick_pixels(xp, value, rows, columns)


def rotate(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """Turns the picture about its centre by a random multiple of `level` degrees; nearest pixels."""
    quantum = xp.maximum(level, 1)
    turned = xp.asarray(xp.minimum(xp.floor(draw * 360), 359), "int32") // quantum * quantum
    angle = xp.where(level == 0, 0, turned)
    cosine, sine = xp.asarray(COSINE)[angle], xp.asarray(SINE)[angle]
    height, width = value.shape[:2]
    y, x = double_distances(xp, height)[:, None], double_distances(xp, width)[None, :]
    rows = (cosine * y + sine * x + height * FIXED) // (2 * FIXED)
    columns = (cosine * x - sine * y + width * FIXED) // (2 * FIXED)
    return memory, pick_pixels(xp, value, rows, columns)


def flip(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """Half of the pictures are mirrored: left to right or top to bottom, each as often."""
    height, width = value.shape[:2]
    mirrored = (draw[0] < 0.5) & level
    sideways, upright = mirrored & (draw[1] < 0.5), mirrored & (draw[1] >= 0.5)
    rows, columns = xp.arange(height), xp.arange(width)
    rows = xp.where(upright, rows[::-1], rows)
    return memory, pick_pixels(xp, value, rows, xp.where(sideways, columns[::-1], columns))


def gray(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Box) -> tuple:
    """The brightness of every pixel; in a stack, picture by picture."""
    if memory != GRAY:
        return memory, value
    colours = xp.asarray(value, "int32").reshape(*space.shape[:2], space.frames, 3)
    red, green, blue = (weight * colours[..., i] for i, weight in enumerate(BRIGHTNESS))
    return memory, xp.asarray((red + green + blue + 128) >> 8, "uint8")


def whether_gray(xp: Any, space: Space, bound: int) -> tuple:
    # Not an array: it tells `gray` its bound, which sets shapes, because the level itself may be traced.
    return GRAY if bound else ()


def without_colours(space: Box, bound: int) -> Box:
    return Box(0, 255, (*space.shape[:2], space.frames), "uint8", space.frames) if bound else space


def double_distances(xp: Any, size: int) -> Any:
    """Twice the distance of each pixel from the middle: whole for even and odd sizes."""
    return 2 * xp.arange(size, dtype="int32") - (size - 1)


def pick_pixels(xp: Any, value: Any, rows: Any, columns: Any) -> Any:
    """The picture whose pixel [i, j] was at rows[i], columns[j] (or at rows[i, j], columns[i, j])."""
    height, width = value.shape[:2]
    if rows.ndim == 1:
        rows, columns = rows[:, None], columns[None, :]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    rows, columns = xp.clip(rows, 0, height - 1), xp.clip(columns, 0, width - 1)
    return xp.where(inside[..., None], value[rows, columns], xp.zeros((), str(value.dtype)))


def pictures(space: Space) -> str:
    if isinstance(space, Box) and space.dtype == "uint8" and len(space.shape) == 3:
        return ""
    return "it acts on pictures: a Box of uint8, rows x columns x channels"


def colour_pictures(space: Space) -> str:
    if isinstance(space, Box) and not pictures(space) and space.shape[2] == 3 * space.frames:
        return ""
    return (
        "it acts on colour pictures, a Box of uint8, shape (rows, columns, 3), or a stack of them, and these "
        f"observations are {describe(space)}; leave it out, or take a task that shows colours"
    )


def two_uniforms(space: Space, bound: int) -> tuple:
    return "uniform", (2,)


@takes("a number of pixels, or [pixels, quantum]")
def reach(value: Any) -> int | tuple[int, int]:
    """Pixels, or pixels and the quantum."""
    numbers = value if isinstance(value, (tuple, list)) else (value, 1)
    pixels, quantum = (int(each) for each in numbers)
    if [pixels, quantum] != list(numbers) or pixels < 0 or not 1 <= quantum <= 10**6 or pixels > 10**6:
        raise WrongLevel("pixels are from 0 up, and the quantum is from 1 up.")
    return pixels if quantum == 1 else (pixels, quantum)


@takes("a factor from 1 to 10, or [smallest, largest]")
def factors(value: Any) -> float | tuple[float, float]:
    """The largest factor, or the smallest and the largest."""
    if not isinstance(value, (tuple, list)):
        value = (1 / max(value, 0.1), value)
    low, high = (float(each) for each in value)
    if not 0.1 <= low <= high <= 10:
        raise WrongLevel("factors are from 0.1 to 10, the smaller first.")
    return high if low == 1 / high else (low, high)


picture_axis = partial(
    channel_axis, "observation", fits=pictures, origin="MDP Playground", stochasticity="3.1"
)

AXES = (
    picture_axis("observation.shift", "structure", 0, (4, 16), shift, type_=reach, draw=two_uniforms,
                 means="largest number of pixels by which pictures are moved, each way"),
    picture_axis("observation.scale", "structure", 1.0, (1.25, 2.0), scale, type_=factors, draw=one_uniform,
                 means="largest factor by which pictures are enlarged or made smaller"),
    picture_axis("observation.rotate", "dose", 0, (90, 15, 1), rotate, low=0, high=180, draw=one_uniform,
                 means="degrees: pictures are turned by a random multiple of them; 0: not at all"),
    picture_axis("observation.flip", "switch", False, (True,), flip, draw=two_uniforms,
                 means="mirror half of the pictures, sideways or upright"),
    picture_axis("observation.gray", "structure", False, (True,), gray, sized=True, memory=whether_gray,
                 space=without_colours, fits=colour_pictures, origin="DQN on Atari",
                 means="pictures lose their colours: one channel, the brightness "
                       "0.299 R + 0.587 G + 0.114 B"),
)  # fmt: skip
