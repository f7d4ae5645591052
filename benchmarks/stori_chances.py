"""Measures how often STORI's variations act, what they leave alone, and draws what each mode shows.

    .venv/bin/python benchmarks/stori_chances.py     # benchmarks/stori/chances.json

Actions are uniform. Rates have a seed of their own each, from the text of their task: with one seed for all,
their draws would be the same ones. What is compared with the plain game has seed 0. Takes two minutes of one
core.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from stori_results import KEPT

import assay
from assay.catalogue import env_entry
from assay.suites.stori import GAMES
from assay.variations.concealment import light

SEEING = "+sticky=0.0+observation=rgb"
REMEMBERING = "+sticky=0.0+observation=ram"
ORIGINAL = "+granularity=frame"
TYPES = ("2.1", "3.2")
FIRE, BALL_Y, BALL_PIXELS = 1, 101, 8  # of Breakout: an action, a cell of its memory, the size of a ball
GENERAL = {"Breakout": ("observation.mask.left", "observation.torch"), "Boxing": ("observation.mask.right",)}


class Rate(NamedTuple):
    """How often something happened, among so many times that it could."""

    game: str
    what: str
    task: str
    asked: float
    expected: float  # of what is counted, if the asked chance holds
    count: int
    of: int
    steps: int


class Moment(NamedTuple):
    """A step that was made, and what can be known of it."""

    action: int
    info: dict[str, Any]
    env: Any
    picture: np.ndarray
    reward: float
    ended: bool


def own_seed(task: str) -> int:
    return zlib.crc32(task.encode())


def play(task: str, steps: int, still: bool = False, seed: int = 0) -> Iterator[Moment]:
    """So many steps of uniform actions, or of none."""
    env = assay.make(task, events=True)
    actions = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        action = 0 if still else int(actions.integers(env.action_space.n))
        picture, reward, terminated, truncated, info = env.step(action)
        yield Moment(action, info, env, picture, float(reward), terminated or truncated)
        if terminated or truncated:
            env.reset()
    env.close()


def replaced(game: str, steps: int) -> Iterator[Rate]:
    """Type 1: another action is executed than the chosen one, once a step and at every frame."""
    variation = GAMES[game]["1"].variation
    asked = float(variation.partition("=")[2])
    for more, frames in (("", 1), ("+action_channels=frame", 4)):
        task = f"atari/{game}{REMEMBERING}{more}+{variation}"
        made = list(play(task, steps // frames, seed=own_seed(task)))
        codes = made[0].env.inner.host.codes
        sent = [each.info["executed_frames"][:frames] for each in made]
        count = sum(one != codes[each.action] for each, those in zip(made, sent) for one in those)
        every = int(assay.make(task).action_space.n)
        pool = 10 if "restricted" in variation else every
        # Of the chosen actions those in the pool may be drawn again.
        expected = asked * (1 - 1 / every) if pool == every else asked * (1 - pool / every / pool)
        what = "executed is not chosen, " + ("a frame" if frames > 1 else "a step")
        yield Rate(game, what, task, asked, expected, int(count), sum(map(len, sent)), len(made))


def acted(game: str, kind: str, steps: int) -> Iterator[Rate]:
    """Types 2.1 and 3.2 of the experiment: events among opportunities, as the env reports them."""
    variation = GAMES[game][kind].variation
    axis, _, level = variation.partition("=")
    task = f"atari/{game}{SEEING}+{variation}"
    reports = [each.info["events"][axis] for each in play(task, steps, seed=own_seed(task))]
    could = [each for each in reports if each.opportunity]
    yield Rate(game, f"{axis} acts, of steps on which it could", task, float(level), float(level),
               sum(each.event for each in could), len(could), steps)  # fmt: skip


def acted_on_frames(game: str, axis: str, chance: float, steps: int) -> Rate:
    """The same with a draw at every frame."""
    task = f"atari/{game}{REMEMBERING}{ORIGINAL}+{axis}={chance}"
    count = of = 0
    for each in play(task, steps, seed=own_seed(task)):
        [active] = each.env.inner.host.active
        count, of = count + active.draws.events, of + active.draws.opportunities
    return Rate(game, f"{axis} acts, of frames", task, chance, chance, count, of, steps)


def drawn_a_frame(game: str, variation: str, dark_object: bool, steps: int) -> Iterator[Rate]:
    """With a draw at every frame: events by frame, and steps whose merged picture hides what it can.

    The brighter of two frames counts. What is darker than its background is hidden if one of both hides it.
    """
    axis, _, level = variation.partition("=")
    task = f"atari/{game}+sticky=0.0+observation=gray84+stack=1{ORIGINAL}+{variation}"
    always = play(f"{task.partition('+' + axis)[0]}+{axis}=1.0", steps)
    never = play(f"{task.partition('+' + axis)[0]}+{axis}=0.0", steps)
    count = of = hidden = differing = 0
    for each, dark, clear in zip(play(task, steps), always, never):
        [active] = each.env.inner.host.active
        count, of = count + active.draws.events, of + active.draws.opportunities
        differs = not np.array_equal(dark.picture, clear.picture)
        differing += differs
        hidden += differs and np.array_equal(each.picture, dark.picture)
    chance = float(level)
    merged = 1 - (1 - chance) ** 2 if dark_object else chance**2
    yield Rate(game, f"{axis} acts, of frames", task, chance, chance, count, of, steps)
    yield Rate(game, f"{axis} hides, of pictures merged of two frames", task, chance, merged, int(hidden),
               int(differing), steps)  # fmt: skip


def seen_by_torchlight(steps: int) -> dict[str, Any]:
    """The share of the picture that the torch leaves, from the centres that the env reports."""
    told = {}
    for name, seeing in (("rgb", SEEING), ("gray84", "+sticky=0.0+observation=gray84+stack=1")):
        task, shares, agree = f"atari/Breakout{seeing}+observation.torch=1.0", [], True
        plain = play(f"atari/Breakout{seeing}", steps)
        for each, clear in zip(play(task, steps), plain):
            row, column = (int(part) for part in each.info["events"]["observation.torch"].detail)
            radius = round(75 * each.picture.shape[0] / 210)
            agree &= bool(np.array_equal(light(clear.picture, row, column, radius), each.picture))
            white = np.full(each.picture.shape[:2], 255, np.uint8)
            shares.append((light(white, row, column, radius) > 0).mean())
        told[name] = {
            "task": task, "steps": steps, "radius": radius, "pictures_agree": agree,
            "mean": round(float(np.mean(shares)), 4), "sd": round(float(np.std(shares)), 4),
            "min": round(float(np.min(shares)), 4), "max": round(float(np.max(shares)), 4),
        }  # fmt: skip
    return told


def switches(game: str, steps: int) -> dict[str, Any]:
    """The first steps of the first episode at which the concept of 2.2 is another."""
    task = f"atari/{game}{SEEING}+{GAMES[game]['2.2'].variation}"
    at, before = [], 0
    for step, each in enumerate(play(task, steps, still=True), 1):
        concept = int(each.info["events"]["concept"].detail[0])
        if concept != before:
            at.append([step, concept])
        before = concept
        if each.ended:
            break
    return {"game": game, "task": task, "switches": at, "steps": step}


def modes_of(game: str) -> list[tuple[str, str, str]]:
    """Name, type and meaning of every variation of STORI's on a game."""
    axes = env_entry(f"atari/{game}").axes
    return [
        (each.name, each.stochasticity, each.means)
        for each in axes
        if each.stochasticity in TYPES and each.origin == "STORI"
    ]


