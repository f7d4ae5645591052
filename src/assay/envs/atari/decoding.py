"""Quantities of a game decoded from its cells: scores as numbers, walls and tunnels as matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import yaml

from assay.envs.atari.rule_compiler import CELLS, Scope, compile_expression
from assay.envs.atari.rule_records import Decoded
from assay.envs.atari.rule_screen import ScreenReader

MATRIX_KEYS = {"rows", "columns", "width"}
LARGEST = 999_999  # of any decoded quantity: the console's scores have six digits


class DecodingReader(ScreenReader):
    """Reads the key `decoded` of a rule file."""

    def read_decoded(self, node: Any) -> tuple[Decoded, ...]:
        decoded = []
        for key, value in self.read_pairs(node):
            name = self.read_scalar(key)
            if isinstance(value, yaml.MappingNode):
                decoded.append(Decoded(name, bits=self.read_matrix(value)))
            else:
                decoded.append(Decoded(name, self.read_expression(value)))
        return tuple(decoded)

    def read_matrix(self, node: Any) -> tuple[tuple[tuple[int, int], ...], ...]:
        """`rows` lists the first cell of each row, `columns` a cell's distance from it and its bits.

        `width` bits that lie side by side make one entry.
        """
        parts = self.read_mapping(node, MATRIX_KEYS, needs=("rows", "columns"))
        width = self.read_optional(parts, "width", self.read_scalar, 1)
        places = []
        for group in self.read_sequence(parts["columns"]):
            distance, *bits = self.read_scalars(group)
            if not bits or len(bits) % width or not all(bit in range(8) for bit in bits):
                self.refuse(
                    group, f"a group of columns is [distance, bits...] with a multiple of {width} bits"
                )
            places += [(distance, sum(1 << bit for bit in bits[i : i + width]))
                       for i in range(0, len(bits), width)]  # fmt: skip
        rows = self.read_scalars(parts["rows"])
        matrix = tuple(tuple((row + distance, mask) for distance, mask in places) for row in rows)
        if not all(0 <= cell < CELLS for row in matrix for cell, _ in row):
            self.refuse(node, f"a matrix lies in the cells 0 to {CELLS - 1}")
        return matrix


class Decoder:
    """Turns the cells of a game into its decoded quantities, in the order of the rule file."""

    def __init__(self, decoded: tuple[Decoded, ...], cells: Mapping[str, Any]):
        self.names = decoded_names(decoded)
        self.parts: list[Callable | tuple[np.ndarray, np.ndarray]] = []
        for each in decoded:
            if each.value is not None:
                self.parts.append(compile_expression(each.value, Scope(cells, {}), each.name))
            else:
                places = np.array(each.bits).reshape(-1, 2)
                self.parts.append((places[:, 0], places[:, 1].astype("uint8")))

    def decode(self, buffer: np.ndarray) -> np.ndarray:
        """(quantities,) int32."""
        ram, values = memoryview(buffer.data), []
        for part in self.parts:
            if isinstance(part, tuple):
                cells, masks = part
                values.append((buffer[cells] & masks != 0).astype("int32"))
            else:
                values.append(np.array([part(ram, None, None, None, 0, 0, 0)], "int32"))
        return np.concatenate(values)


def decoded_names(decoded: tuple[Decoded, ...]) -> list[str]:
    """The name of every decoded number; entries of a matrix have their row and column."""
    names = []
    for each in decoded:
        if each.value is not None:
            names.append(each.name)
        for row, places in enumerate(each.bits):
            names += [f"{each.name}[{row},{column}]" for column in range(len(places))]
    return names
