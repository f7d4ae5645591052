"""Channel variations of the action, between the agent's choice and the env."""

from __future__ import annotations

from functools import partial
from typing import Any

from assay.core.space import Box, Discrete, Numbers, Space
from assay.variations import action_matrix
from assay.variations.channel_axis import channel_axis
from assay.variations.channel_parts import (
    another_value,
    delay_value,
    differs,
    keep_last,
    last_value,
    one_uniform,
    plain_space,
    ring,
    value_and_count,
    whether_and_which,
)


def random(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Numbers) -> tuple:
    """With chance `level` a uniformly random action is taken, which may be the chosen one."""
    return memory, xp.where(draw[0] < level, uniform_value(xp, draw, space), value)


def other(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Discrete) -> tuple:
    """With chance `level` another action is taken, each of the others equally likely."""
    return memory, xp.where(draw[0] < level, another_value(xp, draw[1], value, space), value)


def uniform_value(xp: Any, draw: Any, space: Numbers) -> Any:
    """A value of the space from the draws after the first."""
    spread = draw[1:].reshape(space.shape) if space.shape else draw[1]
    if isinstance(space, Discrete):
        size = xp.asarray(space.n, space.dtype)
        return xp.asarray(space.start + xp.minimum(xp.floor(spread * size), size - 1), space.dtype)
    return xp.asarray(space.low + spread * (space.high - space.low), space.dtype)


def report_repetition(
    xp: Any, level: Any, memory: Any, draw: Any, chosen: Any, sent: Any, ends: Any, space: Any
) -> tuple:
    """Opportunity: there is an action to repeat. Event: it is repeated. Detail: the action executed."""
    return memory[1], (draw < level) & memory[1], sent


def report_replacement(
    xp: Any, level: Any, memory: Any, draw: Any, chosen: Any, sent: Any, ends: Any, space: Any
) -> tuple:
    """Opportunity: every step. Event: another action is drawn. Detail: the action executed."""
    return True, draw[0] < level, sent


def repeat(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """An action is held for `level` steps; choices in between are ignored."""
    held, count = memory
    action = xp.where(count % level == 0, value, held)
    return (action, count + 1), action


def report_postponement(
    xp: Any, level: Any, memory: Any, draw: Any, chosen: Any, sent: Any, ends: Any, space: Any
) -> tuple:
    """Opportunity: a delay is on. Event: the action executed is not the chosen one. Detail: the former."""
    return level > 0, differs(chosen, sent), sent


def one_of_several(space: Space) -> str:
    if not isinstance(space, Discrete) or isinstance(space.n, tuple):
        return "another action can be drawn only where an action is one whole number"
    return "there is no other action than the one" if space.n < 2 else ""


def drawable_space(space: Space) -> str:
    if isinstance(space, Box) and not space.bounded:
        return "a random action can be drawn only from a bounded Box"
    return plain_space(space)


action_axis = partial(channel_axis, "action")

AXES = (
    action_axis("action.random", "dose", 0.0, (0.05, 0.1, 0.25, 0.5), random, low=0, high=1,
                draw=whether_and_which, fits=drawable_space, report=report_replacement, per_frame=True,
                means="chance that a random action is taken instead", origin="STORI", stochasticity="1"),
    action_axis("action.other", "dose", 0.0, (0.05, 0.1, 0.25, 0.5), other, low=0, high=1,
                draw=whether_and_which, fits=one_of_several, report=report_replacement, per_frame=True,
                means="chance that another action is taken, never the chosen one",
                origin="MDP Playground, wrapper", stochasticity="1"),
    action_axis("action.sticky", "dose", 0.0, (0.1, 0.25, 0.5), keep_last, low=0, high=1, memory=last_value,
                draw=one_uniform, fits=plain_space, report=report_repetition, per_frame=True,
                means="chance that the action executed before is executed again",
                origin="ALE", stochasticity="1"),
    action_axis("action.delay", "dose", 0, (1, 2, 4), delay_value, low=0, high=1000, memory=ring,
                fits=plain_space, sized=True, report=report_postponement, per_frame=True,
                means="steps between choosing an action and its execution", origin="real-time RL"),
    action_axis("action.repeat", "dose", 1, (2, 3, 4), repeat, low=1, high=1000, memory=value_and_count,
                fits=plain_space, means="steps for which an action is held", origin="frame skip"),
    *action_matrix.AXES,
)  # fmt: skip
