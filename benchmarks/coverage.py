"""How often the intervals hold what they promise, on simulated data whose truth is known.

    python benchmarks/coverage.py [data sets, default 4000]

First table: coverage of 95% intervals over 20 seeds. Second: whole examine runs of 10 units in which nothing
has an effect, and how often any interval excludes 0 or any axis is called broken. Third: where it is weak.
coverage_cells.py has the same by distribution and number of units, beside an earlier tree.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import numpy as np

from assay.stats.aggregate import iqm, mean
from assay.stats.compare import auc, probability_of_improvement
from assay.stats.effect import played
from assay.stats.resampling import bootstrap, bootstrap_t, simultaneous
from assay.stats.verdict import Tried, judge

SEEDS, UNITS = 20, 10
REPORTS = 8
TINY = 1e-9  # a truth on the very end of an interval is covered, whatever the last digit says
TRIED = [Tried(f"axis {i}", (1, 2, 3, 4, 5)[: 3 + i % 3], 0) for i in range(14)]  # 55 axis-levels
COLUMNS = sum(len(axis.levels) for axis in TRIED)


def normal(rng, shape):
    return rng.normal(0.9, 0.1, shape)


def skewed(rng, shape):
    """Good runs, and 15% that fail near zero."""
    fails = rng.random(shape) < 0.15
    return np.where(fails, np.abs(rng.normal(0, 0.03, shape)), rng.normal(0.9, 0.05, shape))


def tied(rng, shape, success=0.95):
    """Successes out of ten episodes."""
    return rng.binomial(10, success, shape) / 10


DRAWN_FROM = {"normal": normal, "skewed": skewed, "tied": tied}
STEP = {"normal": 0.0, "skewed": 0.0, "tied": 0.1}


def effects_of(kind, rng, shape):
    """Paired effects of a change that costs something: varied less plain, of the same seeds."""
    if kind == "normal":
        return rng.normal(-0.1, 0.1, shape)
    if kind == "skewed":  # most agents feel little of it, 15% fail altogether
        return np.where(rng.random(shape) < 0.15, -0.85, -0.03) + rng.normal(0, 0.05, shape)
    return tied(rng, shape, 0.92) - tied(rng, shape, 0.97)


def curves_of(kind, rng, seeds):
    """Learning curves, shape (seeds, reports)."""
    rise = 1 - np.exp(-np.arange(1, REPORTS + 1) / 3)
    if kind == "tied":
        return rng.binomial(10, 0.95 * np.minimum(1.04 * rise, 1), (seeds, REPORTS)) / 10
    return DRAWN_FROM[kind](rng, (seeds, 1)) * rise + rng.normal(0, 0.02, (seeds, REPORTS))


def held(make, interval, truth, sets, rng):
    """Share of data sets whose interval holds the truth, and the median width."""
    found = [interval(make(rng), rng) for _ in range(sets)]
    inside = [each.low - TINY <= truth <= each.high + TINY for each in found]
    return np.mean(inside), np.median([each.high - each.low for each in found])


def line(what, share, wanted, extra=""):
    print(f"{what:58}{share:8.1%}   {wanted:14}{extra}", flush=True)


def intervals(sets, rng):
    print(f"coverage of 95% intervals, {SEEDS} seeds, {sets:,} data sets each")
    large = 4_000_000
    for kind in DRAWN_FROM:
        wanted = "93 to 97%" if kind == "normal" else "92% or more"
        step = STEP[kind]
        truth = iqm(DRAWN_FROM[kind](rng, large))
        share, width = held(
            lambda rng, kind=kind: DRAWN_FROM[kind](rng, (SEEDS, 1)),
            lambda scores, rng: bootstrap(scores, iqm, rng=rng),
            truth, sets, rng,
        )  # fmt: skip
        line(f"{kind}: IQM, percentile", share, wanted, f"width {width:.3f}")
        truth = effects_of(kind, rng, large).mean()
        share, width = held(
            lambda rng, kind=kind: effects_of(kind, rng, SEEDS),
            lambda effects, rng, step=step: bootstrap_t(effects, rng=rng, step=step),
            truth, sets, rng,
        )  # fmt: skip
        line(f"{kind}: mean paired effect", share, wanted, f"width {width:.3f}")
        truth = auc(curves_of(kind, rng, large // REPORTS)).mean()
        share, width = held(
            lambda rng, kind=kind: auc(curves_of(kind, rng, SEEDS)),
            lambda values, rng, step=step: bootstrap_t(values, rng=rng, step=step / REPORTS),
            truth, sets, rng,
        )  # fmt: skip
        line(f"{kind}: mean AUC", share, wanted, f"width {width:.3f}")


def no_effect(kind, rng):
    """Scores of one examine run in which nothing has an effect: plain (units,), varied (units, columns)."""
    if kind == "tied":
        return tied(rng, UNITS), tied(rng, (UNITS, COLUMNS))
    if kind == "skewed":  # an agent that failed in training fails everywhere; besides, 5% of evaluations fail
        fails = (rng.random((UNITS, 1)) < 0.15) | (rng.random((UNITS, COLUMNS + 1)) < 0.05)
        scores = np.where(fails, 0.02, 0.9) + rng.normal(0, 0.03, (UNITS, COLUMNS + 1))
        return scores[:, 0], scores[:, 1:]
    axis = np.repeat(rng.normal(size=(UNITS, len(TRIED))), [len(axis.levels) for axis in TRIED], axis=1)
    noise = 0.8 * axis + 0.6 * rng.normal(size=(UNITS, COLUMNS))  # levels of one axis share their noise
    agent = rng.normal(0.9, 0.1, UNITS)
    return agent + 0.05 * rng.normal(size=UNITS), agent[:, None] + 0.05 * noise


def whole_runs(sets, rng):
    print(f"\nfalse differences: {sets:,} runs of {UNITS} units, {len(TRIED)} axes, {COLUMNS} levels")
    wanted = f"{0.05 + 2 * np.sqrt(0.05 * 0.95 / sets):.1%} or less"
    for kind in DRAWN_FROM:
        excluded = broken = 0
        step = STEP[kind] or 0.01
        for _ in range(sets):
            plain, varied = no_effect(kind, rng)
            scores = played(varied, plain, rng.normal(0.1, 0.05, UNITS))
            by = scores.distance.mean()
            verdicts = judge(TRIED, scores, margin=0.0, step=step / by, rng=rng, draws=2000)
            ends = [pair.effect for verdict in verdicts for pair in verdict.curve]
            excluded += any(end.low > 0 or end.high < 0 for end in ends)
            broken += any(verdict.word == "breaks" for verdict in verdicts)
        line(f"{kind}: any interval excludes 0", excluded / sets, wanted)
        line(f"{kind}: any axis breaks (margin 0)", broken / sets, wanted)


def weak_spots(sets, rng):
    print("\nwhere it is weak, and what the other forms would do")
    for success in (0.9, 0.96, 0.97, 0.9715, 0.978, 0.985, 0.99):
        truth = iqm(tied(rng, 4_000_000, success))
        share, _ = held(
            lambda rng, p=success: tied(rng, (SEEDS, 1), p),
            lambda scores, rng: bootstrap(scores, iqm, rng=rng),
            truth, sets, rng,
        )  # fmt: skip
        line(f"tied at {success:.2%} success, 20 seeds: IQM", share, f"(it is {truth:.4f})")
        share, _ = held(
            lambda rng, p=success: tied(rng, SEEDS, p),
            lambda scores, rng: bootstrap_t(scores, rng=rng, step=0.1),
            success, sets, rng,
        )  # fmt: skip
        line(f"tied at {success:.2%} success, 20 seeds: mean", share, "")
    truth = skewed(rng, 4_000_000).mean()
    for seeds in (5, 10, 20, 40):
        share, _ = held(
            lambda rng, n=seeds: skewed(rng, n), lambda x, rng: bootstrap_t(x, rng=rng), truth, sets, rng
        )
        line(f"skewed, {seeds} seeds: mean", share, f"(no failure seen: {0.85**seeds:.1%})")
    for seeds in (5, 10, 20):

        def few(rng, seeds=seeds):
            return normal(rng, (seeds, 1))

        share, _ = held(few, lambda x, rng: bootstrap(x, mean, rng=rng, expand=False), 0.9, sets, rng)
        line(f"normal, {seeds} seeds: mean, plain percentile (not ours)", share, "")
        share, _ = held(few, lambda x, rng: bootstrap(x, iqm, rng=rng, expand=False), 0.9, sets, rng)
        line(f"normal, {seeds} seeds: IQM, plain percentile (rliable's)", share, "")
        share, _ = held(few, lambda x, rng: bootstrap(x, iqm, rng=rng), 0.9, sets, rng)
        line(f"normal, {seeds} seeds: IQM, percentile expanded (ours)", share, "")
    for chance, shift in ((0.5, 0.0), (0.8, 1.190), (0.95, 2.326), (0.98305, 3.0)):
        share, _ = held(
            lambda rng, d=shift: (rng.normal(d, 1, (UNITS, 1)), rng.normal(0, 1, (UNITS, 1))),
            lambda pair, rng: probability_of_improvement(*pair, rng=rng),
            chance, sets, rng,
        )  # fmt: skip
        line(f"probability of improvement {chance:.0%}, {UNITS} seeds a side", share, "")
    for units in (3, 5, 8, 10, 20):
        missed = 0
        for _ in range(sets):
            found = simultaneous(rng.normal(size=(units, COLUMNS)), rng=rng, draws=2000)
            missed += (found.low > 0).any() or (found.high < 0).any()
        line(f"{COLUMNS} unrelated normal columns, {units} units: all hold", 1 - missed / sets, "")


if __name__ == "__main__":
    begun = time.perf_counter()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    intervals(count, np.random.default_rng(1))
    whole_runs(count, np.random.default_rng(2))
    weak_spots(count, np.random.default_rng(3))
    print(f"\n{time.perf_counter() - begun:.0f} s: python benchmarks/coverage.py {count}")
