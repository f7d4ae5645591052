"""What the paper says of each dimension, and whether these records say the same, with a stated error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.stats.tendency import LEAST_SEEDS, Tendency, falls, is_lowest, peaks_inside, stays

from .records import Level, Record

MARGIN = 0.1  # of the plain level: what is smaller does not matter


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, as a question to the seeds of one measure."""

    words: str
    measure: str
    ask: Callable[[Sequence[np.ndarray], Record], Tendency]
    pick: Callable[[Record], list[Level]] = lambda record: list(record.levels)

    def judge(self, record: Record) -> Tendency | None:
        """None where the records cannot answer."""
        levels = self.pick(record)
        values = [np.array(each.units.get(self.measure, ()), float) for each in levels]
        counts = {len(each) for each in values}
        if len(values) < 2 or len(counts) != 1 or min(counts) < LEAST_SEEDS:
            return None
        return self.ask(values, record)


def fall(values: Sequence[np.ndarray], record: Record) -> Tendency:
    return falls(values)


def rise(values: Sequence[np.ndarray], record: Record) -> Tendency:
    return falls([-each for each in values])


def peak(values: Sequence[np.ndarray], record: Record) -> Tendency:
    return peaks_inside(values)


def stay(values: Sequence[np.ndarray], record: Record) -> Tendency:
    """Within a tenth of the plain level."""
    return stays(values, max(abs(float(values[0].mean())) * MARGIN, 1e-9))


def lowest(word: str) -> Callable[[Sequence[np.ndarray], Record], Tendency]:
    """The level whose text has this word is the lowest."""

    def ask(values: Sequence[np.ndarray], record: Record) -> Tendency:
        return is_lowest(values, next(n for n, each in enumerate(single(record)) if word in each.train))

    return ask


def single(record: Record) -> list[Level]:
    """The levels with one transform at most."""
    return [each for each in record.levels if "-" not in str(each.point.get("image_transforms", ""))]


def in_order(name: str) -> Callable[[Record], list[Level]]:
    """The levels in the order of this setting; the plain one is among them."""

    def pick(record: Record) -> list[Level]:
        return sorted(record.levels, key=lambda each: number_of(each.point.get(name)))

    return pick


def number_of(value: Any) -> float:
    return float("-inf") if value is None else float(value)


CLAIMS: dict[str, tuple[Claim, ...]] = {
    "delay": (Claim("learning falls with delay", "area", fall),),
    "sequence-length": (
        Claim("learning falls with sequence length", "area", fall),
        Claim("and as a share of the optimum too", "area_share", fall),
    ),
    "transition-noise": (
        Claim("noise hurts in training", "area", fall),
        Claim("rollouts without noise stay within a tenth", "rollout", stay),
    ),
    "reward-noise": (
        Claim("noise hurts in training", "area", fall),
        Claim("rollouts without noise fall too", "rollout", fall),
    ),
    "reward-density": (Claim("density hardly matters (a tenth)", "area", stay),),
    "reward-scale": (Claim("(not in the paper) rollouts stay within a tenth", "rollout", stay),),
    "reward-shift": (Claim("(not in the paper) rollouts stay within a tenth", "rollout", stay),),
    "time-unit": (Claim("the best time unit lies inside", "area", peak, in_order("time_unit")),),
    "action-space-max": (
        Claim("the best range of actions lies inside", "area", peak, in_order("action_space_max")),
    ),
    "target-radius": (
        Claim(
            "episodes are longer for smaller targets", "area_length", fall, in_order("target_radius")
        ),
    ),
    "state-space-dim": (
        Claim("dimensions that do not matter hurt", "area", fall, in_order("state_space_dim")),
    ),
    "image-transforms": (
        Claim("shift is the hardest single transform", "area", lowest("shift"), single),
    ),
}  # fmt: skip
