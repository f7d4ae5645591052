"""The report on a run of pairs in Markdown."""

from __future__ import annotations

from assay.analysis.experiment import Experiment
from assay.report.difficulty_page import difficulty_markdown
from assay.report.gap_table import describe_gaps, gap_tables
from assay.report.hackatari_tables import cautions_of, hackatari_tables
from assay.report.markdown import again, capitalise, code, escape, markdown_table, prose
from assay.report.name_table import name_tables
from assay.report.pair_table import map_tables, table
from assay.report.pair_text import answer, budget_text, method, setting
from assay.report.preset_table import preset_tables
from assay.report.tail_table import tail_tables
from assay.report.unfinished import say_unfinished


def pair_markdown(experiment: Experiment) -> str:
    """The whole report as one text."""
    headings, rows = table(list(experiment.findings), bool(experiment.budget), bool(experiment.names))
    parts = [
        f"# {escape(experiment.agent)} on {escape(experiment.name)}",
        f"**{escape(capitalise(experiment.asks))}** {escape(answer(experiment))}".replace("**** ", ""),
        *(f"U{prose(each[1:])}." for each in say_unfinished(experiment.unfinished, experiment.folder)),
        *(f"{prose(capitalise(each))}." for each in cautions_of(experiment.hackatari)),
        escape(setting(experiment)),
        markdown_table(tuple(headings), [(code(row[0]), *map(escape, row[1:])) for row in rows])
        if rows
        else "",
    ]
    for caption, heads, cells in (
        *hackatari_tables(experiment.hackatari),
        *preset_tables(experiment.presets),
        *map_tables(experiment),
        *name_tables(experiment.names),
    ):
        shown = markdown_table(tuple(map(escape, heads)), [tuple(map(escape, row)) for row in cells])
        parts.append(f"## {escape(capitalise(caption))}\n\n{shown}")
    tables = gap_tables(experiment.gaps, bool(experiment.budget))
    if experiment.gaps and tables:
        parts.append(f"## Measures\n\n{escape(describe_gaps(experiment.gaps, experiment.budget))}.")
    for caption, heads, cells in tables:
        shown = markdown_table(tuple(map(escape, heads)), [tuple(map(escape, row)) for row in cells])
        parts.append(f"### {escape(capitalise(caption))}\n\n{shown}")
    for caption, heads, cells in tail_tables(experiment.tails):
        shown = markdown_table(tuple(map(escape, heads)), [tuple(map(escape, row)) for row in cells])
        parts.append(f"## {escape(capitalise(caption))}\n\n{shown}")
    if experiment.difficulty is not None:
        parts.append(difficulty_markdown(experiment.difficulty, 2).rstrip())
    terms = [f"- **{term}.** {escape(said)}" for term, said in method(experiment) if said]
    parts.append("## Method\n\n" + "\n".join(terms))
    parts.append("\n".join(f"- **failed** {escape(failure)}" for failure in experiment.failed))
    parts.append("\n".join(f"- **not covered** {prose(each)}" for each in experiment.uncovered))
    seeds = ", ".join(map(str, experiment.seeds))
    parts.append(again(experiment, ("seeds", seeds), ("budget", budget_text(experiment))))
    return "\n\n".join(part for part in parts if part) + "\n"
