"""Writes docs/axes.md and its pictures: `python -m tools.docs.gallery docs [--check | --all]`.

Every axis of the platformer that changes what is seen and nothing else, as a strip: the plain task, then
several levels at the same moment. Pictures take minutes: those that are there are left as they are, unless
`--all` draws them anew. `--check` says what is stale, of pictures only whether they are there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.catalogue import axis_of, env_entry, variations
from assay.cli.axes import form, level_text
from assay.cli.output import Progress
from assay.cli.pictures import Asked, films
from assay.core.axis import Axis
from assay.errors import NotApplicable
from assay.interop.film import Film, has_pictures
from assay.report.sheet import Cell, Row, Sheet, draw_sheet, save_png
from assay.task_text import Setting, TaskText, parse
from assay.tasks import holds, resolve
from tools.docs.reference import WRITTEN, capital, joined, page_of, quoted

ENV = "platformer/run"
PAGE, IMAGES = "axes.md", "images/axes"
SEEDS, STEPS = range(3), 200
MOMENT = 150  # at which a strip shows its tasks, unless some level shows much better elsewhere:
CLEAR = 0.3  # if this share of the pixels that differ there do so here, that is good enough
MOST_LEVELS = 5
SHOWING = (("observation",), ("transition", "observation"))
UNSEEN = ("observation.stack",)  # hands over several pictures, each as it was
COLOURS = 256  # of a strip
GROUPS = {
    "": ("The whole picture", "Its size, and ready-made sets of looks."),
    "background": ("background", "What is behind everything."),
    "character": ("character", "How the agent looks; its box, which is of the world, stays as it is."),
    "npc": ("npc", "Characters that stand in the world, and sticky ones, which keep beside the agent."),
    "distractors": ("distractors", "Shapes that move over the screen, behind the level."),
    "filters": ("filters", "Over the whole picture, in this order of acting."),
    "effects": ("effects", "Lights on the screen."),
    "layout": ("layout", "How the ground looks; where it is, is of the world."),
    "observation": ("Any task's pictures", "These act on the pictures of every env, from outside."),
}
# Settings beside which a group or an axis shows well: filters, lights and noise over what KAGE-Bench has them
# on, not over black; ground at the lowest row of the world.
ON_PICTURES = "background.mode=image+background.image_paths=[bg-1]+character.use_sprites"
BESIDE = {
    "filters": ON_PICTURES,
    "effects": ON_PICTURES,
    "observation": ON_PICTURES,
    "layout.height_px": "H=160+layout.base_ground_y=127+layout.ground_thickness=10",
}
# What the catalogue has too few of to show what an axis can do.
MORE_LEVELS = {
    "background.color_names": (("lime",), ("orange",), ("white",), ("gray",)),
    "background.image_paths": (("bg-1",), ("bg-40",), ("bg-77",), ("bg-128",)),
    "character.sprite_paths": (("skeleton",), ("clown",), ("robot",), ("wizard",)),
    "character.shape_types": (("line",), ("square",), ("star",), ("diamond",)),
    "character.shape_colors": (("pink",), ("indigo",), ("orange",), ("white",)),
    "npc.sprite_paths": (("skeleton",), ("clown",), ("robot",)),
    "npc.sticky_sprite_dirs": (("skeleton",), ("clown",), ("robot",)),
    "distractors.shape_types": (("circle",), ("square",), ("star",), ("diamond",)),
    "distractors.shape_colors": (("teal",), ("orange",), ("white",)),
    "filters.radial_light_color": ((255, 0, 0), (0, 255, 0), (0, 128, 255)),
    "filters.pop_filter_list": (("vintage",), ("retro",), ("cyberpunk",), ("horror",), ("noir",)),
    "effects.point_light_color_names": (("warm_white",), ("fire",), ("green", "purple")),
    "layout.layout_colors": (("red",), ("lime",), ("orange",), ("white",)),
}


class Strip(NamedTuple):
    """An axis, the plain task with all that the axis needs, and the tasks at its levels."""

    axis: Axis
    plain: TaskText
    levels: tuple
    tasks: tuple[TaskText, ...]

    @property
    def picture(self) -> str:
        return f"{self.axis.name}.png"


class Take(NamedTuple):
    """A moment of a seed, and how many levels are seen there."""

    levels: int
    seed: int
    step: int
    cells: list[Cell]


def group_of(axis: Axis) -> str:
    return axis.name.rpartition(".")[0]


def strips(env: str = ENV) -> list[Strip]:
    """Every axis that shows in pictures and leaves starts and agents on the ground alone, group by group."""
    seen = [axis for axis in variations(env) if axis.components in SHOWING]
    found = [strip_of(env, axis) for axis in seen if axis.name not in UNSEEN]
    shown = [strip for strip in found if strip and all(map(in_pictures, (strip.plain, strip.tasks[-1])))]
    return [strip for group in GROUPS for strip in shown if group_of(strip.axis) == group]


def strip_of(env: str, axis: Axis) -> Strip | None:
    """An axis at its levels; None where it does not apply."""
    beside = (BESIDE.get(axis.name) or BESIDE.get(group_of(axis))) if env == ENV else None
    wanted = [parse(f"{env}+{text}").settings for text in (beside, axis.context) if text]
    named = {each.name: each for each in chain(*wanted)}  # both may ask for the same
    if axis.components != ("observation",):
        named.pop("start", None)  # puts the agent into the ground for a law, which is no place to look from
    kept = tuple(each for each in named.values() if each.name != axis.name and moves(env, each))
    levels = shown_levels(axis)
    try:
        plain = resolve(TaskText(env, kept)).text
        tasks = [resolve(TaskText(env, kept + (Setting(axis.name, level),))).text for level in levels]
    except NotApplicable:
        return None
    return Strip(axis, plain, levels, tuple(tasks))


def moves(env: str, setting: Setting) -> bool:
    return setting.value != axis_of(env, setting.name).neutral


@cache
def in_pictures(text: TaskText) -> bool:
    try:
        return has_pictures(resolve(text))
    except NotApplicable:
        return False


def shown_levels(axis: Axis) -> tuple:
    """The levels of a strip: the catalogue's; of numbers some between as well, of lists some more."""
    if axis.name in MORE_LEVELS:
        return MORE_LEVELS[axis.name]
    if axis.type not in (int, float) or len(axis.levels) > 2:
        return axis.levels[:MOST_LEVELS]
    halfway = {axis.type((axis.neutral + level) / 2) for level in axis.levels}
    return tuple(sorted(({*axis.levels} | halfway) - {axis.neutral}))


