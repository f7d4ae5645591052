"""What the names of presets stand for, in rows for the page and Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analysis.preset_names import NamedTask
from assay.report.gap_table import Table

NOTHING = "nothing: the plain task"


def name_tables(names: Sequence[NamedTask]) -> list[Table]:
    """A table for each env: the name of every preset and what it adds to the settings that all share.

    Where agents are tested on another task than they were trained on, both are told.
    """
    tables = []
    for shared in dict.fromkeys(each.shared for each in names):
        own = [each for each in names if each.shared == shared]
        rows = [[each.name, each.beside or NOTHING] for each in own]
        heads = ["name", "adds"]
        if any(each.trained is not None for each in own):
            heads = ["name", "trained on", "tested on"]
            sides = [each.beside if each.trained is None else each.trained for each in own]
            rows = [[name, side or NOTHING, tested] for (name, tested), side in zip(rows, sides)]
        tables.append(Table(f"the names: what each adds to {shared}", heads, rows))
    return tables
