"""The steps of `assay show` in words and drawings, for tasks with a text view; plain beside varied."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from assay.cli.output import GAP, INDENT, MARK, print_text, width
from assay.cli.side_by_side import Moment, Row, differ
from assay.envs.text_views import TextView
from assay.interop.gymnasium import TaskEnv, make
from assay.interop.text_views import find_view
from assay.task_text import TaskText
from assay.tasks import resolve

OVER = "(its episode is over)"


class Side(NamedTuple):
    """One of the runs that are shown."""

    title: str
    view: TextView


def view_for(env: TaskEnv) -> TextView | None:
    """The view with which an env's observations can be drawn, and all of its actions named."""
    resolved = resolve(env.task)
    view = find_view(resolved)
    if view is None or getattr(env.action_space, "n", None) != len(view.action_names):
        return None
    structure = tuple(each for each in resolved.text.settings if each.name in resolved.structure)
    # A view reads observations as the structure lays them out; what a variation made of them may be no board.
    laid_out = make(TaskText(resolved.text.env, structure)).observation_space
    return view if laid_out == env.observation_space else None


def sides_in_words(plain: TaskEnv | None, varied: TaskEnv) -> list[Side] | None:
    """The sides to draw, plain first; None where one of them cannot be drawn."""
    envs = [("plain", plain), ("varied", varied)] if plain else [("", varied)]
    views = [(title, view_for(env)) for title, env in envs if env is not None]
    return None if any(view is None for _, view in views) else [Side(t, v) for t, v in views if v is not None]


def print_steps_in_words(rows: Sequence[Row], sides: Sequence[Side], says: str) -> None:
    """Every step with the action in words, and the board of each side after it."""
    print()
    print_text(says, "bold")
    before: list[Moment | None] = [None] * len(sides)
    for row in rows:
        moments = [row.plain, row.varied][-len(sides) :]
        print()
        action = "" if row.action is None else f"  {sides[-1].view.action_names[int(row.action)]}"
        print_text(f"t {row.t}{action or '  reset'}", "bold", indent=len(INDENT))
        blocks = [describe(side, *pair) for side, *pair in zip(sides, before, moments)]
        if plain_differs(row):
            blocks[-1][0] += MARK
        print("\n".join(place(blocks)))
        before = moments
    print()
    print_text(sides[-1].view.legend, "dim", indent=len(INDENT))


def plain_differs(row: Row) -> bool:
    """Whether both runs go on and what they gave is not the same."""
    if row.plain is None or row.varied is None:
        return False
    pairs = zip(row.plain[:-1], row.varied[:-1])  # without info, which nobody sees
    return any(differ(*pair) for pair in pairs)


def describe(side: Side, before: Moment | None, now: Moment | None) -> list[str]:
    """What came of a step on one side, and its board; `before` is the moment before it."""
    if now is None:
        return [side.title, OVER]
    view, tried = side.view, None
    if now.reward is None or before is None:
        said = [view.why_over(now.info)]
    else:
        tried = int(now.executed)
        came = view.tell(now.observation, brief=True) or "nothing came of it"
        said = [
            f"{view.name_move(before.observation, tried, before.info)}: {came}",
            f"reward {now.reward:.2f}",
        ]
        if now.end:
            said.append(f"the episode {now.end}: {view.sum_up(now.observation, now.end == 'ends')}")
    told = before.info if before else None
    board = view.draw(now.observation, tried, info=now.info, before=told)
    return [side.title, *filter(None, said), *board.splitlines()]


def place(blocks: Sequence[list[str]]) -> list[str]:
    """Blocks of lines beside each other where they fit, else one above another."""
    wide = max(len(line) for block in blocks for line in block)
    if len(blocks) * (wide + len(GAP)) + len(INDENT) <= width():
        rows: Any = zip_longest(*blocks, fillvalue="")
        lines = [GAP.join(cell.ljust(wide) for cell in row).rstrip() for row in rows]
    else:
        lines = [line for block in blocks for line in block]
    return [f"{INDENT}{line}" for line in lines if line]