def page(every: Sequence[Strip]) -> str:
    """The text of docs/axes.md."""
    env = every[0].plain.env
    lines = [
        WRITTEN,
        f"# How `{env}` can look",
        "",
        f"The {len(every)} axes of `{env}` that change what is seen and nothing else: under the same seed "
        "and the same actions the world is the same, state for state. A strip shows the plain task first, "
        "then several levels of one axis, all at one moment of one episode, which is named above it. What an "
        "axis needs beside it is in the plain picture too. All that can be set, and what is proved of it, is "
        f"in [the reference](reference/{page_of(env_entry(env))}).",
    ]
    for group, (title, says) in GROUPS.items():
        own = [strip for strip in every if group_of(strip.axis) == group]
        if own:
            lines += ["", f"## {title}", "", says]
        for strip in own:
            lines += section(strip)
    return joined(lines)


def section(strip: Strip) -> list[str]:
    axis = strip.axis
    needs = listed([" or ".join(f"`{either}`" for either in need) for need in needs_of(strip)])
    beside = listed([f"`{setting}`" for setting in strip.plain.settings])
    says = [
        f"{capital(axis.means)}. Takes {axis.takes()}; plain is {level_text(axis, axis.neutral)}.",
        f" Needs {needs}." if needs else "",
        f" Shown beside {beside}." if beside else "",
    ]
    bare = f"{strip.plain}+{axis.name}"  # at all its levels, or switched on
    named = bare if axis.neutral is not True else str(strip.tasks[-1])
    command = f"assay show {quoted(named)} --sheet sheet.png"
    return [
        "", f"### {axis.name}", "", f"`{form(axis)}`: " + "".join(says), "",
        f"![{axis.name}: plain, then {', '.join(level_text(axis, level) for level in strip.levels)}]"
        f"({IMAGES}/{strip.picture})", "", f"`{command}`",
    ]  # fmt: skip