def left_alone(game: str, steps: int) -> dict[str, Any]:
    """Whether memory, rewards and endings under every mode of type 3.2 are those of the plain game."""
    names = [name for name, kind, _ in modes_of(game) if kind == "3.2"] + list(GENERAL.get(game, ()))
    wanted = trace(f"atari/{game}{SEEING}", steps)
    differing = [name for name in names if trace(f"atari/{game}{SEEING}+{name}=1.0", steps) != wanted]
    return {"game": game, "modes": len(names), "steps": steps, "differing": differing}


def trace(task: str, steps: int) -> list[tuple]:
    return [
        (bytes(each.env.inner.host.emulator.ale.getRAM()), each.reward, each.ended)
        for each in play(task, steps)
    ]


def served_anew(steps: int) -> dict[str, Any]:
    """How often `hide_ball` shows a ball where there is none, while FIRE is pressed with the ball in play."""
    fired = decoys = 0
    plain = play(f"atari/Breakout{SEEING}", steps)
    for each, clear in zip(play(f"atari/Breakout{SEEING}+hide_ball=1.0", steps), plain):
        if each.action == FIRE and clear.env.inner.host.emulator.ale.getRAM()[BALL_Y]:
            fired += 1
            decoys += int((each.picture.any(-1) & ~clear.picture.any(-1)).sum() >= BALL_PIXELS)
    return {"steps": steps, "fired": fired, "decoys": decoys}


def measure() -> dict[str, Any]:
    rates: list[Rate] = []
    for game, presets in GAMES.items():
        rates += replaced(game, 8000)
        for kind in presets:
            if kind.startswith("3.2") or kind == "2.1":
                rates += acted(game, kind, 20_000 if kind == "2.1" else 4000)
    rates += [acted_on_frames("Boxing", "color_flip", 0.001, 5000)]
    rates += [acted_on_frames("BankHeist", "city_switch", 0.001, 5000)]
    rates += drawn_a_frame("Boxing", "hide_enemy=0.7", True, 3000)
    rates += drawn_a_frame("BankHeist", "hide_blocks=0.75", False, 3000)
    return {
        "command": "python benchmarks/stori_chances.py",
        "rates": [each._asdict() | {"expected": round(each.expected, 4)} for each in rates],
        "torch": seen_by_torchlight(8000),
        "switches": [switches(game, 2500) for game in GAMES],
        "hide_ball": served_anew(1500),
        "left_alone": [left_alone(game, 400) for game in GAMES],
    }


def main() -> None:
    KEPT.mkdir(exist_ok=True)
    told = measure()
    lines = {name: value for name, value in told.items() if name != "rates"}
    text = json.dumps(lines, indent=1)
    rows = ",\n".join(json.dumps(each)
                      for each in told["rates"])  # fmt: skip
    (KEPT / "chances.json").write_text(text.removesuffix("\n}") + f',\n "rates": [\n{rows}\n ]\n}}\n')


if __name__ == "__main__":
    main()
