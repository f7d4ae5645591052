"""What a run of `hackatari/*` found: human-normalised scores and performance changes, by game and over games.

Statistics are those of `stats/performance_change.py`, `human_normalised.py`, `over_games.py` and
`standing.py`. Where a number is not defined, the findings say why and hold none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.game_scores import (
    GameScores,
    RandomOrigin,
    TaskScores,
    games_of,
    has_seeds_as_units,
    random_origin,
)
from assay.analysis.pair_episodes import Episodes
from assay.analysis.presets import OF_RANDOM
from assay.analysis.published_changes import (
    PublishedChange,
    people_of,
    published_changes,
    published_standings,
)
from assay.plans.plan import CONTROL, PairsPlan
from assay.plans.question import RANDOM
from assay.results import Run
from assay.results.record import canonical, digest_of
from assay.stats.aggregate import Interval
from assay.stats.human_normalised import expert_score, human_score
from assay.stats.over_games import GameRuns, change_over_games
from assay.stats.performance_change import Scores, is_told_from_random, mean_margin, performance_change
from assay.stats.resampling import bootstrap_t
from assay.stats.standing import Standing, ranks, standing_of_runs
from assay.suites.hackatari import HACKATARI, ORIGINAL
from assay.suites.hackatari_published import published

HALF = -0.5  # a change below this loses more than half of the margin
NOT_TOLD = "undefined: the original score is not told from random play"
BELOW = "undefined: the original score is below that of random play"
NO_RANDOM = "undefined: no random play is known by these rules"
CUT = "undefined: --max-steps cut its episodes"
NO_PEOPLE = "undefined: the score of people is not told from random play"
DROPPED, KEPT, UNDECIDED, UNDEFINED = "dropped", "kept", "not decided", "undefined"
GROUPS = ("simplification", "neutral", "harder", "unknown", CONTROL)
YOURS = "yours"  # the kind of the agent of the run, beside those of published ones


@dataclass(frozen=True)
class ScoredTask:
    """One task of a game: scores, and where they lie between random play and people."""

    label: str  # "Pong lazy_enemy"
    game: str
    direction: str  # for people: a simplification, neutral, harder, unknown or a control; "" for the original
    units: int
    score: Interval  # mean over units
    random: Interval | None  # mean over episodes
    random_episodes: int
    expert: Interval | None  # the expert score; None where the game has no reference for such a task
    human: Interval | None  # HNS by the people of the study; None where none played, or for the reason below
    why_no_human: str = ""  # "" where there is one, and where no people played
    change: Interval | None = None
    why_no_change: str = ""  # "" where there is one, and for the original
    half: str = ""  # whether more than half of the margin is lost: one of the four words


@dataclass(frozen=True)
class GameChange:
    """The mean change over the variations of a game, controls left out."""

    game: str
    variations: int
    change: Interval | None
    why_no_change: str


@dataclass(frozen=True)
class Group:
    """Variations of one direction, or all of them: the IQM over games and seeds, and who lost half."""

    name: str  # a direction, or "all"
    variations: int
    games: int  # over which the IQM is
    left_out: tuple[str, ...]  # games where no change is defined
    change: Interval | None
    halves: dict[str, int]  # how many variations have each of the four words


@dataclass(frozen=True)
class Stand:
    """One agent among all: IQM of expert scores over games on originals and on variations, and its ranks."""

    agent: str
    kind: str  # "deep", "object-centric", "random", "people" or "yours"
    games: int
    original: Interval
    varied: Interval
    rank_original: Interval
    rank_varied: Interval


@dataclass(frozen=True)
class HackAtari:
    """All that a report says in the terms of HackAtari's paper."""

    agent: str
    unit: str  # "seed" or "episode"
    runs: int  # seeds
    tasks: tuple[ScoredTask, ...]
    games: tuple[GameChange, ...]
    groups: tuple[Group, ...]
    stands: tuple[Stand, ...]  # that of the run's agent last
    published: tuple[PublishedChange, ...]
    random: RandomOrigin


def find_hackatari(run: Run, plan: PairsPlan, episodes: Sequence[Episodes | None]) -> HackAtari | None:
    """The findings, or None for suites that are not normalised so, and where no game is finished."""
    if plan.suite.normalised != HACKATARI:
        return None
    origin = random_origin(run, plan)
    games = games_of(plan, episodes, origin)
    if not games:
        return None
    variations = {game.name: [each.name for each in game.varied] for game in games}
    measured = {
        (game.name, task.name): task.random
        for game in games
        for task in (game.original, *game.varied)
        if task.random is not None
    }
    tasks = [each for game in games for each in tasks_of(plan, game)]
    return HackAtari(
        agent=plan.agent,
        unit="seed" if has_seeds_as_units(plan) else "episode",
        runs=len(plan.seeds),
        tasks=tuple(tasks),
        games=tuple(change_of_game(plan, game) for game in games if conditions(game)),
        groups=tuple(groups_of(plan, games, tasks)),
        stands=tuple(stands_of(plan, games)),
        published=tuple(published_changes(variations, measured)),
        random=origin,
    )


