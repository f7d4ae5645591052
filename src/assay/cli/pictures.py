"""From tasks to sheets and animations: which tasks stand beside each other, who acts, and what is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from assay.catalogue import axis_of, family_of
from assay.cli.output import Progress
from assay.cli.side_by_side import plain_side
from assay.core.axis import Axis
from assay.core.family import ShowPolicy
from assay.errors import BadText, NotApplicable
from assay.interop.film import Film, action_space, film, has_pictures, require_pictures
from assay.report.sheet import Cell, Row, Sheet, draw_sheet, require_place, save_gif, save_png, scale_for
from assay.suites.suite import Suite
from assay.task_text import Setting, TaskText, parse, parse_value
from assay.tasks import Resolved, resolve, wrong_seed_error

MOMENTS, PAIR_MOMENTS = 5, 3  # columns of a sheet, and of a suite's for each of the two tasks
STEPS, MOST_STEPS = 120, 2000
SIDE, PAIR_SIDE = 260, 130  # pixels that a picture may have on a sheet, and on a suite's
MILLISECONDS = 40  # a frame of an animation
OUTLINE = (255, 0, 255)  # a colour that no console picture is full of
MOST_PIXELS = 20 * 10**6  # of all frames of an animation together
RANDOM = "random"


class Asked(NamedTuple):
    """What the pictures are to show."""

    seed: int = 0
    steps: int = STEPS
    policy: str = ""  # "" is the env's own


class Written(NamedTuple):
    """A file and what it shows."""

    path: Path
    tasks: list[str]
    moments: list[int]  # steps


def beside(texts: Sequence[str]) -> list[TaskText]:
    """The tasks to show: two as they are given; of one, the plain task and then the varied one or ones."""
    if len(texts) > 2:
        raise BadText(f"one task is shown, or two beside each other, not {len(texts)}.")
    if len(texts) == 2:
        tasks = [resolve(text).text for text in texts]
        require_same_actions(tasks)
        return tasks
    written = parse(texts[0])
    bare = [setting for setting in written.settings if is_bare(axis_of(written.env, setting.name), setting)]
    if len(bare) > 1:
        names = " and ".join(setting.name for setting in bare)
        raise BadText(f"{names} both stand without a level; one axis at a time is shown at all its levels.")
    if bare:
        return at_levels(written, bare[0])
    resolved = resolve(written)
    plain = plain_of(resolved)
    return [plain, resolved.text] if plain else [resolved.text]


def is_bare(axis: Axis, setting: Setting) -> bool:
    """Whether a setting names an axis and no level of it; of a switch the name alone is its level."""
    return setting.value is True and axis.type is not bool and True not in axis.choices


def at_levels(written: TaskText, bare: Setting) -> list[TaskText]:
    """The task without an axis, then with it at each of the catalogue's levels; the rest stays beside it."""
    without = tuple(setting for setting in written.settings if setting != bare)
    tasks = [resolve(TaskText(written.env, without)).text]
    for level in axis_of(written.env, bare.name).levels:
        moved = (replace(bare, value=level) if setting == bare else setting for setting in written.settings)
        tasks.append(resolve(TaskText(written.env, tuple(moved))).text)
    return tasks


def plain_of(resolved: Resolved) -> TaskText | None:
    """The plain task to put beside: the env with as little as pictures and the same actions need."""
    settings = resolved.text.settings
    drawing = tuple(setting for setting in settings if setting.name == resolved.entry.pictures)
    structure = tuple(setting for setting in settings if setting.name in resolved.structure)
    wanted = action_space(resolved.text)
    makes = plain_side(resolved).settings
    more = (setting for setting in drawing if setting not in makes)
    for kept in (makes, (*makes, *more), structure):
        plain = resolve(TaskText(resolved.text.env, kept))
        if plain.text != resolved.text and shows(plain) and action_space(plain.text) == wanted:
            return plain.text
    return None


def shows(resolved: Resolved) -> bool:
    return not resolved.entry.native or has_pictures(resolved)


def policy_for(text: TaskText, asked: Asked) -> str:
    own = family_of(text.env).show_policy
    return asked.policy or (own.name if own else RANDOM)


def own_policy(text: TaskText, asked: Asked) -> ShowPolicy | None:
    """The policy of the env's family, where it is the one that acts."""
    own = family_of(text.env).show_policy
    return own if own and own.name == policy_for(text, asked) else None


def in_words(text: TaskText, asked: Asked) -> str:
    """Who acts, for a title."""
    policy, own = policy_for(text, asked), own_policy(text, asked)
    acts = own.says if own else "the same random actions" if policy == RANDOM else f"actions {policy} in turn"
    return f"seed {asked.seed}; {acts}"


