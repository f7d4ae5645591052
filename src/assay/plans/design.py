"""Designs over several settings at once: every combination, random points, or Sobol's sequence.

    delay=0,1,2,4              one of these values
    agent.learning_rate=1e-5:1e-2:log   from a range, on a logarithmic scale; without `:log`, evenly

A name that begins with `agent.` is a setting of the agent; any other name is an axis of the task. A range
between whole numbers gives whole numbers: each equally likely, or rounded down on a logarithmic scale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from assay.core.axis import as_plain_number
from assay.core.streams import digest_number, generator
from assay.errors import AssayError, WrongLevel
from assay.task_text import Value, parse_value

DESIGNS = ("grid", "random", "sobol")
AGENT = "agent."
MOST_POINTS = 100_000


@dataclass(frozen=True)
class Factor:
    """One setting and the values that it may take: a list, or a range."""

    name: str
    values: tuple[Value, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    whole: bool = False

    def at(self, share: float) -> Value:
        """The value that lies a given share of the way through the list or range, 0 <= share < 1."""
        if self.values:
            return self.values[int(share * len(self.values))]
        if self.whole and not self.log:
            return int(self.low) + int(share * (int(self.high) - int(self.low) + 1))
        if self.log:
            value = math.exp(math.log(self.low) + share * (math.log(self.high) - math.log(self.low)))
        else:
            value = self.low + share * (self.high - self.low)
        return int(value) if self.whole else value


def parse_factor(name: str, written: str) -> Factor:
    """The factor that a user wrote as `1,2,4`, `1e-5:1e-2:log` or `0.0:0.5`."""
    parts = written.split(":")
    if len(parts) == 1 or "[" in written:
        values = parse_value(f"[{written}]")
        assert isinstance(values, tuple)  # a text in brackets is a list
        if not values:
            raise WrongLevel(
                f"{name} needs values, such as {name}=1,2,4, or a range, such as {name}=0.0:0.5."
            )
        return Factor(name, values=tuple(dict.fromkeys(values)))
    log = parts[-1] == "log"
    ends = [as_plain_number(parse_value(part)) for part in (parts[:-1] if log else parts)]
    low, high = ends if len(ends) == 2 else (None, None)
    if low is None or high is None or not low < high or (log and low <= 0):
        raise WrongLevel(
            f"{name}={written} is not a range; write low:high, or low:high:log with low above 0."
        )
    return Factor(name, low=low, high=high, log=log, whole=isinstance(low, int) and isinstance(high, int))


def design_points(
    factors: Sequence[Factor], design: str, count: int | None, seed: int = 0
) -> list[dict[str, Value]]:
    """The settings of every point of a design, in order."""
    if design not in DESIGNS:
        raise AssayError(f"a design is {', '.join(DESIGNS)}, not {design!r}.")
    if not factors:
        raise AssayError("a design needs something to vary, such as --over delay=0,1,2,4.")
    names = [each.name for each in factors]
    if len(set(names)) < len(names):
        raise AssayError("a setting is varied twice; put its values into one list.")
    if design == "grid":
        return grid_points(factors, count)
    if count is None or not 1 <= count <= MOST_POINTS:
        raise AssayError(f"a {design} design needs a number of points from 1 to {MOST_POINTS}: --points 20.")
    shares = (
        sobol_shares(len(factors), count, seed)
        if design == "sobol"
        else uniform_shares(len(factors), count, seed)
    )
    return [{each.name: each.at(share) for each, share in zip(factors, row)} for row in shares]


def grid_points(factors: Sequence[Factor], count: int | None) -> list[dict[str, Value]]:
    ranges = [each.name for each in factors if not each.values]
    if ranges:
        raise AssayError(f"a grid needs lists, but {ranges[0]} is a range; list its values, or use sobol.")
    if count is not None:
        raise AssayError("the lists of a grid decide how many points it has; drop --points.")
    size = math.prod(len(each.values) for each in factors)
    if size > MOST_POINTS:
        raise AssayError(f"this grid has {size} points, but {MOST_POINTS} is the most; shorten its lists.")
    return [dict(zip([each.name for each in factors], row)) for row in product(*(f.values for f in factors))]


def uniform_shares(factors: int, count: int, seed: int) -> np.ndarray:
    return generator(seed, "random design").random((count, factors))


def sobol_shares(factors: int, count: int, seed: int) -> np.ndarray:
    """The first `count` points of a Sobol sequence, scrambled so that every seed gives another design."""
    from scipy.stats import qmc

    sequence = qmc.Sobol(factors, scramble=True, rng=np.random.default_rng(digest_number(seed, "sobol")))
    points: np.ndarray = np.minimum(
        sequence.random_base2(max(0, math.ceil(math.log2(count))))[:count], 1 - 1e-12
    )
    return points


def split_point(point: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Splits a point into the settings of the task and those of the agent."""
    agent = {name.removeprefix(AGENT): value for name, value in point.items() if name.startswith(AGENT)}
    return {name: value for name, value in point.items() if not name.startswith(AGENT)}, agent
