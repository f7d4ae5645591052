"""What a native task reports of a step, as a function beside `step`: it costs nothing unless called.

`reports(task, key, world, chosen)` tells of the step that `step` makes of the same arguments. It is another
program, so the numbers of the step itself have the same bits with and without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from assay.core import step as loop
from assay.core.env import Step, Task, World
from assay.core.events import EventReport, can_act
from assay.core.keys import Key, of_noise, stream
from assay.core.variation import Channel, Inner


def reporting_names(task: Task) -> list[str]:
    """The names of the variations that report, in the order in which they act."""
    return [v.name for v in task.variations if report_of(v) is not None]


def report_of(variation: Any) -> Callable[..., tuple[Any, Any, Any]] | None:
    """How a variation reports, or None; one of the initial state acts in no step."""
    if not isinstance(variation, (Channel, Inner)) or variation.components[0] == "initial":
        return None
    return variation.report


def reports(task: Task, key: Key, world: World, chosen: Any) -> dict[str, EventReport]:
    """By name of the axis, what each variation that reports did in this step."""
    events: dict[str, EventReport] = {}

    def note(channel: Channel, *passed: Any) -> None:
        if channel.report is not None:
            events[channel.name] = as_report(channel, passed[0], channel.report(jnp, *passed))

    out = loop.step(task, key, world, chosen, note)
    for i, v in enumerate(task.variations):
        report = report_of(v)
        if isinstance(v, Inner) and report is not None:
            after = out.state if v.components[0] == "observation" else world
            level = loop.level_now(task, after, i)
            arguments, result = component_call(task, key, world, chosen, out, v.components[0])
            events[v.name] = as_report(v, level, report(level, *arguments, result))
    return {name: events[name] for name in reporting_names(task)}


def as_report(variation: Channel | Inner, level: Any, told: tuple[Any, Any, Any]) -> EventReport:
    """What a variation tells of a step at this level, as arrays."""
    report: EventReport = jax.tree.map(jnp.asarray, EventReport(*told))
    return report._replace(opportunity=report.opportunity & can_act(level, variation.neutral))


def component_call(
    task: Task, key: Key, world: World, chosen: Any, out: Step, name: str
) -> tuple[tuple[Any, ...], Any]:
    """The arguments that a component gets in this step, and what it returns."""
    after = out.state
    when = after if name == "observation" else world
    draws = name != "terminal"
    function, params = loop.vary_component(task, when, name, key=key if draws else None)
    rest: tuple[Any, ...] = {
        "action": (world.state, loop.pass_channels(task, "action", key, world, chosen)[1]),
        "transition": (world.state, out.executed),
        "reward": (world.state, out.executed, after.state),
        "terminal": (after.state,),
        "observation": loop.in_sight(after),
    }[name]
    arguments = (stream(of_noise(key), name), params, *rest) if draws else (params, *rest)
    return arguments, function(*arguments)
