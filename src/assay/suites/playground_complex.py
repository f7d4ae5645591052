"""`playground/*` on Atari games and MuJoCo bodies: the same dimensions outside the toy envs.

Durations and ranges of actions are multiples of the body's own. An action must last a whole number of physics
steps, which all durations of the paper do: plain actions last 5 steps for HalfCheetah and Pusher, and 2 for
Reacher. Unlike in the paper's runs, horizon and budget stay the same when an action lasts longer.
"""

from __future__ import annotations

from assay.suites.playground_grid import COMPLEX_SEEDS, over
from assay.suites.suite import Suite

GAMES = {  # env: its name in suites
    "BeamRider": "beam-rider", "Breakout": "breakout", "Qbert": "qbert", "SpaceInvaders": "space-invaders",
}  # fmt: skip
GAME_STEPS = 10_000_000  # 40 million frames
ON_GAMES = (
    ("reward.delay", (1, 2, 4, 8), "how much harder is a game when rewards come late?", "delay"),
    ("action.other", (0.01, 0.02, 0.1, 0.25), "what is learned in a game that slips?", "transition-noise"),
    ("reward.noise", (0.01, 0.05, 0.1, 0.25), "what is learned from noisy rewards?", "reward-noise"),
)

BODIES = {  # name: training steps, then durations and ranges of an action other than 1
    "HalfCheetah": (3_000_000, (0.2, 0.4, 2.0, 4.0), (0.1, 0.25, 0.5, 2.0, 4.0, 8.0)),
    "Pusher": (500_000, (0.2, 0.4, 2.0, 4.0), (0.05, 0.1, 0.25, 0.5, 2.0, 4.0)),
    "Reacher": (500_000, (0.5, 2.5, 5.0, 10.0), (0.025, 0.05, 0.1, 0.25, 0.5, 2.0)),
}


def on_games() -> list[Suite]:
    return [
        suite
        for game, name in GAMES.items()
        for axis, levels, asks, dimension in ON_GAMES
        for suite in over(axis, levels, asks, f"atari/{game}", name=f"{name}-{dimension}",
                          seeds=COMPLEX_SEEDS, steps=GAME_STEPS)
    ]  # fmt: skip


def on_bodies() -> list[Suite]:
    suites = []
    for body, (steps, durations, ranges) in BODIES.items():
        task, name = f"gym/{body}-v5", body.lower()
        suites += over("time_unit", durations, "how long should an action last?", task,
                      name=f"{name}-time-unit", seeds=COMPLEX_SEEDS, steps=steps)  # fmt: skip
        suites += over("action_range", ranges, "how large should actions be?", task,
                      name=f"{name}-action-range", seeds=COMPLEX_SEEDS, steps=steps)  # fmt: skip
    suites += over("irrelevant_dims", (2, 4, 8, 16, 32), "what if many dimensions do not matter?",
                  "gym/HalfCheetah-v5", name="halfcheetah-irrelevant", seeds=COMPLEX_SEEDS,
                  steps=BODIES["HalfCheetah"][0])  # fmt: skip
    return suites


SUITES = (*on_games(), *on_bodies())
