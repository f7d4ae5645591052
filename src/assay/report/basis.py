"""What results stand on that no digest covers, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

from assay.results import Job

VERBS = {"files": "read", "modules": "imported"}
HOW = "declare it (`files=` of `assay.Policy`, or `ASSAY_FILES` in the module)"


def uncovered_in(jobs: Iterable[Job]) -> tuple[str, ...]:
    """`weights.npy was read and is not covered: declare it (...)`, each file once."""
    return tuple(
        dict.fromkeys(
            f"{name} was {verb} and is not covered: {HOW}"
            for job in jobs
            for what, verb in VERBS.items()
            for name in (job.uncovered or {}).get(what, ())
        )
    )
