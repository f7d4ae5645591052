"""Hosted tasks: somebody's stateful env with the channel variations around it. No jax here."""

from __future__ import annotations

from typing import Any

from assay.catalogue import load
from assay.core.host import Host, HostedTask
from assay.core.variation import HostRule
from assay.task_text import TaskText
from assay.tasks import Resolved, build_host_records, require_fit, resolve


def build_hosted(
    text: str | TaskText | Resolved, render_mode: str | None = None, events: bool = False
) -> HostedTask:
    """The hosted task that a text names; with `events` its variations report what they do."""
    resolved = text if isinstance(text, Resolved) else resolve(text)
    rules, channels = build_host_records(resolved)
    host = build_host(resolved, render_mode, rules)
    if host.powers.refuse:
        host.powers.refuse(channels)
    spaces: dict[str, Any] = dict(host.spaces)
    for acts in channels:
        component = acts.components[0]
        require_fit(acts, spaces[component], resolved.text.env)
        spaces[component] = acts.space(spaces[component], acts.bound)
    return HostedTask(host, channels, rules, events)


def build_host(resolved: Resolved, render_mode: str | None, rules: tuple[HostRule, ...]) -> Host:
    """The host, with the rules that it applies itself where it takes any."""
    inside = {"inside": rules} if resolved.entry.varied_inside else {}
    host: Host = load(resolved.entry.build)(
        resolved.text.env, resolved.structure, render_mode=render_mode, **inside
    )
    return host
