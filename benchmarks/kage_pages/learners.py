"""Two ways to train on the base config side by side: how they learn there, and their gaps pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from assay.suites import kage

from .agreement import verdict
from .arithmetic import (
    EPISODES,
    RETURN,
    SUCCESS,
    Measure,
    difference,
    gap_difference,
    gap_interval,
    has_failed,
    pair_gap_values,
    rarest,
    share_interval,
)
from .formats import interval_text, number, spread, table
from .results import Results, seeds_of
from .trainings import AUGMENTED, PLAIN_LEARNER, PRECISION, Training, select

BASE = "plain"
GOOD = 0.9


class Contender(NamedTuple):
    """What stands beside the trainings of the tables."""

    words: str
    learner: str
    precision: str


FLOAT32 = Contender("float32", PLAIN_LEARNER, "float32")
WITH_AUGMENTATION = Contender("augmented", AUGMENTED, PRECISION)


def contender_trainings(results: Results, contender: Contender) -> tuple[Training, ...]:
    return select(results.trainings, BASE, contender.learner, contender.precision)


def first_good(training: Training) -> float:
    """Steps in millions at the first evaluation with a success of 0.9; all steps where there is none."""
    good = np.flatnonzero(training.own("success") >= GOOD)
    return float(training.steps[good[0] if good.size else -1]) / 1e6


class Trait(NamedTuple):
    """How a training went, as one number."""

    of: Callable[[Training], float]
    digits: int
    step: float = 0.0  # what one episode of one evaluation moves


LEARNING = {
    "final success": Trait(lambda each: float(each.own("success")[-1]), 3, 1 / EPISODES),
    "largest success": Trait(lambda each: float(each.own("success").max()), 3, 1 / EPISODES),
    "mean success over training": Trait(lambda each: float(each.own("success").mean()), 3),
    f"M steps to a success of {GOOD}": Trait(first_good, 2),
    "final return": Trait(lambda each: float(each.own("return")[-1]), 1),
}


def learning_table(usual: Sequence[Training], other: Sequence[Training], words: str) -> list[str]:
    """On the training appearance: both means, and their difference with Welch's interval."""
    rows = []
    for name, trait in LEARNING.items():
        a, b = (np.array([trait.of(each) for each in side]) for side in (usual, other))
        least = trait.step * float(np.hypot(rarest(len(a)), rarest(len(b))))
        cells = [spread(side, trait.digits) for side in (a, b)]
        rows.append([name, *cells, interval_text(difference(b, a, least), trait.digits)])
    shares = [share_interval([has_failed(each) for each in side]) for side in (usual, other)]
    rows.append(["share of seeds that fail", *(interval_text(share, 2) for share in shares), "–"])
    return table(["on the base config", "bfloat16 PPO", words, "difference, 95%"], rows)


def gaps_beside(
    usual: Sequence[Training], other: Sequence[Training], words: str, way: str
) -> tuple[list[str], dict[str, int]]:
    """The gaps of every pair that shares the base config, and how many pairs got which verdict on success."""
    rows, verdicts = [], dict[str, int]()
    base = [pair for pair in kage.ALL if pair.train == usual[0].tasks[0]]
    for pair in base:
        cells = [pair.name]
        for measure in (SUCCESS, RETURN):
            gaps = [pair_gap_values(side, pair, measure, way) for side in (usual, other)]
            cells += side_by_side(measure, gaps)
        verdicts[cells[4]] = verdicts.get(cells[4], 0) + 1
        rows.append(cells)
    heads = ["Δ SR, % bfloat16 PPO", f"Δ SR, % {words}", "smaller by", "smaller?"]
    more = ["Δ return bfloat16 PPO", f"Δ return {words}", "smaller by", "smaller?"]
    return table(["pair", *heads, *more], rows), verdicts


def side_by_side(measure: Measure, gaps: Sequence[np.ndarray | None]) -> list[str]:
    usual, other = gaps
    if usual is None or other is None:
        return ["–"] * 3 + ["no success to lose"]
    closed, digits = gap_difference(measure, usual, other), measure.gap_digits
    sides = [interval_text(gap_interval(measure, gap), digits) for gap in (usual, other)]
    return [*sides, interval_text(closed, digits), verdict(closed)]


def contender_parts(results: Results, contender: Contender) -> list[str]:
    """All that is said of one contender; one line while there are no files of it."""
    usual, other = select(results.trainings, BASE), contender_trainings(results, contender)
    if not other or not usual:
        return ["Not trained yet."]
    parts = [
        f"Seeds of {contender.words}: {seeds_of(other)}; of bfloat16 PPO: {seeds_of(usual)}. Intervals are "
        "Welch's over seeds, 95% each for itself.",
        "",
        *learning_table(usual, other, contender.words),
    ]
    if all(has_failed(each) for each in other):
        return [
            *parts,
            "",
            f"All {len(other)} seeds of {contender.words} fail on the base config itself, with settings that "
            "were tuned without it. An agent that has nothing to lose has no gap, so gaps are not compared: "
            "whether the gap closes for one that learns is not decided here.",
        ]
    for way in ("largest", "final"):
        lines, verdicts = gaps_beside(usual, other, contender.words, way)
        total = sum(verdicts.values())
        told = "; ".join(f"{words}: {number(count, 0)}" for words, count in sorted(verdicts.items()))
        asked = f"Is the gap in success smaller, over {total} pairs?"
        parts += ["", f"Gaps by the *{way}* value. {asked} {told[0].upper()}{told[1:]}.", ""]
        parts += lines
    return parts
