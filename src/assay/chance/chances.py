"""Chances as plain arrays: what makes them valid, and their entropy. All information is in bits."""

from __future__ import annotations

import numpy as np

from assay.errors import WrongLevel

SUM_TOLERANCE = 1e-9  # how far chances may miss 1: the rounding of a long sum, not a slip of the pen


def require_chances(values: np.ndarray, what: str) -> np.ndarray:
    """`values` as float64 whose last axis adds up to 1; refused otherwise."""
    try:
        chances = np.asarray(values, float)
    except (TypeError, ValueError):  # rows of different lengths too
        raise WrongLevel(f"{what} must be an array of chances, rows of one length; correct it.") from None
    if chances.ndim == 0 or chances.size == 0:
        raise WrongLevel(
            f"{what} must be an array of chances, not of shape {chances.shape}; give one number each."
        )
    if not np.isfinite(chances).all() or chances.min() < 0:
        raise WrongLevel(
            f"{what} must hold chances from 0 to 1, not {find_wrong_entry(chances):g}; correct it."
        )
    totals = chances.sum(axis=-1)
    off = np.abs(totals - 1) > SUM_TOLERANCE
    if off.any():
        place = np.argwhere(np.atleast_1d(off))[0].tolist()
        which = f"row {', '.join(map(str, place))} of {what}" if chances.ndim > 1 else what
        raise WrongLevel(
            f"{which} must add up to 1, not {np.atleast_1d(totals)[tuple(place)]:.9g}; correct it."
        )
    return chances


def find_wrong_entry(chances: np.ndarray) -> float:
    return float(chances[~np.isfinite(chances) | (chances < 0)][0])


def require_chance(value: float, what: str) -> float:
    """One chance, from 0 to 1."""
    if not 0 <= value <= 1:
        raise WrongLevel(f"{what} is a chance from 0 to 1, not {value}.")
    return float(value)


def entropy(chances: np.ndarray, axis: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Bits of uncertainty along `axis`; an impossible outcome counts nothing."""
    # max: the sum of no more than one certain outcome is -0.0.
    bits: np.ndarray = np.maximum(-np.sum(times_log2(chances, chances), axis=axis), 0.0)
    return bits


def times_log2(weight: np.ndarray, value: np.ndarray) -> np.ndarray:
    """weight * log2(value), 0 where the weight is 0."""
    weight, value = np.broadcast_arrays(np.asarray(weight, float), np.asarray(value, float))
    with np.errstate(divide="ignore"):  # log 0 is minus infinity, which is what a weight above 0 asks for
        logs = np.log2(value, where=weight > 0, out=np.zeros(weight.shape))
    product: np.ndarray = weight * logs
    return product
