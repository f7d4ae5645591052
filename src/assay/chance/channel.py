"""What reaches the env of an action: channels as row-stochastic matrices, and the bits that pass through.

A channel is a matrix with a row for each action chosen and a column for each action executed. `capacity` is
the most information per step that any way of choosing actions can send through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.chance.chances import entropy, require_chance, require_chances, times_log2
from assay.errors import AssayError, NotApplicable, WrongLevel

TOLERANCE = 1e-9  # bits between the bounds of a capacity
MOST_ROUNDS = 200_000
MOST_ENTRIES = 2**24  # of a matrix that is made of others
QUICKEST, SLOWEST = 1e6, 1.0  # strides of the search


class Capacity(NamedTuple):
    """The capacity of a channel lies between `bits` and `above`; these differ by no more than was asked."""

    bits: float  # reached by choosing actions with the chances `inputs`
    above: float  # no way of choosing passes more
    inputs: np.ndarray  # (actions,)
    rounds: int

    @property
    def gap(self) -> float:
        """The certificate: how far `bits` can be from the capacity."""
        return self.above - self.bits


def require_channel(matrix: np.ndarray) -> np.ndarray:
    """The matrix as float64, refused where it is no channel."""
    channel = require_chances(matrix, "a channel's matrix")
    if channel.ndim != 2:
        raise WrongLevel(
            f"a channel's matrix has rows and columns, not the shape {channel.shape}; give one row each."
        )
    return channel


def noiseless(actions: int) -> np.ndarray:
    """Every action is executed as chosen."""
    if actions < 1:
        raise WrongLevel(f"a channel needs at least one action, not {actions}.")
    return np.eye(actions)


def replacement(actions: int, chance: float, support: Sequence[int] | None = None) -> np.ndarray:
    """With this chance the action is drawn anew, uniformly over `support` (without it: all)."""
    kept, drawn = noiseless(actions), np.zeros(actions)
    places = list(range(actions)) if support is None else sorted(set(support))
    if not places or places[0] < 0 or places[-1] >= actions:
        raise WrongLevel(f"the support of a replacement names actions from 0 to {actions - 1}, not {places}.")
    drawn[places] = 1 / len(places)
    chance = require_chance(chance, "the replacement of an action")
    return (1 - chance) * kept + chance * drawn


def other(actions: int, chance: float) -> np.ndarray:
    """With this chance another action is executed than the chosen one, each of the others equally likely."""
    if actions < 2:
        raise NotApplicable(f"another action needs at least two of them, not {actions}.")
    chance = require_chance(chance, "the replacement of an action")
    return (1 - chance - chance / (actions - 1)) * noiseless(actions) + chance / (actions - 1)


def given(actions: int, rows: Any) -> np.ndarray:
    """A matrix as `action.matrix` takes it: rows, one row for all, shifted along, or p for [1 - p, p]."""
    matrix = np.asarray(rows, np.float64)
    if matrix.ndim == 0:
        matrix = np.array([1 - matrix, matrix])
    if len(matrix) > actions or (matrix.ndim == 2 and len(matrix) < actions):
        raise NotApplicable(f"the matrix is for {len(matrix)} actions, and there are {actions}.")
    if matrix.ndim == 1:
        first = np.pad(matrix, (0, actions - len(matrix)))
        matrix = np.stack([np.roll(first, shift) for shift in range(actions)])
    return require_channel(matrix)


def sticky(actions: int, chance: float) -> np.ndarray:
    """(before, chosen, executed): a channel for each action executed before, repeated with this chance."""
    chance = require_chance(chance, "a sticky action")
    each = noiseless(actions)
    return (1 - chance) * each[None] + chance * each[:, None, :]


def in_turn(*channels: np.ndarray) -> np.ndarray:
    """One channel after another: what leaves the first enters the second."""
    whole = require_channel(channels[0])
    for channel in channels[1:]:
        following = require_channel(channel)
        if whole.shape[1] != len(following):
            raise WrongLevel(
                f"a channel that gives {whole.shape[1]} actions cannot lead into one of {len(following)}."
            )
        whole = whole @ following
    return whole


def side_by_side(*channels: np.ndarray) -> np.ndarray:
    """The product: each channel has an action of its own, and all are chosen and executed together."""
    whole = require_channel(channels[0])
    for channel in channels[1:]:
        beside = require_channel(channel)
        require_size(whole.size * beside.size)
        whole = np.kron(whole, beside)
    return whole


def over_frames(channel: np.ndarray, frames: int) -> np.ndarray:
    """One choice sent in each of several frames: a column for each sequence of executed actions."""
    single = require_channel(channel)
    if frames < 1:
        raise WrongLevel(f"a choice lasts at least one frame, not {frames}.")
    require_size(len(single) * single.shape[1] ** frames)
    whole = single
    for _ in range(frames - 1):
        whole = (whole[:, :, None] * single[:, None, :]).reshape(len(single), -1)
    return whole


def require_size(entries: int) -> None:
    if entries > MOST_ENTRIES:
        raise NotApplicable(
            f"this channel has {entries} entries, more than {MOST_ENTRIES}; take fewer frames or actions."
        )


def mutual_information(inputs: np.ndarray, channel: np.ndarray) -> float:
    """Bits that the executed action tells of the chosen one, if choices have the chances `inputs`."""
    matrix = require_channel(channel)
    chosen = require_chances(inputs, "the distribution of actions")
    if chosen.shape != matrix.shape[:1]:
        raise WrongLevel(
            f"the distribution of {len(matrix)} actions has the shape {chosen.shape}; give one chance each."
        )
    return float(max(entropy(chosen @ matrix) - chosen @ entropy(matrix, axis=1), 0.0))


def capacity(channel: np.ndarray, tolerance: float = TOLERANCE) -> Capacity:
    """The most bits per use, by Blahut and Arimoto's iteration, to within `tolerance` bits.

    In each round an action is chosen more often if what it leads to stands out: by a factor of 2 to its
    divergence from the mean output. At any distribution the mean divergence is a lower bound of the capacity
    and the largest one an upper bound, so the result is certified however the search came there. Longer
    strides are taken as long as they gain, since single ones crawl where a channel is very noisy.
    """
    matrix = require_channel(channel)
    if not tolerance > 0:
        raise WrongLevel(f"the tolerance of a capacity is a number of bits above 0, not {tolerance}.")
    own = times_log2(matrix, matrix).sum(axis=1)
    inputs, stride = np.full(len(matrix), 1 / len(matrix)), SLOWEST
    divergence = find_divergence(matrix, own, inputs)
    best = float(inputs @ divergence)
    for rounds in range(1, MOST_ROUNDS + 1):
        above = float(divergence.max())
        if above - best <= tolerance:
            return Capacity(max(best, 0.0), max(above, 0.0), inputs, rounds)
        moved = inputs * np.exp2(stride * (divergence - above))
        moved /= moved.sum()
        after = find_divergence(matrix, own, moved)
        reached = float(moved @ after)
        if reached < best and stride > SLOWEST:
            stride = max(stride / 4, SLOWEST)
            continue
        inputs, divergence, best, stride = moved, after, reached, min(stride * 1.3, QUICKEST)
    raise AssayError(
        f"the capacity was not found to {tolerance:g} bits in {MOST_ROUNDS} rounds; ask for less."
    )


def find_divergence(matrix: np.ndarray, own: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """(actions,) bits by which each row stands out from the mean output; `own` is minus the rows' entropy."""
    mean = inputs @ matrix
    # An output that no likely input leads to may round to 0; a tiny chance keeps its divergence finite.
    divergence: np.ndarray = own - matrix @ np.log2(np.maximum(mean, 1e-300))
    return divergence
