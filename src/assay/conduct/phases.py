"""Conducts a run, phase by phase: does the jobs, measures the references, decides where agents are trained
anew, and does these jobs too.

Every phase can be repeated: `resume` calls the same function on the folder of a killed run.
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
from assay.plans.plan import ExamPlan, Plan, plan_of, plan_to_json, request_of
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
    """The run of a plan: the existing one, if the same plan was started with the same code before."""
    home = folder or runs / folder_name(plan)
    if not (home / "run.json").exists():
        try:
            return create(home, plan_to_json(plan), command, pieces_of_source(plan))
        except AssayError:
            if not (home / "run.json").exists():
                raise
            # Another process has just created the same run: join it.
    run = open_run(home)
    try:
        same = request_of(plan_of(run)) == request_of(plan)
    except AssayError:
        run.close()
        raise
    if not same:
        kind = run.plan["kind"]
        run.close()
        raise AssayError(f"{home} holds another run of `assay {kind}`; give another folder.")
    return run


def conduct(run: Run, executor: Executor = Local(), tell: Listener = no_listener) -> list[str]:
    """Does all that is left of a run and closes the executor; returns a sentence per failed job."""
    try:
        return do_phases(run, executor, tell)
    finally:
        executor.close()


def do_phases(run: Run, executor: Executor, tell: Listener) -> list[str]:
    plan = plan_of(run)
    require_same_code(run)
    replayed = run.progress().done if run.sealed else ()
    sources = planned_sources(plan)
    run.give_up_results(lost_jobs(run) | outdated_jobs(run))
    run.add_jobs(jobs_of(plan))
    run_all(run, executor, tell)
    give_up_unrepeatable(run, sources, replayed)
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
