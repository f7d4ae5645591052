"""`playground/*`: the experiments of MDP Playground on the discrete toy env, one dimension at a time.

Each level is trained on and played there; noise is also played without noise, for what a policy has learned
under it. Grids as in the paper. Every seed has an MDP of its own, unless the task names its `mdp_seed`.
"""

from __future__ import annotations

from assay.suites.suite import Pair, Suite

PLAIN = "toy/discrete"
SEEDS = tuple(range(100))
EPISODES = 10


def over(axis: str, levels: tuple, asks: str, plain_too: bool = False) -> Suite:
    """Train at every level of an axis, plain first; `plain_too` also evaluates in the plain task."""
    trained = [PLAIN, *(f"{PLAIN}+{axis}={level}" for level in levels)]
    pairs = tuple(Pair(task, PLAIN if plain_too else task) for task in trained)
    return Suite(f"playground/{axis.replace('_', '-')}", 1, asks, pairs, SEEDS, EPISODES)


SUITES = (
    over("delay", (1, 2, 4, 8), "how much harder is learning when rewards come late?"),
    over("sequence_length", (2, 3, 4), "how much harder is learning when rewards are for longer sequences?"),
    over("reward_density", (0.5, 0.75), "how much easier is learning when more sequences are paid?"),
    over(
        "transition_noise", (0.01, 0.02, 0.1, 0.25), "what is learned in a world that slips?", plain_too=True
    ),
    over("reward_noise", (1.0, 5.0, 10.0, 25.0), "what is learned from noisy rewards?", plain_too=True),
)
