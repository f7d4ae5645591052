"""The spaces of tasks, read off records: no emulator is started and no table generated to learn a shape.

A plan asks for the spaces of every level of every axis. If a family gives its spaces for settings alone,
nothing is built; otherwise one env is built for each set of structural settings. The spaces after channels
are computed without running them.
"""

from __future__ import annotations

from typing import Any

from assay.catalogue import load
from assay.core.space import Space
from assay.core.variation import Channel, HostRule, Inner
from assay.task_text import TaskText
from assay.tasks import Resolved, build_host_records, build_record, require_fit, require_own_names, resolve

Spaces = dict[str, Space]


class SpaceTable:
    """The spaces of the tasks of one plan; those of envs that had to be built are kept."""

    def __init__(self) -> None:
        self._built: dict[tuple[str, tuple[Any, ...]], Spaces] = {}

    def __call__(self, text: TaskText) -> Spaces:
        """The action and observation spaces of a task; refuses a task that cannot be built."""
        resolved = resolve(text)
        if resolved.entry.native:
            channels, spaces = native_channels(resolved), native_spaces(resolved)
        else:
            rules, channels = build_host_records(resolved)
            spaces = self._of_host(resolved, rules, channels)
        for channel in channels:
            component = channel.components[0]
            require_fit(channel, spaces[component], resolved.text.env)
            spaces[component] = channel.space(spaces[component], channel.bound)
        return {name: spaces[name] for name in ("action", "observation")}

    def _of_host(
        self, resolved: Resolved, rules: tuple[HostRule, ...], channels: tuple[Channel, ...]
    ) -> Spaces:
        """The spaces of a hosted task before any channel."""
        if resolved.entry.spaces:
            spaces: Spaces = load(resolved.entry.spaces)(
                resolved.text.env, resolved.structure, rules, channels
            )
            return spaces
        key = resolved.text.env, tuple(sorted(resolved.structure.items()))
        if key not in self._built:
            host = load(resolved.entry.build)(resolved.text.env, resolved.structure)
            self._built[key] = dict(host.spaces)
            host.close()
        return dict(self._built[key])


def native_channels(resolved: Resolved) -> tuple[Channel, ...]:
    records = [build_record(axis, setting, resolved) for axis, setting in resolved.variation_settings]
    require_own_names(
        tuple(each for each in records if isinstance(each, (Inner, Channel))), resolved.text.env
    )
    return tuple(record for record in records if isinstance(record, Channel))


def native_spaces(resolved: Resolved) -> Spaces:
    if resolved.entry.spaces:
        others = {setting.name: setting for setting in resolved.text.settings}
        spaces: Spaces = load(resolved.entry.spaces)(resolved.settings, others)
        return spaces
    from assay.native import build_native  # brings jax, which a hosted exam does without

    task = build_native(resolved).task
    return dict(task.env.spaces(task.env.params))
