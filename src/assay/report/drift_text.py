"""Drift in words and in the rows of a table, for the screen, Markdown, CSV and the page."""

from __future__ import annotations

import csv
import io
import json
import math

from assay.analysis.drift import FEWEST_AGENTS, SEED, WINDOWS, Drift, DriftFinding
from assay.analysis.finite_json import strict
from assay.report.markdown import code, escape, markdown_table, prose
from assay.report.text import count, number
from assay.stats.aggregate import Interval
from assay.stats.drift import ALLOWANCE, TimeEstimate

HEADINGS = (
    "drift after", "level before", "drop depth", "share of the level", "recovery", "area lost",
    "detection delay",
)  # fmt: skip
CARRIED = ("over before it", "depth of its own")  # headings where an earlier drift ended episodes
AFTER = "area after it went off"  # heading where one goes off
MOST_NAMED = 4  # falls in the headline
COLUMNS = ("level", "depth", "depth_share", "recovery", "area", "detection")  # of the CSV, with their ends


def title(drift: Drift) -> str:
    return f"{drift.agent} through the drift of {drift.question.task}"


def headings(drift: Drift) -> tuple[str, ...]:
    after = (AFTER,) if any(each.off for each in drift.findings) else ()
    carried = CARRIED if any(each.carried for each in drift.findings) else ()
    return (*HEADINGS, *after, *carried)


def table_rows(drift: Drift) -> list[tuple[str, ...]]:
    """A row per drift."""
    heads = headings(drift)
    return [
        (
            f"{each.at:,} {drift.question.counted}{say_what(each, drift)}",
            with_ends(each.level),
            with_ends(each.depth),
            "not told from 0 before"
            if each.depth_share is None
            else with_ends(each.depth_share, percent=True),
            time_text(each.recovery, each, drift),
            with_ends(each.area),
            "too few units" if each.detection is None else time_text(each.detection, each, drift),
            *((say_lost_after(each),) if AFTER in heads else ()),
            *(carried_texts(each) if CARRIED[0] in heads else ()),
        )
        for each in drift.findings
    ]


def say_what(finding: DriftFinding, drift: Drift) -> str:
    """` (gust=0.3)`: what came on, where the drifts of a report are to several concepts."""
    return f" ({finding.what})" if drift.concepts else ""


def with_ends(interval: Interval, percent: bool = False) -> str:
    """`0.77 [0.70, 0.84]`."""
    if math.isinf(interval.low) and math.isinf(interval.high):
        return f"{in_form(interval.value, percent)} [no interval]"
    low, high = (in_form(end, percent) for end in (interval.low, interval.high))
    return f"{in_form(interval.value, percent)} [{low}, {high}]"


def in_form(value: float, percent: bool) -> str:
    return f"{value:.0%}" if percent and math.isfinite(value) else number(value + 0.0)


def time_text(time: TimeEstimate, finding: DriftFinding, drift: Drift) -> str:
    """`12 [4, 20]`, or `not within 50 steps [20, not within 50]`: what did not come has no number."""
    watched = finding.until - finding.at
    beyond = f"not within {watched:,}"
    low, high = (beyond if end is None else f"{end:,}" for end in (time.low, time.high))
    if time.value is None:
        ends = "" if time.low is None else f" [{low}, {high}]"
        return f"{beyond} {drift.question.counted}{ends}"
    return f"{count(time.value, drift.question.counted[:-1])} [{low}, {high}]"


def say_lost_after(finding: DriftFinding) -> str:
    return "stayed on" if finding.lost_after is None else with_ends(finding.lost_after)


def carried_texts(finding: DriftFinding) -> tuple[str, str]:
    """`19 of 20 episodes` and `0.02 [-0.05, 0.10]`."""
    over = f"{finding.carried} of {count(finding.lasting or 0, 'episode')}" if finding.carried else "none"
    return over, with_ends(finding.own)


def say_units(drift: Drift) -> str:
    """`10 trained agents`, `40 episodes of one trained agent` or `20 episodes`."""
    if drift.unit == SEED:
        return count(drift.units, "trained agent")
    return f"{count(drift.units, drift.unit)}{' of one trained agent' if drift.trained else ''}"


def say_result(drift: Drift) -> str:
    """All drifts in one sentence; one alone with its recovery."""
    if drift.too_few:
        return say_each_agent(drift)
    if len(drift.findings) > 1:
        return say_several(drift)
    first, counted = drift.findings[0], drift.question.counted
    if not first.fall:
        over = "" if first.own_depth is None else say_carried(drift)
        return (
            f"No fall is told from chance over {say_units(drift)}: the largest is "
            f"{with_ends(first.own)}{over}."
        )
    scores, learning = whose_scores(drift).capitalize(), drift.question.learning
    fell = f"{scores} fall by {with_ends(first.own)}"
    if learning:  # the control goes on learning, so that the distance may exceed what there was to lose
        fell = f"{scores} lie {with_ends(first.own)} below the control that went on learning"
    if first.depth_share is not None and first.own_depth is None:
        fell += f", {'by ' * learning}{first.depth_share.value:.0%} of the level before"
    watched = f"{first.until - first.at:,} {counted}{' that it lasts' if first.off else ''}"
    if first.recovery.value == 0:  # no window lies below by more than the margin
        if first.recovery.high == 0:
            return f"{fell}, and are never more than the margin of {number(first.margin)} below the control."
        return (
            f"{fell}; the mean is never more than the margin of {number(first.margin)} below the control, "
            "which is not told from chance."
        )
    if first.recovery.value is None:
        return f"{fell}, and are not back within {'the ' if first.off else ''}{watched}."
    if first.recovery.high is None:
        return (
            f"{fell}; they seem back after {first.recovery.value:,} {counted}, which is not told from chance."
        )
    return f"{fell}, and are back after {first.recovery.value:,} {counted}."