def conditions(game: GameScores) -> list[TaskScores]:
    """The variations that are test conditions: all but controls."""
    return [task for task in game.varied if task.direction != CONTROL]


def tasks_of(plan: PairsPlan, game: GameScores) -> list[ScoredTask]:
    return [score_task(plan, game, task) for task in (game.original, *game.varied)]


def score_task(plan: PairsPlan, game: GameScores, task: TaskScores) -> ScoredTask:
    score, (human, why_no_human) = mean_of_units(plan, game, task), score_by_people(game, task)
    change, why, half = None, "", ""
    if task.direction:
        change, why = change_between(plan, game.original, [task])
        half = halved(change)
    expert = published().expert.get(game.name)
    return ScoredTask(
        label=f"{game.name} {task.name}",
        game=game.name,
        direction=task.direction,
        units=len(task.units),
        score=score,
        random=None if task.random is None else bootstrap_t(task.random, rng=np.random.default_rng(0)),
        random_episodes=0 if task.random is None else len(task.random),
        expert=expert_score(score, *expert) if expert is not None and task.comparable else None,
        human=human,
        why_no_human=why_no_human,
        change=change,
        why_no_change=why,
        half=half,
    )


def score_by_people(game: GameScores, task: TaskScores) -> tuple[Interval | None, str]:
    """HNS by the people of the study, or why there is none; neither where no people played."""
    people = people_of(game.name, task.name)
    if people is None:
        return None, ""
    if task.random is None:
        return None, why_no_random([task])
    score = human_score(np.array(list(task.units.values())), task.random, people)
    return score, "" if score else NO_PEOPLE


def mean_of_units(plan: PairsPlan, game: GameScores, task: TaskScores) -> Interval:
    """The mean score of a task over its units."""
    values = np.array(list(task.units.values()))
    return bootstrap_t(values, rng=generator(plan, f"{game.name} {task.name}"))


def change_between(
    plan: PairsPlan, original: TaskScores, varied: Sequence[TaskScores]
) -> tuple[Interval | None, str]:
    """The change from the original to the mean of some variations, or why there is none."""
    if plan.agent == RANDOM:
        return None, OF_RANDOM
    floors = [task.random for task in varied if task.random is not None]
    if original.random is None or len(floors) < len(varied):
        return None, why_no_random([original, *varied])
    shared = [unit for unit in original.units if all(unit in task.units for task in varied)]
    plain = np.array([original.units[unit] for unit in shared])
    means = np.mean([[task.units[unit] for unit in shared] for task in varied], axis=0)
    home = Scores(plain, original.random)
    change = performance_change(Scores(means, np.mean(floors, axis=0)), home)
    below = mean_margin(home) < 0 and is_told_from_random(home)
    return change, "" if change else BELOW if below else NOT_TOLD


def change_of_game(plan: PairsPlan, game: GameScores) -> GameChange:
    """The mean change over the variations for which random play is known; of the others none is defined."""
    known = with_random_play(conditions(game)) or conditions(game)
    change, why = change_between(plan, game.original, known)
    return GameChange(game.name, len(known), change, why)


def why_no_random(tasks: Sequence[TaskScores]) -> str:
    return CUT if any(task.cut for task in tasks) else NO_RANDOM


def with_random_play(tasks: Sequence[TaskScores]) -> list[TaskScores]:
    return [task for task in tasks if task.random is not None]


def halved(change: Interval | None) -> str:
    """Whether more than half of the margin is lost, as far as the interval tells."""
    if change is None:
        return UNDEFINED
    if change.high < HALF:
        return DROPPED
    return KEPT if change.low >= HALF else UNDECIDED


def groups_of(plan: PairsPlan, games: Sequence[GameScores], tasks: Sequence[ScoredTask]) -> list[Group]:
    """All variations but controls together, then each direction by itself."""
    directions = [name for name in GROUPS if any(task.direction == name for task in tasks)]
    others = [name for name in directions if name != CONTROL]
    groups = [group_of(plan, games, tasks, name, (name,)) for name in directions]
    return [group_of(plan, games, tasks, "all", others), *groups] if len(others) > 1 else groups


