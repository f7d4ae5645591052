"""What a report says first: whether losses are the agent's or the task's, and what limits its verdicts."""

from __future__ import annotations

import math

from assay.analysis.attribution import AGENT, GROUPS, OPEN, TASK, count_broken_axes
from assay.analysis.exam import Exam
from assay.report.proofs import failed_proofs
from assay.report.unfinished import say_unfinished
from assay.stats.unseen_share import ROOM, ROOM_BEYOND_SEEN, largest_unseen_share
from assay.stats.verdict import HOLDS

LABELS = {AGENT: "breaks on (agent)", TASK: "breaks on (task)", OPEN: "breaks on (open)"}
WHOSE_IS_OPEN = "it cannot be told whose loss that is"
MEANS = {
    AGENT: "more can be reached there, but the frozen agent does not reach it",
    TASK: "harder for any agent: this one keeps up with the best that can be reached there",
    OPEN: f"it breaks, and {WHOSE_IS_OPEN}",
}
ONE_AGENT = "one given agent: the verdicts are about it alone, not about the algorithm that made it"
NOT_AGAIN = (
    "a language model played: its answers are not reproducible, so another run may come out otherwise "
    "(answers, tokens and costs are in the folder llm of the run)"
)
NO_SERIES = (
    "each episode began anew for the language model, without its memory of earlier ones, because an exam "
    "compares single episodes (`assay run` plays series)"
)
LLM = "llm:"
MANY_CUT = 0.05  # share of plain episodes from which on a limit of steps caps the scores
COUNTED = ("", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def carried_clause(exam: Exam, asked: str) -> str:
    """`fails to carry over on 3 of 17 axes; the task is harder under 9; 2 break it, and ...`."""
    agent, task, unknown = (count_broken_axes(exam)[group] for group in GROUPS)
    clauses = []
    if agent or not unknown:
        clauses.append(f"fails to carry over on {agent or 'none'} of {asked}")
    if task:
        of_all = "" if clauses else f" of {asked}"
        clauses.append(f"the task is harder under {task}{of_all}")
    if unknown:
        of_all, joint = ("", ", and") if clauses else (f" of {asked}", ";")
        clauses.append(f"{unknown}{of_all} break{'s' if unknown == 1 else ''} it{joint} {WHOSE_IS_OPEN}")
    return "; ".join(clauses)


def cautions(exam: Exam, seeds_too: bool = True) -> list[str]:
    """The limits of everything that the report says, one sentence each."""
    units, limits = len(exam.units), say_unfinished(exam.unfinished, exam.folder)
    if exam.not_yet:
        limits.append(f"not yet played: {', '.join(exam.not_yet)}")
    limits += [f"`{axis}` breaks a law of variations, so its verdict means little"
             for axis in failed_proofs(exam)]  # fmt: skip
    if exam.unit == "episode":
        limits.append(ONE_AGENT)
    if exam.agent.startswith(LLM):
        limits += [NOT_AGAIN, NO_SERIES]
    if exam.not_above:
        begins = "nothing to lose" if exam.below_random else "too little is known"
        limits.append(f"{begins}: {exam.not_above}, so no axis can break or hold")
    if 0 < exam.distinct < units:
        noun = "episode" if exam.distinct == 1 else "episodes"
        alone = ", which has no randomness: an axis without randomness then has one unit and gets no verdict"
        distinct = f"{exam.distinct} distinct {noun} of {units} on the plain task"
        limits.append(distinct + alone * (exam.distinct == 1))
    if exam.plain_cut > MANY_CUT:
        cut = f"{exam.plain_cut:.0%} of plain episodes were cut after {exam.cut_after:,} steps"
        limits.append(f"{cut}, so scores are capped (--max-steps raises that)")
    if exam.units_to_hold > units and exam.distinct != 1:  # repeats of one episode show nothing more
        limits.append(cannot_hold(units, exam.units_to_plan, exam.most_lost))
    if exam.unit == "episode" and exam.score_range is None and any(f.word == HOLDS for f in exam.findings):
        least = f"{exam.lowest:.6g}"
        limits.append(
            f"what holds does so if no episode scores below {least}, the lowest score that was seen"
        )
    if exam.unit == "seed" and units > 1 and seeds_too:
        limits.append(unseen_failures(exam))
    return limits


def unseen_failures(exam: Exam) -> str:
    """The share of failing seeds that may go unseen under one axis, and under some of all that were asked."""
    units, axes = len(exam.units), len({finding.axis for finding in exam.findings})
    alone = one_in(largest_unseen_share(units, exam.coverage))
    says = f"{units} seeds cannot exclude that {alone} fails"
    if axes < 2:
        return says
    # One of many axes is likelier to show no failure, so each gets its part of the error.
    some = one_in(largest_unseen_share(units, 1 - (1 - exam.coverage) / axes))
    return f"{says} under an axis, nor that {some} fails under some of the {axes} axes asked"


def cannot_hold(episodes: int, needed: int, most_lost: float = 1.0) -> str:
    """That so few episodes of a given agent cannot show that an axis holds; said before and after playing.

    Both times it is the number of `units_to_plan`. Where episodes were seen to lose more than a plan leaves
    room for, the number is another one, and the sentence says why.
    """
    few = "1 episode" if episodes == 1 else f"{episodes} episodes"
    says = f"{few} cannot show that an axis holds; {needed} could (--episodes {needed})"
    if ROOM_BEYOND_SEEN * most_lost <= ROOM:
        return says
    return (
        f"{says}: more than a plan counts with, since one episode here can lose {most_lost:.1f} times what "
        "plain play is above random play"
    )


def one_in(share: float) -> str:
    """`one seed in four`: the largest such share that is not above `share`."""
    every = math.ceil(1 / share - 1e-9)
    return f"one seed in {COUNTED[every] if every < len(COUNTED) else every}"


def cuts(exam: Exam) -> list[tuple[str, str]]:
    """The share of episodes that ended at the plan's limit of steps, by axis; nothing without a limit."""
    if not exam.cut_after:
        return []
    shares = {"the plain task": exam.plain_cut} | {each.axis: each.cut for each in exam.findings}
    by_axis = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    cut = f"Episodes were cut after {exam.cut_after:,} steps, which does not count as an ending: {by_axis}."
    return [("Cut", cut)]
