"""Channel variations of the reward, for any task. The recorded score stays that of the plain reward."""

from __future__ import annotations

from functools import partial
from typing import Any

from assay.core.axis import as_plain_number, takes
from assay.core.space import Space
from assay.core.variation import RUNNING, push
from assay.errors import WrongLevel
from assay.variations.channel_axis import channel_axis
from assay.variations.channel_parts import differs, one_normal, ring_and_sum, value_and_count

NEVER_CLIPPED = 1e30
# Where only the last step pays, delaying or adding up rewards has no effect.
EVERY_STEP_PAYS = "reward.shift=1.0"

FIRST_WEIGHT = 1e-4  # the weight, in steps, of the variance with which `normalise` begins
TINY = 1e-8  # keeps the divisor above 0
USUAL_DISCOUNT = 0.999


def delay(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """What was earned `level` steps ago is paid now; the rewards that still wait are paid at the end."""
    past, count, waiting = memory
    past, due = push(past, count, value, level)
    waiting = waiting + (value - due)
    if ends is RUNNING:
        return (past, count + 1, waiting), due
    return (past, count + 1, waiting), xp.where((ends[0] | ends[1]) & (level != 0), due + waiting, due)


def noise(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    # At level 0 the value is chosen, because -0.0 + 0.0 would be 0.0, another bit pattern.
    return memory, xp.where(level == 0, value, value + level * draw)


def report_addition(
    xp: Any, level: Any, memory: Any, draw: Any, earned: Any, paid: Any, ends: Any, space: Any
) -> tuple:
    """Opportunity: noise is on. Event: the reward differs. Detail: the noise added."""
    return level > 0, differs(earned, paid), paid - earned


def scale(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    return memory, value * level


def shift(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    return memory, xp.where(level == 0, value, value + level)


def terminal_reward(
    xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space
) -> tuple:
    """Adds `level` on the step that terminates the episode, and nothing on a truncation."""
    return memory, xp.where(ends[0] & (level != 0), value + level, value)


def sparsify(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """Pays the sum of the last `level` rewards every `level` steps, and the rest at the end."""
    earned, count = memory
    earned, count = earned + value, count + 1
    due = (count % level == 0) | ends[0] | ends[1]
    # At level 1 the reward itself is chosen, because 0.0 + -0.0 would be another bit pattern.
    paid = xp.where(level == 1, value, xp.where(due, earned, earned * 0))
    return (xp.where(due, earned * 0, earned), count), paid


def clip(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    return memory, xp.clip(value, -level, level)


def sign(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    return memory, xp.where(level, xp.sign(value), value)


def normalise(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """Divides by the running standard deviation of the return so far, discounted by `level`.

    As in KAGE-Env and Gymnasium, on the step that ends an episode the return is that step's reward alone.
    The variance is Welford's. It begins at 1 with a weight of a ten-thousandth of a step.
    """
    on = level != 0
    if on is False:  # in a host, where levels are plain numbers
        return memory, value
    earned, mean, variance, steps = memory
    earned = earned * level
    if ends is not RUNNING:
        earned = xp.where(ends[0] | ends[1], earned * 0, earned)
    now = earned + value
    # Steps are whole numbers, because in float32 their count would stop growing at 2**24.
    before = xp.asarray(steps, space.dtype) + FIRST_WEIGHT
    after = xp.asarray(steps + 1, space.dtype) + FIRST_WEIGHT
    off = now - mean
    spread = (variance * before + off * off * before / after) / after
    paid = value / (xp.sqrt(spread) + TINY)
    counted = now, mean + off / after, spread, steps + 1
    if on is True:
        return counted, paid
    # Steps at level 0 do not count, so that a schedule begins with fresh statistics.
    return tuple(xp.where(on, new, old) for new, old in zip(counted, memory)), xp.where(on, paid, value)


def statistics(xp: Any, space: Space, bound: int) -> tuple:
    """The discounted return, its mean and variance, and the number of steps."""
    nothing, one = (xp.full((), number, space.dtype) for number in (0.0, 1.0))
    return nothing, nothing, one, xp.zeros((), "int32")


@takes("the discount of the return, from 0 (off) to 1")
def discount(value: Any) -> float:
    """A discount; `true` stands for the usual one."""
    if isinstance(value, bool):
        return USUAL_DISCOUNT if value else 0.0
    number = as_plain_number(value)
    if number is None or not 0 <= number <= 1:
        raise WrongLevel("write reward.normalise=0.999, or reward.normalise alone for that.")
    return float(number)


reward_axis = partial(channel_axis, "reward")

AXES = (
    reward_axis("reward.delay", "dose", 0, (1, 2, 4, 8), delay, low=0, high=1000, memory=ring_and_sum,
                sized=True, context=EVERY_STEP_PAYS,
                means="steps between earning a reward and its payment; waiting rewards are paid at the end",
                origin="MDP Playground, wrapper"),
    reward_axis("reward.noise", "dose", 0.0, (0.1, 1.0, 5.0), noise, low=0, draw=one_normal,
                report=report_addition, origin="MDP Playground",
                means="standard deviation of normal noise added at every step"),
    reward_axis("reward.scale", "dose", 1.0, (0.1, 10.0), scale,
                means="factor on the reward", origin="MDP Playground"),
    reward_axis("reward.shift", "dose", 0.0, (-1.0, 1.0), shift,
                means="number added to the reward at every step", origin="MDP Playground"),
    reward_axis("reward.terminal", "dose", 0.0, (-1.0, 1.0), terminal_reward,
                means="number added to the reward of the step that terminates, not at a time limit",
                origin="MDP Playground"),
    reward_axis("reward.sparsify", "dose", 1, (2, 5, 10), sparsify, low=1, high=10**6, memory=value_and_count,
                context=EVERY_STEP_PAYS, origin="sparse-reward MuJoCo",
                means="number of steps whose rewards are paid as one sum; the rest is paid at the end"),
    reward_axis("reward.clip", "dose", NEVER_CLIPPED, (1.0, 0.5), clip, low=0, context=EVERY_STEP_PAYS,
                means="largest absolute reward; larger ones are cut to it", origin="DQN on Atari"),
    reward_axis("reward.sign", "switch", False, (True,), sign, context="reward.scale=0.5",
                means="pay only the sign of the reward", origin="DQN on Atari"),
    reward_axis("reward.normalise", "dose", 0.0, (0.9, 0.99, 0.999), normalise, type_=discount, low=0, high=1,
                memory=statistics, lasts=True, origin="KAGE-Env; Gymnasium",
                means="discount of the return whose running deviation divides the reward; 0: off"),
)  # fmt: skip
