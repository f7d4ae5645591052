"""Random single-byte changes to the folder of a run, and whether `assay verify --all` finds them.

    python benchmarks/tamper.py [changes, default 1000]

A small exam is made: six jobs, two of them a retraining that its findings asked for. Then one byte of one
file is changed at a time: in the ledger anywhere and in the pages of its references, in `run.json`,
`seal.json`, the parts, the weights and the reports, each kind equally often. A change to a file is seen by
its readers; one to the ledger is seen if SQLite reads anything else from it, or nothing at all. All changes
run in one process. A change is found by digests, by what plan and records give, or by doing all jobs again;
the dearer means are tried only where the cheaper ones found nothing.
"""

from __future__ import annotations

import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from assay.errors import AssayError
from assay.plans.plan import is_planned
from assay.results import open_run
from assay.results.ledger import FILE as LEDGER

TASK = "toy/discrete+mdp_seed=0"
KINDS = ("ledger", "references", "run.json", "seal.json", "parts", "weights", "report")


class Change(NamedTuple):
    kind: str
    path: Path
    place: int
    byte: int


class Outcome(NamedTuple):
    visible: bool
    found_by: str  # digests, plan and records, doing again; "" where nothing found it


class Folder:
    """A run's folder as it is now: a change is made, looked at, and undone."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.files = {path: path.read_bytes() for path in sorted(run.rglob("*")) if _is_kept(path)}
        self.ledger = run / LEDGER
        self.plain = as_read(self.ledger)
        self.page, self.first = _page_of(self.ledger, "reference")

    def changes(self, count: int, rng: random.Random) -> Iterator[Change]:
        kinds = [kind for kind in KINDS if self._paths(kind)]
        for number in range(count):
            kind = kinds[number % len(kinds)]
            path = rng.choice(self._paths(kind))
            data = self.files[path]
            place = rng.randrange(len(data))
            if kind == "references":
                place = (self.first - 1) * self.page + rng.randrange(self.page)
            yield Change(kind, path, place, rng.choice([b for b in range(256) if b != data[place]]))

    def outcome(self, change: Change) -> Outcome:
        data = bytearray(self.files[change.path])
        data[change.place] = change.byte
        change.path.write_bytes(data)
        try:
            visible = change.path != self.ledger or as_read(self.ledger) != self.plain
            return Outcome(visible, found_by(self.run))
        finally:
            self.restore()

    def restore(self) -> None:
        for path in self.run.rglob("*"):
            if path.is_file() and _is_kept(path) and path not in self.files:
                path.unlink()
        for suffix in ("-wal", "-shm"):
            self.ledger.with_name(LEDGER + suffix).unlink(missing_ok=True)
        for path, data in self.files.items():
            path.write_bytes(data)

    def _paths(self, kind: str) -> list[Path]:
        if kind == "references":
            return [self.ledger]
        return [path for path in self.files if path.relative_to(self.run).as_posix().startswith(kind)]


def _is_kept(path: Path) -> bool:
    return path.is_file() and path.parent.name != "locks" and not path.name.endswith(("-wal", "-shm"))


def _page_of(ledger: Path, table: str) -> tuple[int, int]:
    """The size of a page, and the number of a table's first one."""
    connection = sqlite3.connect(f"{ledger.as_uri()}?immutable=1", uri=True)
    try:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        return size, page
    finally:
        connection.close()


def as_read(ledger: Path) -> object:
    """All that anybody can read from a ledger, types and all; an error where it cannot be read."""
    connection = sqlite3.connect(f"{ledger.as_uri()}?immutable=1", uri=True)
    connection.text_factory = bytes
    try:
        shape = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
        seen: list[object] = [
            shape,
            *(connection.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "application_id")),
        ]
        for kind, name, *_ in shape:
            if kind == b"table":
                rows = connection.execute(f"SELECT rowid, * FROM {name.decode()} ORDER BY rowid").fetchall()
                seen.append([[(type(value).__name__, repr(value)) for value in row] for row in rows])
        return seen
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return f"unreadable: {error}"
    finally:
        connection.close()


def found_by(run: Path) -> str:
    """What `assay verify --all` finds a change by, its cheap means first."""
    try:
        with open_run(run, sweep=False) as opened:
            found = opened.verify()
            if not found.holds:
                return "digests"
            if not is_planned(opened.plan):
                return ""
            from assay.audit.differences import differences
            from assay.runs.repeat import can_be_done_again, do_again

            if not found.sealed or can_be_done_again(opened) or differences(opened, found.sealed):
                return "plan and records"
            again = do_again(opened, opened.jobs(status="done"), lambda *_: None)
            return "" if all(each.same for each in again) else "doing again"
    except AssayError:  # one sentence that says what is wrong, and exit code 2
        return "digests"


def examined(folder: Path) -> Path:
    """A finished exam with all that a run may hold."""
    from typer.testing import CliRunner

    from assay.cli.main import app

    run = folder / "run"
    words = ["sweep", "tabular_q", TASK, "--axis", "observation.noise=0.9", "--seeds", "2", "--steps", "3000"]
    done = CliRunner().invoke(app, [*words, "--episodes", "5", "--workers", "1", "--out", str(run)])
    if done.exit_code:
        raise SystemExit(done.output)
    return run


def main(count: int) -> None:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Folder(examined(Path(temporary)))
        with open_run(folder.run) as opened:
            print(f"{len(opened.jobs())} jobs, {len(opened.references())} references, "
                  f"{len(opened.decisions())} decision")  # fmt: skip
        if nothing := found_by(folder.run):
            raise SystemExit(f"the unchanged run is found by {nothing}")
        folder.restore()
        tally: dict[str, Counter] = {kind: Counter() for kind in KINDS}
        missed = []
        for change in folder.changes(count, random.Random(0)):
            outcome = folder.outcome(change)
            name = ("visible" if outcome.visible else "unseen", outcome.found_by)
            tally[change.kind][name] += 1
            if outcome.visible and not outcome.found_by:
                missed.append(change)
    print("| in | changes | seen by a reader | found | by digests | unseen | of these found |")
    print("|---|---|---|---|---|---|---|")
    rows = [*tally.items(), ("all", sum(tally.values(), Counter()))]
    for kind, found in rows:
        seen = sum(n for (what, _), n in found.items() if what == "visible")
        unseen = found.total() - seen
        caught = seen - found["visible", ""]
        print(f"| {kind} | {found.total()} | {seen} | {caught} | {found['visible', 'digests']} | {unseen} | "
              f"{unseen - found['unseen', '']} |")  # fmt: skip
    print(f"{time.perf_counter() - began:.0f} s")
    for change in missed:
        print(f"not found: byte {change.place} of {change.path.name} set to {change.byte}")
    if missed:
        raise SystemExit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
