"""Induced-policy shift: how far a policy's choices move when the same states look otherwise.

Probabilities of actions in, findings out. The units are the episodes of one policy, or the seeds where
several were trained: states of one episode depend on each other, and episodes of one trained agent do too.
Every unit counts alike, by the mean over its own states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.plans.plan import NotAsked
from assay.results.record import canonical, digest_of
from assay.stats.aggregate import Interval
from assay.stats.bounded_mean import Range
from assay.stats.limits import Limits, cut
from assay.stats.policy_shift import choice_changed, kl_divergence, largest_divergence, total_variation
from assay.stats.rank import spearman_of_pairs
from assay.stats.resampling import bootstrap_t

COVERAGE = 0.95
FEWEST_AXES = 5  # for a rank correlation between shift and gap
SHARE, ANY = Range(0.0, 1.0), Limits()


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval; None where there is no end."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ShiftFinding:
    """One axis at one level, in the same states as the plain task."""

    axis: str
    level: str
    distance: Estimate  # total variation between the action distributions, from 0 to 1
    divergence: Estimate  # KL(plain || varied) in nats
    changed: Estimate  # share of states whose most likely action is another one
    gap: Estimate  # plain score - varied score, of the same episodes


@dataclass(frozen=True)
class Moment:
    """One state, rendered twice."""

    axis: str
    level: str
    seed: int
    episode: int
    step: int
    distance: float  # total variation
    plain: tuple[float, ...]  # the probability of each action
    varied: tuple[float, ...]
    plain_seen: str  # a PNG in base64 where observations are pictures, else the numbers
    varied_seen: str


@dataclass(frozen=True)
class RankOfGaps:
    """Spearman's correlation between total variation and gap, over axes."""

    rho: Estimate
    chance: float  # of one as far from 0 under random orders
    axes: int


@dataclass(frozen=True)
class Shift:
    """All findings on one agent and task."""

    agent: str
    task: str
    actions: tuple[str, ...]  # their names, or numbers
    unit: str  # "episode" of one policy, or "seed" where several were trained
    seeds: tuple[int, ...]
    episodes: int  # of each seed, plain and under every axis
    states: int  # of all seeds
    plain_score: Estimate
    findings: tuple[ShiftFinding, ...]  # the largest total variation first
    rank: RankOfGaps | None  # None with too few axes
    moments: tuple[Moment, ...]  # where the choice changes most
    pictures: bool  # whether the moments hold pictures
    looks: bool = True  # False: the agent never looks, so its shift is 0 by construction
    states_asked: int = 0  # of all seeds; episodes that are too short have fewer
    not_asked: tuple[NotAsked, ...] = ()


class Told(NamedTuple):
    """One policy at one level; one entry per episode."""

    plain: list[np.ndarray]  # (states, actions) each
    varied: list[np.ndarray]
    plain_scores: np.ndarray  # (episodes,)
    varied_scores: np.ndarray


class Values(NamedTuple):
    """The values of the units at one level, (units,) each."""

    distance: np.ndarray
    divergence: np.ndarray
    changed: np.ndarray
    gap: np.ndarray


def values_of_level(told: Sequence[Told]) -> Values:
    """The values of every episode of a single policy, or of every policy where there are several."""
    by_policy = [
        Values(
            np.array([total_variation(p, q).mean() for p, q in zip(each.plain, each.varied)]),
            np.array([kl_divergence(p, q).mean() for p, q in zip(each.plain, each.varied)]),
            np.array([choice_changed(p, q).mean() for p, q in zip(each.plain, each.varied)]),
            each.plain_scores - each.varied_scores,
        )
        for each in told
    ]
    if len(by_policy) == 1:
        return by_policy[0]
    return Values(*(np.array([column.mean() for column in columns]) for columns in zip(*by_policy)))


class Extent(NamedTuple):
    """What is the same for all levels."""

    states: float  # per unit
    actions: int
    score: float  # the mean of plain play
    looks: bool


def judge_level(
    axis: str, level: str, values: Values, about: Extent, rng: np.random.Generator
) -> ShiftFinding:
    """The finding on one level."""
    nats = Range(0.0, largest_divergence(about.actions))
    columns = ((values.distance, SHARE), (values.divergence, nats), (values.changed, SHARE))
    # What a unit can come to is known, and an unseen one may come to all of it.
    distance, divergence, changed = (
        estimate(bootstrap_t(column, rng=rng, coverage=COVERAGE, known=known), Limits(*known[:2]))
        if about.looks
        else Estimate(float(column.mean()), 0.0, 0.0)
        for column, known in columns
    )
    gap = judge_gap(values.gap, about.score, rng)
    if not about.looks and not values.gap.any():
        gap = Estimate(0.0, 0.0, 0.0)  # the same actions in the same states
    return ShiftFinding(axis, level, distance, divergence, changed, gap)


def judge_gap(gaps: np.ndarray, size: float, rng: np.random.Generator) -> Estimate:
    """The mean gap; where all units agree, an unseen one may lose all that plain play scores."""
    agree = len(gaps) > 1 and not np.ptp(gaps)
    return estimate(bootstrap_t(gaps, rng=rng, coverage=COVERAGE, step=abs(size) if agree else 0.0), ANY)


def estimate(interval: Interval, limits: Limits) -> Estimate:
    value, low, high = cut(interval, limits)
    ends = (None if np.isinf(end) else float(end) for end in (low, high))
    return Estimate(float(value), *ends)


def rank_gaps(values: Sequence[Values], rng: np.random.Generator) -> RankOfGaps | None:
    """Whether axes that shift the policy more cost it more; None for too few axes, or equal ones."""
    if len(values) < FEWEST_AXES:
        return None
    distances, gaps = (np.stack([getattr(each, name) for each in values], 1) for name in ("distance", "gap"))
    if not np.ptp(distances.mean(0)) or not np.ptp(gaps.mean(0)):
        return None  # where all axes are alike on one side, nothing ranks them
    ranked = spearman_of_pairs(distances, gaps, rng=rng, coverage=COVERAGE)
    return RankOfGaps(estimate(ranked.rho, ANY), ranked.chance, len(values))


class Place(NamedTuple):
    """A state at a level: numbers of the level, the policy, the episode, and of the state in it."""

    level: int
    policy: int
    episode: int
    state: int


def choose_moments(told: Sequence[Sequence[Told]], count: int) -> list[Place]:
    """The states with the largest total variation: one per episode, and not too many of one level.

    `told` is by level, then by policy. States in which nothing changed are never chosen, and a state that was
    chosen for one level comes again for another only if there are too few others.
    """
    best = []
    for level, policies in enumerate(told):
        for policy, each in enumerate(policies):
            for episode, (plain, varied) in enumerate(zip(each.plain, each.varied)):
                distances = total_variation(plain, varied)
                state = int(distances.argmax())
                best.append((float(distances[state]), Place(level, policy, episode, state)))
    best = sorted((each for each in best if each[0] > 0), key=lambda each: (-each[0], each[1]))
    most = -(-count // max(1, len({place.level for _, place in best})))
    chosen: list[Place] = []
    for again in (False, True):
        for _, place in best:
            of_level = sum(each.level == place.level for each in chosen)
            known = place in chosen or (not again and any(each[1:] == place[1:] for each in chosen))
            if len(chosen) < count and of_level < most and not known:
                chosen.append(place)
    order = [place for _, place in best]
    return sorted(chosen, key=order.index)


def generator(*about: object) -> np.random.Generator:
    """A generator that is seeded by what was measured."""
    return np.random.default_rng(int(digest_of([canonical(list(about)).encode()]), 16))
