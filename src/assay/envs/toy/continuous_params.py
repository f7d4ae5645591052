"""The settings of `toy/continuous`. Their names are MDP Playground's config keys; no jax here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.axis import LARGEST, as_plain_number, axis, show_value, structure, takes
from assay.envs.toy import image_axes, shared_axes
from assay.envs.toy.setting_types import PLAYGROUND, function, is_function, or_function, whole
from assay.envs.toy.shared_axes import ALL, EXAMPLES
from assay.errors import WrongLevel


@takes("a number above 0, or a list with one per dimension")
def positive(value: Any) -> float | tuple[float, ...]:
    if isinstance(value, (tuple, list)):
        if not value:
            raise WrongLevel("a list must hold one number per dimension.")
        return tuple(positive_number(each) for each in value)
    return positive_number(value)


def positive_number(value: Any) -> float:
    if not 0 < number(value) < 1e30:
        raise WrongLevel("it must be above 0 and below 1e30.")
    return number(value)


@takes("a list of dimensions, from 0 up")
def dimensions(value: Any) -> tuple[int, ...]:
    indices = tuple(sorted({whole(each) for each in value}))
    if not indices or indices[0] < 0:
        raise WrongLevel("name at least one dimension, from 0 up.")
    return indices


POINTS = "a point such as [1.0, 2.0], or a list of such points"


@takes(POINTS)
def points(value: Any) -> tuple[tuple[float, ...], ...]:
    several = value if value and isinstance(value[0], (tuple, list)) else (value,)
    listed = tuple(tuple(number(each) for each in point) for point in several)
    if not listed[0] or len({len(point) for point in listed}) != 1:
        raise WrongLevel("all points must have the same length, and there must be at least one.")
    return listed


@takes('one of move_to_a_point, move_along_a_line, or the text "module:function" of a function of the last '
       "positions and the action, in jax.numpy")  # fmt: skip
def goal(value: Any) -> str:
    if value in ("move_to_a_point", "move_along_a_line") or is_function(value):
        return value
    raise WrongLevel("a function is written module:function.")


def number(value: Any) -> float:
    plain = as_plain_number(value)
    if plain is None or not abs(plain) < LARGEST:  # NaN too
        raise WrongLevel(f"{show_value(value)} is not a number.")
    return float(plain)


@dataclass(frozen=True)
class Continuous:
    """toy/continuous: a point that is pushed through a box towards a target."""

    # What sets shapes, spaces or code.
    state_space_dim: int = structure(
        ALL, 2, low=1, high=1000, levels=(3, 4, 6, 10), origin=PLAYGROUND,
        means="dimensions of the box, and of the action",
    )  # fmt: skip
    relevant_indices: Any = structure(
        "initial reward terminal", (), type=dimensions, levels=((0,),), asks=True,
        context="target_radius=1.0", origin=PLAYGROUND,
        means="the dimensions that count for the reward and the end; all of them where none is named",
    )  # fmt: skip
    state_space_max: float = structure(
        "initial transition observation", 10.0, type=positive, levels=(5.0, 20.0), asks=True,
        origin=PLAYGROUND, means="half the side of the box",
    )  # fmt: skip
    action_space_max: Any = structure(
        "action", 1.0, type=positive, levels=(0.1, 0.25, 0.5, 2.0, 4.0, 8.0), asks=True, origin=PLAYGROUND,
        means="largest action, in every dimension or one number for each",
    )  # fmt: skip
    transition_dynamics_order: int = structure(
        "transition", 1, low=1, high=10, levels=(2, 3), asks=True, origin=PLAYGROUND,
        means="which derivative of the position the action sets; the others are not seen",
    )  # fmt: skip
    observe_velocity: bool = structure(
        "observation", False, levels=(True,), needs=("transition_dynamics_order",),
        context="transition_dynamics_order=2", origin="assay",
        means="show the derivatives too, which else are hidden state",
    )  # fmt: skip
    invalid_action: str = structure(
        "action transition reward", "clip", choices=("clip", "zero", "hold", "error"),
        levels=("error", "zero", "hold"), asks=True, context=f"{EXAMPLES}:overshoot=2.0", origin=PLAYGROUND,
        means="what becomes of an action beyond its bounds: it is cut to them, or is no push at all, or "
        "nothing moves (the original), or assay.make refuses it and a compiled program pays NaN",
    )  # fmt: skip
    transition_function: str = structure(
        "transition", "", type=function, levels=(f"{EXAMPLES}:turned",),
        excludes=("transition_dynamics_order", "time_unit", "inertia"), origin=PLAYGROUND,
        means="a function (position, action) -> the position after, in jax.numpy; noise and walls come later",
    )  # fmt: skip
    transition_noise_function: str = structure(
        "transition", "", type=function, levels=(f"{EXAMPLES}:wind",), origin=PLAYGROUND,
        means="a function (key, position, action) -> noise, one number per dimension, in jax.numpy, that is "
        "added to the new position",
    )  # fmt: skip
    reward_function: str = structure(
        "initial reward terminal", "move_to_a_point", type=goal,
        levels=("move_along_a_line", f"{EXAMPLES}:pays_progress"), asks=True, origin=PLAYGROUND,
        means="what is asked: reach the target, move in a straight line, or what a function pays for the "
        "last sequence_length + 1 positions (oldest first, NaN before the start) and the action",
    )  # fmt: skip
    sequence_length: int = shared_axes.sequence_length(
        10, (5, 20), "positions that are to lie on one line, or how far back a function looks", high=1000,
        needs=("reward_function",), context="reward_function=move_along_a_line",
    )  # fmt: skip
    make_denser: bool = shared_axes.make_denser(
        True, "pay the distance gained at every step; else 1 on arrival",
        needs=("reward_function=move_to_a_point",),
    )  # fmt: skip
    target_point: Any = shared_axes.target_point(
        points, (((5.0, 5.0),), ((5.0, 5.0), (-5.0, -5.0))),
        "the target in the relevant dimensions, or several, of which the nearest counts",
        needs=("reward_function=move_to_a_point",), context="target_radius=2.0",
    )  # fmt: skip
    terminal_states: Any = shared_axes.terminal_states(
        or_function(POINTS, points, "position -> whether it is terminal, in jax.numpy"),
        (((3.0, 3.0), (-3.0, 3.0), (3.0, -3.0), (-3.0, -3.0)), f"{EXAMPLES}:beyond_three"),
        "centres of terminal boxes in the relevant dimensions, or a function that tells where it ends",
        context="state_space_max=4.0",
    )  # fmt: skip
    noise_kind: str = structure(
        "transition", "process", choices=("process", "observation"), levels=("observation",),
        needs=("transition_noise|transition_noise_function",), context="transition_noise=0.5",
        origin=f"{PLAYGROUND}'s code",
        means="whether noise moves the point for good, or only for the step in which it is seen and paid",
    )  # fmt: skip
    # Pictures in place of numbers.
    image_representations: bool = image_axes.image_representations(excludes=("observe_velocity",))
    image_width: int = image_axes.image_side("width", low=16)
    image_height: int = image_axes.image_side("height", low=16)
    gate: str = shared_axes.gate_of_steps()
    flush_on_end: bool = shared_axes.flush_on_end()
    # Traced: one program serves every level.
    reward_every_n_steps: int = shared_axes.reward_every_n_steps()
    time_unit: float = axis(
        "transition", 1.0, low=1e-6, high=1e6, levels=(0.1, 0.2, 0.5, 2.0, 4.0, 8.0), origin=PLAYGROUND,
        means="how long an action lasts",
    )  # fmt: skip
    inertia: Any = axis(
        "transition", 1.0, type=positive, levels=(0.5, 2.0, 5.0), origin=PLAYGROUND,
        means="what the action is divided by, in every dimension or one number for each",
    )  # fmt: skip
    target_radius: float = axis(
        "initial reward terminal", 0.05, low=0, high=1e6, levels=(0.1, 0.25, 0.5, 1.0), asks=True,
        needs=("reward_function=move_to_a_point",), context="state_space_max=2.0+make_denser=false",
        origin=PLAYGROUND, means="distance from the target within which it is reached",
    )  # fmt: skip
    term_state_edge: float = axis(
        "initial terminal", 1.0, low=0, high=1e6, levels=(0.5, 2.0), needs=("terminal_states",),
        context="state_space_max=4.0+terminal_states=[[3.0,3.0],[-3.0,-3.0]]", origin=PLAYGROUND,
        means="side of the terminal boxes",
    )  # fmt: skip
    action_loss_weight: float = axis(
        "reward", 0.0, low=0, levels=(0.01, 0.1, 1.0), origin=PLAYGROUND,
        means="what each unit of the action's length costs",
    )  # fmt: skip
    horizon: int = shared_axes.horizon()


INNER = (
    shared_axes.transition_noise(
        "standard deviation of normal noise on the new position, in every dimension",
        acts="assay.envs.toy.continuous:TRANSITION_NOISE",
        levels=(0.01, 0.1, 0.25, 0.5, 1.0),
        high=1e6,
    ),
    shared_axes.hidden_mode("chance per step that a hidden mode flips, in which actions push the other way"),
    shared_axes.state_jump(
        "chance per step that it ends in a point drawn anew, where an episode could begin",
        acts="assay.envs.toy.jumps:CONTINUOUS",
    ),
    shared_axes.reward_noise_function("assay.envs.toy.continuous:REWARD_NOISE", f"{EXAMPLES}:gusts"),
)
