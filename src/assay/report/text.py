"""The words of a report: every form of it, from the terminal to the page, takes its sentences from here."""

from __future__ import annotations

import math
import re
import textwrap
import time
from collections.abc import Iterable

from assay.analysis.attribution import GROUPS, OPEN, breaks_in_group
from assay.analysis.exam import AxisFinding, Exam, Headline, LossCause
from assay.analysis.experiment import Experiment
from assay.plans.question import CARRY, LEARN, RETRAIN
from assay.report.attribution import LABELS, WHOSE_IS_OPEN, carried_clause, cautions
from assay.report.plain_words import say_blind, success_clause, trained_for
from assay.report.proofs import own_without_proof
from assay.stats.aggregate import Interval
from assay.stats.verdict import BREAKS, CANNOT_TELL, HOLDS

ARMS = (CARRY, LEARN, RETRAIN)  # in the order in which a report speaks of them
ASKED = {  # arm -> the question behind it
    CARRY: "Trained on the plain task, then frozen",  # unless the agent was given: `asked`
    LEARN: "Trained under the variation, scored by the plain reward",
    RETRAIN: "Trained and scored under the variation",
}
TOO_FEW = "[too few for an interval]"  # units that are too skewed for their number
BREAKS_LABEL = {CARRY: "breaks on", LEARN: "learns less under", RETRAIN: "retrained, loses on"}
HOLDS_LABEL = {CARRY: "holds on", LEARN: "learns under", RETRAIN: "retrained, holds on"}
NOTE = {CARRY: "", LEARN: "trained there, scored by the plain reward", RETRAIN: "trained and scored there"}
LONGEST_NAME, LONGEST_LEVEL = 36, 18  # characters; beyond, a name is shortened where space is dear


def verdict_lines(exam: Exam, width: int = 110) -> list[str]:
    """The verdict as the terminal shows it; names are shortened, lists are wrapped to `width`."""
    sentences = [f"{one_line(exam.agent)} on {one_line(exam.task)}: {headline(exam)}"]
    sentences += cautions(exam, seeds_too=False)
    lines = [
        line for each in sentences for line in textwrap.wrap(one_line(each), width, break_on_hyphens=False)
    ]
    rows: list[tuple[str, str]] = []  # label, text
    rows += _broken_rows(exam, width)
    for arm in ARMS:
        # A name and its level stay on one line: the spaces between them are taken for letters.
        held = [
            f"{name(finding)} {describe_level(finding)}".replace(" ", "\xa0")
            for finding in findings_of(exam, HOLDS, arm)
        ]
        rows += _wrapped(HOLDS_LABEL[arm], ", ".join(held), width) if held else []
    for names, reason in doubts(exam):
        rows += _wrapped("cannot tell", ": ".join(filter(None, [", ".join(names), reason])), width)
    for left_out in exam.not_asked:
        axes = ", ".join(shorten(axis, LONGEST_NAME) for axis in left_out.axes)
        rows += _wrapped("not asked", f"{axes}: {one_line(left_out.why)}", width)
    for failure in exam.failed:
        rows += _wrapped("failed", one_line(failure), width)
    for file in exam.uncovered:
        rows += _wrapped("not covered", one_line(file), width)
    if unproved := own_without_proof(exam):
        rows += _wrapped("not proved", one_line(unproved), width)
    return lines + _labelled(rows)


def question_of(exam: Exam, arm: str) -> str:
    """The question behind an arm; a given agent was not trained here."""
    return "The given agent, as it is" if arm == CARRY and exam.unit == "episode" else ASKED[arm]


def headline(exam: Exam) -> str:
    """How the agent does on the plain task: `0.97 of the optimum [0.96, 0.98] over 10 seeds`."""
    plain, over = exam.headline, f"over {count(len(exam.units), exam.unit)}"
    success = success_clause(exam)
    if plain.share is not None:
        ends = ends_in_words(plain.share, ".2f", len(exam.units), exam.unit)
        return f"{plain.share.value:.2f} of the optimum {ends} {over}{success}"
    score, ends, random = _plain_numbers(plain)
    if len(exam.units) == 1:
        ends = ends_in_words(plain.score, "", 1, exam.unit)
    return f"score {score} {ends}, random {random}, {over}{success}"


def _plain_numbers(plain: Headline) -> tuple[str, str, str]:
    """The score, its interval and the score of random play."""
    score, low, high, random = (number(value).removesuffix(".0") for value in (*plain.score, plain.random))
    return score, TOO_FEW if _boundless(plain.score) else f"[{low}, {high}]", random


