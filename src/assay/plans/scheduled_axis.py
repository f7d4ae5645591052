"""An axis that is tried holds for whole episodes: schedules belong in the task."""

from __future__ import annotations

import re

from assay.errors import NotApplicable

SCHEDULE = re.compile(r"@[a-z]+(:[\w.]+)*$")


def require_no_schedule(written: str) -> None:
    """Refuses an axis, with or without levels, that is written with a schedule."""
    found = SCHEDULE.search(written)
    if found is None:
        return
    name = written[: found.start()].partition("=")[0]
    raise NotApplicable(
        f"{written} has a schedule, which an axis that is tried cannot have; write it in the task, as in "
        f"+{name}=LEVEL{found[0]}, or follow the agent through it with `assay drift`."
    )
