"""The pictures and skins behind the settings: ours by name, or files and folders of the user's own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.core.variation import get
from assay.envs.platformer import art, folders
from assay.envs.platformer.folders import Skin
from assay.envs.platformer.palettes import FOLDERS, IMAGES, SKINS
from assay.errors import WrongLevel
from assay.task_text import suggest


class Sprites(NamedTuple):
    """Skins of one size; a skin with fewer frames than others is filled up with empty ones."""

    idle: np.ndarray  # (skins, frames, 4, height, width) uint8
    walk: np.ndarray  # the same
    idle_frames: np.ndarray  # (skins,) int32, of each
    walk_frames: np.ndarray


def load_pictures(folder: str, paths: tuple[str, ...], height: int) -> np.ndarray:
    """The pictures of `background.image_dir` or `background.image_paths`, (n, height, width, 3) uint8.

    The paths have precedence. All get the size of the first picture, scaled to this height.
    """
    names = paths or FOLDERS.get(folder)
    if names is None:
        return folders.folder_of_images(folder, height)
    for name in names:
        check_picture("background.image_paths", name, IMAGES)
    own = [art.backgrounds()[IMAGES.index(name)] if name in IMAGES else name for name in names]
    return folders.list_of_images(own, height)


def load_sprites(settings: Any, of_folder: str, of_paths: str) -> Sprites:
    """The skins that the two settings of these names ask for; every folder inside a folder is a skin."""
    folder = get(settings, of_folder)
    names = get(settings, of_paths) or FOLDERS.get(folder)
    if names is None:
        return stack_skins(folders.folder_of_skins(folder, of_folder).values())
    for path in names:
        check_picture(of_paths, path, SKINS)
    ours = art.skins()
    return stack_skins(ours[path] if path in ours else folders.read_skin(path, of_paths) for path in names)


def stack_skins(skins: Iterable[Skin]) -> Sprites:
    skins = list(skins)
    height, width = (max(part.shape[side] for skin in skins for part in skin) for side in (1, 2))

    def of(parts: list[np.ndarray]) -> np.ndarray:
        most = max(len(part) for part in parts)
        out = np.zeros((len(parts), most, height, width, 4), np.uint8)
        for slot, part in zip(out, parts):
            slot[: len(part)] = folders.pad(part, height, width)
        return out.transpose(0, 1, 4, 2, 3)

    idle, walk = [skin.idle for skin in skins], [skin.walk for skin in skins]
    counts = (np.array([len(part) for part in parts], np.int32) for parts in (idle, walk))
    return Sprites(of(idle), of(walk), *counts)


def check_picture(name: str, path: str, ours: tuple[str, ...]) -> None:
    if path not in ours and not Path(path).exists():
        near = suggest(path, ours)
        raise WrongLevel(
            f"{name} names {path}, which is neither one of ours ({ours[0]}, ...) nor a file"
            + (f"; did you mean {near}?" if near else "; check it.")
        )
