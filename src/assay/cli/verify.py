"""`assay verify`: whether a run's records are the ones that were written, and come out the same again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.conducting import DryRun
from assay.cli.output import Progress, print_json, print_text
from assay.errors import AssayError

EXAMPLES = (
    "assay verify runs/first",
    "assay verify runs/first --sample 0",
    "assay verify runs/first --all --dry-run",
)


def run(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    sample: Annotated[int, typer.Option(help="How many jobs are done again.", min=0)] = 2,
    everything: Annotated[bool, typer.Option("--all", help="Do every job again.")] = False,
    dry_run: DryRun = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check every record's digest, and do a sample of the jobs again, bit for bit.

    A record that was changed is found by its digest; one that was changed together with its digest is found
    by doing its job again, which `--all` does for every job. The exit code is 1 if something differs.
    """
    from assay.results import open_run
    from assay.runs.again import can_be_done_again, do_again
    from assay.runs.again import sample as some

    with open_run(folder) as opened:
        found = opened.verify()
        findings = [finding.says for finding in found.findings]
        done = opened.jobs(status="done")
        jobs = done if everything else some(done, sample)
        why_not = can_be_done_again(opened) if jobs else ""
        if why_not and everything:
            raise AssayError(
                f"{folder} cannot be done again here: {why_not}; drop --all to check its digests alone."
            )
        if dry_run:
            again = 0 if why_not else len(jobs)
            if json:
                return print_json({"checked": found.checked, "done_again": again})
            return print(f"  {found.checked} jobs would be checked by digest, {again} of them done again")
        progress, same = Progress(), 0
        if not why_not:
            for each in do_again(opened, jobs, progress):
                same += each.same
                findings += [] if each.same else [each.says]
        progress.close()
    if json:
        again = {"done_again": 0 if why_not else len(jobs), "same": same, "not_done_again_because": why_not}
        print_json({"checked": found.checked, **again, "findings": findings, "holds": not findings})
    else:
        tell(found.checked, len(jobs), same, why_not, findings)
    if findings:
        raise typer.Exit(1)


def tell(checked: int, again: int, same: int, why_not: str, findings: list[str]) -> None:
    for says in findings:
        print_text(says, "red", indent=2)
    digests = "every digest holds" if not findings else f"{len(findings)} findings"
    redone = f"not done again: {why_not}" if why_not else f"{same} of {again} done again with the same bits"
    print(f"  {checked} finished jobs: {digests}; {redone}")
