"""A run from its plan to its end, phase by phase: do the jobs, measure the references, decide where agents
are trained anew, do these jobs, and say what was found.

Everything here can be done again: `resume` calls the same function on the folder of a killed run.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assay.conduct.records import lost_jobs, require_same_code
from assay.conduct.references import first_references, retrained_scores
from assay.conduct.retraining import decide_retraining, has_plain_play, levels_to_retrain
from assay.conduct.reuse import outdated_jobs
from assay.errors import AssayError
from assay.plans.jobs import folder_name, jobs_of, retraining_jobs
from assay.plans.plan import ExamPlan, Plan, as_asked, plan_of, plan_to_json
from assay.plans.sources import pieces_of_source
from assay.results import Run, create, open_run
from assay.results.journal import RETRAINING
from assay.runs.executor import Executor, run_all
from assay.runs.local import Local
from assay.runs.progress import Listener, no_listener
from assay.runs.replay import give_up_unrepeatable
from assay.runs.staleness import planned_sources
from assay.strict_json import to_json


def open_or_create(plan: Plan, folder: Path | None, command: Iterable[str], runs: Path) -> Run:
    """The run of a plan: the one that is there, if the same was asked of the same code before."""
    place = folder or runs / folder_name(plan)
    if not (place / "run.json").exists():
        try:
            return create(place, plan_to_json(plan), command, pieces_of_source(plan))
        except AssayError:
            if not (place / "run.json").exists():
                raise
            # Another process was first with the same: its run is joined.
    run = open_run(place)
    try:
        same = as_asked(plan_of(run)) == as_asked(plan)
    except AssayError:
        run.close()
        raise
    if not same:
        kind = run.plan["kind"]
        run.close()
        raise AssayError(f"{place} holds another run: {kind} was asked otherwise; give another folder.")
    return run


def conduct(run: Run, executor: Executor = Local(), tell: Listener = no_listener) -> list[str]:
    """Does all that is left of a run by an executor, which is closed then; the sentences say what failed."""
    try:
        return do_phases(run, executor, tell)
    finally:
        executor.close()


def do_phases(run: Run, executor: Executor, tell: Listener) -> list[str]:
    plan = plan_of(run)
    require_same_code(run)
    looked_at = run.progress().done if run.sealed else ()
    on = planned_sources(plan)
    run.give_up_results(lost_jobs(run) | outdated_jobs(run))
    run.add_jobs(jobs_of(plan))
    run_all(run, executor, tell)
    give_up_unrepeatable(run, on, looked_at)
    failed = run.failures()
    try:
        if run.progress().done:
            run.add_references(first_references(run), replace=True)
            if isinstance(plan, ExamPlan) and plan.trains and has_plain_play(run):
                run.add_decision(RETRAINING, to_json(decide_retraining(run)))
                run.add_jobs(retraining_jobs(plan, levels_to_retrain(run)))
                failed = run_all(run, executor, tell)
                run.add_references(retrained_scores(run), replace=True)
    finally:
        if not run.progress().left:
            run.seal()
    return failed
