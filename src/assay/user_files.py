"""Files that a user names, read as text, JSON or YAML: ordinary files of a sane size, or one sentence.

A device has no end and a pipe may never write, so both are refused before anything is read. A key that is
written twice is a slip, of which JSON and YAML would silently keep the last.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError

if TYPE_CHECKING:
    import yaml

LARGEST = 64 * 2**20  # bytes
TOO_DEEP = "it is nested too deep"


class BadFile(AssayError):
    """A file that cannot be read as what it should be; the sentence names it."""


def read_user_text(path: str | Path) -> str:
    try:
        return read_user_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadFile(f"{path} is no text in UTF-8 (byte {error.start:,}); save it as one.") from None


def read_user_bytes(path: str | Path) -> bytes:
    try:
        # Without O_NONBLOCK opening a pipe would wait for somebody to write into it.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise BadFile(f"{path} is no ordinary file; give one.")
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # a zero byte in the name is a ValueError
        raise BadFile(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(data) > LARGEST:
        raise BadFile(f"{path} has more than {LARGEST >> 20} MiB; give a smaller file.")
    return data


def read_user_json(path: str | Path) -> Any:
    text = read_user_text(path)
    try:
        return json.loads(text, object_pairs_hook=without_repeats)
    except RecursionError:
        raise BadFile(f"{path} is not JSON that can be read: {TOO_DEEP}.") from None
    except ValueError as error:
        raise BadFile(f"{path} is not JSON that can be read: {error}.") from None


def without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if (
        twice := next((key for key in keys if keys.count(key) > 1), None)
        if len(set(keys)) < len(keys)
        else None
    ):
        raise ValueError(f"the key {twice!r} is written twice")
    return dict(pairs)


def read_user_yaml(path: str | Path) -> Any:
    """What a YAML file holds; anchors, which could refer to themselves, are refused."""
    import yaml

    text = read_user_text(path)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        refuse_repeats(root, set())
        return yaml.safe_load(text)
    except RecursionError:
        raise BadFile(f"{path} is not YAML that can be read: {TOO_DEEP}.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise BadFile(f"{path} is not YAML that can be read: {' '.join(str(error).split())}.") from None


def refuse_repeats(node: yaml.Node | None, met: set[int]) -> None:
    """Refuses keys that are written twice, and nodes that stand in two places by an anchor."""
    if id(node) in met:
        raise ValueError("it uses an anchor; write the values out")
    met.add(id(node))
    parts = node.value if node is not None and isinstance(node.value, list) else []
    pairs = [part for part in parts if isinstance(part, tuple)]
    without_repeats([(str(key.value), value) for key, value in pairs])
    for part in parts:
        for each in part if isinstance(part, tuple) else (part,):
            refuse_repeats(each, met)
