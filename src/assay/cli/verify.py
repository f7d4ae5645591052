"""`assay verify`: whether a run's records are the ones that were written, and come out the same again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from assay.cli.options import DryRun, Folder, Json
from assay.cli.output import Progress, print_json, print_text
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.results import Job

EXAMPLES = (
    "assay verify runs/first",
    "assay verify runs/first --digests-only",
    "assay verify runs/first --all --dry-run",
)


class Outcome(NamedTuple):
    """What was checked and what was found; the fields are the names in `--json`."""

    fingerprint: str
    sealed: bool
    checked: int
    done_again: int
    same: int
    not_done_again_because: str
    unfinished: list[str]
    findings: list[str]
    reports_gone: list[str]  # written with the run, and deleted since
    failed: list[str]  # why jobs left no result, so that they cannot be verified
    holds: bool


def run(
    folder: Folder,
    sample: Annotated[int, typer.Option(help="How many finished jobs are done again.", min=0)] = 2,
    everything: Annotated[bool, typer.Option("--all", help="Do every finished job again.")] = False,
    digests_only: Annotated[
        bool,
        typer.Option(
            "--digests-only",
            help="Check digests alone and do no job again: for runs of other code or versions.",
        ),
    ] = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Check every digest, compute references and findings anew, and do a sample of the jobs again.

    The digest shows that a record was changed. If its digest was changed too, doing the job again shows it;
    --all does so for every job. The exit code is 1 if something differs, and 2 if it cannot be told: if the
    run is of other code or versions, if no job is finished, or if jobs are left.
    """
    if digests_only and everything:
        raise AssayError("--digests-only does no job again and --all does every one; give one of them.")
    from assay.results import open_run

    # Nothing is swept, so that a changed file is still there after it was found.
    with open_run(folder, sweep=False) as opened:
        verified = opened.verify()
        findings = [finding.says for finding in verified.findings]
        wanted = 0 if digests_only else None if everything else sample
        jobs: list[Job] = []
        why_not, left = "", []
        if not digests_only:
            try:
                left = not_yet(opened, verified.sealed)
                jobs, why_not = to_do_again(opened, verified.fingerprint, wanted)
                if not why_not and not dry_run:
                    findings += unlike_the_plan(opened, verified.sealed)
                    left += reports_beside(opened) if left else []
            except AssayError as error:  # records that cannot be read
                findings.append(str(error))
        elif not verified.sealed:
            left = finished_without_seal(opened)
        if dry_run:
            return tell_plan(verified.checked, len(jobs), json)
        same, others = do_again_some(opened, jobs)
        findings += others
        gone, failed = reports_gone(opened), failures_of(opened)
    holds = bool(verified.checked) and not findings and not why_not and not left
    outcome = Outcome(
        verified.fingerprint, verified.sealed, verified.checked, len(jobs), same, why_not, left,
        list(dict.fromkeys(findings)), gone, failed, holds,
    )  # fmt: skip
    print_json(outcome._asdict()) if json else tell(outcome, folder)
    if not outcome.holds:
        raise typer.Exit(1 if outcome.findings else 2)


def to_do_again(run: Any, fingerprint: str, wanted: int | None) -> tuple[list, str]:
    """The jobs that are done again, all where `wanted` is None; or why none can be."""
    from assay.plans.plan import is_planned
    from assay.runs.repeat import can_be_done_again, sample

    if not is_planned(run.plan):
        return [], ""  # no command of assay says how its jobs are done
    done = run.jobs(status="done")
    why_not = can_be_done_again(run)
    return [] if why_not else sample(done, len(done) if wanted is None else wanted, fingerprint), why_not


def reports_gone(run: Any) -> list[str]:
    """The reports that were written with the run and are not there any more."""
    from assay.results import seal

    try:
        kept = seal.read(run.folder)
    except AssayError:  # found already
        return []
    return [name for name in kept.reports if not (run.folder / name).exists()] if kept else []


def failures_of(run: Any) -> list[str]:
    """Why jobs failed, each reason once."""
    try:
        return run.failures()
    except AssayError:  # records that cannot be read, found already
        return []


def unlike_the_plan(run: Any, sealed: bool) -> list[str]:
    from assay.audit.differences import differences
    from assay.plans.plan import is_planned

    return differences(run, sealed) if is_planned(run.plan) else []


def not_yet(run: Any, sealed: bool) -> list[str]:
    """What is left of the run; nothing is known of a run that no command planned."""
    from assay.audit.differences import describe_unfinished
    from assay.plans.plan import is_planned, plan_of

    return describe_unfinished(run, sealed) if is_planned(run.plan) and plan_of(run) else []


def finished_without_seal(run: Any) -> list[str]:
    """A sentence where a planned run is finished and its seal is gone; digests alone do not show that."""
    from assay.plans.plan import is_planned

    progress = run.progress()
    if not is_planned(run.plan) or not progress.done or progress.left or progress.running:
        return []
    return [
        "the run is finished and not sealed: it was stopped before, or its seal was removed; without a seal "
        f"edited reports cannot be noticed, and `assay resume {run.folder}` seals it."
    ]


def reports_beside(run: Any) -> list[str]:
    from assay.audit.differences import stale_reports

    return stale_reports(run)


def do_again_some(run: Any, jobs: list) -> tuple[int, list[str]]:
    """How many jobs gave the same once more, and a sentence on each that did not."""
    from assay.runs.repeat import do_again

    progress = Progress()
    results = list(do_again(run, jobs, progress)) if jobs else []
    progress.close()
    return sum(each.same for each in results), [each.says for each in results if not each.same]


def tell_plan(checked: int, again: int, json: bool) -> None:
    from assay.report.text import count

    if json:
        return print_json({"checked": checked, "done_again": again})
    print(f"  {count(checked, 'job')} would be checked by digest, {again} of them done again")


def tell(outcome: Outcome, folder: Path) -> None:
    from assay.report.text import count

    for says in outcome.findings:
        print_text(says, "red", indent=2)
    if outcome.reports_gone:
        names = ", ".join(outcome.reports_gone)
        drift = any(name.startswith("drift.") for name in outcome.reports_gone)
        again = "the run's own command" if drift else f"`assay report {folder}`"
        print_text(f"deleted since they were written: {names}; {again} writes them again", indent=2)
    if not outcome.checked and not outcome.findings:
        print(f"  {folder} has no finished job, so there is nothing to verify")
        for says in outcome.unfinished:
            print_text(says, indent=2)
        return
    digests = count(len(outcome.findings), "finding") if outcome.findings else "every digest holds"
    redone = f"{outcome.same} of {outcome.done_again} done again gave the same bits"
    if outcome.not_done_again_because:
        redone = f"not done again: {outcome.not_done_again_because} (--digests-only does not ask for that)"
    print(f"  {count(outcome.checked, 'finished job')}: {digests}; {redone}")
    for says in outcome.unfinished:
        print_text(says, indent=2)
    for says in outcome.failed:
        print_text(f"a job failed and left no result: {says}", indent=2)
    print(f"  fingerprint {outcome.fingerprint}" + ("" if outcome.sealed else " of a run that is not sealed"))
