"""Channel variations of the observation, between the env and the agent."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from assay.core.space import Box, Discrete, Numbers, Space
from assay.core.variation import read, write
from assay.variations.channel_axis import channel_axis
from assay.variations.channel_parts import (
    another_value,
    describe,
    differs,
    keep_last,
    last_value,
    one_uniform,
    plain_space,
    ring,
)

WALK_STEP, WALK_EDGE = 1.0, 10.0  # the largest action and half the side of toy/continuous


def noise(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Numbers) -> tuple:
    """Box: normal noise with a deviation of `level` space units. Discrete: another value with that chance."""
    if isinstance(space, Discrete):
        return memory, xp.where(draw[0] < level, another_value(xp, draw[1], value, space), value)
    moved = value + level * space.unit * draw
    return memory, xp.where(level == 0, value, into_box(xp, moved, space))


def into_box(xp: Any, value: Any, space: Box) -> Any:
    """Puts a value back into the space: whole numbers for pixels, clipped at the bounds."""
    if space.dtype.startswith(("int", "uint")):
        value = xp.floor(value + 0.5)
    # Not xp.clip: numpy's takes four times as long on the small arrays of a host.
    return xp.asarray(xp.minimum(xp.maximum(value, space.low), space.high), space.dtype)


def normal(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Box) -> tuple:
    """Normal noise in the observation's own units, clipped at the bounds of the space."""
    return memory, xp.where(level == 0, value, into_box(xp, value + level * draw, space))


def dropout(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Numbers) -> tuple:
    """With chance `level` the observation is lost: zeros for a Box, the last one seen for a Discrete."""
    if isinstance(space, Box):
        return memory, xp.where(draw < level, xp.full(space.shape, space.zero, space.dtype), value)
    return keep_last(xp, level, memory, draw, value, ends, space)


def report_loss(
    xp: Any, level: Any, memory: Any, draw: Any, value: Any, seen: Any, ends: Any, space: Any
) -> tuple:
    """Opportunity: every step, for a Discrete after the first. Event: the observation is lost."""
    possible = True if isinstance(space, Box) else memory[1]
    return possible, (draw < level) & possible, None


def report_misreading(
    xp: Any, level: Any, memory: Any, draw: Any, value: Any, seen: Any, ends: Any, space: Any
) -> tuple:
    """Opportunity: the variation is on. Event: the observation differs from the true one."""
    return level > 0, differs(value, seen), None


