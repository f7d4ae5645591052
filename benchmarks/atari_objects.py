"""Checks the objects of games against the pixels of their screens, and keeps the figures.

    .venv/bin/python benchmarks/atari_objects.py [Pong Breakout ...] [--frames 2000] [--show 5]

Every fourth of 8,000 frames is checked, in random play and in the skilled play of `atari_skilled.py`, which
is repeated with random actions mixed in until the frames are full. For each class:

  inside      the share of its pixels (its colours, where these mean it alone) that lie inside its boxes
  area        the area of its boxes over that of the rectangles around their pixels
  misses      the share of its blobs of pixels that no box touches
  inventions  the share of its boxes in which none of its pixels was shown in the step's four frames, or which
              are buried: its colours go on beyond them on two opposite sides, as those of a wall do

Pixels inside the boxes of another class with one of its colours are not its own, where its own boxes are not.
A class that the last of the four frames never shows, as it is drawn in every second frame, is compared with
the frame before.
The bars are 0.95, 1.5, 0.02 and 0.02. `--show 5` writes pictures of five frames with their boxes, and of the
worst ones, to benchmarks/objects/pictures (not kept). `--cost` times steps instead, in turns, beside those
that show the memory and the usual picture.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

import assay
from assay.envs.atari.game_table import palette
from assay.envs.atari.games import game_of, games, games_with_rules
from assay.envs.atari.objects.views import MODES

HERE = Path(__file__).parent / "objects"
SKILLED, KEPT, PICTURES = HERE / "skilled.json", HERE / "checked.json", HERE / "pictures"
BARS = {"inside": 0.95, "area": 1.5, "misses": 0.02, "inventions": 0.02}
SKIP, NEAR, SMALL = 4, 3, 3  # frames a step; pixels around a box; pixels of a blob that is none
GROUND = 0.5  # a colour with such a share of its region outside boxes is the ground there, for now
ELSEWHERE = 10  # a class with so many times the pixels in frames before the last is checked there


@dataclass
class Tally:
    """The counts of one class."""

    pixels: int = 0
    inside: int = 0
    blobs: int = 0
    missed: int = 0
    boxes: int = 0
    invented: int = 0
    area: int = 0
    drawn_area: int = 0
    frames: int = 0  # in which it was listed
    worst: list[tuple[int, int]] = field(default_factory=list)  # badness and step

    def figures(self) -> dict[str, Any]:
        return {
            "inside": round(self.inside / self.pixels, 4) if self.pixels else None,
            "area": round(self.area / self.drawn_area, 3) if self.drawn_area else None,
            "misses": round(self.missed / self.blobs, 4) if self.blobs else None,
            "inventions": round(self.invented / self.boxes, 4) if self.boxes else None,
            "blobs": self.blobs, "boxes": self.boxes,
        }  # fmt: skip


def failed(figures: dict[str, Any]) -> list[str]:
    """The bars that figures miss; a class that was never seen meets none."""
    bad = [name for name in ("area", "misses", "inventions") if (figures[name] or 0) > BARS[name]]
    if figures["inside"] is not None and figures["inside"] < BARS["inside"]:
        bad.insert(0, "inside")
    return bad if figures["boxes"] or figures["blobs"] else ["never seen"]


@dataclass(frozen=True)
class Step:
    screens: list[np.ndarray]  # palette numbers of the four frames
    now: bytes  # the cells after the last of them
    old: bytes  # and before it

    def boxes(self, finder: Any) -> list[Any]:
        """One for each slot, or None."""
        return finder.find(self.now, self.old)


def host_of(env: Any) -> Any:
    return env.inner.host


def play(game: str, frames: int, actions: list[int]) -> Iterator[Step]:
    """Steps of four frames: given actions first, then random ones mixed into them, in new episodes."""
    env = assay.make(f"atari/{game}+frameskip=1+sticky=0.0+observation=palette")
    host, rng = host_of(env), np.random.default_rng(0)
    env.reset(seed=0)
    host.emulator.reset()
    numbers = {code: number for number, code in enumerate(host.codes)}
    held, done = 0, 0
    while done < frames:
        if actions and (done < len(actions) or rng.random() < 0.7):
            held = numbers[actions[done % len(actions)]]
        elif rng.random() < 0.3 or not actions:
            held = int(rng.integers(len(host.codes)))
        screens = []
        for _ in range(SKIP):
            old = host.emulator.buffer.tobytes()
            _, _, ended, cut, _ = env.step(held)
            screens.append(host.emulator.ale.getScreen().copy())
            if ended or cut:
                env.reset()
                break
        else:
            done += 1
            yield Step(screens, host.emulator.buffer.tobytes(), old)


def pixels_of(screen: np.ndarray, groups: list[Any], covered: np.ndarray) -> np.ndarray:
    """Where a class is drawn; `covered` by its boxes."""
    shown = np.zeros(screen.shape, bool)
    for group in groups:
        for left, right, top, bottom in group.within or [(0, 159, 0, len(screen) - 1)]:
            region = slice(top, bottom + 1), slice(left, right + 1)
            for colour in group.drawn:
                own = screen[region] == colour
                if (own & ~covered[region]).mean() < GROUND:
                    shown[region] |= own
    return shown


def alike(name: str, groups: dict[str, list[Any]]) -> list[str]:
    """The other classes with one of a class's colours."""
    colours = {name: {colour for group in own for colour in group.drawn} for name, own in groups.items()}
    return [other for other in groups if other != name and colours[other] & colours[name]]


