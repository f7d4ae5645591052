"""What a run of pairs found: the score where the agent was trained, where it was evaluated, and the gap."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.report.exam import PLAIN
from assay.results import Run
from assay.results.record import canonical, digest_of
from assay.stats.aggregate import Interval, iqm
from assay.stats.bootstrap import bootstrap, bootstrap_t
from assay.stats.compare import auc


@dataclass(frozen=True)
class PairFinding:
    """One pair, over seeds; shares are of each task's own optimum, where that is known for all seeds."""

    train: str
    evaluate: str
    seeds: int
    trained: Interval  # IQM of the score where it was trained
    evaluated: Interval  # IQM of the score where it was evaluated
    gap: Interval | None  # mean of evaluated - trained, per seed; None where both are one task
    share: Interval | None  # IQM of the evaluated score as a share of the optimum
    area: Interval | None  # mean over the reports of training, where an agent was trained
    area_share: Interval | None = None  # the same as a share of the optimum where it was trained
    area_length: Interval | None = None  # mean length of the episodes of training, over its reports
    regret: Interval | None = None  # mean of what the optimum scores more than the agent
    point: dict[str, Any] = field(default_factory=dict)  # what a design set here


def find_pairs(run: Run) -> list[PairFinding]:
    """One finding per pair, in the order of the plan; pairs without a finished job are left out."""
    plan = run.plan["plan"]
    rng = np.random.default_rng(int(digest_of([canonical(plan).encode()]), 16))
    means = seed_means(run)
    areas, lengths = learning_areas(run, "score"), learning_areas(run, "length")
    best = {each.task: each.value for each in run.references(kind="optimum")}
    suite = plan.get("suite") or {}
    pairs = suite.get("pairs") or [[plan["task"], plan["task"]]]
    designed = suite.get("points") or [{}] * len(pairs)
    found = []
    for number, (train, evaluate) in enumerate(pairs):
        name = f"{number:03d}" if suite else ""
        jobs = [job for job in run.jobs(status="done", pair=name) if job.id in means]
        if not jobs:
            continue
        trained = np.array([means[job.id][0][0] for job in jobs])
        last = [means[job.id][-1] for job in jobs]
        evaluated = np.array([score for score, _ in last])
        optima = [best.get(task) for _, task in last]
        at_home = [best.get(means[job.id][0][1]) for job in jobs]
        known, known_at_home = (
            all(value is not None and value > 0 for value in side) for side in (optima, at_home)
        )
        area, length = (
            np.array([side[job.id] for job in jobs]) if all(job.id in side for job in jobs) else None
            for side in (areas, lengths)
        )
        found.append(
            PairFinding(
                train,
                evaluate,
                len(jobs),
                middle(trained, rng),
                middle(evaluated, rng),
                None if train == evaluate else mean(evaluated - trained, rng),
                middle(evaluated / np.array(optima, float), rng) if known else None,
                None if area is None else mean(area, rng),
                mean(area / np.array(at_home, float), rng) if area is not None and known_at_home else None,
                None if length is None else mean(length, rng),
                mean(np.array(optima, float) - evaluated, rng) if known else None,
                designed[number],
            )
        )
    return found


def seed_means(run: Run) -> dict[str, list[tuple[float, str]]]:
    """By job: mean score and task where it was trained, then where it was evaluated, if that is another."""
    rows = run.episodes().group_by(["job", "arm", "task"]).aggregate([("score", "mean")]).to_pylist()
    found: dict[str, list[tuple[float, str]]] = {}
    for row in sorted(rows, key=lambda row: row["arm"] != PLAIN):
        found.setdefault(row["job"], []).append((row["score_mean"], row["task"]))
    return found


def learning_areas(run: Run, name: str) -> dict[str, float]:
    """By job: the mean of a learning curve over its reports, those without an episode left out."""
    table = run.curves(name=name)
    values: dict[str, list[float]] = {}
    for job, value in zip(table["job"].to_pylist(), table["value"].to_pylist()):
        values.setdefault(job, []).append(value)
    kept = {job: np.array(curve)[np.isfinite(curve)] for job, curve in values.items()}
    return {job: float(auc(curve)) for job, curve in kept.items() if curve.size}


def middle(scores: np.ndarray, rng: np.random.Generator) -> Interval:
    return bootstrap(scores[:, None], iqm, rng=rng)


def mean(values: np.ndarray, rng: np.random.Generator) -> Interval:
    return bootstrap_t(values, rng=rng)


def pair_rows(found: list[PairFinding]) -> list[tuple[str, ...]]:
    """Cells of a table, one row per pair."""
    return [
        (
            named(each), each.evaluate if each.evaluate != each.train else "there", str(each.seeds),
            shown(each.trained), shown(each.evaluated), shown(each.gap), shown(each.share, 2),
            shown(each.area),
        )
        for each in found
    ]  # fmt: skip


HEADINGS = ("trained on", "evaluated on", "seeds", "score there", "score evaluated", "gap", "of the optimum",
            "learning (AUC)")  # fmt: skip


def named(each: PairFinding) -> str:
    """The task trained on, and what a design set of the agent."""
    of_agent = [f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
                for name, value in each.point.items() if name.startswith("agent.")]  # fmt: skip
    return " ".join([each.train, *of_agent])


def shown(interval: Interval | None, digits: int = 1) -> str:
    if interval is None:
        return "-"
    ends = ", ".join(f"{end:.{digits}f}" if np.isfinite(end) else "?" for end in interval[1:])
    return f"{interval.value:.{digits}f} [{ends}]"
