"""What every page shares: its frame and style, facts in two columns, legends, the command that made it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from assay.analysis.exam import Exam
from assay.analysis.experiment import Experiment
from assay.report.formats import HERE
from assay.report.gap_table import Table
from assay.report.svg import element
from assay.report.text import cost, one_line, true_minus

MOST_ROWS = 24  # of a table, beyond which it unfolds
WITH_SPREAD = re.compile(r"\S+ ± \S+")
A_NUMBER = re.compile(r"[-+\u2212]?\d")  # how a cell of a number begins, its interval behind it


def folder_text(folder: str) -> str:
    """The folder of the records, as a page names it."""
    return "the one that this page is in" if folder == HERE else folder


def frame_page(
    name: str, top: str, first: str, sections: Sequence[tuple[str, str, str]], fingerprint: str = ""
) -> str:
    """A whole page: its top, what comes first, links, the sections (key, title, body) with a body, a foot."""
    mark = element("code", escape(fingerprint))
    sections = [section for section in sections if section[2]]
    links = [element("a", title, href=f"#{key}") for key, title, _ in sections]
    style = files("assay.report").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<title>{escape(one_line(name))} · assay</title>\n<style>\n{style}</style></head>\n<body>\n"
        + top
        + "\n<main>\n"
        + first
        + element("nav", *links, aria_label="Sections")
        + "\n".join(element("section", element("h2", title), body, id=key) for key, title, body in sections)
        + "\n</main>\n"
        + (element("footer", "Fingerprint of the records: ", mark) if fingerprint else "")
        + "</body></html>\n"
    )


def facts(terms: Iterable[tuple[str, str]]) -> str:
    """Terms and their explanations; a term without one is left out."""
    rows = (
        element("div", element("dt", escape(term)), element("dd", escape(one_line(explanation))))
        for term, explanation in terms
        if explanation
    )
    return element("dl", *rows, class_="facts")


def reproduction(made: Exam | Experiment, *more: tuple[str, str]) -> str:
    """The command that made a run, and the facts that reproduce it, `more` of them first."""
    # Word by word, or a narrow page would break a line inside an option.
    words = " ".join(element("span", escape(word)) for word in made.command.split())
    terms = [
        *more,
        ("Cost", cost(made) if made.jobs else ""),
        ("Folder", folder_text(made.folder)),
        ("Source digest", made.source_digest),
        ("Analysis digest", made.analysis_digest),
        ("Versions", ", ".join(f"{key} {value}" for key, value in made.versions.items())),
        ("Settings", ", ".join(f"{key}={value}" for key, value in made.config.items())),
    ]
    return (element("pre", element("code", words)) if words else "") + facts(terms)


def panel_grid(panels: Sequence[str], most: int) -> str:
    """Panels in a grid; those beyond `most` unfold."""
    shown = element("div", *panels[:most], class_="grid-of-panels")
    if len(panels) <= most:
        return shown
    rest = element("div", *panels[most:], class_="grid-of-panels")
    return shown + element("details", element("summary", f"{len(panels) - most} more"), rest)


def caution_paragraphs(cautions: Iterable[str]) -> str:
    """The sentences that limit everything below them, a paragraph each."""
    return "".join(
        element("p", prose(f"{text[0].upper()}{text[1:]}."), class_="caution")
        for text in map(one_line, cautions)
    )


def legend(keys: list[tuple[str, str]]) -> str:
    return element("ul", *(element("li", sign, escape(words)) for sign, words in keys), class_="legend")


def prose(text: str) -> str:
    """Text in which `this` is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(one_line(text)))


def kept_together(cell: str) -> dict[str, str]:
    """The class of a cell such as `0.67 ± -`, which must not break before its last sign, or of any number."""
    if WITH_SPREAD.fullmatch(cell):
        return {"class_": "together"}
    return {"class_": "number"} if A_NUMBER.match(cell) else {}


def plain_table(table: Table, most: int = MOST_ROWS) -> str:
    """A table of words and numbers under its caption; one of more than `most` rows unfolds."""
    head = element("tr", *(element("th", escape(each), scope="col") for each in table.headings))
    rows = [
        element("tr", element("th", escape(one_line(row[0])), scope="row"), *(
            element("td", escape(true_minus(cell)), data_label=heading, **kept_together(cell))
            for cell, heading in zip(row[1:], table.headings[1:])
        ))
        for row in table.rows
    ]  # fmt: skip
    drawn = element("table", element("thead", head), element("tbody", *rows), class_="measures")
    if len(rows) > most:
        drawn = element("details", element("summary", f"{len(rows)} rows"), drawn)
    return element("h3", escape(table.caption[0].upper() + table.caption[1:])) + drawn
