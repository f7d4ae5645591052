"""Hosted tasks: somebody's stateful env with the channel variations around it. No jax here."""

from __future__ import annotations

from inspect import signature
from typing import Any

from assay.catalogue import load
from assay.core.host import HostedTask
from assay.core.variation import Channel, Inner
from assay.errors import NotApplicable
from assay.names import TaskText
from assay.tasks import Resolved, acting, require_fit, require_own_names, resolve


def hosted(text: str | TaskText | Resolved, render_mode: str | None = None) -> HostedTask:
    """The hosted task that a text names."""
    found = text if isinstance(text, Resolved) else resolve(text)
    # As written: the rules of a game run in the text's order.
    made = [acting(axis, setting, found) for axis, setting in zip(found.axes, found.text.settings)
            if axis.name not in found.structure]  # fmt: skip
    inside = tuple(acts for acts in made if isinstance(acts, Inner))
    channels = tuple(acts for axis, setting in found.moved
                     if isinstance(acts := acting(axis, setting, found), Channel))  # fmt: skip
    require_own_names((*inside, *channels), found.text.env)
    host = built(found, render_mode, inside)
    if hasattr(host, "refuse"):
        host.refuse(channels)
    spaces: dict[str, Any] = dict(host.spaces)
    for acts in channels:
        component = acts.components[0]
        require_fit(acts, spaces[component], found.text.env)
        spaces[component] = acts.space(spaces[component], acts.bound)
    return HostedTask(host, channels, inside)


def built(found: Resolved, render_mode: str | None, inside: tuple[Inner, ...]) -> Any:
    """The host with what varies its inside, where it is one of ours that can be varied there."""
    build = load(found.entry.build)
    if not inside:
        return build(found.text.env, found.structure, render_mode=render_mode)
    if "inside" not in signature(build).parameters:
        raise NotApplicable(
            f"{found.text.env} is hosted, and {inside[0].name} varies its inside; "
            "a host takes variations of the action, the reward and the observation."
        )
    foreign = [acts.name for acts in inside if acts.apply is not None]
    if foreign:
        raise NotApplicable(
            f"{foreign[0]} varies the inside of a native env; {found.text.env} is varied by rules."
        )
    return build(found.text.env, found.structure, render_mode=render_mode, inside=inside)
