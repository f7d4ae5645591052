"""Agents that come trained on games: policies of `ppo` that see a game's objects, with their weights shipped.

One enters only when it plays the plain game well enough by HackAtari's protocol: 20 on Freeway, 30 on Boxing,
10 on Pong, 20 on Breakout. `benchmarks/hackatari_train.py` trains them and writes their files.
"""

from __future__ import annotations

from assay.agents.agent import Agent
from assay.agents.ppo_shipped import Config, GreedyConfig, trained_agent
from assay.agents.shipped import FOLDER, Shipped
from assay.core.space import Box, Discrete

FRAMES = 2  # that an observation of objects shows


def game_agent(name: str, numbers: int, actions: int, digest: str, config: type[Config] = Config) -> Agent:
    """The agent of a file in the folder of weights; `numbers` are those of one frame's objects."""
    weights = Shipped(FOLDER / f"{name.replace('-', '_')}.npz", digest)
    seen = Box(0, 255, (numbers, FRAMES), "uint8")
    return trained_agent(name, weights, seen, Discrete(actions), hosted=True, config=config)


BOXING = game_agent(
    "ppo-boxing", numbers=10, actions=18,
    digest="92981f8c44c51794ea7a17a3b9d06e92cb5e177efc2f4facd7c4c3103a47ea10",
)  # fmt: skip
FREEWAY = game_agent(
    "ppo-freeway", numbers=60, actions=3,
    digest="ad53e107c7060d57ec1c2b71af467de04ebdfd98815dc1b1d35ccc9a068f4b0e",
)  # fmt: skip
# Drawing its actions it has 8 where its most likely ones have 16: one return that is missed costs a point.
PONG = game_agent(
    "ppo-pong", numbers=15, actions=6, config=GreedyConfig,
    digest="181f848dd3df5933398e49d4cf43f3d820e028bb000f1a6e4086ada186ae152d",
)  # fmt: skip
