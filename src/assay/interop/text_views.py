"""The text view of a task, by its name."""

from __future__ import annotations

from assay.catalogue import load
from assay.envs.text_views import CARDS, TEXT_VIEWS, TextView
from assay.errors import NotApplicable
from assay.tasks import Resolved


def view_of(resolved: Resolved) -> TextView:
    """The view of a task in words; a task that has none is refused."""
    view = find_view(resolved)
    if view is None:
        known = ", ".join(f"{name}/..." for name in TEXT_VIEWS)
        raise NotApplicable(f"{resolved.text.env} has no text view; those that can be played are {known}.")
    return view


def find_view(resolved: Resolved) -> TextView | None:
    """The view of a task in words, where its family has one."""
    family = resolved.text.env.split("/")[0]
    if family not in TEXT_VIEWS:
        return None
    written = {setting.name: setting.value for setting in resolved.text.settings}
    view: TextView = load(TEXT_VIEWS[family])(resolved.settings, written)
    return view


def describe_task(resolved: Resolved) -> tuple[tuple[str, str], ...]:
    """What a family tells of a task on its card besides, such as its rule: names and texts."""
    code = CARDS.get(resolved.text.env.split("/")[0])
    told: tuple[tuple[str, str], ...] = load(code)(resolved.settings) if code else ()
    return told
