"""The section of a report on induced-policy shift: a table, and the states where the choice changes most."""

from __future__ import annotations

from html import escape

from assay.analysis.exam import Exam
from assay.analysis.shift import Moment, Shift
from assay.report.frame import caution_paragraphs, legend, prose
from assay.report.shift_text import (
    HEADINGS,
    INTRO,
    STATE_HEADINGS,
    STATES_SHOWN,
    action_bars,
    name_moment,
    say_facts,
    say_moment,
    say_stale,
    state_rows,
    table_rows,
)
from assay.report.svg import element, picture
from assay.report.text import one_line, shorten, true_minus

ROW, TRACK, RIGHT = 22.0, 132.0, 30.0  # of the bars, in pixels
LETTER, MOST_LETTERS = 6.6, 20  # of the names of actions


def shift_section(exam: Exam) -> str:
    """The section of an exam's page; empty where no shift was measured."""
    if exam.shift is None:
        return caution_paragraphs([say_stale(exam.no_shift)]) if exam.no_shift else ""
    return shift_body(exam.shift)


def shift_body(shift: Shift) -> str:
    notes = element("ul", *(element("li", prose(f"{each}.")) for each in say_facts(shift)), class_="notes")
    return element("p", INTRO, class_="intro") + _table(shift) + notes + _moments(shift)


def _table(shift: Shift) -> str:
    head = element("thead", element("tr", *(element("th", each, scope="col") for each in HEADINGS)))
    rows = [
        element(
            "tr",
            element("th", element("code", escape(one_line(row.axis))), scope="row"),
            element("td", escape(true_minus(shorten(row.level, 24))), data_label="level", title=row.level),
            *(_estimate(text, label) for text, label in zip(row.estimates, HEADINGS[2:])),
        )
        for row in table_rows(shift)
    ]
    return element("table", head, element("tbody", *rows), class_="measures shift")


def _estimate(text: str, label: str) -> str:
    value, _, ends = true_minus(text).partition(" ")
    inner = element("b", escape(value)) + " " + element("span", escape(ends), class_="ends")
    return element("td", inner, data_label=label)


def _moments(shift: Shift) -> str:
    if not shift.moments:
        return element("p", "In none of these states does an axis change a choice.", class_="intro")
    title = element("h3", "Where the choice changes most") + element("p", STATES_SHOWN, class_="intro")
    if not shift.pictures:
        head = element("thead", element("tr", *(element("th", each, scope="col") for each in STATE_HEADINGS)))
        rows = (
            element("tr", *(element("td", escape(cell), data_label=label)
                            for cell, label in zip(row, STATE_HEADINGS)))
            for row in state_rows(shift)
        )  # fmt: skip
        return title + element("table", head, element("tbody", *rows), class_="shift")
    keys = [(f'<i class="swatch chance {side}"></i>', side) for side in ("plain", "varied")]
    figures = (_figure(shift, moment) for moment in shift.moments)
    return title + legend(keys) + element("div", *figures, class_="moments")


def _figure(shift: Shift, moment: Moment) -> str:
    said = f"{say_moment(moment)}; total variation {moment.distance:.2f}"
    return element(
        "figure",
        element("figcaption", element("code", escape(name_moment(moment))), " ",
                element("span", escape(said), class_="where")),
        element("div", _image(moment.plain_seen, "plain"), _bars(shift, moment),
                _image(moment.varied_seen, f"varied: {name_moment(moment)}"), class_="sides"),
        class_="moment",
    )  # fmt: skip


def _image(data: str, says: str) -> str:
    return f'<img src="data:image/png;base64,{escape(data)}" alt="{escape(says)}" class="seen">'


def _bars(shift: Shift, moment: Moment) -> str:
    """Two bars for each action, plain above varied."""
    bars = action_bars(shift, moment)
    names = [shorten(bar.name, MOST_LETTERS) for bar in bars]
    start = LETTER * max(map(len, names)) + 6
    drawn = []
    for number, (name, bar) in enumerate(zip(names, bars)):
        top = number * ROW
        drawn.append(element("text", escape(name), x=start - 6, y=top + ROW / 2 + 4, text_anchor="end"))
        for chance, class_, down in ((bar.plain, "plain", 3.0), (bar.varied, "varied", 11.0)):
            if chance >= 0.005:
                end = start + chance * TRACK
                drawn.append(element("rect", x=start, y=top + down, width=end - start, height=7.0,
                                     class_=f"chance {class_}"))  # fmt: skip
                drawn.append(element("text", f"{chance:.0%}", x=end + 4, y=top + down + 6.5, class_="share"))
    foot = ROW * len(bars)
    drawn.append(element("line", x1=start, x2=start, y1=0, y2=foot, class_="track"))
    says = f"probabilities of actions, plain and varied, {name_moment(moment)}"
    return picture(start + TRACK + RIGHT, foot, says, *drawn, class_="chances")
