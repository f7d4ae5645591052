"""The curves that a drift is read from: of the episodes of a frozen agent, or of a training that goes on.

A frozen agent is followed through its episodes, step by step; after its end an episode pays nothing. An agent
that goes on learning is followed through its training, by the mean scores of the episodes that it finished.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from assay.analysis.carried import Lives
from assay.errors import AssayError, NotApplicable
from assay.plans.drift_question import EPISODES, DriftQuestion
from assay.results import Job, Run

MOST_PLACES = 2000  # of a learning curve whose seeds report at times of their own


class Curves(NamedTuple):
    """Scores of both arms, (units, places) each, and the times of the places' ends."""

    drifted: np.ndarray
    control: np.ndarray
    times: np.ndarray  # (places,)
    reached: float | None = None
    lives: Lives | None = None  # of episodes that were played; None: of training

    @property
    def spacing(self) -> float:
        return float(self.times[-1] / len(self.times))

    def place(self, time: int) -> int:
        """The first place that ends after a time."""
        return int(np.searchsorted(self.times, time, side="right"))


def played_curves(run: Run, jobs: Sequence[Job], question: DriftQuestion) -> Curves:
    """The scores of a frozen agent step by step; units are seeds, or the episodes of an only one."""
    arms: dict[str, list[np.ndarray]] = {}
    for job in sorted(jobs, key=lambda job: job.seed):
        transcript = run.transcript(job.id)
        control, drifted = dict.fromkeys(transcript["task"].to_pylist())  # the training task comes first
        arms.setdefault("control", []).append(scores_by_step(transcript, control))
        arms.setdefault("drifted", []).append(scores_by_step(transcript, drifted))
    length = max(scores.shape[1] for arm in arms.values() for scores in arm)
    lasting = [np.isfinite(scores) for scores in arms["control"]]
    reached = np.mean([seed[:, question.drifts[0] :].any(axis=1).mean() for seed in lasting])
    sides = {
        name: [np.pad(np.nan_to_num(seed), ((0, 0), (0, length - seed.shape[1]))) for seed in arm]
        for name, arm in arms.items()
    }
    alone = len(jobs) == 1
    drifted, control = (
        sides[name][0] if alone else np.stack([seed.mean(axis=0) for seed in sides[name]])
        for name in ("drifted", "control")
    )
    lives = Lives(*(stack_lives(arms[name], length, alone) for name in ("drifted", "control")))
    return Curves(drifted, control, np.arange(1, length + 1), reached=float(reached), lives=lives)


def stack_lives(seeds: Sequence[np.ndarray], length: int, alone: bool) -> np.ndarray:
    """(units, episodes, steps) scores with NaN after the end; of an only seed, episodes are the units."""
    padded = [np.pad(seed, ((0, 0), (0, length - seed.shape[1])), constant_values=math.nan) for seed in seeds]
    return padded[0][:, None] if alone else np.stack(padded)


def scores_by_step(transcript: pa.Table, task: str) -> np.ndarray:
    """(episodes, steps) the score of each step; NaN after the end of an episode."""
    rows = transcript.filter(pa.compute.equal(transcript["task"], task))
    episode, step, score = (rows[name].to_numpy() for name in ("episode", "step", "score"))
    scores = np.full((int(episode.max()) + 1, int(step.max())), np.nan)
    scores[episode, step - 1] = score
    return scores


class Reports(NamedTuple):
    """What a training reported of its episodes, (reports,) each."""

    step: np.ndarray
    score: np.ndarray  # their mean; NaN if none ended
    episodes: np.ndarray


def learning_curves(run: Run, jobs: Sequence[Job], question: DriftQuestion) -> Curves:
    """The mean scores of finished episodes over the training; units are seeds."""
    told = reports_by_job(run)
    arms: dict[bool, dict[int, Reports]] = {False: {}, True: {}}
    pairs = sorted({job.pair for job in jobs})
    for job in jobs:
        if job.id not in told:
            raise NotApplicable(
                f"{job.agent} leaves no learning curve with assay, and a drift on the clock of a life is "
                "measured on one; take an agent of the catalogue, or let the schedule count steps of the "
                "episode."
            )
        arms[job.pair == pairs[-1]][job.seed] = told[job.id]
    control, drifted = ([arm[seed] for seed in sorted(arm)] for arm in arms.values())
    if question.unit == EPISODES:
        return curves_by_episode(drifted, control)
    return curves_by_step(drifted, control)


def reports_by_job(run: Run) -> dict[str, Reports]:
    table = run.curves(name=["score", "episodes"])
    told: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for job, step, name, value in zip(
        *(table[each].to_pylist() for each in ("job", "step", "name", "value"))
    ):
        told.setdefault(job, {}).setdefault(name, []).append((step, value))
    return {
        job: Reports(
            np.array([step for step, _ in names["score"]], float),
            np.array([score for _, score in names["score"]], float),
            np.array([ended for _, ended in names["episodes"]], float),
        )
        for job, names in told.items()
    }


def curves_by_step(drifted: Sequence[Reports], control: Sequence[Reports]) -> Curves:
    """By env steps; a report without a finished episode has the score of the one before it."""
    every = [*drifted, *control]
    times = every[0].step
    if any(not np.array_equal(each.step, times) for each in every):
        last = min(each.step[-1] for each in every)
        times = np.linspace(0, last, MOST_PLACES + 1)[1:]
    sides = [np.stack([values_at(each, times) for each in side]) for side in (drifted, control)]
    first = int(max(np.argmax(np.isfinite(side).all(axis=0)) for side in sides))
    if not all(np.isfinite(side[:, first:]).all() for side in sides):
        raise AssayError("a seed finished no episode while it was trained; train it for more steps.")
    filled = [np.where(np.arange(side.shape[1]) < first, side[:, [first]], side) for side in sides]
    return Curves(filled[0], filled[1], times)


def values_at(reports: Reports, times: np.ndarray) -> np.ndarray:
    """The last score that was reported until each of these times; NaN before the first."""
    known = np.isfinite(reports.score)
    steps, scores = reports.step[known], reports.score[known]
    if not steps.size:
        return np.full(len(times), np.nan)
    places = np.searchsorted(steps, times, side="right") - 1
    return np.where(places >= 0, scores[np.maximum(places, 0)], np.nan)


def curves_by_episode(drifted: Sequence[Reports], control: Sequence[Reports]) -> Curves:
    """By the number of the episode, as far as all seeds of both arms went."""
    sides = [
        [
            np.repeat(each.score, np.where(np.isfinite(each.score), each.episodes, 0).astype(int))
            for each in side
        ]
        for side in (drifted, control)
    ]
    length = min(len(seed) for side in sides for seed in side)
    if not length:
        raise AssayError("a seed finished no episode while it was trained; train it for more steps.")
    cut = [np.stack([seed[:length] for seed in side]) for side in sides]
    return Curves(cut[0], cut[1], np.arange(1, length + 1))
