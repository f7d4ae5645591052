"""A run from its plan to its end: jobs, then references, then the training that the findings ask for.

Everything here can be done again: `resume` calls the same function on the folder of a killed run.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.names import TaskText, parse
from assay.report.exam import Exam
from assay.report.findings import find, to_retrain
from assay.report.table import strict
from assay.results import Finding, Reference, Run, create, open_run
from assay.results.asked import BLIND, CARRY, PLAIN, RANDOM, RETRAIN, lacking
from assay.results.books import RETRAINING
from assay.results.record import canonical, digest_of
from assay.runs.local import Listener, no_listener, run_all
from assay.runs.plan import KINDS, folder_name, jobs_of, retrained, without_proofs
from assay.runs.sources import changed_since, digest_of_source, outdated, pieces_of_source
from assay.stats.bootstrap import bootstrap_t
from assay.tasks import optimum, resolve

EXAMS = ("examine", "sweep")
UNKNOWN_CHANGE = "another version of assay, of a library, or of your own files"
ONCE, LOST = "used once: ", "lost: "  # how the log begins to tell why a finished job was done again


def open_or_create(plan: dict[str, Any], folder: Path | None, command: Iterable[str], runs: Path) -> Run:
    """The run of a plan: the one that is there, if the same was asked of the same code before."""
    place = folder or runs / folder_name(plan)
    if not (place / "run.json").exists():
        try:
            return create(place, plan, command, pieces_of_source(plan))
        except AssayError:
            if not (place / "run.json").exists():
                raise
            # Another process was first with the same: its run is joined.
    run = open_run(place)
    if without_proofs(run.plan["plan"]) != without_proofs(plan):
        run.close()
        raise AssayError(f"{place} holds another run: {run.plan['plan']['kind']} was asked otherwise; "
                         "give another folder.")  # fmt: skip
    return run


def conduct(run: Run, workers: int = 0, tell: Listener = no_listener) -> list[str]:
    """Does all that is left of a run; the sentences say what failed."""
    plan = planned(run)
    require_same_code(run)
    run.give_up_results(lost_jobs(run) | outdated_jobs(run))
    run.add_jobs(jobs_of(plan))
    failed = run_all(run, workers, tell)
    try:
        if run.progress().done:
            run.add_references(first_references(run), replace=True)
            if plan["kind"] in EXAMS and plan["retrains"] and has_plain_play(run):
                run.add_decision(RETRAINING, decide_retraining(run))
                run.add_jobs(retrained(plan, levels_to_retrain(run)))
                failed = run_all(run, workers, tell)
                run.add_references(retrained_scores(run), replace=True)
    finally:
        if not run.progress().left:
            run.seal()
    return failed


def has_plain_play(run: Run) -> bool:
    """Whether the agent played the plain task at least once: without that nothing can be compared."""
    jobs = run.jobs(status="done", agent=run.plan["plan"]["agent"])
    return any(job.config["tries"][0][0] == PLAIN for job in jobs)


def outdated_jobs(run: Run) -> dict[str, str]:
    """The jobs that may not come out the same now, by what is recorded of them, and why."""
    return {job.id: f"{ONCE}{why}" for job in run.jobs(status="done") if (why := outdated(job))}


def lost_jobs(run: Run) -> dict[str, str]:
    """The jobs whose curves or weights are missing or damaged; refused where more than that is wrong."""
    found = run.verify()
    others = [each for each in found.findings if each.job not in found.lost and each.what != "report"]
    if others:
        raise fails_its_digests(run, others)
    return dict.fromkeys(found.lost, f"{LOST}a file that it left is missing or not as written")


def require_intact(run: Run) -> None:
    """Nothing is said from records that are not the ones that were written, nor from half a plan."""
    if run.plan["plan"].get("kind") in KINDS:
        planned(run)
    found = run.verify()
    if not found.holds:
        raise fails_its_digests(run, found.findings)


def fails_its_digests(run: Run, findings: Sequence[Finding]) -> AssayError:
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    lost = all(each.what in ("curves", "weights") for each in findings)
    move = (
        f"`assay resume {run.folder}` does the job again" if lost else "restore it from a copy, or run anew"
    )
    return AssayError(
        f"the records of {run.folder} fail their digests: {findings[0].says.rstrip('.')}{more}; {move}."
    )


def decide_retraining(run: Run) -> dict[str, Any]:
    """Where agents are to be trained anew, and the findings that this rests on."""
    exam = find(run, retrained=False)
    effects = {(each.axis, each.level): strict(each.effect) for each in exam.findings if each.arm == CARRY}
    levels = [
        {"axis": axis, "level": level, "effect": effects[axis, level]} for axis, level in to_retrain(exam)
    ]
    return {"levels": levels, "findings": digest_of([canonical(strict(exam.findings)).encode()])}


def levels_to_retrain(run: Run) -> list[tuple[str, str]]:
    """(axis, level) of every decision: a run that is resumed may have decided more than once."""
    made = [each for decision in run.decisions(kind=RETRAINING) for each in decision.decided["levels"]]
    return list(dict.fromkeys((each["axis"], each["level"]) for each in made))


class Reused(NamedTuple):
    """How many finished jobs of a run were there before it was opened, and when the last of them ended."""

    jobs: int
    of: int
    since: float  # seconds since 1970 UTC
    random_alone: bool = False  # whether all of them are random play, and none the agent's

    @property
    def says(self) -> str:
        """`reused from 03:52, same agent, task and code`, with its day where that is not today."""
        then, now = time.localtime(self.since), time.localtime()
        day = "" if then[:3] == now[:3] else time.strftime("%Y-%m-%d ", then)
        shown = f"{day}{time.strftime('%H:%M', then)}"
        if self.random_alone:
            jobs = "job" if self.jobs == 1 else f"{self.jobs} jobs"
            return f"random play's {jobs} reused from {shown}, same task and code; the agent's are new"
        some = "" if self.jobs == self.of else f"{self.jobs} of {self.of} jobs "
        return f"{some}reused from {shown}, same agent, task and code"


def reused_in(run: Run) -> Reused | None:
    """What of a run's results is of an earlier command; None where all of it is new."""
    done = run.jobs(status="done")
    earlier = [job for job in done if job.ended is not None and job.ended < run.opened]
    if not earlier:
        return None
    agents = {job.agent for job in earlier}
    alone = agents == {RANDOM} != {job.agent for job in done}
    return Reused(len(earlier), len(done), max(job.ended for job in earlier), alone)


