"""How often intervals of performance change hold the truth, over made-up agents with a planted change.

    nice -n 5 .venv/bin/python benchmarks/hackatari_coverage.py [--times 400]

Prints the table of docs/hackatari.md. Random play is normal around 0, 60 episodes. In the first rows scores
are drawn with a mean of 10 on the original and of 5 on the variation, so the true change is -50%; in those of
rare events they are as named. "Not defined" counts agents whose original score is not told to be above random
play: they have no interval. The last rows are IQMs over games.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NamedTuple

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


class Rare(NamedTuple):
    """Scores of which few episodes are of another kind."""

    plain: Draw
    varied: Draw
    truth: float  # the change


def mixed(usual: Draw, rare: float, chance: float) -> Draw:
    """The usual scores, and by chance `rare`."""
    return lambda rng, shape: np.where(rng.random(shape) < chance, rare, usual(rng, shape))


def around_ten(sd: float) -> Draw:
    return lambda rng, shape: rng.normal(10, sd, shape)


def forty_or_so(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Pong, told from random play: a point more or less."""
    return rng.integers(40, 42, shape).astype(float)


QUIET, LOUD = around_ten(0.1), around_ten(1)
RARES = {
    "10, sd 0.1; 3% of varied episodes lose all": Rare(QUIET, mixed(QUIET, 0, 0.03), -0.03),
    "10, sd 0.1; 8% of varied episodes lose all": Rare(QUIET, mixed(QUIET, 0, 0.08), -0.08),
    "10, sd 3; 8% of varied episodes lose all": Rare(around_ten(3), mixed(around_ten(3), 0, 0.08), -0.08),
    "40 or 41; 5% of varied episodes lose all": Rare(forty_or_so, mixed(forty_or_so, 0, 0.05), -0.05),
    "10, sd 0.1; 3% of plain episodes lose all": Rare(mixed(QUIET, 0, 0.03), QUIET, 1 / 0.97 - 1),
    "10, sd 1; 3% of varied episodes have 20": Rare(LOUD, mixed(LOUD, 20, 0.03), 0.03),
    "10, sd 1; 3% of all episodes have 200": Rare(mixed(LOUD, 200, 0.03), mixed(LOUD, 200, 0.03), 0.0),
    "10, sd 1; 3% of varied episodes have 200": Rare(LOUD, mixed(LOUD, 200, 0.03), 0.57),
    "10, sd 1; 3% of plain episodes have 200": Rare(mixed(LOUD, 200, 0.03), LOUD, 10 / 15.7 - 1),
}
FAILING, FEW_GAMES = 0.3, (2, 4, 8, 17)
UNITS, RANDOM, TRUTH, GAMES = (3, 10, 30), 60, -0.5, 17
EPISODES, MANY = 10, 100_000


def of_one_variation(kind: Rare, units: int, times: int) -> list[str]:
    rng, hits, widths = np.random.default_rng([units, 19]), 0, []
    for _ in range(times):
        random = rng.normal(0, 1, (2, RANDOM))
        plain, varied = kind.plain(rng, (units,)), kind.varied(rng, (units,))
        change = performance_change(Scores(varied, random[0]), Scores(plain, random[1]))
        if change is not None:
            hits += change.low <= kind.truth <= change.high
            widths.append(change.high - change.low)
    return row_of(hits, widths, times)


def half_of(draw: Draw) -> Rare:
    return Rare(draw, lambda rng, shape: draw(rng, shape) / 2, TRUTH)


def over_games_with_failing_seeds(count: int, times: int) -> list[str]:
    """Three seeds a game; a seed that fails has nothing on the variation. The truth is as in `over_games`."""
    rng, hits, widths = np.random.default_rng([count, 21]), 0, []

    def runs_of(*shape: int) -> tuple[np.ndarray, np.ndarray]:
        plain = rng.normal(10, 0.2, shape)
        failed = rng.random(shape) < FAILING
        return plain, np.where(failed, 0, plain) + rng.normal(0, 0.2, shape)

    plain, varied = runs_of(MANY)
    truth = float(iqm((varied - plain) / 10))
    for _ in range(times):
        games = []
        for _ in range(count):
            plain, varied = runs_of(3)
            games.append(
                GameRuns(plain, varied[None], rng.normal(0, 0.3, RANDOM), rng.normal(0, 0.3, (1, RANDOM)))
            )
        change = change_over_games(games, rng=rng, draws=500)
        hits += change.low <= truth <= change.high
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
            cells = of_one_variation(half_of(draw), units, times)
            print(f"| {name} | {units} | {' | '.join(cells)} |", flush=True)
    for name, kind in RARES.items():
        cells = of_one_variation(kind, UNITS[-1], times)
        print(f"| {name} | {UNITS[-1]} | {' | '.join(cells)} |", flush=True)
    for name, draw in KINDS.items():
        cells = over_games(draw, 3, times)
        print(f"| {name}; IQM over {GAMES} games | 3 seeds | {' | '.join(cells)} |", flush=True)
    for games in FEW_GAMES:
        cells, failing = over_games_with_failing_seeds(games, times), f"{100 * FAILING:.0f}% of seeds fail"
        print(
            f"| 10, sd 0.2; {failing}; IQM over {games} games | 3 seeds | {' | '.join(cells)} |", flush=True
        )


if __name__ == "__main__":
    main()
