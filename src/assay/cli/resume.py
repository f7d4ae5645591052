"""`assay resume`: goes on with a run that was stopped, killed or cut off."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assay.cli.execution import finish_run
from assay.cli.option_groups import with_option_groups
from assay.cli.options import DryRun, Executors, Folder, Json
from assay.cli.output import print_json
from assay.cli.results import refuse_failed, tell_results

EXAMPLES = ("assay resume runs/first", "assay resume runs/first --dry-run")


@with_option_groups
def run(
    folder: Folder,
    *,
    failed_too: Annotated[bool, typer.Option("--failed", help="Try failed jobs once more.")] = False,
    executors: Executors,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Do the jobs of a run that are not finished yet; finished jobs stay as they are.

    A finished job is done again only if its curves or weights are missing or damaged, or if it could come out
    differently now.
    """
    from assay.cli.drift import tell_drift
    from assay.door.drift import conclude_drift, question_of_command
    from assay.plans.drift_request import is_drift
    from assay.plans.plan import plan_of
    from assay.results import open_run

    if dry_run:
        executors.require_usable()
        with open_run(folder) as opened:
            return tell_left(opened, failed_too, json)
    executor = executors.executor()
    opened = open_run(folder)
    if failed_too:
        opened.retry()
    done, failed = finish_run(opened, executor)
    with done:
        if is_drift(plan_of(done)):
            refuse_failed(failed, done.folder)
            return tell_drift(conclude_drift(done, question_of_command(done)), json)
        tell_results(done, failed, json)


def tell_left(run: Any, failed_too: bool, json: bool) -> None:
    from assay.conduct.records import lost_jobs, require_same_code
    from assay.conduct.reuse import outdated_jobs

    require_same_code(run)
    progress = run.progress()
    again = lost_jobs(run) | outdated_jobs(run)
    left = len(progress.left) + len(again) + (len(progress.failed) if failed_too else 0)
    if json:
        return print_json({name: len(jobs) for name, jobs in progress._asdict().items()} | {"left": left})
    jobs = "1 job" if len(progress.done) == 1 else f"{len(progress.done)} jobs"
    print(f"  {jobs} done, {left} to do, {len(progress.failed)} failed, "
          f"{len(progress.running)} being done by another process")  # fmt: skip
