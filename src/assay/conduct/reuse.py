"""Which of a run's results an earlier command made, and which were done again."""

from __future__ import annotations

import time
from typing import NamedTuple

from assay.plans.question import RANDOM
from assay.plans.sources import why_outdated
from assay.results import Run

ONCE, LOST = "used once: ", "lost: "  # how the log begins the reason why a finished job was done again


class Reused(NamedTuple):
    """How many jobs of a run were finished before it was opened, and when the last of them ended."""

    jobs: int
    of: int
    since: float  # seconds since 1970 UTC
    random_alone: bool = False  # whether all of them are random play

    @property
    def sentence(self) -> str:
        """`reused from 03:52, same agent, task and code`, with the date where it is not today."""
        then, now = time.localtime(self.since), time.localtime()
        day = "" if then[:3] == now[:3] else time.strftime("%Y-%m-%d ", then)
        shown = f"{day}{time.strftime('%H:%M', then)}"
        if self.random_alone:
            jobs = "job" if self.jobs == 1 else f"{self.jobs} jobs"
            return f"random play's {jobs} reused from {shown}, same task and code; the agent's are new"
        some = "" if self.jobs == self.of else f"{self.jobs} of {self.of} jobs "
        return f"{some}reused from {shown}, same agent, task and code"


def find_reused(run: Run) -> Reused | None:
    """How much of a run an earlier command did; None where all of it is new."""
    done = run.jobs(status="done")
    earlier = [job for job in done if job.ended is not None and job.ended < run.opened]
    if not earlier:
        return None
    agents = {job.agent for job in earlier}
    alone = agents == {RANDOM} != {job.agent for job in done}
    return Reused(len(earlier), len(done), max(job.ended or 0.0 for job in earlier), alone)


def describe_replaced(run: Run) -> str:
    """A sentence on the earlier results that were replaced since the run was opened; "" where none were."""
    replaced = [each for each in run.attempts() if (each.outcome or "").startswith((ONCE, LOST))]
    now = [each for each in replaced if each.ended is not None and each.ended >= run.opened]
    if not now:
        return ""
    jobs = len({each.job for each in now})
    why = (now[0].outcome or "").removeprefix(ONCE).removeprefix(LOST)
    return f"replaced the earlier results of {jobs} job{'s' if jobs > 1 else ''}: {why}"


def outdated_jobs(run: Run) -> dict[str, str]:
    """The finished jobs whose results may differ if done again, by their records, and why."""
    return {job.id: f"{ONCE}{why}" for job in run.jobs(status="done") if (why := why_outdated(job))}
