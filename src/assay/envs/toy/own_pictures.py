"""Pictures of the user's own in place of polygons: files of a folder, or the samples of assay; no jax."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np

from assay.envs.toy.image_axes import SAMPLES
from assay.errors import NotApplicable


def load_faces(folder: str, states: int, size: int) -> np.ndarray:
    """One picture per state, (states, size, size, 3) uint8, indexed [state, x, y]."""
    if folder == SAMPLES:
        return np.stack([paint_sample(state, size) for state in range(states)])
    return np.stack([open_picture(path, size) for path in list_files(folder, states)])


def list_files(folder: str, states: int) -> list[Path]:
    if not Path(folder).is_dir():
        raise NotApplicable(
            f"image_folder={folder!r} is not a folder; name a folder that holds one picture per state."
        )
    files = sorted(path for path in Path(folder).iterdir() if path.is_file() and path.name[0] != ".")
    if len(files) < states:
        raise NotApplicable(
            f"image_folder={folder!r} holds {len(files)} files for {states} states; "
            "add one picture for each state."
        )
    return files[:states]


def open_picture(path: Path, size: int) -> np.ndarray:
    """A file's picture, resized to the nearest pixel."""
    try:
        pillow = import_module("PIL.Image")
    except ModuleNotFoundError:
        raise NotApplicable(
            "image_folder needs Pillow to read files; install it: pip install pillow."
        ) from None
    try:
        with pillow.open(path) as file:
            rows = np.asarray(file.convert("RGB"), np.uint8)
    except OSError as error:
        raise NotApplicable(f"{path} of image_folder cannot be read as a picture ({error}).") from None
    down, across = ((np.arange(size) * 2 + 1) * side // (2 * size) for side in rows.shape[:2])
    return rows[down][:, across].swapaxes(0, 1)


def paint_sample(state: int, size: int) -> np.ndarray:
    """Stripes in two colours; direction, width and colours follow from the state."""
    x, y = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    turn = (
        np.pi * state * 0.381966
    )  # the golden section: neighbouring states differ much, and no direction recurs
    across = x * np.cos(turn) + y * np.sin(turn)
    striped = np.floor(across / size * (2 + state % 5) + 1000) % 2 == 0
    hue = 2 * np.pi * (state * 0.618034 + np.array([0.0, 1 / 3, 2 / 3]))
    light = np.round(155 + 100 * np.cos(hue))
    return np.where(striped[..., None], light, 255 - light).astype(np.uint8)
