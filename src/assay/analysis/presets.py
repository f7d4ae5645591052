"""Pairs beside the pair that they are compared with, beside random play, and beside published scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.analysis.pair_episodes import Episodes
from assay.analysis.pair_limits import limits_of_scores
from assay.analysis.pairs import FEWEST_SEEDS, PairFinding, interval, known_of_pair, without_ends
from assay.plans.plan import PairPlan, PairsPlan, Plan
from assay.plans.question import RANDOM
from assay.results.record import canonical, digest_of
from assay.stats.aggregate import Interval
from assay.stats.bounded_mean import Range
from assay.stats.kept_share import kept_share
from assay.stats.limits import Limits, cut
from assay.stats.resampling import bootstrap_t
from assay.suites.playground_factors import Factors
from assay.suites.suite import PublishedScore

IS_BASELINE = "baseline"
OF_RANDOM = "undefined: random play"
NOT_TOLD = "is not told from random play: no scale"  # after the name of the baseline
BELOW = "scores below random play: no scale"
NO_BASELINE = "the baseline is not finished"
NO_RANDOM = "random play was not measured"
ONE_SEED = "one seed: no scale"
NO_SHARED = "no seed in common with the baseline"


@dataclass(frozen=True)
class PresetScore:
    """One pair: its mean score, and the share that it keeps of the baseline's score above random play."""

    label: str
    baseline: str  # the label of the pair that it is compared with
    seeds: int
    score: Interval  # mean over seeds; without ends for fewer than FEWEST_SEEDS
    sd: float | None  # over seeds, n - 1; None for one seed
    random: Interval | None  # random play on the same task: mean over episodes; None where not measured
    random_episodes: int
    kept: Interval | None  # (score - random) / (baseline - random), random play being that of the baseline
    why_not_kept: str  # "" where there is a share
    published: tuple[PublishedScore, ...] = ()
    events: dict[str, float] = field(default_factory=dict)  # by axis: how often it acted in an episode


def find_presets(
    plan: PairsPlan,
    findings: Sequence[PairFinding],
    episodes: Sequence[Episodes | None],
    random: dict[str, Episodes],
    method: str = "",
) -> tuple[PresetScore, ...]:
    """A row for each finished pair that names a baseline, in the order of the plan."""
    by_name = {finding.label: finding for finding in findings}
    pairs = {pair.name: pair for pair in plan.suite.pairs}
    played = {
        pair.evaluate: cut(random_score(random[pair.evaluate]), limits_of_evaluation(plan, pair))
        for pair in plan.suite.pairs
        if pair.evaluate in random
    }
    rows = []
    for number, (pair, own) in enumerate(zip(plan.suite.pairs, episodes)):
        if not pair.baseline or own is None or pair.name not in by_name:
            continue
        finding = by_name[pair.name]
        home = pairs[pair.baseline]
        kept, why = judge_kept(plan, pair, by_name, home, random.get(home.evaluate))
        values = np.array(finding.units["evaluated"])
        rows.append(
            PresetScore(
                label=pair.name,
                baseline=pair.baseline,
                seeds=len(values),
                score=mean_score(plan, number, finding, method),
                sd=float(values.std(ddof=1)) if len(values) > 1 else None,
                random=played.get(pair.evaluate),
                random_episodes=len(random[pair.evaluate].scores) if pair.evaluate in random else 0,
                kept=kept,
                why_not_kept=why,
                published=pair.published,
                events=own.events,
            )
        )
    return tuple(rows)


