"""All 27 skins by name, in the order of the atlas (sorted, as a folder of skins would be)."""

from __future__ import annotations

import numpy as np

from tools.art.animals import ANIMALS
from tools.art.monsters import MONSTERS
from tools.art.people import PEOPLE
from tools.art.sprite import frames

DRAWINGS = dict(sorted({**PEOPLE, **MONSTERS, **ANIMALS}.items()))
NAMES = tuple(DRAWINGS)


def skin(name: str) -> np.ndarray:
    """Idle then walk frames, RGBA uint8 (6, 24, 16, 4)."""
    return frames(DRAWINGS[name])
