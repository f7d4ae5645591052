"""The settings of PPO. The defaults are those of KAGE-Bench, whose agent this is on pictures."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp

from assay.agents.agent import require_between, require_one_of, require_steps

ENDINGS = ("bootstrap", "kage")
TYPES = {"float32": jnp.float32, "bfloat16": jnp.bfloat16}
NATURE, IMPALA = ENCODERS = ("nature", "impala")


@dataclass(frozen=True)
class Config:
    steps: int = 25_000_000  # env steps of all envs; the last rollout is left out if it would pass them
    report_every: int = 819_200  # env steps between two points of a learning curve
    envs: int = 128  # played side by side
    rollout: int = 128  # steps of each env before an update
    epochs: int = 3  # passes over a rollout
    minibatches: int = 8  # updates of one pass
    learning_rate: float = 5e-4  # of Adam
    adam_epsilon: float = 1e-5  # added to the root of its second moment
    discount: float = 0.999  # what a reward is worth one step later
    trace: float = 0.95  # lambda of the advantages, from 0 to 1
    clip: float = 0.2  # of the policy's ratio and of the value's change
    value_weight: float = 0.5  # of the value's error in the loss
    entropy_weight: float = 0.01  # of the policy's entropy in the loss
    most_gradient: float = 0.5  # a gradient with a larger norm is cut to it
    precision: str = "float32"  # of the products of training: float32 or bfloat16
    ending: str = "bootstrap"  # bootstrap values what would follow a time limit; kage takes it for an end
    shift: int = 0  # pixels by which pictures are moved at random while it learns, 0 to 64
    jitter: float = 0.0  # how far their brightness, contrast, saturation and hue go at random, up to 1
    greedy: bool = False  # whether the trained policy takes its most likely action instead of drawing one
    encoder: str = NATURE  # of pictures: nature (Mnih et al. 2015) or impala (Espeholt et al. 2018)
    width: int = 64  # of each of the two layers for other observations
    signs: bool = False  # learns from the signs of rewards, as is usual in games; scores stay as they are
    anneal: bool = False  # whether the learning rate falls to 0 in a straight line

    def __post_init__(self) -> None:
        require_steps(
            "ppo",
            envs=(self.envs, 1), rollout=(self.rollout, 1), epochs=(self.epochs, 1),
            minibatches=(self.minibatches, 1), width=(self.width, 1),
            report_every=(self.report_every, self.envs * self.rollout),
        )  # fmt: skip
        require_steps("ppo", **{"envs * rollout": (self.envs * self.rollout, self.minibatches)})
        require_between("ppo", self.envs * self.rollout, 1e12, steps=self.steps)
        require_between("ppo", 0, 1, discount=self.discount, trace=self.trace, jitter=self.jitter)
        require_between("ppo", 0, 64, shift=self.shift)
        require_between("ppo", 1e-9, 1e9, learning_rate=self.learning_rate, clip=self.clip,
                        adam_epsilon=self.adam_epsilon, most_gradient=self.most_gradient)  # fmt: skip
        require_between("ppo", 0, 1e9, value_weight=self.value_weight, entropy_weight=self.entropy_weight)
        require_one_of("ppo", "precision", self.precision, TYPES)
        require_one_of("ppo", "ending", self.ending, ENDINGS)
        require_one_of("ppo", "encoder", self.encoder, ENCODERS)

    @property
    def iterations(self) -> int:
        return self.steps // (self.envs * self.rollout)

    @property
    def between_reports(self) -> int:
        """Iterations."""
        return self.report_every // (self.envs * self.rollout)
