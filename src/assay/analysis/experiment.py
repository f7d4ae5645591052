"""The findings of a run of pairs as plain records, from which alone every form of its report is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.analysis.difficulty import Difficulty, difficulty_of
from assay.analysis.exam import LearningCurve
from assay.analysis.gaps import KAGE, Gaps, find_gaps
from assay.analysis.hackatari import HackAtari, find_hackatari
from assay.analysis.origin import Origin, origin_of
from assay.analysis.pair_episodes import Episodes, episodes_of_pairs, random_episodes
from assay.analysis.pairs import (
    COVERAGE,
    PairFinding,
    find_pairs,
    jobs_of_pairs,
    labels_of,
    level_text,
    normalise_pairs,
    pairs_of,
)
from assay.analysis.preset_names import NamedTask, name_tasks
from assay.analysis.presets import (
    PresetScore,
    find_presets,
    limits_of_evaluation,
    mean_score,
    random_score,
)
from assay.analysis.tails import TaskTails, tails_of_pairs
from assay.analysis.training_length import describe_training
from assay.errors import AssayError
from assay.plans.plan import PairPlan, PairsPlan, Plan, ScoreRange, TrainPlan, plan_of
from assay.results import Run
from assay.stats.aggregate import Interval
from assay.stats.bca import shared_coverage
from assay.stats.intervals import METHODS
from assay.stats.limits import cut
from assay.suites.playground_factors import EXPLANATION, PLAYGROUND, Factors
from assay.task_text import parse

MAP_TITLES = {  # measure -> the title of its map
    "area": "learning (AUC)",
    "trained": "final score",
    "rollout": "rollouts (AUC)",
    "area_length": "length (AUC)",
}
RANDOM_ROW = "random play"  # of a matrix
FEW_INTERVALS = (
    "means; Student's t, 95% each, lengthened where seeds are skewed and cut at what scores can be"
)
OWN_INTERVALS = "IQM of scores, mean of the rest; percentile and studentised bootstrap, 95% each"


@dataclass(frozen=True)
class Map:
    """One measure over two settings: mean and spread (over n) of the seeds at every combination."""

    what: str
    down: str  # the setting of the rows
    across: str  # the setting of the columns
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    mean: tuple[tuple[float | None, ...], ...]  # None where no seed is finished
    sd: tuple[tuple[float | None, ...], ...]
    intervals: tuple[tuple[Interval | None, ...], ...] = ()  # of the means; () where maps show the spread

    @property
    def has_spread(self) -> bool:
        """Whether any combination has more than one seed."""
        return any(sd is not None for row in self.sd for sd in row)


@dataclass(frozen=True)
class Experiment(Origin):
    """All findings of a suite or a design that was run with one agent."""

    agent: str
    name: str  # of the suite; the task in a run of `train`
    asks: str
    seeds: tuple[int, ...]
    budget: int  # env steps of training; 0 for an agent that is not trained
    episodes: int  # evaluation episodes per task and seed
    own_mdp: bool  # every seed has a generated world of its own
    intervals: str  # how they were made
    compat: str  # how values were normalised, "" where they were not
    findings: tuple[PairFinding, ...]
    maps: tuple[Map, ...] = ()
    gaps: Gaps | None = None  # where the env has measures beside the score
    difficulty: Difficulty | None = None  # where errors are told episode by episode
    curves: tuple[LearningCurve, ...] = ()
    failed: tuple[str, ...] = ()
    presets: tuple[PresetScore, ...] = ()  # where pairs are compared with a baseline
    tails: tuple[TaskTails, ...] = ()  # CVaR of scores, where there are enough episodes
    names: tuple[NamedTask, ...] = ()  # what the names of presets stand for
    training: str = ""  # for how long agents were trained, in words; "" for the budget
    hackatari: HackAtari | None = None  # where the suite is one of `hackatari/*`


def find_experiment(run: Run, method: str = "", compat: str = "") -> Experiment:
    """The findings of a run of pairs, finished or not; the same records always give the same findings."""
    if method and method not in METHODS:
        raise AssayError(f"intervals are {', '.join(METHODS)}, not {method!r}.")
    if compat not in ("", PLAYGROUND, KAGE):
        raise AssayError(f"values are reported as in {PLAYGROUND} or {KAGE}, not as in {compat!r}.")
    plan, pairs = plan_of(run), pairs_of(run)
    findings = find_pairs(run, method, compat)
    episodes = episodes_of_pairs(run)
    random = random_episodes(run, plan) if isinstance(plan, PairsPlan) else {}
    labels = labels_of(pairs)
    hackatari = find_hackatari(run, plan, episodes) if isinstance(plan, PairsPlan) else None
    if hackatari and not method:
        findings = [with_score_of(hackatari, each) for each in findings]
    return Experiment(
        agent=plan.agent,
        name=plan.name,
        asks=plan.suite.asks if isinstance(plan, PairsPlan) else "",
        seeds=plan.seeds,
        budget=plan.budget,
        episodes=plan.episodes,
        own_mdp=plan.own_worlds,
        intervals=describe_intervals(method, len(pairs), any(each.statistic == "IQM" for each in findings))
        + ("" if method else say_uncut(plan, labels, pairs)),
        compat=EXPLANATION if compat == PLAYGROUND else "",
        findings=tuple(findings),
        maps=(*maps(findings, [pair.point for pair in pairs]), *crossings(plan, findings, random, method)),
        gaps=find_gaps(run, method, compat if compat == KAGE else ""),
        difficulty=difficulty_of(run),
        curves=learning_curves(run, compat),
        failed=tuple(run.failures()),
        presets=find_presets(plan, findings, episodes, random, method) if isinstance(plan, PairsPlan) else (),
        tails=tails_of_pairs(labels, episodes, plan.trains, declared_scores(plan, labels, pairs)),
        names=name_tasks(plan) if isinstance(plan, PairsPlan) else (),
        training=describe_training(run),
        hackatari=hackatari,
        **vars(origin_of(run)),
    )


def with_score_of(found: HackAtari, finding: PairFinding) -> PairFinding:
    """The pair with the scores of HackAtari's tables, so that one number has one interval: their units are
    episodes where an agent comes trained. IQMs are other numbers and stay.
    """
    scores = {task.label: task for task in found.tasks}
    own = scores.get(finding.label)
    if own is None or finding.statistic != "mean":
        return finding
    home = next(task for task in found.tasks if task.game == own.game and not task.direction)
    return replace(finding, trained=home.score, evaluated=own.score)


def declared_scores(
    plan: Plan, labels: Sequence[str], pairs: Sequence[PairPlan]
) -> dict[str, ScoreRange | None]:
    """Where the scores of single episodes lie, by the label of a pair; None where no env declares it."""
    known = plan.limits if isinstance(plan, PairsPlan | TrainPlan) else {}
    limits = {label: known.get(pair.evaluate) for label, pair in zip(labels, pairs)}
    return {label: limit.score if limit else None for label, limit in limits.items()}


def say_uncut(plan: Plan, labels: Sequence[str], pairs: Sequence[PairPlan]) -> str:
    """Which envs declare no range of scores, so that their intervals may leave what scores can be."""
    declared = declared_scores(plan, labels, pairs)
    bare = [pair.evaluate for label, pair in zip(labels, pairs) if declared[label] is None]
    envs = list(dict.fromkeys(parse(task).env for task in bare))
    if not envs:
        return ""
    named = " and ".join(envs) if len(envs) < 3 else f"{envs[0]} and {len(envs) - 1} other envs"
    declare, whose = ("declare", "theirs") if len(envs) > 1 else ("declares", "its")
    return f"; {named} {declare} no range of scores, so {whose} are not cut at one"


def describe_intervals(method: str, pairs: int, iqms: bool = True) -> str:
    """How the intervals of a report were made, in words; `iqms`: some of them are of IQMs."""
    if not method:
        return OWN_INTERVALS if iqms else FEW_INTERVALS
    each = 100 * shared_coverage(pairs, COVERAGE)
    names = {"percentile": "percentile bootstrap", "bca": "BCa bootstrap", "t": "Student's t"}
    compared = pairs * (pairs - 1) // 2
    together = f": {compared} comparisons of two pairs share the error (Bonferroni)" if compared > 1 else ""
    return f"means; {names[method]}, {each:.4g}% each{together}"


def varied_settings(points: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of the settings in which points differ."""
    names = dict.fromkeys(name for point in points for name in point)
    return [name for name in names if len({repr(point.get(name)) for point in points}) > 1]


