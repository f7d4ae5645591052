"""How far two action distributions in one state are apart: total variation, KL divergence, changed choice.

Arrays of probabilities have the shape (..., actions); each function gives one number per state. All three
are 0 where both distributions are the same numbers, without any rounding.
"""

from __future__ import annotations

import math

import numpy as np

LEAST = 1e-6  # share of uniform play that both distributions are mixed with before KL is computed


def total_variation(plain: np.ndarray, varied: np.ndarray) -> np.ndarray:
    """Half the sum of absolute differences: the largest change of any event's probability, from 0 to 1."""
    distance: np.ndarray = np.abs(_floats(plain) - _floats(varied)).sum(-1) / 2
    return distance


def kl_divergence(plain: np.ndarray, varied: np.ndarray) -> np.ndarray:
    """KL(plain || varied) in nats, after both are mixed with a share of uniform play.

    Without that, an action that the varied policy never takes would make it infinite. So it stays below
    ln(actions / LEAST), which is the value of a greedy policy's changed choice; of a softmax it moves by
    about LEAST.
    """
    p, q = (_mixed(_floats(each)) for each in (plain, varied))
    divergence: np.ndarray = np.maximum((p * (np.log(p) - np.log(q))).sum(-1), 0.0)
    return divergence


def largest_divergence(actions: int) -> float:
    """The KL divergence of two distributions that have no action in common, each sure of its own."""
    return math.log(actions / LEAST)  # but for terms of the size of LEAST


def choice_changed(plain: np.ndarray, varied: np.ndarray) -> np.ndarray:
    """Whether no action is most likely in both; among equally likely ones, one in common is enough."""
    plain, varied = _floats(plain), _floats(varied)
    in_both = (plain == plain.max(-1, keepdims=True)) & (varied == varied.max(-1, keepdims=True))
    changed: np.ndarray = ~in_both.any(-1)
    return changed


def _floats(probabilities: np.ndarray) -> np.ndarray:
    return np.asarray(probabilities, np.float64)


def _mixed(probabilities: np.ndarray) -> np.ndarray:
    mixed: np.ndarray = (1 - LEAST) * probabilities + LEAST / probabilities.shape[-1]
    return mixed
