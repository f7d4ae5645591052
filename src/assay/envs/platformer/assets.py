"""Which skins and pictures a setting names: ours by name, or files and folders of the user's own."""

from __future__ import annotations

from pathlib import Path

from assay.envs.platformer.palettes import FOLDERS, IMAGES, SKINS, frames_of
from assay.errors import WrongLevel

PICTURES = (".jpg", ".jpeg", ".png", ".bmp")


def images(folder: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The pictures behind `background.image_dir` and `background.image_paths`; the latter goes before."""
    if paths:
        return tuple(ours_or_there("background.image_paths", path, IMAGES) for path in paths)
    if folder in FOLDERS:
        return FOLDERS[folder]
    found = sorted(str(path) for path in inside("background.image_dir", folder) if is_picture(path))
    if not found:
        raise WrongLevel(
            f"background.image_dir={folder} holds no {', '.join(PICTURES)}; name another folder."
        )
    return tuple(found)


def skins(name: str, folder: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The skins behind a folder or a list of them; every folder inside a folder is a skin."""
    if paths:
        return tuple(ours_or_there(name, path, SKINS) for path in paths)
    if folder in FOLDERS:
        return FOLDERS[folder]
    found = sorted(str(path) for path in inside(name, folder) if path.is_dir())
    if not found:
        raise WrongLevel(
            f"{name}={folder} holds no folders, each of which would be a skin; name another one."
        )
    return tuple(found)


def frames(skin: str) -> int:
    """How many frames a skin has."""
    if skin in SKINS:
        return frames_of(skin)
    count = sum(is_picture(path) for path in Path(skin).iterdir())
    if not count:
        raise WrongLevel(f"the skin {skin} holds no {', '.join(PICTURES)}; put its frames there.")
    return count


def ours_or_there(name: str, path: str, ours: tuple[str, ...]) -> str:
    if path in ours or Path(path).exists():
        return path
    raise WrongLevel(
        f"{name} names {path}, which is neither one of ours ({ours[0]}, ...) nor a file; check it."
    )


def inside(name: str, folder: str) -> list[Path]:
    if not Path(folder).is_dir():
        near = ", ".join(FOLDERS)
        raise WrongLevel(f"{name} names {folder}, which is no folder; give one, or one of ours: {near}.")
    return list(Path(folder).iterdir())


def is_picture(path: Path) -> bool:
    return path.suffix.lower() in PICTURES
