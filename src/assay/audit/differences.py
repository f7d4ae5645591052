"""Derives jobs, references, decisions and reports anew from a run's plan and records, and compares them.

Digests reveal careless changes; this comparison reveals changes that were made together with their digests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from assay.analysis.experiment import find_experiment
from assay.analysis.findings import find
from assay.analysis.gaps import KAGE
from assay.audit.drift_reports import drift_differences, missing_drift_report
from assay.audit.plan import plan_differences
from assay.conduct.references import references_of
from assay.conduct.retraining import decide_retraining, has_plain_play, levels_to_retrain
from assay.errors import AssayError
from assay.plans.jobs import jobs_of, retraining_jobs
from assay.plans.plan import ExamPlan, plan_of
from assay.report.formats import FORMATS, HERE
from assay.report.write import texts_of
from assay.results import Reference, Run, seal
from assay.results.journal import RETRAINING
from assay.stats.intervals import METHODS
from assay.strict_json import to_json
from assay.suites.playground_factors import PLAYGROUND

HUMAN = "human"  # a reference that no code can compute again


def differences(run: Run, sealed: bool) -> list[str]:
    """A sentence on everything in a run of this code that does not follow from its plan and records.

    A run without a seal is in progress or was stopped: its references and decisions may still be missing.
    """
    sentences = list(plan_differences(run.document, plan_of(run)))
    if sealed or run.jobs():  # jobs are added all at once, when the run begins
        sentences += job_differences(run)
    if sealed:
        for check in (reference_differences, decision_differences, report_differences, drift_differences):
            try:
                sentences += check(run)
            except AssayError as error:
                sentences.append(str(error))
    return sentences


def describe_unfinished(run: Run, sealed: bool) -> list[str]:
    """A sentence on what a planned run has not done yet; none for a finished run."""
    progress = run.progress()
    total, left = sum(map(len, progress)), len(progress.left) + len(progress.running)
    jobs_left = f"{left} of {total} jobs {'is' if left == 1 else 'are'} left"
    if progress.running:
        return [f"{jobs_left}, and another process works on this run."]
    resume = f"`assay resume {run.folder}`"
    if left:
        return [f"{jobs_left}; {resume} does {'it' if left == 1 else 'them'}."]
    if not total:
        return [] if sealed else [f"no job has begun; {resume} does all of them."]
    if not sealed:
        return [f"the run is not sealed: it was stopped early, or its seal was removed; {resume} seals it."]
    return missing_drift_report(run)


def stale_reports(run: Run) -> list[str]:
    """A sentence per report on an unfinished run that is older than the last records, or was edited."""
    if run.progress().running:
        return []
    try:
        return list(report_differences(run))
    except AssayError:
        return [f"{path} exists, but the records give no report yet." for path in reports_in(run)]


def job_differences(run: Run) -> Iterator[str]:
    """Jobs that are missing, and jobs that neither the plan nor a decision asks for."""
    recorded = {job.id: job for job in run.jobs()}
    plan = plan_of(run)
    first = {job.id: job for job in jobs_of(plan)}
    # A decision is recorded before its jobs are added, and a run may be killed in between.
    levels = levels_to_retrain(run)
    later = {job.id: job for job in retraining_jobs(plan, levels)} if isinstance(plan, ExamPlan) else {}
    begun = later if later.keys() & recorded.keys() else {}
    for job in (first | begun).values():
        if job.id not in recorded:
            yield f"job {job.id} is missing: {job.agent} on {job.train_task}, seed {job.seed}."
    for job in recorded.values():
        if job.id not in first | later:
            yield (
                f"job {job.id} ({job.agent} on {job.train_task}, seed {job.seed}) follows neither from the "
                "plan nor from a decision to retrain."
            )


def reference_differences(run: Run) -> Iterator[str]:
    """References that differ from those that the records give."""
    expected = {(each.task, each.kind): each for each in references_of(run)}
    recorded = {(each.task, each.kind): each for each in run.references() if each.kind != HUMAN}
    for key in sorted(expected.keys() | recorded.keys()):
        if expected.get(key) != recorded.get(key):
            yield (
                f"the {key[1]} reference of {key[0]} is {_show_reference(recorded.get(key))}, "
                f"but the records give {_show_reference(expected.get(key))}."
            )


def _show_reference(reference: Reference | None) -> str:
    if reference is None:
        return "none"
    ends = "" if reference.low is None else f" [{reference.low!r}, {reference.high!r}]"
    return f"{reference.value!r}{ends} ({reference.how})"


def decision_differences(run: Run) -> Iterator[str]:
    """Compares the last decision where to retrain with the one that the records give."""
    plan = plan_of(run)
    if not isinstance(plan, ExamPlan) or not plan.trains or not has_plain_play(run):
        return
    decisions = run.decisions(kind=RETRAINING)
    expected = to_json(decide_retraining(run))
    if not decisions:
        yield "the decision where to train anew is missing."
    elif (last := decisions[-1]).decided != expected:
        yield (
            f"decision {last.number} was to train anew at {_show_levels(last.decided)}, but the records "
            f"give {_show_levels(expected)}, or other effects there."
        )


def _show_levels(decided: dict[str, Any]) -> str:
    return ", ".join(f"{each['axis']}={each['level']}" for each in decided["levels"]) or "no level"


def report_differences(run: Run) -> Iterator[str]:
    """Reports in the run's folder, listed in the seal or not, that differ from what the records give."""
    sealed = seal.read(run.folder)
    listed = sealed.reports if sealed else {}
    findings_with = cache(lambda intervals, compat: findings_of(run, intervals, compat))
    for path in reports_in(run):
        if not any(
            (findings := findings_with(*how)) and report_matches(findings, path)
            for how in report_options(run, listed.get(path.name))
        ):
            yield f"{path} does not match the records; `assay report` writes it anew."


def reports_in(run: Run) -> list[Path]:
    return [path for form in FORMATS if (path := run.folder / f"report.{form}").exists()]


def report_options(run: Run, listed: seal.SealedReport | None) -> Iterable[tuple[str, str]]:
    """The options a report may have been made with: those in the seal, or else all of `assay report`."""
    if isinstance(plan_of(run), ExamPlan):
        return [("", "")]
    if listed:
        return [(listed.intervals, listed.compat)]
    return product(("", *METHODS), ("", PLAYGROUND, KAGE))


def findings_of(run: Run, intervals: str, compat: str) -> Any:
    """The findings of a run, with the options of `assay report`; None where the run cannot take them."""
    if isinstance(plan_of(run), ExamPlan):
        return find(run)
    try:
        return find_experiment(run, intervals, compat)
    except AssayError:  # not every run can be reported with all options
        return None


def report_matches(findings: Any, path: Path) -> bool:
    """Whether a report shows exactly these findings, bit for bit."""
    return texts_of(replace(findings, folder=HERE), [path.suffix[1:]])[path.name] == path.read_bytes()
