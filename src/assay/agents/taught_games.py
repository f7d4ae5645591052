"""Agents that come trained on pictures of games: PPO's network, taught by agents that see the game's objects.

A pupil saw the four gray pictures of HackAtari's protocol and learned, wherever it came to, what its teacher
would do there. `benchmarks/hackatari_teach.py` teaches them and writes their files; one enters only when it
plays the plain game well enough by the protocol.
"""

from __future__ import annotations

from assay.agents.agent import Agent
from assay.agents.ppo_shipped import Config, GreedyConfig, trained_agent
from assay.agents.shipped import FOLDER, Shipped
from assay.core.space import Box, Discrete

PICTURES = Box(0, 255, (84, 84, 4), "uint8")


def taught_agent(name: str, actions: int, digest: str, config: type[Config] = Config) -> Agent:
    """The agent of a file in the folder of weights."""
    weights = Shipped(FOLDER / f"{name.replace('-', '_')}.npz", digest)
    return trained_agent(name, weights, PICTURES, Discrete(actions), hosted=True, config=config)


BOXING = taught_agent(
    "taught-boxing", actions=18,
    digest="62c231ce169d8ecf70ccf5e0e35e6bc7d31e95f8d0de61c0609ddce1edd0a9d9",
)  # fmt: skip
FREEWAY = taught_agent(
    "taught-freeway", actions=3,
    digest="9cc28e7a4b6b08d72be48a330a2163ab596896bc355714c894dd3919c7a7e896",
)  # fmt: skip
PONG = taught_agent(
    "taught-pong", actions=6, config=GreedyConfig,
    digest="f01cf5e9998074f9e7c907778fb44cbd74e604d00d8569c19b5f5adc85006d77",
)  # fmt: skip
