"""A report in Markdown, for a repository or an issue."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analysis.exam import Exam
from assay.report.attribution import cautions
from assay.report.method import method
from assay.report.text import (
    ARMS,
    HOLDS_LABEL,
    by_loss,
    cost,
    doubts,
    headline,
    losses,
    number,
    of,
    one_line,
    percent,
    percent_bounds,
    question_of,
    setting,
    verdict_in_short,
    when,
    where,
    whose,
)
from assay.stats.verdict import HOLDS


def markdown(exam: Exam) -> str:
    """The whole report as one text."""
    parts = [
        f"# {escape(exam.agent)} on {escape(exam.task)}",
        f"**{escape(verdict_in_short(exam))}**",
        f"{escape(headline(exam).capitalize())}. {escape(setting(exam))}",
    ]
    parts += [f"{prose(each[0].upper() + each[1:])}." for each in cautions(exam)]
    parts += [_verdict(exam), _profile(exam), _levels(exam), _method(exam), _again(exam)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _verdict(exam: Exam) -> str:
    items = []
    for label, lost in losses(exam):
        for finding in lost:
            note = f" ({escape(whose(finding.whose))})" if finding.whose else ""
            at = escape(where(finding, whole=True))
            items.append(f"**{label}** {code(finding.axis)} {at}: {percent(finding.effect)}{note}")
    for arm in ARMS:
        held = [f"{code(found.axis)} {escape(where(found, whole=True))}" for found in of(exam, HOLDS, arm)]
        items += [f"**{HOLDS_LABEL[arm]}** {', '.join(held)}"] if held else []
    for names, reason in doubts(exam):
        items.append(
            f"**cannot tell** {': '.join(filter(None, [', '.join(map(code, names)), prose(reason)]))}"
        )
    items += [f"**not asked** {', '.join(map(code, out.axes))}: {prose(out.why)}" for out in exam.not_asked]
    items += [f"**failed** {prose(failure)}" for failure in exam.failed]
    items += [f"**not covered** {prose(sentence)}" for sentence in exam.uncovered]
    return "\n".join(f"- {item}" for item in items)


def _profile(exam: Exam) -> str:
    parts = []
    for arm in ARMS:
        found = sorted((each for each in exam.findings if each.arm == arm), key=by_loss)
        rows = [
            (
                code(each.axis),
                each.word,
                escape(where(each, whole=True)),
                percent(each.effect),
                escape(whose(each.whose)),
                each.proof,
            )
            for each in found
        ]
        if rows:
            parts.append(
                f"## {question_of(exam, arm)}\n\n"
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
            percent(level.effect).split(" [")[0],
            percent_bounds(level.effect),
            number(level.score),
            number(level.random),
            number(level.optimum),
        )
        for finding in exam.findings
        for level in finding.levels
    ]
    return f"## Every level\n\n{markdown_table(heads, rows)}" if rows else ""


def _method(exam: Exam) -> str:
    return "## Method\n\n" + "\n".join(f"- **{term}.** {escape(said)}" for term, said in method(exam))


def _again(exam: Exam) -> str:
    facts = [
        ("command", code(exam.command) if exam.command else ""),
        ("folder", code(exam.folder) if exam.folder else ""),
        ("made", when(exam)),
        ("cost", cost(exam)),
        ("source", code(exam.source_digest) if exam.source_digest else ""),
        ("analysis", code(exam.analysis_digest) if exam.analysis_digest else ""),
        ("fingerprint", code(exam.fingerprint) if exam.fingerprint else ""),
        ("versions", escape(", ".join(f"{key} {value}" for key, value in exam.versions.items()))),
        ("settings", escape(", ".join(f"{key}={value}" for key, value in exam.config.items()))),
    ]
    return "## Again\n\n" + "\n".join(f"- {term}: {said}" for term, said in facts if said)


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
    return "".join(code(piece) if place % 2 else _signs(piece) for place, piece in enumerate(pieces))


def escape(text: str) -> str:
    """Text in which nothing is read as markup."""
    return _signs(one_line(text))


def _signs(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    for sign in "|*_`[]#":
        text = text.replace(sign, "\\" + sign)
    return text
