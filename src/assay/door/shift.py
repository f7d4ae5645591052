"""Induced-policy shift from Python: how far an agent's choices move when the same states look otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.analysis.findings import find
from assay.analysis.shift import Shift
from assay.analysis.stored_shift import FILE, ShiftDocument
from assay.conduct.phases import conduct, open_or_create
from assay.conduct.shift import (
    Tell,
    find_shift,
    keep_shift,
    plan_training,
    require_room,
    subject_of_plan,
    subject_of_run,
)
from assay.door.arguments import read_axes, read_executor, require_numbers, speaks_python
from assay.door.exams import RUNS, TRAINED, command
from assay.door.run_result import write_reports
from assay.errors import AssayError
from assay.plans.defaults import SHIFT_EPISODES, SHIFT_PICTURES, SHIFT_STATES
from assay.plans.jobs import folder_name
from assay.plans.plan import ExamPlan, TrainPlan, plan_of
from assay.plans.shift_request import ShiftRequest, shift_request
from assay.report.markdown import escape, shift_markdown
from assay.report.sheet import save_png
from assay.report.shift_sheet import draw_shift
from assay.report.shift_text import HEADINGS, TITLE, say_facts, table_rows
from assay.results import Run, open_run
from assay.runs.executor import Executor

if TYPE_CHECKING:
    import pyarrow

PICTURE, TEXT = "shift.png", "shift.md"


@dataclass(frozen=True)
class ShiftResult:
    """Induced-policy shift: `shift` has all numbers as records, and the files lie in `folder`."""

    folder: Path
    shift: Shift

    @property
    def picture(self) -> Path | None:
        """The states where the choice changes most, where observations are pictures."""
        return self.folder / PICTURE if self.shift.pictures and self.shift.moments else None

    def table(self) -> pyarrow.Table:
        """A row per axis and level, the largest shift first."""
        import pyarrow

        measures = ("distance", "divergence", "changed", "gap")
        rows: list[dict[str, Any]] = [
            {"axis": each.axis, "level": each.level}
            | {
                f"{name}{end}": getattr(getattr(each, name), field)
                for name in measures
                for end, field in (("", "value"), ("_low", "low"), ("_high", "high"))
            }
            for each in self.shift.findings
        ]
        return pyarrow.Table.from_pylist(rows)

    def __repr__(self) -> str:
        rows = [HEADINGS, *(row.cells for row in table_rows(self.shift))]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, *(f"{fact}." for fact in say_facts(self.shift)), f"files  {self.folder}"])


@speaks_python
def shift(
    agent: str,
    task: str,
    *,
    axes: str | Sequence[str] = (),
    states: int = SHIFT_STATES,
    episodes: int = SHIFT_EPISODES,
    pictures: int = SHIFT_PICTURES,
    all_levels: bool = False,
    seeds: int | None = None,
    first_seed: int = 0,
    steps: int | None = None,
    settings: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    workers: int = 0,
    executor: Executor | None = None,
    tell: Tell = lambda done, total, what: None,
) -> ShiftResult:
    """How far an agent's choices move when the states it visits look otherwise, axis by axis.

    `agent` is a name, trained now (one seed by default), or `"run:FOLDER"` for the agents of `train` or of an
    exam. `axes` names axes that touch the observation alone; without it all of them are measured, at their
    strongest levels. The agent plays `episodes` plain episodes; `states` of their states are rendered plain
    and varied, and the `pictures` states where its choice changes most are shown. The result is kept in the
    run's folder, where the report of an exam shows it.

        result = assay.shift("tabular_q", "toy/discrete", axes=["observation.noise"], steps=2000)
        result.shift.findings[0].distance
    """
    require_numbers(seeds=seeds, first_seed=first_seed, episodes=episodes, steps=steps, workers=workers)
    request = shift_request(task, read_axes(axes).names, all_levels, states, episodes, pictures)
    given = dict(settings or {}) | ({} if steps is None else {"steps": steps})
    asked: dict[str, Any] = {"seeds": seeds, "first_seed": first_seed, "settings": given}
    if agent.startswith(TRAINED):
        require_untouched(agent, asked, out)
        with open_run(agent.removeprefix(TRAINED)) as run:
            return conclude_shift(run, request, tell)
    plan = plan_training(agent, task, request, **asked)
    place = None if out is None else Path(out)
    if not plan.trains:
        return measure_untrained(plan, request, place, tell)
    with open_or_create(plan, place, command(), RUNS) as run:
        failed = conduct(run, read_executor(executor, workers))
        if failed:
            raise AssayError(failed[0])
        return conclude_shift(run, request, tell)


def measure_untrained(plan: TrainPlan, request: ShiftRequest, place: Path | None, tell: Tell) -> ShiftResult:
    """The shift of an agent that comes as it is, in a folder of its own."""
    subject, folder = subject_of_plan(plan), folder_of_shift(plan, place)
    require_room(folder, request, subject.fingerprint)
    return write_files(folder, find_shift(None, subject, request, tell))


def folder_of_shift(plan: TrainPlan, place: Path | None) -> Path:
    return place or RUNS / f"shift-{folder_name(plan)}"


def require_possible(plan: TrainPlan, request: ShiftRequest, place: Path | None) -> None:
    """Refuses, before anything is done, a folder that keeps the answer to another question."""
    if not plan.trains:
        return require_room(folder_of_shift(plan, place), request, subject_of_plan(plan).fingerprint)
    home = place or RUNS / folder_name(plan)
    if (home / FILE).exists():
        with open_run(home) as run:
            require_room(run, request)


def require_untouched(agent: str, asked: Mapping[str, Any], out: str | Path | None) -> None:
    """Refuses options that are of no use for agents that are trained already."""
    if asked["seeds"] is not None or asked["first_seed"] or asked["settings"]:
        raise AssayError(f"the agents of {agent} are trained already; drop their seeds and settings.")
    if out is not None:
        raise AssayError(f"the shift of {agent} is kept in that run's folder; drop --out.")


def conclude_shift(run: Run, request: ShiftRequest, tell: Tell) -> ShiftResult:
    """Measures the policies of a run and writes the files beside its records, and an exam's report anew."""
    subject = subject_of_run(run, request.task)
    require_room(run, request)
    document = find_shift(run, subject, request, tell)
    result = write_files(run.folder, document)
    if isinstance(plan_of(run), ExamPlan):
        write_reports(run, find(run))
    return result


def write_files(folder: Path, document: ShiftDocument) -> ShiftResult:
    """`shift.json`, `shift.md` and, of pictures, `shift.png`."""
    keep_shift(folder, document)
    result = ShiftResult(folder, document.shift)
    title = f"# {TITLE}: {escape(document.shift.agent)} on {escape(document.shift.task)}"
    parts = [title, shift_markdown(document.shift)]
    (folder / PICTURE).unlink(missing_ok=True)  # of an earlier measurement
    if result.picture:
        save_png(draw_shift(document.shift), result.picture)
        parts.append(f"![the same states, plain and varied]({PICTURE})")
    (folder / TEXT).write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return result
