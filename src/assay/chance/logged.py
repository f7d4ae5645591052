"""The same measures from logged steps, where no model is at hand: whole numbers in, estimates out.

Entropies are plug-in estimates with Miller and Madow's correction: counting underestimates an entropy by
(occupied cells - 1) / (2 N ln 2) bits, which is added. What bias remains shrinks with the square of N. Where
cells are too many for the samples, the estimate is refused. Intervals are from resampling the samples; steps
of one episode depend on each other, so name their episodes in `groups` and whole episodes are resampled.

Resampling knows no event but those that were seen. Of n independent units, samples or groups, an event of
chance 3.7 / n goes unseen once in forty logs (the rule of three), so every interval is made longer by what
such an event could change. The few events that were seen are covered by that too: the resampled count and 3.7
more are above Poisson's limit for every count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.chance.chances import entropy, times_log2
from assay.errors import AssayError

LEAST_SAMPLES = 100
PER_CELL = 5  # samples for each cell that occurs
MOST_ALONE = 0.02  # share of the samples that are alone in their cells
LEAST_GROUPS = 20  # with fewer there is nothing to resample
DRAWS = 200
COVERAGE = 0.95
TAILS = ((1 - COVERAGE) / 2, (1 + COVERAGE) / 2)
UNSEEN = -float(np.log(TAILS[0]))  # over n: the chance of an event that n units may well not have shown
SHUFFLES = 5


class Estimate(NamedTuple):
    """A value estimated from samples, the ends of its interval, and the correction of bias within it."""

    value: float
    low: float
    high: float
    samples: int
    correction: float  # what was added to the plain count's value


class VarianceEstimate(NamedTuple):
    """The two parts of a variance (`information.VarianceSplit`), estimated."""

    chance: Estimate
    aliasing: Estimate


class DriftEstimate(NamedTuple):
    """Distances between two logs' outcomes, and what shuffled logs give: the part that is bias alone."""

    total_variation: Estimate
    js: Estimate
    shuffled_total_variation: float
    shuffled_js: float


def information_of_pairs(
    chosen: np.ndarray, executed: np.ndarray, *, rng: np.random.Generator, groups: np.ndarray | None = None
) -> Estimate:
    """I(A;A~) of logged pairs of an action chosen and the action executed."""
    terms = [((chosen,), 1), ((executed,), 1), ((chosen, executed), -1)]
    return combine_entropies(terms, executed, rng, groups)


def next_state_entropy_of(
    states: np.ndarray, actions: np.ndarray, after: np.ndarray, *,
    rng: np.random.Generator, groups: np.ndarray | None = None,
) -> Estimate:  # fmt: skip
    """H(S'|S,A) of logged transitions."""
    return combine_entropies([((states, actions, after), 1), ((states, actions), -1)], after, rng, groups)


def predictive_information_of(
    states: np.ndarray, actions: np.ndarray, after: np.ndarray, *,
    rng: np.random.Generator, groups: np.ndarray | None = None,
) -> Estimate:  # fmt: skip
    """I((S,A);S') of logged transitions."""
    terms = [((states, actions), 1), ((after,), 1), ((states, actions, after), -1)]
    return combine_entropies(terms, after, rng, groups)


def hidden_entropy_of(
    states: np.ndarray, seen: np.ndarray, *, rng: np.random.Generator, groups: np.ndarray | None = None
) -> Estimate:
    """H(S|O) of logged states and what was seen of them."""
    return combine_entropies([((states, seen), 1), ((seen,), -1)], states, rng, groups)


def share_seen_of(
    states: np.ndarray, seen: np.ndarray, *, rng: np.random.Generator, groups: np.ndarray | None = None
) -> Estimate:
    """I(S;O)/H(S) of logged states and what was seen of them; 1 if the state never changed."""
    rows = find_rows((states, seen), groups)
    both, sights, places = (rows.code(labels) for labels in ((states, seen), (seen,), (states,)))

    def ratio(weights: np.ndarray) -> tuple[float, float]:
        parts = [count_entropy(cells, weights) for cells in (both, sights, places)]
        corrected, plain = (
            1.0 if whole <= 0 else 1 - (joint - of_seen) / whole
            for joint, of_seen, whole in ([sum(part) for part in parts], [part[0] for part in parts])
        )
        return corrected, corrected - plain

    found = resample(ratio, rows, rng)
    whole, more = sum(count_entropy(places, rows.weights)), unseen_bits(rows, states)
    if whole <= 0:  # a state that never changed: what was not seen may hide all of it, or nothing
        return found._replace(low=0.0, high=1.0)
    return within(lengthen(found, more / whole, more / (whole + more)), 0.0, 1.0)


