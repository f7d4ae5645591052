"""From answers to verdicts: which answers of a training are wrong, and what that says of a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.battery.battery_tests import MOVED, SPREAD, Test
from assay.battery.subject import Run, Way
from assay.battery.table import Exam

PASS, FAIL, NOT_APPLICABLE, NOT_JUDGED = "pass", "FAIL", "does not apply", "not judged"


class Marked(NamedTuple):
    """One training, marked."""

    passed: bool
    right: int  # answers
    asked: int
    wrong: tuple[int, ...]  # the numbers of the questions
    spread: float = 0.0  # of its answers, where that is what is judged


class Outcome(NamedTuple):
    """What a test came to."""

    name: str
    asks: str
    part: str
    verdict: str
    evidence: str
    runs: int = 0  # trainings
    failed: int = 0  # of these
    shares: tuple[tuple[str, float], ...] = ()  # by fault: the share of the answers that it explains
    seconds: float = 0.0


def mark(test: Test, way: Way, exam: Exam, run: Run) -> Marked:
    """What of one training is right."""
    said = run.shares.mean(1)
    count = len(exam.questions)
    if test.judges == "spread":
        spread = float(run.shares.std(1).mean())
        passed = bool(np.isfinite(spread) and spread >= SPREAD[way.acts])
        return Marked(passed, count if passed else 0, count, () if passed else tuple(range(count)), spread)
    if test.judges == "detour":
        assert run.after_detour is not None, "the way of this test asks for it"
        near = np.abs(run.after_detour.mean(1) - said) < MOVED
    else:
        right = np.array([question.right for question in exam.questions])
        near = np.abs(said - right) < np.array([question.near for question in exam.questions])
    wrong = tuple(np.flatnonzero(~near).tolist())  # NaN is near to nothing
    return Marked(len(wrong) <= test.wrong, count - len(wrong), count, wrong)


def judge(test: Test, way: Way, exams: Sequence[Exam], runs: Sequence[Run], seconds: float = 0.0) -> Outcome:
    """The verdict of a test: it fails where more than half of its trainings do."""
    marks = [mark(test, way, exam, run) for exam, run in zip(exams, runs)]
    failed = sum(not each.passed for each in marks)
    verdict = FAIL if 2 * failed > len(marks) else PASS
    shares = shares_by_fault(exams, marks)
    evidence = tell(test, way, exams, marks, verdict)
    return Outcome(test.name, test.asks, test.part, verdict, evidence, len(marks), failed, shares, seconds)


def shares_by_fault(exams: Sequence[Exam], marks: Sequence[Marked]) -> tuple[tuple[str, float], ...]:
    """For each fault that questions look for, the share of their answers that are wrong."""
    asked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for exam, marked in zip(exams, marks):
        asked.update(question.fault for question in exam.questions)
        wrong.update(exam.questions[i].fault for i in marked.wrong)
    return tuple((fault, wrong[fault] / count) for fault, count in asked.items())


def tell(test: Test, way: Way, exams: Sequence[Exam], marks: Sequence[Marked], verdict: str) -> str:
    """The numbers behind a verdict, in words."""
    right, asked = sum(each.right for each in marks), sum(each.asked for each in marks)
    if test.judges == "spread":
        spread = float(np.mean([each.spread for each in marks]))
        return f"its answers spread by {spread:.2f}; at least {SPREAD[way.acts]:.2f} is asked"
    kept = "the same" if test.judges == "detour" else "right"
    told = f"{right} of {asked} answers {kept}, in {len(marks)} training{'s' if len(marks) > 1 else ''}"
    if verdict == PASS or test.judges == "detour":
        return told
    worst = Counter(
        exam.questions[i].asks for exam, marked in zip(exams, marks) for i in marked.wrong
    ).most_common(1)[0][0]
    return f"{told}; most often wrong: {worst}"
