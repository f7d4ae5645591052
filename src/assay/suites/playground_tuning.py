"""`playground/tune-*`: settings over which MDP Playground tuned DQN on the plain task, three seeds each.

In the order of the paper: small networks; when to begin learning and how often to copy the target; small
networks again with the better target; larger networks and the rest. The paper prints no grid for tabular
Q-learning; these are the learning rates of its three tabular agents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from assay.suites.playground_grid import DISCRETE, EPISODES, STEPS, base_tasks
from assay.suites.suite import Pair, Suite

SEEDS = (0, 1, 2)


def grid(agent: str, name: str, asks: str, of: Mapping[str, Sequence], **fixed: Any) -> list[Suite]:
    """Suites on the plain task at every combination of the agent's settings, the last setting fastest."""
    points = tuple(fixed | dict(zip(of, point)) for point in product(*of.values()))
    return [
        Suite(f"playground/tune-{name}{ending}", 1, asks, (Pair(start, start),) * len(points), SEEDS,
              EPISODES, settings=points, agent=agent, steps=STEPS)
        for start, ending in base_tasks(DISCRETE)
    ]  # fmt: skip


def networks(*widths: int) -> dict[str, list]:
    return {"hidden": [(width,) * layers for layers in (1, 2, 3, 4) for width in widths]}


BEGIN = (500, 1000, 2000, 4000, 8000)
# Learning can begin only at a report, so reports come as early as the earliest beginning.
OFTEN = {"report_every": 500}

SUITES = (
    *grid("dqn", "dqn-small-networks", "how small a network will do?", networks(8, 32, 128), target_every=80),
    *grid("dqn", "dqn-target", "when should learning begin, and how often should the target be copied?",
          {"learning_starts": BEGIN, "target_every": (8, 80, 800)}, **OFTEN),
    *grid("dqn", "dqn-small-networks-slow-target", "how small a network will do with a slower target?",
          networks(8, 32, 128), target_every=800),
    *grid("dqn", "dqn-networks", "how large should a network be?", networks(128, 256, 512)),
    *grid("dqn", "dqn-slow-target", "how rarely may the target be copied?",
          {"learning_starts": BEGIN, "target_every": (80, 800, 8000)}, **OFTEN),
    *grid("dqn", "dqn-activation", "which activation serves best?",
          {"activation": ("tanh", "relu", "sigmoid")}),
    *grid("dqn", "dqn-double", "does double learning help?", {"double": (False, True)}),
    *grid("dqn", "dqn-rate", "how fast should it learn?",
          {"learning_rate": (1e-2, 1e-3, 1e-4, 1e-5, 1e-6), "adam_epsilon": (1e-3, 1e-4, 1e-5, 1e-6)}),
    *grid("tabular_q", "tabular-q", "how fast should a table learn?", {"learning_rate": (0.1, 0.3, 0.5)}),
)  # fmt: skip
