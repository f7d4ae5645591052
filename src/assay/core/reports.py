"""What a native task reports of a step, as a function beside `step`: whoever does not call it pays nothing.

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
from assay.core.events import EventReport
from assay.core.keys import stream
from assay.core.variation import Channel, Inner


def reporting(task: Task) -> list[str]:
    """The names of the variations that report, in the order in which they act."""
    return [v.name for v in task.variations if isinstance(v, (Channel, Inner)) and v.report is not None]


def reports(task: Task, key: jax.Array, world: World, chosen: Any) -> dict[str, EventReport]:
    """By name of the axis, what each variation that reports did in this step."""
    found: dict[str, EventReport] = {}

    def note(channel: Channel, *passed: Any) -> None:
        if channel.report is not None:
            found[channel.name] = as_arrays(channel.report(jnp, *passed))

    out = loop.step(task, key, world, chosen, note)
    for i, v in enumerate(task.variations):
        if isinstance(v, Inner) and v.report is not None:
            after = out.state if v.components[0] == "observation" else world
            level = loop.level_now(task, after, i)
            arguments, result = component_call(task, key, world, chosen, out, v.components[0])
            found[v.name] = as_arrays(v.report(level, *arguments, result))
    return {name: found[name] for name in reporting(task)}


def as_arrays(told: tuple[Any, Any, Any]) -> EventReport:
    opportunity, event, detail = jax.tree.map(jnp.asarray, told)
    return EventReport(opportunity, event, detail)


def component_call(
    task: Task, key: jax.Array, world: World, chosen: Any, out: Step, name: str
) -> tuple[tuple[Any, ...], Any]:
    """The arguments that a component gets in this step, and what it returns."""
    after = out.state
    function, params = loop.varied(task, after if name == "observation" else world, name)
    executed: tuple[Any, ...] = (world.state, out.executed)
    rests: dict[str, Callable[[], tuple[Any, ...]]] = {
        "action": lambda: (world.state, loop.through(task, "action", key, world, chosen)[1]),
        "transition": lambda: executed,
        "reward": lambda: (*executed, after.state),
        "terminal": lambda: (after.state,),
        "observation": lambda: loop.in_sight(after),
    }
    rest = rests[name]()
    arguments = (params, *rest) if name == "terminal" else (stream(key, name), params, *rest)
    return arguments, function(*arguments)
