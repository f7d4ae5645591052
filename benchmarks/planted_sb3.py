"""Bugs planted in subclasses of Stable-Baselines3's agents, for `unit_test_calibration.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.vec_env import VecNormalize


class WithoutTarget(DQN):
    """Its target is the network itself, before every gradient step."""

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        self.q_net_target.load_state_dict(self.q_net.state_dict())
        super().train(gradient_steps, batch_size)


class WithOtherRows(DQN):
    """What it remembers is changed before it is kept."""

    def _setup_model(self) -> None:
        super()._setup_model()
        keep, buffer = self.replay_buffer.add, self.replay_buffer
        buffer.add = lambda *row: self.keep_row(keep, buffer, *row)

    def keep_row(
        self, keep: Any, buffer: Any, seen: Any, after: Any, action: Any, paid: Any, done: Any, infos: Any
    ):
        raise NotImplementedError


class ThroughTermination(WithOtherRows):
    def keep_row(self, keep, buffer, seen, after, action, paid, done, infos):
        keep(seen, after, action, paid, np.zeros_like(done), infos)


class BySigns(WithOtherRows):
    def keep_row(self, keep, buffer, seen, after, action, paid, done, infos):
        keep(seen, after, action, np.sign(paid), done, infos)


class NeverOverwrites(WithOtherRows):
    def keep_row(self, keep, buffer, *row):
        if not buffer.full:
            keep(*row)


class CutsAsEnds(WithOtherRows):
    def keep_row(self, keep, buffer, seen, after, action, paid, done, infos):
        keep(seen, after, action, paid, done, [{} for _ in infos])


class WrongEntropySign(PPO):
    def train(self) -> None:
        self.ent_coef = -abs(self.ent_coef)
        super().train()


class WithoutDiscount(PPO):
    def __init__(self, *values: Any, gamma: float = 0.99, **settings: Any):
        super().__init__(*values, gamma=1.0, **settings)


class CountsWhileActing(PPO):
    """Its observations are normalised, and those of an evaluation count too."""

    def __init__(self, policy: Any, env: Any, **settings: Any):
        super().__init__(policy, VecNormalize(env, norm_reward=False), **settings)

    def predict(self, observation: Any, *values: Any, **named: Any) -> Any:
        self.env.obs_rms.update(observation)
        return super().predict(self.env.normalize_obs(observation), *values, **named)


BUGS = (  # name, class, what the battery should name
    ("no target network", WithoutTarget, "target network"),
    ("through termination", ThroughTermination, "bootstrapping at termination"),
    ("no bootstrap at truncation", CutsAsEnds, "bootstrapping at truncation"),
    ("reward sign", BySigns, "size of rewards"),
    ("replay never overwrites", NeverOverwrites, "replay"),
    ("entropy sign", WrongEntropySign, "entropy bonus"),
    ("discount 1", WithoutDiscount, "discount"),
    ("normaliser at evaluation", CountsWhileActing, "statistics of observations"),
)
