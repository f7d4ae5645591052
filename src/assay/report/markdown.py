"""A report in Markdown, for a repository or an issue."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analysis.exam import Exam
from assay.analysis.experiment import Experiment
from assay.analysis.shift import Shift
from assay.report import shift_text
from assay.report import text as words
from assay.report.attribution import cautions
from assay.report.method import method
from assay.report.plain_words import say_blind
from assay.report.tail_table import MEANS as TAILS_MEAN
from assay.report.tail_table import tail_tables
from assay.report.text import one_line
from assay.stats.verdict import HOLDS


def markdown(exam: Exam) -> str:
    """The whole report as one text."""
    parts = [
        f"# {escape(exam.agent)} on {escape(exam.task)}",
        f"**{escape(words.verdict_in_short(exam))}**",
        " ".join(
            filter(
                None,
                (
                    f"{escape(words.headline(exam).capitalize())}.",
                    prose(say_blind(exam)),
                    escape(words.setting(exam)),
                ),
            )
        ),
    ]
    parts += [f"{prose(capitalise(each))}." for each in cautions(exam)]
    parts += [
        _verdict(exam),
        _profile(exam),
        _levels(exam),
        _risk(exam),
        _shift(exam),
        _method(exam),
        again(exam),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _verdict(exam: Exam) -> str:
    items = []
    for label, lost in words.losses(exam):
        for finding in lost:
            note = f" ({escape(words.describe_whose(finding.whose))})" if finding.whose else ""
            at = escape(words.describe_level(finding, whole=True))
            items.append(f"**{label}** {code(finding.axis)} {at}: {words.percent(finding.effect)}{note}")
    for arm in words.ARMS:
        held = [
            f"{code(finding.axis)} {escape(words.describe_level(finding, whole=True))}"
            for finding in words.findings_of(exam, HOLDS, arm)
        ]
        items += [f"**{words.HOLDS_LABEL[arm]}** {', '.join(held)}"] if held else []
    for names, reason in words.doubts(exam):
        items.append(
            f"**cannot tell** {': '.join(filter(None, [', '.join(map(code, names)), prose(reason)]))}"
        )
    items += [f"**not asked** {', '.join(map(code, out.axes))}: {prose(out.why)}" for out in exam.not_asked]
    items += [f"**failed** {prose(failure)}" for failure in exam.failed]
    items += [f"**not covered** {prose(sentence)}" for sentence in exam.uncovered]
    return "\n".join(f"- {item}" for item in items)


def _profile(exam: Exam) -> str:
    parts = []
    for arm in words.ARMS:
        findings = sorted((each for each in exam.findings if each.arm == arm), key=words.by_loss)
        rows = [
            (
                code(each.axis),
                each.word,
                escape(words.describe_level(each, whole=True)),
                words.percent(each.effect),
                escape(words.describe_whose(each.whose)),
                each.proof,
            )
            for each in findings
        ]
        if rows:
            parts.append(
                f"## {words.question_of(exam, arm)}\n\n"
                + markdown_table(("axis", "verdict", "level", "effect", "whose loss", "proof"), rows)
            )
    return "\n\n".join(parts)


def _levels(exam: Exam) -> str:
    heads = ("arm", "axis", "level", "effect", "interval", "score", "random", "optimum")
    rows = [
        (
            finding.arm,
            code(finding.axis),
            code(level.level),
            words.percent(level.effect).split(" [")[0],
            words.percent_bounds(level.effect),
            words.number(level.score),
            words.number(level.random),
            words.number(level.optimum),
        )
        for finding in exam.findings
        for level in finding.levels
    ]
    return f"## Every level\n\n{markdown_table(heads, rows)}" if rows else ""


def _risk(exam: Exam) -> str:
    parts = []
    for caption, heads, rows in tail_tables(exam.tails):
        shown = markdown_table(tuple(heads), [(code(row[0]), *map(escape, row[1:])) for row in rows])
        parts.append(f"## {escape(capitalise(caption))}\n\n{escape(TAILS_MEAN)}\n\n{shown}")
    return "\n\n".join(parts)


def _shift(exam: Exam) -> str:
    if exam.shift is not None:
        return f"## {shift_text.TITLE}\n\n{shift_markdown(exam.shift)}"
    return f"## {shift_text.TITLE}\n\n{prose(shift_text.say_stale(exam.no_shift))}." if exam.no_shift else ""


def shift_markdown(shift: Shift) -> str:
    """The table of induced-policy shift, its sizes, and the states where the choice changes most."""
    rows = [(code(row.axis), code(row.level), *row.estimates) for row in shift_text.table_rows(shift)]
    facts = "\n".join(f"- {escape(fact)}." for fact in shift_text.say_facts(shift))
    parts = [escape(shift_text.INTRO), markdown_table(shift_text.HEADINGS, rows), facts]
    if shift.moments:
        left_out = shift_text.SEEN if shift.pictures else ()
        heads, *states = (
            tuple(escape(cell) for i, cell in enumerate(row) if i not in left_out)
            for row in (shift_text.STATE_HEADINGS, *shift_text.state_rows(shift))
        )
        title = "### Where the choice changes most"
        parts += [title, escape(shift_text.STATES_SHOWN), markdown_table(heads, states)]
    return "\n\n".join(parts)


def _method(exam: Exam) -> str:
    return "## Method\n\n" + "\n".join(f"- **{term}.** {escape(meaning)}" for term, meaning in method(exam))


def again(made: Exam | Experiment, *more: tuple[str, str]) -> str:
    """The section that says how a run was made, with `more` facts in its middle."""
    facts = [
        ("command", code(made.command)),
        ("folder", code(made.folder)),
        ("made", words.date_text(made)),
        *more,
        ("cost", words.cost(made)),
        ("source", code(made.source_digest)),
        ("analysis", code(made.analysis_digest)),
        ("fingerprint", code(made.fingerprint)),
        ("versions", escape(", ".join(f"{key} {value}" for key, value in made.versions.items()))),
        ("settings", escape(", ".join(f"{key}={value}" for key, value in made.config.items()))),
    ]
    return "## Again\n\n" + "\n".join(f"- {term}: {text}" for term, text in facts if text)


def markdown_table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def code(text: str) -> str:
    """A code span; a backtick inside would end it, a bar would end the cell of a table."""
    return f"`{one_line(text).replace('`', 'ˋ').replace('|', '¦')}`" if one_line(text) else ""


def prose(text: str) -> str:
    """Text in which `this` stays code and nothing else is markup."""
    pieces = one_line(text).split("`")
    if len(pieces) % 2 == 0:  # a backtick without its partner
        return escape(text)
    return "".join(code(piece) if number % 2 else _signs(piece) for number, piece in enumerate(pieces))


def capitalise(text: str) -> str:
    """The text with a capital at its beginning and the rest as it is."""
    return text[:1].upper() + text[1:]


def escape(text: str) -> str:
    """Text in which nothing is read as markup."""
    return _signs(one_line(text))


def _signs(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    for sign in "|*_`[]#":
        text = text.replace(sign, "\\" + sign)
    return text
