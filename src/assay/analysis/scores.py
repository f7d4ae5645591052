"""The records of an exam as arrays: the score of each unit on each task.

A unit is a seed where agents were trained, and an episode where an agent was examined as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.plans.plan import exam_plan_of
from assay.plans.question import PLAIN_PLACE, RANDOM, Place, Question
from assay.results import Run
from assay.stats.distinct_episodes import distinct_pairs


@dataclass
class Scores:
    """Scores by place and unit, with the tasks, digests and references of the same episodes."""

    unit: str
    score: dict[Place, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    task: dict[Place, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    random: dict[Place, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    optimum: dict[str, float] = field(default_factory=dict)  # by task
    digest: dict[Place, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))  # of episodes
    cut: dict[Place, float] = field(
        default_factory=dict
    )  # share of episodes that the plan's step limit ended
    dropped: list[str] = field(default_factory=list)  # axes without a finished job

    def column(self, place: Place, units: list[int]) -> np.ndarray:
        return np.array([self.score[place][unit] for unit in units], float)

    def random_of(self, place: Place, units: list[int]) -> np.ndarray:
        """The scores of random play: unit by unit where it has the same units, else all of them."""
        random = self.random.get(place, {})
        same = random.keys() >= set(units)
        return np.array(
            [random[unit] for unit in units] if same else list(random.values()) or [np.nan], float
        )

    def new_pairs(self, places: list[Place], units: list[int]) -> np.ndarray:
        """(units, places): which pairs of plain and varied episodes count (`stats.distinct_episodes`)."""

        def digests(place: Place) -> list[str | None]:
            return [self.digest.get(place, {}).get(unit) for unit in units]

        plain = digests(PLAIN_PLACE)
        return np.stack([distinct_pairs(plain, digests(place)) for place in places], axis=1)

    def mean_random(self, place: Place) -> float | None:
        random = self.random.get(place)
        return float(np.mean(list(random.values()))) if random else None

    def optima(self, place: Place, units: list[int]) -> np.ndarray | None:
        """The optimum of the task that each unit played; None where one is not known."""
        best = [self.optimum.get(self.task[place][unit]) for unit in units]
        return None if any(value is None for value in best) else np.array(best, float)

    def mean_optimum(self, place: Place, units: list[int]) -> float | None:
        best = self.optima(place, units)
        return None if best is None else float(best.mean())

    def shares(self, place: Place, units: list[int]) -> np.ndarray:
        """Scores as shares of each task's own optimum; NaN where that is unknown or not above 0."""
        best = self.optima(place, units)
        if best is None or (best <= 0).any():
            return np.full(len(units), np.nan)
        shares: np.ndarray = self.column(place, units) / best
        return shares


def read_scores(run: Run) -> Scores:
    """The scores of all finished jobs of a run."""
    plan = exam_plan_of(run)
    jobs = {job.id: job for job in run.jobs(status="done")}
    by_episode = not plan.trains
    scores = Scores("episode" if by_episode else "seed")
    for row in rows_of(run, by_episode):
        job, place = jobs[row["job"]], (row["arm"], row["axis"], row["level"])
        unit = row["episode"] if by_episode else job.seed
        if job.agent == RANDOM:  # an exam of random play itself fills both
            scores.random[place][unit] = row["score"]
        if job.agent == plan.agent:
            scores.score[place][unit] = row["score"]
            scores.task[place][unit] = row["task"]
            if row["digest"] is not None:
                scores.digest[place][unit] = row["digest"]
    scores.cut = cut_shares(run, plan.max_steps, {job.id for job in jobs.values() if job.agent == plan.agent})
    scores.optimum = {each.task: each.value for each in run.references(kind="optimum")}
    return scores


def cut_shares(run: Run, limit: int | None, jobs: set[str]) -> dict[Place, float]:
    """By place, the share of these jobs' episodes that the step limit cut; empty where there is no limit."""
    ended: dict[Place, list[bool]] = defaultdict(list)
    if limit:
        for row in run.episodes().select(["job", "arm", "axis", "level", "steps", "truncated"]).to_pylist():
            if row["job"] in jobs:
                place = row["arm"], row["axis"], row["level"]
                ended[place].append(bool(row["truncated"]) and row["steps"] >= limit)
    return {place: float(np.mean(flags)) for place, flags in ended.items()}


def rows_of(run: Run, by_episode: bool) -> list[dict[str, Any]]:
    """One row per unit and try: an episode's score and digest, or the mean over a seed's episodes."""
    table = run.episodes()
    keys = ["job", "arm", "axis", "level", "task"]
    if by_episode:
        kept = [*keys, "episode", "score", *(["digest"] if "digest" in table.column_names else [])]
        return [{"digest": None, **row} for row in table.select(kept).to_pylist()]
    means = table.select([*keys, "score"]).group_by(keys).aggregate([("score", "mean")])
    return [{**row, "score": row["score_mean"], "digest": None} for row in means.to_pylist()]


def whole_units(scores: Scores, questions: Sequence[Question]) -> tuple[list[int], list[Question]]:
    """The units that have all scores of the questions that can be answered, and these questions.

    A question is dropped where no unit has all of its scores, as when every job of an axis failed; a unit is
    dropped where one of its jobs failed.
    """
    with_plain = set(scores.score.get(PLAIN_PLACE, {}))
    if not with_plain:
        raise AssayError(
            "no job of the plain task is done, so there is nothing to compare with; resume the run."
        )
    answered = [q for q in questions if with_plain.intersection(*(scores.score.get(p, {}) for p in q.places))]
    units = with_plain.copy()
    for question in answered:
        for place in question.places:
            units &= set(scores.score[place])
    scores.dropped += [q.axis for q in questions if q not in answered]
    if not units:
        raise AssayError("no seed has all of its jobs done; resume the run, or look at what failed.")
    return sorted(units), answered
