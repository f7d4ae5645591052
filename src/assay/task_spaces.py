"""The spaces of tasks, read off records: no emulator is started and no table generated to learn a shape.

A plan asks for the spaces of every level of every axis. Where a family tells its spaces from settings alone,
nothing is built; else one env is built for each set of structural settings, and channels are followed on
paper.
"""

from __future__ import annotations

from typing import Any

from assay.catalogue import load
from assay.core.space import Space
from assay.core.variation import Channel, HostRule, Inner
from assay.names import TaskText
from assay.tasks import Resolved, acting, acting_on_host, require_fit, require_own_names, resolve

Spaces = dict[str, Space]


class SpaceTable:
    """Answers for the tasks of one plan; what had to be built is remembered as long as the table is."""

    def __init__(self) -> None:
        self._built: dict[tuple[str, tuple[Any, ...]], Spaces] = {}

    def __call__(self, text: TaskText) -> Spaces:
        """The action and observation spaces of a task, refused where the task itself would be."""
        found = resolve(text)
        if found.entry.native:
            channels, spaces = native_channels(found), native_spaces(found)
        else:
            rules, channels = acting_on_host(found)
            spaces = self._of_host(found, rules, channels)
        for channel in channels:
            component = channel.components[0]
            require_fit(channel, spaces[component], found.text.env)
            spaces[component] = channel.space(spaces[component], channel.bound)
        return {name: spaces[name] for name in ("action", "observation")}

    def _of_host(self, found: Resolved, rules: tuple[HostRule, ...], channels: tuple[Channel, ...]) -> Spaces:
        """Before any channel."""
        if found.entry.spaces:
            told: Spaces = load(found.entry.spaces)(found.text.env, found.structure, rules, channels)
            return told
        key = found.text.env, tuple(sorted(found.structure.items()))
        if key not in self._built:
            host = load(found.entry.build)(found.text.env, found.structure)
            self._built[key] = dict(host.spaces)
            host.close()
        return dict(self._built[key])


def native_channels(found: Resolved) -> tuple[Channel, ...]:
    records = [acting(axis, setting, found) for axis, setting in found.moved]
    require_own_names(tuple(each for each in records if isinstance(each, (Inner, Channel))), found.text.env)
    return tuple(record for record in records if isinstance(record, Channel))


def native_spaces(found: Resolved) -> Spaces:
    if found.entry.spaces:
        others = {setting.name: setting for setting in found.text.settings}
        told: Spaces = load(found.entry.spaces)(found.settings, others)
        return told
    from assay.native import native  # brings jax, which a hosted exam does without

    task = native(found).task
    return dict(task.env.spaces(task.env.params))
