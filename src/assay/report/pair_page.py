"""The report on a run of pairs as one page, in the frame and style of the exam's."""

from __future__ import annotations

import math
from html import escape

from assay.analysis.experiment import Experiment
from assay.analysis.pairs import PairFinding
from assay.report import heat, learning
from assay.report.bars import bars, ends_of
from assay.report.difficulty_page import difficulty_section
from assay.report.frame import (
    MOST_ROWS,
    caution_paragraphs,
    facts,
    frame_page,
    legend,
    panel_grid,
    plain_table,
    prose,
    reproduction,
)
from assay.report.gap_table import Table, describe_gaps, gap_tables
from assay.report.hackatari_page import changes_section, figures_section, scores_section
from assay.report.name_table import name_tables
from assay.report.pair_table import Column, are_alike, columns, map_tables, name_pair
from assay.report.pair_text import answer, budget_text, describe_intervals, list_seeds, method, setting
from assay.report.preset_table import describe_presets, preset_tables
from assay.report.svg import element
from assay.report.tail_table import MEANS as TAILS_MEAN
from assay.report.tail_table import tail_tables
from assay.report.text import date_text, number, one_line, true_minus
from assay.report.unfinished import say_unfinished
from assay.stats.aggregate import Interval

BARS = (
    ("area", "Mean score while learning (AUC)"),
    ("rollout", "Rollouts on the task evaluated on, while learning (AUC)"),
    ("trained", "Score after training, on the task trained on"),
    ("gap", "Score on the task evaluated on, less score on the task trained on"),
    ("area_length", "Length of episodes while learning (AUC)"),
    ("regret", "Regret: the optimum less the score"),
)
MOST_CURVES = 12  # panels in sight; the rest unfold
UNTRAINED = {  # headings of agents that play as they are
    "trained": "Score on the first task",
    "gap": "Score on the task evaluated on, less score on the first task",
}
MOST_BARS = 12  # rows of each measure, beyond which maps show what bars would


def pair_page(experiment: Experiment) -> str:
    """The whole of `report.html`."""
    sections = [
        ("change", "Performance change", changes_section(experiment.hackatari)),
        ("figures", "Beside published agents", figures_section(experiment.hackatari)),
        ("people", "Human-normalised scores", scores_section(experiment.hackatari)),
        ("presets", "Presets", _presets(experiment)),
        ("maps", "Maps", _maps(experiment)),
        ("levels", "Levels", _bars(experiment)),
        ("difficulty", "Difficulty", difficulty_section(experiment.difficulty)),
        ("measures", "Measures", _gaps(experiment)),
        ("risk", "Risk", _tables(tail_tables(experiment.tails), TAILS_MEAN)),
        ("learning", "Learning curves", _learning(experiment)),
        ("table", "Every pair", _table(experiment)),
        ("method", "Method", facts(method(experiment))),
        ("reproduce", "Reproduce", _reproduce(experiment)),
    ]
    name = f"{experiment.agent} on {experiment.name}"
    return frame_page(name, _top(experiment), _failed(experiment), sections, experiment.fingerprint)


def _top(experiment: Experiment) -> str:
    made = f" · {date_text(experiment)}" if date_text(experiment) else ""
    question = one_line(experiment.asks)
    answered = escape(true_minus(answer(experiment)))
    # A single training asks no question, and its answer is the title.
    spans = [element("span", answered)]
    if question:
        spans = [element("span", escape(question[0].upper() + question[1:])),
                 element("span", answered, class_="answer")]  # fmt: skip
    lede = f"{setting(experiment)} Intervals: {describe_intervals(experiment)}."
    normal = element("p", escape(f"Normalised {experiment.compat}."), class_="caution")
    return element(
        "header",
        element("p", f"Experiment{made}", class_="kicker"),
        element("p", element("b", escape(one_line(experiment.agent))), " on ",
                element("b", escape(one_line(experiment.name))), class_="subject"),
        element("h1", *spans),
        element("p", escape(lede), class_="lede"),
        caution_paragraphs(say_unfinished(experiment.unfinished, experiment.folder)),
        normal if experiment.compat else "",
        caution_paragraphs(experiment.uncovered),
    )  # fmt: skip


def _failed(experiment: Experiment) -> str:
    if not experiment.failed:
        return ""
    rows = element("ul", *(element("li", prose(failure)) for failure in experiment.failed))
    group = element("div", element("dt", "Failed"), element("dd", rows), class_="group failed")
    return element("section", element("dl", group), class_="verdict")


def _maps(experiment: Experiment) -> str:
    drawn = [panel for each in experiment.maps for panel in heat.panels(each)]
    if not drawn:
        return ""
    intro = element("p", "Every combination of the two settings; a stronger shade is a higher value. Each "
                    "map has its own shades.", class_="intro")  # fmt: skip
    crossed = [
        Table(*table) for table, each in zip(map_tables(experiment), experiment.maps) if each.intervals
    ]
    return intro + element("div", *drawn, class_="grid-of-panels") + "".join(map(plain_table, crossed))