def aliased_share_of(
    states: np.ndarray, seen: np.ndarray, *, rng: np.random.Generator, groups: np.ndarray | None = None
) -> Estimate:
    """The share of samples whose observation was logged in another state too.

    It is biased towards 0: an observation that two states share counts only once both have shown it.
    """
    rows = find_rows((states, seen), groups)
    both, sights = rows.code((states, seen)), rows.code((seen,))
    pairs = np.unique(np.stack([both, sights], axis=1), axis=0)[:, 1]
    shared = np.bincount(pairs)[sights] > 1

    def share(weights: np.ndarray) -> tuple[float, float]:
        return float(weights[shared].sum() / weights.sum()), 0.0

    return resample(share, rows, rng)


def split_variance_of(
    states: np.ndarray, seen: np.ndarray, actions: np.ndarray, feature: np.ndarray, *,
    rng: np.random.Generator, groups: np.ndarray | None = None,
) -> VarianceEstimate:  # fmt: skip
    """The variance of `feature`, a number of each next state, split into chance and aliasing.

    Both parts are unbiased: variances within cells divide by one less than the count, and the spread that the
    cells' means owe to chance is taken off. An aliasing near 0 may therefore come out a little below 0.
    """
    numbers = np.asarray(feature, float)
    if numbers.shape != np.shape(states) or not np.isfinite(numbers).all():
        raise AssayError(f"the feature is a finite number for each of {len(states)} steps; give one each.")
    require_counts(np.bincount(code_cells((states, seen, actions))))
    kinds = np.unique(numbers, return_inverse=True)[1].reshape(-1)
    rows = gather_rows((states, seen, actions, kinds), groups)
    cells, views = rows.code((states, seen, actions)), rows.code((seen, actions))
    values = numbers[rows.picked] - numbers.mean()

    def chance(weights: np.ndarray) -> tuple[float, float]:
        return pooled_variance(values, cells, weights), 0.0

    def aliasing(weights: np.ndarray) -> tuple[float, float]:
        return pooled_variance(values, views, weights) - pooled_variance(values, cells, weights), 0.0

    # Of outcomes outside the range that was seen nothing is known.
    more = float(rows.unseen * np.ptp(values) ** 2)
    return VarianceEstimate(*(lengthen(resample(part, rows, rng), more, more) for part in (chance, aliasing)))


def pooled_variance(values: np.ndarray, cells: np.ndarray, weights: np.ndarray) -> float:
    """The mean over samples of the unbiased variance within their cell; cells of one sample are left out."""
    counts = np.bincount(cells, weights)
    means = np.bincount(cells, weights * values) / np.maximum(counts, 1.0)
    squares = np.bincount(cells, weights * (values - means[cells]) ** 2)
    several = counts > 1
    counts, squares = counts[several], squares[several]
    return float(np.sum(counts * squares / (counts - 1)) / counts.sum())


