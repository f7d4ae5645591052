"""Checks that toy/continuous makes when it is built, among them of the user's own functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.envs.toy.continuous_params import Continuous
from assay.envs.toy.setting_types import is_function
from assay.envs.toy.traced_functions import float_shape, trace_function
from assay.errors import NotApplicable, WrongLevel
from assay.task_text import DRAWN, Setting

MOST_TAKEN = (
    0.95  # share of the box in which no episode starts: a thousand tries all fall into it with chance 1e-22
)


class OwnFunctions(NamedTuple):
    """The user's functions; None where the env has its own."""

    transition: Callable | None = None  # position, action -> position
    noise: Callable | None = None  # key, position, action -> (D,)
    reward: Callable | None = None  # positions, action -> ()
    terminal: Callable | None = None  # position -> () bool


def load_own_functions(settings: Continuous, others: Mapping[str, Any]) -> OwnFunctions:
    """The functions that the settings name; those that jax cannot trace are refused."""
    position = float_shape(settings.state_space_dim)
    functions: dict[str, Callable] = {}
    takes: dict[str, Any]
    if settings.transition_function:
        takes = {"position": position, "action": position}
        functions["transition"] = trace_function(
            "transition_function", settings.transition_function, takes, position.shape
        )
    if settings.transition_noise_function:
        takes = {"key": jax.random.key(0), "position": position, "action": position}
        text = settings.transition_noise_function
        functions["noise"] = trace_function("transition_noise_function", text, takes, position.shape)
    if is_function(settings.reward_function):
        takes = {"history": float_shape(settings.sequence_length + 1, *position.shape), "action": position}
        functions["reward"] = trace_function("reward_function", settings.reward_function, takes)
    elif settings.sequence_length < 2:
        raise WrongLevel("sequence_length takes a whole number from 2 up for move_along_a_line, not 1.")
    if is_function(settings.terminal_states):
        if "term_state_edge" in others:
            raise NotApplicable(
                "term_state_edge is the side of terminal boxes, and terminal_states is a function; drop it."
            )
        takes = {"position": position}
        functions["terminal"] = trace_function("terminal_states", settings.terminal_states, takes, kinds="b")
    return OwnFunctions(**functions)


def check_room(
    settings: Continuous,
    others: Mapping[str, Any],
    targets: np.ndarray,
    relevant: tuple[int, ...],
    side: np.ndarray,
    terminal: Callable | None,
) -> None:
    """Refuses targets and terminal regions that leave too little of the box to start in; `side` is (D,)."""
    radius, edge = (
        largest_level(others[name]) if name in others else getattr(settings, name)
        for name in ("target_radius", "term_state_edge")
    )
    everywhere = np.random.default_rng(0).uniform(-side, side, (1000, len(side))).astype(np.float32)
    positions = everywhere[:, None, list(relevant)]
    taken = np.zeros(1000, bool)
    if settings.reward_function == "move_to_a_point":
        taken |= (((positions - targets) ** 2).sum(-1) < radius**2).any(-1)
    if terminal:
        taken |= np.asarray(jax.vmap(terminal)(jnp.asarray(everywhere)), bool)
    elif settings.terminal_states:
        apart = np.abs(positions - np.array(settings.terminal_states, float))
        taken |= (apart <= edge / 2).all(-1).any(-1)
    if taken.mean() > MOST_TAKEN:
        ends = "terminal_states" if terminal else f"the terminal boxes of term_state_edge={edge:g}"
        raise WrongLevel(
            f"target_radius={radius:g} and {ends} take "
            f"{taken.mean():.0%} of the box, and episodes start in the rest; leave {1 - MOST_TAKEN:.0%}."
        )


def largest_level(setting: Setting) -> float:
    """The largest level that an episode may have."""
    drawn_levels = setting.schedule.numbers if setting.schedule and setting.schedule.kind in DRAWN else ()
    levels: tuple[Any, ...] = (setting.value, *drawn_levels)
    return max(levels)


def per_dimension(name: str, value: float | tuple[float, ...], size: int) -> np.ndarray:
    if isinstance(value, tuple) and len(value) != size:
        raise WrongLevel(
            f"{name} has {len(value)} numbers, and there are {size} dimensions; give one or {size}."
        )
    return np.broadcast_to(np.asarray(value, np.float32), (size,))


def check_points(name: str, points: tuple, relevant: tuple, side: np.ndarray) -> None:
    for point in points:
        if len(point) != len(relevant):
            raise WrongLevel(
                f"{name} has points of {len(point)} numbers, and {len(relevant)} "
                "dimensions are relevant; give as many."
            )
        if any(abs(x) > side[i] for x, i in zip(point, relevant)):
            raise WrongLevel(
                f"{name} names {list(point)}, which lies outside of the box; name a point in it."
            )