def covered_by(boxes: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Where boxes lie."""
    covered = np.zeros(shape, bool)
    for x, y, width, height in boxes:
        covered[y : y + height, x : x + width] = True
    return covered


def is_buried(box: Any, beyond: np.ndarray) -> bool:
    """Whether a box lies in its own colours, such as a wall; `beyond` is where these are and no box is."""
    x, y, width, height = box
    rows, columns = slice(y, y + height), slice(x, x + width)
    across = x > 0 and x + width < beyond.shape[1] and beyond[rows, [x - 1, x + width]].all()
    upright = y > 0 and y + height < beyond.shape[0] and beyond[[y - 1, y + height], columns].all()
    return bool(across or upright)


def count(
    tally: Tally, number: int, shown: np.ndarray, lately: np.ndarray, beyond: np.ndarray, boxes: list[Any]
) -> None:
    """Adds one step to the counts of a class."""
    covered = covered_by(boxes, shown.shape)
    bad = 0
    for x, y, width, height in boxes:
        rows, columns = slice(y, y + height), slice(x, x + width)
        if not lately[rows, columns].any() or is_buried((x, y, width, height), beyond):
            tally.invented += 1
            bad += 50
        near = shown[max(y - NEAR, 0) : y + height + NEAR, max(x - NEAR, 0) : x + width + NEAR]
        if near.any():
            high, wide = np.flatnonzero(near.any(1)), np.flatnonzero(near.any(0))
            tally.area += width * height
            tally.drawn_area += int((high[-1] - high[0] + 1) * (wide[-1] - wide[0] + 1))
    labels, blobs = ndimage.label(ndimage.binary_dilation(shown, np.ones((3, 3), bool)))
    labels = labels * shown
    sizes = np.bincount(labels.ravel(), minlength=blobs + 1)[1:]
    touched = np.bincount(labels[covered].ravel(), minlength=blobs + 1)[1:]
    missed = int(((touched == 0) & (sizes > SMALL)).sum())
    tally.blobs += int((sizes > SMALL).sum())
    tally.missed += missed
    tally.pixels += int(shown.sum())
    tally.inside += int((shown & covered).sum())
    tally.boxes += len(boxes)
    tally.frames += bool(boxes)
    bad += 50 * missed + int((shown & ~covered).sum())
    if bad:
        tally.worst = sorted([*tally.worst, (bad, number)], reverse=True)[:3]


def check(game: str, frames: int, actions: list[int], show: int, kind: str) -> dict[str, Any]:
    """The figures of each class in one kind of play."""
    finder = game_of(game).finder
    groups = {name: [g for g in finder.groups if g.name == name] for name in finder.classes}
    drawn = [name for name in finder.classes if any(group.drawn for group in groups[name])]
    tallies = {name: Tally() for name in drawn}
    before = {name: Tally() for name in drawn}  # in the frame before the last, where the last shows none
    steps: list[Step] = []
    for number, step in enumerate(play(game, frames, actions)):
        if show:
            steps.append(step)
        found = step.boxes(finder)
        boxes = {
            name: [box for box, own in zip(found, finder.class_of) if box and own == kind_number]
            for kind_number, name in enumerate(finder.classes)
        }
        for name in drawn:
            covered = covered_by(boxes[name], step.screens[-1].shape)
            shown = [pixels_of(each, groups[name], covered) for each in step.screens]
            lately = np.logical_or.reduce(shown)
            like = [box for other in alike(name, groups) for box in boxes[other]]
            others = covered_by(like, covered.shape) & ~covered
            tally, own = tallies[name], shown[-1] & ~others
            colours = [colour for group in groups[name] for colour in group.drawn]
            beyond = np.isin(step.screens[-1], colours) & ~covered & ~covered_by(like, covered.shape)
            if not own.any() and len(shown) > 1 and shown[-2].any():
                count(before[name], number, shown[-2] & ~others, lately, beyond, boxes[name])
            count(tally, number, own, lately, beyond, boxes[name])
    for name, tally in before.items():
        if tally.pixels > ELSEWHERE * tallies[name].pixels:
            tallies[name] = tally
    if show:
        some = {number * frames // show: "" for number in range(show)}
        some |= {number: f"-worst-{name}" for name, t in tallies.items() for _, number in t.worst}
        for number, why in some.items():
            draw(steps[number], finder, PICTURES / f"{game}-{kind}-{number:05}{why}.png")
    return {name: tally.figures() for name, tally in tallies.items()}


def draw(step: Step, finder: Any, path: Path) -> None:
    """A frame with its boxes beside the plain one, three times as large."""
    plain = Image.fromarray(palette()[step.screens[-1]]).resize(
        (480, 3 * len(step.screens[-1])), Image.NEAREST
    )
    boxed = plain.copy()
    pen = ImageDraw.Draw(boxed)
    names = finder.slot_names()
    for slot, box in enumerate(step.boxes(finder)):
        if box:
            x, y, width, height = (3 * each for each in box)
            pen.rectangle((x, y, x + width - 1, y + height - 1), outline="white")
            pen.text((x, max(y - 11, 0)), names[slot], fill="white")
    both = Image.new("RGB", (2 * plain.width, plain.height))
    both.paste(plain, (0, 0))
    both.paste(boxed, (plain.width, 0))
    path.parent.mkdir(parents=True, exist_ok=True)
    both.save(path)


def cost(game: str, turns: int = 15, steps: int = 60) -> None:
    """Microseconds of CPU time for a step in each observation: the median over turns."""
    spent: dict[str, list[float]] = {mode: [] for mode in ("ram", "gray84", *MODES)}
    envs = {mode: assay.make(f"atari/{game}+observation={mode}") for mode in spent}
    for env in envs.values():
        env.reset(seed=0)
    for _ in range(turns):
        for mode, env in envs.items():
            before = process_time()
            for _ in range(steps):
                _, _, ended, cut, _ = env.step(0)
                if ended or cut:
                    env.reset()
            spent[mode].append((process_time() - before) / steps * 1e6)
    print(game, "  ".join(f"{mode} {np.median(each):.0f}" for mode, each in spent.items()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*")
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=KEPT)
    parser.add_argument("--cost", action="store_true")
    options = parser.parse_args()
    skilled = json.loads(SKILLED.read_text())
    every = [name for name in games_with_rules() if games()[name].file.objects]
    for game in options.games or every:
        if options.cost:
            cost(game)
            continue
        row = {
            "random": check(game, options.frames, [], options.show, "random"),
            "skilled": check(game, options.frames, skilled[game]["actions"], options.show, "skilled"),
        }
        known = json.loads(options.keep.read_text()) if options.keep.is_file() else {}
        rows = {**known, game: row}
        text = ",\n".join(f"{json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows))
        options.keep.write_text(f"{{\n{text}\n}}\n")
        print(game)
        for kind, classes in row.items():
            for name, figures in classes.items():
                bad = failed(figures)
                told = "  ".join(f"{key} {value}" for key, value in figures.items())
                print(f"  {kind:8} {name:16} {told}  {'MISSES ' + ', '.join(bad) if bad else 'ok'}")


if __name__ == "__main__":
    main()