def maps(findings: Sequence[PairFinding], points: Sequence[Mapping[str, Any]]) -> list[Map]:
    """A map of each measure, where exactly two settings vary and every combination of them is there."""
    names = varied_settings(points)
    if len(names) != 2:
        return []
    down, across = names
    rows, columns = (ordered_levels([point.get(name) for point in points]) for name in names)
    places = {(level_or_plain(point.get(down)), level_or_plain(point.get(across))) for point in points}
    if len(places) != len(rows) * len(columns) or len(points) != len(places):
        return []
    at = {
        (level_or_plain(each.point.get(down)), level_or_plain(each.point.get(across))): each
        for each in findings
    }
    result = []
    for measure, what in MAP_TITLES.items():
        if not any(measure in each.units for each in findings):
            continue
        grid = [[at[row, column].units.get(measure) if (row, column) in at else None for column in columns]
                for row in rows]  # fmt: skip
        mean, sd = (
            tuple(tuple(None if units is None else of(units) for units in row) for row in grid)
            for of in (mean_of, spread_of)
        )
        result.append(Map(what, down, across, tuple(rows), tuple(columns), mean, sd))
    return result


def mean_of(units: Sequence[float]) -> float | None:
    return float(np.mean(units))


def spread_of(units: Sequence[float]) -> float | None:
    """The standard deviation over seeds, divided by their number; None for one, which has no spread."""
    return float(np.std(units)) if len(units) > 1 else None