def actions_for(text: TaskText, asked: Asked) -> list[Any]:
    """One action per step, whatever is seen: random ones, a list in turn, or those of the family's policy."""
    space, policy, own = action_space(text), policy_for(text, asked), own_policy(text, asked)
    if own:
        cycle: Sequence[Any] = own.actions
    elif policy == RANDOM:
        space.seed(asked.seed)
        cycle = [space.sample() for _ in range(asked.steps)]
    else:
        actions = parse_value(policy)
        cycle = [as_action(space, each) for each in (actions if isinstance(actions, tuple) else (actions,))]
    refused = [action for action in cycle if not space.contains(action)]
    if refused or not cycle:
        given = refused[0] if refused else "nothing"
        raise NotApplicable(f"{text} takes actions of {space}, not {given}; try --policy random.")
    return [cycle[step % len(cycle)] for step in range(asked.steps)]


def as_action(space: gymnasium.Space, value: Any) -> Any:
    return value if space.shape == () else np.asarray(value, space.dtype)


def films(texts: Sequence[TaskText], asked: Asked, tells: bool = False) -> list[Film]:
    """Every task under the same seed and, where they take the same, the same actions."""
    if not 0 <= asked.seed < 2**64:
        raise wrong_seed_error(asked.seed)
    if asked.steps > MOST_STEPS:
        raise NotApplicable(f"pictures show up to {MOST_STEPS} steps, not {asked.steps}.")
    for text in texts:
        require_pictures(resolve(text))
    progress, shots = Progress(), []
    for number, shot in enumerate(shots_of(texts, asked)):
        if tells:
            progress(number, len(texts), str(texts[number]))
        shots.append(shot)
    progress.close()
    return shots


def shots_of(texts: Sequence[TaskText], asked: Asked) -> Iterator[Film]:
    """The films in order; native ones several at a time, for compiling, most of it, leaves threads alone."""
    wanted = [(text, asked.seed, actions_for(text, asked)) for text in texts]
    if not all(resolve(text).entry.native for text in texts):
        yield from starmap(film, wanted)
        return
    keep_programs()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(film, *zip(*wanted))


def keep_programs() -> None:
    """Compiled programs are kept on the disk: the next sheet of the same tasks is drawn at once."""
    from assay.runs import cache  # brings jax, which hosted tasks do without

    cache.keep_programs()


def require_same_actions(texts: Sequence[TaskText]) -> None:
    for text in texts[1:]:
        if action_space(text) != action_space(texts[0]):
            raise NotApplicable(f"{text} takes other actions than {texts[0]}; show them one by one.")


def moments_of(films: Sequence[Film], count: int) -> list[int]:
    """Steps at which to look, the first and the last among them."""
    last = max(each.last for each in films)
    return sorted({round(share * last) for share in np.linspace(0, 1, count).tolist()})


def cell(shot: Film, step: int) -> Cell:
    return Cell(shot.at(step), f"over at {shot.last}" if shot.ends and step >= shot.last else "")


def task_sheet(texts: Sequence[TaskText], asked: Asked) -> tuple[Sheet, Written]:
    """A row for each task, plain first, and a column for each moment."""
    shots = films(texts, asked)
    moments = moments_of(shots, MOMENTS)
    if outlines(texts, shots):
        moments = sorted({*moments[1:], first_difference(shots) or 0})
    rows = [
        Row(label(text, shot), [cell(shot, step) for step in moments]) for text, shot in zip(texts, shots)
    ]
    if outlines(texts, shots):
        rows[1:] = [
            Row(row.label, [compare_pictures(shots[0], shot, step) for step in moments])
            for row, shot in zip(rows[1:], shots[1:])
        ]
    headings = [f"step {step}" for step in moments]
    scale = scale_for([shot.pictures[0] for shot in shots], SIDE)
    legend = "; pixels that differ are outlined in magenta" if outlines(texts, shots) else ""
    sheet = Sheet(rows, headings, in_words(texts[0], asked) + legend, scale)
    return sheet, Written(Path(), [str(text) for text in texts], moments)


def label(text: TaskText, shot: Film) -> str:
    """The task, and what its pictures show where that is more than they are."""
    return f"{text}; {shot.says}" if shot.says else str(text)


def outlines(texts: Sequence[TaskText], shots: Sequence[Film]) -> bool:
    """Whether differing pixels are outlined: on emulators, whose pictures differ in small things.

    Pictures that show different things, such as the screen and boxes over it, are not compared.
    """
    same = len({(shot.pictures.shape[1:], shot.says) for shot in shots}) == 1
    return len(texts) > 1 and same and all(family_of(text.env).cost == "emulator" for text in texts)


def first_difference(shots: Sequence[Film]) -> int | None:
    """The first step at which the pictures of the first two films differ."""
    last = min(shot.last for shot in shots[:2])
    differ = (shots[0].pictures[: last + 1] != shots[1].pictures[: last + 1]).any((1, 2, 3))
    return int(np.argmax(differ)) if differ.any() else None


