"""CVaR: the mean score of the worst episodes on each task, where there are enough of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.pair_episodes import Episodes
from assay.chance.risk import SHARES, has_tail, tail_means
from assay.plans.plan import ExamPlan, ScoreRange
from assay.plans.question import PLAIN
from assay.results import Run
from assay.stats.aggregate import Interval


@dataclass(frozen=True)
class Tail:
    share: float  # of the episodes, the worst
    score: Interval  # their mean


@dataclass(frozen=True)
class TaskTails:
    """The tails of one task, from all episodes of all seeds."""

    label: str
    episodes: int
    tails: tuple[Tail, ...]


def find_tails(
    scores: np.ndarray, seeds: np.ndarray, trained: bool, declared: ScoreRange | None = None
) -> tuple[Tail, ...]:
    """The tails that have enough episodes, with the ends of the declared range of scores, if there is one.

    Where several agents were trained, intervals are over agents, each with all of its episodes.
    """
    shares = [share for share in SHARES if has_tail(len(scores), share)]
    groups = seeds if trained and len(np.unique(seeds)) > 1 else None
    limits = (declared.low, declared.high) if declared else (-math.inf, math.inf)
    tails = tail_means(scores, shares, groups=groups, limits=limits)
    return tuple(Tail(each.share, Interval(each.value, each.low, each.high)) for each in tails)


def tails_of_pairs(
    labels: Sequence[str],
    episodes: Sequence[Episodes | None],
    trained: bool,
    declared: Mapping[str, ScoreRange | None] = {},
) -> tuple[TaskTails, ...]:
    """The tails of each pair; `declared` has the range of the scores that it is evaluated by, by label."""
    rows = [
        TaskTails(label, len(each.scores), find_tails(each.scores, each.seeds, trained, declared.get(label)))
        for label, each in zip(labels, episodes)
        if each is not None
    ]
    return tuple(row for row in rows if row.tails)


def tails_of_exam(run: Run, plan: ExamPlan) -> tuple[TaskTails, ...]:
    """The tails of the plain task and of every level of the agent's, in the order of the records."""
    seeds = {job.id: job.seed for job in run.jobs(agent=plan.agent, status="done")}
    if not seeds:
        return ()
    played: dict[tuple[str, str, str], list[tuple[float, int]]] = {}
    table = run.episodes(job=sorted(seeds))
    columns = (table[name].to_pylist() for name in ("job", "arm", "axis", "level", "score"))
    for job, arm, axis, level, score in zip(*columns):
        played.setdefault((arm, axis, level), []).append((score, seeds[job]))
    rows = []
    for (arm, axis, level), each in sorted(played.items(), key=lambda one: one[0][0] != PLAIN):
        scores, agents = (np.array(column) for column in zip(*each))
        label = "plain" if arm == PLAIN else f"{axis}={level} ({arm})"
        # The range is declared for the plain task; a level may pay otherwise.
        declared = plan.score_range if arm == PLAIN else None
        rows.append(TaskTails(label, len(scores), find_tails(scores, agents, plan.trains, declared)))
    return tuple(row for row in rows if row.tails)
