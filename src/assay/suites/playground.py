"""`playground/*`: the experiments of MDP Playground on toy envs, one suite per dimension or pair of them.

Each level is trained on and played there; noise is also played without noise, for what a policy has learned
under it. Grids as in the paper. Every seed has an MDP of its own; suites in `-one-mdp` fix it, as the
paper's own runs did.
"""

from __future__ import annotations

from itertools import product

from assay.suites.suite import Pair, Suite

DISCRETE = "toy/discrete"
ONE_MDP = f"{DISCRETE}+mdp_seed=0"
CONTINUOUS = "toy/continuous+target_radius=0.5"  # the radius of the paper's runs, not of its table
SEEDS, FEW_SEEDS = tuple(range(100)), tuple(range(10))
EPISODES = 10


def over(axis: str, levels: tuple, asks: str, base: str = DISCRETE, plain_too: bool = False) -> list[Suite]:
    """Train at every level of an axis, plain first; `plain_too` also evaluates in the plain task."""
    return [
        Suite(
            f"playground/{named(axis)}{ending}",
            1,
            asks,
            tuple(Pair(task, start if plain_too else task) for task in tasks(start, axis, levels)),
            SEEDS,
            EPISODES,
        )
        for start, ending in starts(base)
    ]


def both(axes: tuple[str, str], levels: tuple[tuple, tuple], asks: str) -> list[Suite]:
    """Train at every combination of two axes; None is the plain level."""
    found = []
    for start, ending in starts(DISCRETE):
        pairs = [start + "".join(f"+{axis}={level}" for axis, level in zip(axes, point) if level is not None)
                 for point in product(*levels)]  # fmt: skip
        name = f"playground/{'-by-'.join(map(named, axes))}{ending}"
        found.append(Suite(name, 1, asks, tuple(Pair(task, task) for task in pairs), FEW_SEEDS, EPISODES))
    return found


def starts(base: str) -> list[tuple[str, str]]:
    """The base, and where it generates its world, the base in one fixed world."""
    return [(base, ""), (ONE_MDP, "-one-mdp")] if base == DISCRETE else [(base, "")]


def tasks(start: str, axis: str, levels: tuple) -> list[str]:
    return [start, *(f"{start}+{axis}" if level is True else f"{start}+{axis}={level}" for level in levels)]


def named(axis: str) -> str:
    return axis.replace("_", "-")


DELAYS, LENGTHS = (1, 2, 4, 8), (2, 3, 4)
SLIPS, NOISES = (0.01, 0.02, 0.1, 0.25), (1.0, 5.0, 10.0, 25.0)

SUITES = (
    *over("delay", DELAYS, "how much harder is learning when rewards come late?"),
    *over("sequence_length", LENGTHS, "how much harder is learning when longer sequences are rewarded?"),
    *over("reward_density", (0.5, 0.75), "how much easier is learning when more sequences are rewarded?"),
    *over("transition_noise", SLIPS, "what is learned in a world that slips?", plain_too=True),
    *over("reward_noise", NOISES, "what is learned from noisy rewards?", plain_too=True),
    *over("irrelevant_features", (True,), "how much harder is learning beside what does not matter?"),
    *both(("delay", "sequence_length"), ((None, *DELAYS), (None, *LENGTHS)),
          "do late rewards and long sequences add up?"),
    *both(("transition_noise", "reward_noise"), ((None, *SLIPS), (None, *NOISES)),
          "do two kinds of noise add up?"),
    *over("time_unit", (0.1, 0.2, 0.5, 2.0, 4.0, 8.0), "how long should an action last?", CONTINUOUS),
    *over("action_space_max", (0.1, 0.25, 0.5, 2.0, 4.0, 8.0), "how large should actions be?", CONTINUOUS),
    *over("target_radius", (0.1, 0.25, 0.5, 1.0), "how small a target can be found?", "toy/continuous"),
    *over("state_space_dim", (3, 4, 6, 10), "how much harder is learning with dimensions that do not matter?",
          f"{CONTINUOUS}+relevant_indices=[0,1]"),
)  # fmt: skip
