"""Numbers in the name of a variation: `0-9`, `0_2-3`. The level stays free to say how often it acts.

A name says what a variation acts on, so two of them can stand side by side in one task, each with a random
stream and a schedule of its own.
"""

from __future__ import annotations

import re

from assay.errors import BadText

RUN = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")
MOST = 10_000  # numbers in one name


def parse_numbers(text: str, name: str) -> tuple[int, ...]:
    """The numbers that `0_2-3` stands for, in order; `name` is the variation, for errors."""
    runs = [parse_run(part, name) for part in text.split("_")]
    if sum(last - first + 1 for first, last in runs) > MOST:
        raise BadText(f"{name} names more than {MOST} numbers; name fewer.")
    numbers = tuple(sorted({number for first, last in runs for number in range(first, last + 1)}))
    if (usual := print_numbers(numbers)) != text:
        raise BadText(f"{name} names numbers out of order; write {name.removesuffix(text)}{usual}.")
    return numbers


def parse_run(text: str, name: str) -> tuple[int, int]:
    """The first and the last number of `2-3`, or of `2`."""
    match = RUN.fullmatch(text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if first > last:
        raise BadText(f"{name} has {text!r} where numbers are named; write them as 0-9 or 0_2-3.")
    return first, last


def print_numbers(numbers: tuple[int, ...]) -> str:
    """Sorted numbers in their usual form, neighbours as a run."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return "_".join(print_run(run[0], run[-1]) for run in runs)


def print_run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
