"""Channels of the action that a user describes: replacement by some actions only, and any matrix."""

from __future__ import annotations

import csv
from functools import cache, partial
from pathlib import Path
from typing import Any

from assay.core import scalars
from assay.core.axis import Axis, as_plain_number, show_value, takes
from assay.core.space import Discrete, Space, count_of
from assay.errors import NotApplicable, WrongLevel
from assay.user_files import BadFile, read_user_json, read_user_text
from assay.variations.channel_axis import channel_axis
from assay.variations.channel_parts import one_uniform, whether_and_which
from assay.variations.numbered import parse_numbers

RESTRICTED = "action.restricted."  # the numbers of the actions follow
MATRIX = "action.matrix"
# Where two actions do the same, as in Pong, only noise tells two seeds of a held action apart. This kind of
# noise rounds nothing; noise that is added may be rounded otherwise by another process's program.
BESIDE = "observation.dropout=0.1"
ROUNDING = 1e-6  # by which the chances of a row may miss 1


def restricted(
    xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Discrete, *,
    support: tuple[int, ...],
) -> tuple:  # fmt: skip
    """With chance `level` one of the actions in `support` is executed, each equally likely."""
    place = xp.minimum(xp.asarray(xp.floor(draw[1] * len(support)), "int32"), len(support) - 1)
    # Actions are counted from 0 here, as people count them, wherever the space begins.
    drawn = space.start + pick(xp, support, place, space)
    return memory, xp.where(draw[0] < level, drawn, value)


def pick(xp: Any, support: tuple[int, ...], place: Any, space: Discrete) -> Any:
    return support[place] if xp is scalars else xp.asarray(support, space.dtype)[place]


def report_restricted(
    xp: Any, level: Any, memory: Any, draw: Any, chosen: Any, sent: Any, ends: Any, space: Any
) -> tuple:
    """Opportunity: every step. Event: an action is drawn. Detail: the action executed."""
    return True, draw[0] < level, sent


def fits_support(space: Space, support: tuple[int, ...]) -> str:
    if not isinstance(space, Discrete) or isinstance(space.n, tuple):
        return "actions can be named by number only where an action is one whole number"
    if support[-1] >= space.n:
        return f"it names action {support[-1]}, and the actions are 0 to {space.n - 1}"
    return "there is no other action than the one" if space.n < 2 else ""


@cache
def restricted_axis(name: str) -> Axis:
    """The axis of a name such as action.restricted.0-9."""
    support = parse_numbers(name.removeprefix(RESTRICTED), name)
    which = "action" if len(support) == 1 else "one of the actions"
    return channel_axis(
        "action", name, "dose", 0.0, (0.1, 0.25, 0.5), partial(restricted, support=support), low=0, high=1,
        draw=whether_and_which, fits=partial(fits_support, support=support), report=report_restricted,
        per_frame=True, origin="STORI", stochasticity="1",
        context=BESIDE,
        means=f"chance that {which} {name.removeprefix(RESTRICTED)} is executed instead; other numbers in "
        "the name, as action.restricted.0-9, name other actions",
    )  # fmt: skip


def matrix(xp: Any, level: Any, memory: Any, draw: Any, value: Any, ends: Any, space: Discrete) -> tuple:
    """Executes action j where i was chosen with the chance in row i, column j of `level`.

    One row alone stands for all: its column k is the chance of the k-th action after the chosen one. A
    number p stands for the row [1 - p, p].
    """
    if is_one_number(level):
        following = (value - space.start + 1) % xp.asarray(space.n, space.dtype)
        return memory, xp.where(draw < level, space.start + following, value)
    require_size(level, space)
    one_row = is_one_number(level[0])
    row = level if one_row else level[value - space.start]
    column = draw_from_row(row, draw) if xp is scalars else draw_column(xp, row, draw)
    executed = xp.asarray(column, space.dtype)
    if one_row:
        executed = (value - space.start + executed) % xp.asarray(space.n, space.dtype)
    # A schedule that is off turns all chances into zeros, under which the chosen action is executed.
    on = True if xp is scalars else row.sum() > 0
    return memory, xp.where(on, space.start + executed, value)


def draw_column(xp: Any, row: Any, draw: Any) -> Any:
    """The column that a uniform draw falls on."""
    total = xp.cumsum(row)
    # The last column with a chance is the limit, for a sum of rounded chances may stay below the draw.
    return xp.minimum((total <= draw * total[-1]).sum(), (total < total[-1]).sum())


