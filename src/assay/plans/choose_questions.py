"""What an exam asks: which axes, at which levels, of an agent that is frozen or that learns under them."""

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
from assay.task_spaces import SpaceTable
from assay.task_text import Setting, TaskText, parse_value, print_value
from assay.tasks import optimum, resolve

MOST_SWEPT = 200
OTHER_SPACES = "other spaces"
TRAINS_THERE = " (`--retrain` trains there)"
OWN_FUNCTION = "it takes a function of one's own (`assay sweep --axis` tries it)"
OTHER_TASK = "another thing is asked there"
NO_OPTIMUM = "another thing is asked there, and no optimum is known to compare by"
NO_TRAINING = "a reward moves nobody who does not learn, and this agent comes without training"
SET_ALREADY = "the task itself sets it"


Unfit = Callable[[dict[str, Space]], str]  # why an agent cannot act in these spaces, or ""


def fits_all(spaces: dict[str, Space]) -> str:
    return ""


@dataclass(frozen=True)
class Asked:
    questions: tuple[Question, ...]
    not_asked: tuple[tuple[str, str], ...]  # axis, why


def at(text: TaskText, axis: str, level: Any) -> TaskText:
    """The text with an axis at a level, in its place or at the end."""
    value = parse_value(level) if isinstance(level, str) else level
    kept = tuple(setting for setting in text.settings if setting.name != axis)
    return resolve(TaskText(text.env, (*kept, Setting(axis, value)))).text


def every_axis(
    text: TaskText,
    trains: bool,
    all_levels: bool = False,
    retrain: bool = False,
    unfit: Unfit = fits_all,
    only: Collection[str] = (),
) -> Asked:
    """The questions of an exam of this task, or of some axes, and the axes left out, with the reason."""
    questions, left_out, table = [], [], SpaceTable()
    table(text)  # a task that cannot be built says so itself, before every axis does
    own = {axis.name for axis in variations(text.env) if not axis.same_as}
    users = tuple(axis_of(text.env, name) for name in only if ":" in name)
    for axis in variations(text.env) + users:
        if only and axis.name not in only:
            continue
        if axis.same_as in own:
            continue  # the env has a key of its own with the same effect
        if any(setting.name == axis.name for setting in text.settings):
            left_out.append((axis.name, SET_ALREADY))
            continue
        try:
            questions.append(question(text, axis, trains, all_levels, retrain, unfit=unfit, spaces=table))
        except (NotApplicable, WrongLevel) as error:  # a level of the catalogue may lie outside this task
            left_out.append((axis.name, shorten(axis, error)))
    return Asked(tuple(questions), tuple(left_out))


def question(
    text: TaskText,
    axis: Axis,
    trains: bool,
    all_levels: bool = False,
    retrain: bool = False,
    levels: tuple[Any, ...] = (),
    unfit: Unfit = fits_all,
    spaces: SpaceTable | None = None,
) -> Question:
    """How one axis is asked of an agent on this task, or NotApplicable with the reason why it is not."""
    if not levels:
        axis = without_functions(axis)
    texts = [at(text, axis.name, level) for level in levels or axis.levels]
    table = spaces or SpaceTable()
    plain, varied_spaces = table(text), [table(varied) for varied in texts]
    reward_only = axis.components == ("reward",)
    arm, shares = (LEARN if reward_only else CARRY), False
    if any(each != plain for each in varied_spaces):
        if not (retrain and trains):
            raise NotApplicable(OTHER_SPACES + TRAINS_THERE * trains)
        why = next(filter(None, map(unfit, varied_spaces)), "")
        if why:
            raise NotApplicable(f"the agent does not fit there, {why}")
        arm = LEARN
    if axis.asks:
        if reward_only and not (retrain and trains):
            raise NotApplicable(OTHER_TASK + TRAINS_THERE * trains)
        if any(optimum(each).value is None for each in (text, *texts)):
            raise NotApplicable(NO_OPTIMUM)
        shares = True
    if arm == LEARN and not trains:
        raise NotApplicable(NO_TRAINING)
    chosen = levels or (strongest(axis) if arm == LEARN and not all_levels else few(axis))
    return Question(
        arm, axis.name, tuple(print_value(level) for level in chosen), print_value(axis.neutral),
        is_ordered(axis), shares, axis.components, axis.means,
    )  # fmt: skip


def without_functions(axis: Axis) -> Axis:
    """The axis without levels that name a function: those of the catalogue are examples to prove it by."""
    kept = tuple(level for level in axis.levels if not (isinstance(level, str) and ":" in level))
    if not kept:
        raise NotApplicable(OWN_FUNCTION)
    return replace(axis, levels=kept)


def is_ordered(axis: Axis) -> bool:
    """Whether its levels are a dose. A seed is a number, but no more of anything than another seed."""
    numbers = all(as_plain_number(level) is not None for level in (axis.neutral, *axis.levels))
    return numbers and not axis.choices and not axis.name.endswith("seed")


def strongest(axis: Axis) -> tuple[Any, ...]:
    """The last level on each side of neutral; where levels have no order, the last."""
    if not is_ordered(axis):
        return axis.levels[-1:]
    sides = ([x for x in axis.levels if x < axis.neutral], [x for x in axis.levels if x > axis.neutral])
    return tuple(side[-1] for side in sides if side)  # each direction is listed from weak to strong


def few(axis: Axis) -> tuple[Any, ...]:
    """At most MOST_LEVELS levels: the strongest of each side always, the others evenly."""
    if len(axis.levels) <= MOST_LEVELS:
        return axis.levels
    kept = list(strongest(axis))
    others = [level for level in axis.levels if level not in kept]
    room = MOST_LEVELS - len(kept)
    kept += [others[round(i * (len(others) - 1) / max(room - 1, 1))] for i in range(room)]
    return tuple(level for level in axis.levels if level in kept)


def shorten(axis: Axis, error: AssayError) -> str:
    """The reason without the axis's name and without advice on what to write instead."""
    says = str(error).split("; ")[0].removeprefix(f"{axis.name} ").rstrip(".")
    return says.split(": ", 1)[1] if says.startswith("does not apply") else says


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def parse_levels(axis: Axis, written: str) -> tuple[Any, ...]:
    """Levels as a user writes them: `0:180:20` from, to, step, or `0.1,0.5,true`."""
    if written.count(":") == 2 and "[" not in written:
        first, last, step = (as_plain_number(parse_value(part)) for part in written.split(":"))
        if first is None or last is None or step is None or step == 0:
            raise WrongLevel(f"{axis.name}={written} is no range; write for example {axis.name}=0:10:2.")
        if (last - first) / step < 0:
            raise WrongLevel(
                f"{axis.name}={written} is no range: from {first} no step of {step} comes to {last}; "
                f"write {axis.name}={min(first, last)}:{max(first, last)}:{abs(step)}."
            )
        count = int((last - first) / step + 1e-9) + 1
        if count > MOST_SWEPT:
            raise WrongLevel(
                f"{axis.name}={written} is {count} levels, and a sweep takes {MOST_SWEPT} at most."
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
        raise WrongLevel(f"{axis.name}={written} names no level beside the neutral {axis.neutral}.")
    return levels
