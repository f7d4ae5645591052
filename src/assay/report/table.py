"""A report for programs: one row per level, as CSV, and the whole examination as strict JSON."""

from __future__ import annotations

from assay.analysis.exam import AxisFinding, Exam, LevelFinding
from assay.analysis.finite_json import strict
from assay.report.rows import Cell, Rows, known_number
from assay.strict_json import Json

FORM = "assay-report-1"
TEXTS = (
    "agent", "task", "arm", "axis", "side", "neutral", "verdict", "verdict_level", "level", "varied_task",
)  # fmt: skip
FLAGS = ("ordered",)
COLUMNS = (
    "agent", "task", "arm", "axis", "side", "neutral", "ordered", "verdict", "verdict_level",
    "level", "varied_task", "effect", "effect_low", "effect_high", "score", "random", "optimum", "units",
)  # fmt: skip


def level_rows(exam: Exam) -> Rows:
    """One row per axis, side and level, under the same columns for every exam."""
    rows = [_row(exam, finding, level) for finding in exam.findings for level in finding.levels]
    return Rows(COLUMNS, TEXTS, FLAGS, rows)


def csv_rows(exam: Exam) -> str:
    """The levels as CSV."""
    return level_rows(exam).as_csv()


def as_json(exam: Exam) -> dict[str, Json]:
    """Every field of the records under its own name; NaN and infinities, which JSON lacks, become null."""
    return {"form": FORM, **strict(exam)}


def _row(exam: Exam, finding: AxisFinding, level: LevelFinding) -> list[Cell]:
    numbers = (*level.effect, level.score, level.random, level.optimum)
    return [
        exam.agent, exam.task, finding.arm, finding.axis, finding.side, finding.neutral, finding.ordered,
        finding.word, finding.level, level.level, level.task, *map(known_number, numbers), len(level.units),
    ]  # fmt: skip