def delay(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """Shows the observation of `level` steps ago, at first the first one."""
    past, count = memory
    past = write(past, count % len(past), value)
    return (past, count + 1), read(past, xp.maximum(count - level, 0) % len(past))


def quantise(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Box) -> tuple:
    """Rounds to multiples of `level` units of the space."""
    grain = xp.where(level == 0, 1, level * space.unit)
    return memory, xp.where(level == 0, value, into_box(xp, xp.floor(value / grain + 0.5) * grain, space))


def irrelevant(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """Appends as many random entries as were drawn: standard normal for a Box, any value for a Discrete."""
    if not len(draw):
        return memory, value
    if isinstance(space, Discrete):
        sizes = np.resize(np.asarray(space.n, space.dtype), len(draw))
        draw = space.start + xp.minimum(xp.floor(draw * sizes), sizes - 1)
    entries = xp.asarray(value, space.dtype).reshape(-1), xp.asarray(draw, space.dtype)
    return memory, xp.concatenate(entries)


def process(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """Appends the position of a point that walks at random in a box: toy/continuous under random actions."""
    if not len(draw):
        return memory, value
    position, any_yet = memory
    push = 2 * draw - 1  # the first draw, at reset, sets the start
    position = xp.where(any_yet, position + push * WALK_STEP, push * WALK_EDGE)
    position = xp.minimum(xp.maximum(position, -WALK_EDGE), WALK_EDGE)
    wider = xp.concatenate((value.reshape(-1), xp.asarray(position, space.dtype)))
    return (position, any_yet | True), wider


def walker_start(xp: Any, space: Space, bound: int) -> tuple:
    return xp.zeros((bound,), "float32"), xp.zeros((), "bool")


def space_with_walker(space: Box, bound: int) -> Space:
    return widen(space, bound, WALK_EDGE) if bound else space


def space_with_entries(space: Numbers, bound: int) -> Space:
    if not bound:
        return space
    if isinstance(space, Discrete):
        sizes = space.n if isinstance(space.n, tuple) else (space.n,)
        return Discrete(sizes + tuple(int(n) for n in np.resize(sizes, bound)), space.start)
    return widen(space, bound, np.inf)


def widen(space: Box, count: int, edge: float) -> Box:
    """A Box as a vector with `count` more entries, each from -edge to edge."""
    low, high = (np.broadcast_to(bound, space.shape).reshape(-1) for bound in (space.low, space.high))
    more = np.full(count, edge, "float32")
    return Box(np.concatenate([low, -more]), np.concatenate([high, more]), (low.size + count,), space.dtype)


def stack(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Space) -> tuple:
    """The last observations side by side, oldest first; at first the first one fills the stack."""
    if not memory:
        return memory, value
    past, any_yet = memory
    value = xp.asarray(value, space.dtype).reshape(one_frame(space))
    width = value.shape[-1]
    if any_yet is not True:  # a host knows which; a compiled program computes both and chooses
        past = xp.where(any_yet, past, xp.concatenate([value] * (past.shape[-1] // width), axis=-1))
    frames = xp.concatenate((past, value), axis=-1)
    # A copy, because the agent may write into its observation.
    past = xp.array(frames[..., width:])
    return (past, True if xp is np else any_yet | True), frames


def one_frame(space: Space) -> tuple[int, ...]:
    """The shape of one observation in a stack; numbers and gray pictures get a last axis of length 1."""
    return (*space.shape, 1) if len(space.shape) in (0, 2) else space.shape


def frames_before(xp: Any, space: Space, bound: int) -> tuple:
    """The previous observations, one fewer than the stack holds, and whether there are any."""
    if bound < 2:
        return ()
    *across, width = one_frame(space)
    return xp.zeros((*across, width * (bound - 1)), space.dtype), xp.zeros((), "bool")


def stacked_space(space: Box, bound: int) -> Space:
    if bound < 2:
        return space
    *across, width = frame = one_frame(space)
    low, high = (
        np.concatenate([np.reshape(edge, frame)] * bound, axis=-1) if np.ndim(edge) else edge
        for edge in (space.low, space.high)
    )
    return Box(low, high, (*across, width * bound), space.dtype, frames=bound)


def noise_draw(space: Space, bound: int) -> tuple:
    return ("uniform", (2, *space.shape)) if isinstance(space, Discrete) else ("normal", space.shape)


def last_of_discrete(xp: Any, space: Space, bound: int) -> tuple:
    return last_value(xp, space, bound) if isinstance(space, Discrete) else ()


def several_values(space: Space) -> str:
    if isinstance(space, Discrete) and np.min(space.n) < 2:
        return "an observation with only one value has no other value"
    return plain_space(space)


def box_only(space: Space) -> str:
    if isinstance(space, Discrete):
        return "a Discrete observation cannot be rounded, nor moved a little"
    return plain_space(space)


def any_box(space: Space) -> str:
    if isinstance(space, Box):
        return ""
    return f"it stacks Box observations, and these are {describe(space)}; leave it out"


def fractional_box(space: Space) -> str:
    """For noise in the observation's own units: on whole numbers a deviation of 0.1 is rounded away."""
    why = box_only(space)
    if not why and not space.dtype.startswith("float"):
        return "on whole numbers small noise is rounded away; observation.noise is in units of their range"
    return why


def flat(space: Space) -> str:
    if len(space.shape) > 1 or (isinstance(space, Box) and not space.dtype.startswith("float")):
        return "entries can be appended to vectors of fractions and to numbers, not to pictures or bytes"
    return plain_space(space)


def irrelevant_draw(space: Space, bound: int) -> tuple:
    return ("uniform" if isinstance(space, Discrete) else "normal"), (bound,)


def walk_draw(space: Space, bound: int) -> tuple:
    return "uniform", (bound,)


def normal_draw(space: Space, bound: int) -> tuple:
    return "normal", space.shape


def vector_box(space: Space) -> str:
    return "it appends entries to Box observations only" if isinstance(space, Discrete) else flat(space)


observation_axis = partial(channel_axis, "observation", low=0)

AXES = (
    observation_axis("observation.noise", "dose", 0.0, (0.05, 0.1, 0.25, 0.5), noise, high=1,
                     draw=noise_draw, fits=several_values, report=report_misreading,
                     origin="MDP Playground", stochasticity="3.2",
                     means="Box: standard deviation in half ranges; "
                           "Discrete: chance of seeing another value"),
    observation_axis("observation.normal", "dose", 0.0, (0.01, 0.1, 1.0), normal, draw=normal_draw,
                     fits=fractional_box, report=report_misreading, origin="MDP Playground, wrapper",
                     stochasticity="3.2",
                     means="standard deviation of normal noise in the observation's own units"),
    observation_axis("observation.dropout", "dose", 0.0, (0.1, 0.25, 0.5), dropout, high=1,
                     memory=last_of_discrete, draw=one_uniform, fits=plain_space, report=report_loss,
                     origin="flickering Atari", stochasticity="3.2",
                     means="chance that an observation is lost: zeros for a Box, else the last one seen"),
    observation_axis("observation.delay", "dose", 0, (1, 2, 4), delay, high=1000, sized=True,
                     memory=ring, fits=plain_space, report=report_misreading, origin="real-time RL",
                     stochasticity="3.2", means="steps by which observations are late"),
    observation_axis("observation.quantise", "dose", 0.0, (0.1, 0.25, 0.5), quantise, high=1, fits=box_only,
                     origin="assay", stochasticity="3.2",
                     means="step to which a Box is rounded, in half ranges"),
    observation_axis("observation.irrelevant", "structure", 0, (1, 4, 16), irrelevant, high=10_000,
                     draw=irrelevant_draw, space=space_with_entries, fits=flat, sized=True,
                     origin="MDP Playground", stochasticity="3.1",
                     means="random entries appended to the observation"),
    observation_axis("observation.process", "structure", 0, (1, 2, 8), process, high=10_000,
                     memory=walker_start, draw=walk_draw, space=space_with_walker, fits=vector_box,
                     sized=True, origin="MDP Playground, wrapper", stochasticity="3.1",
                     means="entries appended: position of a point that walks at random within -10 and 10"),
    observation_axis("observation.stack", "structure", 1, (2, 4), stack, low=1, high=100, sized=True,
                     memory=frames_before, space=stacked_space, fits=any_box, origin="DQN on Atari; KAGE-Env",
                     stochasticity="3.1",
                     means="last observations shown together, oldest first, along the last axis: "
                           "the channels of pictures"),
)  # fmt: skip
