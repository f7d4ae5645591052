"""Channel variations of the action: what the agent chose, on its way to the env."""

from __future__ import annotations

from typing import Any

from assay.core.axis import Axis, stochastic
from assay.core.space import Box, Discrete, Numbers, Space
from assay.core.variation import Channel, push
from assay.variations.channel_parts import (
    another_value,
    differs,
    last_value,
    one_uniform,
    plain_space,
    ring,
    value_and_count,
    whether_and_which,
)


def random(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Numbers) -> tuple:
    """With chance `level` a uniformly random action is taken, the intended one included."""
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


def sticky(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """With chance `level` the action executed before is executed again."""
    # The draw comes from this variation's own stream and is made at every step, used or not: the same seed
    # then gives the same world with and without the variation, so the two runs can be compared in pairs.
    previous, any_yet = memory
    action = xp.where((draw < level) & any_yet, previous, value)
    return (action, any_yet | True), action


def report_repetition(
    xp: Any, level: Any, memory: Any, draw: Any, chosen: Any, sent: Any, ends: Any, space: Any
) -> tuple:
    """Of `sticky`: there is an action to repeat; it is repeated. The detail is the action executed."""
    return memory[1], (draw < level) & memory[1], sent


def report_replacement(
    xp: Any, level: Any, memory: Any, draw: Any, chosen: Any, sent: Any, ends: Any, space: Any
) -> tuple:
    """Of `random` and `other`: at every step; an action is drawn. The detail is the action executed."""
    return True, draw[0] < level, sent


def delay(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """What was chosen `level` steps ago is executed; before there is such a choice, the space's zero."""
    past, count = memory
    past, due = push(past, count, value, level)
    return (past, count + 1), due


def report_postponement(
    xp: Any, level: Any, memory: Any, draw: Any, chosen: Any, sent: Any, ends: Any, space: Any
) -> tuple:
    """Of `delay`: while it is on; the action executed is not the one chosen. The detail is the former."""
    return level > 0, differs(chosen, sent), sent


def repeat(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """An action is held for `level` steps; what is chosen in between is ignored."""
    held, count = memory
    action = xp.where(count % level == 0, value, held)
    return (action, count + 1), action


def one_of_several(space: Space) -> str:
    if not isinstance(space, Discrete) or isinstance(space.n, tuple):
        return "another action can be drawn only where an action is one whole number"
    return "one action leaves no other" if space.n < 2 else ""


def drawable_space(space: Space) -> str:
    if isinstance(space, Box) and not space.bounded:
        return "a random action can be drawn only from a bounded Box"
    return plain_space(space)


AXES = (
    Axis(
        "action.random", ("action",), "dose", float, 0.0, (0.05, 0.1, 0.25, 0.5), low=0, high=1,
        means="chance that a random action is taken instead", origin="STORI type 1.1",
        tags=stochastic("action"),
        acts=Channel(0.0, "action.random", ("action",), random, draw=whether_and_which, fits=drawable_space,
                     report=report_replacement, per_frame=True),
    ),
    Axis(
        "action.other", ("action",), "dose", float, 0.0, (0.05, 0.1, 0.25, 0.5), low=0, high=1,
        means="chance that another action is taken, never the chosen one", origin="MDP Playground, wrapper",
        tags=stochastic("action"),
        acts=Channel(0.0, "action.other", ("action",), other, draw=whether_and_which, fits=one_of_several,
                     report=report_replacement, per_frame=True),
    ),
    Axis(
        "action.sticky", ("action",), "dose", float, 0.0, (0.1, 0.25, 0.5), low=0, high=1,
        means="chance that the action executed before is executed again", origin="ALE; STORI type 1.1",
        tags=stochastic("action"),
        acts=Channel(0.0, "action.sticky", ("action",), sticky, memory=last_value, draw=one_uniform,
                     fits=plain_space, report=report_repetition, per_frame=True),
    ),
    Axis(
        "action.delay", ("action",), "dose", int, 0, (1, 2, 4), low=0, high=1000,
        means="steps between choosing an action and its execution", origin="real-time RL",
        acts=Channel(0, "action.delay", ("action",), delay, neutral=0, memory=ring, fits=plain_space,
                     sized=True, report=report_postponement, per_frame=True),
    ),
    Axis(
        "action.repeat", ("action",), "dose", int, 1, (2, 3, 4), low=1, high=1000,
        means="steps for which an action is held", origin="frame skip",
        acts=Channel(1, "action.repeat", ("action",), repeat, neutral=1, memory=value_and_count,
                     fits=plain_space),
    ),
)  # fmt: skip