def compare_pictures(plain: Film, varied: Film, step: int) -> Cell:
    """The varied picture with the pixels that differ outlined, and how many they are."""
    mine, note = cell(varied, step)
    differs = (plain.at(step) != mine).any(-1)
    words = f"{differs.mean():.2%} of pixels differ" if differs.any() else "no pixel differs"
    return Cell(outline(mine, differs), f"{words}; {note}" if note else words)


def outline(picture: np.ndarray, differs: np.ndarray) -> np.ndarray:
    """A line around every area of differing pixels, which stay as they are."""
    around = np.pad(differs, 1)
    grown = around[:-2, 1:-1] | around[2:, 1:-1] | around[1:-1, :-2] | around[1:-1, 2:]
    outlined = picture.copy()
    outlined[grown & ~differs] = OUTLINE
    return outlined


def suite_sheet(chosen: Suite, asked: Asked) -> tuple[Sheet, Written]:
    """A row for each pair, train beside evaluate, at a few moments."""
    pairs = [(resolve(pair.train).text, resolve(pair.evaluate).text) for pair in chosen.pairs]
    sides = 1 if all(train == evaluate for train, evaluate in pairs) else 2
    every = list(dict.fromkeys(text for pair in pairs for text in pair))
    known = dict(zip(every, films(every, asked, tells=True)))
    moments = moments_of(list(known.values()), PAIR_MOMENTS if sides == 2 else MOMENTS)
    rows = [
        Row(
            f"{name}:  {change_in_words(*pair)}",
            [cell(known[text], step) for step in moments for text in pair[:sides]],
        )
        for name, pair in zip(names_of(chosen), pairs)
    ]
    names = ("train, ", "evaluate, ") if sides == 2 else ("",)
    headings = [f"{name}step {step}" for step in moments for name in names]
    scale = scale_for([shot.pictures[0] for shot in known.values()], PAIR_SIDE)
    return (
        Sheet(rows, headings, f"{chosen.name}: {in_words(pairs[0][0], asked)}", scale, group=sides),
        Written(Path(), [str(text) for pair in pairs for text in pair[:sides]], moments),
    )


def names_of(chosen: Suite) -> list[str]:
    """What the pairs are called, or else their numbers."""
    return [pair.name or str(number) for number, pair in enumerate(chosen.pairs, 1)]


def change_in_words(train: TaskText, evaluate: TaskText) -> str:
    """Both tasks, of the second only what changes where it keeps the rest of the first."""
    if train == evaluate:
        return str(train)
    kept = {setting.name for setting in train.settings} <= {setting.name for setting in evaluate.settings}
    if kept and evaluate.env == train.env:
        changed = [setting for setting in evaluate.settings if setting not in train.settings]
        return f"{train} -> {''.join(f'+{setting}' for setting in changed)}"
    return f"{train} -> {evaluate}"


def write_sheet(what: Sequence[str] | Suite, path: Path, asked: Asked) -> Written:
    """A contact sheet of a task, of two, or of a suite's pairs."""
    require_place(path, ".png")
    sheet, written = suite_sheet(what, asked) if isinstance(what, Suite) else task_sheet(beside(what), asked)
    save_png(draw_sheet(sheet), path)
    return written._replace(path=path)


def write_gif(what: Sequence[str] | Suite, path: Path, asked: Asked) -> Written:
    """An animation of a task beside its plain self, or of two tasks."""
    require_place(path, ".gif")
    if isinstance(what, Suite):
        raise NotApplicable(f"{what.name} is a suite, too much for an animation; write it with --sheet.")
    tasks = beside(what)
    shots = films(tasks, asked)
    moments = list(range(max(shot.last for shot in shots) + 1))
    scale = animation_scale(shots, len(moments))
    pages = []
    for step in moments:
        cells = [Cell(shot.at(step)) for shot in shots]
        if outlines(tasks, shots):
            cells[1:] = [Cell(compare_pictures(shots[0], shot, step).picture) for shot in shots[1:]]
        row = Row("", cells)
        pages.append(draw_sheet(Sheet([row], list(map(label, tasks, shots)), f"step {step}", scale)))
    save_gif(pages, path, MILLISECONDS)
    return Written(path, [str(text) for text in tasks], moments)


def animation_scale(shots: Sequence[Film], frames: int) -> int:
    """How far pictures are enlarged, less where that would make the file too large."""
    high, wide = (max(shot.pictures.shape[i] for shot in shots) for i in (1, 2))
    each = high * wide * len(shots)
    if frames * each > MOST_PIXELS:
        most = MOST_PIXELS // each
        raise NotApplicable(f"an animation of {frames} frames is too large; ask for --steps {most - 1}.")
    largest = int((MOST_PIXELS / (frames * each)) ** 0.5)
    return min(largest, scale_for([shot.pictures[0] for shot in shots], SIDE))
