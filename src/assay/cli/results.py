"""How commands tell the results of a run: on the screen, as JSON, and as files beside the records."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.output import INDENT, print_json, print_table, print_text, width
from assay.errors import AssayError
from assay.plans.plan import ExamPlan, plan_of
from assay.report.formats import FORMATS

if TYPE_CHECKING:
    from assay.analysis.difficulty import Difficulty
    from assay.analysis.experiment import Experiment

WIDEST = 60  # columns of a terminal that names in a table take before they are folded


def tell_results(run: Any, failed: list[str], json: bool) -> None:
    """Tells the results of a command that did work; exit code 2 if something failed."""
    (tell_exam if isinstance(plan_of(run), ExamPlan) else tell_pairs)(run, failed, json)


def tell_exam(
    run: Any,
    failed: list[str],
    json: bool,
    formats: tuple[str, ...] = FORMATS,
    to: Path | None = None,
    worked: bool = True,
) -> None:
    """The verdict on the screen and the report beside the records; exit code 2 if something failed."""
    from assay.analysis.findings import find
    from assay.door.run_result import write_reports
    from assay.report.table import as_json
    from assay.report.text import verdict_lines

    try:
        exam = find(run)
    except AssayError:
        refuse_failed(failed or run.failures(), run.folder)  # why there is nothing to say
        raise
    pages = write_reports(run, exam, to, formats)
    if json:
        print_json(as_json(exam) | (reuse_as_json(run) if worked else {}))
    else:
        wide = min(width(), 112) - len(INDENT)
        print("\n".join(["", *(INDENT + line for line in verdict_lines(exam, wide)), ""]))
        tell_reuse(run, worked)
        print(f"{INDENT}report  {shortest(pages[0])}")
        print(f"{INDENT}again   {shlex.join(run.document.command)}   ({describe_rerun(run)})")
    refuse_failed(failed, run.folder)


def tell_pairs(
    run: Any,
    failed: list[str],
    json: bool,
    formats: tuple[str, ...] = FORMATS,
    to: Path | None = None,
    intervals: str = "",
    compat: str = "",
    worked: bool = True,
) -> None:
    """The pairs of a suite, or of the one task of `assay train`: a table, maps, and the report's files."""
    from assay.analysis.experiment import find_experiment
    from assay.door.run_result import write_reports
    from assay.report.pair_table import as_json
    from assay.report.unfinished import say_unfinished

    experiment = find_experiment(run, intervals, compat)
    pages = write_reports(run, experiment, to, formats, intervals, compat) if experiment.findings else []
    if json:
        record = as_json(experiment)
        reuse = reuse_as_json(run) if worked else {}
        print_json({"folder": str(run.folder), "pairs": record.pop("findings"), **record, "failed": failed}
                   | reuse)  # fmt: skip
        return refuse_failed(failed, run.folder)
    failed = failed or ([] if experiment.findings else run.failures())  # why there is nothing to say
    for sentence in say_unfinished(experiment.unfinished, shortest(run.folder)):
        print_text(sentence, "bold", indent=2)
    if experiment.findings:
        print_pairs(experiment)
        tell_reuse(run, worked)
        print(f"{INDENT}report  {shortest(pages[0])}")
    print(f"{INDENT}records  {shortest(run.folder)}")
    refuse_failed(failed, run.folder)


