"""Which experiments of MDP Playground are run, with which agents, settings and seeds.

The table is that of the paper's figures. An experiment is a suite of assay; what differs from the suite's own
settings for an agent stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DISCRETE_AGENTS = ("dqn", "rainbow", "a2c")
TABULAR = ("tabular_q", "double_q", "sarsa")
CONTROL = ("ddpg", "td3", "sac")
RANDOM = "random"

# A2C stands for the paper's A3C, which had 150,000 steps where others had 20,000.
LONGER = {"a2c": {"steps": 150_000, "report_every": 7_500}}
# The paper's settings for pictures: three convolutions, smaller steps, slower targets.
ON_PICTURES: dict[str, dict[str, Any]] = {
    "dqn": {"network": "small_convolutions", "learning_rate": 1e-5, "activation": "relu"},
    "rainbow": {"network": "small_convolutions", "learning_rate": 1e-4, "activation": "relu",
                "target_every": 800, "n_step": 1},
    "a2c": LONGER["a2c"] | {"learning_rate": 1e-3},
}  # fmt: skip


@dataclass(frozen=True)
class Experiment:
    """A suite, who plays it, and what of the paper it stands beside."""

    suite: str  # of playground/*
    title: str
    figures: str  # of the paper
    agents: tuple[str, ...]
    seeds: int
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: LONGER)
    kept: tuple[int, ...] = ()  # positions of the levels that are run, the plain one first; () for all
    toy: str = ""  # the suite on a toy env that varies the same dimension, for rank correlations
    beside: tuple[int, ...] = ()  # the positions of its levels that stand beside these; () for the same ones

    @property
    def toy_levels(self) -> tuple[int, ...]:
        return self.beside or self.kept

    def settings_of(self, agent: str) -> dict[str, Any]:
        return dict(self.settings.get(agent, {}))


ON_VECTORS = (
    Experiment("delay", "Delay", "9a, 13, 19, 39", DISCRETE_AGENTS + TABULAR, 100),
    Experiment("sequence-length", "Sequence length", "9c, 20, 40", DISCRETE_AGENTS + TABULAR, 100),
    Experiment("transition-noise", "Transition noise", "7a, 7b, 21, 23, 37", DISCRETE_AGENTS + TABULAR, 100),
    Experiment("reward-noise", "Reward noise", "8a, 8b, 22, 24, 38", DISCRETE_AGENTS + TABULAR, 100),
    Experiment("reward-density", "Reward density", "10, 25", DISCRETE_AGENTS + TABULAR, 100),
    Experiment("reward-scale", "Scale of rewards", "", DISCRETE_AGENTS + TABULAR, 20),
    Experiment("reward-shift", "Shift of rewards", "", DISCRETE_AGENTS + TABULAR, 20),
    Experiment("irrelevant-features", "Irrelevant features", "", DISCRETE_AGENTS, 100),
)
ON_TARGETS = (
    Experiment("time-unit", "Time unit", "5a, 5b, 28", CONTROL, 100),
    Experiment("action-space-max", "Range of actions", "5c, 5d, 27", CONTROL, 100),
    Experiment("target-radius", "Radius of the target", "6, 26", CONTROL, 100),
    Experiment("state-space-dim", "Irrelevant dimensions", "14a, 14b, 29", CONTROL, 100),
    Experiment("continuous-delay", "Delay in control", "", CONTROL, 10),
    Experiment("continuous-reward-noise", "Reward noise in control", "", CONTROL, 10),
    Experiment("action-loss-weight", "Costly actions", "", CONTROL, 100),
)
OF_PAIRS = (
    Experiment("delay-by-sequence-length", "Delay and sequence length", "41, 42", DISCRETE_AGENTS, 10),
    Experiment("transition-noise-by-reward-noise", "Two kinds of noise", "43 to 46", DISCRETE_AGENTS, 10),
    Experiment("action-space-max-by-time-unit", "Range of actions and time unit", "15b", ("ddpg",), 100),
    Experiment("action-space-max-by-time-unit-order-2", "The same, with inertia", "47", CONTROL, 10),
    Experiment("action-space-max-by-time-unit-order-3", "The same, of order 3", "47", ("ddpg",), 10),
    Experiment("transition-noise-by-target-radius", "Noise and the radius of the target", "48", CONTROL, 10),
)
OF_PICTURES = (
    Experiment("image-transforms", "Pictures", "4a to 4c", DISCRETE_AGENTS, 20, ON_PICTURES),
    Experiment("image-sh-quant", "Steps of shifts", "4d", ("dqn",), 20, ON_PICTURES),
    Experiment("image-scale-range", "Range of scales", "18a", ("dqn",), 20, ON_PICTURES),
    Experiment("image-ro-quant", "Steps of rotations", "18b", ("dqn",), 20, ON_PICTURES),
)
OF_TUNING = tuple(
    Experiment(f"tune-{name}", title, "", (agent,), 3, {})
    for name, title, agent in (
        ("dqn-small-networks", "Small networks", "dqn"),
        ("dqn-target", "The first update and the target", "dqn"),
        ("dqn-small-networks-slow-target", "Small networks, a slower target", "dqn"),
        ("dqn-networks", "Large networks", "dqn"),
        ("dqn-slow-target", "Rare copies of the target", "dqn"),
        ("dqn-activation", "Activations", "dqn"),
        ("dqn-double", "Double learning", "dqn"),
        ("dqn-rate", "Learning rates of DQN", "dqn"),
        ("tabular-q", "Learning rates of tables", "tabular_q"),
    )
)
# A part of the paper's experiments on games and bodies, at budgets that two cores can pay. Bodies have the
# paper's settings of TD3 on Reacher; it names none of SAC there, so SAC has those of HalfCheetah.
ON_RAM = {
    agent: {"steps": 400_000, "report_every": 20_000, "clip": True, "epsilon": 0.01, "replay": 100_000,
            "learning_rate": 2.5e-4, "learning_starts": 20_000, "target_every": 2_000, "activation": "relu"}
    for agent in ("dqn", "rainbow")
}  # fmt: skip
ON_BODIES = {
    "td3": {"steps": 50_000, "report_every": 2_500, "hidden": (256, 256), "tau": 0.002,
            "target_noise_clip": 0.05},
    "sac": {"steps": 50_000, "report_every": 2_500, "hidden": (256, 256), "tau": 0.005},
}  # fmt: skip
ON_COMPLEX = (
    Experiment("breakout-delay", "Breakout: delay", "9b, 11, 30 to 33", ("dqn", "rainbow"), 3, ON_RAM,
               (0, 2, 4), "delay"),
    Experiment("breakout-transition-noise", "Breakout: transition noise", "7c, 12, 30 to 33",
               ("dqn", "rainbow"), 3, ON_RAM, (0, 3, 4), "transition-noise"),
    Experiment("reacher-time-unit", "Reacher: time unit", "36", ("td3", "sac"), 5, ON_BODIES, (0, 1, 3),
               "time-unit", (0, 3, 5)),
    Experiment("reacher-action-range", "Reacher: range of actions", "36", ("td3", "sac"), 5, ON_BODIES,
               (0, 3, 6), "action-space-max", (0, 1, 4)),
)  # fmt: skip
EXPERIMENTS = (*ON_VECTORS, *ON_TARGETS, *OF_PAIRS, *OF_PICTURES, *OF_TUNING, *ON_COMPLEX)


def experiment(suite: str) -> Experiment:
    return next(each for each in EXPERIMENTS if each.suite == suite)
