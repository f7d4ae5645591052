"""Rainbow (Hessel et al. 2018): DQN with all of its switches on, and MDP Playground's settings for toys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from assay.agents import dqn, dqn_config


@dataclass(frozen=True)
class Config(dqn_config.Config):
    name: ClassVar[str] = "rainbow"

    learning_rate: float = 1e-3
    learning_starts: int = 500
    target_every: int = 80
    double: bool = True
    dueling: bool = True
    prioritised: bool = True
    priority: float = 0.75
    n_step: int = 4
    noisy: bool = True
    atoms: int = 10


AGENT = replace(dqn.AGENT, config=Config)
