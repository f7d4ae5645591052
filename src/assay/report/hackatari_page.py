"""The sections of a page that speak in the terms of HackAtari's paper."""

from __future__ import annotations

from html import escape

from assay.analysis.hackatari import HackAtari
from assay.analysis.published_changes import KINDS
from assay.report.frame import caution_paragraphs, legend, plain_table
from assay.report.gap_table import NONE, Table
from assay.report.hackatari_figures import change_figures, signs_legend, standing_figure
from assay.report.hackatari_tables import (
    cautions_of,
    change_text,
    changes_tables,
    games_tables,
    groups_tables,
    scores_tables,
    stands_tables,
)
from assay.report.svg import element

DEEP, OBJECT_CENTRIC = KINDS
STANDINGS = (
    "Figure 1 of the paper with your agent in it: the IQM of expert scores over games and seeds. Bars of "
    "published agents are computed from the paper's scores, one per game."
)
FIGURES = (
    (DEEP, "Deep agents and people",
     "Figure 2 of the paper with your agent in it: the change of the margin over random play, with its "
     "95% interval. A mark at the edge lies beyond it; × means that the original score is not told from "
     "random play."),
    (OBJECT_CENTRIC, "Object-centric agents",
     "Figure 3 of the paper with your agent in it: agents that see objects, and PPO, which sees pictures."),
)  # fmt: skip


def changes_section(found: HackAtari | None) -> str:
    """What is lost and gained, over games and variation by variation."""
    if found is None:
        return ""
    tables = [*groups_tables(found), *changes_tables(found), *games_tables(found)]
    shown = [plain_table(table, most=len(table.rows)) for table in tables]  # all rows: these are the findings
    return caution_paragraphs(cautions_of(found)) + "".join(shown)


def figures_section(found: HackAtari | None) -> str:
    """Figures 1 to 3, with what is published in the same pictures."""
    if found is None:
        return ""
    drawn = []
    if figure := standing_figure(found):
        keys = [
            ('<i class="dot original"></i>', "original games"),
            ('<i class="dot hatched"></i>', "variations"),
        ]
        drawn += [element("h3", "All agents"), intro(STANDINGS), legend(keys), figure]
    for kind, heading, words in FIGURES:
        if figures := change_figures(found, kind):
            drawn += [element("h3", heading), intro(words), legend(signs_legend(found, kind))]
            drawn += [element("h4", escape(name), class_="half") + each for name, each in figures]
    if not drawn:
        return ""
    return "".join(drawn) + published_table(found)


def scores_section(found: HackAtari | None) -> str:
    """Human-normalised scores, and who is better than whom."""
    if found is None:
        return ""
    return "".join(map(plain_table, [*stands_tables(found), *scores_tables(found)]))


def published_table(found: HackAtari) -> str:
    """The numbers behind Figures 2 and 3."""
    agents = list(dict.fromkeys(each.agent for each in found.published))
    labels = list(dict.fromkeys(each.label for each in found.published))
    at = {(each.agent, each.label): change_text(each.change) for each in found.published}
    rows = [[label, *(at.get((agent, label), NONE) for agent in agents)] for label in labels]
    table = plain_table(Table("changes of published agents", ["variation", *agents], rows))
    return (
        element("details", element("summary", "Changes of published agents in numbers"), table)
        if rows
        else ""
    )


def intro(words: str) -> str:
    return element("p", escape(words), class_="intro")
