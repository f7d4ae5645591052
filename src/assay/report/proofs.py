"""The sentences of a report on proofs: that each axis changes what it declares and nothing else."""

from __future__ import annotations

from assay.analysis.exam import Exam

MOST_NAMES = 6  # more axes than these are counted, not named
SENTENCES = {  # by the words of `proof.own_proofs`
    "proved by a shipped certificate": "A shipped certificate proves that these change what they declare and "
    "nothing else: {axes}.",
    "proved by a shipped certificate, under other versions": "A shipped certificate, made with other "
    "versions of the packages below assay, proves that these change what they declare and nothing else: "
    "{axes}.",
    "proved here and now": "A check before this exam proved that these change what they declare and nothing "
    "else: {axes}.",
    "partly checked": "These were checked in part, and no broken law was found so far: {axes}.",
    "unproved": "It is not proved that these change what they declare and nothing else: {axes}.",
    "failed": "These break a law of variations, such as that each changes what it declares and nothing "
    "else: {axes}.",
}
OTHER = "{word}: {axes}."  # a word of another version


def proofs(exam: Exam) -> list[tuple[str, str]]:
    """A term and a sentence, as `method` has them; nothing where the records are older than proofs."""
    by_word: dict[str, dict[str, None]] = {}
    for axis, word in [*exam.proofs, *((each.axis, each.proof) for each in exam.findings)]:
        by_word.setdefault(word, {})[axis] = None
    said = [SENTENCES.get(word, OTHER).format(axes=name_proof(list(axes)), word=word)
            for word, axes in by_word.items() if word]  # fmt: skip
    return [("Proof", " ".join(said))] if said else []


def failed_proofs(exam: Exam) -> list[str]:
    """The variations of the user's own that break a law, each once."""
    words = dict([*exam.proofs, *((each.axis, each.proof) for each in exam.findings)])
    return [axis for axis, word in words.items() if ":" in axis and word == "failed"]


def own_without_proof(exam: Exam) -> str:
    """The variations of the user's own that are asked about or stand in the task and are not proved."""
    words = dict([*exam.proofs, *((each.axis, each.proof) for each in exam.findings)])
    return ", ".join(f"{axis} ({word})" for axis, word in words.items()
                     if ":" in axis and word and not word.startswith("proved"))  # fmt: skip


def name_proof(axes: list[str]) -> str:
    return ", ".join(axes) if len(axes) <= MOST_NAMES else f"{len(axes)} axes"
