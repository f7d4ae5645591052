"""The agents and people of HackAtari's paper, in the same terms as the agent of a run.

What is published are scores game by game, each with an interval. A standard error is read off it as if it
were normal; of an end that is not legible, off the other one. Changes and expert scores are computed from
these, so they are ours, from the paper's numbers: they need not be those of its figures to the last digit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.stats.aggregate import Interval
from assay.stats.human_normalised import NORMAL
from assay.stats.performance_change import Told, change_of_means
from assay.stats.standing import Standing, ToldSide, standing_of_told
from assay.suites.hackatari import ORIGINAL
from assay.suites.hackatari_published import (
    DEEP,
    OBJECT_CENTRIC,
    PEOPLE,
    RANDOM,
    PublishedInterval,
    published,
)

KINDS = (DEEP, OBJECT_CENTRIC)  # of published agents
STUDY = PEOPLE  # the people of the study, by the name that figures use
SEED = 32


@dataclass(frozen=True)
class PublishedChange:
    """The performance change of a published agent, or of people, on one variation."""

    agent: str
    kind: str  # "deep", "object-centric" or "people"
    label: str  # of the variation: "Pong lazy_enemy"
    change: Interval | None  # None where its original score is not told to be above random play


def told(score: PublishedInterval) -> Told:
    """A published score with its standard error."""
    ends = [end for end in (score.low, score.high) if end is not None]
    reach = (max(ends) - min(ends)) / 2 if len(ends) == 2 else abs(ends[0] - score.value) if ends else 0.0
    return Told(score.value, reach / NORMAL)


def published_changes(
    variations: Mapping[str, Sequence[str]], measured: Mapping[tuple[str, str], np.ndarray]
) -> list[PublishedChange]:
    """The changes of all published agents on these variations, by game.

    Random play is the published one; where there is none, that of `measured`, by game and variation.
    """
    table, result = published(), []
    for game, names in variations.items():
        for name in names:
            for agent, kind in table.agents.items():
                scores = table.of(agent, game, name), table.of(agent, game, ORIGINAL)
                floors = [random_play(game, each, measured) for each in (name, ORIGINAL)]
                if agent == RANDOM or None in scores or None in floors:
                    continue
                varied, plain = (told(each) for each in scores if each is not None)
                varied_floor, plain_floor = (each for each in floors if each is not None)
                change = change_of_means(varied, plain, varied_floor, plain_floor)
                result.append(PublishedChange(agent, kind, f"{game} {name}", change))
    return result


def random_play(game: str, name: str, measured: Mapping[tuple[str, str], np.ndarray]) -> Told | None:
    score = published().of(RANDOM, game, name)
    if score is not None:
        return told(score)
    scores = measured.get((game, name))
    if scores is None:
        return None
    return Told(float(scores.mean()), float(scores.std(ddof=1) / np.sqrt(len(scores))))


def published_standings(variations: Mapping[str, Sequence[str]]) -> dict[str, tuple[Standing, int]]:
    """By agent: its expert scores over games, and of how many of these games scores are published."""
    table, result = published(), {}
    for number, agent in enumerate(table.agents):
        plain, varied = [], []
        for game, names in variations.items():
            home = table.of(agent, game, ORIGINAL)
            away = [table.of(agent, game, name) for name in names]
            if home is None or None in away or game not in table.expert:
                continue
            plain.append(expert_of(game, [told(home)]))
            varied.append(expert_of(game, [told(each) for each in away if each is not None]))
        if plain:
            sides = (ToldSide(*(np.array(column) for column in zip(*side))) for side in (plain, varied))
            rng = np.random.default_rng([SEED, number])
            result[agent] = standing_of_told(*sides, rng=rng), len(plain)
    return result


def expert_of(game: str, scores: Sequence[Told]) -> Told:
    """The mean of scores of one game on the scale of experts."""
    random, human = published().expert[game]
    mean = float(np.mean([each.mean for each in scores]))
    error = float(np.sqrt(sum(each.error**2 for each in scores)) / len(scores))
    return Told((mean - random) / abs(human - random), error / abs(human - random))


def people_of(game: str, name: str) -> Interval | None:
    """The published score of people, where they played; an end that is not legible mirrors the other."""
    score = published().of(PEOPLE, game, name)
    if score is None:
        return None
    reach = NORMAL * told(score).error
    low, high = (
        score.value + side * reach if end is None else end for side, end in ((-1, score.low), (1, score.high))
    )
    return Interval(score.value, low, high)
