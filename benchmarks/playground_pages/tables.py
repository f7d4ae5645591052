"""Tables of the page: levels with intervals, and what became of the paper's claims."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.stats.aggregate import Interval
from assay.stats.bca import bca, shared_coverage
from assay.stats.intervals import student

from .claims import CLAIMS
from .experiments import RANDOM, Experiment
from .records import Level, Record

COLUMNS = {
    "area": ("learning (AUC)", 1),
    "area_share": ("of the optimum", 2),
    "rollout": ("noise-free rollouts (AUC)", 1),
    "area_length": ("length (AUC)", 1),
    "trained": ("final score", 1),
}
FEW = 20  # seeds below which Student's interval stands in for BCa, which is too narrow there


def interval_of(values: np.ndarray, comparisons: int) -> Interval:
    """Of the mean; the error of 5% is shared by all comparisons of two levels, as in the paper."""
    method = bca if len(values) >= FEW else student
    return method(values, rng=np.random.default_rng(0), coverage=shared_coverage(comparisons))


def level_words(level: Level) -> str:
    return ", ".join(f"{name}={value}" for name, value in level.point.items()) or level.train


def shown(interval: Interval, digits: int) -> str:
    if not np.isfinite(interval.low):
        return f"{interval.value:.{digits}f}"
    return f"{interval.value:.{digits}f} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


def level_table(record: Record, random: Record | None) -> list[str]:
    """A row for every level; random play beside it."""
    columns = {name: COLUMNS[name] for name in COLUMNS if any(each.units.get(name) for each in record.levels)}
    if record.suite in LENGTHS:
        columns.pop("area_share", None)
    else:
        columns.pop("area_length", None)
    heads = ["level", *(head for head, _ in columns.values()), *(["random play"] if random else [])]
    rows = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    chance = {each.train: np.mean(each.units["trained"]) for each in random.levels} if random else {}
    for level in record.levels:
        cells = [
            shown(interval_of(np.array(level.units[name]), len(record.levels)), digits)
            if level.units.get(name) else "–"
            for name, (_, digits) in columns.items()
        ]  # fmt: skip
        if random:
            cells.append(f"{chance[level.train]:.1f}" if level.train in chance else "–")
        rows.append(f"| `{level_words(level)}` | " + " | ".join(cells) + " |")
    return rows


# Where an episode ends at the target, its length says more than the optimum, which is not known exactly.
LENGTHS = ("time-unit", "action-space-max", "target-radius", "state-space-dim", "continuous-delay",
           "continuous-reward-noise", "action-loss-weight")  # fmt: skip


def has_learned(record: Record, random: Record | None) -> bool | None:
    """Whether the final score at the plain level is above random play; None where that is not known."""
    if random is None:
        return None
    plain, chance = (np.array(each.levels[0].units["trained"]) for each in (record, random))
    low = student(plain, rng=np.random.default_rng(0), coverage=0.9).low
    high = student(chance, rng=np.random.default_rng(0), coverage=0.9).high
    return bool(low > high)


def claim_table(experiment: Experiment, records: Sequence[Record], random: Record | None) -> list[str]:
    """What the paper says, agent by agent."""
    claims = CLAIMS.get(experiment.suite, ())
    if not claims or not records:
        return []
    agents = [record.agent for record in records]
    rows = ["| the paper says | " + " | ".join(f"`{agent}`" for agent in agents) + " |"]
    rows.append("|---" * (1 + len(agents)) + "|")
    for claim in claims:
        words = []
        for record in records:
            answer = claim.judge(record)
            if has_learned(record, random) is False:
                words.append("not learned")
            else:
                words.append("not asked" if answer is None else f"**{answer.word}**")
        rows.append(f"| {claim.words} | " + " | ".join(words) + " |")
    return rows


def map_table(record: Record, measure: str = "area") -> list[str]:
    """Mean ± standard deviation over seeds at every combination of two settings."""
    down, across = list(record.levels[0].point)
    rows = list(dict.fromkeys(each.point[down] for each in record.levels))
    columns = list(dict.fromkeys(each.point[across] for each in record.levels))
    cells = {(each.point[down], each.point[across]): np.array(each.units[measure]) for each in record.levels}
    head = f"| `{down}` \\ `{across}` | " + " | ".join(map(str, columns)) + " |"
    lines = [head, "|---" * (1 + len(columns)) + "|"]
    for row in rows:
        found = [cells[row, column] for column in columns]
        lines.append(f"| {row} | " + " | ".join(f"{x.mean():.1f} ± {x.std():.1f}" for x in found) + " |")
    return lines


def agents_of(experiment: Experiment) -> tuple[str, ...]:
    return tuple(agent for agent in experiment.agents if agent != RANDOM)
