"""The generator of java.util.Random, with which the published game draws its boards."""

from __future__ import annotations

from assay.errors import AssayError

FACTOR, ADDEND, MASK = 0x5DEECE66D, 0xB, (1 << 48) - 1


class JavaRandom:
    """A linear congruential generator of 48 bits."""

    def __init__(self, seed: int):
        self.state = (seed ^ FACTOR) & MASK

    def next_bits(self) -> int:
        """31 random bits."""
        self.state = (self.state * FACTOR + ADDEND) & MASK
        return self.state >> 17

    def next_int(self, below: int) -> int:
        """A whole number from 0 to `below` - 1."""
        if not 0 < below < 1 << 31:
            raise AssayError(f"the bound of a draw is from 1 to 2147483647, not {below}.")
        state = self.state  # as next_bits, without the call: boards are drawn in thousands
        while True:
            state = self.state = (state * FACTOR + ADDEND) & MASK
            bits = state >> 17
            if below & (below - 1) == 0:
                return (below * bits) >> 31
            value = bits % below
            if bits - value + below - 1 < 1 << 31:
                return value
