"""What a report on an unfinished run says first."""

from __future__ import annotations

import shlex


def say_unfinished(jobs: str, folder: str) -> list[str]:
    """The sentence at the top of a report on a run of which jobs are left."""
    resume = shlex.join(["assay", "resume", folder])
    return [f"unfinished: {jobs}; `{resume}` does the rest"] if jobs else []
