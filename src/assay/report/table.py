"""A report for programs: one CSV row per level, and the whole examination as strict JSON."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from assay.analysis.exam import AxisFinding, Exam, LevelFinding
from assay.analysis.strict import strict
from assay.strict_json import Json

FORM = "assay-report-1"
COLUMNS = (
    "agent", "task", "arm", "axis", "side", "neutral", "ordered", "verdict", "verdict_level",
    "level", "varied_task", "effect", "effect_low", "effect_high", "score", "random", "optimum", "units",
)  # fmt: skip


def csv_rows(exam: Exam) -> str:
    """The levels as CSV: numbers to the last digit, an end without a bound as `inf`, the unknown empty."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for finding in exam.findings:
        rows.writerows(_row(exam, finding, level) for level in finding.levels)
    return out.getvalue()


def as_json(exam: Exam) -> dict[str, Json]:
    """Every field of the records under its own name; NaN and infinities, which JSON lacks, become null."""
    return {"form": FORM, **strict(exam)}


def _row(exam: Exam, finding: AxisFinding, level: LevelFinding) -> list[Any]:
    numbers = (*level.effect, level.score, level.random, level.optimum)
    return [
        exam.agent, exam.task, finding.arm, finding.axis, finding.side, finding.neutral,
        "true" if finding.ordered else "false", finding.word, finding.level, level.level, level.task,
        *("" if value is None or math.isnan(value) else repr(float(value)) for value in numbers),
        len(level.units),
    ]  # fmt: skip
