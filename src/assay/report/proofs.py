"""What a report says of the proof of its axes: that each changes what it declares and nothing else."""

from __future__ import annotations

from assay.report.exam import Exam

MOST_NAMES = 6  # more axes than these are counted, not named


def proofs(exam: Exam) -> list[tuple[str, str]]:
    """A term and a sentence, as `method` has them; nothing where the records are older than proofs."""
    by_word: dict[str, dict[str, None]] = {}
    for axis, word in [*exam.proofs, *((each.axis, each.proof) for each in exam.findings)]:
        by_word.setdefault(word, {})[axis] = None
    said = [f"{word}: {named(list(axes))}" for word, axes in by_word.items() if word]
    return (
        [("Proof", f"That an axis changes what it declares and nothing else is {'; '.join(said)}.")]
        if said
        else []
    )


def own_without_proof(exam: Exam) -> str:
    """The variations of the user's own that are asked about or stand in the task and are not proved."""
    words = dict([*exam.proofs, *((each.axis, each.proof) for each in exam.findings)])
    return ", ".join(f"{axis} ({word})" for axis, word in words.items()
                     if ":" in axis and word and not word.startswith("proved"))  # fmt: skip


def named(axes: list[str]) -> str:
    return ", ".join(axes) if len(axes) <= MOST_NAMES else f"{len(axes)} axes"