def say_several(drift: Drift) -> str:
    """How many drifts have a fall of their own that is told from chance, and which."""
    many, falls, counted = len(drift.findings), drift.falls, drift.question.counted
    over = say_carried(drift)
    if not falls:
        largest = max(drift.findings, key=lambda each: each.own.value)
        return (
            f"None of {many} drifts has a fall of its own that is told from chance over "
            f"{say_units(drift)}: the largest is {with_ends(largest.own)}, after "
            f"{largest.at:,} {counted}{say_what(largest, drift)}{over}."
        )
    named = sorted(falls, key=lambda each: -each.own.value)[:MOST_NAMED]
    told = ", ".join(
        f"by {with_ends(each.own)} after {each.at:,}{say_what(each, drift)}"
        for each in sorted(named, key=when)
    )
    scores = whose_scores(drift)
    first = f"{scores} fall" if len(named) == len(falls) else f"the largest falls of {scores} are"
    if len(falls) == 1:
        return (
            f"One of {many} drifts has a fall that is told from chance: {scores} fall {told} {counted}{over}."
        )
    return (
        f"{len(falls)} of {many} drifts have falls that are told from chance: {first} {told} {counted}{over}."
    )


def whose_scores(drift: Drift) -> str:
    """`scores`, or whose they are where one trained agent is all that was seen."""
    return "scores of this one trained agent" if drift.one_trained else "scores"


def say_each_agent(drift: Drift) -> str:
    """Without a verdict on agents in general: by how much each agent fell, drift by drift."""
    counted = drift.question.counted
    one = drift.units == 1
    whose = "its" if one else "their"
    told = [
        f"{whose} scores fall by {', '.join(number(fell + 0.0) for fell in each.of_units)} after {each.at:,} "
        f"{counted}{say_what(each, drift)}"
        for each in drift.findings[:MOST_NAMED]
    ]
    more = len(drift.findings) - MOST_NAMED
    rest = f"; {more} more drifts are in the table" if more > 0 else ""
    return (
        f"{count(drift.units, 'trained agent')} {'is' if one else 'are'} too few to speak of others "
        f"({FEWEST_AGENTS} at least): {'; '.join(told)}{rest}."
    )


def when(finding: DriftFinding) -> int:
    return finding.at


def say_carried(drift: Drift) -> str:
    """A clause on drifts before which episodes were over already; "" where there are none."""
    places = [f"{each.at:,}" for each in drift.findings if each.carried and not each.fall]
    if not places:
        return ""
    return f"; losses of episodes that had ended before {', '.join(places)} are not counted as falls there"


def say_facts(drift: Drift) -> list[str]:
    """All that a reader of the table has to know, a sentence each, without its full stop."""
    question, first = drift.question, drift.findings[0]
    unit = "agent" if drift.unit == SEED else drift.unit
    scores = (
        "mean scores of the episodes that ended during the training"
        if question.learning
        else "scores of single steps; an episode that has ended pays nothing more"
    )
    facts = [
        f"Curves are {scores}, in windows of {drift.window:,} {question.counted}{say_window(drift)} laid "
        f"from the drift on, over {say_units(drift)}",
        f"Verdicts and intervals hold for {drift.holds_for}",
        f"The control is `{question.control}` with the same seeds; "
        + (
            "up to the drift both have the same scores"
            if drift.same_before
            else "the two differ already before the drift, so that not all of the loss is the drift's"
        ),
        "Drop depth is the largest difference between control and drifted windows, its share is of the "
        "control's level just before (its ends allow for both, so that they may lie above 100%); an interval "
        "that reaches 0 shows no fall",
        f"Recovery is the time from which on no window lies more than {number(first.margin)} "
        f"({question.margin:.0%} of the control's mean) below the control; one that did not come while it "
        "was watched has no number",
        f"Area lost is the sum of the differences over all {question.counted} until the variation goes off, "
        f"the next drift or the end{say_area_unit(drift)}",
        f"{say_coverage(drift)} intervals are over {say_units(drift)}; those of depth and recovery hold for "
        f"all windows at once{say_sharing(drift)}",
    ]
    ended = [f"{each.until:,}" for each in drift.findings if each.off]
    if ended:
        facts.append(
            f"The variation goes off after {', '.join(ended)} {question.counted}: a drift is judged up to "
            "there, and what scores do afterwards is no recovery, since the world is as it was; what is "
            "still lost then stands in a column of its own"
        )
    short = [f"{each.at:,}" for each in drift.findings if each.until - each.at < drift.window]
    if short:
        facts.append(
            f"After {', '.join(short)} {question.counted} less than a window is left until it goes off, "
            "the next drift or the end: all of it is one window"
        )
    if any(each.carried for each in drift.findings):
        facts.append(
            "Episodes that were over before a drift, while their controls went on, lose all of what their "
            "controls score after it; the depth of its own counts them as no loss, and decides whether the "
            "drift has a fall"
        )
    if first.detection is not None and first.false_alarms is not None and first.told is not None:
        facts.append(
            f"Detection delay is the median time until a CUSUM of one {unit}'s scores (allowance "
            f"{ALLOWANCE} standard deviations, calibrated on the controls) raises an alarm, which it does "
            f"without a drift in {first.false_alarms:.1%} of cases; after the first drift it did in "
            f"{first.told:.0%} of {unit}s"
        )
    if drift.reached is not None and drift.reached < 1:
        facts.append(
            f"{drift.reached:.0%} of the control's episodes last until the first drift; the others "
            "cannot lose by it"
        )
    if question.lanes > 1:
        facts.append(
            f"The agent plays {question.lanes} copies of the env at once, each with a life of its own, so "
            f"that steps here are those of the schedule times {question.lanes}"
        )
    return facts


