"""What can be set of pictures in place of numbers. The names are MDP Playground's config keys; no jax here.

Each function returns the field of one axis, for the settings of the toy envs that have it.
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
DRAWN = "image_representations"
SMALL = f"{DRAWN}+image_width=64+image_height=64"  # where an axis is checked: pictures as large as it needs


@takes("none, or words of scale, shift, rotate and flip joined by -, such as shift-flip")
def transforms(value: Any) -> str:
    """The words in acting order, joined by -; MDP Playground's "shift,scale" and lists are read too."""
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
        raise WrongLevel("a path is a text.")
    return value


def representations(excludes: tuple[str, ...] = ()) -> Any:
    return structure(
        "observation", False, levels=(True,), excludes=excludes, origin=PLAYGROUND,
        means="show a picture of the state in place of its numbers",
    )  # fmt: skip


def side(which: str, low: int) -> Any:
    return structure(
        "observation", 100, low=low, high=1000, levels=(84, 64), needs=(DRAWN,), context=DRAWN,
        origin=PLAYGROUND, means=f"{which} of the picture, in pixels",
    )  # fmt: skip


def image_transforms() -> Any:
    return structure(
        "observation", "none", type=transforms, levels=(*TRANSFORMS, "-".join(TRANSFORMS)),
        needs=(DRAWN,), context=SMALL, origin=PLAYGROUND,
        means="how each picture is changed, drawn anew for every observation",
    )  # fmt: skip


def quantum(of: str, unit: str, high: int, levels: tuple[int, ...]) -> Any:
    return structure(
        "observation", 1, low=1, high=high, levels=levels,
        needs=("image_transforms",), context=f"{SMALL}+image_transforms={of}", origin=PLAYGROUND,
        means=f"{of} by multiples of so many {unit}",
    )  # fmt: skip


def image_scale_range() -> Any:
    return structure(
        "observation", (0.5, 1.5), type=scale_range, levels=((0.9, 1.1), (0.5, 2.0)),
        needs=("image_transforms",), context=f"{SMALL}+image_transforms=scale", origin=PLAYGROUND,
        means="least and largest factor of the radius, each ratio equally likely",
    )  # fmt: skip


def independent() -> Any:
    return structure(
        "observation", False, levels=(True,), needs=("image_transforms", "irrelevant_features"),
        context=f"irrelevant_features+{SMALL}+image_transforms=shift", origin=f"{PLAYGROUND}'s code",
        means="change the irrelevant part's picture by draws of its own",
    )  # fmt: skip


def image_folder() -> Any:
    return structure(
        "observation", "", type=folder, levels=(SAMPLES,), needs=(DRAWN,), context=SMALL, origin=PLAYGROUND,
        means="pictures of one's own, the states' in alphabetical order, in place of polygons",
    )  # fmt: skip


def fill() -> Any:
    return structure(
        "observation", "images", choices=("images", "textures"), levels=("textures",),
        needs=("image_folder",), context=f"{SMALL}+image_folder={SAMPLES}", origin=PLAYGROUND,
        means="show the folder's pictures as squares, or as what fills the polygons",
    )  # fmt: skip