def standing(exam: Exam) -> str:
    """The plain score between random play and the optimum, as a sentence."""
    score, ends, random = _plain_numbers(exam.headline)
    optimum = exam.headline.optimum
    best = "not known" if optimum is None else number(optimum).removesuffix(".0")
    success = success_clause(exam)
    plain = f"Plain score {score} {ends}{success}; random play scores {random}, the optimum is {best}."
    return " ".join(filter(None, (plain, say_blind(exam))))


def verdict_in_short(exam: Exam) -> str:
    """In one line: `0.97 of the optimum. Fails to carry over on 3 of 9 axes; learns less under 1 of 5.`"""
    share, score = exam.headline.share, exam.headline.score
    plain = number(score.value).removesuffix(".0")
    first = f"{share.value:.2f} of the optimum." if share is not None else f"Scores {plain}."
    clauses = [clause for arm in ARMS if (clause := _count_clause(exam, arm))]
    if exam.not_above and clauses:
        why = "Nothing to lose" if exam.below_random else "Not shown to be above random play"
        return f"{first} {why}, so no axis can break or hold."
    counts = "; ".join(clauses)
    if not counts:
        return f"{first} No axis {'has been played yet' if exam.unfinished else 'was asked'}."
    return f"{first} {counts[0].upper()}{counts[1:]}."


def doubts(exam: Exam) -> list[tuple[list[str], str]]:
    """What cannot be told: names with their reason; the last entry, without names, says what helps."""
    by_reason: dict[str, list[str]] = {}
    for arm in ARMS:
        for finding in findings_of(exam, CANNOT_TELL, arm):
            named = f"{name(finding)} {describe_level(finding)}".strip()
            by_reason.setdefault(one_line(finding.because), []).append(
                named if arm == CARRY else f"{named} ({NOTE[arm].split(',')[0]})"
            )
    groups = group_reasons(exam, by_reason)
    remedy = one_line(exam.power)
    if remedy and len(groups) == 1:
        return [(names, f"{reason}; {remedy}") for names, reason in groups]
    return [*groups, ([], remedy)] if remedy and groups else groups


def group_reasons(exam: Exam, by_reason: dict[str, list[str]]) -> list[tuple[list[str], str]]:
    """Names by reason; reasons that differ only in the smallest visible difference become one."""
    pattern = re.compile(rf"{len(exam.units)} {exam.unit}s see differences above (\S+?%)(.*)")
    blind = {reason: match for reason in by_reason if (match := pattern.fullmatch(reason))}
    if len(blind) < 2:
        return [(names, reason) for reason, names in by_reason.items()]
    sized = [f"{name} {match[1]}" for reason, match in blind.items() for name in by_reason[reason]]
    rest = [(names, reason) for reason, names in by_reason.items() if reason not in blind]
    why = f"{len(exam.units)} {exam.unit}s see only differences above that{next(iter(blind.values()))[2]}"
    return [*rest, (sized, why)]


def sentence(finding: AxisFinding) -> str:
    """One finding in one sentence, the whole names in it."""
    subject = f"{one_line(finding.axis)} {describe_level(finding, whole=True)}".strip()
    if finding.word == CANNOT_TELL:
        return f"cannot tell {subject}: {one_line(finding.because)}"
    label = (BREAKS_LABEL if finding.word == BREAKS else HOLDS_LABEL)[finding.arm]
    effect = f"{label} {subject}: {percent(finding.effect)}"
    note = describe_whose(finding.whose) or (NOTE[finding.arm] if finding.word == BREAKS else "")
    return f"{effect}; {note}" if note else effect


def describe_whose(whose: LossCause | None) -> str:
    """Whose loss it is: `the agent: a retrained one keeps 92%`; `perhaps` where the interval is not sure."""
    if whose is None:
        return ""
    word = whose.word if whose.sure else f"perhaps {whose.word}"
    return f"{word}: {one_line(whose.how)}" if whose.how else word


