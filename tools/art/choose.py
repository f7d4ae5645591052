"""Pick the take of every scene that keeps it farthest from the others: `python -m tools.art.choose`.

Only needed after a scene was changed or added. It tries each scene of a too near pair in other takes and
keeps the one whose nearest neighbour is farthest, until no pair is under the bar or the rounds are over.
"""

from __future__ import annotations

import json

import numpy as np

from tools.art import measure, scenes

TRIED = 40  # takes of each scene
AIM = 1.1 * measure.BAR  # a little above the bar


def main(rounds: int = 5) -> None:
    chosen = {name: scenes.takes().get(name, 0) for name in scenes.NAMES}
    seen = np.stack([measure.looks(scenes.scene(name, chosen[name])) for name in scenes.NAMES])
    known: dict[str, np.ndarray] = {}  # name -> looks of all its takes
    first, second = np.triu_indices(len(seen), 1)
    for number in range(rounds):
        away = measure.distances(seen, seen)
        bars = AIM * np.median(away[:, first, second], axis=1)[:, None, None]
        ratios = (away / bars).min(0)
        np.fill_diagonal(ratios, np.inf)
        print(f"round {number}: {(ratios < 1).sum() // 2} pairs too near, nearest {ratios.min() * AIM:.3f}")
        near = [n for n in np.argsort(ratios.min(1)) if ratios[n].min() < 1]
        for n in near:
            name = scenes.NAMES[n]
            if name not in known:
                known[name] = np.stack([measure.looks(scenes.scene(name, take)) for take in range(TRIED)])
            others = (measure.distances(known[name], np.delete(seen, n, 0)) / bars).min(0)
            # Few near neighbours first, then a far nearest one: the sum of shortfalls says both at once.
            short = np.clip(1 - others, 0, None).sum(1) - 1e-3 * others.min(1)
            chosen[name] = int(short.argmin())
            seen[n] = known[name][chosen[name]]
        if not near:
            break
    kept = {name: take for name, take in chosen.items() if take}
    scenes.TAKES.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
