"""The standings of a contest of players on rules, from errors and clearings that a replay has confirmed.

A run has mastered its rule with its first ten clean episodes in a row; its cost is its errors until then. An
entry, a player on a rule, has learned the rule if more than half of its runs mastered it. Its rank is that of
the median cost over all runs, where a run that never mastered costs more than any that did.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.difficulty import Ranking, rank_all
from assay.errors import AssayError
from assay.stats.mastery import STREAK, find_mastery

ENOUGH_RUNS = 100


@dataclass(frozen=True)
class Submission:
    """The runs of a player on a rule, which a replay has confirmed."""

    player: str
    rule: str
    source: str  # the file
    errors: tuple[tuple[int, ...], ...]  # by run and episode
    cleared: tuple[tuple[bool, ...], ...]
    empty: int = 0  # attempts at empty cells, which are no errors


@dataclass(frozen=True)
class Refused:
    """A file that does not count."""

    source: str
    why: str


@dataclass(frozen=True)
class Entry:
    player: str
    rule: str
    source: str
    runs: int
    mastered: int
    cost: float | None  # median errors until mastery; None where not more than half of the runs mastered
    errors: float  # median errors of a run, over all of its episodes
    costs: tuple[float | None, ...]  # of each run; None where it never mastered
    empty: int


@dataclass(frozen=True)
class RuleStandings:
    rule: str
    ranked: tuple[Entry, ...]  # the cheapest first
    not_learned: tuple[Entry, ...]
    too_few: tuple[Entry, ...]  # fewer runs than the contest asks for


@dataclass(frozen=True)
class Leaderboard:
    rules: tuple[RuleStandings, ...]
    players: Ranking  # over all rules that they share, of entries with enough runs
    refused: tuple[Refused, ...]
    waiting: tuple[Refused, ...]  # bundles of rules that are not revealed yet
    enough_runs: int


def find_standings(
    submissions: Sequence[Submission],
    refused: Sequence[Refused] = (),
    waiting: Sequence[Refused] = (),
    enough_runs: int = ENOUGH_RUNS,
) -> Leaderboard:
    entries = [judge_entry(each) for each in submissions]
    rules = sorted({entry.rule for entry in entries})
    return Leaderboard(
        tuple(stand(rule, [entry for entry in entries if entry.rule == rule], enough_runs) for rule in rules),
        rank_players([entry for entry in entries if entry.runs >= enough_runs]),
        tuple(refused),
        tuple(waiting),
        enough_runs,
    )


def require_episodes(episodes: int) -> None:
    """Refuses runs in which no player could show that it mastered the rule."""
    if episodes < STREAK:
        raise AssayError(
            f"runs of {count_episodes(episodes)} cannot show mastery, which needs {STREAK} clean episodes in "
            f"a row; let runs have {STREAK} or more (--episodes)."
        )


def count_episodes(episodes: int) -> str:
    return "1 episode" if episodes == 1 else f"{episodes} episodes"


def judge_entry(submission: Submission) -> Entry:
    require_episodes(min(map(len, submission.errors)))
    masteries = [
        find_mastery(np.array(errors), np.array(cleared))
        for errors, cleared in zip(submission.errors, submission.cleared)
    ]
    costs = tuple(each.cost if each.mastered else None for each in masteries)
    median = float(np.median([math.inf if cost is None else cost for cost in costs]))
    return Entry(
        submission.player,
        submission.rule,
        submission.source,
        runs=len(costs),
        mastered=sum(cost is not None for cost in costs),
        cost=median if math.isfinite(median) else None,
        errors=float(np.median([sum(errors) for errors in submission.errors])),
        costs=costs,
        empty=submission.empty,
    )


def stand(rule: str, entries: Sequence[Entry], enough_runs: int) -> RuleStandings:
    enough = [entry for entry in entries if entry.runs >= enough_runs]
    ranked = [entry for entry in enough if entry.cost is not None]
    return RuleStandings(
        rule,
        tuple(sorted(ranked, key=by_cost)),
        tuple(sorted((entry for entry in enough if entry.cost is None), key=by_cost)),
        tuple(sorted((entry for entry in entries if entry.runs < enough_runs), key=by_cost)),
    )


def by_cost(entry: Entry) -> tuple[float, float, str]:
    """The cheapest first; of equal cost the one with fewer errors in all, then by name."""
    return math.inf if entry.cost is None else entry.cost, entry.errors, entry.player


def rank_players(entries: Sequence[Entry]) -> Ranking:
    """The tournament of players; a run that never mastered loses to every run that did."""
    known = [cost for entry in entries for cost in entry.costs if cost is not None]
    beyond = max(known, default=0.0) + 1
    costs = {
        (entry.player, entry.rule): np.array([beyond if cost is None else cost for cost in entry.costs])
        for entry in entries
    }
    # Players of one rating keep this order: fewer errors first, then by name.
    errors = {
        entry.player: [each.errors for each in entries if each.player == entry.player] for entry in entries
    }
    players = sorted(errors, key=lambda player: (float(np.mean(errors[player])), player))
    return rank_all(costs, tuple(players))
