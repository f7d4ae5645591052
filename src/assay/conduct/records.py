"""Checks that a run's records can be continued or reported: complete, made by this code, unchanged."""

from __future__ import annotations

from collections.abc import Sequence

from assay.conduct.reuse import LOST
from assay.errors import AssayError
from assay.plans.agents import is_outside, is_repeatable
from assay.plans.plan import Plan, is_planned, plan_of
from assay.plans.sources import describe_changes, digest_of_source
from assay.results import Finding, Run
from assay.results.verify import FILES

UNKNOWN_CHANGE = "another version of assay, of a library, or of your own files"


def lost_jobs(run: Run) -> dict[str, str]:
    """The jobs whose curves or weights are missing or damaged, and why; raises where other records are."""
    verification = run.verify()
    others = [
        each for each in verification.findings if each.job not in verification.lost and each.what != "report"
    ]
    if others:
        raise digest_error(run, others)
    return dict.fromkeys(verification.lost, f"{LOST}a file of its results is missing or was changed")


def require_intact(run: Run) -> None:
    """Refuses a run whose records were changed, or whose agent was not checked yet."""
    if is_planned(run.plan):
        require_checked(run, plan_of(run))
    verification = run.verify()
    if not verification.holds:
        raise digest_error(run, verification.findings)


def require_checked(run: Run, plan: Plan) -> None:
    """Refuses a run that was stopped before the episodes of its outside agent were replayed for a check."""
    given = is_outside(plan.agent) and is_repeatable(plan.agent) and not plan.trains
    if given and not run.sealed and run.progress().done and not run.progress().left:
        raise AssayError(
            f"{run.folder} was stopped before its agent was checked; `assay resume {run.folder}` goes on."
        )


def digest_error(run: Run, findings: Sequence[Finding]) -> AssayError:
    others = len(findings) - 1
    more = f" (and {others} more {'finding' if others == 1 else 'findings'})" if others else ""
    lost = all(each.what in FILES for each in findings)
    move = (
        f"`assay resume {run.folder}` does the job again" if lost else "restore it from a copy, or run anew"
    )
    return AssayError(
        f"the records of {run.folder} fail their digests: {findings[0].says.rstrip('.')}{more}; {move}."
    )


def require_same_code(run: Run) -> None:
    """Refuses to continue a run that other code began."""
    plan = plan_of(run)
    now = digest_of_source(plan)
    if any(job.source_digest != now for job in run.jobs()):
        changes = describe_changes(run.document.sources, plan) or UNKNOWN_CHANGE
        raise AssayError(
            f"{run.folder} was made by other code ({changes}), and results of different code are not mixed; "
            "run it anew in another folder."
        )
