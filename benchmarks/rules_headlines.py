"""How often `assay rules difficulty` names an easiest and a hardest rule: where all are alike, and where not.

    python benchmarks/rules_headlines.py --trials 1000

Every run makes Poisson errors in 20 episodes. Alike rules have a mean of 5 per episode, so that every
headline on them is false, and so is every table of several classes. In the last column one rule has 20% more;
then the headline should name it as the hardest. Runs are few and errors are tied, as in real tables.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from assay.stats.alike import LEVEL, judge_alike
from assay.stats.difficulty_classes import BY_CHANCE, find_classes
from assay.stats.tournament import meet, tournament

EPISODES, MEAN, HARDER = 20, 5.0, 1.2
RUNS = 10
RULES, PLAYERS = (2, 4, 8, 15), (1, 3)
DEALS = 199


def draw(rng: np.random.Generator, rules: int, players: int, harder: float) -> dict:
    """The errors of each run by (rule, player); the last rule has `harder` times the errors of the others."""
    means = [MEAN * EPISODES * (harder if rule == rules - 1 else 1.0) for rule in range(rules)]
    return {
        (rule, player): rng.poisson(means[rule], RUNS).astype(float)
        for rule in range(rules)
        for player in range(players)
    }


def is_named(runs: dict, rules: int, rng: np.random.Generator) -> bool:
    return judge_alike(runs, range(rules), rng=rng, deals=DEALS).chance <= LEVEL


def is_split(runs: dict, rules: int, players: int, rng: np.random.Generator) -> bool:
    """Whether the runs of any player fall into several classes."""
    level = BY_CHANCE / players
    tables = ([runs[rule, player] for rule in range(rules)] for player in range(players))
    return any(len(find_classes(each, rng=rng, draws=20, level=level).members) > 1 for each in tables)


def is_right(runs: dict, rules: int) -> bool:
    """Whether the last rule, which is the hardest, has the lowest rating."""
    return int(np.argmin(tournament(meet(runs, range(rules))).ratings)) == rules - 1


def measure(rules: int, players: int, trials: int, rng: np.random.Generator) -> tuple[float, ...]:
    alike = [draw(rng, rules, players, 1.0) for _ in range(trials)]
    apart = [draw(rng, rules, players, HARDER) for _ in range(trials)]
    return (
        float(np.mean([is_named(runs, rules, rng) for runs in alike])),
        float(np.mean([is_split(runs, rules, players, rng) for runs in alike])),
        float(np.mean([is_named(runs, rules, rng) and is_right(runs, rules) for runs in apart])),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    began, rng = time.perf_counter(), np.random.default_rng(0)
    print("| rules | players | false headlines | false classes | hardest rule named |\n|---|---|---|---|---|")
    for players in PLAYERS:
        for rules in RULES:
            shares = measure(rules, players, trials, rng)
            print(
                f"| {rules} | {players} | " + " | ".join(f"{each:.3f}" for each in shares) + " |", flush=True
            )
    error = 2 * (LEVEL * (1 - LEVEL) / trials) ** 0.5
    took = time.perf_counter() - began
    print(f"\n{trials} trials in each row, {RUNS} runs of a rule; 0.05 has a binomial error of {error:.3f} "
          f"(two standard errors); {took:.0f} s")  # fmt: skip


if __name__ == "__main__":
    main()
