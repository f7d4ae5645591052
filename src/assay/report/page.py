"""The report as one page: whole by itself, no network, no script; light and dark; from a phone to a desk."""

from __future__ import annotations

import math
from html import escape

from assay.analysis.exam import AxisFinding, Exam, LevelFinding
from assay.report import doses, learning
from assay.report.attribution import LABELS, MEANS, cautions
from assay.report.frame import (
    caution_paragraphs,
    facts,
    frame_page,
    legend,
    panel_grid,
    plain_table,
    prose,
    reproduction,
)
from assay.report.method import method
from assay.report.profile import profile
from assay.report.shift_page import shift_section
from assay.report.shift_text import TITLE as SHIFT_TITLE
from assay.report.svg import css_class, element, mark
from assay.report.tail_table import MEANS as TAILS_MEAN
from assay.report.tail_table import tail_tables
from assay.report.text import (
    ARMS,
    HOLDS_LABEL,
    NOTE,
    by_loss,
    date_text,
    describe_level,
    describe_whose,
    doubts,
    findings_of,
    losses,
    number,
    one_line,
    percent,
    percent_bounds,
    question_of,
    setting,
    shorten,
    standing,
    true_minus,
    verdict_in_short,
    word_of,
)
from assay.stats.verdict import CANNOT_TELL, HOLDS

MOST_CURVES = 9  # panels of learning curves in sight; the rest unfold
MOST_LOSSES = 12  # in the verdict on top; the profile has all


def page(exam: Exam) -> str:
    """The whole of `report.html`."""
    sections = [
        ("profile", "Axis profile", _profile(exam)),
        ("doses", "Dose curves", _doses(exam)),
        ("learning", "Learning curves", _learning(exam)),
        ("levels", "Every level", _levels(exam)),
        ("risk", "Risk", _risk(exam)),
        ("shift", SHIFT_TITLE, shift_section(exam)),
        ("method", "Method", _method(exam)),
        ("not-asked", "Not asked", _not_asked(exam)),
        ("reproduce", "Reproduce", reproduction(exam)),
    ]
    verdict = element("section", element("h2", "Verdict", class_="unseen"), _verdict(exam), class_="verdict")
    return frame_page(f"{exam.agent} on {exam.task}", _top(exam), verdict, sections, exam.fingerprint)


def _top(exam: Exam) -> str:
    made = f" · {date_text(exam)}" if date_text(exam) else ""
    plain, _, rest = verdict_in_short(exam).partition(". ")
    return element(
        "header",
        element("p", f"Examination{made}", class_="kicker"),
        element("p", element("b", escape(one_line(exam.agent))), " on ",
                element("b", escape(one_line(exam.task))), class_="subject"),
        element("h1", element("span", f"{escape(plain)}. "), element("span", escape(rest))),
        element("p", prose(f"{standing(exam)} {setting(exam)}"), class_="lede"),
        caution_paragraphs(cautions(exam)),
        caution_paragraphs(exam.uncovered),
    )  # fmt: skip


def _verdict(exam: Exam) -> str:
    groups = []
    means = {LABELS[group]: said for group, said in MEANS.items()}
    for label, findings in losses(exam):
        lost = [_loss(finding) for finding in findings]
        if len(lost) > MOST_LOSSES:
            rest = f"and {len(lost) - MOST_LOSSES} more in the profile"
            lost[MOST_LOSSES:] = [element("li", element("a", rest, href="#profile"))]
        note = element("p", escape(means[label]), class_="means") if label in means else ""
        groups.append((label, "breaks", note + element("ul", *lost, class_="losses")))
    for arm in ARMS:
        held = [_held(finding) for finding in findings_of(exam, HOLDS, arm)]
        if held:
            groups.append((HOLDS_LABEL[arm], "holds", element("p", ", ".join(held))))
    told = [
        element(
            "li",
            ", ".join(element("code", escape(each)) for each in names),
            ": " if names else "",
            prose(why),
        )
        for names, why in doubts(exam)
    ]
    if told:
        groups.append(("cannot tell", "doubt", element("ul", *told)))
    axes = [axis for left_out in exam.not_asked for axis in left_out.axes]
    if axes:
        shown = ", ".join(element("code", escape(shorten(axis, 40))) for axis in axes[:8])
        more = f" and {len(axes) - 8} more" if len(axes) > 8 else ""
        groups.append(
            ("not asked", "quiet", element("p", shown, more, " ", element("a", "why", href="#not-asked")))
        )
    if exam.failed:
        failed = (element("li", prose(failure)) for failure in exam.failed)
        groups.append(("failed", "failed", element("ul", *failed)))
    rows = (
        element(
            "div",
            element("dt", _key(class_), escape(label[0].upper() + label[1:])),
            element("dd", body),
            class_=f"group {class_}",
        )
        for label, class_, body in groups
    )
    return element("dl", *rows)


def _key(class_: str) -> str:
    """The mark that stands for a verdict in every plot of the page."""
    if class_ not in ("breaks", "holds", "doubt"):
        return ""
    word = CANNOT_TELL if class_ == "doubt" else class_
    return element("svg", mark(word, 7.0, 7.0), width=14, height=14, class_="key", aria_hidden="true")


