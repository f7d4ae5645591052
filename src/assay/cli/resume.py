"""`assay resume`: goes on with a run that was stopped, killed or cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import conducting as options
from assay.cli import executing
from assay.cli.output import print_json

EXAMPLES = ("assay resume runs/first", "assay resume runs/first --dry-run")


@executing.with_executor
def run(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    failed_too: Annotated[bool, typer.Option("--failed", help="Try the jobs that failed once more.")] = False,
    executor: executing.Chosen = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Do what is left of a run; what was finished stays as it is.

    A job whose curves or weights are missing or damaged is done again, and no other one.
    """
    from assay.plans.plan import ExamPlan, plan_of
    from assay.results import open_run

    if dry_run:
        with open_run(folder) as opened:
            return tell_left(opened, failed_too, json)
    doer = executor()
    opened = open_run(folder)
    if failed_too:
        opened.retry()
    done, failed = options.carry_on(opened, doer)
    with done:
        exam = isinstance(plan_of(done), ExamPlan)
        (options.tell_exam if exam else options.tell_pairs)(done, failed, json)


def tell_left(run, failed_too: bool, json: bool) -> None:
    from assay.conduct.records import lost_jobs, require_same_code
    from assay.conduct.reuse import outdated_jobs

    require_same_code(run)
    progress = run.progress()
    again = lost_jobs(run) | outdated_jobs(run)
    left = len(progress.left) + len(again) + (len(progress.failed) if failed_too else 0)
    if json:
        return print_json({name: len(jobs) for name, jobs in progress._asdict().items()} | {"left": left})
    print(f"  {len(progress.done)} jobs done, {left} to do, {len(progress.failed)} failed, "
          f"{len(progress.running)} in the hands of another process")  # fmt: skip
