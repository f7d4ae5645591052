"""What a run asked, as its plan in `run.json` holds it, and the words that the records use for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from assay.results.record import canonical

# The arms: the plain task; the agent frozen; trained under the variation; trained anew where it broke.
PLAIN, CARRY, LEARN, RETRAIN = "plain", "carry", "learn", "retrain"
PAIR = "pair"  # of a suite: where an agent is evaluated that was trained elsewhere
RANDOM = "random"  # the agent that others are measured against
BLIND = "blind"  # the agent that does not look, another one to be measured against

Where = tuple[str, str, str]  # arm, axis, level: the place of a score
PLAIN_PLACE: Where = (PLAIN, "", "")


# What `run.json` and the plan in it hold, whatever the kind; what more an exam and a run of pairs do.
DOCUMENT = {"command": list, "created": (int, float), "versions": dict, "source_digest": str}
ALWAYS = {"agent": str, "config": dict, "budget": int, "task": str, "seeds": list, "episodes": int,
          "own_mdp": bool, "trains": bool}  # fmt: skip
OF_EXAM = {"questions": list, "not_asked": list, "margin": (int, float), "retrains": bool}
OF_PAIRS = {"suite": dict}
OF_SUITE = {"name": str, "version": int, "pairs": list}


@dataclass(frozen=True)
class Question:
    """One axis and the levels at which it is tried; everything that a report says of the axis."""

    arm: str
    axis: str
    levels: tuple[str, ...]  # as in a task's text
    neutral: str
    ordered: bool
    shares: bool  # compare shares of each task's own optimum, for what is asked differs
    components: tuple[str, ...]
    means: str
    proof: str = ""  # how far it is proved that the axis changes what it declares; "" in older records

    @property
    def places(self) -> list[Where]:
        return [(self.arm, self.axis, level) for level in self.levels]

    def as_plan(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_plan(cls, plan: Mapping[str, Any]) -> Question:
        lists = {name: tuple(plan[name]) for name in ("levels", "components")}
        return cls(**{**plan, **lists})


def lacking(document: Mapping[str, Any]) -> str:
    """What a `run.json` that a command wrote would have and this one has not, or "" if it is whole."""
    plan = document["plan"]
    more = {"examine": OF_EXAM, "sweep": OF_EXAM, "run": OF_PAIRS}.get(plan["kind"], {})
    parts = [("it", document, DOCUMENT), ("its plan", plan, ALWAYS | more)]
    parts += [("its suite", plan.get("suite"), OF_SUITE)] if more is OF_PAIRS else []
    for where, part, wanted in parts:
        for name, kind in wanted.items():
            if not isinstance(part, Mapping) or not isinstance(part.get(name), kind):
                return f"{where} has no {name}, or one of another kind"
    for each in plan.get("questions", ()):
        try:
            Question.of_plan(each)
        except (KeyError, TypeError):
            return f"its plan has a question that is none: {str(each)[:60]}"
    return ""


class Place(NamedTuple):
    """Where the records of a pair are: pairs that are trained alike share a job."""

    job: str  # the `pair` of the job
    task: int  # which of the job's tasks is the one evaluated on; 0 is the one trained on


def places(pairs: Sequence[Sequence[str]], settings: Sequence[Any] = ()) -> list[Place]:
    """Of each pair, its task trained on and its task evaluated on; `settings` are the agent's, by pair."""
    tasks: dict[str, list[str]] = {}  # by what is trained: the tasks of its job
    heads: dict[str, str] = {}
    found = []
    for number, (train, evaluate) in enumerate(pairs):
        trained = canonical([train, settings[number] if settings else None])
        heads.setdefault(trained, pair_name(number))
        played = tasks.setdefault(trained, [train])
        if evaluate not in played:
            played.append(evaluate)
        found.append(Place(heads[trained], played.index(evaluate)))
    return found


def pair_name(number: int) -> str:
    return f"{number:03d}"


def rollout_name(task: int, measure: str) -> str:
    """The curve of a measure of the policy at each report, in one of the tasks of its job."""
    return f"rollout.{task}.{measure}"
