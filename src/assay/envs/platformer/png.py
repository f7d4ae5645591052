"""Reading the shipped atlases with numpy alone: the native path has no imaging library.

Only what `tools.art.png` writes: 8 bits, RGB or RGBA, rows plain or as differences from the row above.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

CHANNELS = {2: 3, 6: 4}  # PNG's colour type -> channels
PLAIN, FROM_ABOVE = 0, 2  # PNG's row filters


def read(path: Path) -> np.ndarray:
    """uint8 (height, width, 3 or 4)."""
    data = path.read_bytes()
    width, height, _, kind = struct.unpack(">IIBB", data[16:26])
    packed, offset = b"", 8
    while offset < len(data):
        size, name = struct.unpack(">I4s", data[offset : offset + 8])
        packed += data[offset + 8 : offset + 8 + size] if name == b"IDAT" else b""
        offset += size + 12
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * CHANNELS[kind])
    filters = set(lines[:, 0].tolist())
    if filters == {FROM_ABOVE}:
        rows = np.cumsum(lines[:, 1:], axis=0, dtype=np.uint8)
    elif filters == {PLAIN}:
        rows = lines[:, 1:]
    else:
        raise ValueError(f"{path.name} was not written by tools.art: row filters {sorted(filters)}")
    return rows.reshape(height, width, CHANNELS[kind])
