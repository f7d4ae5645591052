"""Our gaps against the paper's: the order of the pairs, the pairs that differ, and whether variety helps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.stats.aggregate import Interval
from assay.stats.gap import MeanError
from assay.stats.rank import correlation
from assay.suites import kage
from assay.suites.suite import Pair

from .arithmetic import (
    MEASURES,
    SUCCESS,
    WAYS,
    Measure,
    gap_difference,
    gap_interval,
    pair_gap_values,
    values_of,
)
from .formats import interval_text, number, table
from .paper import PRINTED, SEEDS, PaperRow
from .results import Results

DRAWS = 1000
# Pairs that differ in how much is seen in training, and are evaluated alike: less variety, more variety.
VARIETY = (
    ("background 3", "background 4", "one background colour against three"),
    ("background 6", "background 7", "one background picture against three"),
    ("background 9", "background 10", "one background picture against three, the agent a skeleton"),
)


class Agreement(NamedTuple):
    """Spearman's rho over pairs, with the interval over our seeds, and over seeds and pairs."""

    pairs: int
    over_seeds: Interval
    over_both: Interval


def rank_agreement(results: Results, way: str, rng: np.random.Generator) -> Agreement | None:
    """Of the success gaps; None below three pairs.

    Pairs share trainings, so a resample draws seeds within each training appearance and uses the same ones
    for all its pairs. An appearance with one seed does not vary. A pair is left out of a resample in which no
    seed succeeds on the train config, for then it has no gap.
    """
    pairs = [pair for pair in results.trained_pairs if success_gap(results, pair, way) is not None]
    if len(pairs) < 3:
        return None
    theirs = np.array([results.paper_pairs[pair.name].gaps["success"] for pair in pairs])
    ours = np.array([success_gap(results, pair, way) for pair in pairs])
    drawn = draw_gaps(results, pairs, way, rng)
    seeds, both = [], []
    for column in drawn.T:
        there = np.isfinite(column)
        seeds.append(correlation(column[there], theirs[there]))
        picks = rng.choice(np.flatnonzero(there), len(pairs))
        both.append(correlation(column[picks], theirs[picks]))
    value = correlation(ours, theirs)
    over_seeds, over_both = (
        Interval(value, *(float(end) for end in np.quantile(each, [0.025, 0.975]))) for each in (seeds, both)
    )
    return Agreement(len(pairs), over_seeds, over_both)


def success_gap(results: Results, pair: Pair, way: str) -> float | None:
    values = pair_gap_values(results.of(pair), pair, SUCCESS, way)
    return None if values is None else float(values.mean())


def draw_gaps(results: Results, pairs: Sequence[Pair], way: str, rng: np.random.Generator) -> np.ndarray:
    """Success gaps of resampled seeds, (pairs, draws); NaN where no seed succeeds on the train config."""
    picks = {
        task: rng.integers(len(trainings), size=(DRAWS, len(trainings)))
        for task, trainings in results.main.items()
    }

    def means(pair: Pair, task: str) -> np.ndarray:
        resampled = values_of(results.of(pair), "success", task, way)[picks[pair.train]]
        drawn: np.ndarray = resampled.mean(axis=1)
        return drawn

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.array([100 * (1 - means(p, p.evaluate) / means(p, p.train)) for p in pairs])


def rank_table(results: Results) -> list[str]:
    rng = np.random.default_rng(0)
    rows = []
    for way in WAYS:
        agreement = rank_agreement(results, way, rng)
        if agreement is None:
            rows.append([way, "–", "not enough pairs trained yet", "–"])
            continue
        ends = agreement.over_both
        rows.append(
            [way, str(agreement.pairs), interval_text(agreement.over_seeds, 2),
             f"[{number(ends.low, 2)}, {number(ends.high, 2)}]"]
        )  # fmt: skip
    return table(["our value", "pairs", "Spearman's ρ with the paper's Δ SR", "pairs resampled too"], rows)


def rank_line(results: Results) -> str:
    agreement = rank_agreement(results, "largest", np.random.default_rng(0))
    if agreement is None:
        return "Too few pairs are trained to rank them beside the paper's."
    return (
        f"Spearman's correlation of our success gaps with the paper's over {agreement.pairs} pairs: "
        f"{interval_text(agreement.over_seeds, 2)} over seeds, "
        f"[{number(agreement.over_both.low, 2)}, {number(agreement.over_both.high, 2)}] over seeds and pairs."
    )


def paper_half_width(row: PaperRow, measure: Measure) -> float:
    """Half of the 95% interval of a gap of the paper, from its printed standard errors, plus their rounding.

    Its train and eval values come from the same seeds. Their correlation is not printed; it is taken as 0,
    which makes the interval too wide where seeds that fail do so on both configs.
    """
    before, after = row.train[measure.name], row.evaluate[measure.name]
    rounding = PRINTED[measure.name][1]
    reach = float(stats.t.ppf(0.975, SEEDS - 1))
    if not measure.share:
        return reach * math.hypot(before.error, after.error) + 2 * rounding
    return share_half_width(before, after, reach, rounding)


