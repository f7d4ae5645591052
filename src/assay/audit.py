"""Whether a run says what its plan and its records give: jobs, references, decisions and reports made anew.

Digests find what was changed carelessly; what is found here was changed together with its digest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assay.errors import AssayError
from assay.examine import EXAMS, decide_retraining, has_plain_play, levels_to_retrain, references_of
from assay.report.experiment import find_experiment
from assay.report.findings import find
from assay.report.write import texts_of
from assay.results import Reference, Run, seal
from assay.results.books import RETRAINING
from assay.results.record import digest_of
from assay.runs.plan import KINDS, jobs_of, retrained

HUMAN = "human"  # a reference that no code can compute again


def is_planned(run: Run) -> bool:
    """Whether a command of assay planned the run: of any other nothing is known beside its records."""
    return run.plan["plan"].get("kind") in KINDS


def differences(run: Run, sealed: bool) -> list[str]:
    """A sentence on everything in a run of this code that its plan and its records do not give.

    A run that is not sealed is at work or was stopped: its references and decisions need not be there yet.
    """
    found = list(of_jobs(run))
    if sealed:
        for check in (of_references, of_decisions, of_reports):
            try:
                found += check(run)
            except AssayError as error:
                found.append(str(error))
    return found


def of_jobs(run: Run) -> Iterator[str]:
    """Jobs that the plan and its decisions ask for and that are not there, and the other way round."""
    there = {job.id: job for job in run.jobs()}
    if not there:
        return  # they are added all at once, when the run begins
    plan = run.plan["plan"]
    first = {job.id: job for job in jobs_of(plan)}
    # What was decided is recorded before its jobs are added, and a run may be killed in between.
    later = {job.id: job for job in retrained(plan, levels_to_retrain(run))}
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
    plan = run.plan["plan"]
    if plan["kind"] not in EXAMS or not plan["retrains"] or not has_plain_play(run):
        return
    made = run.decisions(kind=RETRAINING)
    given = decide_retraining(run)
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
    """The reports in the run's folder beside those that the records give."""
    kept = seal.read(run.folder) or {"reports": {}}
    for name, how in kept["reports"].items():
        path = run.folder / name
        if path.exists():
            found = findings_of(run, how)
            text = texts_of(replace(found, folder=how["folder"]), [name.removeprefix("report.")])
            if digest_of([text[name]]) != digest_of([path.read_bytes()]):
                yield f"{path} does not say what the records give; `assay report` writes it anew."


def findings_of(run: Run, how: dict[str, Any]) -> Any:
    """What the run found, told as a report was: the choices of `assay report` for runs of pairs."""
    if run.plan["plan"]["kind"] in EXAMS:
        return find(run)
    return find_experiment(run, how["intervals"], how["compat"])
