"""How often the intervals of estimates of chance hold, as a Markdown table.

    python -m benchmarks.chance_coverage [CASES]

Logs that assay plays itself are compared with the exact values of their tasks; logs with rare events, which
many of them do not show at all, with the chances that the events were drawn with.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np

import assay
from assay.chance import mutual_information, replacement
from assay.chance.logged import Estimate, hidden_entropy_of, information_of_pairs, next_state_entropy_of
from assay.chance.of_task import of_log
from assay.tasks import resolve

PLAYED = ("toy/discrete+hidden_mode=0.002", "toy/discrete+hidden_mode=0.02", "toy/discrete+hidden_mode=0.1")
STEPS = 20_000
RARE_ACTIONS = ((0.001, 1000), (0.003, 1000), (0.01, 1000), (0.3, 2000))
RARE_SLIPS = ((0.001, 1000), (0.005, 500), (0.01, 1000))
RARE_BLACKOUTS = ((0.003, 500), (0.01, 500))
WORDS = {
    "next_state": "H(S'\\|S,A)", "predictive": "I((S,A);S')",
    "hidden": "H(S\\|O)", "share_seen": "I(S;O)/H(S)",
}  # fmt: skip


def played(cases: int) -> Iterator[tuple[str, int, float]]:
    """(what, intervals that hold, mean width) of logs that assay plays, measure by measure."""
    for task in PLAYED:
        exact = assay.chance(task).world
        logs = [of_log(resolve(task), STEPS, seed, []) for seed in range(cases)]
        for name, words in WORDS.items():
            found = [getattr(log, name) for log in logs]
            yield f"{words} of `{task}`, {STEPS} steps", *count(found, getattr(exact, name))


def planted(cases: int) -> Iterator[tuple[str, int, float]]:
    """The same of logs with rare events."""
    rng = np.random.default_rng(0)

    def action(chance: float, steps: int) -> Estimate:
        chosen = rng.integers(4, size=steps)
        executed = np.where(rng.random(steps) < chance, rng.integers(4, size=steps), chosen)
        return information_of_pairs(chosen, executed, rng=rng)

    def slip(chance: float, steps: int) -> Estimate:
        states = rng.integers(2, size=steps)
        return next_state_entropy_of(states, 0 * states, states ^ (rng.random(steps) < chance), rng=rng)

    def blackout(chance: float, steps: int) -> Estimate:
        states = rng.integers(3, size=steps)
        return hidden_entropy_of(states, np.where(rng.random(steps) < chance, 9, states), rng=rng)

    kinds: tuple[tuple[str, Callable[..., Estimate], Callable[[float], float], tuple], ...] = (
        ("I(A;Ã), an action replaced", action,
         lambda p: mutual_information([0.25] * 4, replacement(4, p)), RARE_ACTIONS),
        ("H(S'\\|S,A), a slip", slip, lambda p: -p * np.log2(p) - (1 - p) * np.log2(1 - p), RARE_SLIPS),
        ("H(S\\|O), a blackout", blackout, lambda p: p * np.log2(3), RARE_BLACKOUTS),
    )  # fmt: skip
    for words, draw, truth, cells in kinds:
        for chance, steps in cells:
            found = [draw(chance, steps) for _ in range(cases)]
            yield f"{words} with chance {chance:g}, {steps} steps", *count(found, truth(chance))


def count(found: list[Estimate], truth: float) -> tuple[int, float]:
    """How many intervals hold the truth, and how wide they are in the mean."""
    held = sum(bool(each.low <= truth <= each.high) for each in found)
    return held, float(np.mean([each.high - each.low for each in found]))


def main(cases: int = 100) -> None:
    print(f"| of {cases} intervals of 95% | hold | mean width |\n|---|---|---|")
    for rows in (played(cases), planted(cases)):
        for words, held, width in rows:
            print(f"| {words} | {held} | {width:.3f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
