"""Drift from Python: what a change of the world costs an agent, against the same run without it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.analysis.drift import Drift, find_drift
from assay.analysis.experiment import find_experiment
from assay.analysis.finite_json import strict
from assay.conduct.phases import conduct, open_or_create
from assay.conduct.proving import with_proofs
from assay.door.arguments import read_executor, require_numbers, speaks_python
from assay.door.exams import RUNS, all_settings, command, name_of, to_stderr
from assay.door.run_result import write_reports
from assay.errors import AssayError, NotApplicable
from assay.plans.defaults import MARGIN
from assay.plans.drift_length import say_random_play_is_short
from assay.plans.drift_question import DriftQuestion
from assay.plans.drift_request import drift_plan, is_drift, question_of
from assay.plans.plan import plan_of
from assay.report.drift_files import DRIFT_PAGE, drift_files
from assay.report.drift_text import headings, say_facts, say_result, table_rows
from assay.report.formats import FORMATS
from assay.results import Run, seal
from assay.runs.executor import Executor
from assay.runs.progress import Listener, no_listener

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class DriftResult:
    """What a drift costs: `drift` has all numbers as records, and the files lie in `folder`."""

    folder: Path
    drift: Drift

    @property
    def page(self) -> Path:
        return self.folder / DRIFT_PAGE

    def table(self) -> pyarrow.Table:
        """A row per drift."""
        import pyarrow

        rows = []
        for each in self.drift.findings:
            row: dict[str, Any] = {}
            for name, value in strict(each).items():
                ends = value if isinstance(value, dict) else {"value": value}
                row |= {name if end == "value" else f"{name}_{end}": held for end, held in ends.items()}
            rows.append(row)
        # What only a later drift has is a column too.
        names = dict.fromkeys(name for row in rows for name in row)
        return pyarrow.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])

    def __repr__(self) -> str:
        rows = [headings(self.drift), *table_rows(self.drift)]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        said = [say_result(self.drift), *lines, *(f"{each}." for each in say_facts(self.drift))]
        return "\n".join([*said, f"files  {self.folder}"])


@speaks_python
def drift(
    agent: str | Callable[..., Any],
    task: str,
    *,
    control: str | None = None,
    window: int | None = None,
    margin: float = MARGIN,
    seeds: int | None = None,
    first_seed: int = 0,
    episodes: int | None = None,
    steps: int | None = None,
    settings: Mapping[str, Any] | None = None,
    max_steps: int | None = None,
    trust: bool = False,
    unproved: bool = False,
    out: str | Path | None = None,
    workers: int = 0,
    executor: Executor | None = None,
    tell: Listener = no_listener,
) -> DriftResult:
    """How deep scores fall after a drift, when they are back, what is lost, and how soon it shows.

    `task` has a schedule. In steps of the episode (`@sudden:300`) the agent is frozen: it is trained without
    the drift, or comes as it is (`"mine:act"`), and is followed step by step through the same episodes with
    and without it. On the clock of a life (`@sudden:20000:life`, `@sudden:50:episodes`) it goes on learning:
    its training with the drift is set beside the same training without. `control` is the task without its
    schedules, unless it is given.

        result = assay.drift("tabular_q", "toy/discrete+action.random=0.5@sudden:50", steps=2000)
        result.drift.findings[0].recovery
    """
    require_numbers(seeds=seeds, first_seed=first_seed, episodes=episodes, steps=steps, max_steps=max_steps,
                    workers=workers, window=window)  # fmt: skip
    hands = read_executor(executor, workers)
    question, plan = drift_plan(
        name_of(agent), task, control=control, window=window, margin=margin, seeds=seeds,
        first_seed=first_seed, episodes=episodes, settings=all_settings(settings, steps),
        max_steps=max_steps, trust=trust,
    )  # fmt: skip
    if plan.trains and not question.learning and (caution := say_random_play_is_short(question)):
        to_stderr(caution)
    plan = with_proofs(plan, to_stderr, unproved)
    with open_or_create(plan, None if out is None else Path(out), command(), RUNS) as run:
        failed = conduct(run, hands, tell)
        if failed:
            raise AssayError(failed[0])
        return conclude_drift(run, question)


def question_of_command(run: Run) -> DriftQuestion:
    """What a run asks of its drift, by the options of the command that began it."""
    plan, words = plan_of(run), run.document.command
    if list(words[1:2]) != ["drift"] or not is_drift(plan):
        raise NotApplicable(
            f"the jobs in {run.folder} are done, but its command keeps no options of a drift; call "
            "assay.drift again with the same arguments, which does no job twice and writes the report."
        )
    window, margin = (written_option(words, option) for option in ("--window", "--margin"))
    return question_of(plan, None if window is None else int(window), float(margin or MARGIN))


def written_option(words: Sequence[str], option: str) -> str | None:
    """The last value of an option in a command's words."""
    value = None
    for word, after in zip(words, [*words[1:], ""]):
        name, equals, joined = word.partition("=")
        if name == option:
            value = joined if equals else after
    return value


def conclude_drift(run: Run, question: DriftQuestion) -> DriftResult:
    """Measures a finished run; writes and seals `drift.html`, `.md`, `.csv`, `.json` beside its records."""
    result = DriftResult(run.folder, find_drift(run, plan_of(run), question))
    files = drift_files(result.drift, shlex.join(run.document.command), run.fingerprint())
    for name, content in files.items():
        (run.folder / name).write_bytes(content)
    rewrite_reports(run)
    asked = json.dumps({"window": question.window, "margin": question.margin})
    run.seal_reports(
        [run.folder / name for name in files],
        {"intervals": "", "compat": "", "folder": str(run.folder), "question": asked},
    )
    return result


def rewrite_reports(run: Run) -> None:
    """Writes anew, with its own options, each report that was made here while jobs were missing."""
    made = {f"report.{form}": form for form in FORMATS}
    sealed = seal.read(run.folder)
    for name, form in made.items():
        if (run.folder / name).exists():
            how = sealed.reports.get(name) if sealed else None
            intervals, compat = (how.intervals, how.compat) if how else ("", "")
            write_reports(run, find_experiment(run, intervals, compat), None, (form,), intervals, compat)
