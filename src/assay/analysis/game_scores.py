"""The scores of a run of `hackatari/*`, task by task, beside the random play that is shipped for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.pair_episodes import Episodes
from assay.plans.plan import PairPlan, PairsPlan
from assay.results import Run
from assay.suites.hackatari_random import random_table

SERIES = "llm:"  # agents whose episodes are a series: each may be told of those before it
EMULATOR = "ale-py"  # the package on which random play depends


@dataclass(frozen=True)
class RandomOrigin:
    """How the random play of a report was measured, and what of it does not count."""

    command: str
    seed: int
    episodes: tuple[int, int]  # the fewest and the most of a task
    versions: dict[str, str]
    cpu_s: float
    outdated: tuple[str, ...]  # tasks whose rules have changed since
    missing: tuple[str, ...]  # tasks of which none is shipped
    cut: tuple[str, ...] = ()  # tasks whose episodes `--max-steps` cut: random play is of whole ones


@dataclass(frozen=True)
class TaskScores:
    """One task of a game."""

    name: str  # of the variation; "original"
    direction: str
    of_seeds: dict[int, float]  # mean score by seed
    units: dict[tuple[int, int], float]  # by seed and number: the units, seeds or single episodes
    random: np.ndarray | None  # (episodes,); None where none is known
    cut: bool  # whether some of its episodes were cut, which the protocol does not do
    comparable: bool  # whether published scores are of this very task, in whole episodes


@dataclass(frozen=True)
class GameScores:
    """A game with its finished variations."""

    name: str
    original: TaskScores
    varied: tuple[TaskScores, ...]


def games_of(plan: PairsPlan, episodes: Sequence[Episodes | None], origin: RandomOrigin) -> list[GameScores]:
    """The games whose original is finished, in the order of the plan."""
    by_game: dict[str, list[TaskScores]] = {}
    for pair, played in zip(plan.suite.pairs, episodes):
        if played is not None:
            scores = task_scores(plan, pair, played, origin)
            by_game.setdefault(pair.axis, []).append(scores)
    return [
        GameScores(game, first, tuple(rest))
        for game, (first, *rest) in by_game.items()
        if not first.direction
    ]


def task_scores(plan: PairsPlan, pair: PairPlan, played: Episodes, origin: RandomOrigin) -> TaskScores:
    of_seeds: dict[int, list[float]] = {}
    for seed, score in zip(played.seeds, played.scores):
        of_seeds.setdefault(int(seed), []).append(float(score))
    means = {seed: float(np.mean(scores)) for seed, scores in of_seeds.items()}
    units = (
        {(seed, 0): mean for seed, mean in means.items()}
        if has_seeds_as_units(plan)
        else {(seed, n): score for seed, scores in of_seeds.items() for n, score in enumerate(scores)}
    )
    shipped = random_table().tasks.get(plan.suite.random_play[pair.evaluate].task)
    cut = pair.evaluate in origin.cut
    comparable = shipped is not None and not cut
    known = comparable and pair.evaluate not in origin.outdated
    random = np.array(shipped.scores) if shipped is not None and known else None
    name = pair.name.removeprefix(f"{pair.axis} ")
    return TaskScores(name, pair.direction, means, units, random, cut, comparable)


def has_seeds_as_units(plan: PairsPlan) -> bool:
    """Whether seeds are what is replicated: they are trained, or their episodes depend on each other."""
    return plan.trains or plan.agent.startswith(SERIES)


def random_origin(run: Run, plan: PairsPlan) -> RandomOrigin:
    """How random play was measured, with the tasks for which that does not count."""
    table, asked = random_table(), plan.suite.random_play
    here = run.versions().get(EMULATOR)
    other = here is not None and here != table.versions.get(EMULATOR)
    shipped = {task: table.tasks.get(each.task) for task, each in asked.items()}
    outdated = [
        task for task, each in asked.items()
        if (kept := shipped[task]) is not None and (other or kept.rules != each.rules)
    ]  # fmt: skip
    counts = [len(each.scores) for each in shipped.values() if each is not None] or [0]
    return RandomOrigin(
        table.command, table.seed, (min(counts), max(counts)), dict(table.versions), table.cpu_s,
        tuple(outdated), tuple(task for task, kept in shipped.items() if kept is None), cut_tasks(run, plan),
    )  # fmt: skip


def cut_tasks(run: Run, plan: PairsPlan) -> tuple[str, ...]:
    """The tasks of which some episode was cut by `--max-steps`, which the protocol does not have."""
    if plan.max_steps is None:
        return ()
    columns = ("task", "steps", "truncated")
    rows = zip(*(run.episodes()[name].to_pylist() for name in columns))
    found = {task for task, steps, truncated in rows if truncated and steps >= plan.max_steps}
    return tuple(dict.fromkeys(pair.evaluate for pair in plan.suite.pairs if pair.evaluate in found))
