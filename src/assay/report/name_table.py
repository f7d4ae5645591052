"""What the names of presets stand for, in rows for the page and Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analysis.preset_names import NamedTask
from assay.report.gap_table import Table

NOTHING = "nothing: the plain task"


def name_tables(names: Sequence[NamedTask]) -> list[Table]:
    """A table for each env: the name of every preset and what it adds to the settings that all share."""
    return [
        Table(
            f"the names: what each adds to {shared}",
            ["name", "adds"],
            [[each.name, each.beside or NOTHING] for each in names if each.shared == shared],
        )
        for shared in dict.fromkeys(each.shared for each in names)
    ]
