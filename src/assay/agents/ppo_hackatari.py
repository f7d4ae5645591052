"""PPO with the settings of HackAtari's paper (its Table 1) for games, in pictures, masks or objects.

What the table leaves out is that of the code that the paper trained with: rewards by their signs, a learning
rate that falls to 0, and the epsilon of Adam. `encoder=nature` has the smaller convolutions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from assay.agents import ppo, ppo_config


@dataclass(frozen=True)
class Config(ppo_config.Config):
    name: ClassVar[str] = "ppo-hackatari"

    steps: int = 50_000_000  # 200 million frames
    report_every: int = 1_280_000
    envs: int = 10
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 2.5e-4
    discount: float = 0.99
    clip: float = 0.1
    encoder: str = ppo_config.IMPALA  # of pictures and masks; objects have full layers
    signs: bool = True
    anneal: bool = True


AGENT = replace(ppo.AGENT, config=Config)