def drift_of(
    before: Sequence[np.ndarray], after: Sequence[np.ndarray], *, rng: np.random.Generator
) -> DriftEstimate:
    """The drift between two logs, each of states, actions and next states, at the cells that both have.

    Distances of counted chances are too large by chance alone: shuffling the steps between the logs shows how
    much. Kullback and Leibler's divergence is left out, for it is infinite where one log happens to miss an
    outcome. Cells are weighted by the first log's.
    """
    logs = [np.concatenate(pair) for pair in zip(before, after, strict=True)]
    later = np.repeat([False, True], [len(before[0]), len(after[0])])
    cells, outcomes = code_cells(logs[:2]), code_cells(logs[2:])
    size = int(cells.max()) + 1, int(outcomes.max()) + 1
    flat = cells * size[1] + outcomes
    counts = [np.bincount(flat[mask], minlength=size[0] * size[1]) for mask in (~later, later)]
    for each in counts:
        require_counts(each)

    def distances(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
        return compare_tables(one.reshape(size).astype(float), other.reshape(size).astype(float))

    def shuffle() -> tuple[float, float]:
        both = counts[0] + counts[1]
        first = rng.multivariate_hypergeometric(both, int(counts[0].sum()), method="marginals")
        return distances(first, both - first)

    values = distances(*counts)
    shuffled = np.mean([shuffle() for _ in range(SHUFFLES)], axis=0)
    draws = [
        distances(*(rng.multinomial(each.sum(), each / each.sum()) for each in counts)) for _ in range(DRAWS)
    ]
    spread = np.asarray(draws) - np.mean(draws, axis=0)
    low, high = np.quantile(spread, TAILS, axis=0)
    # Both distances are convex and at most 1, so that a share of unseen steps adds no more than itself.
    more = sum(min(UNSEEN / each.sum(), 1.0) for each in counts)
    variation, js = (
        Estimate(value, max(value + float(low[i]) - more, 0.0), min(value + float(high[i]) + more, 1.0),
                 len(flat), 0.0)
        for i, value in enumerate(values)
    )  # fmt: skip
    return DriftEstimate(variation, js, float(shuffled[0]), float(shuffled[1]))


def compare_tables(before: np.ndarray, after: np.ndarray) -> tuple[float, float]:
    """Total variation and Jensen and Shannon's divergence of two tables of counts, (cells, outcomes)."""
    totals = before.sum(axis=1), after.sum(axis=1)
    both = (totals[0] > 0) & (totals[1] > 0)
    if not both.any():
        raise AssayError("the logs share no state and action, so their drift is unknown; log the same ones.")
    weight = totals[0][both] / totals[0][both].sum()
    one, other = before[both] / totals[0][both, None], after[both] / totals[1][both, None]
    middle = (one + other) / 2
    bits = [(times_log2(each, each) - times_log2(each, middle)).sum(axis=1) for each in (one, other)]
    return float(weight @ np.abs(one - other).sum(axis=1) / 2), float(weight @ (bits[0] + bits[1]) / 2)


def combine_entropies(
    terms: Sequence[tuple[Sequence[np.ndarray], int]], unknown: np.ndarray,
    rng: np.random.Generator, groups: np.ndarray | None,
) -> Estimate:  # fmt: skip
    """A sum of entropies of tuples of labels, each with its sign; one of the tuples has all the labels.

    It is what is not known, or what is told, of the labels `unknown`.
    """
    rows = find_rows(max((labels for labels, _ in terms), key=len), groups)
    coded = [(rows.code(labels), sign) for labels, sign in terms]

    def value(weights: np.ndarray) -> tuple[float, float]:
        parts = [np.array(count_entropy(cells, weights)) * sign for cells, sign in coded]
        plain, correction = np.sum(parts, axis=0)
        return float(plain + correction), float(correction)

    more = unseen_bits(rows, unknown)
    return within(lengthen(resample(value, rows, rng), more, more), 0.0, np.inf)


def unseen_bits(rows: Rows, unknown: np.ndarray) -> float:
    """How many bits unseen events can change of an entropy of these labels, also given others.

    A share e of steps that go otherwise adds at most the entropy of whether a step is one of them, and e
    times that of where it leads: to any label that was logged, or to one more.
    """
    share = min(rows.unseen, 0.5)
    labels = len(np.unique(unknown)) + 1
    return float(entropy(np.array([share, 1 - share])) + share * np.log2(labels))


def lengthen(found: Estimate, below: float, above: float) -> Estimate:
    return found._replace(low=found.low - below, high=found.high + above)


def within(found: Estimate, least: float, most: float) -> Estimate:
    """The estimate with the ends of its interval cut at what is possible, but not within its value.

    A value itself may lie a little outside by its correction.
    """
    low, high = max(found.low, min(least, found.value)), min(found.high, max(most, found.value))
    return found._replace(low=low, high=high)


@dataclass(frozen=True, eq=False)
class Rows:
    """What is counted: each combination of labels once, or once in each group where groups are resampled."""

    picked: np.ndarray  # the samples that stand for the rows
    weights: np.ndarray  # how many samples each row stands for
    group: np.ndarray | None  # of each row, counted from 0

    @property
    def unseen(self) -> float:
        """The share of steps that may go otherwise without any unit having shown it."""
        units = self.weights.sum() if self.group is None else self.group.max() + 1
        return float(min(UNSEEN / units, 1.0))

    def code(self, labels: Sequence[np.ndarray]) -> np.ndarray:
        return code_cells([np.asarray(label)[self.picked] for label in labels])

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """The weights of a resample."""
        if self.group is None:
            total = int(self.weights.sum())
            return rng.multinomial(total, self.weights / total).astype(float)
        groups = int(self.group.max()) + 1
        times = np.bincount(rng.integers(groups, size=groups), minlength=groups)
        drawn: np.ndarray = times[self.group] * self.weights
        return drawn


def find_rows(labels: Sequence[np.ndarray], groups: np.ndarray | None) -> Rows:
    """The rows of samples with these labels, refused where they are too few."""
    require_counts(np.bincount(code_cells(labels)))
    return gather_rows(labels, groups)


def gather_rows(labels: Sequence[np.ndarray], groups: np.ndarray | None) -> Rows:
    cells = code_cells(labels)
    if groups is None:
        _, first, counts = np.unique(cells, return_index=True, return_counts=True)
        return Rows(first, counts.astype(float), None)
    group = code_cells((groups,))
    if len(group) != len(cells) or group.max() + 1 < LEAST_GROUPS:
        raise AssayError(
            f"an interval needs a group for each of the {len(cells)} samples and at least {LEAST_GROUPS} "
            f"groups, not {int(group.max()) + 1} groups of {len(group)} samples; log more episodes."
        )
    _, first, counts = np.unique(code_cells((group, cells)), return_index=True, return_counts=True)
    return Rows(first, counts.astype(float), group[first])


def resample(
    value: Callable[[np.ndarray], tuple[float, float]], rows: Rows, rng: np.random.Generator
) -> Estimate:
    """The value with its interval: quantiles around the mean of the resampled values, which bias moves."""
    best, correction = value(rows.weights)
    draws = [value(rows.draw(rng))[0] for _ in range(DRAWS)]
    low, high = np.quantile(np.array(draws) - np.mean(draws), TAILS)
    return Estimate(best, best + float(low), best + float(high), int(rows.weights.sum()), correction)


def count_entropy(cells: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """The plug-in entropy of coded samples in bits, and Miller and Madow's correction to it."""
    counts = np.bincount(cells, weights)
    counts = counts[counts > 0]
    total = counts.sum()
    plain = float(np.log2(total) - np.sum(counts * np.log2(counts)) / total)
    return plain, float((len(counts) - 1) / (2 * total * np.log(2)))


def code_cells(labels: Sequence[np.ndarray]) -> np.ndarray:
    """Samples of several labels as one whole number each, counted from 0 without gaps."""
    coded = np.zeros(len(labels[0]), np.int64)
    for label in labels:
        column = np.asarray(label)
        if column.ndim != 1 or column.shape != coded.shape or column.dtype.kind not in "iub":
            raise AssayError(
                f"logged labels are whole numbers, one for each of {len(coded)} samples, not an array of "
                f"{column.dtype} of shape {column.shape}."
            )
        if not len(column):
            raise AssayError("an estimate needs samples, and the log is empty; play some steps.")
        _, fresh = np.unique(column, return_inverse=True)
        coded = np.unique(coded * (int(fresh.max()) + 1) + fresh, return_inverse=True)[1]
    return coded


def require_counts(counts: np.ndarray) -> None:
    """Refuses an estimate from too few samples for the cells that occur, or where too many may not have yet.

    The share of samples that are alone in their cells is Good and Turing's estimate of the chance that the
    next sample falls into a cell that none has shown.
    """
    samples, occupied = int(counts.sum()), int((counts > 0).sum())
    needed, alone = max(LEAST_SAMPLES, PER_CELL * occupied), int((counts == 1).sum())
    if samples < needed:
        raise AssayError(
            f"{samples} samples over {occupied} cells are too few for an estimate; log at least {needed}."
        )
    if alone > MOST_ALONE * samples:
        raise AssayError(
            f"{alone} of {samples} samples are alone in their cells, so too many cells are still unseen for "
            f"an estimate (at most {MOST_ALONE:.0%} may be); log more."
        )
