"""Whether a run says what its plan and its records give: jobs, references, decisions and reports made anew.

Digests find what was changed carelessly; what is found here was changed together with its digest.
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
from assay.audit.plan import unlike_its_sources
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
    """A sentence on everything in a run of this code that its plan and its records do not give.

    A run that is not sealed is at work or was stopped: its references and decisions need not be there yet.
    """
    sentences = list(unlike_its_sources(run.document, plan_of(run)))
    if sealed or run.jobs():  # they are added all at once, when the run begins
        sentences += of_jobs(run)
    if sealed:
        for check in (of_references, of_decisions, of_reports):
            try:
                sentences += check(run)
            except AssayError as error:
                sentences.append(str(error))
    return sentences


def tell_unfinished(run: Run, sealed: bool) -> list[str]:
    """What a planned run has not come to yet, in a sentence each; nothing of one that is at its end."""
    progress = run.progress()
    total, left = sum(map(len, progress)), len(progress.left) + len(progress.running)
    shown = f"{left} of {total} jobs {'is' if left == 1 else 'are'} left"
    if progress.running:
        return [f"{shown}, and another process works on this run."]
    resume = f"`assay resume {run.folder}`"
    if left:
        return [f"{shown}; {resume} does {'it' if left == 1 else 'them'}."]
    if not total:
        return [] if sealed else [f"no job was begun; {resume} does all of them."]
    if not sealed:
        return [f"not sealed: it was stopped before its end, or its seal was removed; {resume} seals it."]
    return []


def stale_reports(run: Run) -> list[str]:
    """Reports on an unfinished run that say something else: older than its last records, or edited."""
    if run.progress().running:
        return []
    try:
        return list(of_reports(run))
    except AssayError:
        return [f"{path} is there, and its records give no report yet." for path in reports_in(run)]


def of_jobs(run: Run) -> Iterator[str]:
    """Jobs that the plan and its decisions ask for and that are not there, and the other way round."""
    there = {job.id: job for job in run.jobs()}
    plan = plan_of(run)
    first = {job.id: job for job in jobs_of(plan)}
    # What was decided is recorded before its jobs are added, and a run may be killed in between.
    levels = levels_to_retrain(run)
    later = {job.id: job for job in retraining_jobs(plan, levels)} if isinstance(plan, ExamPlan) else {}
    begun = later if later.keys() & there.keys() else {}
    for job in (first | begun).values():
        if job.id not in there:
            yield f"job {job.id} is missing: {job.agent} on {job.train_task}, seed {job.seed}."
    for job in there.values():
        if job.id not in first | later:
            yield (
                f"job {job.id} ({job.agent} on {job.train_task}, seed {job.seed}) follows neither from the "
                "plan nor from a decision to retrain."
            )


def of_references(run: Run) -> Iterator[str]:
    """References that are not what records and code give."""
    expected = {(each.task, each.kind): each for each in references_of(run)}
    there = {(each.task, each.kind): each for each in run.references() if each.kind != HUMAN}
    for key in sorted(expected.keys() | there.keys()):
        if expected.get(key) != there.get(key):
            yield (
                f"the {key[1]} reference of {key[0]} is {_shown(there.get(key))}, and the records give "
                f"{_shown(expected.get(key))}."
            )


def _shown(reference: Reference | None) -> str:
    if reference is None:
        return "none"
    ends = "" if reference.low is None else f" [{reference.low!r}, {reference.high!r}]"
    return f"{reference.value!r}{ends} ({reference.how})"


def of_decisions(run: Run) -> Iterator[str]:
    """The last decision where to retrain, beside what the findings now give."""
    plan = plan_of(run)
    if not isinstance(plan, ExamPlan) or not plan.trains or not has_plain_play(run):
        return
    made = run.decisions(kind=RETRAINING)
    given = to_json(decide_retraining(run))
    if not made:
        yield "the decision where to train anew is missing."
    elif made[-1].decided != given:
        yield (
            f"decision {made[-1].number} was to train anew at {_levels(made[-1].decided)}, and the records "
            f"give {_levels(given)}, or other effects there."
        )


def _levels(decided: dict[str, Any]) -> str:
    return ", ".join(f"{each['axis']}={each['level']}" for each in decided["levels"]) or "no level"


def of_reports(run: Run) -> Iterator[str]:
    """The reports in the run's folder beside those that the records give, in the seal's list or not."""
    kept = seal.read(run.folder)
    listed = kept.reports if kept else {}
    told = cache(lambda intervals, compat: findings_of(run, intervals, compat))
    for path in reports_in(run):
        if not any(
            (findings := told(*how)) and is_told(findings, path) for how in ways(run, listed.get(path.name))
        ):
            yield f"{path} does not say what the records give; `assay report` writes it anew."


def reports_in(run: Run) -> list[Path]:
    return [path for form in FORMATS if (path := run.folder / f"report.{form}").exists()]


def ways(run: Run, listed: seal.SealedReport | None) -> Iterable[tuple[str, str]]:
    """How a report may have been told: as the seal lists it, or else in every way of `assay report`."""
    if isinstance(plan_of(run), ExamPlan):
        return [("", "")]
    if listed:
        return [(listed.intervals, listed.compat)]
    return product(("", *METHODS), ("", PLAYGROUND, KAGE))


def findings_of(run: Run, intervals: str, compat: str) -> Any:
    """What the run found, told by the choices of `assay report` for runs of pairs; None where none fits."""
    if isinstance(plan_of(run), ExamPlan):
        return find(run)
    try:
        return find_experiment(run, intervals, compat)
    except AssayError:  # not every run can be told in every way
        return None


def is_told(findings: Any, path: Path) -> bool:
    """Whether a report holds these findings, bit for bit."""
    return texts_of(replace(findings, folder=HERE), [path.suffix[1:]])[path.name] == path.read_bytes()