def describe_level(finding: AxisFinding, whole: bool = False) -> str:
    """The level a finding speaks of: `from 0.25`, `to 0.1`, `at 8`; `below 100` if only the side is known."""

    def short(level: str) -> str:
        return one_line(level) if whole else shorten(level, LONGEST_LEVEL)

    if not finding.ordered:
        level = finding.level or (finding.levels[0].level if finding.levels else finding.side)
        return f"at {short(level)}" if level else ""
    if not finding.level:
        return f"{finding.side} {short(finding.neutral)}" if finding.side in ("below", "above") else ""
    if finding.word == HOLDS:
        return f"to {short(finding.level)}"
    # No level beyond the strongest was tried, and "from" would promise something about those.
    strongest = finding.levels and finding.levels[-1].level == finding.level
    return f"{'at' if strongest else 'from'} {short(finding.level)}"


def name(finding: AxisFinding) -> str:
    """The axis, shortened."""
    return shorten(finding.axis, LONGEST_NAME)


def word_of(effect: Interval, margin: float) -> str:
    """The verdict on one level by itself, by the rule of `stats.dose`."""
    if effect.high < -margin:
        return BREAKS
    return HOLDS if effect.low > -margin else CANNOT_TELL


def findings_of(exam: Exam, word: str, arm: str) -> list[AxisFinding]:
    """The findings of one word in one arm, the greatest loss first."""
    chosen = [finding for finding in exam.findings if finding.word == word and finding.arm == arm]
    return sorted(chosen, key=by_loss)


def by_loss(finding: AxisFinding) -> tuple[bool, float]:
    """Sorts the greatest loss first, unknown losses last."""
    unknown = math.isnan(finding.effect.value)
    return (unknown, 0.0 if unknown else finding.effect.value)


def percent(interval: Interval) -> str:
    """`-71% [-75, -66]`; an end without a bound and an unknown effect are put in words."""
    if math.isnan(interval.value):
        return "not known"
    return f"{_signed(interval.value)}% {percent_bounds(interval)}"


def percent_bounds(interval: Interval) -> str:
    """`[-75, -66]`, in percent."""
    if _boundless(interval):
        return "[no bounds]"
    return f"[{', '.join(_signed(end) for end in interval[1:])}]"


def bounds(interval: Interval, form: str) -> str:
    """`[0.96, 0.98]`, of a mean."""
    if _boundless(interval):
        return TOO_FEW
    return f"[{', '.join(format(end, form) if math.isfinite(end) else 'no bound' for end in interval[1:])}]"


def ends_in_words(interval: Interval, form: str, units: int, unit: str = "seed", alike: bool = False) -> str:
    """`[0.96, 0.98]`; without a spread `(one seed, no interval)`, `(all 4 seeds alike, no interval)`."""
    if alike and units > 1 and _boundless(interval):
        return f"(all {units} {unit}s alike, no interval)"
    return f"(one {unit}, no interval)" if units == 1 and _boundless(interval) else bounds(interval, form)


def number(value: float | None) -> str:
    """A score to about three digits."""
    if value is None or math.isnan(value):
        return "unknown"
    if math.isinf(value):
        return "no bound"
    size = abs(value)
    if size >= 1e6 or 0 < size < 0.005:
        return f"{value:.2g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def count(many: int, what: str) -> str:
    """`1 seed`, `10 seeds`."""
    return f"{many:,} {what}{'' if many == 1 else 's'}"


def shorten(text: str, longest: int) -> str:
    """The text, cut to at most so many characters and then with an ellipsis at its end."""
    text = one_line(text)
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def one_line(text: str) -> str:
    """The text without line breaks and control characters, which would tear a line or drive a terminal."""
    text = " ".join(str(text).split())
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text
    )


def true_minus(text: str) -> str:
    """A minus sign as wide as a digit before every negative number, for where fonts are good."""
    return re.sub(r"(?<![\w.])-(?=\d)", "\N{MINUS SIGN}", text)


def setting(exam: Exam) -> str:
    """What was done, in one sentence."""
    units = count(len(exam.units), exam.unit)
    if exam.unit == "episode":
        return f"One given agent, {units} per level, the same ones on the plain task and on every level."
    return (
        f"{units} trained for {trained_for(exam)} each; {count(exam.episodes, 'episode')} of evaluation "
        f"per level and {exam.unit}, the same ones on the plain task and on every level."
    )


def cost(exam: Exam | Experiment) -> str:
    """`140 jobs, 12 min of wall time and 22 min of CPU time, summed over jobs`."""
    return (
        f"{count(exam.jobs, 'job')}, {duration(exam.wall_s)} of wall time and {duration(exam.cpu_s)} "
        f"of CPU time, summed over jobs"
    )


