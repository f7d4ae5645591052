"""What a run found, as an object for scripts and notebooks."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.analysis.exam import Exam
from assay.analysis.experiment import Experiment, find_experiment
from assay.analysis.findings import find
from assay.errors import AssayError, NotApplicable
from assay.plans.plan import ExamPlan, plan_of
from assay.report import pair_table
from assay.report.formats import FORMATS
from assay.report.text import verdict_lines
from assay.report.write import texts_of, write
from assay.results import Run, open_run

if TYPE_CHECKING:
    import pandas
    import pyarrow

WIDTH, HEIGHT = 100, 720  # of the text in columns, and of the page in a notebook in pixels


@dataclass(frozen=True)
class Found:
    """A run and what it says. In a notebook it shows its report, printed it is the verdict in words.

    `exam` is there for runs of `examine` and `sweep`, `experiment` for those of `train` and of suites: all
    numbers, with their intervals, as typed records.
    """

    folder: Path
    exam: Exam | None = None
    experiment: Experiment | None = None
    failed: tuple[str, ...] = ()  # a sentence per job that could not be done

    @property
    def verdicts(self) -> dict[str, str]:
        """By axis, whether it breaks the agent, holds, or cannot be told; the worst word of its sides."""
        if self.exam is None:
            raise NotApplicable(f"{self.folder} is no exam and has no verdicts; `table()` has its scores.")
        found: dict[str, str] = {}
        for each in self.exam.findings:
            found.setdefault(each.axis, each.word)
        return found

    def table(self) -> pyarrow.Table:
        """A row per axis and level, or per pair of tasks: the CSV of the report, its numbers as numbers."""
        import pyarrow

        rows = list(csv.DictReader(io.StringIO(self._form("csv"))))
        names = list(rows[0]) if rows else []
        return pyarrow.table({name: column([row[name] for row in rows]) for name in names})

    def frame(self) -> pandas.DataFrame:
        """`table()` as a pandas frame."""
        try:
            return self.table().to_pandas()
        except ModuleNotFoundError:
            raise AssayError(
                "a frame needs pandas, which is not installed; use table(), or install it."
            ) from None

    def episodes(self) -> pyarrow.Table:
        """Every episode of the run with its task, level, seed, score and end (docs/records.md)."""
        with open_run(self.folder, sweep=False) as run:
            return run.episodes()

    def transcript(self, job: str) -> pyarrow.Table:
        """Every step of a job's evaluation, of a run with transcripts; `episodes()` names the jobs."""
        with open_run(self.folder, sweep=False) as run:
            return run.transcript(job)

    def write(self, folder: str | Path, formats: Sequence[str] = FORMATS) -> list[Path]:
        """The report's files in a folder: html, md, csv and json."""
        return write(self._found, Path(folder), formats)

    @property
    def _found(self) -> Exam | Experiment:
        found = self.exam or self.experiment
        assert found is not None, "a run is an exam or an experiment"
        return found

    def _form(self, form: str) -> str:
        return texts_of(self._found, (form,))[f"report.{form}"].decode()

    def __repr__(self) -> str:
        lines: list[str] = []
        if self.exam is not None:
            lines = verdict_lines(self.exam, WIDTH)
        elif self.experiment is not None:
            headings, rows = pair_table.table(list(self.experiment.findings))
            lines = ["  ".join(map(str, row)) for row in (headings, *rows)]
        return "\n".join([*lines, *self.failed, f"report  {self.folder / 'report.html'}"])

    def _repr_html_(self) -> str:
        page = html.escape(self._form("html"), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:{HEIGHT}px;border:0"></iframe>'


def column(cells: list[str]) -> list[Any]:
    """The cells of one column: numbers where all of them are, else texts; what is empty is missing."""
    try:
        return [float(cell) if cell else None for cell in cells]
    except ValueError:
        return list(cells)


def read_findings(run: Run, failed: Sequence[str] = (), intervals: str = "", compat: str = "") -> Found:
    """What an open run says; the same records always give the same."""
    if isinstance(plan_of(run), ExamPlan):
        return Found(run.folder, exam=find(run), failed=tuple(failed))
    return Found(run.folder, experiment=find_experiment(run, intervals, compat), failed=tuple(failed))


def write_reports(
    run: Run,
    found: Exam | Experiment,
    to: Path | None = None,
    formats: Sequence[str] = FORMATS,
    intervals: str = "",
    compat: str = "",
) -> list[Path]:
    """The report's files beside the records, or elsewhere; `assay verify` knows how the former were made."""
    pages = write(found, to or run.folder, formats)
    here = [page for page in pages if page.parent.resolve() == run.folder.resolve()]
    if here:
        run.report_written(here, {"intervals": intervals, "compat": compat, "folder": str(run.folder)})
    return pages
