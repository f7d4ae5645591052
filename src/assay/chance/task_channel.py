"""The channel that a task's variations of the action are, from the task's text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log2, prod
from typing import Any, NamedTuple

import numpy as np

from assay.chance.channel import capacity, given, mutual_information, noiseless, other, replacement, sticky
from assay.chance.logged import Estimate, information_of_pairs
from assay.chance.model import Model
from assay.chance.varied import behind_channel, behind_sticky
from assay.core.axis import Axis
from assay.core.passage import Passage, namespace_for
from assay.core.space import Discrete, Space
from assay.core.variation import RUNNING, Channel
from assay.errors import NotApplicable
from assay.task_spaces import SpaceTable
from assay.task_text import Setting
from assay.tasks import Resolved, build_record
from assay.variations.action_matrix import MATRIX, RESTRICTED
from assay.variations.numbered import parse_numbers

MOST_ACTIONS = 200
MOST_MEMORIES = 400
# A matrix each: actions, level -> (actions, actions). To make another variation known, add its matrix here.
MATRICES: dict[str, Callable[[int, Any], np.ndarray]] = {
    "action.random": replacement,
    "action.other": other,
    MATRIX: given,
}
STICKY, DELAY, REPEAT = "action.sticky", "action.delay", "action.repeat"


class ActionBits(NamedTuple):
    """How much of an agent's choice reaches the env, in bits per step (or per frame), exactly.

    Where a channel remembers, as sticky actions do, the numbers hold for each state of its memory; `bits` is
    the least of them.
    """

    bits: float  # the capacity, at the best way of choosing
    above: float  # its upper bound, which certifies it
    uniform: float  # what passes when all actions are chosen equally often
    most: float  # if every action were executed as chosen
    actions: int
    per: str  # "step", or "frame" where the channel acts on every frame
    late: int  # steps by which choices are executed late
    held: int  # steps for which a choice is held; those in between are ignored


@dataclass(frozen=True, eq=False)
class ActionChannel:
    """The channels of a task: a matrix for each state of their memory."""

    matrices: np.ndarray  # (memories, actions, actions)
    per: str
    late: int = 0
    held: int = 1


def action_settings(resolved: Resolved) -> list[tuple[Axis, Setting]]:
    """The variations between the agent's choice and the env, in the order in which they act."""
    return [
        (axis, setting) for axis, setting in resolved.variation_settings if axis.components == ("action",)
    ]


def count_actions(space: Space) -> int:
    """How many actions there are; refused where they cannot be counted or are too many for a matrix."""
    if not isinstance(space, Discrete):
        raise NotApplicable("actions are real numbers, so their bits cannot be counted.")
    count = prod(space.n) if isinstance(space.n, tuple) else space.n
    if count > MOST_ACTIONS:
        raise NotApplicable(
            f"{count} actions are more than the {MOST_ACTIONS} of which a channel is computed."
        )
    return int(count)


def find_channel(resolved: Resolved, space: Space) -> ActionChannel:
    """The exact channel of a task, refused with the reason where it is not known."""
    actions, settings = count_actions(space), action_settings(resolved)
    per = "frame" if resolved.value("action_channels") == "frame" else "step"
    whole = ActionChannel(noiseless(actions)[None], per)
    for axis, setting in settings:
        whole = pass_through(whole, axis.name, setting.value, len(settings))
        if len(whole.matrices) > MOST_MEMORIES:
            raise NotApplicable(f"its channels remember more than {MOST_MEMORIES} different things.")
    return whole


def matrix_of(name: str, actions: int, level: Any) -> np.ndarray | None:
    """The matrix of a variation that remembers nothing; None where it is not known."""
    if name.startswith(RESTRICTED):
        return replacement(actions, level, support=parse_numbers(name.removeprefix(RESTRICTED), name))
    return MATRICES[name](actions, level) if name in MATRICES else None


def pass_through(whole: ActionChannel, name: str, level: Any, settings: int) -> ActionChannel:
    """The channel with one more variation after it."""
    actions = whole.matrices.shape[1]
    matrix = matrix_of(name, actions, level)
    if matrix is not None:
        return replace(whole, matrices=whole.matrices @ matrix)
    if name == STICKY:
        each = whole.matrices[:, None] @ sticky(actions, level)[None]
        return replace(whole, matrices=each.reshape(-1, actions, actions))
    if name == DELAY:  # choices come late and all of them come
        return replace(whole, late=whole.late + int(level))
    if name == REPEAT and settings == 1:
        return replace(whole, held=int(level))
    if name == REPEAT:
        raise NotApplicable(f"{REPEAT} sends a choice several times through the variation beside it.")
    raise NotApplicable(f"the matrix of {name} is not known.")


def measure_channel(channel: ActionChannel) -> ActionBits:
    """The bits that pass; a choice that is held for several steps counts once in them."""
    actions = channel.matrices.shape[1]
    each = [capacity(matrix) for matrix in channel.matrices]
    worst = min(each, key=lambda one: one.bits)
    even = min(mutual_information(np.full(actions, 1 / actions), matrix) for matrix in channel.matrices)
    share = 1 / channel.held
    return ActionBits(
        worst.bits * share,
        worst.above * share,
        even * share,
        log2(actions),
        actions,
        channel.per,
        channel.late,
        channel.held,
    )


def space_of_actions(resolved: Resolved) -> Space:
    return SpaceTable()(resolved.text)["action"]


def sample_channel(resolved: Resolved, space: Space, samples: int, seed: int) -> Estimate:
    """The information of uniform choices, estimated from pairs of an action chosen and the one executed.

    A channel that remembers passes more to one who knows its memory than these pairs show.
    """
    actions, rng = count_actions(space), np.random.default_rng(seed)
    assert isinstance(space, Discrete)
    passages = []
    for axis, setting in action_settings(resolved):
        record = build_record(axis, setting, resolved)
        assert isinstance(record, Channel), "a variation of the action alone is a channel"
        passages.append(Passage(record, space, namespace_for("action", space)))
    for passage in passages:
        passage.renew(seed, 0, 0)
    sizes = space.n if isinstance(space.n, tuple) else (space.n,)
    chosen, executed = rng.integers(actions, size=samples), np.empty(samples, np.int64)
    for i, number in enumerate(chosen):
        parts = np.array(np.unravel_index(number, sizes), space.dtype) + space.start
        value: Any = parts if space.shape else int(parts[0])
        for passage in passages:
            value = passage.pass_on(value, RUNNING)
        executed[i] = np.ravel_multi_index(tuple(np.atleast_1d(value) - space.start), sizes)
    return information_of_pairs(chosen, executed, rng=rng)


def behind_actions(model: Model, resolved: Resolved) -> Model:
    """The model as the agent meets it, through the task's variations of the action."""
    for axis, setting in reversed(action_settings(resolved)):
        level: Any = setting.value
        matrix = matrix_of(axis.name, model.actions, level)
        if matrix is not None:
            model = behind_channel(model, matrix)
        elif axis.name == STICKY:
            model = behind_sticky(model, float(level))
        elif level != axis.neutral:
            raise NotApplicable(f"{axis.name} is not part of the model.")
    return model
