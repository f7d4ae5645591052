"""The settings that PPO and A2C have in common; each has its own defaults."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log2
from typing import ClassVar

import jax.numpy as jnp

from assay.agents.agent import require_between, require_one_of, require_steps
from assay.agents.augment import without_pictures
from assay.agents.encoder import is_picture
from assay.core.space import Box, Space
from assay.errors import AssayError

ENDINGS = ("bootstrap", "kage")
TYPES = {"float32": jnp.float32, "bfloat16": jnp.bfloat16}
NATURE, IMPALA = ENCODERS = ("nature", "impala")
SMALL_ENVS, SMALL_BATCH = 4, 32  # of a small update, as a refusal proposes it; a multiple of minibatches
NONE, GRU, STACK = MEMORIES = ("none", "gru", "stack")


@dataclass(frozen=True)
class OnPolicyConfig:
    name: ClassVar[str]  # of the agent, for what it refuses

    steps: int = 1_000_000  # env steps of all envs; the last rollout is left out if it would pass them
    report_every: int = 100_000  # env steps between two points of a learning curve
    envs: int = 10  # played side by side
    rollout: int = 10  # steps of each env before an update
    learning_rate: float = 1e-3  # of Adam
    adam_epsilon: float = 1e-5  # added to the root of its second moment
    discount: float = 0.99  # what a reward is worth one step later
    trace: float = 0.95  # lambda of the advantages, from 0 to 1
    value_weight: float = 0.5  # of the value's error in the loss
    entropy_weight: float = 0.01  # of the policy's entropy in the loss
    most_gradient: float = 0.5  # a gradient with a larger norm is cut to it
    precision: str = "float32"  # of the products of training: float32 or bfloat16
    ending: str = "bootstrap"  # bootstrap values what would follow a time limit; kage takes it for an end
    shift: int = 0  # pixels by which pictures are moved at random while it learns, 0 to 64
    jitter: float = 0.0  # how far their brightness, contrast, saturation and hue go at random, up to 1
    greedy: bool = False  # whether the trained policy takes its most likely action instead of drawing one
    encoder: str = NATURE  # of pictures: nature (Mnih et al. 2015) or impala (Espeholt et al. 2018)
    width: int = 64  # of each layer for other observations
    layers: int = 2  # how many of these there are
    separate: bool = False  # whether the value has layers of its own, or shares those of the policy
    normalise: bool = False  # whether numbers are seen in units of their spread so far, around their mean
    memory: str = NONE  # none, gru (a recurrent core behind the layers), or stack (the last observations)
    memory_width: int = 64  # of the recurrent core
    stack_of: int = 4  # observations that a stack holds
    signs: bool = False  # learns from the signs of rewards, as is usual in games; scores stay as they are
    anneal: bool = False  # whether the learning rate falls to 0 in a straight line

    def __post_init__(self) -> None:
        require_steps(
            self.name,
            envs=(self.envs, 1), rollout=(self.rollout, 1), width=(self.width, 1), layers=(self.layers, 1),
            memory_width=(self.memory_width, 1), report_every=(self.report_every, self.batch),
        )  # fmt: skip
        self.require_one_update()
        require_between(self.name, self.batch, 1e12, steps=self.steps)
        require_between(self.name, 0, 1, discount=self.discount, trace=self.trace, jitter=self.jitter)
        require_between(self.name, 0, 64, shift=self.shift)
        require_between(self.name, 2, 64, stack_of=self.stack_of)
        require_between(self.name, 1e-9, 1e9, learning_rate=self.learning_rate,
                        most_gradient=self.most_gradient)  # fmt: skip
        require_between(self.name, 1e-12, 1e9, adam_epsilon=self.adam_epsilon)
        require_between(self.name, 0, 1e9, value_weight=self.value_weight, entropy_weight=self.entropy_weight)
        require_one_of(self.name, "precision", self.precision, TYPES)
        require_one_of(self.name, "ending", self.ending, ENDINGS)
        require_one_of(self.name, "encoder", self.encoder, ENCODERS)
        require_one_of(self.name, "memory", self.memory, MEMORIES)
        if self.separate and self.memory == GRU:
            raise AssayError(
                f"memory=gru of {self.name} is a core that policy and value share, and separate=true gives "
                "the value layers of its own; take one of the two."
            )

    def require_one_update(self) -> None:
        """Refuses fewer steps than an update takes, with settings under which they would do."""
        if self.steps < self.batch:
            raise AssayError(
                f"steps of {self.name} must be at least {self.batch:,}, one update (envs={self.envs} times "
                f"rollout={self.rollout}), not {self.steps:,}; take more, or smaller envs and "
                f"rollout{self.smaller_update()}."
            )

    def smaller_update(self) -> str:
        """Settings under which these steps would do, in words; "" where none are at hand."""
        if self.steps < SMALL_BATCH:
            return ""
        rollout = 2 ** floor(log2(self.steps / SMALL_ENVS))
        if self.report_every % (SMALL_ENVS * rollout):
            return ""
        return f", such as --set envs={SMALL_ENVS} --set rollout={rollout}"

    @property
    def batch(self) -> int:
        """Env steps of one rollout."""
        return self.envs * self.rollout

    @property
    def iterations(self) -> int:
        return self.steps // self.batch

    @property
    def between_reports(self) -> int:
        """Iterations."""
        return self.report_every // self.batch

    @property
    def frames(self) -> int:
        """Observations that the network sees at a time."""
        return self.stack_of if self.memory == STACK else 1


def settings_unfit(config: OnPolicyConfig, spaces: dict[str, Space]) -> str:
    """The reason why these settings are of no use in these spaces, or ""."""
    space = spaces["observation"]
    if config.memory == STACK and is_picture(space):
        return "memory=stack holds numbers, and these observations are pictures; vary observation.stack"
    if config.normalise and (is_picture(space) or not isinstance(space, Box)):
        return "normalise is for arrays of numbers, and these observations are none; set it to false"
    return without_pictures(config, spaces)
