"""What of a run's results is of an earlier command, and what was done again."""

from __future__ import annotations

import time
from typing import NamedTuple

from assay.plans.question import RANDOM
from assay.plans.sources import why_outdated
from assay.results import Run

ONCE, LOST = "used once: ", "lost: "  # how the log begins to tell why a finished job was done again


class Reused(NamedTuple):
    """How many finished jobs of a run were there before it was opened, and when the last of them ended."""

    jobs: int
    of: int
    since: float  # seconds since 1970 UTC
    random_alone: bool = False  # whether all of them are random play, and none the agent's

    @property
    def says(self) -> str:
        """`reused from 03:52, same agent, task and code`, with its day where that is not today."""
        then, now = time.localtime(self.since), time.localtime()
        day = "" if then[:3] == now[:3] else time.strftime("%Y-%m-%d ", then)
        shown = f"{day}{time.strftime('%H:%M', then)}"
        if self.random_alone:
            jobs = "job" if self.jobs == 1 else f"{self.jobs} jobs"
            return f"random play's {jobs} reused from {shown}, same task and code; the agent's are new"
        some = "" if self.jobs == self.of else f"{self.jobs} of {self.of} jobs "
        return f"{some}reused from {shown}, same agent, task and code"


def reused_in(run: Run) -> Reused | None:
    """What of a run's results is of an earlier command; None where all of it is new."""
    done = run.jobs(status="done")
    earlier = [job for job in done if job.ended is not None and job.ended < run.opened]
    if not earlier:
        return None
    agents = {job.agent for job in earlier}
    alone = agents == {RANDOM} != {job.agent for job in done}
    return Reused(len(earlier), len(done), max(job.ended or 0.0 for job in earlier), alone)


def replaced_in(run: Run) -> str:
    """What of a run's earlier results was done again since it was opened, and why; "" where nothing was."""
    told = [each for each in run.attempts() if (each.outcome or "").startswith((ONCE, LOST))]
    now = [each for each in told if each.ended is not None and each.ended >= run.opened]
    if not now:
        return ""
    jobs = len({each.job for each in now})
    why = (now[0].outcome or "").removeprefix(ONCE).removeprefix(LOST)
    return f"replaced the earlier results of {jobs} job{'s' if jobs > 1 else ''}: {why}"


def outdated_jobs(run: Run) -> dict[str, str]:
    """The jobs that may not come out the same now, by what is recorded of them, and why."""
    return {job.id: f"{ONCE}{why}" for job in run.jobs(status="done") if (why := why_outdated(job))}
