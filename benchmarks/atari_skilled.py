"""Plays games by looking ahead, and keeps the actions: skilled play for the check of objects.

    .venv/bin/python benchmarks/atari_skilled.py [Pong Breakout ...]

It writes benchmarks/objects/skilled.json. At every step some random plans are tried on the emulator, which
then goes back; the best one is followed until a better one is found. A plan is worth its points less what
lost lives cost. The actions of 2,000 frames are kept, as the console's numbers, one for every four frames:
the emulator plays them the same way every time.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from assay.envs.atari.emulator import Emulator
from assay.envs.atari.games import games

KEPT = Path(__file__).parent / "objects" / "skilled.json"
SKIP, STEPS, PLANS, AHEAD, SEED = 4, 500, 8, 30, 0  # frames a step, steps, plans a step, steps of a plan
LOST_LIFE = 50.0
SUITES = (
    "Amidar", "Asterix", "BankHeist", "Bowling", "Boxing", "Breakout", "FishingDerby", "Freeway", "Frostbite",
    "Jamesbond", "Kangaroo", "MsPacman", "Pong", "Riverraid", "Seaquest", "SpaceInvaders", "StarGunner",
)  # fmt: skip


def draw_plan(codes: list[int], rng: np.random.Generator) -> list[int]:
    """Actions for the steps ahead, each held for some of them."""
    plan: list[int] = []
    while len(plan) < AHEAD:
        plan += [codes[rng.integers(len(codes))]] * int(rng.integers(1, 9))
    return plan[:AHEAD]


def worth(emulator: Emulator, state: Any, plan: list[int]) -> float:
    """What a plan brings; points that come sooner are worth a little more."""
    emulator.restore(state)
    lives, total, share = emulator.lives(), 0.0, 1.0
    for code in plan:
        total += share * sum(emulator.act(code) for _ in range(SKIP))
        if emulator.lives() < lives or emulator.over():
            return total - share * LOST_LIFE
        share *= 0.99
    return total


def play(game: str) -> dict[str, Any]:
    """The actions of skilled play, and its points."""
    row = games()[game]
    emulator = Emulator(row.rom, f"atari/{game}")
    emulator.reset()
    codes, rng = emulator.actions(full=False), np.random.default_rng(SEED)
    kept, points, plan = [], 0.0, draw_plan(codes, rng)
    for _ in range(STEPS):
        state = emulator.save()
        tried = [plan, *(draw_plan(codes, rng) for _ in range(PLANS))]
        values = [worth(emulator, state, each) for each in tried]
        plan = tried[int(np.argmax(values))]
        emulator.restore(state)
        points += sum(emulator.act(plan[0]) for _ in range(SKIP))
        kept.append(plan[0])
        plan = [*plan[1:], codes[rng.integers(len(codes))]]
        if emulator.over():
            emulator.reset()
    return {"points": points, "actions": kept}


def main() -> None:
    KEPT.parent.mkdir(exist_ok=True)
    for game in sys.argv[1:] or SUITES:
        record = play(game)
        known = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
        rows = {**known, game: record}
        text = ",\n".join(f"{json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows))
        KEPT.write_text(f"{{\n{text}\n}}\n")
        print(game, record["points"], flush=True)


if __name__ == "__main__":
    main()