def needs_of(strip: Strip) -> list[list[str]]:
    """What must be set beside the axis, each as what may be; what is so by itself is left out."""
    bare = resolve(TaskText(strip.plain.env))
    needs = [need.split("|") for need in strip.axis.needs]
    return [need for need in needs if not any(holds(bare, either) for either in need)]


def listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def picture(strip: Strip) -> Sheet:
    """The strip of the first seed that shows every level at one moment, or of the one that shows most."""
    takes = []
    for seed in SEEDS:
        shots = films((strip.plain, *strip.tasks), Asked(seed, STEPS))
        step = moment_of(shots)
        takes.append(Take(levels_seen(shots, step), seed, step, [Cell(shot.at(step)) for shot in shots]))
        if takes[-1].levels == len(strip.tasks):
            break
    best = max(takes, key=lambda take: take.levels)  # the first of those as good
    headings = ["plain", *(level_text(strip.axis, level) for level in strip.levels)]
    return Sheet([Row("", best.cells)], headings, f"seed {best.seed}, step {best.step}")


def moment_of(shots: Sequence[Film]) -> int:
    """The step at which the level that is seen least is seen best; the usual one if it is nearly as good."""
    plain, *levels = shots
    steps = range(len(plain.pictures))
    seen = np.array([[difference(plain, shot, step) for shot in levels] for step in steps])
    best = max(steps, key=lambda step: ((seen[step] > 0).sum(), seen[step].min(), -step))
    usual = seen[min(MOMENT, len(seen) - 1)].min()
    return MOMENT if usual > 0 and usual >= CLEAR * seen[best].min() else best


def levels_seen(shots: Sequence[Film], step: int) -> int:
    return sum(difference(shots[0], shot, step) > 0 for shot in shots[1:])


def difference(plain: Film, varied: Film, step: int) -> float:
    """The share of pixels that differ; all, where the sizes do."""
    a, b = plain.at(step), varied.at(step)
    return float(np.any(a != b, axis=-1).mean()) if a.shape == b.shape else 1.0


def stale(root: Path, text: str, wanted: Sequence[str]) -> list[str]:
    """What differs from what would be written; a picture only by being missing or nobody's."""
    found = {path.name for path in (root / IMAGES).glob("*.png")}
    written = (root / PAGE).read_text() if (root / PAGE).exists() else ""
    return [PAGE] * (written != text) + sorted(found ^ set(wanted))


def main(folder: str, check: bool = False, anew: bool = False) -> int:
    """Writes the page and the pictures that it lacks, or all `anew`; with `check` says what is stale."""
    every = strips()
    root, text = Path(folder), page(every)
    wanted = [strip.picture for strip in every]
    if check:
        names = stale(root, text, wanted)
        print(f"stale: {', '.join(names)}; run `make docs`" if names else "fresh", file=sys.stderr)
        return 1 if names else 0
    (root / IMAGES).mkdir(parents=True, exist_ok=True)
    (root / PAGE).write_text(text)
    for path in (root / IMAGES).glob("*.png"):
        if path.name not in wanted:
            path.unlink()
    there = {path.name for path in (root / IMAGES).glob("*.png")}
    draw_all([strip for strip in every if anew or strip.picture not in there], root / IMAGES)
    return 0


def draw_all(every: Sequence[Strip], folder: Path) -> None:
    progress = Progress()
    for number, strip in enumerate(every):
        progress(number, len(every), strip.axis.name)
        save_png(draw_sheet(picture(strip)), folder / strip.picture, COLOURS)
    progress.close()


def arguments(words: Sequence[str]) -> dict[str, Any]:
    folders = [word for word in words if not word.startswith("--")]
    if len(folders) != 1 or set(words) - {*folders, "--check", "--all"}:
        sys.exit(__doc__.splitlines()[0])
    return {"folder": folders[0], "check": "--check" in words, "anew": "--all" in words}


if __name__ == "__main__":
    sys.exit(main(**arguments(sys.argv[1:])))
