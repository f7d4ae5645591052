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
    digest="d6e73cf673bb7898d59695db9dcda73928642e7558fc361ed9d84f322da912bd",
)  # fmt: skip
FREEWAY = taught_agent(
    "taught-freeway", actions=3,
    digest="52e4177b2f176be4d1c29e94ccdf002a1f71ebfdf2819500874bec224c9a99a8",
)  # fmt: skip
