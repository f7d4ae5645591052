"""`assay rules difficulty`: how hard rules are for players, from the records of their runs."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from assay.analysis.difficulty import DRAWS

EXAMPLES = (
    "assay rules difficulty runs/learner --out pages",
    "assay rules difficulty runs/learner runs/random --draws 50000 --json",
)


def run(
    folders: Annotated[list[Path], typer.Argument(help="Folders of runs; several have several players.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for difficulty.html, .md and .json.", show_default="none")
    ] = None,
    draws: Annotated[int, typer.Option(min=100, help="Resamples of runs behind the bands.")] = DRAWS,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how hard rules are for the players of one or more runs, from their records alone."""
    from assay.analysis.difficulty import find_difficulty
    from assay.cli.output import INDENT, print_json, print_text
    from assay.cli.results import print_difficulty, shortest
    from assay.conduct.records import require_intact
    from assay.report.difficulty_page import files_of
    from assay.report.difficulty_tables import as_json
    from assay.results import open_run

    with ExitStack() as stack:
        runs = [stack.enter_context(open_run(folder)) for folder in folders]
        for each in runs:
            require_intact(each)
        difficulty = find_difficulty(runs, draws)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in files_of(difficulty, [str(folder) for folder in folders]).items():
            (out / name).write_text(text, encoding="utf-8")
    if json:
        return print_json(as_json(difficulty))
    for sentence in difficulty.missing:
        print_text(sentence, "bold", indent=2)
    print_difficulty(difficulty)
    if out is not None:
        print(f"{INDENT}report  {shortest(out / 'difficulty.html')}")
