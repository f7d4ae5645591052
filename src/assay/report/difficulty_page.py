"""Difficulty as a section of a run's report, and as a page and a Markdown file of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from assay.analysis.difficulty import Difficulty
from assay.report.difficulty_figures import box_panels, curve_panels, heat_panels
from assay.report.difficulty_tables import NAMES, Table, answer, as_json, explain, tables_of
from assay.report.frame import caution_paragraphs, facts, frame_page, panel_grid
from assay.report.markdown import code, markdown_table, prose
from assay.report.markdown import escape as escape_markdown
from assay.report.svg import element
from assay.report.text import one_line, true_minus

MOST_PANELS = 6  # in sight; the rest unfold
MOST_ROWS = 24
CURVES = "Median over runs of the errors so far, with the band that resampling runs gives."
BOXES = "The terminal cumulated error (TCE) of each run, on a scale of powers of ten."
HEAT = (
    "The share of pairs of runs in which the row has more errors than the column; an asterisk marks a "
    "one-sided p below 0.05, which is not corrected for the number of pairs."
)


def difficulty_section(difficulty: Difficulty | None) -> str:
    """The section of a report on a run; empty where errors are not told episode by episode."""
    if difficulty is None:
        return ""
    return _figures(difficulty) + _tables(difficulty) + facts(explain(difficulty))


def difficulty_page(difficulty: Difficulty, folders: Sequence[str]) -> str:
    """A page of its own, on one or more runs."""
    name = f"Difficulty for {', '.join(difficulty.players)}"
    top = element(
        "header",
        element("p", "Difficulty of rules", class_="kicker"),
        element("p", element("b", escape(one_line(", ".join(difficulty.players)))), class_="subject"),
        element("h1", element("span", escape(true_minus(answer(difficulty))))),
        caution_paragraphs(difficulty.missing),
    )
    sections = [
        ("figures", "Figures", _figures(difficulty)),
        ("tables", "Tables", _tables(difficulty)),
        ("method", "Method", facts(explain(difficulty))),
        ("reproduce", "Reproduce", facts([("Runs", ", ".join(folders))])),
    ]
    return frame_page(name, top, "", sections)


def difficulty_markdown(difficulty: Difficulty, level: int = 1) -> str:
    """The tables in Markdown; `level` is that of the first heading."""
    mark = "#" * level
    parts = [f"{mark} Difficulty", escape_markdown(answer(difficulty))]
    parts += [prose(each) for each in difficulty.missing] if level == 1 else []
    for table in tables_of(difficulty):
        rows = [tuple(map(escape_markdown, row)) for row in table.rows]
        shown = markdown_table(tuple(map(escape_markdown, table.headings)), rows)
        parts.append(f"{mark}# {escape_markdown(table.caption)}\n\n{shown}")
    parts.append("\n".join(f"- **{term}.** {escape_markdown(said)}" for term, said in explain(difficulty)
                           if said))  # fmt: skip
    return "\n\n".join(parts) + "\n"


def files_of(difficulty: Difficulty, folders: Sequence[str]) -> dict[str, str]:
    """The files of `assay rules difficulty`, by name."""
    runs = "\n".join(f"- {code(folder)}" for folder in folders)
    return {
        "difficulty.html": difficulty_page(difficulty, folders),
        "difficulty.md": f"{difficulty_markdown(difficulty)}\nRuns:\n\n{runs}\n",
        "difficulty.json": json.dumps(as_json(difficulty), indent=1, allow_nan=False) + "\n",
    }


def _figures(difficulty: Difficulty) -> str:
    groups = (
        ("Cumulated errors", CURVES, curve_panels(difficulty)),
        ("Terminal cumulated errors", BOXES, box_panels(difficulty)),
        ("More errors than", HEAT, heat_panels(difficulty)),
    )
    return "".join(
        element("h3", heading) + element("p", intro, class_="intro") + panel_grid(panels, MOST_PANELS)
        for heading, intro, panels in groups
        if panels
    )


def _tables(difficulty: Difficulty) -> str:
    return "".join(map(_table, tables_of(difficulty)))


def _table(table: Table) -> str:
    kinds = [{"class_": "name"} if each in NAMES else {} for each in table.headings]
    head = element("tr", *(element("th", escape(each), scope="col", **kind)
                           for each, kind in zip(table.headings, kinds)))  # fmt: skip
    rows = [
        element("tr", element("th", escape(one_line(row[0])), scope="row"),
                *(element("td", escape(true_minus(one_line(cell))), data_label=label, **kind)
                  for cell, label, kind in zip(row[1:], table.headings[1:], kinds[1:])))
        for row in table.rows
    ]  # fmt: skip
    drawn = element("table", element("thead", head), element("tbody", *rows), class_="measures")
    title = element("h3", escape(table.caption))
    if len(rows) > MOST_ROWS:
        drawn = element("details", element("summary", f"{len(rows)} rows"), drawn)
    return title + drawn