def _presets(experiment: Experiment) -> str:
    """What presets scored, and what their names, or those of a matrix, stand for."""
    scores = _tables(preset_tables(experiment.presets), describe_presets(experiment.presets))
    return scores + "".join(map(plain_table, name_tables(experiment.names)))


def _tables(tables: list[Table], means: str) -> str:
    return element("p", escape(means), class_="intro") + "".join(map(plain_table, tables)) if tables else ""


def _bars(experiment: Experiment) -> str:
    if experiment.hackatari:  # scores of different games have no common scale
        return ""
    names = dict(BARS) if experiment.budget else dict(BARS) | UNTRAINED
    drawn = "".join(bars(experiment.findings, measure, heading) for measure, heading in names.items())
    if not drawn:
        return ""
    intro = element("p", "The mean over seeds with its interval (for scores, the statistic that Method "
                    "names). An arrow shows that the interval goes on beyond the plot.",
                    class_="intro")  # fmt: skip
    if experiment.maps and len(experiment.findings) > MOST_BARS:
        return element("details", element("summary", "Every combination by itself"), intro, drawn)
    return intro + drawn


def _gaps(experiment: Experiment) -> str:
    tables = gap_tables(experiment.gaps, bool(experiment.budget))
    if experiment.gaps is None or not tables:
        return ""
    said = describe_gaps(experiment.gaps, experiment.budget)
    intro = element("p", escape(f"{said[0].upper()}{said[1:]}."), class_="intro")
    return intro + "".join(map(plain_table, tables))


def _learning(experiment: Experiment) -> str:
    panels = learning.panels(experiment.curves, together=True)
    if not panels:
        return ""
    keys = [('<i class="swatch line seed-line"></i>', "a seed"),
            ('<i class="swatch line plain-line thick"></i>', "mean over seeds")]  # fmt: skip
    intro = element("p", "The mean episode score over steps of training; all panels have one scale.",
                    class_="intro")  # fmt: skip
    return intro + legend(keys) + panel_grid(panels, MOST_CURVES)


def _table(experiment: Experiment) -> str:
    findings = list(experiment.findings)
    if not findings:
        return ""
    shown = columns(findings, bool(experiment.budget))
    places = {each.evaluate for each in findings if each.gap is not None}
    everywhere = len(places) == 1 and all(each.evaluate in places for each in findings)
    heads = ["pair", "seeds", *(column.heading for column in shown)]
    where = "changes" if any(each.changes for each in findings) else "evaluated on"
    if places and not everywhere:
        heads.insert(1, where)
    head = element("thead", element("tr", *(element("th", escape(each), scope="col") for each in heads)))
    rows = [_pair(each, shown, where if where in heads else "") for each in findings]
    drawn = element("table", head, element("tbody", *rows), class_="measures")
    if everywhere:
        there = element("code", escape(one_line(places.pop())))
        drawn = element("p", "All evaluated on ", there, ".", class_="intro") + drawn
    if len(rows) > MOST_ROWS:
        return element("details", element("summary", f"{len(rows)} pairs"), drawn)
    return drawn


def _pair(each: PairFinding, shown: list[Column], where: str) -> str:
    told = element("code", escape(one_line(each.changes or each.evaluate)))
    there = told if each.gap is not None else "same task"
    label = element("code", escape(one_line(each.label)))
    return element(
        "tr",
        element("th", label, scope="row", title=one_line(name_pair(each))),
        element("td", there, data_label=where) if where else "",
        element("td", str(each.seeds), data_label="seeds"),
        *(_cell(each, column) for column in shown),
    )


def _cell(each: PairFinding, column: Column) -> str:
    interval: Interval | None = getattr(each, column.measure)
    if interval is None:
        return element("td", "–", data_label=column.heading, class_="none")
    value = f"{interval.value:.{column.digits}f}" if column.digits > 1 else number(interval.value)
    ends = ends_of(interval, each.seeds, are_alike(each, column.measure))
    if column.digits > 1 and all(map(math.isfinite, interval[1:])):
        ends = f"[{', '.join(f'{end:.{column.digits}f}' for end in interval[1:])}]"
    shown = element("span", escape(true_minus(ends)), class_="ends")
    return element("td", element("b", escape(true_minus(value))), " ", shown, data_label=column.heading)


def _reproduce(experiment: Experiment) -> str:
    seeds = experiment.seeds
    return reproduction(
        experiment,
        ("Seeds", f"{len(seeds)}: {list_seeds(seeds)}" if seeds else ""),
        ("Budget", budget_text(experiment)),
    )
