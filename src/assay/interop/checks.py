"""Checks of the seeds, options and actions that callers pass in. No jax here."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core.axis import show_value
from assay.core.space import Box, Discrete, Numbers
from assay.errors import AssayError, NotApplicable
from assay.tasks import Resolved, wrong_seed_error

SEEDS = 2**64
NOISE_SEED = (
    "noise_seed"  # an option of reset: variations and their clocks draw from it, the env from the seed
)


class WrongAction(AssayError):
    """An action outside the action space, of a wrong shape, or not numeric."""


class OutOfTurn(AssayError):
    """A step before the first reset or after an end."""


def seed_of(seed: Any) -> int:
    """A seed as a Python int; numpy's whole numbers are seeds, booleans are not."""
    try:
        number = operator.index(seed)
    except TypeError:
        raise wrong_seed_error(seed) from None
    if isinstance(seed, bool) or not 0 <= number < SEEDS:
        raise wrong_seed_error(seed)
    return number


def draw_seed(lanes: int = 1) -> int:
    """A seed from the operating system, such that the seeds of all lanes (seed + i) are seeds too."""
    return secrets.randbelow(SEEDS - lanes + 1)


def refuse_options(options: Mapping[str, Any] | None, known: tuple[str, ...] = ()) -> None:
    for name in options or ():
        if name not in known:
            takes = " and ".join(known) if known else "none"
            raise NotApplicable(f"reset has no option {name!r} (it takes {takes}); drop it.")


def noise_seed_of(options: Mapping[str, Any] | None, seeded: bool) -> Any:
    """The noise seed among the options of a reset as it was given, None where there is none."""
    noise = (options or {}).get(NOISE_SEED)
    if noise is not None and not seeded:
        raise NotApplicable(
            f"{NOISE_SEED} goes with a seed; write reset(seed=0, options={{{NOISE_SEED!r}: 1}})."
        )
    return noise


def out_of_turn_error(first: bool) -> OutOfTurn:
    why = "no episode has begun yet" if first else "the episode has ended"
    return OutOfTurn(f"{why}; call reset() before step().")


def takes_beyond(resolved: Resolved) -> bool:
    """Whether the env itself handles actions beyond their bounds; what is no number is refused anyway."""
    axis = next((each for each in resolved.entry.axes if each.name == "invalid_action"), None)
    return axis is not None and resolved.value(axis.name, axis.neutral) != "error"


def action_of(space: Numbers, action: Any, beyond: bool = False) -> int | np.ndarray:
    """One action as the env takes it: an int where it is one number, else an array of the space's dtype.

    With `beyond`, finite numbers beyond a Box's bounds pass, and the env handles them.
    """
    if not isinstance(space, Discrete) or isinstance(space.n, tuple):
        return array_of(space, action, space.shape, beyond)
    try:
        number = operator.index(action)
    except TypeError:
        raise wrong_action_error(space, action, space.shape) from None
    if not space.start <= number < space.start + space.n:
        raise wrong_action_error(space, action, space.shape)
    return number


def actions_of(space: Numbers, actions: Any, lanes: int, beyond: bool = False) -> np.ndarray:
    """One action per lane, (lanes, ...)."""
    return array_of(space, actions, (lanes, *space.shape), beyond)


def array_of(space: Numbers, action: Any, shape: tuple[int, ...], beyond: bool = False) -> np.ndarray:
    try:
        array = np.asarray(action)
    except (TypeError, ValueError):  # a ragged list
        raise wrong_action_error(space, action, shape) from None
    kinds = "iuf" if space.dtype.startswith("float") else "iu"
    if array.shape != shape or array.dtype.kind not in kinds:
        raise wrong_action_error(space, action, shape)
    if isinstance(space, Box):
        # Rounded first: float64's 0.1 is above float32's bound of 0.1, and is that bound.
        with np.errstate(over="ignore"):  # what is too large for float32 becomes infinite, and is refused
            array = array.astype(space.dtype)
        inside = np.isfinite(array) & (beyond | (array >= space.low) & (array <= space.high))
    else:
        inside = (array >= space.start) & (array < space.start + np.asarray(space.n))
    if not inside.all():
        raise wrong_action_error(space, action, shape)
    return array.astype(space.dtype, copy=False)


def wrong_action_error(space: Numbers, action: Any, shape: tuple[int, ...]) -> WrongAction:
    if isinstance(space, Box):
        what = f"an array of shape {space.shape} within the bounds of the action space"
    elif isinstance(space.n, tuple):
        what = f"a list of {len(space.n)} whole numbers from {space.start}, of sizes {list(space.n)}"
    else:
        what = f"a whole number from {space.start} to {space.start + space.n - 1}"
    if shape != space.shape:
        return WrongAction(f"step takes {shape[0]} actions, each {what}, not {show_value(action)}.")
    return WrongAction(f"an action is {what}, not {show_value(action)}.")
