"""Rules that cannot be told apart by their errors, as classes of difficulty, and how stable each class is.

Two rules are as far apart as their runs are: |2P - 1|, where P is the share of pairs of runs in which one has
more errors than the other; 0 where neither is harder, 1 where all runs of one are. Classes are made by
average linkage. How many there are is not asked of the user: of all numbers, the one with the largest mean
silhouette is taken. There is one class where the two rules furthest apart are no further than runs dealt to
the rules at random would put them.

A class is stable if it comes back when runs are drawn anew: the mean over resamples of its largest Jaccard
overlap with a class of the resample (Hennig 2007). Below 0.6 it is no class that should be trusted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from assay.errors import AssayError
from assay.stats.aggregate import require_finite
from assay.stats.wins import wins_between

BY_CHANCE = 0.05  # share of random deals that put two rules as far apart, above which there is one class
LEAST_DEALS = 5  # times the inverse of the level, so that a smaller chance than the level can be found
LEAST_DRAWS = 20  # with fewer, no share of random deals is below BY_CHANCE


class Classes(NamedTuple):
    """Classes from the easiest to the hardest."""

    members: tuple[tuple[int, ...], ...]  # places of the samples, easiest first
    stability: tuple[float, ...]  # of each class, from 0 to 1
    silhouette: float  # mean over the samples; 0 for one class


def find_classes(
    samples: Sequence[np.ndarray],
    *,
    rng: np.random.Generator,
    draws: int = 200,
    classes: int | None = None,
    level: float = BY_CHANCE,
) -> Classes:
    """Classes of the samples, runs' errors each; `classes` sets their number.

    There is one class where chance puts two samples as far apart in more than the share `level` of deals.
    """
    if draws < LEAST_DRAWS:
        raise AssayError(f"{draws} draws cannot tell classes from chance; take at least {LEAST_DRAWS}.")
    runs = [require_finite(sample, 1, f"sample {i}") for i, sample in enumerate(samples)]
    if not runs or (classes is not None and not 1 <= classes <= len(runs)):
        raise AssayError(f"{len(runs)} samples cannot be put into {classes or 'any'} classes.")
    apart = distances(runs)
    deals = max(draws, math.ceil(LEAST_DEALS / level))
    if classes is None and chance_of(apart, runs, rng, deals) > level:
        classes = 1
    labels, silhouette = cut(apart, classes)
    count = len(set(labels))
    found = [frozenset(np.flatnonzero(labels == label)) for label in dict.fromkeys(labels)]
    overlaps = np.zeros((draws, len(found)))
    for draw in range(draws if count > 1 else 0):
        again = [run[rng.integers(len(run), size=len(run))] for run in runs]
        others, _ = cut(distances(again), count)
        anew = [frozenset(np.flatnonzero(others == label)) for label in set(others)]
        overlaps[draw] = [max(len(one & two) / len(one | two) for two in anew) for one in found]
    stability = overlaps.mean(0) if count > 1 else np.ones(1)
    ease = [np.median(np.concatenate([runs[i] for i in members])) for members in found]
    order = np.argsort(ease, kind="stable")
    return Classes(
        tuple(tuple(sorted(map(int, found[i]), key=lambda i: float(np.median(runs[i])))) for i in order),
        tuple(float(stability[i]) for i in order),
        silhouette,
    )


def distances(runs: Sequence[np.ndarray]) -> np.ndarray:
    """|2P - 1| of every two samples, (samples, samples)."""
    sizes = np.array([len(run) for run in runs])
    wins = wins_between(np.concatenate(runs), np.repeat(np.arange(len(runs)), sizes), len(runs))
    apart: np.ndarray = np.abs(2 * wins / np.outer(sizes, sizes) - 1)
    np.fill_diagonal(apart, 0.0)
    return apart


def cut(apart: np.ndarray, classes: int | None) -> tuple[np.ndarray, float]:
    """A label for each sample, and the mean silhouette of that cut."""
    count = len(apart)
    one = np.ones(count, int), 0.0
    if count == 1 or classes == 1:
        return one
    tree = linkage(squareform(apart, checks=False), method="average")
    # By merges, not by heights: where all rules are equally far apart, no height would part them.
    cuts = [labels_after(tree, count - number) for number in range(2, count + 1)]
    if classes is not None:
        labels = cuts[classes - 2]
        return labels, mean_silhouette(apart, labels)
    best = max(cuts, key=lambda labels: mean_silhouette(apart, labels))
    if mean_silhouette(apart, best) <= 0:
        best = cuts[-1]  # no two are nearer to each other than to the rest: each is a class of its own
    return best, mean_silhouette(apart, best)


def labels_after(tree: np.ndarray, merges: int) -> np.ndarray:
    """A label for each sample after the first so many merges of a linkage."""
    count = len(tree) + 1
    members = {i: [i] for i in range(count)}
    for number, (one, other, *_) in enumerate(tree[:merges]):
        members[count + number] = members.pop(int(one)) + members.pop(int(other))
    labels = np.empty(count, int)
    for label, places in enumerate(members.values()):
        labels[places] = label
    return labels


def chance_of(apart: np.ndarray, runs: Sequence[np.ndarray], rng: np.random.Generator, draws: int) -> float:
    """The share of random deals of all runs to the samples in which some two are as far apart as here."""
    whole, ends = np.concatenate(runs), np.cumsum([len(run) for run in runs])[:-1]
    dealt = [distances(np.split(rng.permutation(whole), ends)).max() for _ in range(draws)]
    return float((1 + np.sum(np.array(dealt) >= apart.max())) / (1 + draws))


def mean_silhouette(apart: np.ndarray, labels: np.ndarray) -> float:
    """How much nearer samples are to their own class than to the next one; alone in a class counts 0."""
    if len(set(labels)) < 2:
        return 0.0
    widths = []
    for i, label in enumerate(labels):
        own = (labels == label) & (np.arange(len(labels)) != i)
        if not own.any():
            widths.append(0.0)
            continue
        near = apart[i, own].mean()
        next_one = min(apart[i, labels == other].mean() for other in set(labels) - {label})
        widths.append((next_one - near) / max(next_one, near) if max(next_one, near) else 0.0)
    return float(np.mean(widths))