def crossings(
    plan: Plan, findings: Sequence[PairFinding], random: Mapping[str, Episodes], method: str = ""
) -> list[Map]:
    """The matrix of a suite whose pairs are its cells: where agents were trained, and where evaluated."""
    if not isinstance(plan, PairsPlan) or any(pair.cell is None for pair in plan.suite.pairs):
        return []
    pairs = {pair.cell: pair for pair in plan.suite.pairs if pair.cell}
    rows, columns = (list(dict.fromkeys(cell[side] for cell in pairs)) for side in (0, 1))
    by_label = {finding.label: (number, finding) for number, finding in enumerate(findings)}
    grid: list[list[Interval | None]] = []
    sds: list[list[float | None]] = []
    for row in rows:
        at = [by_label.get(pairs[row, column].name) if (row, column) in pairs else None for column in columns]
        grid.append([None if each is None else mean_score(plan, *each, method) for each in at])
        sds.append([None if each is None else spread_of(each[1].units["evaluated"]) for each in at])
    if random:
        tasks = {cell[1]: pair for cell, pair in pairs.items()}
        played = [(random.get(tasks[column].evaluate), tasks[column]) for column in columns]
        grid.append([
            None if each is None else cut(random_score(each), limits_of_evaluation(plan, pair))
            for each, pair in played
        ])  # fmt: skip
        sds.append([None] * len(columns))
        rows.append(RANDOM_ROW)
    means = tuple(tuple(None if cell is None else cell.value for cell in line) for line in grid)
    return [
        Map("score", "trained on", "evaluated on", tuple(rows), tuple(columns), means,
            tuple(map(tuple, sds)), tuple(map(tuple, grid)))
    ]  # fmt: skip


def ordered_levels(levels: Sequence[Any]) -> list[str]:
    """Each level once, as text: plain first, then numbers by size; other words in the order given."""
    once = {level_or_plain(level): level for level in levels}
    numbers = all(level is None or (isinstance(level, (int, float)) and not isinstance(level, bool))
                  for level in once.values())  # fmt: skip
    if not numbers:
        return list(once)
    return sorted(once, key=lambda each: (once[each] is not None, once[each] or 0))


def level_or_plain(level: Any) -> str:
    return "plain" if level is None else level_text(level)


def learning_curves(run: Run, compat: str = "") -> tuple[LearningCurve, ...]:
    """One curve per seed and training, in the order of the plan; pairs of one training share it."""
    pairs = pairs_of(run)
    labels = labels_of(pairs)
    shared = Counter(job.id for jobs, _ in jobs_of_pairs(run) for job in jobs)
    normal = (
        [home for home, _ in normalise_pairs(pairs)] if compat == PLAYGROUND else [Factors()] * len(pairs)
    )
    table = run.curves(name="score")
    points: dict[str, list[tuple[int, float]]] = {}
    for job, step, value in zip(*(table[name].to_pylist() for name in ("job", "step", "value"))):
        points.setdefault(job, []).append((step, value))
    curves = []
    for job in run.jobs(status="done", agent=plan_of(run).agent):
        if job.id in points:
            number = int(job.pair or 0)
            steps, scores = zip(*sorted(points[job.id]))
            scores = tuple(score * normal[number].of_scores for score in scores)
            others = f" and {shared[job.id] - 1} more" if shared[job.id] > 1 else ""
            curves.append((number, LearningCurve(job.seed, labels[number] + others, steps, scores)))
    return tuple(curve for _, curve in sorted(curves, key=lambda each: (each[0], each[1].seed)))
