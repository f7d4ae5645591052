"""What a file of settings may hold beside plain values, as `plain_python.py` reads it."""

from __future__ import annotations

from typing import NamedTuple


class Unknown(NamedTuple):
    """A value that cannot be known without running the file."""

    what: str
    line: int

    def __str__(self) -> str:
        return f"{self.what} (line {self.line}), which cannot be known without running the file"


class Module(NamedTuple):
    name: str


class OpenedFile(NamedTuple):
    name: str
    line: int


class NormalNoise(NamedTuple):
    """A function that draws normal noise: `lambda rng: rng.normal(mean, deviation)`."""

    mean: float
    deviation: float