def replaced_in(run: Run) -> str:
    """What of a run's earlier results was done again since it was opened, and why; "" where nothing was."""
    told = [each for each in run.attempts() if (each.outcome or "").startswith((ONCE, LOST))]
    now = [each for each in told if each.ended is not None and each.ended >= run.opened]
    if not now:
        return ""
    jobs = len({each.job for each in now})
    why = now[0].outcome.removeprefix(ONCE).removeprefix(LOST)
    return f"replaced the earlier results of {jobs} job{'s' if jobs > 1 else ''}: {why}"


def references_of(run: Run) -> list[Reference]:
    """Every reference of a run that is at its end."""
    if not run.progress().done:
        return []
    plan = run.plan["plan"]
    again = plan["kind"] in EXAMS and plan["retrains"]
    return [*first_references(run), *(retrained_scores(run) if again else ())]


def first_references(run: Run) -> list[Reference]:
    """Those that findings are measured by."""
    return [*random_scores(run), *blind_scores(run), *optima(run)]


def planned(run: Run) -> dict[str, Any]:
    """The plan of a run that a command made; records of the library's own have another, or none."""
    plan = run.plan["plan"]
    if plan.get("kind") not in KINDS:
        raise AssayError(
            f"{run.folder} was planned by no command of assay; `assay verify` checks its records, "
            "and the library reads them (docs/records.md)."
        )
    if lacks := lacking(run.plan):
        raise AssayError(
            f"the run.json of {run.folder} is not whole: {lacks}; restore it from a copy, or run anew."
        )
    return plan


def require_same_code(run: Run) -> None:
    """Yesterday's records are never mixed with today's."""
    now = digest_of_source(planned(run))
    if any(job.source_digest != now for job in run.jobs()):
        what = changed_since(run.plan.get("sources"), planned(run)) or UNKNOWN_CHANGE
        raise AssayError(
            f"{run.folder} was made by other code ({what}), and results of two codes do not mix; "
            "run it anew in another folder."
        )


def random_scores(run: Run) -> list[Reference]:
    return referenced(run, {job.id for job in run.jobs(agent=RANDOM, status="done")}, "random", "random play")


def blind_scores(run: Run) -> list[Reference]:
    jobs = run.jobs(agent=BLIND, status="done")
    chosen = {job.id for job in jobs if job.config["agent"]["choose"] == "score"}
    return referenced(run, chosen, "blind", "the best policy of a family that does not look")


def retrained_scores(run: Run) -> list[Reference]:
    jobs = [job for job in run.jobs(status="done") if job.config["tries"][0][0] == RETRAIN]
    return referenced(run, {job.id for job in jobs}, "retrained", "agents trained there and evaluated there")


def referenced(run: Run, jobs: set[str], kind: str, how: str) -> list[Reference]:
    """The mean score of some jobs on each task they played, with its interval."""
    if not jobs:
        return []
    keys = ["task", "job"]
    rows = run.episodes(job=sorted(jobs)).group_by(keys).aggregate([("score", "mean")]).to_pylist()
    by_task: dict[str, list[float]] = {}
    for row in sorted(rows, key=lambda row: row["job"]):
        by_task.setdefault(row["task"], []).append(row["score_mean"])
    found = []
    for task, values in sorted(by_task.items()):
        ends: dict[str, float] = {}
        if len(values) > 1 and np.ptp(values) > 0:
            interval = bootstrap_t(np.array(values), rng=np.random.default_rng(0))
            ends = {"low": interval.low, "high": interval.high}
        found.append(Reference(task=task, kind=kind, value=float(np.mean(values)), n=len(values),
                               how=f"{how}, mean of {len(values)} seeds", **ends))  # fmt: skip
    return found


def optima(run: Run) -> list[Reference]:
    """The best possible score of every task played, where it can be computed."""
    tasks = sorted(set(run.episodes()["task"].to_pylist()))
    found = [(task, optimum(as_scored(task))) for task in tasks]
    return [
        Reference(task=task, kind="optimum", value=best.value, how=best.how)
        for task, best in found
        if best.value is not None
    ]


def as_scored(task: str) -> TaskText:
    """The task without what changes only the payment: scores are those of the unmodified reward."""
    found = resolve(parse(task))
    kept = [
        s for axis, s in zip(found.axes, found.text.settings) if axis.asks or axis.components != ("reward",)
    ]
    return TaskText(found.text.env, tuple(kept))


def examined(run: Run) -> Exam:
    """What the run found; refused where it is no exam."""
    kind = run.plan["plan"].get("kind")
    if kind not in EXAMS:
        raise AssayError(f"{run.folder} is a run of `assay {kind}`, not an exam; `assay examine` makes one.")
    return find(run)
