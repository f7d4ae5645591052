"""How hard rules are for players, and how good players are, from the errors of their runs.

The terminal cumulated error (TCE) of a run is the sum of its errors over all episodes. A run has mastered its
rule with its first ten clean episodes in a row. Rules are compared within a player, players within a rule,
by all pairs of their runs; rankings join these comparisons over the players, or rules, that two share.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.analysis.caveats import describe_missing
from assay.analysis.episode_errors import Played, counts_errors, played_in
from assay.errors import AssayError
from assay.results import Run
from assay.results.record import canonical, digest_of
from assay.stats.alike import Alike, judge_alike
from assay.stats.difficulty_classes import BY_CHANCE, find_classes
from assay.stats.mastery import cumulate, find_mastery
from assay.stats.median_band import median_band
from assay.stats.tournament import meet, perron, tournament
from assay.stats.wins import count_wins, harder

DRAWS = 2000  # resamples behind a band; the paper on the Game of Hidden Rules has 50,000
COVERAGE = 0.95
CLASS_DRAWS = 200
WHISKER = 1.5  # of the interquartile range


@dataclass(frozen=True)
class Band:
    """The median of the cumulated errors over runs after each episode, and the ends of its interval."""

    median: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Box:
    """A box plot of the runs' TCE; whiskers reach the last run within 1.5 interquartile ranges."""

    low_whisker: float
    low_quartile: float
    median: float
    high_quartile: float
    high_whisker: float
    outliers: tuple[float, ...]


@dataclass(frozen=True)
class Cell:
    """One player on one rule. Seeds name its runs."""

    rule: str
    player: str
    seeds: tuple[int, ...]
    episodes: int
    tce: tuple[float, ...]  # of each run
    curve: Band
    box: Box
    mastered: tuple[int, ...]  # seeds of the runs that mastered the rule
    costs: tuple[float, ...]  # of these, the errors until the ten clean episodes were complete
    mastered_at: tuple[int, ...]  # of these, the number of the last of these episodes, from 1
    never: tuple[int, ...]  # seeds of the runs that never mastered it
    rising: tuple[int, ...]  # seeds of the runs that still made errors in their last ten episodes

    @property
    def median_tce(self) -> float:
        return self.box.median

    @property
    def median_cost(self) -> float | None:
        return float(np.median(self.costs)) if self.costs else None


@dataclass(frozen=True)
class Comparison:
    """Whether one rule is harder than another for a player, or one player worse than another on a rule."""

    where: str  # the player, or the rule, in which both meet
    harder: str
    than: str
    u: float  # pairs of runs in which the first has more errors, ties counting half
    pairs: int
    chance: float  # one-sided, of so many or more if both were alike
    method: str  # exact or normal
    ease: float  # ease ratio of the second over the first

    @property
    def share(self) -> float:
        return self.u / self.pairs


@dataclass(frozen=True)
class Rank:
    name: str
    perron: float  # entry of the Perron vector of the ease ratios
    rating: float  # of the tournament; ratings sum to 0


@dataclass(frozen=True)
class Ranking:
    """Rules from the easiest, or players from the best, by the rating of the tournament."""

    ranks: tuple[Rank, ...]
    intransitivity: float  # share of the comparisons that no rating explains
    why_not: str = ""  # where there is no ranking


@dataclass(frozen=True)
class Classes:
    """Rules that a player's runs cannot tell apart, from the easiest class on."""

    player: str
    members: tuple[tuple[str, ...], ...]
    stability: tuple[float, ...]  # of each class, from 0 to 1
    silhouette: float


@dataclass(frozen=True)
class Difficulty:
    """All findings on the errors of one or more runs."""

    rules: tuple[str, ...]
    players: tuple[str, ...]
    cells: tuple[Cell, ...]
    between_rules: tuple[Comparison, ...]
    between_players: tuple[Comparison, ...]
    rule_ranking: Ranking
    player_ranking: Ranking
    classes: tuple[Classes, ...]
    draws: int  # resamples behind the bands
    alike: Alike | None = None  # of all rules; nothing where they are not ranked
    missing: tuple[str, ...] = ()  # a sentence on each run of which jobs are left or failed


def find_difficulty(runs: Sequence[Run], draws: int = DRAWS) -> Difficulty:
    """The difficulty of the rules that the players of these runs played."""
    missing = tuple(said for run in runs if (said := describe_missing(run)))
    return replace(judge_difficulty(played_in(runs), draws), missing=missing)


def difficulty_of(run: Run) -> Difficulty | None:
    """The difficulty of a single run's rules; nothing where errors are not told episode by episode."""
    return find_difficulty([run]) if counts_errors(run) else None


def judge_difficulty(played: Sequence[Played], draws: int = DRAWS) -> Difficulty:
    if not played:
        raise AssayError("no job of these runs is done; `assay resume` goes on with a run.")
    return judge_cells([judge_cell(each, draws) for each in played], draws)


