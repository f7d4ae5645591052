"""All that the page is made of: our trainings, the paper's tables, and the best blind policies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assay.stats.aggregate import Interval
from assay.suites import kage
from assay.suites.suite import Pair

from .paper import PaperRow, read_paper
from .trainings import BLIND, Training, by_task, read_trainings, select


@dataclass(frozen=True)
class BlindPolicy:
    """The best of one search, and its means over levels."""

    by: str
    period: int
    held: int
    levels: int
    measures: dict[str, Interval]


@dataclass(frozen=True)
class BlindPlay:
    best: tuple[BlindPolicy, ...]
    appearances: int  # that were played; 0 while they were not compared yet
    compared_levels: int
    unlike: tuple[str, ...]  # appearances that gave other numbers than the plain one

    def most(self, measure: str) -> Interval:
        """The best of the policies by this measure."""
        return max((each.measures[measure] for each in self.best), key=lambda interval: interval.value)


@dataclass(frozen=True)
class Results:
    trainings: tuple[Training, ...]  # of all learners and precisions
    paper_pairs: dict[str, PaperRow]
    paper_axes: dict[str, PaperRow]
    blind: BlindPlay | None

    @cached_property
    def main(self) -> dict[str, tuple[Training, ...]]:
        """The trainings of the tables, by the text of their training appearance."""
        return by_task(select(self.trainings))

    def of(self, pair: Pair) -> tuple[Training, ...]:
        return self.main.get(pair.train, ())

    @cached_property
    def trained_pairs(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in kage.ALL if self.of(pair))

    @cached_property
    def missing_pairs(self) -> tuple[Pair, ...]:
        return tuple(pair for pair in kage.ALL if not self.of(pair))


def read_blind(path: Path) -> BlindPlay | None:
    if not path.exists():
        return None
    record = json.loads(path.read_text())
    best = tuple(
        BlindPolicy(
            by,
            each["policy"]["period"],
            each["policy"]["held"],
            each["levels"],
            {name: Interval(*ends) for name, ends in each["measures"].items()},
        )
        for by, each in record["best"].items()
    )
    compared = record.get("appearances", 0), record.get("compared_levels", 0), record.get("unlike", ())
    return BlindPlay(best, compared[0], compared[1], tuple(compared[2]))


def read_results(folder: Path, paper: Path) -> Results:
    """`folder` holds our files; `paper` the two tables as CSV."""
    return Results(
        read_trainings(folder),
        read_paper(paper / "paper_pairs.csv"),
        read_paper(paper / "paper_axes.csv"),
        read_blind(folder / BLIND),
    )


def seeds_of(trainings: Sequence[Training]) -> str:
    return ", ".join(str(each.seed) for each in trainings)
