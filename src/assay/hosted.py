"""Hosted tasks: somebody's stateful env with the channel variations around it. No jax here."""

from __future__ import annotations

from typing import Any

from assay.catalogue import load
from assay.core.host import HostedTask
from assay.core.variation import Channel
from assay.errors import NotApplicable
from assay.names import TaskText
from assay.tasks import Resolved, acting, require_fit, require_own_names, resolve


def hosted(text: str | TaskText | Resolved, render_mode: str | None = None) -> HostedTask:
    """The hosted task that a text names."""
    found = text if isinstance(text, Resolved) else resolve(text)
    host = load(found.entry.build)(found.text.env, found.structure, render_mode=render_mode)
    variations = tuple(acting(axis, setting, found) for axis, setting in found.moved)
    require_own_names(variations, found.text.env)
    spaces: dict[str, Any] = dict(host.spaces)
    for acts in variations:
        if not isinstance(acts, Channel):
            raise NotApplicable(
                f"{found.text.env} is hosted, and {acts.name} varies its inside; "
                "a host takes variations of the action, the reward and the observation."
            )
        component = acts.components[0]
        require_fit(acts, spaces[component], found.text.env)
        spaces[component] = acts.space(spaces[component], acts.bound)
    return HostedTask(host, variations)
