"""The report on a run of pairs in Markdown."""

from __future__ import annotations

from assay.analysis.experiment import Experiment
from assay.report.gap_table import gap_tables, said_of_gaps
from assay.report.markdown import code, escape, markdown_table, prose
from assay.report.pair_table import map_tables, table
from assay.report.pair_text import answer, method, setting
from assay.report.text import cost, when
from assay.report.unfinished import tell_unfinished


def pair_markdown(experiment: Experiment) -> str:
    """The whole report as one text."""
    headings, rows = table(list(experiment.findings))
    parts = [
        f"# {escape(experiment.agent)} on {escape(experiment.name)}",
        f"**{escape(experiment.asks)}** {escape(answer(experiment))}".replace("**** ", ""),
        *(f"U{prose(each[1:])}." for each in tell_unfinished(experiment.unfinished, experiment.folder)),
        escape(setting(experiment)),
        markdown_table(tuple(headings), [(code(row[0]), *map(escape, row[1:])) for row in rows])
        if rows
        else "",
    ]
    for caption, heads, cells in map_tables(experiment):
        shown = markdown_table(tuple(map(escape, heads)), [tuple(map(escape, row)) for row in cells])
        parts.append(f"## {escape(caption)}\n\n{shown}")
    tables = gap_tables(experiment.gaps)
    if experiment.gaps and tables:
        parts.append(f"## Measures\n\n{escape(said_of_gaps(experiment.gaps))}.")
    for caption, heads, cells in tables:
        shown = markdown_table(tuple(map(escape, heads)), [tuple(map(escape, row)) for row in cells])
        parts.append(f"### {escape(caption)}\n\n{shown}")
    terms = [f"- **{term}.** {escape(said)}" for term, said in method(experiment) if said]
    parts.append("## Method\n\n" + "\n".join(terms))
    parts.append("\n".join(f"- **failed** {escape(failure)}" for failure in experiment.failed))
    parts.append("\n".join(f"- **not covered** {prose(each)}" for each in experiment.uncovered))
    parts.append("## Again\n\n" + "\n".join(f"- {term}: {said}" for term, said in _again(experiment) if said))
    return "\n\n".join(part for part in parts if part) + "\n"


def _again(experiment: Experiment) -> list[tuple[str, str]]:
    return [
        ("command", code(experiment.command)),
        ("folder", code(experiment.folder)),
        ("made", when(experiment)),
        ("seeds", ", ".join(map(str, experiment.seeds))),
        ("budget", f"{experiment.budget:,} env steps" if experiment.budget else ""),
        ("cost", cost(experiment)),
        ("source", code(experiment.source_digest)),
        ("analysis", code(experiment.analysis_digest)),
        ("fingerprint", code(experiment.fingerprint)),
        ("versions", escape(", ".join(f"{key} {value}" for key, value in experiment.versions.items()))),
        ("settings", escape(", ".join(f"{key}={value}" for key, value in experiment.config.items()))),
    ]
