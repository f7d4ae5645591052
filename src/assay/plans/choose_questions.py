"""Chooses what an exam asks: which axes, at which levels, with the agent frozen or trained under them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from assay.catalogue import axis_of, variations
from assay.core.axis import Axis, as_plain_number
from assay.core.space import Space
from assay.errors import AssayError, NotApplicable, WrongLevel
from assay.plans.defaults import MOST_LEVELS
from assay.plans.question import CARRY, LEARN, Question
from assay.plans.scheduled_axis import require_no_schedule
from assay.task_spaces import SpaceTable
from assay.task_text import Setting, TaskText, parse_value, print_value
from assay.tasks import optimum, resolve

MOST_SWEPT = 200
OTHER_SPACES = "levels have other spaces"
TRAINS_THERE = " (`--retrain` trains there)"
OWN_FUNCTION = "levels are functions of your own (`assay sweep --axis` tries one)"
OTHER_TASK = "levels change what the task asks for"
CONTROL = "levels only restate the task (`--axes` or `assay sweep --axis` with their values tries them)"
NO_OPTIMUM = "levels change what the task asks for, and no optimum is known to compare with"
NO_TRAINING = "a change of the reward alone cannot change the score of an agent that is not trained"
SET_ALREADY = "the task itself sets it"


WhyUnfit = Callable[[dict[str, Space]], str]  # why an agent cannot act in these spaces; "" where it can


def never_unfit(spaces: dict[str, Space]) -> str:
    return ""


@dataclass(frozen=True)
class ExamQuestions:
    questions: tuple[Question, ...]
    not_asked: tuple[tuple[str, str], ...]  # axis, why


def with_level(text: TaskText, axis: str, level: Any) -> TaskText:
    """The task with an axis at a level."""
    value = parse_value(level) if isinstance(level, str) else level
    kept = tuple(setting for setting in text.settings if setting.name != axis)
    return resolve(TaskText(text.env, (*kept, Setting(axis, value)))).text


def ask_every_axis(
    text: TaskText,
    trains: bool,
    all_levels: bool = False,
    retrain: bool = False,
    unfit: WhyUnfit = never_unfit,
    only: Collection[str] = (),
) -> ExamQuestions:
    """The questions of an exam of this task, and the axes left out, with the reason; `only` names a few."""
    questions, left_out, table = [], [], SpaceTable()
    table(text)  # a task that cannot be built raises here, once, not for every axis
    listed = variations(text.env)
    own = {axis.name for axis in listed if not axis.same_as}
    # Variations of the user's own, and names for one level of a listed axis.
    named = tuple(axis_of(text.env, name) for name in only if name not in {axis.name for axis in listed})
    for axis in listed + named:
        if only and axis.name not in only:
            continue
        if axis.same_as in own:
            continue  # the env has an axis of its own with the same effect
        if any(setting.name == axis.name for setting in text.settings):
            left_out.append((axis.name, SET_ALREADY))
            continue
        try:
            questions.append(
                make_question(text, axis, trains, all_levels, retrain, unfit=unfit, spaces=table)
            )
        except (NotApplicable, WrongLevel) as error:  # a level of the catalogue may lie outside this task
            left_out.append((axis.name, short_reason(axis, error)))
    return ExamQuestions(tuple(questions), tuple(left_out))


def make_question(
    text: TaskText,
    axis: Axis,
    trains: bool,
    all_levels: bool = False,
    retrain: bool = False,
    levels: tuple[Any, ...] = (),
    unfit: WhyUnfit = never_unfit,
    spaces: SpaceTable | None = None,
) -> Question:
    """The question on one axis of this task; raises NotApplicable, with the reason, where there is none."""
    if not levels:
        axis = without_controls(without_functions(axis))
    texts = [with_level(text, axis.name, level) for level in levels or axis.levels]
    table = spaces or SpaceTable()
    plain, varied_spaces = table(text), [table(varied) for varied in texts]
    reward_only = axis.components == ("reward",)
    arm, shares = (LEARN if reward_only else CARRY), False
    if any(each != plain for each in varied_spaces):
        if not (retrain and trains):
            raise NotApplicable(OTHER_SPACES + TRAINS_THERE * trains)
        why = next(filter(None, map(unfit, varied_spaces)), "")
        if why:
            raise NotApplicable(f"the agent does not fit the levels: {why}")
        arm = LEARN
    if axis.asks:
        if reward_only and not (retrain and trains):
            raise NotApplicable(OTHER_TASK + TRAINS_THERE * trains)
        if any(optimum(each).value is None for each in (text, *texts)):
            raise NotApplicable(NO_OPTIMUM)
        shares = True
    if arm == LEARN and not trains:
        raise NotApplicable(NO_TRAINING)
    chosen = levels or (strongest_levels(axis) if arm == LEARN and not all_levels else few_levels(axis))
    return Question(
        arm, axis.name, tuple(print_value(level) for level in chosen), print_value(axis.neutral),
        is_ordered(axis), shares, axis.components, axis.means,
    )  # fmt: skip


def without_functions(axis: Axis) -> Axis:
    """The axis without levels that name a function: those in the catalogue only serve its proof."""
    kept = tuple(level for level in axis.levels if not (isinstance(level, str) and ":" in level))
    if not kept:
        raise NotApplicable(OWN_FUNCTION)
    return replace(axis, levels=kept)


def without_controls(axis: Axis) -> Axis:
    """The axis without levels that only restate the task: an agent cannot fail at them."""
    kept = tuple(level for level in axis.levels if level not in axis.restates)
    if not kept:
        raise NotApplicable(CONTROL)
    return replace(axis, levels=kept)


def is_ordered(axis: Axis) -> bool:
    """Whether its levels are a dose. Seeds are numbers, but a larger seed is not a stronger one."""
    numbers = all(as_plain_number(level) is not None for level in (axis.neutral, *axis.levels))
    return numbers and not axis.choices and not axis.name.endswith("seed")


def strongest_levels(axis: Axis) -> tuple[Any, ...]:
    """The strongest level on each side of neutral; the last one where levels have no order."""
    if not is_ordered(axis):
        return axis.levels[-1:]
    sides = ([x for x in axis.levels if x < axis.neutral], [x for x in axis.levels if x > axis.neutral])
    return tuple(side[-1] for side in sides if side)  # each direction is listed from weak to strong


def few_levels(axis: Axis) -> tuple[Any, ...]:
    """At most MOST_LEVELS levels: the strongest of each side, and others evenly spaced."""
    if len(axis.levels) <= MOST_LEVELS:
        return axis.levels
    kept = list(strongest_levels(axis))
    others = [level for level in axis.levels if level not in kept]
    room = MOST_LEVELS - len(kept)
    kept += [others[round(i * (len(others) - 1) / max(room - 1, 1))] for i in range(room)]
    return tuple(level for level in axis.levels if level in kept)


def short_reason(axis: Axis, error: AssayError) -> str:
    """The reason without the axis's name and without advice on what to write instead."""
    reason = str(error).split("; ")[0].removeprefix(f"{axis.name} ").rstrip(".")
    return reason.split(": ", 1)[1] if reason.startswith("does not apply") else reason


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def parse_levels(axis: Axis, written: str) -> tuple[Any, ...]:
    """The levels that a user wrote: `0:180:20` (from, to, step) or `0.1,0.5,true`."""
    require_no_schedule(f"{axis.name}={written}")
    if written.count(":") == 2 and "[" not in written:
        first, last, step = (as_plain_number(parse_value(part)) for part in written.split(":"))
        if first is None or last is None or step is None or step == 0:
            raise WrongLevel(f"{axis.name}={written} is not a range; write for example {axis.name}=0:10:2.")
        if (last - first) / step < 0:
            raise WrongLevel(
                f"{axis.name}={written} is not a range: steps of {step} from {first} never reach {last}; "
                f"write {axis.name}={min(first, last)}:{max(first, last)}:{abs(step)}."
            )
        count = int((last - first) / step + 1e-9) + 1
        if count > MOST_SWEPT:
            raise WrongLevel(
                f"{axis.name}={written} gives {count} levels, but a sweep takes {MOST_SWEPT} at most; "
                "take a larger step."
            )
        values: tuple[Any, ...] = tuple(round(first + i * step, 12) for i in range(count))
    elif written.count(":") == 1 and all(map(is_number, written.split(":"))):
        wanted = f"{axis.name}={written}:{'1' if axis.type is int else '0.1'}"
        raise WrongLevel(f"{axis.name}={written} has no step; write from, to and step, as in {wanted}.")
    else:
        parsed = parse_value(f"[{written}]")
        assert isinstance(parsed, tuple)  # a text in brackets is a list
        values = parsed
    typed = [axis.to_level(value) for value in values]
    levels = tuple(dict.fromkeys(level for level in typed if level != axis.neutral))
    if not levels:
        raise WrongLevel(f"{axis.name}={written} names no level other than the neutral {axis.neutral}.")
    return levels
