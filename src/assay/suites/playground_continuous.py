"""`playground/*` on the continuous toy env."""

from __future__ import annotations

from assay.suites.playground_grid import FEW_SEEDS, SEEDS, both, over

ANY_RADIUS = "toy/continuous"
CONTINUOUS = f"{ANY_RADIUS}+target_radius=0.5"  # the radius of the paper's runs, not of its table
DURATIONS, REACHES = (0.1, 0.2, 0.5, 2.0, 4.0, 8.0), (0.1, 0.25, 0.5, 2.0, 4.0, 8.0)
SHORT, SMALL = (0.01, 0.02, 0.05, 0.1, 0.25), (0.1, 0.25, 0.5, None)
SLIPS, RADII = (None, 0.02, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0), (0.1, 0.25, 0.5, 1.0)
ACTS = ("action_space_max", "time_unit")
TRADE = "do large actions make up for short ones?"


def in_order(grid: tuple, plain: float) -> tuple:
    """The grid with None, the plain level, at its position in the order."""
    below = tuple(level for level in grid if level < plain)
    return (*below, None, *grid[len(below) :])


SUITES = (
    *over("time_unit", DURATIONS, "how long should an action last?", CONTINUOUS),
    *over("action_space_max", REACHES, "how large should actions be?", CONTINUOUS),
    *over("target_radius", RADII, "how small a target can be found?", ANY_RADIUS),
    *over("state_space_dim", (3, 4, 6, 10), "how much harder is learning with dimensions that do not matter?",
          f"{CONTINUOUS}+relevant_indices=[0,1]"),
    *both(ACTS, (in_order(REACHES, 1.0), in_order(DURATIONS, 1.0)), TRADE, CONTINUOUS, seeds=SEEDS),
    *(
        suite
        for order in (2, 3)
        for suite in both(ACTS, (SMALL, SHORT), TRADE, f"{CONTINUOUS}+transition_dynamics_order={order}",
                          name=f"{'-by-'.join(ACTS)}-order-{order}")
    ),
    *both(("transition_noise", "target_radius"), (SLIPS, RADII), "how small a target can be found in noise?",
          ANY_RADIUS),
    *over("delay", (1, 2, 4, 8), "how much harder is control when rewards come late?", CONTINUOUS,
          name="continuous-delay", seeds=FEW_SEEDS),
    *over("reward_noise", (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 25.0), "what is learned from noisy distances?",
          CONTINUOUS, plain_too=True, name="continuous-reward-noise", seeds=FEW_SEEDS),
    *over("action_loss_weight", (0.01, 0.1, 1.0, 5.0, 10.0, 100.0), "what is learned when actions cost?",
          CONTINUOUS, plain_too=True),
)  # fmt: skip
