"""The toy family's own keys for channels of the reward, in the order in which they act; no jax here.

The order is delay, noise, terminal reward, scale, shift, whatever the order in the text.
"""

from __future__ import annotations

from assay.core.variation import Channel
from assay.envs.toy.setting_types import PLAYGROUND
from assay.variations.channel_parts import delay_value, one_normal, ring, ring_and_sum
from assay.variations.reward import (
    delay,
    noise,
    reward_axis,
    scale,
    shift,
    terminal_reward,
)

PAYING_DELAY = Channel(0, "delay", ("reward",), delay, neutral=0, memory=ring_and_sum, sized=True)

REWARD_KEYS = (
    reward_axis("delay", "dose", 0, (1, 2, 4, 8), delay_value, low=0, high=1000, memory=ring, sized=True,
                instead=(("flush_on_end", PAYING_DELAY),), tied=("gate=handout",), origin=PLAYGROUND,
                doubles="reward.delay",
                means="steps between earning a reward and being paid; what waits at the end is lost"),
    reward_axis("reward_noise", "dose", 0.0, (1.0, 5.0, 10.0, 25.0), noise, low=0, draw=one_normal,
                doubles="reward.noise", origin=PLAYGROUND,
                means="standard deviation of normal noise added at every step"),
    reward_axis("term_state_reward", "dose", 0.0, (-1.0, 1.0), terminal_reward, doubles="reward.terminal",
                means="added on the step that terminates, before the scale", origin=PLAYGROUND),
    reward_axis("reward_scale", "dose", 1.0, (0.1, 10.0), scale, doubles="reward.scale",
                means="factor on reward and noise", origin=PLAYGROUND),
    reward_axis("reward_shift", "dose", 0.0, (-1.0, 1.0), shift, doubles="reward.shift",
                means="added to the reward at every step, after the scale", origin=PLAYGROUND),
)  # fmt: skip
