"""Whether the code and files behind a job are still those with which the run was planned.

Every worker loads the agents for itself, and an agent may read its files at any time: if one of them changed
during a run, the results of that run would be those of two agents. Where assay reads the file itself, the
very bytes that were played are compared: the file may have been exchanged, and put back, at any time.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from assay.digests.own_code import Sources
from assay.errors import AssayError
from assay.plans.agents import is_outside, outside_agent
from assay.plans.job_plan import job_plan
from assay.plans.plan import Plan
from assay.plans.sources import piece_names, pieces_of, show_paths, sources_of_plan
from assay.results import Job
from assay.runs.result import Result


class PlannedSources(NamedTuple):
    """A plan, and the code and files of its jobs before any of them is done."""

    plan: Plan
    sources: Sources


def planned_sources(plan: Plan) -> PlannedSources:
    return PlannedSources(plan, sources_of_plan(plan))


def fail_if_changed(planned: PlannedSources | None, job: Job, result: Result) -> Result:
    """The result, or a failure if code or files are no longer those that gave the job its id."""
    why = describe_change(planned, job, () if result.failed else loaded_for(job)) if planned else ""
    return Result(job.id, [], None, None, result.cost, why) if why else result


def loaded_for(job: Job) -> Iterable[tuple[Path, str]]:
    """The digests of the bytes that the job's agent was made of, in this process, by file."""
    return outside_agent(job.agent, job_plan(job).trust).loaded if is_outside(job.agent) else ()


def describe_change(planned: PlannedSources, job: Job, loaded: Iterable[tuple[Path, str]] = ()) -> str:
    """A sentence on what changed since the job was planned, or ""; `loaded` is what was played."""
    try:
        pieces, names = pieces_of(planned.sources), piece_names(planned.sources.files)
        if pieces.digest == job.source_digest:
            others = [path for path, digest in loaded if pieces.files.get(names.get(str(path), "")) != digest]
            if not others:
                return ""
            what = show_paths(others)[0]
        else:
            what = last_changed_file(planned.sources)
    except AssayError as error:  # a file that is declared and gone, for example
        return f"{planned.plan.agent} changed during the run: {str(error).rstrip('.')}; run it anew."
    except FileNotFoundError as error:
        what = str(error.filename)
    return f"{what} changed during the run; run it anew."


def last_changed_file(sources: Sources) -> str:
    """The source file that changed last, by ctime: a file that was moved here keeps its old mtime."""
    files = sorted(sources.files.values())
    last = max(files, key=lambda path: path.stat().st_ctime_ns, default=None)
    return "the code" if last is None else show_paths([last.resolve()])[0]