def judge_kept(
    plan: PairsPlan,
    pair: PairPlan,
    by_name: dict[str, PairFinding],
    home: PairPlan,
    random: Episodes | None,
) -> tuple[Interval | None, str]:
    """The share that a pair keeps, or why it has none.

    It has no ends where the seeds of the pair or of its baseline have none.
    """
    if plan.agent == RANDOM:
        return None, OF_RANDOM
    if pair.name == home.name:
        return None, IS_BASELINE
    if home.name not in by_name:
        return None, NO_BASELINE
    if random is None:
        return None, NO_RANDOM
    varied, plain = units_of_shared_seeds(by_name[pair.name], by_name[home.name])
    rng = generator(plan, pair.name)
    if len(plain) < 2:
        return None, NO_SHARED if not len(plain) else ONE_SEED
    above, floor = scale_of(plain, random.scores, limits_of_evaluation(plan, home), plan.episodes, rng)
    if above.high < floor.low:
        return None, f"{home.name} {BELOW}"
    kept = kept_share(varied, plain, random.scores, rng=rng) if above.low > floor.high else None
    if kept is None:
        return None, f"{home.name} {NOT_TOLD}"
    unsure = len(plain) < FEWEST_SEEDS or any(
        math.isinf(bootstrap_t(each, rng=np.random.default_rng(0)).low) for each in (varied, plain)
    )
    return (without_ends(kept) if unsure else kept), ""


def scale_of(
    plain: np.ndarray, random: np.ndarray, limits: Limits, episodes: int, rng: np.random.Generator
) -> tuple[Interval, Interval]:
    """The mean of plain play, seeds that are means of so many episodes, and that of random play, in episodes.

    Both allow for an episode that was not seen: random play may score once as plain play does on average,
    and seeds that all agree may have missed an episode of any score. Random play that always scores the
    same, or is too skewed for Student's t, has a bound by the range of scores: the task's or, where that is
    not known, that of all that was seen.
    """
    every = np.concatenate([plain, random])
    low, high = (
        end if math.isfinite(end) else float(of(every))
        for end, of in ((limits.low, np.min), (limits.high, np.max))
    )
    above = bootstrap_t(plain, rng=rng, step=(high - low) / episodes if np.ptp(plain) == 0 else 0.0)
    floor = bootstrap_t(random, rng=rng)
    if len(random) == 1 or low == high:
        return above, floor
    if math.isinf(floor.low):
        return above, bootstrap_t(random, rng=rng, known=Range(low, high))
    return above, bootstrap_t(random, rng=rng, step=abs(float(plain.mean() - random.mean())))


def mean_score(plan: PairsPlan, number: int, finding: PairFinding, method: str = "") -> Interval:
    """The mean of the evaluated score with its 95% interval: that of the finding, if it is of this kind."""
    if len(finding.units["evaluated"]) < FEWEST_SEEDS:
        return without_ends(finding.evaluated._replace(value=float(np.mean(finding.units["evaluated"]))))
    if finding.statistic == "mean" and not method:
        return finding.evaluated
    pair, values = plan.suite.pairs[number], np.array(finding.units["evaluated"])
    told = interval("preset", values, plan, number, len(plan.suite.pairs), "")
    return cut(told, limits_of_evaluation(plan, pair))


def limits_of_evaluation(plan: Plan, pair: PairPlan) -> Limits:
    """Where the scores of the task that a pair is evaluated on can lie, whatever its optimum."""
    return limits_of_scores(Factors(), math.nan, known_of_pair(plan, pair)[1])


def units_of_shared_seeds(one: PairFinding, other: PairFinding) -> tuple[np.ndarray, np.ndarray]:
    """The evaluated scores of the seeds that both pairs have finished."""
    by_seed = [dict(zip(each.seed_numbers, each.units["evaluated"])) for each in (one, other)]
    shared = [seed for seed in by_seed[0] if seed in by_seed[1]]
    first, second = (np.array([scores[seed] for seed in shared]) for scores in by_seed)
    return first, second


def random_score(episodes: Episodes) -> Interval:
    """The mean of random play over its episodes; an interval without ends where all are alike."""
    return bootstrap_t(episodes.scores, rng=np.random.default_rng(0))


def generator(plan: PairsPlan, what: str) -> np.random.Generator:
    """A generator of its own for each row: other rows do not move it."""
    about = canonical([plan.agent, plan.name, list(plan.seeds), what])
    return np.random.default_rng(int(digest_of([about.encode()]), 16))