def say_window(drift: Drift) -> str:
    """Why windows are as long as they are, where nobody asked for that."""
    question, after = drift.question, drift.points[-1].end - drift.findings[0].at if drift.points else 0
    if question.learning and drift.window == drift.least_window and after < WINDOWS * drift.window:
        return " (the training reports its scores so far apart)"
    return "" if question.window else " (a tenth of the time after the first drift)"


def say_area_unit(drift: Drift) -> str:
    """What an area is counted in."""
    if not drift.question.learning:
        return ", in units of the score"
    counted = drift.question.counted
    return (
        f", in units of an episode's score times {counted}: divided by the {counted} it lasts, it is the "
        "mean loss of an episode"
    )


def say_coverage(drift: Drift) -> str:
    return f"{100 * drift.coverage:.4g}%"


def say_sharing(drift: Drift) -> str:
    """How several drifts share the error, so that the headline may speak of them all."""
    many = len(drift.findings)
    return f", and the {many} drifts share an error of 5% (Bonferroni)" if many > 1 else ""


def drift_markdown(drift: Drift) -> str:
    """The whole of `drift.md`."""
    heads = ("after", "drifted", "ends", "control", "ends")
    points = [
        (f"{each.time:,.0f}", number(each.drifted.value), ends_of(each.drifted), number(each.control.value),
         ends_of(each.control)) for each in drift.points
    ]  # fmt: skip
    parts = [
        f"# {escape(title(drift))}",
        f"**{escape(say_result(drift))}**",
        f"Control: {code(drift.question.control)}",
        markdown_table(headings(drift), [tuple(map(escape, row)) for row in table_rows(drift)]),
        "\n".join(f"- {prose(each)}." for each in say_facts(drift)),
        "## Curves",
        markdown_table(heads, points),
    ]
    return "\n\n".join(parts) + "\n"


def ends_of(interval: Interval) -> str:
    if math.isnan(interval.low):
        return "one unit"
    return f"[{number(interval.low)}, {number(interval.high)}]"


def drift_csv(drift: Drift) -> str:
    """A row per drift; what did not come, and an end without a bound, is an empty cell."""
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    names = [f"{name}{end}" for name in COLUMNS for end in ("", "_low", "_high")]
    writer.writerow(["agent", "task", "control", "unit", "units", "holds_for", "counts", "at", "until",
                     *names, "margin", "deepest", "told", "false_alarms",
                     "fall", "carried", "own_depth", "own_depth_low", "own_depth_high",
                     "lost_after", "lost_after_low", "lost_after_high", "what"])  # fmt: skip
    for each in drift.findings:
        cells: list[object] = []
        for name in COLUMNS:
            cells += ends_in_cells(getattr(each, name))
        about = (drift.agent, drift.question.task, drift.question.control, drift.unit, drift.units,
                 drift.holds_for)  # fmt: skip
        more = (each.margin, each.deepest, each.told, each.false_alarms, each.fall, each.carried,
                *ends_in_cells(each.own), *ends_in_cells(each.lost_after), each.what)  # fmt: skip
        writer.writerow([*about, drift.question.counted, each.at, each.until, *cells, *more])
    return held.getvalue()


def ends_in_cells(estimate: Interval | TimeEstimate | None) -> list[object]:
    record = strict(estimate) or {"value": None, "low": None, "high": None}
    return [record["value"], record["low"], record["high"]]


def drift_json(drift: Drift) -> str:
    return json.dumps(strict(drift), indent=1, allow_nan=False) + "\n"
