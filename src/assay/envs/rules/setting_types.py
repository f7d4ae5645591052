"""Types of settings of hidden-rule games: functions that check a value and return it typed; no jax."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.core.axis import as_plain_number, show_value, takes
from assay.errors import WrongLevel

Range = int | tuple[int, int]


@takes("a whole number, or a list [4,9] of the fewest and the most")
def count_or_range(value: Any) -> Range:
    numbers = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    plain = [as_plain_number(each) for each in numbers]
    if not 1 <= len(plain) <= 2 or any(each is None or each != int(each) or each < 0 for each in plain):
        raise WrongLevel("write a whole number from 0 on, or two of them.")
    whole = [int(each) for each in plain if each is not None]
    if whole[0] > whole[-1]:
        raise WrongLevel("write the fewest first.")
    return whole[0] if whole[0] == whole[-1] else (whole[0], whole[-1])


def ends_of(count: Range) -> tuple[int, int]:
    """The fewest and the most."""
    return count if isinstance(count, tuple) else (count, count)


@takes("a list of names such as [square,star,circle]")
def names(value: Any) -> tuple[str, ...]:
    listed = tuple(value) if isinstance(value, (list, tuple)) else ()
    if not listed or any(not isinstance(each, str) or not each for each in listed):
        raise WrongLevel(f"{show_value(value)} is no list of names.")
    upper = tuple(each.upper() for each in listed)
    if len(set(upper)) < len(upper):
        raise WrongLevel("a name stands there twice.")
    return upper


def as_path(value: Any) -> Any:
    """A bare name of a file, without a dot, as a path: only so is it known as one in a task's text."""
    is_bare = isinstance(value, str) and value and not set("/.(") & set(value)
    return f"./{value}" if is_bare and Path(value).is_file() else value


@takes("a text")
def path_or_text(value: Any) -> str:
    if not isinstance(value, str):
        raise WrongLevel(f"{show_value(value)} is no text.")
    return str(as_path(value))


@takes("a folder of boards, or a list of board files, as texts")
def folder_or_files(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, str):
        # With its slash a folder is known as one wherever a task's text is read: its files then count.
        return f"{value}/" if value and "/" not in value and Path(value).is_dir() else value
    listed = tuple(map(as_path, value)) if isinstance(value, (list, tuple)) else ()
    if not listed or any(not isinstance(each, str) or not each for each in listed):
        raise WrongLevel(f"{show_value(value)} names no files.")
    return listed
