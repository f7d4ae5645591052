"""Saves what was tried on a workbench as a variation in a rule file, new or of the same game."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from pathlib import Path

from assay.core.axis import COMPONENTS, DIRECTIONS
from assay.envs.atari.game_table import RULES
from assay.envs.atari.rulefile import read_rules, read_utf8
from assay.errors import AssayError
from assay.interop.workbench import Cells, Workbench, file_text

KEYS = {"touches": COMPONENTS, "direction": DIRECTIONS}


def save_variation(
    bench: Workbench, path: Path, name: str, means: str, keys: dict[str, str], force: bool = False
) -> str:
    """Writes the draft as variation `name` of a file, aside and then in its place; returns the task."""
    if not (bench.rules or bench.frozen):
        raise AssayError("there is nothing to save: freeze a cell or write a rule first.")
    for key, value in keys.items():
        if key not in KEYS:
            raise AssayError(f"save takes {' and '.join(KEYS)}, not {key}.")
        for each in value.split(","):
            if each.strip() not in KEYS[key]:
                raise AssayError(f"{key} is one of {', '.join(KEYS[key])}, not {each.strip()!r}.")
    refuse_place(path, force)
    if not name.isidentifier():
        raise AssayError(f"{name!r} is no name of a variation; use letters, digits and underscores.")
    lines = bench.draft(means, **keys)
    names = {each: cells for each, cells in bench.names.items() if is_named(each, lines)}
    if path.exists():
        text = extend_file(read_utf8(str(path)), str(path), bench.game.name, names, name, lines)
    else:
        text = file_text(bench.game.name, names, {name: lines})
    read_rules(text, str(path))  # whatever it says is said before anything is written
    put_in_place(text, path.resolve())  # a link stays one, and the file that it leads to is written
    return f"atari/{bench.game.name}+{path.name}:{name}"


def put_in_place(text: str, path: Path) -> None:
    """Writes a file aside, under a name that no file of the user's has, and then in its place."""
    aside = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        aside.write_text(text, encoding="utf-8")
        if path.exists():
            shutil.copymode(path, aside)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def refuse_place(path: Path, force: bool) -> None:
    """Refuses a file that is no rule file of the user's."""
    if path.suffix != ".yaml" or not path.resolve().parent.is_dir():
        raise AssayError(f"{path} must be a file that ends in .yaml, in a folder that is there.")
    shipped = Path(str(RULES)).resolve()
    if path.resolve().parent == shipped and not force:
        raise AssayError(
            f"{path} is a rule file that assay ships; save into a file of your own, or start with --force."
        )


def is_named(name: str, lines: list[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", line) for line in lines)


def extend_file(text: str, path: str, game: str, names: Cells, name: str, lines: list[str]) -> str:
    """The text of a rule file with one more variation at its end, and the cells that it still lacks."""
    file = read_rules(text, path)
    if file.game != game:
        raise AssayError(f"{path} holds rules of {file.game}, and this is {game}; save into another file.")
    if name in file.variations:
        raise AssayError(f"{path} has a variation {name} already; choose another name.")
    for each, cells in names.items():
        if each in file.cells and file.cells[each] != cells:
            raise AssayError(f"{each} names another cell in {path}; name yours otherwise, or save elsewhere.")
    written = text.splitlines()
    lacking = [each for each in file_text(game, {n: c for n, c in names.items() if n not in file.cells}, {})
               .splitlines() if each.startswith("  ")]  # fmt: skip
    if lacking:
        if "cells:" in written:
            place = written.index("cells:") + 1
            written[place:place] = [indent_after(written, "cells:") + each.strip() for each in lacking]
        elif not file.cells:
            written[1:1] = ["cells:", *lacking]
        else:
            raise AssayError(f"the cells of {path} stand on one line; write them below each other first.")
    keys = [line for line in written if line[:1].isalpha()]
    if not keys or not keys[-1].startswith("variations:"):
        raise AssayError(f"variations must be the last key of {path}, so that one more can stand at its end.")
    if keys[-1].strip() == "variations: {}":
        written[written.index(keys[-1])] = "variations:"
    elif keys[-1].strip() != "variations:":
        raise AssayError(f"the variations of {path} stand on one line; write them below each other first.")
    indent = indent_after(written, "variations:")
    return "\n".join([*written, f"{indent}{name}:", *(f"{2 * indent}{line}" for line in lines)]) + "\n"


def indent_after(written: list[str], key: str) -> str:
    """The blanks before the first entry of a key's block, for a new entry must stand beside it."""
    place = next(number for number, line in enumerate(written) if line.rstrip() == key)
    for line in written[place + 1 :]:
        if line.strip() and not line.lstrip().startswith("#"):
            blanks = line[: len(line) - len(line.lstrip())]
            return blanks or "  "
    return "  "
