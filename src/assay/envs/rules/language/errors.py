"""The error of rule files: one sentence that names the line and the column."""

from __future__ import annotations

from assay.envs.rules.language.syntax import Place
from assay.errors import AssayError
from assay.positions import place, tell_in_file


class RuleError(AssayError):
    """A rule text that cannot be used; `line` and `column` count from 1."""

    def __init__(self, says: str, at: Place, source: str = ""):
        super().__init__(tell_in_file(source or "the rule", place(at.line - 1, at.column - 1), says))
        self.line, self.column = at.line, at.column
