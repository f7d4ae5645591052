"""The points of an experiment: every combination of what a file varies, or a design over ranges.

As in MDP Playground, `var_configs` is a grid, `sobol_configs` a Sobol sequence over ranges, and
`random_configs` random draws from ranges; where a file has several, the first point of one goes with the
first of the others, and so on.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from assay.core.axis import show_value
from assay.errors import AssayError
from assay.interop.experiments.plain_functions import MOST_ITEMS

PARTS = ("env", "agent", "model")
SEEDS = "dummy_seed"  # the number of a run, which no env reads
RANGE = re.compile(r"(int|float|cat)\s*,\s*(log\s*,\s*)?(\[.*\])", re.DOTALL)
DRAWN_BY = 1234  # the seed with which MDP Playground draws

Point = dict[str, dict[str, Any]]  # by part: key -> value


@dataclass(frozen=True)
class Range:
    """What a text such as "float, log, [1e-5, 1e-3]" or "cat, [1, 2]" may give."""

    kind: str
    log: bool
    values: tuple

    def at(self, share: float) -> Any:
        """The value a share of the way through, 0 <= share < 1."""
        if self.kind == "cat":
            return self.values[int(share * len(self.values))]
        low, high = self.values
        if self.log:
            value = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
        else:
            value = low + share * (high - low)
        return int(value) if self.kind == "int" else value


def read_points(names: Mapping[str, Any]) -> list[Point]:
    """The points that a file's names ask for, in their order, with the seeds' numbers among them."""
    found: list[list[Point]] = []
    if "var_configs" in names:
        found.append(grid(parts_of("var_configs", names["var_configs"])))
    designs = {"random_configs": uniform_shares, "sobol_configs": sobol_shares}
    ranges = {name: parts_of(name, names[name]) for name in designs if name in names}
    count = names.get("num_configs")
    for name, parts in ranges.items():
        if not isinstance(count, int) or not 1 <= count <= MOST_ITEMS:
            raise AssayError(f"{name} needs num_configs, a number of points from 1 to {MOST_ITEMS:,}.")
        found.append(drawn(name, parts, count, designs[name]))
    if not found:
        raise AssayError(
            "the file has no var_configs, sobol_configs or random_configs; "
            "an experiment of MDP Playground varies something there."
        )
    lengths = {len(points) for points in found}
    if len(lengths) > 1:
        raise AssayError(f"its grids and designs have {sorted(lengths)} points, which do not go together.")
    return [{part: merged(each[part] for each in several) for part in PARTS} for several in zip(*found)]


def merged(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: value for part in parts for key, value in part.items()}


def parts_of(name: str, given: Any) -> dict[str, dict[str, Any]]:
    """What is varied of env, agent and model, of each a dict."""
    if not isinstance(given, dict):
        raise AssayError(
            f"{name} is a dict of what is varied by part, such as {{'env': ...}}, not a "
            f"{type(given).__name__}: {show_value(given)[:60]}; write its keys beside their values."
        )
    for part, varied in given.items():
        if part not in PARTS or not isinstance(varied, dict):
            raise AssayError(f"{name} varies {', '.join(PARTS)}, each by a dict, not {part!r}.")
    return {part: dict(given.get(part, {})) for part in PARTS}


def grid(parts: Mapping[str, Mapping[str, Any]]) -> list[Point]:
    """Every combination in the file's order, the last key fastest; one point where nothing is varied."""
    keys = [(part, key) for part in parts for key in parts[part]]
    for part, key in keys:
        if not isinstance(parts[part][key], list):
            raise AssayError(f"{key} is varied by a list of values, not by {show_value(parts[part][key])}.")
    if math.prod(len(parts[part][key]) for part, key in keys) > MOST_ITEMS:
        raise AssayError(f"its grid has more than {MOST_ITEMS:,} points.")
    return [assemble(keys, row) for row in product(*(parts[part][key] for part, key in keys))]


def drawn(name: str, parts: Mapping[str, Mapping[str, Any]], count: int, design: Any) -> list[Point]:
    """`count` points; a tuple holds one value for all of them, a text a range."""
    keys = [(part, key) for part in parts for key in parts[part]]
    ranges = {(part, key): read_range(name, key, parts[part][key]) for part, key in keys}
    moving = [each for each in keys if isinstance(ranges[each], Range)]
    shares = design(len(moving), count)
    points = []
    for row in shares:
        at = dict(zip(moving, map(float, row)))
        points.append(assemble(keys, [value_at(each[1], ranges[each], at.get(each)) for each in keys]))
    return points


def value_at(key: str, given: Any, share: float | None) -> Any:
    if share is None:
        return given
    # MDP Playground varies the lower of the two ends of reward_dist; the upper stays.
    return [given.at(share), 1.0] if key == "reward_dist" else given.at(share)


def read_range(name: str, key: str, given: Any) -> Any:
    """The range of a key, or its one value."""
    if isinstance(given, (tuple, list)) and len(given) == 1:
        return given[0]
    found = RANGE.fullmatch(given.strip()) if isinstance(given, str) else None
    try:
        values = tuple(json.loads(found[3])) if found else ()
    except ValueError:
        values = ()
    log = bool(found and found[2])
    ends = found and (found[1] == "cat" or (len(values) == 2 and (not log or values[0] > 0)))
    if not found or not values or not ends:
        raise AssayError(
            f'{key} in {name} is a range such as "float, log, [1e-5, 1e-3]", "int, [1, 8]" or '
            f'"cat, [1, 2]", or a tuple of one value, not {show_value(given)}.'
        )
    return Range(found[1], log, values)


def sobol_shares(factors: int, count: int) -> np.ndarray:
    """The first points of Sobol's sequence as it stands, as many as there is a power of two for."""
    if not factors:
        return np.zeros((count, 0))
    from scipy.stats import qmc

    points: np.ndarray = qmc.Sobol(factors, scramble=False).random_base2(math.ceil(math.log2(count)))
    return np.minimum(points[:count], 1 - 1e-12)


def uniform_shares(factors: int, count: int) -> np.ndarray:
    return np.random.default_rng(DRAWN_BY).random((count, factors))


def assemble(keys: Sequence[tuple[str, str]], row: Iterable[Any]) -> Point:
    point: Point = {part: {} for part in PARTS}
    for (part, key), value in zip(keys, row):
        point[part][key] = value
    return point


def without_seeds(points: Sequence[Point]) -> tuple[list[Point], int]:
    """The points that differ in more than the number of a run, and how many runs there are of each."""
    kept: dict[str, Point] = {}
    seeds = {repr(point["env"].get(SEEDS)) for point in points}
    for point in points:
        of_env = {key: value for key, value in point["env"].items() if key != SEEDS}
        kept.setdefault(repr((of_env, point["agent"], point["model"])), {**point, "env": of_env})
    return list(kept.values()), len(seeds) if any(SEEDS in point["env"] for point in points) else 0


def varied_levels(points: Sequence[Point]) -> dict[str, list]:
    """The keys that differ between points and their levels, in order; those of an env by their own names."""
    levels: dict[str, dict[str, Any]] = {}
    for point in points:
        for part in PARTS:
            for key, value in point[part].items():
                levels.setdefault(key if part == "env" else f"{part}.{key}", {})[repr(value)] = value
    return {key: list(values.values()) for key, values in levels.items() if len(values) > 1}