def group_of(
    plan: PairsPlan,
    games: Sequence[GameScores],
    tasks: Sequence[ScoredTask],
    name: str,
    directions: Sequence[str],
) -> Group:
    inside = [task for task in tasks if task.direction in directions]
    defined = {task.game for task in inside if task.change is not None}
    seeds = shared_seeds(games)
    runs, alone = [], None
    for game in games:
        varied = with_random_play([task for task in game.varied if task.direction in directions])
        if game.name not in defined or game.original.random is None:
            continue
        plain = np.array([game.original.of_seeds[seed] for seed in seeds])
        means = np.array([[task.of_seeds[seed] for seed in seeds] for task in varied])
        floors = np.array([task.random for task in varied])
        runs.append(GameRuns(plain, means, game.original.random, floors))
        alone = change_between(plan, game.original, varied)[0]
    # Over one game it is the change of that game, of which there is one number and one interval.
    several = change_over_games(runs, rng=generator(plan, name)) if len(runs) > 1 and seeds else None
    change = alone if len(runs) == 1 else several
    words = (DROPPED, KEPT, UNDECIDED, UNDEFINED)
    return Group(
        name=name,
        variations=len(inside),
        games=len(runs),
        left_out=tuple(game for game in dict.fromkeys(task.game for task in inside) if game not in defined),
        change=change,
        halves={word: sum(task.half == word for task in inside) for word in words},
    )


def shared_seeds(games: Sequence[GameScores]) -> list[int]:
    """The seeds that all tasks have finished."""
    first, *rest = [task.of_seeds for game in games for task in (game.original, *game.varied)]
    return [seed for seed in first if all(seed in each for each in rest)]


def stands_of(plan: PairsPlan, games: Sequence[GameScores]) -> list[Stand]:
    """The published agents and that of the run, each by the games of the run for which it has scores."""
    names = {game.name: [each.name for each in conditions(game)] for game in games if conditions(game)}
    known = published_standings(names)
    kinds = dict(published().agents)
    own = standing_of_run(plan, games)
    if own is not None:
        known[plan.agent], kinds[plan.agent] = own, YOURS
    placed = zip(known.items(), ranks([standing for standing, _ in known.values()]) if known else ())
    return [
        Stand(agent, kinds[agent], count, standing.plain, standing.varied, *both)
        for (agent, (standing, count)), both in placed
    ]


def standing_of_run(plan: PairsPlan, games: Sequence[GameScores]) -> tuple[Standing, int] | None:
    """The expert scores of the run's agent over games and seeds; None where no game has a reference."""
    expert, seeds = published().expert, shared_seeds(games)
    scored = [
        game for game in games
        if game.name in expert and conditions(game)
        and all(task.comparable for task in (game.original, *conditions(game)))
    ]  # fmt: skip
    if not scored or not seeds:
        return None
    plain = [normalised(game, [game.original], seeds) for game in scored]
    varied = [normalised(game, conditions(game), seeds) for game in scored]
    rng = generator(plan, ORIGINAL)
    found = standing_of_runs(np.array(plain).T, np.array(varied).T, rng=rng)
    if len(scored) == 1:
        found = Standing(*scores_of_game(plan, scored[0]), found.draws)
    return found, len(scored)


def scores_of_game(plan: PairsPlan, game: GameScores) -> tuple[Interval, Interval]:
    """The expert scores of a game and of the mean over its variations, with the intervals of its tasks."""
    constants, [first, *rest] = published().expert[game.name], conditions(game)
    varied = mean_of_units(plan, game, first)
    if rest:
        shared = [unit for unit in first.units if all(unit in task.units for task in rest)]
        means = np.mean([[task.units[unit] for unit in shared] for task in (first, *rest)], axis=0)
        varied = bootstrap_t(means, rng=generator(plan, game.name))
    plain, varied = (
        expert_score(each, *constants) for each in (mean_of_units(plan, game, game.original), varied)
    )
    return plain, varied


def normalised(game: GameScores, tasks: Sequence[TaskScores], seeds: Sequence[int]) -> list[float]:
    """The expert score of every seed, the mean over tasks."""
    random, human = published().expert[game.name]
    return [
        float(np.mean([task.of_seeds[seed] - random for task in tasks]) / abs(human - random))
        for seed in seeds
    ]


def generator(plan: PairsPlan, what: str) -> np.random.Generator:
    """A generator of its own for each number: others do not move it."""
    about = canonical([plan.agent, plan.name, list(plan.seeds), HACKATARI, what])
    return np.random.default_rng(int(digest_of([about.encode()]), 16))
