"""Paint the platformer's art and write it into the package: `python -m tools.art.make`.

Everything is drawn by the code of this folder from fixed seeds; a second run gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from tools.art import measure, scenes, skins, sprite
from tools.art.canvas import SIZE
from tools.art.png import encode

ART = Path(__file__).parents[2] / "src" / "assay" / "envs" / "platformer" / "art"
COLUMNS = 16  # scenes in a row of the atlas


def digest(pixels: np.ndarray) -> str:
    return hashlib.sha256(pixels.tobytes()).hexdigest()[:16]


def atlas(tiles: np.ndarray, columns: int) -> np.ndarray:
    """(n, height, width, channels) -> one picture, row after row."""
    count, height, width, channels = tiles.shape
    grid = tiles.reshape(count // columns, columns, height, width, channels)
    return grid.transpose(0, 2, 1, 3, 4).reshape(count // columns * height, columns * width, channels)


def main() -> None:
    pictures = scenes.all_scenes()
    drawn = {name: skins.skin(name) for name in skins.NAMES}
    index = {
        "scenes": {name: digest(picture) for name, picture in zip(scenes.NAMES, pictures)},
        "columns": COLUMNS,
        "size": [SIZE, SIZE],
        "skins": {name: digest(frames) for name, frames in drawn.items()},
        "idle": sprite.IDLE,
        "walk": sprite.WALK,
        "frame": [sprite.HEIGHT, sprite.WIDTH],
    }
    files = {
        "backgrounds.png": encode(atlas(pictures, COLUMNS)),
        "skins.png": encode(atlas(np.concatenate(list(drawn.values())), sprite.IDLE + sprite.WALK)),
        "index.json": (json.dumps(index, indent=1) + "\n").encode(),
    }
    ART.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (ART / name).write_bytes(data)
        print(f"{name}: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()[:16]}")
    found = measure.apart(pictures)
    print(f"median distances {found.medians.round(4)}; the nearest pair is at {found.ratio:.3f} of it")
    for value, first, second in found.pairs:
        print(f"  {value:.3f}  {scenes.NAMES[first]} | {scenes.NAMES[second]}")
    if found.ratio < measure.BAR:
        raise SystemExit("two scenes are too near: change one, or run `python -m tools.art.choose`.")


if __name__ == "__main__":
    main()
