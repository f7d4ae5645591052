"""What the comparisons with Stable-Baselines3 share: the file of results, random play, and the verdict."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from assay.interop.gymnasium import make
from assay.interop.play import play
from assay.runs.outside_jobs import random_actions

SHARE = 0.15  # of the distance to random play, within which two means count as equal


class Verdict(NamedTuple):
    difference: float
    low: float
    high: float
    distance: float
    word: str


def judge(ours: list[float], theirs: list[float], random: list[float], seeds: int) -> Verdict:
    """Our mean less theirs with Welch's interval, beside the distance of theirs to random play.

    Fewer than `seeds` of a side decide nothing, nor do seeds that all score the same: these have no spread.
    """
    a, b = np.array(ours), np.array(theirs)
    parts = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    difference, distance = a.mean() - b.mean(), abs(b.mean() - np.mean(random))
    half = 0.0
    if sum(parts):
        freedom = sum(parts) ** 2 / (parts[0] ** 2 / (len(a) - 1) + parts[1] ** 2 / (len(b) - 1))
        half = stats.t.ppf(0.975, freedom) * sqrt(sum(parts))
    low, high, limit = difference - half, difference + half, SHARE * distance
    if min(len(a), len(b)) < seeds:
        word = "too few seeds"
    elif not sum(parts):
        word = "all seeds alike"
    elif -limit <= low and high <= limit:
        word = "agrees"
    else:
        word = "disagrees" if low > limit or high < -limit else "not decided"
    return Verdict(difference, low, high, distance, word)


def random_score(text: str, unit: int, episodes: int) -> float:
    env = make(text)
    played = play(random_actions(env, unit), env, "random", unit, episodes)
    env.close()
    return float(np.mean([each.score for each in played]))


def load_results(path: Path) -> dict[str, Any]:
    empty: dict[str, Any] = {"cells": {}, "random": {}}
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else empty
    return found


def save_results(path: Path, results: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    aside = path.with_suffix(".part")
    aside.write_text(json.dumps(results, indent=1) + "\n")
    aside.replace(path)  # a stopped run leaves no half of a file