def share_half_width(before: MeanError, after: MeanError, reach: float, rounding: float) -> float:
    """Of 100 (1 - after / before), to first order in both."""
    ratio = after.mean / before.mean
    error = math.hypot(after.error, ratio * before.error) / before.mean
    return 100 * (reach * error + rounding * (1 + abs(ratio)) / before.mean)


class Disagreement(NamedTuple):
    pair: str
    measure: Measure
    ours: Interval
    paper: float
    allowed: float  # how far apart the two may be


def disagreements(results: Results, way: str) -> tuple[list[Disagreement], int]:
    """Gaps that differ by more than both intervals together, and the number of gaps compared."""
    rows, compared = [], 0
    for pair in results.trained_pairs:
        trainings, paper = results.of(pair), results.paper_pairs[pair.name]
        for measure in MEASURES:
            values = pair_gap_values(trainings, pair, measure, way)
            if values is None or len(values) < 2:
                continue
            compared += 1
            ours = gap_interval(measure, values)
            allowed = math.hypot(ours.value - ours.low, paper_half_width(paper, measure))
            if abs(apart(measure, ours.value, paper.gaps[measure.name])) > allowed:
                rows.append(Disagreement(pair.name, measure, ours, paper.gaps[measure.name], allowed))
    return rows, compared


def apart(measure: Measure, ours: float, paper: float) -> float:
    """The paper prints the size of a return gap, without its sign."""
    return ours - paper if measure.share else abs(ours) - paper


def disagreement_table(results: Results, way: str) -> list[str]:
    rows, compared = disagreements(results, way)
    text = (
        f"*{way[0].upper()}{way[1:]}*: {len(rows)} of {compared} gaps with at least 2 seeds differ from the "
        f"paper's by more than the combined 95% interval; {0.05 * compared:.1f} would by chance."
    )
    if not rows:
        return [text]
    cells = [
        [row.pair, row.measure.gap_head, interval_text(row.ours, row.measure.gap_digits),
         number(row.paper, row.measure.gap_digits), number(row.allowed, row.measure.gap_digits)]
        for row in rows
    ]  # fmt: skip
    return [text, "", *table(["pair", "gap", "ours", "paper", "may differ by"], cells)]


def train_success_line(results: Results) -> str:
    """Whether our agents learn as often as the paper's, on what they were trained on."""
    pairs = results.trained_pairs
    ours = np.mean([values_of(results.of(p), "success", p.train, "largest").mean() for p in pairs])
    theirs = [results.paper_pairs[p.name].train["success"].mean for p in pairs]
    return (
        f"On the train configs of the {len(pairs)} pairs with results, the largest success is {ours:.2f} on "
        f"average in ours and {np.mean(theirs):.2f} in the paper ({min(theirs):.2f} to {max(theirs):.2f})."
    )


class Variety(NamedTuple):
    """The success gaps after training on less and on more, and by how much more variety closes them."""

    narrow: str
    wide: str
    words: str
    seeds: tuple[int, int]
    gaps: tuple[Interval, Interval] | None  # None where one side has no gap yet
    closed: Interval | None


def compare_variety(results: Results, way: str) -> list[Variety]:
    pairs = {pair.name: pair for pair in kage.ALL}
    rows = []
    for narrow, wide, words in VARIETY:
        less, more = (results.of(pairs[name]) for name in (narrow, wide))
        seeds = len(less), len(more)
        before = pair_gap_values(less, pairs[narrow], SUCCESS, way) if less else None
        after = pair_gap_values(more, pairs[wide], SUCCESS, way) if more else None
        if before is None or after is None:
            rows.append(Variety(narrow, wide, words, seeds, None, None))
            continue
        gaps = gap_interval(SUCCESS, before), gap_interval(SUCCESS, after)
        rows.append(Variety(narrow, wide, words, seeds, gaps, gap_difference(SUCCESS, before, after)))
    return rows


def variety_table(results: Results, way: str) -> list[str]:
    """Whether the gap in success is smaller after training on more."""
    rows = []
    for each in compare_variety(results, way):
        paper = [number(results.paper_pairs[name].gaps["success"], 1) for name in (each.narrow, each.wide)]
        rows.append(
            [
                f"{each.narrow} against {each.wide}: {each.words}",
                f"{each.seeds[0]}, {each.seeds[1]}",
                *(interval_text(gap, 1) for gap in each.gaps or (None, None)),
                interval_text(each.closed, 1),
                " → ".join(paper),
                verdict(each.closed),
            ]
        )
    heads = ["pairs", "seeds", "Δ SR, less variety", "Δ SR, more variety", "closed by", "paper", "closes it?"]
    return table(heads, rows)


def variety_lines(results: Results) -> list[str]:
    lines = []
    for each in compare_variety(results, "largest"):
        answer = f"{verdict(each.closed).capitalize()}."
        if each.closed:
            points = interval_text(each.closed, 1)
            answer += f" The gap in success is smaller by {points} percentage points with more."
        lines.append(f"Does variety close the gap ({each.words})? {answer}")
    return lines


def verdict(closed: Interval | None) -> str:
    """In words: whether a gap became smaller."""
    if closed is None:
        return "not trained yet"
    if not math.isfinite(closed.low):
        return "cannot tell, one seed"
    if closed.low > 0:
        return "yes"
    return "no, the gap grows" if closed.high < 0 else "cannot tell"
