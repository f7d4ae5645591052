"""The spaces of tasks, read off records: no emulator is started and no table generated to learn a shape.

A plan asks for the spaces of every level of every axis. Where a family tells its spaces from settings alone,
nothing is built; else one env is built for each set of structural settings, and channels are followed on
paper.
"""

from __future__ import annotations

from assay.catalogue import load
from assay.core.space import Space
from assay.core.variation import Channel, Inner
from assay.errors import NotApplicable
from assay.names import TaskText
from assay.tasks import Resolved, acting, require_fit, require_own_names, resolve

Spaces = dict[str, Space]


class SpaceTable:
    """Answers for the tasks of one plan; what had to be built is remembered as long as the table is."""

    def __init__(self) -> None:
        self._built: dict[tuple, Spaces] = {}

    def __call__(self, text: TaskText) -> Spaces:
        """The action and observation spaces of a task, refused where the task itself would be."""
        found = resolve(text)
        records = [acting(axis, setting, found) for axis, setting in found.moved]
        channels = tuple(record for record in records if isinstance(record, Channel))
        # As written: the rules of a game run in the text's order.
        written = [acting(axis, s, found) for axis, s in zip(found.axes, found.text.settings)
                   if axis.name not in found.structure]  # fmt: skip
        inside = tuple(record for record in written if isinstance(record, Inner))
        require_own_names((*inside, *channels), found.text.env)
        spaces = self._of_env(found, inside, channels)
        for channel in channels:
            component = channel.components[0]
            require_fit(channel, spaces[component], found.text.env)
            spaces[component] = channel.space(spaces[component], channel.bound)
        return {name: spaces[name] for name in ("action", "observation")}

    def _of_env(self, found: Resolved, inside: tuple[Inner, ...], channels: tuple[Channel, ...]) -> Spaces:
        """Before any channel."""
        if found.entry.native:
            return native_spaces(found)
        if found.entry.spaces:
            return load(found.entry.spaces)(found.text.env, found.structure, inside, channels)
        if inside:
            raise NotApplicable(
                f"{found.text.env} is hosted, and {inside[0].name} varies its inside; "
                "a host takes variations of the action, the reward and the observation."
            )
        key = found.text.env, tuple(sorted(found.structure.items()))
        if key not in self._built:
            host = load(found.entry.build)(found.text.env, found.structure)
            self._built[key] = dict(host.spaces)
            host.close()
        return dict(self._built[key])


def native_spaces(found: Resolved) -> Spaces:
    if found.entry.spaces:
        others = {setting.name: setting for setting in found.text.settings}
        return load(found.entry.spaces)(found.settings, others)
    from assay.native import native  # brings jax, which a hosted exam does without

    task = native(found).task
    return dict(task.env.spaces(task.env.params))
