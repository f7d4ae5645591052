"""Suites: train/eval pairs, as data only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """Train on one task, evaluate on another, both as text."""

    train: str
    evaluate: str


@dataclass(frozen=True)
class Suite:
    """Pairs that ask one question. A change that moves a number is a new version; the old one still runs."""

    name: str
    version: int
    asks: str
    pairs: tuple[Pair, ...]
    seeds: tuple[int, ...]
    episodes: int
    rollouts: bool = False  # the policy of every report of training is evaluated too
    settings: tuple[dict, ...] = ()  # of the agent, pair by pair; empty: none
    agent: str = ""  # for which agent the settings are; "": any
    steps: int = 0  # env steps of training where none are given; 0: the agent's own
