"""Measures the induced-policy shift of agents: policies from records, their choices, findings, a file."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.analysis.shift import ANY as ANYWHERE
from assay.analysis.shift import (
    Extent,
    Moment,
    Place,
    Shift,
    ShiftFinding,
    Told,
    Values,
    choose_moments,
    estimate,
    generator,
    judge_level,
    rank_gaps,
    values_of_level,
)
from assay.analysis.stored_shift import (
    FILE,
    FORM,
    ShiftDocument,
    measuring_digest,
    read_document,
    read_shift,
    write_shift,
)
from assay.catalogue import env_entry
from assay.conduct.records import require_intact, require_same_code
from assay.errors import AssayError, NotApplicable
from assay.interop.film import to_pictures
from assay.plans.agents import has_training, settings_of, steps_of
from assay.plans.choose_questions import with_level
from assay.plans.job_plan import job_plan
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import train_plan
from assay.plans.plan import EXAMINE, ExamPlan, Plan, TrainPlan, extend, is_planned, plan_of, plan_to_json
from assay.plans.question import PLAIN
from assay.plans.shared_parts import basis_of
from assay.plans.shift_request import ShiftRequest, require_teller
from assay.plans.sources import digest_of_source
from assay.results import Job, Run
from assay.results.record import canonical, digest_of
from assay.runs.cache import keep_programs
from assay.runs.shift_jobs import Watched, count_programs, show_state, tell_level, watch
from assay.stats.resampling import bootstrap_t
from assay.strict_json import to_json
from assay.task_text import parse
from assay.tasks import resolve
from assay.tasks import task as canonical_task

PICTURE_S, STEP_S = 1.5e-3, 2e-6  # CPU-seconds of an observation with its choice: of a picture, of numbers
PICTURE_COMPILE_S, COMPILE_S = 10.0, 2.0  # of the programs of one structure of tasks

Tell = Callable[[int, int, str], None]  # done, of how many, what comes now


@dataclass(frozen=True)
class Subject:
    """The trained policies that are measured, and where their records are."""

    plan: Plan
    jobs: tuple[Job, ...]  # one per seed
    folder: Path | None = None  # of the run; None where nothing was trained
    fingerprint: str = ""


def plan_training(agent: str, task: str, request: ShiftRequest, **asked: Any) -> TrainPlan:
    """The plan that trains the policies, one by default; some agents come as they are."""
    settings = settings_of(agent, asked.get("settings") or {})
    require_teller(agent, settings, task)
    if has_training(agent, steps_of(settings)):
        asked["seeds"] = 1 if asked.get("seeds") is None else asked["seeds"]
        return train_plan(agent, task, episodes=request.episodes, **asked)
    return extend(
        basis_of(EXAMINE, agent, task, episodes=request.episodes, **asked), TrainPlan, task=request.task
    )


def subject_of_plan(plan: TrainPlan) -> Subject:
    """The policies of a plan that trains nothing."""
    fingerprint = digest_of([canonical(plan_to_json(plan)).encode()])
    return Subject(plan, tuple(jobs_of(plan)), fingerprint=fingerprint)


def subject_of_run(run: Run, task: str) -> Subject:
    """The policies of a run of `assay train` or of an exam, whose records and code are as they were."""
    plan = plan_of(run) if is_planned(run.plan) else None
    if not isinstance(plan, (TrainPlan, ExamPlan)):
        raise AssayError(
            f"{run.folder} holds neither an exam nor trained agents; `assay train` makes such a folder."
        )
    if str(canonical_task(task)) != plan.task:
        raise NotApplicable(f"the agents in {run.folder} are of {plan.task}; measure their shift there.")
    require_teller(plan.agent, dict(plan.settings), plan.task)
    require_intact(run)
    require_same_code(run)
    jobs = [job for job in run.jobs(status="done") if job.agent == plan.agent and job_plan(job).arm == PLAIN]
    missing = sorted(set(plan.seeds) - {job.seed for job in jobs})
    if missing:
        raise AssayError(
            f"{run.folder} has no finished agent of seed {missing[0]}; `assay resume {run.folder}` goes on."
        )
    jobs.sort(key=lambda job: job.seed)
    return Subject(plan, tuple(jobs), run.folder, run.fingerprint())


def find_shift(run: Run | None, subject: Subject, request: ShiftRequest, tell: Tell) -> ShiftDocument:
    """The shift that is asked for: the one in the run's folder, if it holds, or measured now."""
    digest = digest_of_request(request)
    if run is not None and (stored := read_shift(run).document) and stored.request == digest:
        return stored
    shift = measure_shift(subject, request, tell)
    source = digest_of_source(subject.plan)
    return ShiftDocument(FORM, digest, subject.fingerprint, source, measuring_digest(), shift)


def digest_of_request(request: ShiftRequest) -> str:
    return digest_of([canonical(to_json(request)).encode()])


def require_room(place: Run | Path, request: ShiftRequest, fingerprint: str = "") -> None:
    """Refuses a place that keeps the answer to another question; a run's answer counts while it holds.

    `fingerprint` is that of the subject, where the place is no run.
    """
    run, folder = (None, place) if isinstance(place, Path) else (place, place.folder)
    kept = read_document(folder, run).document
    if kept is None:
        return
    same_subject = run is not None or kept.fingerprint == fingerprint
    if not same_subject or kept.request != digest_of_request(request):
        raise AssayError(
            f"{folder} keeps the shift of {kept.shift.agent} under {name_axes(kept.shift)} "
            f"({kept.shift.states:,} states) already, and this is another question; move its {FILE}, "
            "shift.md and shift.png elsewhere or delete them, and measure again."
        )


