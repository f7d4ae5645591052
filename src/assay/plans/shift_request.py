"""What is asked of induced-policy shift: which axes of the observation, their levels, how many states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.catalogue import axis_of, entries, env_entry
from assay.core.space import Discrete
from assay.errors import AssayError, NotApplicable
from assay.plans.agents import CHECKPOINT, catalogue_agent, config_of, is_outside, outside_agent
from assay.plans.choose_questions import ExamQuestions, ask_every_axis, strongest_levels, without_functions
from assay.plans.defaults import SHIFT_EPISODES, SHIFT_PICTURES, SHIFT_STATES
from assay.plans.plan import NotAsked
from assay.plans.question import CARRY
from assay.plans.sources import load_own_modules
from assay.task_spaces import SpaceTable
from assay.task_text import TaskText, print_value
from assay.tasks import task as canonical_task

OBSERVATION = ("observation",)
MORE_THAN_SEEN = "axes that touch more than the observation lead to other states, not to other renderings"


@dataclass(frozen=True)
class AxisLevel:
    """One axis at one level, as a task's text has them."""

    axis: str
    level: str
    strongest: bool = True  # on its side of neutral


@dataclass(frozen=True)
class ShiftRequest:
    task: str
    levels: tuple[AxisLevel, ...]
    not_asked: tuple[NotAsked, ...] = ()
    states: int = SHIFT_STATES  # of all episodes of one policy
    episodes: int = SHIFT_EPISODES
    pictures: int = SHIFT_PICTURES  # states that are shown


def shift_request(
    task: str,
    only: Sequence[str] = (),
    all_levels: bool = False,
    states: int = SHIFT_STATES,
    episodes: int = SHIFT_EPISODES,
    pictures: int = SHIFT_PICTURES,
) -> ShiftRequest:
    """The axes of a native task that touch the observation alone, or those in `only`."""
    load_own_modules(task, only)
    text = canonical_task(task)
    require_native(text)
    for name, number, least in (("states", states, 1), ("episodes", episodes, 1), ("pictures", pictures, 0)):
        if number < least:
            raise AssayError(f"--{name} is a whole number from {least} up, not {number}.")
    if states < episodes:
        raise AssayError(
            f"{states} states cannot come from {episodes} episodes, one from each at least; raise --states."
        )
    for name in only:
        require_observation(text, name)
    asked = ask_every_axis(text, trains=False, only=only)
    for name in only:
        require_asked(text, asked, name)
    levels = tuple(
        AxisLevel(question.axis, level, level in strongest_of(text, question.axis))
        for question in asked.questions
        if question.arm == CARRY and question.components == OBSERVATION
        for level in (question.levels if all_levels else strongest_of(text, question.axis))
    )
    if not levels:
        raise NotApplicable(f"no axis of {text} changes the observation alone and keeps its space.")
    return ShiftRequest(str(text), levels, left_out(text, asked, only), states, episodes, pictures)


def strongest_of(text: TaskText, name: str) -> tuple[str, ...]:
    levels = strongest_levels(without_functions(axis_of(text.env, name)))
    return tuple(print_value(level) for level in levels)


def left_out(text: TaskText, asked: ExamQuestions, only: Sequence[str]) -> tuple[NotAsked, ...]:
    """The axes that are not measured, by reason; none where the user named the axes."""
    if only:
        return ()
    more = [each.axis for each in asked.questions if each.components != OBSERVATION]
    reasons: dict[str, list[str]] = {MORE_THAN_SEEN: more} if more else {}
    for axis, why in asked.not_asked:
        is_seen = axis_of(text.env, axis).components == OBSERVATION
        reasons.setdefault(why if is_seen else MORE_THAN_SEEN, []).append(axis)
    return tuple(NotAsked(tuple(axes), why) for why, axes in reasons.items())


def require_native(text: TaskText) -> None:
    if not env_entry(text.env).native:
        raise NotApplicable(
            f"{text} is hosted, and a host renders only the state that it is in; induced-policy shift "
            "renders one state twice, on native tasks such as toy/discrete and platformer/run."
        )


def require_observation(text: TaskText, name: str) -> None:
    """Refuses an axis that would lead the policy to other states."""
    components = axis_of(text.env, name).components
    if components != OBSERVATION:
        raise NotApplicable(
            f"{name} touches the {' and the '.join(components)}, and induced-policy shift compares two "
            f"renderings of one state; name an axis of the observation alone, or `assay examine` it."
        )


def require_asked(text: TaskText, asked: ExamQuestions, name: str) -> None:
    reasons = dict(asked.not_asked)
    if name in reasons:
        raise NotApplicable(f"the shift under {name} cannot be measured on {text}: {reasons[name]}.")
    if not any(question.axis == name for question in asked.questions):
        same = axis_of(text.env, name).same_as
        raise NotApplicable(f"{name} is {same} on {text.env}; name that axis.")


def require_teller(agent: str, settings: Mapping[str, object], task: str) -> None:
    """Refuses agents that cannot tell how likely they take each action."""
    if is_outside(agent) and not agent.startswith(CHECKPOINT):
        outside_agent(agent)  # a name without a module behind it has a sentence of its own
    if is_outside(agent) or catalogue_agent(agent).chances_of(config_of(agent, settings)) is None:
        known = [each.name for each in entries().agents if can_tell(each.name)]
        raise NotApplicable(
            f"{agent} cannot tell how likely it takes each action, which induced-policy shift compares; "
            f"take one of {', '.join(known)}, or measure what it loses with `assay examine {agent} {task}`."
        )
    space = SpaceTable()(canonical_task(task))["action"]
    if not isinstance(space, Discrete):
        raise NotApplicable(
            f"the actions of {task} are not numbered, and induced-policy shift compares the probabilities of "
            "numbered actions; take a task such as toy/discrete."
        )


def can_tell(name: str) -> bool:
    """Whether an agent of the catalogue has a shift that can be other than 0."""
    agent = catalogue_agent(name)
    return agent.uses_observations and agent.chances_of(agent.config()) is not None