def duration(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "an unknown time"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def date_text(exam: Exam | Experiment) -> str:
    """The day and minute of the examination; nothing where it is not known."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(exam.created)) if exam.created > 0 else ""


def _count_clause(exam: Exam, arm: str) -> str:
    asked = {finding.axis for finding in exam.findings if finding.arm == arm}
    lost = {finding.axis for finding in findings_of(exam, BREAKS, arm)}
    if not asked:
        return ""
    doubt = {finding.axis for finding in findings_of(exam, CANNOT_TELL, arm)} - lost
    all_ = _axes(len(asked), arm)
    if lost:
        clause = carried_clause(exam, all_) if arm == CARRY else f"{BREAKS_LABEL[arm]} {len(lost)} of {all_}"
        return f"{clause}; {len(doubt)} more cannot be told" if doubt else clause
    if not doubt:
        return f"{HOLDS_LABEL[arm]} {'all ' if len(asked) > 1 else ''}{all_}"
    if doubt != asked:
        return f"{HOLDS_LABEL[arm]} {len(asked - doubt)} of {all_}; {len(doubt)} cannot be told"
    return {
        CARRY: f"whether it carries over cannot be told on {all_}",
        LEARN: f"{all_} cannot be told",
    }.get(arm, f"retrained, {all_} cannot be told")


def _axes(many: int, arm: str) -> str:
    kind = "reward " if arm == LEARN else ""
    return f"{many} {kind}{'axis' if many == 1 else 'axes'}"


def losses(exam: Exam) -> list[tuple[str, list[AxisFinding]]]:
    """The losses by label: those of frozen agents by whose they are, then those of the other arms."""
    labelled = [(LABELS[group], breaks_in_group(exam, group)) for group in GROUPS]
    labelled += [(BREAKS_LABEL[arm], findings_of(exam, BREAKS, arm)) for arm in ARMS if arm != CARRY]
    return [(label, lost) for label, lost in labelled if lost]


def _broken_rows(exam: Exam, width: int) -> list[tuple[str, str]]:
    """The losses in columns: axis, level, effect, whose; the last below the others where space is short."""
    rows = [
        (
            label,
            (
                name(each),
                describe_level(each),
                percent(each.effect),
                describe_whose(each.whose) or NOTE[each.arm],
            ),
        )
        for label, lost in losses(exam)
        for each in lost
    ]
    if not rows:
        # Where every axis is in doubt, "no axis" would sound like a finding.
        if exam.not_above or all(each.word == CANNOT_TELL for each in exam.findings):
            return []
        units = count(len(exam.units), exam.unit)
        return [("breaks on", f"no axis that was asked, as far as {units} can tell")]
    widths = [max(len(cells[column]) for _, cells in rows) for column in range(4)]
    shown = []
    for label, cells in rows:
        line = "  ".join(cell.ljust(wide) for cell, wide in zip(cells, widths)).rstrip()
        if len(line) + 18 <= width:
            shown.append((label, line))
            continue
        shown.append((label, "  ".join(cell.ljust(wide) for cell, wide in zip(cells[:3], widths)).rstrip()))
        shown += [(label, f"  {part}") for part in textwrap.wrap(cells[3], max(width - 22, 20))]
    last = max((row for row, (label, _) in enumerate(shown) if label == LABELS[OPEN]), default=None)
    if last is not None:
        shown.insert(last + 1, (LABELS[OPEN], f"({WHOSE_IS_OPEN})"))
    return shown


def _wrapped(label: str, text: str, width: int) -> list[tuple[str, str]]:
    lines = textwrap.wrap(text, width - 20, break_on_hyphens=False) or [""]
    return [(label, line.replace("\xa0", " ")) for line in lines]


def _labelled(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Rows with their labels in a column of its own, each label once."""
    rows = list(rows)
    wide = max([17, *(len(label) for label, _ in rows)]) + 1
    lines, last = [], None
    for label, text in rows:
        lines.append(f"{'' if label == last else label:<{wide}}{text}".rstrip())
        last = label
    return lines


def _boundless(interval: Interval) -> bool:
    return math.isinf(interval.low) and math.isinf(interval.high)


def _signed(share: float) -> str:
    """A share in whole percent with its sign; no sign on nil."""
    if math.isinf(share):
        return "no bound"
    if math.isnan(share):
        return "not known"
    whole = 100 * share
    if abs(whole) >= 1e6:
        return f"{whole:+.0e}".replace("e+0", "e").replace("e+", "e")
    return f"{whole:+,.0f}" if round(whole) else "0"
