"""Compares the plan of a run with what its agent, the catalogue, the certificates and its command give.

The parts of a plan that decide its jobs are compared with the jobs; this module compares the other parts,
which decide only words and verdicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from assay.catalogue import axis_of, env_entry
from assay.errors import AssayError
from assay.plans.agents import has_training, steps_of, why_unfit
from assay.plans.choose_questions import make_question, without_functions
from assay.plans.defaults import MARGIN
from assay.plans.plan import EXAMINE, ExamPlan, Plan
from assay.plans.question import Question
from assay.plans.shared_parts import declared_range, draws_worlds, limits_of_tasks
from assay.plans.sources import pieces_of_source
from assay.proof.certificate import standing
from assay.proof.own_proofs import ELSEWHERE, FAILED, HERE, PARTLY, SHIPPED, UNPROVED, WORDS, is_own
from assay.results import Document
from assay.strict_json import to_json
from assay.task_spaces import SpaceTable
from assay.task_text import parse, parse_value

FIELDS = (
    "arm",
    "neutral",
    "ordered",
    "shares",
    "components",
    "means",
)  # of a question; its levels are compared with the jobs
OPTION_TYPES: dict[str, type[float]] = {
    "--margin": float,
    "--episodes": int,
    "--seeds": int,
    "--first-seed": int,
    "--steps": int,
}


def plan_differences(document: Document, plan: Plan) -> Iterator[str]:
    """A sentence on everything in a `run.json` that contradicts the agent, the catalogue or the command."""
    for name, derived in derive_fields(plan).items():
        planned = getattr(plan, name)
        if planned != derived:
            yield (
                f"the plan has {name} {to_json(planned)!r}, but its agent and task give {to_json(derived)!r}."
            )
    yield from command_differences(plan, document.command)
    if isinstance(plan, ExamPlan):
        yield from question_differences(plan)
    if document.sources is not None and document.sources != pieces_of_source(plan):
        yield "the run lists other sources of its code than its agent and tasks give."
    for axis, word in plan.proofs.items():
        if word in (SHIPPED, ELSEWHERE):
            yield f"the plan says that {axis} is {word}, but no user's variation has a shipped certificate."


def derive_fields(plan: Plan) -> dict[str, Any]:
    """The fields of a plan that follow from its agent with its settings, and from its tasks."""
    budget = steps_of(plan.settings)
    trains = has_training(plan.agent, budget)
    texts = [parse(text) for text in plan.tasks]
    facts: dict[str, Any] = {
        "budget": budget, "trains": trains, "own_worlds": trains and draws_worlds(texts),
    }  # fmt: skip
    if isinstance(plan, ExamPlan):
        facts["score_range"] = declared_range(parse(plan.task))
    else:
        facts["limits"] = limits_of_tasks(texts, plan.max_steps)
    return facts


def command_differences(plan: Plan, words: Sequence[str]) -> Iterator[str]:
    """Options in the command that contradict the plan; a command without --margin has the default margin."""
    planned = {
        "--margin": plan.margin if isinstance(plan, ExamPlan) else None,
        "--episodes": plan.episodes,
        "--seeds": len(plan.seeds),
        "--first-seed": plan.seeds[0] if plan.seeds else None,
        "--steps": plan.budget,
    }
    written = {option: option_value(words, option) for option in OPTION_TYPES}
    if list(words[1:2]) == [plan.kind] and written["--margin"] is None:
        written["--margin"] = MARGIN
    for option, value in written.items():
        if value is not None and planned[option] is not None and value != planned[option]:
            yield f"the plan has {planned[option]} for {option}, but its command gives {value}."


def option_value(words: Sequence[str], option: str) -> float | None:
    """The value of an option in a command, or None where it has none."""
    for word, after in zip(words, [*words[1:], ""]):
        name, equals, value = word.partition("=")
        if name == option:
            try:
                return OPTION_TYPES[option](value if equals else after)
            except ValueError:
                return None
    return None


def question_differences(plan: ExamPlan) -> Iterator[str]:
    spaces = SpaceTable()
    counts = Counter(each.axis for each in plan.questions)
    yield from (f"the plan asks about {axis} {times} times." for axis, times in counts.items() if times > 1)
    for each in plan.questions:
        try:
            again = ask_again(plan, each, spaces)
        except AssayError as error:
            yield f"the plan asks about {each.axis}, which cannot be asked: {error}"
            continue
        for name in FIELDS:
            planned, derived = getattr(each, name), getattr(again, name)
            if planned != derived:
                yield f"the plan has {name} {planned!r} for {each.axis}, but the catalogue gives {derived!r}."
        # A plan made with the library has no proofs; a plan that has some has them for all questions.
        words = allowed_proofs(plan, each.axis)
        if any(other.proof for other in plan.questions) and each.proof not in words:
            yield f"the plan says that {each.axis} is {each.proof!r}, but it is {' or '.join(words)}."


def ask_again(plan: ExamPlan, each: Question, spaces: SpaceTable) -> Question:
    """The question that the catalogue gives for an axis at the plan's levels, with training allowed."""
    text = parse(plan.task)
    axis = axis_of(text.env, each.axis)
    if plan.kind == EXAMINE:
        axis = without_functions(axis)
    trains = has_training(plan.agent, steps_of(plan.settings))
    levels = tuple(parse_value(level) for level in each.levels)
    unfit = partial(why_unfit, plan.agent, native=env_entry(text.env).native)
    return make_question(text, axis, trains, retrain=trains, levels=levels, unfit=unfit, spaces=spaces)


def allowed_proofs(plan: ExamPlan, name: str) -> list[str]:
    """The words that a plan may have on an axis's proof; a certificate may have been renewed since."""
    env = parse(plan.task).env
    if is_own(name):  # checked on the machine of the run; no certificate is shipped
        return [HERE, PARTLY, UNPROVED, FAILED]
    word = WORDS[standing(env, axis_of(env, name))]
    return [word, ELSEWHERE, UNPROVED] if word == SHIPPED else [word]
