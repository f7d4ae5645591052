"""Suites: train/eval pairs, as data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay.errors import AssayError


@dataclass(frozen=True)
class PublishedScore:
    """A score that others published for the same pair: mean and standard deviation (n - 1) over seeds."""

    agent: str
    mean: float
    sd: float
    seeds: int


@dataclass(frozen=True)
class Pair:
    """A task to train on and a task to evaluate on, both as text."""

    train: str
    evaluate: str
    name: str = ""  # a published id such as "filters 4"; "" for none
    axis: str = ""  # the axis that the pair belongs to, such as "filters"; "" for the suite itself
    baseline: str = ""  # the name of the pair that this one is compared with, perhaps itself; "" for none
    published: tuple[PublishedScore, ...] = ()
    cell: tuple[str, str] | None = None  # names of both tasks, where the pairs are the cells of a matrix


@dataclass(frozen=True)
class Suite:
    """Pairs that ask one question. A change that moves any number makes a new version; the old one stays.

    name, version, asks (the question), pairs, seeds (of training) and episodes (of evaluation) are asked of
    every suite. rollouts, settings, agent, steps and recipes say how its agents are trained, blind and
    random what they are compared with, counts_events what is recorded of their episodes, and normalised what
    reports compute of them.
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
    random: bool = False  # play every evaluation task at random too, as a reference
    counts_events: bool = False  # count what variations do in each episode, where tasks are hosted
    normalised: str = ""  # as whose scores reports normalise these: "hackatari", or "" for nobody's
    # By agent: settings that it needs here, which those of `settings` and of the user replace.
    recipes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.settings and len(self.settings) != len(self.pairs):
            raise AssayError(
                f"{self.name} has settings for {len(self.settings)} pairs and {len(self.pairs)} pairs; "
                "give one set of settings for each pair, perhaps an empty one."
            )
        names = {pair.name for pair in self.pairs}
        for pair in self.pairs:
            if pair.baseline and pair.baseline not in names:
                raise AssayError(
                    f"{self.name} compares the pair {pair.name!r} with {pair.baseline!r}, and no pair has "
                    "that name; name a pair of the suite."
                )


def with_settings(suite: Suite, settings: str) -> Suite:
    """The suite with these settings in every task, such as observation=objects."""

    def extend(task: str) -> str:
        return f"{task}+{settings}"

    pairs = tuple(
        replace(pair, train=extend(pair.train), evaluate=extend(pair.evaluate)) for pair in suite.pairs
    )
    return replace(suite, pairs=pairs, asks=f"{suite.asks} Every task with {settings}.")
