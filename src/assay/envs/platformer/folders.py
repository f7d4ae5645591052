"""Reads a user's own backgrounds and skins from files.

Only this file of the platformer uses Pillow, and only for a user's files: the shipped art needs numpy alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.errors import WrongLevel

KINDS = (".jpg", ".jpeg", ".png", ".bmp")
LARGEST = 128  # pixels along a side of a skin's frame: the screen
Where = str | Path


class Skin(NamedTuple):
    """RGBA uint8; a skin stands with idle and moves with walk."""

    idle: np.ndarray  # (frames, height, width, 4)
    walk: np.ndarray  # (frames, height, width, 4)


def folder_of_images(path: Where, height: int = 128) -> np.ndarray:
    """All images of a folder, sorted by path as text, as `list_of_images` gives them."""
    return list_of_images(list_images(path, "background.image_dir"), height)


def list_of_images(images: Sequence[Where | np.ndarray], height: int = 128) -> np.ndarray:
    """uint8 (n, height, width, 3): the first scaled to `height`, all others forced to the size that gives.

    An image is the path of a file, or uint8 (height, width, 3).
    """
    if not len(images):
        raise WrongLevel("background.image_paths is empty: name at least one image file.")
    first = images[0] if isinstance(images[0], np.ndarray) else np.asarray(open_image(images[0], "RGB"))
    size = (max(1, round(first.shape[1] * height / first.shape[0])), height)
    return np.stack([scale_image(image, size) for image in images])


def folder_of_skins(path: Where, asked_by: str = "character.sprite_dir") -> dict[str, Skin]:
    """Every sub-folder is a skin, by its name; see `list_of_skins`."""
    inner = sorted(child for child in check_folder(path, asked_by).iterdir() if child.is_dir())
    if not inner:
        raise WrongLevel(
            f"{path} holds no skins: put each into a sub-folder of its own, one image per frame."
        )
    return list_of_skins(inner, asked_by)


def list_of_skins(paths: Sequence[Where], asked_by: str = "character.sprite_paths") -> dict[str, Skin]:
    """A skin from each folder, frames sorted by path as text.

    Files called idle... and walk... are what they say; otherwise all frames are both.
    Smaller frames are padded to the largest of all: feet on the last row, the middle column where it was.
    """
    if not paths:
        raise WrongLevel(f"{asked_by} is empty: name at least one folder of frames.")
    loose = {Path(path).name: sort_by_name(list_images(path, asked_by)) for path in paths}
    if len(loose) < len(paths):
        raise WrongLevel(f"two folders of {asked_by} have the same name: rename one, skins go by it.")
    every = [frame for frames in loose.values() for part in frames for frame in part]
    height, width = (max(frame.shape[axis] for frame in every) for axis in (0, 1))
    return {name: Skin(*(pad(part, height, width) for part in parts)) for name, parts in loose.items()}


def read_skin(path: Where, asked_by: str) -> Skin:
    """The skin of one folder, its frames of one size."""
    parts = sort_by_name(list_images(path, asked_by))
    height, width = (max(frame.shape[axis] for part in parts for frame in part) for axis in (0, 1))
    return Skin(*(pad(part, height, width) for part in parts))


def check_folder(path: Where, asked_by: str) -> Path:
    if not Path(path).is_dir():
        raise WrongLevel(f"{asked_by} asks for a folder, and there is none at {path}.")
    return Path(path)


def list_images(path: Where, asked_by: str) -> list[Path]:
    images = [child for child in check_folder(path, asked_by).iterdir() if child.suffix.lower() in KINDS]
    if not images:
        raise WrongLevel(f"{path} holds no images for {asked_by}: it takes {', '.join(KINDS)}.")
    return sorted(images, key=str)


def pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise WrongLevel(
            "images of your own, or of other heights, are read with Pillow: `pip install pillow` first."
        ) from None
    return Image


def open_image(path: Where, mode: str) -> Any:
    """A Pillow image, wholly read."""
    Image = pillow()
    if not Path(path).is_file():
        raise WrongLevel(f"there is no image file at {path}.")
    try:
        with Image.open(path) as image:
            return image.convert(mode)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise WrongLevel(f"{path} cannot be read as an image: give a whole PNG, JPEG or BMP file.") from None


def scale_image(image: Where | np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """uint8 (height, width, 3) of a size given as width, height."""
    if isinstance(image, np.ndarray):
        if image.shape[1::-1] == size:
            return image  # and Pillow is not needed
        picture = pillow().fromarray(image)
    else:
        picture = open_image(image, "RGB")
    Image = pillow()
    return np.asarray(picture if picture.size == size else picture.resize(size, Image.Resampling.LANCZOS))


def read_frame(path: Path) -> np.ndarray:
    frame = np.asarray(open_image(path, "RGBA"))
    if max(frame.shape[:2]) > LARGEST:
        raise WrongLevel(
            f"{path} is {frame.shape[1]} x {frame.shape[0]} pixels: a frame of a skin has at most {LARGEST} "
            f"on a side (the shipped ones are 16 x 24)."
        )
    return frame


def sort_by_name(paths: Iterable[Path]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Idle and walk frames, told apart by file name where both are there."""
    frames = {path: read_frame(path) for path in paths}
    idle, walk = (
        [f for p, f in frames.items() if p.name.lower().startswith(word)] for word in ("idle", "walk")
    )
    if idle and walk:
        return idle, walk
    return list(frames.values()), list(frames.values())


def pad(frames: Sequence[np.ndarray] | np.ndarray, height: int, width: int) -> np.ndarray:
    """Transparent rows above and columns beside: drawn from its middle column, no frame moves."""
    out = np.zeros((len(frames), height, width, 4), np.uint8)
    for number, frame in enumerate(frames):
        high, wide = frame.shape[:2]
        left = width // 2 - wide // 2
        out[number, height - high :, left : left + wide] = frame
    return out