def print_pairs(experiment: Experiment) -> None:
    """The tables of an experiment, and how its numbers were made."""
    from assay.report.gap_table import describe_gaps, gap_tables
    from assay.report.hackatari_tables import answer, cautions_of, hackatari_tables
    from assay.report.name_table import name_tables
    from assay.report.pair_table import map_tables, table
    from assay.report.pair_text import describe_intervals
    from assay.report.preset_table import preset_tables
    from assay.report.tail_table import tail_tables

    headings, rows = table(list(experiment.findings), bool(experiment.budget), bool(experiment.names))
    print_table(headings, rows, wraps={0: None, 1: None})
    for caption, heads, cells in (
        *hackatari_tables(experiment.hackatari),
        *preset_tables(experiment.presets),
        *map_tables(experiment),
        *name_tables(experiment.names),
    ):
        print_captioned(caption, heads, cells)
    for caption, heads, cells in gap_tables(experiment.gaps, bool(experiment.budget)):
        print_captioned(caption, heads, cells, wraps={0: 40})
    for caption, heads, cells in tail_tables(experiment.tails):
        print_captioned(caption, heads, cells, wraps={0: 40})
    if experiment.difficulty is not None:
        print_difficulty(experiment.difficulty)
    if experiment.gaps and experiment.gaps.pairs:
        print_text(f"measures  {describe_gaps(experiment.gaps, experiment.budget)}", indent=2)
    print_text(f"intervals  {describe_intervals(experiment)}", indent=2)
    for sentence in cautions_of(experiment.hackatari):
        print_text(sentence, "bold", indent=2)
    if experiment.hackatari:
        print_text(answer(experiment.hackatari), "bold", indent=2)
    if experiment.compat:
        print_text(f"normalised  {experiment.compat}", indent=2)
    for sentence in experiment.uncovered:
        print_text(f"not covered  {sentence}", indent=2)


def print_difficulty(difficulty: Difficulty) -> None:
    """The tables of difficulty without the comparisons of every two, which the page has."""
    from assay.report.difficulty_tables import NAMES, answer, explain_ranking, tables_of

    for table in tables_of(difficulty):
        if "compared" not in table.caption:
            wraps = {place: WIDEST for place, each in enumerate(table.headings) if each in NAMES}
            print_captioned(
                table.caption, list(table.headings), [list(row) for row in table.rows], wraps=wraps
            )
    if ranking := explain_ranking(difficulty):
        print()
        print_text(ranking, indent=2)
    print_text(answer(difficulty), "bold", indent=2)


def print_captioned(caption: str, heads: list[str], cells: list[list[str]], **how: Any) -> None:
    print()
    print_text(caption, "bold", indent=2)
    print_table(heads, cells, **how)


def tell_reuse(run: Any, worked: bool) -> None:
    """Says that results are not new, where a command that does work found them done."""
    from assay.conduct.reuse import describe_replaced, find_reused

    if worked and (reused := find_reused(run)):
        print(f"{INDENT}{reused.sentence}")
    if worked and (replaced := describe_replaced(run)):
        print(f"{INDENT}{replaced}")


def reuse_as_json(run: Any) -> dict[str, Any]:
    from assay.conduct.reuse import describe_replaced, find_reused

    reused = find_reused(run)
    told = None if reused is None else {**reused._asdict(), "says": reused.sentence}
    return {"reused": told, "replaced": describe_replaced(run) or None}


def describe_rerun(run: Any) -> str:
    """Whether the command, typed once more, would find its results or do the jobs anew."""
    from assay.conduct.reuse import ONCE, outdated_jobs

    once = list(outdated_jobs(run).values())
    if once:
        return f"done anew each time: {once[0].removeprefix(ONCE)}"
    return "finished jobs of the same code are reused"


def refuse_failed(failed: list[str], folder: Path) -> None:
    """Says what failed, if anything, with the next move, and leaves with exit code 2."""
    if not failed:
        return
    others = len(failed) - 1
    more = f" (and {others} more {'job' if others == 1 else 'jobs'} failed)" if others else ""
    again = shlex.join(["assay", "resume", shortest(folder), "--failed"])
    move = f", and `{again}` tries {'those' if others else 'that one'} again"
    move = "" if "--failed`" in failed[0] else move  # it says so itself
    raise AssayError(f"{failed[0].rstrip('.')}{more}; finished jobs are kept{move}.")


def shortest(path: Path) -> str:
    """The path as one would type it from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
