"""The errors of a run, episode by episode, from its records: of players on tasks in which errors are counted.

Such tasks pay -1 for every error, and their envs measure how an episode ended (`errors`, `cleared`). Of a
player that learns, episodes are those of its training, where it reports each one by itself; of a player that
does not learn, they are those of its evaluation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.analysis.changed_files import refuse_changed_files
from assay.analysis.pairs import jobs_of_pairs, level_text, pairs_of
from assay.errors import AssayError, NotApplicable
from assay.plans.plan import ExamPlan, PairPlan, plan_of
from assay.results import Job, Run

COUNTED = ("errors", "cleared", "pieces_left")  # measures that an env with errors takes


@dataclass(frozen=True)
class ErrorRun:
    """One run of a player on a rule."""

    seed: int
    errors: tuple[float, ...]  # by episode
    cleared: tuple[bool, ...]  # whether the board of each was cleared


@dataclass(frozen=True)
class Played:
    """All runs of one player on one rule."""

    rule: str  # the task that was played
    player: str
    runs: tuple[ErrorRun, ...]

    @property
    def episodes(self) -> int:
        return len(self.runs[0].errors)


@dataclass(frozen=True)
class Setting:
    """A player before it has a name: an agent with its settings."""

    agent: str
    settings: tuple[tuple[str, str], ...]


def played_in(runs: Sequence[Run]) -> tuple[Played, ...]:
    """What the players of several runs played; a player is named by the settings that tell it apart."""
    refuse_changed_files(runs)
    parts = [part for run in runs for part in _parts_of(run)]
    names = name_players([setting for setting, _, _ in parts])
    found: dict[tuple[str, str], Played] = {}
    for setting, rule, errors in parts:
        key = rule, names[setting]
        if key in found:
            raise AssayError(f"{key[1]} played {rule} in two of these runs; give one of the two.")
        found[key] = Played(rule, names[setting], errors)
    return tuple(found.values())


def counts_errors(run: Run) -> bool:
    """Whether the episodes of a run's player can be told one by one, with their errors."""
    try:
        return bool(_parts_of(run))
    except NotApplicable:
        return False


def name_players(settings: Sequence[Setting]) -> dict[Setting, str]:
    """By player its agent, with the settings in which players of one agent differ."""
    names = {}
    for each in settings:
        same = [dict(other.settings) for other in settings if other.agent == each.agent]
        told = [
            f"{name}={value}"
            for name, value in each.settings
            if any(other.get(name) != value for other in same)
        ]
        names[each] = " ".join([each.agent, *told])
    return names


def _parts_of(run: Run) -> list[tuple[Setting, str, tuple[ErrorRun, ...]]]:
    plan = plan_of(run)
    if isinstance(plan, ExamPlan):
        raise NotApplicable(f"{run.folder} is an exam; difficulty is told of `assay run` and `assay train`.")
    found: dict[tuple[Setting, str], tuple[ErrorRun, ...]] = {}
    endings, curves = _endings_of(run), _curves_of(run) if plan.trains else {}
    for pair, (jobs, _) in zip(pairs_of(run), jobs_of_pairs(run)):
        setting = _setting_of(plan.agent, plan.settings, pair)
        if (setting, pair.train) in found or not jobs:
            continue
        told = [_learned(job, endings, curves) if plan.trains else _evaluated(job, endings) for job in jobs]
        lengths = {len(each.errors) for each in told}
        if len(lengths) > 1:
            raise AssayError(f"runs on {pair.train} in {run.folder} have {min(lengths)} to {max(lengths)} "
                             "episodes; give each player steps enough for all of its episodes.")  # fmt: skip
        found[setting, pair.train] = tuple(told)
    return [(setting, rule, errors) for (setting, rule), errors in found.items()]


def _setting_of(agent: str, settings: Mapping[str, Any], pair: PairPlan) -> Setting:
    own = dict(settings) | dict(pair.settings or {})
    return Setting(agent, tuple(sorted((name, level_text(value)) for name, value in own.items())))


def _endings_of(run: Run) -> dict[str, list[dict[str, Any]]]:
    """By job, its episodes of evaluation with the measures of how they ended."""
    table = run.episodes().select(["job", "task", "arm", "steps", "score", "extra"])
    endings: dict[str, list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        measures = json.loads(row["extra"])
        if not set(COUNTED) <= set(measures):
            raise NotApplicable(
                f"{run.folder} counts no errors: its episodes of {row['task']} do not tell "
                f"{', '.join(COUNTED)}; difficulty is told of hidden-rule games."
            )
        told = {name: row[name] for name in ("task", "steps", "score")}
        endings.setdefault(row["job"], []).append({**measures, **told})
    return endings


def _curves_of(run: Run) -> dict[str, dict[str, list[float]]]:
    """By job and name, the values of all reports of training, in order."""
    table = run.curves(name=["score", "length", "episodes"])
    curves: dict[str, dict[str, list[float]]] = {}
    for job, name, value in zip(*(table[column].to_pylist() for column in ("job", "name", "value"))):
        curves.setdefault(job, {}).setdefault(name, []).append(value)
    return curves


def _evaluated(job: Job, endings: Mapping[str, list[dict[str, Any]]]) -> ErrorRun:
    rows = [row for row in endings[job.id] if row["task"] == job.train_task]
    return ErrorRun(
        job.seed, tuple(-row["score"] + 0.0 for row in rows), tuple(bool(row["cleared"]) for row in rows)
    )


def _learned(
    job: Job, endings: Mapping[str, list[dict[str, Any]]], curves: Mapping[str, dict[str, list[float]]]
) -> ErrorRun:
    """The episodes of training, where every report is of one episode."""
    mine = {name: np.array(values) for name, values in curves.get(job.id, {}).items()}
    ended = mine.get("episodes", np.zeros(0)) > 0
    if not ended.any() or (mine["episodes"][ended] != 1).any():
        raise NotApplicable(
            f"{job.agent} does not report its training episode by episode, so that its errors cannot be told "
            "for each of them; linear_q does."
        )
    errors, length = -mine["score"][ended] + 0.0, mine["length"][ended]
    if (errors < 0).any() or (errors != np.round(errors)).any():
        raise NotApplicable(f"the scores of {job.train_task} are no counts of errors.")
    return ErrorRun(job.seed, tuple(map(float, errors)), _cleared(job, errors, length, endings[job.id]))


def _cleared(
    job: Job, errors: np.ndarray, length: np.ndarray, endings: list[dict[str, Any]]
) -> tuple[bool, ...]:
    """Whether each episode of training was cleared: as many moves were accepted as boards have pieces."""
    # Not by `attempts`, which leave out those on empty cells, while errors count them.
    counts = {row["steps"] - row["errors"] + row["pieces_left"] for row in endings}
    if len(counts) != 1:
        raise NotApplicable(
            f"boards of {job.train_task} have {min(counts):g} to {max(counts):g} pieces, and training does "
            "not tell how many each had; difficulty needs boards with one number of pieces."
        )
    return tuple(bool(each) for each in length - errors == counts.pop())
