"""Plans of runs, as frozen records. `run.json` keeps a plan as JSON, and the plan alone decides the jobs.

train           trains one agent on one task and keeps the weights of our own agents
examine, sweep  trains, then tries every axis of the task, or given axes at given levels
run             trains and evaluates the pairs of a suite or of a design
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from assay.errors import AssayError
from assay.plans.question import Question
from assay.strict_json import Json, WrongDocument, from_json, to_json
from assay.suites.suite import PublishedScore

if TYPE_CHECKING:
    from assay.results import Run

VERSION = 1  # of the JSON; a later one reads the earlier ones
TRAIN, EXAMINE, SWEEP, RUN = "train", "examine", "sweep", "run"
KINDS = (TRAIN, EXAMINE, SWEEP, RUN)
EXAMS = (EXAMINE, SWEEP)
CONTROL, UNKNOWN = "control", "unknown"  # directions of a pair's evaluation task, beside those of axes


@dataclass(frozen=True, kw_only=True)
class Basis:
    """The part that all plans share: the agent, its training, and how it is evaluated."""

    kind: str
    agent: str
    settings: Mapping[str, Any]  # of the agent, all of them
    budget: int  # env steps of training; 0 for an agent that is not trained
    trains: bool  # whether seeds are trained and are the units; else episodes are
    seeds: tuple[int, ...]
    episodes: int  # evaluation episodes per task and seed
    own_worlds: bool  # every trained seed has a generated world of its own
    trust: bool = False  # let a checkpoint run the code inside it
    max_steps: int | None = None  # after which episodes are cut; None where the env has a limit
    transcripts: bool = False  # keep every step of the evaluation
    companions: tuple[str, ...] = ()  # axes at neutral in every program, beside those of a task
    proofs: Mapping[str, str] = field(default_factory=dict)  # by name of the user's own variations


class Plan(Basis, ABC):
    """A plan of any kind."""

    @property
    @abstractmethod
    def tasks(self) -> tuple[str, ...]:
        """The texts of the tasks that the plan names, without worlds of seeds and without levels."""

    @property
    def name(self) -> str:
        """The task or the suite that the plan is about."""
        return self.tasks[0]


@dataclass(frozen=True)
class ScoreRange:
    """The range of the task's scores, as its env declares it."""

    low: float
    high: float
    two_valued: bool  # only the two ends occur


@dataclass(frozen=True)
class TaskLimits:
    """What is known of the episodes of a task before one is played."""

    score: ScoreRange | None = None
    steps: int | None = None  # after which every episode is over


@dataclass(frozen=True, kw_only=True)
class TrainPlan(Plan):
    task: str
    limits: Mapping[str, TaskLimits] = field(default_factory=dict)  # by task

    @property
    def tasks(self) -> tuple[str, ...]:
        return (self.task,)


@dataclass(frozen=True)
class NotAsked:
    """Axes that an exam leaves out, all for one reason."""

    axes: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Weights:
    """Weights that an earlier run trained."""

    folder: str
    job: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class ExamPlan(Plan):
    """An exam: questions on one task. `sweep` is an exam of given axes and levels."""

    task: str
    questions: tuple[Question, ...]
    not_asked: tuple[NotAsked, ...]
    margin: float
    score_range: ScoreRange | None = None
    # By seed, of agents that an earlier run trained.
    weights: Mapping[str, Weights] = field(default_factory=dict)

    @property
    def tasks(self) -> tuple[str, ...]:
        return (self.task,)

    @property
    def columns(self) -> int:
        """How many levels the exam tries, over all axes."""
        return sum(len(question.levels) for question in self.questions)


@dataclass(frozen=True, kw_only=True)
class PairPlan:
    """Train on one task, evaluate on another."""

    train: str
    evaluate: str
    name: str = ""  # its published id, such as "filters 4"
    axis: str = ""  # the axis it belongs to, such as "filters"
    settings: Mapping[str, Any] | None = None  # of the agent in this pair; None for those of the plan
    point: Mapping[str, Any] = field(default_factory=dict)  # its settings among those in which pairs differ
    changes: Mapping[str, tuple[Any, Any]] = field(
        default_factory=dict
    )  # parameters in which its tasks differ
    baseline: str = ""  # the name of the pair that it is compared with
    published: tuple[PublishedScore, ...] = ()
    cell: tuple[str, str] | None = None  # names of both tasks, where the pairs are the cells of a matrix
    direction: str = (
        ""  # what the variation does to the difficulty for people; "control" where it does nothing
    )

    @property
    def tasks(self) -> tuple[str, str]:
        return self.train, self.evaluate


