"""How commands print: tables on a terminal and in a pipe, JSON, progress on stderr.

In a pipe a table has one line per row and no colours, so that grep and cut work on it; rich is loaded for a
terminal only.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

GAP, INDENT = "  ", "  "
INTERRUPTED = 130  # as a shell says of a command stopped by Ctrl-C
NARROW = 120  # columns below which a table of axes takes two lines a row
SECONDS_BETWEEN_LINES = 10  # of progress in a pipe
NONE: Mapping[int, int | None] = {}
MARK = "*"  # behind a cell that differs from the one beside it
STYLES = {
    "proved": "green",
    "proved here": "green",
    "fails": "bold red",
    "unproved": "yellow",
    "not applicable": "dim",
    "pass": "green",
    "FAIL": "bold red",
    "does not apply": "dim",
    "not judged": "dim",
}


def is_terminal() -> bool:
    return sys.stdout.isatty()


def width() -> int:
    """Columns to fill; endless in a pipe."""
    return shutil.get_terminal_size().columns if is_terminal() else 10_000


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))


def print_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], wraps: Mapping[int, int | None] = NONE
) -> None:
    """Rows under headings; on a terminal the columns in `wraps` (number -> most width) may be folded."""
    if is_terminal():
        print_rich_table(headings, rows, wraps)
    else:
        print("\n".join(plain_table(headings, rows)))


def plain_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table in plain text; a heading may hold several lines."""
    cut = [heading.split("\n") for heading in headings]
    tallest = max(map(len, cut))
    above = [[lines[i] if i < len(lines) else "" for lines in cut] for i in range(tallest)]
    cells = [row for row in above if any(row)] + [list(row) for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    return [INDENT + GAP.join(cell.ljust(size) for cell, size in zip(row, widths)).rstrip() for row in cells]


def print_rich_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], wraps: Mapping[int, int | None]
) -> None:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_header=any(headings)
    )
    for i, heading in enumerate(headings):
        table.add_column(heading, no_wrap=i not in wraps, max_width=wraps.get(i))
    for row in rows:
        table.add_row(*(Text(cell, style_of(i, cell)) for i, cell in enumerate(row)))
    console().print(Padding(table, (0, 0, 0, len(INDENT))))


def style_of(column: int, cell: str) -> str:
    if cell.endswith(MARK):
        return "bold yellow"
    return STYLES.get(cell, "bold" if column == 0 else "")


def print_text(text: str, style: str = "", indent: int = 0) -> None:
    """Lines of text, wrapped to a terminal and left alone in a pipe."""
    if is_terminal():
        from rich.padding import Padding
        from rich.text import Text

        console().print(Padding(Text(text, style), (0, 0, 0, indent)))
    else:
        print("\n".join(" " * indent + line for line in text.split("\n")))


def console() -> Any:
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


class Progress:
    """Where a long command is, on stderr: one live line on a terminal, a line now and then in a pipe."""

    def __init__(self) -> None:
        self.begun = self.told = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begun

    def __call__(self, done: int, total: int, what: str) -> None:
        line = f"{done + 1} of {total}, {self.seconds:.0f} s  {what}"
        if sys.stderr.isatty():
            print(f"\r\033[K{INDENT}{line}", end="", file=sys.stderr, flush=True)
        elif done == 0 or time.monotonic() - self.told > SECONDS_BETWEEN_LINES:
            self.told = time.monotonic()
            print(f"{INDENT}{line}", file=sys.stderr, flush=True)

    def close(self) -> None:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def tell(line: str) -> None:
    """A line for a person who waits, beside what is printed for programs."""
    print(f"{INDENT}{line}", file=sys.stderr, flush=True)