def _loss(finding: AxisFinding) -> str:
    note = describe_whose(finding.whose) or NOTE[finding.arm]
    effect = finding.effect
    shown = [element("b", escape(true_minus(percent(effect).partition(" [")[0])))]
    if not math.isnan(effect.value):
        shown.append(element("span", escape(true_minus(percent_bounds(effect))), class_="ends"))
    return element(
        "li",
        element("span", _axis(finding.axis), " ",
                element("span", escape(true_minus(describe_level(finding))), class_="where",
                        title=describe_level(finding, whole=True)),
                class_="name"),
        element("span", " ".join(shown), class_="value"),
        element("span", escape(note), class_="whose"),
    )  # fmt: skip


def _held(finding: AxisFinding) -> str:
    at = element(
        "span",
        escape(true_minus(describe_level(finding))),
        class_="where",
        title=describe_level(finding, whole=True),
    )
    # A name and its level stay on one line, unless the name alone fills one.
    return element("span", _axis(finding.axis), "&nbsp;", at, class_="held")


def _profile(exam: Exam) -> str:
    if not exam.findings:
        return ""
    keys = [
        (_key("breaks"), "breaks"),
        (_key("holds"), "holds"),
        (_key("doubt"), "cannot tell"),
        ('<i class="swatch band"></i>', f"a loss within the margin of {100 * exam.margin:g}%"),
    ]
    return (
        element("p", "The effect at the level from which an axis breaks, up to which it holds, or at "
                "the strongest one where that cannot be told. 0 is plain play, −100% is random play.",
                class_="intro")
        + legend(keys)
        + profile(exam)
    )  # fmt: skip


def _doses(exam: Exam) -> str:
    panels = doses.panels(exam)
    if not panels:
        return ""
    keys = [
        ('<i class="swatch line plain-line"></i>', "plain"),
        ('<i class="swatch line margin-line"></i>', "margin"),
        ('<i class="swatch line random-line"></i>', "random play"),
        ('<i class="swatch ribbon"></i>', "interval"),
        ('<i class="swatch line break-line"></i>', "breaks from here"),
    ]
    if exam.headline.optimum is not None:
        keys.insert(3, ('<i class="swatch line optimum-line"></i>', "optimum"))
    grids = (
        (element("h3", escape(question_of(exam, arm))) if len({which for which, _ in panels}) > 1 else "")
        + element("div", *(panel for which, panel in panels if which == arm), class_="grid-of-panels")
        for arm in ARMS
        if any(which == arm for which, _ in panels)
    )
    intro = element("p", "The score at each level that was tried, evenly spaced from weak to strong; each "
                    "mark says what its level by itself shows. Single levels without an order are in the "
                    "profile and the table.", class_="intro")  # fmt: skip
    return intro + legend(keys) + "".join(grids)


def _learning(exam: Exam) -> str:
    panels = learning.panels(exam.curves)
    if not panels:
        return ""
    intro = element("p", "The mean episode score over steps of training, one line per seed, in the reward "
                    "it was trained on; each panel has its own scale.", class_="intro")  # fmt: skip
    return intro + panel_grid(panels, MOST_CURVES)


def _levels(exam: Exam) -> str:
    heads = ("level", "effect", "interval", "score", "random", "optimum")
    tables = []
    for arm in ARMS:
        findings = sorted((each for each in exam.findings if each.arm == arm and each.levels), key=by_loss)
        bodies = [
            element(
                "tbody",
                element("tr", element("th", _axis(finding.axis), " ",
                                      element("span", escape(_said(finding)),
                                              class_=f"said {css_class(finding.word)}"),
                                      colspan=len(heads), scope="rowgroup"), class_="axis"),
                *(_level(level, exam.margin) for level in finding.levels),
            )
            for finding in findings
        ]  # fmt: skip
        if bodies:
            head = element("thead", element("tr", *(element("th", each, scope="col") for each in heads)))
            tables.append(element("table", element("caption", escape(question_of(exam, arm))), head, *bodies))
    return "".join(tables)


def _said(finding: AxisFinding) -> str:
    return true_minus(f"{finding.word} {describe_level(finding)}".strip())


def _level(level: LevelFinding, margin: float) -> str:
    value = "–" if math.isnan(level.effect.value) else percent(level.effect).partition(" [")[0]
    ends = "–" if math.isnan(level.effect.value) else percent_bounds(level.effect)
    cells = [
        ("effect", value, f"effect {css_class(word_of(level.effect, margin))}"),
        ("interval", ends, "interval"),
        ("score", number(level.score), None),
        ("random", "–" if level.random is None else number(level.random), None),
        ("optimum", "–" if level.optimum is None else number(level.optimum), None),
    ]
    return element(
        "tr",
        element("th", escape(true_minus(shorten(level.level, 24))), scope="row", title=one_line(level.task)),
        *(
            element(
                "td", escape(true_minus(text)), class_="none" if text == "–" else class_, data_label=label
            )
            for label, text, class_ in cells
        ),
    )


def _risk(exam: Exam) -> str:
    if not exam.tails:
        return ""
    intro = element("p", escape(TAILS_MEAN), class_="intro")
    drawn = "".join(map(plain_table, tail_tables(exam.tails)))
    return intro + element("details", element("summary", f"{len(exam.tails)} tasks"), drawn)


def _method(exam: Exam) -> str:
    return facts(method(exam))


def _not_asked(exam: Exam) -> str:
    rows = (
        element(
            "div", element("dt", ", ".join(map(_axis, left_out.axes))), element("dd", prose(left_out.why))
        )
        for left_out in exam.not_asked
    )
    return element("dl", *rows, class_="facts wide") if exam.not_asked else ""


def _axis(axis: str) -> str:
    return element("code", escape(one_line(axis)))
