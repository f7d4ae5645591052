"""Writes docs/atari-objects.md from rule files and the check: `python -m tools.docs.objects_page docs`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from assay.envs.atari.games import game_of, games, games_with_rules
from assay.envs.atari.objects.views import PARTS

NAME = "atari-objects.md"
CHECKED = Path(__file__).parents[2] / "benchmarks" / "objects" / "checked.json"
BARS = {"inside": 0.95, "area": 1.5, "misses": 0.02, "inventions": 0.02}
WRITTEN = "<!-- Written by `make docs` from the rule files and benchmarks/objects/checked.json. -->"
ABOUT = (
    "What `observation=objects` and the masks show of each game ([how](atari.md#objects)), in the order "
    "of the vector. A class has a fixed number of slots of {parts} numbers each ({names}).",
    "`python benchmarks/atari_objects.py` compares the boxes with the pixels of the class's colours, in "
    "2,000 steps of random play and 2,000 of skilled play, in which plans are tried on the emulator "
    "ahead; a cell gives both. **inside**: share of the class's pixels that lie in its boxes (wanted "
    "0.95). **area**: area of the boxes over that of the rectangles around their pixels (at most 1.5; "
    "it says nothing where neighbours touch). **misses**: share of the blobs of its pixels that no box "
    "touches (at most 0.02). **inventions**: share of the boxes in which none of its pixels was shown "
    "in the step's four frames, or whose colours go on beyond them on two opposite sides, as in a wall of "
    "the same colour (at most 0.02). Pixels in the boxes of another class of the same colour "
    "count as that class's. A figure that misses its bar is bold.",
    "The figures are of plain games. Boxes are read from the cells as they were when the picture was drawn, "
    "before variations write into them, so they fit nearly as well under variations. What is left is in "
    "bold: a few things that fly in Jamesbond leave the picture before their cells say so, and bombs of "
    "StarGunner are drawn a row lower, or not at all, in ways that its cells do not tell. Its flyers and "
    "bombs take all colours, as other things there do, so the check finds more pixels than are theirs.",
)


def page() -> str:
    checked = json.loads(CHECKED.read_text())
    lines = [WRITTEN, "# Objects of Atari games", ""]
    for each in ABOUT:
        lines += [each.format(parts=len(PARTS), names=", ".join(PARTS)), ""]
    for game in games_with_rules():
        if games()[game].file.objects:
            lines += [f"## {game}", "", *table(game, checked.get(game, {})), ""]
    return "\n".join(lines)


def table(game: str, checked: dict[str, Any]) -> list[str]:
    finder = game_of(game).finder
    rows = ["| class | slots | inside | area | misses | inventions |", "|---|---|---|---|---|---|"]
    for kind, name in enumerate(finder.classes):
        slots = finder.class_of.count(kind)
        rows.append(f"| {name} | {slots} | {' | '.join(figures(name, checked))} |")
    return rows


def figures(name: str, checked: dict[str, Any]) -> list[str]:
    """Random and skilled play, for each measure."""
    kinds = [checked[kind].get(name) for kind in ("random", "skilled") if kind in checked]
    if not any(kinds):
        return ["not checked", "", "", ""]
    return [", ".join(figure(key, each) for each in kinds) for key in BARS]


def figure(key: str, measured: dict[str, Any] | None) -> str:
    value = (measured or {}).get(key)
    if value is None:
        return "-"
    bad = value < BARS[key] if key == "inside" else value > BARS[key]
    told = f"{value:.3f}".rstrip("0").rstrip(".")
    return f"**{told}**" if bad else told


def main(folder: str, check: bool = False) -> int:
    """Writes the page; with `check` says instead whether it is what it would write."""
    path = Path(folder) / NAME
    text = page()
    if check:
        if path.is_file() and path.read_text() == text:
            return 0
        print(f"{path} is not what the rule files and the check say; run `make docs`.")
        return 1
    path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
