"""The settings of PPO. The defaults are those of KAGE-Bench, whose agent this is on pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.agents.agent import require_between, require_steps
from assay.agents.on_policy_config import ENDINGS, GRU, IMPALA, NATURE, TYPES, OnPolicyConfig

__all__ = ["ENDINGS", "IMPALA", "NATURE", "TYPES", "Config"]


@dataclass(frozen=True)
class Config(OnPolicyConfig):
    name: ClassVar[str] = "ppo"

    steps: int = 25_000_000
    report_every: int = 819_200
    envs: int = 128
    rollout: int = 128
    learning_rate: float = 5e-4
    discount: float = 0.999
    epochs: int = 3  # passes over a rollout
    minibatches: int = 8  # updates of one pass
    clip: float = 0.2  # of the policy's ratio and of the value's change
    clip_value: bool = True  # whether the value's change is clipped too

    def __post_init__(self) -> None:
        super().__post_init__()
        require_steps(self.name, epochs=(self.epochs, 1), minibatches=(self.minibatches, 1))
        require_steps(self.name, **{"envs * rollout": (self.batch, self.minibatches)})
        if self.memory == GRU:  # whole rollouts of envs are dealt out, for a memory needs what came before
            require_steps(self.name, envs=(self.envs, self.minibatches))
        require_between(self.name, 1e-9, 1e9, clip=self.clip)
