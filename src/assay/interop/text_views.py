"""The text view of a task, by its name."""

from __future__ import annotations

from assay.catalogue import load
from assay.envs.text_views import TEXT_VIEWS, TextView
from assay.errors import NotApplicable
from assay.tasks import Resolved


def view_of(resolved: Resolved) -> TextView:
    """The view of a task in words; a task that has none is refused."""
    family = resolved.text.env.split("/")[0]
    if family not in TEXT_VIEWS:
        known = ", ".join(f"{name}/..." for name in TEXT_VIEWS)
        raise NotApplicable(f"{resolved.text.env} has no text view; those that can be played are {known}.")
    written = {setting.name: setting.value for setting in resolved.text.settings}
    view: TextView = load(TEXT_VIEWS[family])(resolved.settings, written)
    return view
