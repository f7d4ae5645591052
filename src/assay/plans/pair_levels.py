"""The settings in which the pairs of a suite differ, with neutral levels filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.catalogue import axis_of
from assay.plans.design import AGENT
from assay.plans.plan import CONTROL, UNKNOWN
from assay.task_text import Setting, Value, parse


def differing_settings(
    trained: Sequence[str], settings: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Value]]:
    """For each pair, those settings of its task and agent in which at least two pairs differ."""
    texts = [parse(text) for text in trained]
    if len({text.env for text in texts}) > 1:
        return [{} for _ in texts]
    written = [{each.name: each.value for each in text.settings if each.schedule is None} for text in texts]
    names = list(dict.fromkeys(name for each in written for name in each))
    plain = {name: axis_of(texts[0].env, name).neutral for name in names}
    points = [plain | each for each in written]
    for point, of_agent in zip(points, settings):
        point |= {AGENT + name: value for name, value in of_agent.items()}
    known = list(dict.fromkeys(name for point in points for name in point))
    varied = [name for name in known if len({repr(point.get(name)) for point in points}) > 1]
    return [{name: point[name] for name in varied if name in point} for point in points]


def points_of(trained: Sequence[str], settings: Sequence[Mapping[str, Any]] = ()) -> list[dict[str, Value]]:
    """The settings of each pair in which pairs differ; without neutral levels where their envs differ."""
    points = differing_settings(trained, settings)
    if any(points):
        return points
    written = [{each.name: each.value for each in parse(text).settings} for text in trained]
    shared = {key for key in written[0] if all(each.get(key) == written[0][key] for each in written)}
    return [{key: value for key, value in each.items() if key not in shared} for each in written]


def changed_parameters(train: str, evaluate: str) -> dict[str, list[Any]]:
    """The parameters in which two tasks of one env differ, with both values (neutral where not set)."""
    texts = [parse(train), parse(evaluate)]
    if texts[0].env != texts[1].env:
        return {}
    written = [{each.name: value_of(each) for each in text.settings} for text in texts]
    names = dict.fromkeys(name for each in written for name in each)
    plain = {name: axis_of(texts[0].env, name).neutral for name in names}
    pairs = {name: [each.get(name, plain[name]) for each in written] for name in names}
    return {name: pair for name, pair in pairs.items() if repr(pair[0]) != repr(pair[1])}


def value_of(setting: Setting) -> Any:
    """The level; with its schedule, as text, where it has one."""
    return setting.value if setting.schedule is None else str(setting).partition("=")[2]


def direction_of(train: str, evaluate: str) -> str:
    """What the evaluation task does to the difficulty for people, beside the training task; "" for one task.

    It is a "control" where it only restates the training task, and "unknown" where several axes differ.
    """
    home = parse(train).settings
    varied = [each for each in parse(evaluate).settings if each not in home]
    if not varied:
        return ""
    axes = [(axis_of(parse(evaluate).env, each.name), each.value) for each in varied]
    if all(value in axis.restates for axis, value in axes):
        return CONTROL
    [(axis, value), *others] = axes
    return axis.direction_of(value) if not others and axis.direction_of(value) else UNKNOWN
