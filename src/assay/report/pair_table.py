"""The findings of pairs in rows: for the terminal, Markdown, the page and programs, and as strict JSON."""

from __future__ import annotations

from typing import NamedTuple

from assay.analysis.experiment import RANDOM_ROW, Experiment, spread_of
from assay.analysis.finite_json import strict
from assay.analysis.pairs import OF_IQM, PairFinding, level_text
from assay.report.gap_table import gap_cells, gap_headings
from assay.report.hackatari_tables import hackatari_cells, hackatari_headings
from assay.report.preset_table import cell_text, preset_cells, preset_headings
from assay.report.rows import Cell, Rows, known_number
from assay.report.tail_table import tail_cells, tail_headings
from assay.report.text import ends_in_words
from assay.stats.aggregate import Interval
from assay.strict_json import Json

FORM = "assay-pairs-1"
NONE = "-"
ONE_SEED = "one seed ± - (no spread and no interval)"  # in captions of maps
TEXTS = ("agent", "suite", "label", "train", "evaluate")  # columns of the rows for programs


class Column(NamedTuple):
    heading: str
    measure: str  # field of a finding
    digits: int = 1


COLUMNS = (
    Column("score trained", "trained"),
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


def columns(findings: list[PairFinding], trained: bool = True) -> list[Column]:
    """The columns that say something: where each pair is one task, there is no other score and no gap."""
    elsewhere = any(each.gap is not None for each in findings)
    first = "score trained" if trained else "score, first task" if elsewhere else "score"
    iqm = any(each.statistic == "IQM" for each in findings)
    return [
        # An IQM is named, because an exam of the same agents gives the mean of the same scores.
        column._replace(heading=f"{column.heading} (IQM)") if iqm and column.measure in OF_IQM else column
        for column in (COLUMNS[0]._replace(heading=first), *COLUMNS[1:])
        if any(getattr(each, column.measure) is not None for each in findings)
        and (elsewhere or column.measure != "evaluated")
    ]


def table(
    findings: list[PairFinding], trained: bool = True, named: bool = False
) -> tuple[list[str], list[list[str]]]:
    """Headings and rows for the terminal, one row per pair; pairs with names say what each changes.

    `trained` tells whether agents were trained on the first task of a pair, or played there as they are;
    `named`, whether the names of pairs are told elsewhere, and stand for their tasks here.
    """
    shown_columns = columns(findings, trained)
    elsewhere = not named and any(each.evaluate != each.train for each in findings)
    known = named or any(each.changes for each in findings)
    headings = ["pair" if known else "trained on" if trained else "first task" if elsewhere else "task"]
    headings += [*(["changes" if known else "evaluated on"] if elsewhere else []), "seeds"]
    rows = []
    for each in findings:
        there = (each.changes if known else each.evaluate) if each.evaluate != each.train else "same task"
        cells = [
            interval_text(
                getattr(each, column.measure), column.digits, each.seeds, are_alike(each, column.measure)
            )
            for column in shown_columns
        ]
        row = [each.label if known else name_pair(each), *([there] if elsewhere else []), str(each.seeds)]
        rows.append([*row, *cells])
    return headings + [column.heading for column in shown_columns], rows


def map_tables(experiment: Experiment) -> list[tuple[str, list[str], list[list[str]]]]:
    """A caption, headings and rows for each map: the mean, and the spread of the seeds behind it."""
    tables = []
    for each in experiment.maps:
        if each.intervals:
            cells = [
                [level, *(cell_text(cell, sd, level == RANDOM_ROW) for cell, sd in zip(line, sds))]
                for level, line, sds in zip(each.rows, each.intervals, each.sd)
            ]
            how = "mean over seeds [95% interval]" if each.has_spread else ONE_SEED
            caption = f"{each.what}: {how}, {each.down} down, {each.across} across"
            tables.append((caption, [f"{each.down} \\ {each.across}", *each.columns], cells))
            continue
        rows = [
            [
                level,
                *(
                    NONE if mean is None else f"{mean:.1f} ± {NONE if sd is None else f'{sd:.1f}'}"
                    for mean, sd in zip(means, sds)
                ),
            ]
            for level, means, sds in zip(each.rows, each.mean, each.sd)
        ]
        how = "mean ± sd over seeds" if each.has_spread else ONE_SEED
        caption = f"{each.what}: {how}, {each.down} down, {each.across} across"
        tables.append((caption, [f"{each.down} \\ {each.across}", *each.columns], rows))
    return tables


def name_pair(each: PairFinding) -> str:
    """The task trained on, and what is set of the agent."""
    of_agent = {name: value for name, value in each.point.items() if name.startswith("agent.")}
    return " ".join([each.train, *(f"{name}={level_text(value)}" for name, value in of_agent.items())])


def are_alike(each: PairFinding, measure: str) -> bool:
    """Whether all seeds of a pair have one value."""
    return len(set(each.units.get(measure, (0.0, 1.0)))) == 1


def interval_text(interval: Interval | None, digits: int = 1, seeds: int = 2, alike: bool = False) -> str:
    """`45.2 [40.1, 50.3]`, or `45.2 (one seed, no interval)`."""
    if interval is None:
        return NONE
    return f"{interval.value:.{digits}f} {ends_in_words(interval, f'.{digits}f', seeds, alike=alike)}"


def pair_rows(experiment: Experiment) -> Rows:
    """One row per pair: value, ends and the seeds' spread of every measure."""
    ends = [f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high", "_sd")]
    rows: list[list[Cell]] = []
    for pair in experiment.findings:
        row: list[Cell] = [experiment.agent, experiment.name, pair.label, pair.train, pair.evaluate]
        row.append(pair.seeds)
        for name in MEASURES:
            interval = getattr(pair, name)
            numbers = [None] * 4 if interval is None else [*interval, spread_of(pair.units[name])]
            row += map(known_number, numbers)
        row += gap_cells(experiment.gaps, pair.label) + preset_cells(experiment.presets, pair.label)
        row += hackatari_cells(experiment.hackatari, pair.label)
        rows.append(row + tail_cells(experiment.tails, pair.label))
    more = (
        gap_headings(experiment.gaps),
        preset_headings(experiment.presets),
        hackatari_headings(experiment.hackatari),
        tail_headings(experiment.tails),
    )
    headings = (*TEXTS, "seeds", *ends, *(heading for some in more for heading in some))
    return Rows(headings, TEXTS, (), rows)


def csv_rows(experiment: Experiment) -> str:
    """The pairs as CSV."""
    return pair_rows(experiment).as_csv()


def as_json(experiment: Experiment) -> dict[str, Json]:
    """Every field of the records under its own name."""
    return {"form": FORM, **strict(experiment)}
