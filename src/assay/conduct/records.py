"""Whether a run's records can be gone on with, or spoken from: whole, of this code, and as written."""

from __future__ import annotations

from collections.abc import Sequence

from assay.conduct.reuse import LOST
from assay.errors import AssayError
from assay.plans.agents import is_outside
from assay.plans.plan import Plan, is_planned, plan_of
from assay.plans.sources import changed_since, digest_of_source
from assay.results import Finding, Run

UNKNOWN_CHANGE = "another version of assay, of a library, or of your own files"


def lost_jobs(run: Run) -> dict[str, str]:
    """The jobs whose curves or weights are missing or damaged; refused where more than that is wrong."""
    verification = run.verify()
    others = [
        each for each in verification.findings if each.job not in verification.lost and each.what != "report"
    ]
    if others:
        raise fails_its_digests(run, others)
    return dict.fromkeys(verification.lost, f"{LOST}a file that it left is missing or not as written")


def require_intact(run: Run) -> None:
    """Nothing is said from records that are not the ones that were written, nor from half a plan."""
    if is_planned(run.plan):
        require_checked(run, plan_of(run))
    verification = run.verify()
    if not verification.holds:
        raise fails_its_digests(run, verification.findings)


def require_checked(run: Run, plan: Plan) -> None:
    """Of a given agent nothing is said before its episodes were played again, which is the end of a run."""
    given = is_outside(plan.agent) and not plan.trains
    if given and not run.sealed and run.progress().done and not run.progress().left:
        raise AssayError(
            f"{run.folder} was stopped before its agent was checked; `assay resume {run.folder}` goes on."
        )


def fails_its_digests(run: Run, findings: Sequence[Finding]) -> AssayError:
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    lost = all(each.what in ("curves", "weights") for each in findings)
    move = (
        f"`assay resume {run.folder}` does the job again" if lost else "restore it from a copy, or run anew"
    )
    return AssayError(
        f"the records of {run.folder} fail their digests: {findings[0].says.rstrip('.')}{more}; {move}."
    )


def require_same_code(run: Run) -> None:
    """Yesterday's records are never mixed with today's."""
    plan = plan_of(run)
    now = digest_of_source(plan)
    if any(job.source_digest != now for job in run.jobs()):
        what = changed_since(run.document.sources, plan) or UNKNOWN_CHANGE
        raise AssayError(
            f"{run.folder} was made by other code ({what}), and results of two codes do not mix; "
            "run it anew in another folder."
        )
