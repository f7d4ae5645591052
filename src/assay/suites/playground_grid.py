"""Makes the suites of MDP Playground from grids: a base task, one axis or two, and their levels.

The plain level comes first and is the base task itself. Where the env generates its world, every seed has an
MDP of its own; the same suite with `-one-mdp` in its name fixes one, as in the paper's own runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from assay.suites.suite import Pair, Suite

DISCRETE = "toy/discrete"
ONE_MDP = f"{DISCRETE}+mdp_seed=0"
SEEDS, FEW_SEEDS, COMPLEX_SEEDS = tuple(range(100)), tuple(range(10)), tuple(range(5))
EPISODES = 10
STEPS = 20_000  # as for DQN and Rainbow on toy envs in the paper, where A3C has 150,000


def over(
    axis: str,
    levels: Sequence,
    asks: str,
    base: str = DISCRETE,
    *,
    plain_too: bool = False,
    name: str = "",
    beside: str = "",
    seeds: tuple[int, ...] = SEEDS,
    steps: int = STEPS,
) -> list[Suite]:
    """Suites that train at every level of an axis, the plain one first.

    `plain_too` evaluates every agent on the plain task, at the end and at every report; `beside` is a setting
    that is added to every level but the plain one.
    """
    suites = []
    for start, ending in base_tasks(base):
        tasks = [start, *(write_task(start + beside, ((axis, level),)) for level in levels)]
        suites.append(suite(f"{name or axis}{ending}", asks, start, tasks, plain_too, seeds, steps))
    return suites


def both(
    axes: tuple[str, str],
    levels: tuple[Sequence, Sequence],
    asks: str,
    base: str = DISCRETE,
    *,
    plain_too: bool = False,
    name: str = "",
    seeds: tuple[int, ...] = FEW_SEEDS,
    steps: int = STEPS,
) -> list[Suite]:
    """Suites that train at every combination of levels of two axes; None is the plain level."""
    suites = []
    for start, ending in base_tasks(base):
        tasks = [write_task(start, zip(axes, point)) for point in product(*levels)]
        suites.append(
            suite(f"{name or '-by-'.join(axes)}{ending}", asks, start, tasks, plain_too, seeds, steps)
        )
    return suites


def suite(
    name: str, asks: str, start: str, tasks: Sequence[str], plain_too: bool, seeds: tuple, steps: int
) -> Suite:
    pairs = tuple(Pair(task, start if plain_too else task) for task in tasks)
    return Suite(f"playground/{name.replace('_', '-')}", 1, asks, pairs, seeds, EPISODES,
                 rollouts=plain_too, steps=steps)  # fmt: skip


def base_tasks(base: str) -> list[tuple[str, str]]:
    """The base task; where it generates its world, also the base with one fixed world."""
    fixed = base.replace(DISCRETE, ONE_MDP)
    return [(base, ""), (fixed, "-one-mdp")] if base.startswith(DISCRETE) else [(base, "")]


def write_task(start: str, point) -> str:
    """The task at the levels of a point; None is the plain level, True turns a switch on."""
    return start + "".join(
        f"+{axis}" if level is True else f"+{axis}={level}" for axis, level in point if level is not None
    )
