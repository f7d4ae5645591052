"""What HackAtari's paper publishes: scores of agents and people on its games and variations."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

FILE = Path(__file__).with_name("hackatari_published.yaml")
RANDOM, PEOPLE = "Random", "People"  # as the file names random play and the people of the study
DEEP, OBJECT_CENTRIC = "deep", "object-centric"  # kinds of agents


class PublishedInterval(NamedTuple):
    """A published value with the ends of its 95% interval; None for an end that is not legible."""

    value: float
    low: float | None
    high: float | None


class Expert(NamedTuple):
    """The constants of expert scores: random play, and professional testers."""

    random: float
    human: float


class Published(NamedTuple):
    agents: dict[str, str]  # by name: the kind
    expert: dict[str, Expert]  # by game
    # By game, by variation ("original" among them), by agent.
    scores: dict[str, dict[str, dict[str, PublishedInterval]]]

    def of(self, agent: str, game: str, variation: str) -> PublishedInterval | None:
        """The score of an agent, or None where none is published."""
        return self.scores.get(game, {}).get(variation, {}).get(agent)


@cache
def published() -> Published:
    kept = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return Published(
        kept["agents"],
        {game: Expert(*pair) for game, pair in kept["expert"].items()},
        {
            game: {
                variation: {agent: PublishedInterval(*each) for agent, each in row.items()}
                for variation, row in rows.items()
            }
            for game, rows in kept["scores"].items()
        },
    )
