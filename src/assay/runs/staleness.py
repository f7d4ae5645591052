"""Whether all that a job's result stands on is still what it was when the run was planned.

Agents are loaded by every worker for itself, and may read their files at any time: if one of these changed
on the way, the results of one run would be those of two agents.
"""

from __future__ import annotations

from typing import NamedTuple

from assay.errors import AssayError
from assay.interop.own_code import Sources
from assay.plans.plan import Plan
from assay.plans.sources import digest_of_sources, show_paths, sources_of_plan
from assay.results import Job
from assay.runs.result import Result


class PlannedSources(NamedTuple):
    """A plan and the code and files of its jobs, found before they are done."""

    plan: Plan
    sources: Sources


def planned_sources(plan: Plan) -> PlannedSources:
    return PlannedSources(plan, sources_of_plan(plan))


def unless_changed(on: PlannedSources | None, job: Job, result: Result) -> Result:
    """The result, or its failure where code or files are no longer those that gave the job its id."""
    why = what_changed(on, job) if on else ""
    return Result(job.id, [], None, None, result.cost, why) if why else result


def what_changed(on: PlannedSources, job: Job) -> str:
    """A sentence on what changed since the job was planned, or ""."""
    try:
        if digest_of_sources(on.sources) == job.source_digest:
            return ""
        what = changed_last(on.sources)
    except AssayError as error:  # a file that is declared and gone, for example
        return f"{on.plan.agent} changed while the run was on, for {str(error).rstrip('.')}; run it anew."
    except FileNotFoundError as error:
        what = str(error.filename)
    return f"{what} changed while the run was on; run it anew."


def changed_last(sources: Sources) -> str:
    """The file that changed last of those that count. A file that was moved here keeps its old mtime."""
    files = sorted(sources.files.values())
    last = max(files, key=lambda path: path.stat().st_ctime_ns, default=None)
    return "the code" if last is None else show_paths([last.resolve()])[0]