def name_axes(shift: Shift, most: int = 3) -> str:
    names = list(dict.fromkeys(each.axis for each in shift.findings))
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def keep_shift(folder: Path, document: ShiftDocument) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return write_shift(folder, document)


class Cost(NamedTuple):
    """What a measurement asks for, beside the training of its agents."""

    frames: int  # observations made, at most
    programs: int
    seconds: float  # on a plain core, a guess


def guess_cost(plan: Plan, request: ShiftRequest) -> Cost:
    """The cost of a measurement, before it begins."""
    texts = [str(with_level(parse(request.task), each.axis, each.level)) for each in request.levels]
    programs, length, pictures = count_programs(plan.agent, request.task, texts)
    frames = len(plan.seeds) * (1 + len(texts)) * (request.episodes * length + request.states)
    compiling, frame = (PICTURE_COMPILE_S, PICTURE_S) if pictures else (COMPILE_S, STEP_S)
    return Cost(frames, programs, programs * compiling + frames * frame)


def measure_shift(subject: Subject, request: ShiftRequest, tell: Tell) -> Shift:
    """Renders the states of plain episodes plain and varied, and compares what the policies would do."""
    keep_programs()
    each = 1 + len(request.levels)
    watched: list[Watched] = []
    told: list[list[Told]] = [[] for _ in request.levels]
    for number, job in enumerate(subject.jobs):
        tell(number * each, len(subject.jobs) * each, f"{job.agent} plays {job.train_task}")
        policy = watch(job, subject.folder, request.states, request.episodes)
        watched.append(policy)
        for level, asked in enumerate(request.levels):
            tell(number * each + 1 + level, len(subject.jobs) * each, f"{asked.axis}={asked.level}")
            told[level].append(Told(*tell_level(policy, varied_text(job, request, level))))
    return judge(subject, request, watched, told)


def varied_text(job: Job, request: ShiftRequest, level: int) -> str:
    asked = request.levels[level]
    return str(with_level(parse(job.train_task), asked.axis, asked.level))


def judge(
    subject: Subject, request: ShiftRequest, watched: Sequence[Watched], told: Sequence[Sequence[Told]]
) -> Shift:
    """The findings from the choices of all policies at all levels."""
    plan = subject.plan
    rng = generator(plan.agent, to_json(request), [job.id for job in subject.jobs])
    plain = [each.visited.scores for each in watched]
    scores = plain[0] if len(plain) == 1 else np.array([each.mean() for each in plain])
    actions, looks = watched[0].actions, watched[0].setup.looks
    states, size = sum(each.states for each in watched), float(scores.mean())
    about = Extent(states / len(scores), actions, size, looks)
    values = [values_of_level(each) for each in told]
    findings = [
        judge_level(asked.axis, asked.level, each, about, rng) for asked, each in zip(request.levels, values)
    ]
    strongest: list[Values] = [each for asked, each in zip(request.levels, values) if asked.strongest]
    places = choose_moments(told, request.pictures)
    return Shift(
        agent=plan.agent,
        task=request.task,
        actions=action_names(request.task, actions),
        unit="episode" if len(watched) == 1 else "seed",
        seeds=tuple(job.seed for job in subject.jobs),
        episodes=request.episodes,
        states=states,
        plain_score=estimate(bootstrap_t(scores, rng=rng, step=abs(size) * (not np.ptp(scores))), ANYWHERE),
        findings=tuple(sorted(findings, key=by_distance)),
        rank=rank_gaps(strongest, rng),
        moments=tuple(show_moment(watched[place.policy], request, told, place) for place in places),
        pictures=watched[0].has_pictures,
        looks=looks,
        states_asked=request.states * len(watched),
        not_asked=request.not_asked,
    )


def by_distance(finding: ShiftFinding) -> tuple[float, str, str]:
    return -finding.distance.value, finding.axis, finding.level


def action_names(task: str, count: int) -> tuple[str, ...]:
    names = env_entry(parse(task).env).actions
    return names if len(names) == count else tuple(map(str, range(count)))


def show_moment(
    watched: Watched, request: ShiftRequest, told: Sequence[Sequence[Told]], place: Place
) -> Moment:
    """One state with its two observations and what the policy would do."""
    asked, choices = request.levels[place.level], told[place.level][place.policy]
    plain, varied = (side[place.episode][place.state] for side in (choices.plain, choices.varied))
    seen = [
        describe_observation(text, show_state(watched, text, place.episode, place.state), watched)
        for text in (watched.job.train_task, varied_text(watched.job, request, place.level))
    ]
    return Moment(
        asked.axis, asked.level, watched.job.seed, place.episode,
        int(watched.picks[place.episode][place.state]), float(np.abs(plain - varied).sum() / 2),
        tuple(map(float, plain)), tuple(map(float, varied)), *seen,
    )  # fmt: skip


def describe_observation(text: str, observation: np.ndarray, watched: Watched) -> str:
    """A picture as a PNG in base64, or numbers as text."""
    if not watched.has_pictures:
        return np.array2string(np.asarray(observation), precision=3, separator=", ", threshold=12)
    from PIL import Image

    picture = to_pictures(resolve(text), observation[None])[0]
    held = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(held, format="PNG", optimize=True)
    return base64.b64encode(held.getvalue()).decode()
