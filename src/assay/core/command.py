"""A command of a family's own. Apart from the rest of a family, for `assay --help` loads this alone."""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """`assay <name>`; `code` stands in a module that has EXAMPLES too."""

    name: str
    code: str  # "module:function"
    says: str  # in `assay --help`
