"""The progress of a run: the events that workers report, and a guess at the time that is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from statistics import median
from typing import NamedTuple

from assay.catalogue import family_of
from assay.core.family import EPISODE_WORK, Cost
from assay.plans.agents import catalogue_agent, is_outside
from assay.plans.job_plan import job_plan
from assay.results import Job, Run
from assay.runs.batches import Batch, is_native
from assay.task_spaces import native_spaces
from assay.task_text import parse
from assay.tasks import resolve

STEP_S = 1e-5  # CPU-seconds of a step of training on a plain core
PROGRAM_S = 8.0  # of compiling a program that draws pictures
PICTURE_STEPS = 500  # of an episode of pictures: the platformer's
DRAW_S = 5e-5  # of a picture


class Event(NamedTuple):
    """A message of a worker: `free`, `done` or `failed` with a job, `broken` with an unexpected error."""

    kind: str
    job: str = ""
    says: str = ""
    seconds: float = 0.0  # that the job took, where it is done


class Standing(NamedTuple):
    """The progress of a run at one moment."""

    done: int
    total: int
    failed: int
    seconds: float
    seconds_left: float | None  # None until a job like those that are left was finished
    says: str


# An agent, whether it is trained, and what its steps cost: none of these tells anything of the others' pace.
Kind = tuple[str, bool, str]
PICTURES = "pictures"  # of a native task, whose programs take long to compile

Listener = Callable[[Standing], None]


def no_listener(standing: Standing) -> None:
    pass


def work_of(job: Job) -> float:
    """The work of a job in env steps of training; in a program a step of evaluation counts little."""
    todo = job_plan(job)
    played = len(todo.tries) * todo.episodes
    if is_native(job) and sees_pictures(job.train_task):
        seconds = programs_of(job) * PROGRAM_S + played * picture_episode_s(job)
        return job.budget + seconds / STEP_S
    return job.budget + EPISODE_WORK[step_cost(job)] * played


def kind_of(job: Job) -> Kind:
    of_pictures = is_native(job) and sees_pictures(job.train_task)
    return job.agent, job.budget > 0, PICTURES if of_pictures else step_cost(job)


@cache
def sees_pictures(task: str) -> bool:
    """Whether the observations of a native task are pictures; cached, for the task has to be built."""
    return len(native_spaces(resolve(task))["observation"].shape) > 1


def programs_of(job: Job) -> int:
    """The programs that play the tries of a job on pictures, where every axis has one of its own."""
    return len({each.axis for each in job_plan(job).tries})


def picture_episode_s(job: Job) -> float:
    """CPU-seconds of an episode of pictures: of drawing them, and of the agent's choices."""
    return PICTURE_STEPS * (DRAW_S + catalogue_agent(job.agent).picture_act_s)


def step_cost(job: Job) -> Cost:
    """The cost of a step of evaluation. Agents from outside are called at each step, on native envs too."""
    return "light" if is_outside(job.agent) else family_of(parse(job.train_task).env).cost


class Watch:
    """Counts what is done, and guesses what is left from how long jobs of the same agent took."""

    def __init__(self, run: Run, tell: Listener) -> None:
        self.jobs = {job.id: job for job in run.jobs()}
        # Every event asks for what is left: computed each time, it would grow with the square of the jobs.
        self.work = {name: work_of(job) for name, job in self.jobs.items()}
        self.done: set[str] = set(run.progress().done)
        self.failed: set[str] = set()
        self.paces: dict[Kind, list[float]] = {}  # the seconds per unit of work of each finished job
        for job in self.done:
            self.note_pace(job, self.jobs[job].wall_s or 0.0)
        self.tell = tell
        self.hands = 1  # processes at work
        self.batch: dict[str, int] = {}  # by job: jobs of one batch are trained together
        self.begun = time.monotonic()

    def expect(self, work: Sequence[Batch], hands: int) -> None:
        """Notes the batches in which the jobs will be done, and the number of processes."""
        self.hands = hands
        self.batch = {job.id: number for number, batch in enumerate(work) for job in batch.jobs}

    def note_pace(self, job: str, seconds: float) -> None:
        if seconds > 0:
            self.paces.setdefault(kind_of(self.jobs[job]), []).append(seconds / self.work[job])

    def take(self, event: Event) -> None:
        (self.done if event.kind == "done" else self.failed).add(event.job)
        self.note_pace(event.job, event.seconds)
        self.tell(self.standing(event.says))

    def standing(self, says: str = "") -> Standing:
        seconds = time.monotonic() - self.begun
        return Standing(len(self.done), len(self.jobs), len(self.failed), seconds, self.seconds_left(), says)

    def seconds_left(self) -> float | None:
        """A guess; None while jobs are left of a kind of which none is finished, since kinds differ."""
        # The first job of a program pays for compiling it, and the median of many leaves that out.
        paces = {kind: median(each) for kind, each in self.paces.items()}
        ended = self.done | self.failed
        # Once one job of a batch is done, the whole batch is trained, and the others follow at once.
        trained = {self.batch[job] for job in ended if job in self.batch}
        left = [job for job in self.jobs.values()
                if job.id not in ended and self.batch.get(job.id) not in trained]  # fmt: skip
        if not left or any(kind_of(job) not in paces for job in left):
            return None
        return sum(self.work[job.id] * paces[kind_of(job)] for job in left) / self.hands

    def tell_waiting(self) -> None:
        self.tell(self.standing("waiting for another process that works on this run"))
