"""The result of a run, as an object for scripts and notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.analysis.exam import Exam
from assay.analysis.experiment import Experiment, find_experiment
from assay.analysis.findings import find
from assay.door.arguments import in_python
from assay.errors import AssayError, NotApplicable
from assay.plans.plan import ExamPlan, plan_of
from assay.report.formats import FORMATS
from assay.report.pair_table import pair_rows, table
from assay.report.rows import Rows
from assay.report.table import level_rows
from assay.report.text import verdict_lines
from assay.report.unfinished import say_unfinished
from assay.report.write import texts_of, write
from assay.results import Run, open_run
from assay.stats.verdict import worst_word

if TYPE_CHECKING:
    import pandas
    import pyarrow

WIDTH, HEIGHT = 100, 720  # of the text in columns, and of the page in a notebook in pixels


@dataclass(frozen=True)
class RunResult:
    """The result of a run. In a notebook it shows its report; printed, it shows the verdict in words.

    Runs of `examine` and `sweep` have an `exam`, those of `train` and of suites an `experiment`: all numbers,
    with their intervals, as typed records.
    """

    folder: Path
    exam: Exam | None = None
    experiment: Experiment | None = None
    failed: tuple[str, ...] = ()  # a sentence per job that could not be done

    @property
    def verdicts(self) -> dict[str, str]:
        """By axis the worst word over its sides, levels and arms: breaks, then cannot tell, then holds."""
        if self.exam is None:
            raise NotApplicable(f"{self.folder} is no exam and has no verdicts; `table()` has its scores.")
        words: dict[str, list[str]] = {}
        for finding in self.exam.findings:
            words.setdefault(finding.axis, []).append(finding.word)
        return {axis: worst_word(each) for axis, each in words.items()}

    def table(self) -> pyarrow.Table:
        """A row per axis and level, or per pair of tasks: the rows of `report.csv`, in columns with types."""
        return arrow_table(level_rows(self.exam) if self.exam else pair_rows(self._experiment))

    def frame(self) -> pandas.DataFrame:
        """`table()` as a pandas frame."""
        try:
            import pandas  # noqa: F401 - pyarrow fails in another way where it is missing
        except ModuleNotFoundError:
            raise AssayError(
                "a frame needs pandas, which is not installed; use table(), or install it."
            ) from None
        return self.table().to_pandas()

    def episodes(self) -> pyarrow.Table:
        """Every episode of the run with its task, level, seed, score and end (docs/records.md)."""
        with open_run(self.folder, sweep=False) as run:
            return run.episodes()

    def transcript(self, job: str) -> pyarrow.Table:
        """Every step of a job's evaluation, of a run with transcripts; `episodes()` names the jobs."""
        with open_run(self.folder, sweep=False) as run:
            if not plan_of(run).transcripts:
                raise NotApplicable(
                    f"{self.folder} has no transcripts, for none were asked for; transcripts=True keeps "
                    "them, in a run of its own."
                )
            return run.transcript(job)

    def write(self, folder: str | Path, formats: Sequence[str] = FORMATS) -> list[Path]:
        """Writes the report's files into a folder: html, md, csv and json."""
        return write(self._findings, Path(folder), formats)

    @property
    def _findings(self) -> Exam | Experiment:
        return self.exam or self._experiment

    @property
    def _experiment(self) -> Experiment:
        assert self.experiment is not None, "a run is an exam or an experiment"
        return self.experiment

    def __repr__(self) -> str:
        lines = [*map(in_python, verdict_lines(self.exam, WIDTH))] if self.exam else self._pair_lines()
        told = self.exam.failed if self.exam else ()  # the verdict's lines say these already
        lines += [f"failed  {sentence}" for sentence in self.failed if sentence not in told]
        page = self.folder / "report.html"
        return "\n".join([*lines, f"report  {page}" if page.exists() else f"records  {self.folder}"])

    def _pair_lines(self) -> list[str]:
        headings, rows = table(list(self._experiment.findings), bool(self._experiment.budget))
        unfinished = say_unfinished(self._experiment.unfinished, str(self.folder))
        if not rows:
            return unfinished
        widths = [max(map(len, column)) for column in zip(headings, *rows)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in (headings, *rows))
        return [*unfinished, *lines]

    def _repr_html_(self) -> str:
        page = html.escape(texts_of(self._findings, ("html",))["report.html"].decode(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:{HEIGHT}px;border:0"></iframe>'


def arrow_table(rows: Rows) -> pyarrow.Table:
    """The rows as an Arrow table, whose types follow from its columns and never from its values."""
    import pyarrow

    types = dict.fromkeys(rows.texts, pyarrow.string()) | dict.fromkeys(rows.flags, pyarrow.bool_())
    schema = pyarrow.schema([(name, types.get(name, pyarrow.float64())) for name in rows.headings])
    return pyarrow.Table.from_pylist([dict(zip(rows.headings, row)) for row in rows.rows], schema=schema)


def read_result(run: Run, failed: Sequence[str] = (), intervals: str = "", compat: str = "") -> RunResult:
    """The result of an open run; the same records always give the same."""
    if isinstance(plan_of(run), ExamPlan):
        return RunResult(run.folder, exam=find(run), failed=tuple(failed))
    return RunResult(run.folder, experiment=find_experiment(run, intervals, compat), failed=tuple(failed))


def write_reports(
    run: Run,
    findings: Exam | Experiment,
    to: Path | None = None,
    formats: Sequence[str] = FORMATS,
    intervals: str = "",
    compat: str = "",
) -> list[Path]:
    """Writes the report beside the records, where `assay verify` knows how it was made, or elsewhere."""
    pages = write(findings, to or run.folder, formats)
    here = [page for page in pages if page.parent.resolve() == run.folder.resolve()]
    if here:
        run.seal_reports(here, {"intervals": intervals, "compat": compat, "folder": str(run.folder)})
    return pages
