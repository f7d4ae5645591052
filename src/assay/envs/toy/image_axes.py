"""The axes of pictures in place of numbers. Their names are MDP Playground's config keys; no jax here.

Each function without a decorator returns the field of one axis, for the settings of the envs that have it.
"""

from __future__ import annotations

import re
from typing import Any

from assay.core.axis import structure, takes
from assay.envs.toy.setting_types import PLAYGROUND
from assay.errors import WrongLevel

RADIUS = 20  # of the circle round a polygon, in pixels
SAMPLES = "samples"  # the patterns that come with assay, in place of a folder
TRANSFORMS = ("scale", "shift", "rotate", "flip")  # in the order in which they act
IMAGES_ON = "image_representations"
SMALL = (
    f"{IMAGES_ON}+image_width=64+image_height=64"  # where an axis is checked: pictures as large as it needs
)


@takes("none, or words of scale, shift, rotate and flip joined by -, such as shift-flip")
def transforms(value: Any) -> str:
    """The words in the order in which they act, joined by -.

    MDP Playground's form "shift,scale" and lists are accepted too.
    """
    words = value.replace(" ", "").split(",") if isinstance(value, str) else list(value)
    words = [word for each in words for word in re.split("[-+_]", each)]
    if words == ["none"]:
        return "none"
    unknown = [word for word in words if word not in TRANSFORMS]
    if unknown or not words:
        raise WrongLevel(f"{unknown[0]!r} is none of them." if unknown else "name at least one.")
    return "-".join(word for word in TRANSFORMS if word in words)


@takes("[low, high], two numbers from 0.05 to 10, the second no smaller")
def scale_range(value: Any) -> tuple[float, float]:
    low, high = (float(each) for each in value)
    if not 1 / RADIUS <= low <= high <= 10:
        raise WrongLevel(f"[{low:g}, {high:g}] is no such range.")
    return low, high


@takes("the path of a folder of pictures, in double quotes, or samples")
def folder(value: Any) -> str:
    if not isinstance(value, str):
        raise WrongLevel("a path is written as text.")
    return value


def image_representations(excludes: tuple[str, ...] = ()) -> Any:
    return structure(
        "observation", False, levels=(True,), excludes=excludes, origin=PLAYGROUND, stochasticity="3.1",
        means="show a picture of the state in place of its numbers",
    )  # fmt: skip


def image_side(which: str, low: int) -> Any:
    return structure(
        "observation", 100, low=low, high=1000, levels=(84, 64), needs=(IMAGES_ON,), context=IMAGES_ON,
        origin=PLAYGROUND, stochasticity="3.1", means=f"{which} of the picture, in pixels",
    )  # fmt: skip


def image_transforms() -> Any:
    return structure(
        "observation", "none", type=transforms, levels=(*TRANSFORMS, "-".join(TRANSFORMS)),
        needs=(IMAGES_ON,), context=SMALL, origin=PLAYGROUND, stochasticity="3.1",
        means="how each picture is changed, drawn anew for every observation",
    )  # fmt: skip


def image_quantum(of: str, unit: str, high: int, levels: tuple[int, ...]) -> Any:
    return structure(
        "observation", 1, low=1, high=high, levels=levels,
        needs=("image_transforms",), context=f"{SMALL}+image_transforms={of}", origin=PLAYGROUND,
        stochasticity="3.1",
        means=f"{of} by multiples of so many {unit}",
    )  # fmt: skip


def image_scale_range() -> Any:
    return structure(
        "observation", (0.5, 1.5), type=scale_range, levels=((0.9, 1.1), (0.5, 2.0)),
        needs=("image_transforms",), context=f"{SMALL}+image_transforms=scale", origin=PLAYGROUND,
        stochasticity="3.1",
        means="least and largest factor of the radius, each ratio equally likely",
    )  # fmt: skip


def image_independent() -> Any:
    return structure(
        "observation", False, levels=(True,), needs=("image_transforms", "irrelevant_features"),
        context=f"irrelevant_features+{SMALL}+image_transforms=shift", origin=f"{PLAYGROUND}'s code",
        stochasticity="3.1",
        means="change the irrelevant part's picture by draws of its own",
    )  # fmt: skip


def image_folder() -> Any:
    return structure(
        "observation", "", type=folder, levels=(SAMPLES,), needs=(IMAGES_ON,), context=SMALL,
        origin=PLAYGROUND, stochasticity="3.1",
        means="pictures of one's own, the states' in alphabetical order, in place of polygons",
    )  # fmt: skip


def image_fill() -> Any:
    return structure(
        "observation", "images", choices=("images", "textures"), levels=("textures",),
        needs=("image_folder",), context=f"{SMALL}+image_folder={SAMPLES}", origin=PLAYGROUND,
        stochasticity="3.1",
        means="show the folder's pictures as squares, or as what fills the polygons",
    )  # fmt: skip
