"""Whether the files that tasks name, rules and boards for example, were the same in several runs.

A run keeps the digests of its files by short names, the last parts of their paths. A task names a file by its
path, or a folder, of whose files nothing stands in the task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from assay.errors import AssayError
from assay.plans.plan import plan_of
from assay.results import Run
from assay.task_text import parse

OUTSIDE = ":"  # stands in the name of every agent that is the user's own, as in `mine:act`


def refuse_changed_files(runs: Sequence[Run]) -> None:
    """Refuses runs of one task whose files were others in each."""
    first: dict[str, tuple[Run, dict[str, str]]] = {}
    for run in runs:
        for task in dict.fromkeys(plan_of(run).tasks):
            files = files_of_task(run, task)
            earlier, before = first.setdefault(task, (run, files))
            # Files of a folder are told apart from those of the user's own agent only by being in both.
            closed = not any(OUTSIDE in plan_of(each).agent for each in (earlier, run))
            names = before.keys() | files.keys() if closed else before.keys() & files.keys()
            for name in sorted(names):
                if before.get(name) != files.get(name):
                    raise AssayError(f"{name} of {task} was another file in {earlier.folder} than in "
                                     f"{run.folder}; give runs that were made with one.")  # fmt: skip


def files_of_task(run: Run, task: str) -> dict[str, str]:
    """The digests of the files that a task of a run names, by their paths, and of files in its folders."""
    kept = run.document.sources.files if run.document.sources else {}
    named = {word: name for each in plan_of(run).tasks for word in words_in_task(each)
             if (name := name_of_file(word, kept))}  # fmt: skip
    words = words_in_task(task)
    found = {word: kept[named[word]] for word in words if word in named}
    if any("/" in word and word not in named for word in words):  # a folder: files that no path names
        found |= {name: digest for name, digest in kept.items() if name not in named.values()}
    return found


def words_in_task(task: str) -> list[str]:
    """The texts of a task that may be paths: its levels, and the parts of those that are lists."""
    values = (setting.value for setting in parse(task).settings)
    several = (value if isinstance(value, (tuple, list)) else (value,) for value in values)
    return [each for part in several for each in part if isinstance(each, str)]


def name_of_file(word: str, names: Iterable[str] | Mapping[str, str]) -> str:
    """The name that a run gave to the file of this path: its longest ending among the names, or ""."""
    parts = PurePath(word).parts
    endings = (str(PurePath(*parts[-last:])) for last in range(len(parts), 0, -1))
    return next((ending for ending in endings if ending in names), "")
