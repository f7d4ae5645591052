"""The arguments of the Python functions: checked before anything is done, and named as Python names them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

from assay.core.axis import as_plain_number, show_value
from assay.errors import AssayError
from assay.runs.executor import Executor
from assay.runs.local import Local
from assay.task_text import print_value

P = ParamSpec("P")
R = TypeVar("R")

LEAST = {"seeds": 1, "first_seed": 0, "episodes": 1, "steps": 0, "max_steps": 1, "workers": 0}
FLAGS = ("trust", "unproved", "retrain", "transcripts")
ALL_LEVELS = ("--levels all", "all_levels=True")
AXES = {"axis": "axes"}  # an argument that is called otherwise than its option
COMMANDS = ("assay ", "ray ", "pip ")  # with these begin texts in backticks that are typed in a shell
AXIS = re.compile(r"--axis ([\w.:]+)=([\w.,]+[\w])")
OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)(?: (\d[\d.]*\d|\d))?")


def in_python(text: str) -> str:
    """A text with options of the command line spelled as arguments: `--seeds 5` as `seeds=5`.

    Whole commands in backticks stay as they are.
    """
    pieces = text.split("`")
    return "`".join(
        piece if number % 2 and piece.startswith(COMMANDS) else spell(piece)
        for number, piece in enumerate(pieces)
    )


def spell(text: str) -> str:
    text = text.replace(*ALL_LEVELS)
    text = AXIS.sub(lambda match: f'axes={{"{match[1]}": [{match[2].replace(",", ", ")}]}}', text)

    def argument(match: re.Match[str]) -> str:
        name = match[1].replace("-", "_")
        if name in FLAGS:
            return f"{name}=True"
        return f"{AXES.get(name, name)}={match[2] or ''}"

    return OPTION.sub(argument, text)


def speaks_python(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose errors name arguments and not options of the command line."""

    @wraps(function)
    def call(*values: P.args, **named: P.kwargs) -> R:
        try:
            return function(*values, **named)
        except AssayError as error:
            said = in_python(str(error))
            if said == str(error):
                raise
            raise type(error)(said) from error.__cause__

    return call


def require_numbers(**given: Any) -> None:
    """Refuses what is no whole number, or is too small; None stands for the default."""
    for name, value in given.items():
        if value is None:
            continue
        try:
            number = None if isinstance(value, bool) else operator.index(value)
        except TypeError:
            number = None
        if number is None or number < LEAST[name]:
            raise AssayError(f"{name}= is a whole number from {LEAST[name]} up, not {show_value(value)}.")


def require_share(margin: Any) -> None:
    if as_plain_number(margin) is None:
        raise AssayError(f"margin= is a share such as 0.1, not {show_value(margin)}.")


class Axes(NamedTuple):
    """The axes that are asked for: names alone, or names with their levels as texts."""

    names: tuple[str, ...]
    levels: dict[str, str] | None = None


def read_axes(axes: Any) -> Axes:
    """`axes` of `examine`: one name, names, or levels by name."""
    if isinstance(axes, str):
        return Axes((axes,))
    if not isinstance(axes, Iterable):
        raise AssayError(f'axes= is a list of names, such as ["delay"], not {show_value(axes)}.')
    names = tuple(axes)
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise AssayError(
            f"axes= holds names, such as 'delay' or 'mine:blink', not {show_value(wrong[0])}; a variation of "
            "your own stands in a module, and is named."
        )
    if not isinstance(axes, Mapping):
        return Axes(names)
    return Axes(names, {name: levels_text(name, axes[name]) for name in names})


def levels_text(name: str, levels: Any) -> str:
    """Levels as a sweep reads them: a text, one level, or several; None for those of the catalogue."""
    levels = levels.tolist() if hasattr(levels, "tolist") else levels
    if levels is None or isinstance(levels, str):
        return levels or ""
    several = levels if isinstance(levels, (list, tuple)) else (levels,)
    if not several:
        raise AssayError(f'axes= names no level of {name}; write {{"{name}": [1, 2]}}.')
    try:
        return ",".join(print_value(tuple(each) if isinstance(each, list) else each) for each in several)
    except (TypeError, ValueError, AttributeError):
        raise AssayError(
            f'axes= gives {name} the levels {show_value(levels)}; write {{"{name}": [1, 2]}}.'
        ) from None


def read_executor(executor: Any, workers: int) -> Executor:
    """The executor that is given, or processes of this machine."""
    if executor is None:
        return Local(workers)
    if isinstance(executor, str) or not callable(getattr(executor, "do", None)):
        raise AssayError(
            f'executor= is made by assay.executor_of, as in assay.executor_of(ray="local"), '
            f"not {show_value(executor)}."
        )
    if workers:
        raise AssayError("workers= belongs to the executor: assay.executor_of(workers=2).")
    given: Executor = executor
    return given


def require_targets(targets: Iterable[Any], on: Any) -> None:
    """Refuses records in place of names: a check runs in processes that import them by name."""
    for target in targets:
        if not isinstance(target, str):
            raise AssayError(
                f"check takes names, not {type(target).__name__} objects: put it into a module of your own "
                'and write assay.check("mine:BLINK", on="gym/CartPole-v1").'
            )
    if on is not None and not isinstance(on, str):
        raise AssayError(f'on= is the name of an env, such as "gym/CartPole-v1", not {show_value(on)}.')