@dataclass(frozen=True)
class MeasurePlan:
    """A measure of the env beside the score, as reports show it."""

    name: str
    title: str
    gap: str  # how a loss is shown: as a share of the value before, or as a difference
    digits: int
    range: tuple[float | None, float | None] | None = None  # of all possible values; None: no end is known


@dataclass(frozen=True)
class BlindPlan:
    """The search for the best blind policy, which is evaluated beside the agent."""

    pairs: tuple[PairPlan, ...]
    settings: tuple[Mapping[str, Any], ...]  # one for each way to choose the policy
    words: tuple[str, str]  # the names of the held action and of the pressed one


@dataclass(frozen=True)
class RandomPlay:
    """The random play that a task has, among what is shipped."""

    task: str  # without what only changes observations
    rules: str  # a digest of the data that decide its scores


@dataclass(frozen=True, kw_only=True)
class SuitePlan:
    name: str
    version: int
    asks: str
    pairs: tuple[PairPlan, ...]
    measures: tuple[MeasurePlan, ...] = ()
    blind: BlindPlan | None = None
    rollouts: bool = False  # play the policy of every report too
    random: bool = False  # play every evaluation task at random too
    counts_events: bool = False  # count what variations do in each episode of a hosted task
    normalised: str = ""  # as whose scores reports normalise these, "hackatari"; "" for nobody's
    random_play: Mapping[str, RandomPlay] = field(
        default_factory=dict
    )  # by evaluation task, where normalised


@dataclass(frozen=True, kw_only=True)
class PairsPlan(Plan):
    suite: SuitePlan
    limits: Mapping[str, TaskLimits] = field(default_factory=dict)  # by task
    # By seed, of agents that an earlier run trained.
    weights: Mapping[str, Weights] = field(default_factory=dict)

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(text for pair in self.suite.pairs for text in pair.tasks)

    @property
    def name(self) -> str:
        return self.suite.name


RECORDS: dict[str, type[Plan]] = {TRAIN: TrainPlan, EXAMINE: ExamPlan, SWEEP: ExamPlan, RUN: PairsPlan}
P = TypeVar("P", bound=Plan)


def extend(base: Basis, record: type[P], **more: Any) -> P:
    """A plan of one kind, from the part that all plans share and the fields that this kind adds."""
    shared = {each.name: getattr(base, each.name) for each in fields(Basis)}
    return record(**shared, **more)


def plan_to_json(plan: Plan) -> dict[str, Json]:
    return {"version": VERSION, **to_json(plan)}


def is_planned(document: Mapping[str, Any]) -> bool:
    """Whether a command of assay made this plan; a run made with the library has another, or none."""
    return document.get("kind") in KINDS


def plan_from_json(document: Mapping[str, Any], where: str) -> Plan:
    """The plan that `run.json` holds; `where` names the run in errors."""
    if not is_planned(document):
        raise AssayError(
            f"{where} has no plan that a command of assay made; `assay verify` checks its records, "
            "and the library reads them (docs/records.md)."
        )
    version = document.get("version")
    if version != VERSION:
        planner = "an older assay" if version is None else f"an assay whose plans are of version {version}"
        raise AssayError(
            f"{where} was planned by {planner}, and this one reads version {VERSION}; run it anew."
        )
    values = {name: value for name, value in document.items() if name != "version"}
    try:
        return from_json(RECORDS[document["kind"]], values, "its plan")
    except WrongDocument as error:
        reason = str(error).rstrip(".")
        raise AssayError(
            f"the run.json of {where} is not whole: {reason}; restore it from a copy, or run anew."
        ) from None


def plan_of(run: Run) -> Plan:
    """The plan of a run that a command of assay made."""
    return plan_from_json(run.plan, str(run.folder))


def exam_plan_of(run: Run) -> ExamPlan:
    """The plan of an exam; refuses any other run."""
    plan = plan_of(run)
    if not isinstance(plan, ExamPlan):
        raise AssayError(
            f"{run.folder} is a run of `assay {plan.kind}`, not an exam; `assay examine` makes one."
        )
    return plan


def request_of(plan: P) -> P:
    """The plan without proofs, companions, limits and random play.

    A renewed certificate, a new variation, other rules of random play, or more that is known of a task make
    no other run.
    """
    bare = replace(plan, proofs={}, companions=())
    if isinstance(bare, (TrainPlan, PairsPlan)):
        bare = replace(bare, limits={})
    if isinstance(bare, PairsPlan):
        bare = replace(bare, suite=replace(bare.suite, random_play={}))
    if isinstance(bare, ExamPlan):
        bare = replace(bare, questions=tuple(replace(each, proof="") for each in bare.questions))
    return bare


def through_json(value: Any) -> Any:
    """A value as JSON returns it, tuples as lists, so that a plan that was read back equals the original."""
    return json.loads(json.dumps(value))
