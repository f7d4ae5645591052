"""The plan of a run beside what its agent, the catalogue, the certificates and its command give.

Much of a plan decides which jobs there are, and is compared with them; this is the rest of it, which decides
words and verdicts only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from assay.catalogue import axis_of, env_entry
from assay.errors import AssayError
from assay.plans.agents import has_training, steps_of, unfit
from assay.plans.choose_questions import question, without_functions
from assay.plans.defaults import MARGIN
from assay.plans.plan import EXAMINE, ExamPlan, Plan
from assay.plans.question import Question
from assay.plans.shared_parts import declared_range, draws_worlds
from assay.plans.sources import pieces_of_source
from assay.proof.certificate import standing
from assay.proof.own_proofs import FAILED, HERE, PARTLY, SHIPPED, UNPROVED, WORDS, is_own
from assay.results import Document
from assay.strict_json import to_json
from assay.task_spaces import SpaceTable
from assay.task_text import parse, parse_value

FIELDS = ("arm", "neutral", "ordered", "shares", "components", "means")  # of a question; jobs have its levels
WRITTEN: dict[str, type[float]] = {
    "--margin": float,
    "--episodes": int,
    "--seeds": int,
    "--first-seed": int,
    "--steps": int,
}


def unlike_its_sources(document: Document, plan: Plan) -> Iterator[str]:
    """A sentence on all in a `run.json` of this code that agent, catalogue or command give otherwise."""
    for name, given in of_agent_and_task(plan).items():
        there = getattr(plan, name)
        if there != given:
            yield f"the plan says {name} {to_json(there)!r}, and its agent and task give {to_json(given)!r}."
    yield from of_command(plan, document.command)
    if isinstance(plan, ExamPlan):
        yield from of_questions(plan)
    if document.sources is not None and document.sources != pieces_of_source(plan):
        yield "what the run says that its code consists of is not what its agent and tasks give."
    for axis, word in plan.proofs.items():
        if word == SHIPPED:
            yield f"the plan says {axis} is {word}, and none of a variation of one's own is shipped."


def of_agent_and_task(plan: Plan) -> dict[str, Any]:
    """What follows from the agent with its settings, and of an exam from its task."""
    budget = steps_of(plan.settings)
    trains = has_training(plan.agent, budget)
    texts = [parse(text) for text in plan.tasks]
    facts: dict[str, Any] = {
        "budget": budget, "trains": trains, "own_worlds": trains and draws_worlds(texts),
    }  # fmt: skip
    if isinstance(plan, ExamPlan):
        facts["score_range"] = declared_range(parse(plan.task))
    return facts


def of_command(plan: Plan, words: Sequence[str]) -> Iterator[str]:
    """What was written in the command, and the margin that holds where none was."""
    there = {
        "--margin": plan.margin if isinstance(plan, ExamPlan) else None,
        "--episodes": plan.episodes,
        "--seeds": len(plan.seeds),
        "--first-seed": plan.seeds[0] if plan.seeds else None,
        "--steps": plan.budget,
    }
    given = {option: option_value(words, option) for option in WRITTEN}
    if list(words[1:2]) == [plan.kind] and given["--margin"] is None:
        given["--margin"] = MARGIN
    for option, value in given.items():
        if value is not None and there[option] is not None and value != there[option]:
            yield f"the plan has {there[option]} for {option}, and its command gives {value}."


def option_value(words: Sequence[str], option: str) -> float | None:
    """The value of an option in a command, or None where it has none."""
    for word, after in zip(words, [*words[1:], ""]):
        name, equals, value = word.partition("=")
        if name == option:
            try:
                return WRITTEN[option](value if equals else after)
            except ValueError:
                return None
    return None


def of_questions(plan: ExamPlan) -> Iterator[str]:
    spaces = SpaceTable()
    asked = Counter(each.axis for each in plan.questions)
    yield from (f"the plan asks {axis} {times} times." for axis, times in asked.items() if times > 1)
    for each in plan.questions:
        try:
            again = ask_again(plan, each, spaces)
        except AssayError as error:
            yield f"the plan asks {each.axis}, which cannot be asked: {error}"
            continue
        for name in FIELDS:
            there, given = getattr(each, name), getattr(again, name)
            if there != given:
                yield f"the plan says of {each.axis} {name} {there!r}, and the catalogue gives {given!r}."
        # A plan of the library's own says nothing of proofs; one that says it of some says it of all.
        words = proofs_allowed(plan, each.axis)
        if any(other.proof for other in plan.questions) and each.proof not in words:
            yield f"the plan says {each.axis} is {each.proof!r}, and it is {' or '.join(words)}."


def ask_again(plan: ExamPlan, each: Question, spaces: SpaceTable) -> Question:
    """The question on an axis of this task at the plan's levels; training there is allowed, as it was."""
    text = parse(plan.task)
    axis = axis_of(text.env, each.axis)
    if plan.kind == EXAMINE:
        axis = without_functions(axis)
    trains = has_training(plan.agent, steps_of(plan.settings))
    levels = tuple(parse_value(level) for level in each.levels)
    fits = partial(unfit, plan.agent, native=env_entry(text.env).native)
    return question(text, axis, trains, retrain=trains, levels=levels, unfit=fits, spaces=spaces)


def proofs_allowed(plan: ExamPlan, name: str) -> list[str]:
    """What may be said of an axis's proof. A certificate may have been renewed since, for the same code."""
    env = parse(plan.task).env
    if is_own(name):  # checked by whoever ran it; nothing shipped speaks of it
        return [HERE, PARTLY, UNPROVED, FAILED]
    word = WORDS[standing(env, axis_of(env, name))]
    return list(dict.fromkeys([word, UNPROVED])) if word == SHIPPED else [word]