def judge_cells(cells: Sequence[Cell], draws: int) -> Difficulty:
    """Comparisons, rankings and classes of cells whose bands have so many resamples behind them."""
    rules, players = (tuple(dict.fromkeys(getattr(cell, name) for cell in cells))
                      for name in ("rule", "player"))  # fmt: skip
    errors = {(cell.rule, cell.player): np.array(cell.tce) for cell in cells}
    turned = {(player, rule): values for (rule, player), values in errors.items()}
    return Difficulty(
        rules,
        players,
        tuple(cells),
        tuple(compare_all(errors, rules, players)),
        tuple(compare_all(turned, players, rules)),
        rank_all(errors, rules),
        rank_all(turned, players),
        tuple(judge_classes(cells, player, BY_CHANCE / len(players)) for player in players),
        draws,
        judge_rules(errors, rules),
    )


def judge_rules(errors: Errors, rules: Sequence[str]) -> Alike | None:
    """Whether all rules could be alike, by the runs of all players together."""
    if not rank_all(errors, rules).ranks:
        return None
    samples: dict[tuple[Hashable, Hashable], np.ndarray] = dict(errors.items())
    return judge_alike(samples, rules, rng=chance_of(*rules, "alike"))


def judge_cell(played: Played, draws: int) -> Cell:
    """One player on one rule; the same runs always give the same band."""
    errors = np.array([run.errors for run in played.runs])
    curves = cumulate(errors)
    band = median_band(curves, rng=chance_of(played.rule, played.player, "band"), draws=draws)
    masteries = [find_mastery(np.array(run.errors), np.array(run.cleared)) for run in played.runs]
    told = list(zip(played.runs, masteries))
    return Cell(
        played.rule,
        played.player,
        seeds=tuple(run.seed for run in played.runs),
        episodes=played.episodes,
        tce=tuple(map(float, curves[:, -1])),
        curve=Band(*(tuple(map(float, each)) for each in band)),
        box=draw_box(curves[:, -1]),
        mastered=tuple(run.seed for run, each in told if each.mastered),
        costs=tuple(each.cost for each in masteries if each.mastered),
        mastered_at=tuple(each.episode + 1 for each in masteries if each.episode is not None),
        never=tuple(run.seed for run, each in told if not each.mastered),
        rising=tuple(run.seed for run, each in told if each.rising),
    )


def chance_of(*about: str) -> np.random.Generator:
    return np.random.default_rng(int(digest_of([canonical(list(about)).encode()]), 16))


def draw_box(values: np.ndarray) -> Box:
    low, middle, high = (float(each) for each in np.quantile(values, [0.25, 0.5, 0.75]))
    reach = WHISKER * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    outside = values[(values < low - reach) | (values > high + reach)]
    whiskers = float(inside.min()), float(inside.max())
    return Box(whiskers[0], low, middle, high, whiskers[1], tuple(map(float, np.sort(outside))))


Errors = dict[tuple[str, str], np.ndarray]  # (row, column) -> TCE of each run


def compare_all(errors: Errors, rows: Sequence[str], columns: Sequence[str]) -> Iterator[Comparison]:
    """Every two rows within every column that both have, in both directions."""
    for column in columns:
        there = [row for row in rows if (row, column) in errors]
        for one in there:
            for other in there:
                if one != other:
                    yield compare(column, one, other, errors[one, column], errors[other, column])


def compare(where: str, one: str, other: str, a: np.ndarray, b: np.ndarray) -> Comparison:
    test = harder(a, b)
    ease = (test.u + 1) / (count_wins(b, a) + 1)
    return Comparison(where, one, other, test.u, test.pairs, test.chance, test.method, ease)


def rank_all(errors: Errors, rows: Sequence[str]) -> Ranking:
    """The rows from the easiest on; two of them may have been met in different columns."""
    if len(rows) < 2:
        return Ranking((), 0.0, "there is only one to rank")
    samples: dict[tuple[Hashable, Hashable], np.ndarray] = dict(errors.items())
    try:
        met = meet(samples, rows)
        vector, ratings = perron(met), tournament(met)
    except AssayError as error:
        return Ranking((), 0.0, str(error).rstrip("."))
    ranks = [Rank(*each) for each in zip(rows, map(float, vector), map(float, ratings.ratings))]
    return Ranking(tuple(sorted(ranks, key=lambda rank: -round(rank.rating, 9))), ratings.intransitivity)


def judge_classes(cells: Sequence[Cell], player: str, level: float) -> Classes:
    """The classes of a player; `level` is the chance of finding several where all rules are alike."""
    mine = [cell for cell in cells if cell.player == player]
    rng = chance_of(player, "classes")
    found = find_classes([np.array(cell.tce) for cell in mine], rng=rng, draws=CLASS_DRAWS, level=level)
    members = tuple(tuple(mine[place].rule for place in group) for group in found.members)
    return Classes(player, members, found.stability, found.silhouette)
