"""What a run is to do, as frozen records. `run.json` keeps a plan as JSON; jobs follow from it alone.

train           one agent on one task, its weights kept
examine, sweep  train, then every axis of the task, or given axes at given levels
run             the pairs of a suite or of a design
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

if TYPE_CHECKING:
    from assay.results import Run

VERSION = 1  # of the JSON; a later one reads the earlier ones
TRAIN, EXAMINE, SWEEP, RUN = "train", "examine", "sweep", "run"
KINDS = (TRAIN, EXAMINE, SWEEP, RUN)
EXAMS = (EXAMINE, SWEEP)


@dataclass(frozen=True, kw_only=True)
class Basis:
    """What every plan holds: who acts, how much it learns, and how long it is played."""

    kind: str
    agent: str
    settings: Mapping[str, Any]  # of the agent, all of them
    budget: int  # env steps of training, 0 for a given agent
    trains: bool  # whether seeds are trained, so that they are the units; else episodes are
    seeds: tuple[int, ...]
    episodes: int  # of evaluation, per task and seed
    own_worlds: bool  # every trained seed has a generated world of its own
    trust: bool = False  # let a checkpoint run the code inside it
    max_steps: int | None = None  # after which episodes are cut; None where the env has a limit
    transcripts: bool = False  # every step of the evaluation is kept
    companions: tuple[str, ...] = ()  # axes that stand at neutral in every program, beside those of a task
    proofs: Mapping[str, str] = field(default_factory=dict)  # of the user's own variations


class Plan(Basis, ABC):
    """A plan of any kind; which one, its record says."""

    @property
    @abstractmethod
    def tasks(self) -> tuple[str, ...]:
        """The texts of the tasks that it names, before seeds and levels."""

    @property
    def name(self) -> str:
        """What it is about, in a word: its task, or its suite."""
        return self.tasks[0]


@dataclass(frozen=True, kw_only=True)
class TrainPlan(Plan):
    task: str

    @property
    def tasks(self) -> tuple[str, ...]:
        return (self.task,)


@dataclass(frozen=True)
class NotAsked:
    """Axes that are left out for one reason."""

    axes: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class ScoreRange:
    """Where scores of the task lie, as its env declares it."""

    low: float
    high: float
    two_valued: bool  # only the two ends occur


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
    weights: Mapping[str, Weights] = field(
        default_factory=dict
    )  # by seed, of agents that were trained before

    @property
    def tasks(self) -> tuple[str, ...]:
        return (self.task,)

    @property
    def columns(self) -> int:
        """How many levels are tried, all axes together."""
        return sum(len(question.levels) for question in self.questions)


@dataclass(frozen=True, kw_only=True)
class PairPlan:
    """Train on one task, evaluate on another."""

    train: str
    evaluate: str
    name: str = ""  # its published id, such as "filters 4"
    axis: str = ""  # to which it belongs, such as "filters"
    settings: Mapping[str, Any] | None = None  # of the agent in this pair; None for those of the plan
    point: Mapping[str, Any] = field(default_factory=dict)  # what is set here, of that in which pairs differ
    changes: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)  # in which its tasks differ

    @property
    def tasks(self) -> tuple[str, str]:
        return self.train, self.evaluate


@dataclass(frozen=True)
class MeasurePlan:
    """A measure of the env beside the score, as reports show it."""

    name: str
    title: str
    gap: str  # how a loss is told: a share of what was there, or a difference
    digits: int
    range: tuple[float, float] | None = None  # in which it lies, whatever happens


@dataclass(frozen=True)
class BlindPlan:
    """The best policy that does not look, searched for and played beside the agent."""

    pairs: tuple[PairPlan, ...]
    settings: tuple[Mapping[str, Any], ...]  # one for each way to choose it
    words: tuple[str, str]  # the names of the action that is held and of the one that is pressed


@dataclass(frozen=True, kw_only=True)
class SuitePlan:
    name: str
    version: int
    asks: str
    pairs: tuple[PairPlan, ...]
    measures: tuple[MeasurePlan, ...] = ()
    blind: BlindPlan | None = None
    rollouts: bool = False  # the policy of every report is played too


@dataclass(frozen=True, kw_only=True)
class PairsPlan(Plan):
    suite: SuitePlan

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(text for pair in self.suite.pairs for text in pair.tasks)

    @property
    def name(self) -> str:
        return self.suite.name


RECORDS: dict[str, type[Plan]] = {TRAIN: TrainPlan, EXAMINE: ExamPlan, SWEEP: ExamPlan, RUN: PairsPlan}
P = TypeVar("P", bound=Plan)


def extend(base: Basis, record: type[P], **more: Any) -> P:
    """A plan of one kind, from what every plan holds and what this kind adds."""
    shared = {each.name: getattr(base, each.name) for each in fields(Basis)}
    return record(**shared, **more)


def plan_to_json(plan: Plan) -> dict[str, Json]:
    return {"version": VERSION, **to_json(plan)}


def is_planned(document: Mapping[str, Any]) -> bool:
    """Whether a command of assay made this plan; records of the library's own have another, or none."""
    return document.get("kind") in KINDS


def plan_from_json(document: Mapping[str, Any], where: str) -> Plan:
    """The plan that `run.json` holds. `where` names the run in what is wrong with it."""
    if not is_planned(document):
        raise AssayError(
            f"{where} was planned by no command of assay; `assay verify` checks its records, "
            "and the library reads them (docs/records.md)."
        )
    version = document.get("version")
    if version != VERSION:
        made = "an older assay" if version is None else f"an assay whose plans are of version {version}"
        raise AssayError(f"{where} was planned by {made}, and this one reads version {VERSION}; run it anew.")
    fields_of_it = {name: value for name, value in document.items() if name != "version"}
    try:
        return from_json(RECORDS[document["kind"]], fields_of_it, "its plan")
    except WrongDocument as error:
        says = str(error).rstrip(".")
        raise AssayError(
            f"the run.json of {where} is not whole: {says}; restore it from a copy, or run anew."
        ) from None


def plan_of(run: Run) -> Plan:
    """The plan of a run that a command of assay made."""
    return plan_from_json(run.plan, str(run.folder))


def exam_plan_of(run: Run) -> ExamPlan:
    """The plan of an exam; any other run is refused."""
    plan = plan_of(run)
    if not isinstance(plan, ExamPlan):
        raise AssayError(
            f"{run.folder} is a run of `assay {plan.kind}`, not an exam; `assay examine` makes one."
        )
    return plan


def as_asked(plan: P) -> P:
    """What is asked alone: neither a certificate renewed meanwhile nor a new variation makes another run."""
    bare = replace(plan, proofs={}, companions=())
    if isinstance(bare, ExamPlan):
        bare = replace(bare, questions=tuple(replace(each, proof="") for each in bare.questions))
    return bare


def as_read_back(value: Any) -> Any:
    """Settings and levels as JSON gives them back, tuples as lists: a plan equals itself after a visit."""
    return json.loads(json.dumps(value))
