"""What a report says of the proof of its axes: that each changes what it declares and nothing else."""

from __future__ import annotations

from assay.report.exam import Exam

MOST_NAMES = 6  # more axes than these are counted, not named


def proofs(exam: Exam) -> list[tuple[str, str]]:
    """A term and a sentence, as `method` has them; nothing where the records are older than proofs."""
    by_word: dict[str, dict[str, None]] = {}
    for finding in exam.findings:
        by_word.setdefault(finding.proof, {})[finding.axis] = None
    said = [f"{word}: {named(list(axes))}" for word, axes in by_word.items() if word]
    return (
        [("Proof", f"That an axis changes what it declares and nothing else is {'; '.join(said)}.")]
        if said
        else []
    )


def named(axes: list[str]) -> str:
    return ", ".join(axes) if len(axes) <= MOST_NAMES else f"{len(axes)} axes"