def draw_from_row(row: Any, draw: float) -> int:
    """The same with plain numbers."""
    last, left = 0, draw * sum(row)
    for column, chance in enumerate(row):
        if chance > 0:
            if left < chance:
                return column
            last, left = column, left - chance
    return last


def is_one_number(level: Any) -> bool:
    return not isinstance(level, (tuple, list)) and getattr(level, "ndim", 0) == 0


def require_size(level: Any, space: Discrete) -> None:
    one_row = is_one_number(level[0])
    if len(level) > count_of(space) or (len(level) < count_of(space) and not one_row):
        what = "chances in its row" if one_row else "rows"
        raise NotApplicable(
            f"{MATRIX} has {len(level)} {what}, and there are {space.n} actions; give one for each."
        )


def report_matrix(
    xp: Any, level: Any, memory: Any, draw: Any, chosen: Any, sent: Any, ends: Any, space: Any
) -> tuple:
    """Opportunity: a matrix is on. Event: another action is executed. Detail: the action executed."""
    if is_one_number(level):
        return level > 0, chosen != sent, sent
    on = True if xp is scalars else level.sum() > 0
    return on, chosen != sent, sent


def numbered_actions(space: Space) -> str:
    if isinstance(space, Discrete) and not isinstance(space.n, tuple):
        return ""
    return "a matrix has a row for each action, so an action must be one whole number"


@takes("rows of chances, one row for each action, one row for all, a chance, or a .json or .csv file of rows")
def rows(value: Any) -> float | tuple[Any, ...]:
    """The rows as numbers; what a file holds becomes part of the task's text."""
    if isinstance(value, str):
        value = read_rows(Path(value))
    if not isinstance(value, (tuple, list)):
        chance = as_plain_number(value)
        if chance is None or not 0 <= chance <= 1:
            raise WrongLevel("write [[0.9,0.1],[0.0,1.0]], for example.")
        return float(chance)
    if value and all(as_plain_number(each) is not None for each in value):
        return read_row(0, value, len(value))
    if not value:
        raise WrongLevel("there must be at least one row.")
    return tuple(read_row(number, row, len(value)) for number, row in enumerate(value))


def read_row(number: int, row: Any, size: int) -> tuple[float, ...]:
    listed = row if isinstance(row, (tuple, list)) else ()
    chances = [chance for chance in map(as_plain_number, listed) if chance is not None]
    if len(chances) < len(listed) or not listed:
        raise WrongLevel(f"row {number} must be a list of chances.")
    if len(chances) != size:
        raise WrongLevel(
            f"row {number} has {len(chances)} of them, and there are {size} rows; a matrix is square."
        )
    if not all(0 <= chance <= 1 for chance in chances):
        wrong = next(chance for chance in chances if not 0 <= chance <= 1)
        raise WrongLevel(f"row {number} has {wrong:g}, and a chance is from 0 to 1.")
    if abs(sum(chances) - 1) > ROUNDING:
        raise WrongLevel(f"row {number} must add up to 1, not {sum(chances):g}.")
    return tuple(map(float, chances))


def read_rows(path: Path) -> Any:
    """The rows in a file."""
    if path.suffix not in (".json", ".csv"):
        raise WrongLevel(f"{show_value(str(path))} is neither a .json nor a .csv file.")
    try:
        if path.suffix == ".json":
            return read_user_json(path)
        return [[float(cell) for cell in row] for row in csv.reader(read_user_text(path).splitlines()) if row]
    except BadFile as refused:
        raise WrongLevel(f"the file cannot be read as rows of numbers: {refused}") from None
    except (ValueError, csv.Error) as error:
        raise WrongLevel(f"the file cannot be read as rows of numbers ({error}).") from None


MATRIX_AXIS = channel_axis(
    "action", MATRIX, "choice", 0.0, (0.25, 0.75), matrix, type_=rows,
    draw=one_uniform, fits=numbered_actions, report=report_matrix, per_frame=True, origin="assay",
    stochasticity="1", context=BESIDE,
    means="chances of the executed actions: a row for each action chosen, or one row for all, in which "
    "column k is the k-th action after the chosen one; a number p is the row [1 - p, p]",
)  # fmt: skip

AXES = (restricted_axis("action.restricted.0"), MATRIX_AXIS)
