"""How often intervals of performance change hold the truth, over made-up agents with a planted change.

    nice -n 5 .venv/bin/python benchmarks/hackatari_coverage.py [--times 400]

Prints the table of docs/hackatari.md. Scores are drawn with a mean of 10 on the original and of 5 on the
variation; random play is normal around 0, 60 episodes. The true change is -50%. "Not defined" counts agents
whose original score is not told from random play: they have no interval. The last rows are IQMs over games.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from assay.stats.aggregate import iqm
from assay.stats.over_games import GameRuns, change_over_games
from assay.stats.performance_change import Scores, performance_change

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
KINDS: dict[str, Draw] = {
    "normal, sd 3": lambda rng, shape: rng.normal(10, 3, shape),
    "exponential": lambda rng, shape: rng.exponential(10, shape),
    "lognormal, sd 13": lambda rng, shape: 10 * np.exp(rng.normal(-0.5, 1, shape)),
    "0 or 20": lambda rng, shape: 20.0 * (rng.random(shape) < 0.5),
    "0, or 50 in one of five": lambda rng, shape: 50.0 * (rng.random(shape) < 0.2),
}
UNITS, RANDOM, TRUTH, GAMES = (3, 10, 30), 60, -0.5, 17
EPISODES, MANY = 10, 100_000


def of_one_variation(draw: Draw, units: int, times: int) -> list[str]:
    rng, hits, widths = np.random.default_rng([units, 19]), 0, []
    for _ in range(times):
        random = rng.normal(0, 1, (2, RANDOM))
        plain, varied = draw(rng, (units,)), draw(rng, (units,)) / 2
        change = performance_change(Scores(varied, random[0]), Scores(plain, random[1]))
        if change is not None:
            hits += change.low <= TRUTH <= change.high
            widths.append(change.high - change.low)
    return row_of(hits, widths, times)


def over_games(draw: Draw, runs: int, times: int) -> list[str]:
    """Runs are means of ten episodes. The truth is the IQM of the changes of single runs, by many of them."""
    rng, hits, widths = np.random.default_rng([runs, 20]), 0, []

    def runs_of(*shape: int) -> np.ndarray:
        return draw(rng, (*shape, EPISODES)).mean(axis=-1)

    truth = float(iqm((runs_of(2, MANY).mean(axis=0) / 2 - runs_of(MANY)) / 10))
    for _ in range(times):
        games = [
            GameRuns(runs_of(runs), runs_of(2, runs) / 2,
                     rng.normal(0, 1, RANDOM), rng.normal(0, 1, (2, RANDOM)))
            for _ in range(GAMES)
        ]  # fmt: skip
        change = change_over_games(games, rng=rng, draws=500)
        hits += change.low <= truth <= change.high
        widths.append(change.high - change.low)
    return row_of(hits, widths, times)


def row_of(hits: int, widths: list[float], times: int) -> list[str]:
    held = f"{100 * hits / len(widths):.1f}%" if widths else "-"
    width = f"{100 * np.median(widths):.0f}%" if widths else "-"
    return [held, width, f"{100 * (times - len(widths)) / times:.0f}%"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=400)
    times = parser.parse_args().times
    print("| scores | units | truth held | median width | not defined |\n|---|---|---|---|---|")
    for name, draw in KINDS.items():
        for units in UNITS:
            print(f"| {name} | {units} | {' | '.join(of_one_variation(draw, units, times))} |", flush=True)
    for name, draw in KINDS.items():
        cells = over_games(draw, 3, times)
        print(f"| {name}; IQM over {GAMES} games | 3 seeds | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
