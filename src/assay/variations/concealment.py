"""Channel variations that hide part of an observation: a mask or a torch on pictures, features of vectors.

Each has a chance as its level. What it hides stands in its name, so several can act in one task. Pictures
are rows x columns, with or without channels; hidden pixels are black.
"""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from assay.core.axis import Axis
from assay.core.space import Box, Discrete, Numbers, Space
from assay.errors import BadText
from assay.variations.channel_axis import channel_axis
from assay.variations.channel_parts import describe, one_uniform
from assay.variations.numbered import parse_numbers, parse_run, print_run

MASK, TORCH, HIDE = "observation.mask.", "observation.torch", "observation.hide."
HALVES = ("left", "right", "top", "bottom")
MOST_FRAMES = 7  # of rows of numbers; as narrow as that is no picture without channels
MOST_CHANNELS = 64  # of a picture; more in the last place are columns, and the first place counts frames
# STORI's torch: a radius of 75 on a picture of 210 rows.
USUAL_RADIUS, USUAL_ROWS = 75, 210


class Area(NamedTuple):
    """A rectangle of pixels, first and last of each included."""

    left: int
    right: int
    top: int
    bottom: int


@lru_cache(maxsize=64)
def area_in(area: str | Area, shape: tuple[int, ...]) -> Area:
    """The pixels of a half, or of a rectangle, in a picture of this shape."""
    if isinstance(area, Area):
        return area
    rows, columns = shape[:2]
    return {
        "left": Area(0, columns // 2 - 1, 0, rows - 1),
        "right": Area(columns // 2, columns - 1, 0, rows - 1),
        "top": Area(0, columns - 1, 0, rows // 2 - 1),
        "bottom": Area(0, columns - 1, rows // 2, rows - 1),
    }[area]


def mask(
    xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Box, *, area: str | Area
) -> tuple:
    """With chance `level` the pixels of `area` are black."""
    left, right, top, bottom = area_in(area, space.shape)
    if xp is np:
        if not draw < level:
            return memory, value
        shown = value.copy(order="K")  # a stack's memory may lie otherwise, and turning it takes longer
        shown[top : bottom + 1, left : right + 1] = 0
        return memory, shown
    rows, columns = xp.arange(space.shape[0]), xp.arange(space.shape[1])
    hidden = ((rows >= top) & (rows <= bottom))[:, None] & ((columns >= left) & (columns <= right))[None, :]
    return memory, darken(xp, value, hidden & (draw < level))


def torch(
    xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Box, *, radius: int
) -> tuple:
    """With chance `level` only a circle around a random pixel is seen; `radius` 0 is the usual one."""
    radius = radius or usual_radius(space)
    if xp is np:
        if not draw[0] < level:
            return memory, value
        # The same pixel as `centre_of` in plain numbers, at a quarter of the time.
        row, column = (min(int(draw[i + 1] * size), size - 1) for i, size in enumerate(space.shape[:2]))
        return memory, light(value, row, column, radius)
    row, column = centre_of(xp, draw, space)
    rows, columns = xp.arange(space.shape[0]) - row, xp.arange(space.shape[1]) - column
    hidden = (rows * rows)[:, None] + (columns * columns)[None, :] > radius * radius
    return memory, darken(xp, value, hidden & (draw[0] < level))


def usual_radius(space: Box) -> int:
    """STORI's radius, in proportion to the rows of the picture."""
    return max(1, round(USUAL_RADIUS * space.shape[0] / USUAL_ROWS))


def centre_of(xp: Any, draw: Any, space: Box) -> tuple[Any, Any]:
    """The row and the column of the circle's centre, any pixel equally likely."""
    row, column = (
        xp.minimum(xp.asarray(xp.floor(draw[i + 1] * size), "int32"), size - 1)
        for i, size in enumerate(space.shape[:2])
    )
    return row, column


def light(picture: np.ndarray, row: int, column: int, radius: int) -> np.ndarray:
    """The picture with all that is outside the circle black."""
    rows, columns = picture.shape[:2]
    depth = picture.size // (rows * columns)
    table = circle_table(rows, columns, depth, radius)
    window = table[rows - 1 - row : 2 * rows - 1 - row]
    window = window[:, (columns - 1 - column) * depth : (2 * columns - 1 - column) * depth]
    lit: np.ndarray = np.bitwise_and(picture.reshape(rows, columns * depth), window)
    return lit.reshape(picture.shape)


@lru_cache(maxsize=16)
def circle_table(rows: int, columns: int, depth: int, radius: int) -> np.ndarray:
    """All bits inside a circle and none outside, of which every centre cuts its own window.

    It is twice as large as the picture, and the channels of a pixel lie side by side, so that a window is
    laid over a picture in one pass.
    """
    down, across = (np.arange(2 * size - 1) - (size - 1) for size in (rows, columns))
    inside = down[:, None] ** 2 + across[None, :] ** 2 <= radius**2
    return np.repeat(np.where(inside, 255, 0).astype("uint8"), depth, axis=1)


def hide(
    xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Numbers, *,
    features: tuple[int, ...],
) -> tuple:  # fmt: skip
    """With chance `level` the entries `features` of a vector show nothing: 0, or the bound next to it."""
    if xp is np:
        if not draw < level:
            return memory, value
        seen, places = value.copy(), list(features)
        seen[places] = np.broadcast_to(space.zero, space.shape)[places]
        return memory, seen
    hidden = np.isin(np.arange(space.shape[0]), features)
    nothing = xp.full(space.shape, space.zero, space.dtype)
    return memory, xp.where(hidden & (draw < level), nothing, value)


def darken(xp: Any, value: Any, hidden: Any) -> Any:
    """The picture with its hidden pixels black, in every channel."""
    pixels = hidden if value.ndim == 2 else hidden[..., None]
    return xp.where(pixels, xp.zeros((), str(value.dtype)), value)


def report_hidden(
    xp: Any, level: Any, memory: Any, draw: Any, value: Any, seen: Any, ends: Any, space: Any
) -> tuple:
    """Opportunity: every observation. Event: it is hidden in part."""
    return True, draw < level, None


def report_circle(
    xp: Any, level: Any, memory: Any, draw: Any, value: Any, seen: Any, ends: Any, space: Any
) -> tuple:
    """Opportunity: every observation. Event: only a circle is seen. Detail: its centre, row and column."""
    return True, draw[0] < level, xp.stack(centre_of(xp, draw, space))


def three_uniforms(space: Space, bound: int) -> tuple:
    """Whether to act, and the row and the column of a pixel."""
    return "uniform", (3,)


def fits_torch(space: Space, radius: int) -> str:
    """Whether a circle of this radius can hide anything in such pictures."""
    if why := any_picture(space):
        return why
    rows, columns = space.shape[:2]
    if radius**2 < (rows - 1) ** 2 + (columns - 1) ** 2:
        return ""
    return f"a circle of {radius} pixels always shows all of a picture of {rows} x {columns}"


def any_picture(space: Space) -> str:
    """Whether observations are pictures, rows first."""
    if not isinstance(space, Box) or space.dtype != "uint8" or len(space.shape) not in (2, 3):
        return f"it acts on pictures, a Box of uint8, and these observations are {describe(space)}"
    if len(space.shape) == 2 and space.shape[1] <= MOST_FRAMES:
        return f"it acts on pictures, and these observations are rows of numbers from {space.shape[1]} frames"
    if len(space.shape) == 3 and space.shape[2] > MOST_CHANNELS:
        return f"it acts on pictures with their channels last, and these observations are {describe(space)}"
    return "" if min(space.shape[:2]) > 1 else "a picture of one row or column has no halves"


def fits_area(space: Space, area: str | Area) -> str:
    if (why := any_picture(space)) or isinstance(area, str):
        return why
    rows, columns = space.shape[:2]
    if area.right < columns and area.bottom < rows:
        return ""
    return (
        f"its rectangle goes to column {area.right} and row {area.bottom}, and these pictures end at column "
        f"{columns - 1} and row {rows - 1}"
    )


def fits_features(space: Space, features: tuple[int, ...]) -> str:
    if not isinstance(space, (Box, Discrete)) or len(space.shape) != 1:
        return f"it hides entries of a vector, and these observations are {describe(space)}"
    if features[-1] >= space.shape[0]:
        return f"it names feature {features[-1]}, and the features are 0 to {space.shape[0] - 1}"
    return ""


hiding_axis = partial(
    channel_axis, "observation", kind="dose", neutral=0.0, levels=(0.25, 0.5, 0.75), low=0, high=1,
    origin="STORI", stochasticity="3.2",
)  # fmt: skip


@cache
def mask_axis(name: str) -> Axis:
    """The axis of observation.mask.left, or of a rectangle such as observation.mask.8-151_57-92."""
    text = name.removeprefix(MASK)
    area = text if text in HALVES else parse_area(text, name)
    what = f"the {area} half" if isinstance(area, str) else "this rectangle (columns, then rows)"
    return hiding_axis(
        name=name, apply=partial(mask, area=area), draw=one_uniform, fits=partial(fits_area, area=area),
        report=report_hidden,
        means=f"chance that {what} of a picture is black; observation.mask.8-151_57-92 is a rectangle",
    )  # fmt: skip


def parse_area(text: str, name: str) -> Area:
    columns, _, rows = text.partition("_")
    try:
        area = Area(*parse_run(columns, name), *parse_run(rows, name))
    except BadText:
        raise BadText(
            f"{name} names neither {', '.join(HALVES)} nor a rectangle; write one as its first and last "
            f"column and row, {MASK}8-151_57-92."
        ) from None
    usual = f"{print_run(area.left, area.right)}_{print_run(area.top, area.bottom)}"
    if usual != text:  # two names of one rectangle would be two variations
        raise BadText(f"{name} is written otherwise; write {MASK}{usual}.")
    return area


@cache
def torch_axis(name: str) -> Axis:
    """The axis of observation.torch, or with a radius in pixels observation.torch.75."""
    text = name.removeprefix(TORCH + ".") if name != TORCH else ""
    written = text.isascii() and text.isdigit() and 0 < int(text) < 10**6 and text[0] != "0"
    if name != TORCH and not written:
        raise BadText(f"{name} has {text!r} for its radius; write pixels, such as {TORCH}.75.")
    radius = f"of {text} pixels" if text else "(of 75 pixels where a picture has 210 rows)"
    return hiding_axis(
        name=name, apply=partial(torch, radius=int(text or 0)), draw=three_uniforms,
        fits=partial(fits_torch, radius=int(text or 0)), report=report_circle,
        means=f"chance that only a circle {radius} around a random pixel is seen; observation.torch.20 has a "
        "radius of 20",
    )  # fmt: skip


@cache
def hide_axis(name: str) -> Axis:
    """The axis of observation.hide.0_2-3."""
    features = parse_numbers(name.removeprefix(HIDE), name)
    which = "feature" if len(features) == 1 else "features"
    return hiding_axis(
        name=name, apply=partial(hide, features=features), draw=one_uniform,
        fits=partial(fits_features, features=features), report=report_hidden, origin="assay",
        means=f"chance that {which} {name.removeprefix(HIDE)} of a vector shows nothing (0, or the bound "
        "next to it); other numbers in the name, as observation.hide.0_2-3, name other features",
    )  # fmt: skip


PICTURE_AXES = (*(mask_axis(MASK + half) for half in HALVES), torch_axis(TORCH))
AXES = (hide_axis(HIDE + "0"),)
