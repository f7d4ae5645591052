"""The functions that expressions of rule files may call, beside the draws of `draws.py`."""

from __future__ import annotations


def bcd(number: int) -> int:
    """A number as two decimal digits, four bits each, as the console keeps it."""
    return (number // 10 % 10) * 16 + number % 10


def unbcd(cell: int) -> int:
    """The number that two decimal digits stand for, as the console keeps them."""
    return (cell >> 4) * 10 + (cell & 15)


def signed_byte(cell: int) -> int:
    """A byte as a number from -128 to 127."""
    return cell - 256 if cell > 127 else cell


def nth(number: int, *values: int) -> int:
    """The value with this number, counted from 0; beyond them the nearest one."""
    return values[min(max(number, 0), len(values) - 1)]


def fires(action: int) -> bool:
    """Whether one of the console's 18 actions presses the button."""
    return action == 1 or action >= 10


def without_fire(action: int) -> int:
    """The same action without the button."""
    return 0 if action == 1 else action - 8 if action >= 10 else action


HELPERS = {
    "min": min, "max": max, "abs": abs, "bcd": bcd, "nth": nth, "unbcd": unbcd, "signed": signed_byte,
    "fires": fires, "unfired": without_fire,
}  # fmt: skip
