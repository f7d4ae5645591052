"""Reads what flax writes with `to_bytes`: msgpack, in which arrays are extensions. Neither is needed for it.

The formats are those of the specification of msgpack (https://github.com/msgpack/msgpack/blob/master/spec.md).
An extension of flax holds msgpack again: of kind 1 an array and of kind 3 a scalar, both as a list of shape,
name of the type, and bytes.
"""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np

DEEPEST = 64  # of nesting: no network is deeper
MOST_VALUES = 100_000  # a published file has a few hundred
MOST_AXES, LONGEST_AXIS = 8, 2**31
TYPE_NAME = re.compile(r"[a-z]+\d*")  # of numpy's types; others might be read as a list of types
ARRAY, SCALAR = 1, 3
PLAIN_KINDS = "biuf"  # of numpy's types: truth, whole numbers, fractions
FIXED = {  # first byte -> how the number after it is packed
    0xCA: ">f", 0xCB: ">d",
    0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
SIZED = {  # first byte -> what follows, and how its size is packed
    0xC4: ("bytes", ">B"), 0xC5: ("bytes", ">H"), 0xC6: ("bytes", ">I"),
    0xC7: ("extension", ">B"), 0xC8: ("extension", ">H"), 0xC9: ("extension", ">I"),
    0xD9: ("text", ">B"), 0xDA: ("text", ">H"), 0xDB: ("text", ">I"),
    0xDC: ("list", ">H"), 0xDD: ("list", ">I"), 0xDE: ("map", ">H"), 0xDF: ("map", ">I"),
}  # fmt: skip
ONE_SIZE = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}  # first byte -> bytes of an extension
CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


def read_msgpack(data: bytes | memoryview) -> Any:
    """The one value that the bytes hold; ValueError where they are something else."""
    return Reader(memoryview(data)).only(0)


class Reader:
    """Reads values one after another."""

    def __init__(self, data: memoryview):
        self.data, self.at, self.values = data, 0, 0

    def only(self, depth: int) -> Any:
        """The one value that all bytes are."""
        value = self.value(depth)
        if self.at != len(self.data):
            raise ValueError("bytes follow after its end")
        return value

    def take(self, size: int) -> memoryview:
        piece = self.data[self.at : self.at + size]
        if len(piece) < size:
            raise ValueError("it ends too early")
        self.at += size
        return piece

    def number(self, packed: str) -> Any:
        return struct.unpack(packed, self.take(struct.calcsize(packed)))[0]

    def value(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} deep")
        self.values += 1
        if self.values > MOST_VALUES:
            raise ValueError(f"it holds more than {MOST_VALUES:,} values")
        first = self.take(1)[0]
        if first < 0x80 or first >= 0xE0:
            return first if first < 0x80 else first - 0x100
        if first in CONSTANTS:
            return CONSTANTS[first]
        if first in FIXED:
            return self.number(FIXED[first])
        if first in ONE_SIZE:
            return self.extension(ONE_SIZE[first], depth)
        if first >= 0xC0 and first not in SIZED:
            raise ValueError(f"no value begins with the byte {first:#x}")
        what, size = self.sized(first)
        if what == "map":
            return {self.key(depth): self.value(depth + 1) for _ in range(size)}
        if what == "list":
            return [self.value(depth + 1) for _ in range(size)]
        if what == "extension":
            return self.extension(size, depth)
        return str(self.take(size), "utf-8") if what == "text" else bytes(self.take(size))

    def sized(self, first: int) -> tuple[str, int]:
        """What begins with this byte, and its size."""
        if first < 0xC0:
            what = "map" if first < 0x90 else "list" if first < 0xA0 else "text"
            return what, first & (0x1F if what == "text" else 0x0F)
        what, packed = SIZED[first]
        return what, self.number(packed)

    def key(self, depth: int) -> str:
        key = self.value(depth + 1)
        if not isinstance(key, str):
            raise ValueError("it holds a map whose keys are no texts")
        return key

    def extension(self, size: int, depth: int) -> np.ndarray:
        kind = self.number(">b")
        content = self.take(size)
        if kind not in (ARRAY, SCALAR):
            raise ValueError(f"it holds an extension of kind {kind}, which is no array of flax")
        inside = Reader(content)
        inside.values = self.values  # what is in extensions counts, and their depth goes on
        array = array_in(inside.only(depth + 1))
        self.values = inside.values
        return array


def array_in(content: Any) -> np.ndarray:
    match content:
        case [[*shape], str(name), bytes(data)] if is_shape(shape):
            dtype = dtype_of(name)
            if dtype.kind in PLAIN_KINDS and dtype.itemsize * int(np.prod(shape, dtype=object)) == len(data):
                return np.frombuffer(data, dtype).reshape(shape)
    raise ValueError("it holds an array of another size or type than it says")


def is_shape(sizes: list[Any]) -> bool:
    return len(sizes) <= MOST_AXES and all(type(size) is int and 0 <= size < LONGEST_AXIS for size in sizes)


def dtype_of(name: str) -> np.dtype:
    try:
        if not TYPE_NAME.fullmatch(name):
            raise TypeError(name)
        return np.dtype(name)
    except TypeError as error:
        raise ValueError(f"it holds an array of the type {name[:40]!r}") from error
