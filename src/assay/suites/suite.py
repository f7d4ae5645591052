"""Suites: train/eval pairs, as data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError


@dataclass(frozen=True)
class Pair:
    """A task to train on and a task to evaluate on, both as text."""

    train: str
    evaluate: str
    name: str = ""  # a published id such as "filters 4"; "" for none
    axis: str = ""  # the axis that the pair belongs to, such as "filters"; "" for the suite itself


@dataclass(frozen=True)
class Suite:
    """Pairs that ask one question. A change that moves any number makes a new version; the old one stays.

    name, version, asks (the question), pairs, seeds (of training) and episodes (of evaluation) are asked of
    every suite. rollouts, settings, agent, steps and blind say how its agents are trained and what they are
    compared with.
    """

    name: str
    version: int
    asks: str
    pairs: tuple[Pair, ...]
    seeds: tuple[int, ...]
    episodes: int
    rollouts: bool = False  # play the policy of every report too, where the agent keeps it
    settings: tuple[Mapping[str, Any], ...] = ()  # of the agent, pair by pair; () for none
    agent: str = ""  # the only agent that these settings are for, "" for any
    steps: int = 0  # env steps of training; 0 for the agent's own number
    blind: tuple[str, ...] = ()  # measures to choose the best blind policy by; () for no blind policy

    def __post_init__(self) -> None:
        if self.settings and len(self.settings) != len(self.pairs):
            raise AssayError(
                f"{self.name} has settings for {len(self.settings)} pairs and {len(self.pairs)} pairs; "
                "give one set of settings for each pair, perhaps an empty one."
            )
