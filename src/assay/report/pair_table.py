"""The findings of pairs in rows: for the terminal, Markdown and the page, as CSV, and as strict JSON."""

from __future__ import annotations

import csv
import io
from typing import Any, NamedTuple

import numpy as np

from assay.analysis.experiment import Experiment
from assay.analysis.pairs import PairFinding, level_text
from assay.analysis.strict import strict
from assay.report.gap_table import csv_cells, csv_headings
from assay.stats.aggregate import Interval
from assay.strict_json import Json

FORM = "assay-pairs-1"
NONE = "-"


class Column(NamedTuple):
    heading: str
    measure: str  # field of a finding
    digits: int = 1


COLUMNS = (
    Column("score there", "trained"),
    Column("score evaluated", "evaluated"),
    Column("gap", "gap"),
    Column("of the optimum", "share", 2),
    Column("regret", "regret"),
    Column("learning (AUC)", "area"),
    Column("AUC of the optimum", "area_share", 2),
    Column("rollouts (AUC)", "rollout"),
    Column("length (AUC)", "area_length"),
)
MEASURES = (
    "trained", "evaluated", "gap", "share", "regret", "area", "area_share", "last", "rollout", "area_length",
    "rollout_length",
)  # fmt: skip


def columns(found: list[PairFinding]) -> list[Column]:
    """Those that say something: where all pairs are one task, there is no other score and no gap."""
    elsewhere = any(each.gap is not None for each in found)
    return [
        column
        for column in COLUMNS
        if any(getattr(each, column.measure) is not None for each in found)
        and (elsewhere or column.measure != "evaluated")
    ]


def table(found: list[PairFinding]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows for the terminal, one row per pair; of pairs with ids, what each changes."""
    shown_columns = columns(found)
    elsewhere = any(each.evaluate != each.train for each in found)
    known = any(each.changes for each in found)
    headings = ["pair" if known else "trained on"]
    headings += [*(["changes" if known else "evaluated on"] if elsewhere else []), "seeds"]
    rows = []
    for each in found:
        there = (each.changes if known else each.evaluate) if each.evaluate != each.train else "there"
        cells = [show_interval(getattr(each, column.measure), column.digits) for column in shown_columns]
        row = [each.label if known else name_pair(each), *([there] if elsewhere else []), str(each.seeds)]
        rows.append([*row, *cells])
    return headings + [column.heading for column in shown_columns], rows


def map_tables(experiment: Experiment) -> list[tuple[str, list[str], list[list[str]]]]:
    """A caption, headings and rows for each map: the mean, and the spread of the seeds behind it."""
    found = []
    for each in experiment.maps:
        rows = [
            [level, *(NONE if mean is None else f"{mean:.1f} ± {sd:.1f}" for mean, sd in zip(means, sds))]
            for level, means, sds in zip(each.rows, each.mean, each.sd)
        ]
        caption = f"{each.what}: mean ± sd over seeds, {each.down} down, {each.across} across"
        found.append((caption, [f"{each.down} \\ {each.across}", *each.columns], rows))
    return found


def name_pair(each: PairFinding) -> str:
    """The task trained on, and what is set of the agent."""
    of_agent = {name: value for name, value in each.point.items() if name.startswith("agent.")}
    return " ".join([each.train, *(f"{name}={level_text(value)}" for name, value in of_agent.items())])


def show_interval(interval: Interval | None, digits: int = 1) -> str:
    """`45.2 [40.1, 50.3]`; an end without a bound is `?`."""
    if interval is None:
        return NONE
    ends = ", ".join(f"{end:.{digits}f}" if np.isfinite(end) else "?" for end in interval[1:])
    return f"{interval.value:.{digits}f} [{ends}]"


def csv_rows(experiment: Experiment) -> str:
    """One row per pair, numbers to the last digit: value, ends and the seeds' spread of every measure."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    ends = [f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high", "_sd")]
    more = csv_headings(experiment.gaps)
    rows.writerow(["agent", "suite", "label", "train", "evaluate", "seeds", *ends, *more])
    for each in experiment.findings:
        numbers: list[Any] = []
        for name in MEASURES:
            found = getattr(each, name)
            numbers += ["", "", "", ""] if found is None else [*found, np.std(each.units[name])]
        rows.writerow([experiment.agent, experiment.name, each.label, each.train, each.evaluate, each.seeds,
                       *(value if value == "" else repr(float(value)) for value in numbers),
                       *csv_cells(experiment.gaps, each.label)])  # fmt: skip
    return out.getvalue()


def as_json(experiment: Experiment) -> dict[str, Json]:
    """Every field of the records under its own name."""
    return {"form": FORM, **strict(experiment)}
