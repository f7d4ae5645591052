"""Writing PNG files the same everywhere: rows without filters or as differences from the row above.

Only these two, so that the package can read its atlases back with numpy alone (`assay.envs.platformer.png`).
"""

from __future__ import annotations

import struct
import zlib

import numpy as np


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def encode(pixels: np.ndarray) -> bytes:
    """uint8 (height, width, 3 or 4) -> the bytes of a PNG file."""
    height, width, channels = pixels.shape
    rows = pixels.reshape(height, -1)
    above = np.concatenate([np.zeros_like(rows[:1]), rows[:-1]])
    plain = np.concatenate([np.zeros((height, 1), np.uint8), rows], 1)
    change = np.concatenate([np.full((height, 1), 2, np.uint8), rows - above], 1)
    packed = min((zlib.compress(lines.tobytes(), 9) for lines in (plain, change)), key=len)
    header = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
