"""How often an exam says that an axis holds where some trained seeds fail wholly, by the number of axes.

    python benchmarks/unseen_failures.py            # about a minute
    python benchmarks/unseen_failures.py --share 0.15 --seeds 10 --exams 1000

Under every axis, a seed falls to random play with the given chance, each axis by itself, and else loses
nothing: with a share of 15% the true effect is -15% and the margin 10%. A wrong exam says of at least one
axis that it holds. The last column is the chance that some axis shows no failure at all in so many seeds,
1 - (1 - (1 - share)^seeds)^axes: no interval can know better.
"""

from __future__ import annotations

import argparse

import numpy as np

from assay.stats import Tried, judge, played

AXES = (1, 2, 4, 8, 16)
EPISODES, MARGIN = 20, 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=0.15)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--exams", type=int, default=400)
    asked = parser.parse_args()
    print("| axes | exams with a wrong holds | some axis without a failure |\n|---|---|---|")
    for axes in AXES:
        wrong = wrong_exams(axes, asked.share, asked.seeds, asked.exams, np.random.default_rng(axes))
        print(
            f"| {axes} | {wrong:.0%} | {some_axis_without(axes, asked.share, asked.seeds):.0%} |", flush=True
        )


def some_axis_without(axes: int, share: float, seeds: int) -> float:
    """The chance that at least one axis shows no failure."""
    return float(1 - (1 - (1 - share) ** seeds) ** axes)


def wrong_exams(axes: int, share: float, seeds: int, exams: int, rng: np.random.Generator) -> float:
    """The share of exams that say of at least one axis that it holds."""
    tried = [Tried(f"axis {number}", (1,), 0) for number in range(axes)]
    wrong = 0
    for _ in range(exams):
        plain, random = rng.normal(90, 3, seeds), rng.normal(10, 2, seeds)
        fails = rng.random((seeds, axes)) < share
        kept = plain[:, None] + rng.normal(0, 1, (seeds, axes))
        scores = played(np.where(fails, random[:, None], kept), plain, random)
        said = judge(tried, scores, margin=MARGIN, step=1 / EPISODES, rng=rng)
        wrong += any(each.word == "holds" for each in said)
    return wrong / exams


if __name__ == "__main__":
    main()
