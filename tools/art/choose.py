"""Pick the take of every scene that keeps it farthest from the others: `python -m tools.art.choose`.

Only needed after a scene was changed or added. It tries each scene of a too near pair in other takes and
keeps the one whose nearest neighbour is farthest, until no pair is under the bar or the rounds are over.
"""

from __future__ import annotations

import json

import numpy as np

from tools.art import measure, scenes

TRIED = 24  # takes of each scene


def main(rounds: int = 5) -> None:
    chosen = {name: scenes.takes().get(name, 0) for name in scenes.NAMES}
    looks = np.stack([measure.small(scenes.scene(name, chosen[name])) for name in scenes.NAMES])
    known: dict[str, np.ndarray] = {}  # name -> looks of all its takes
    for number in range(rounds):
        away = np.stack([np.abs(looks - look).mean(1) for look in looks])
        bar = measure.BAR * 1.04 * np.median(away[np.triu_indices(len(away), 1)])
        np.fill_diagonal(away, np.inf)
        order = [n for n in np.argsort(away.min(1)) if away[n].min() < bar]
        ratio = away.min() / bar * measure.BAR
        print(f"round {number}: {(away < bar).sum() // 2} pairs too near, nearest {ratio:.3f} of the median")
        if not order:
            break
        for n in order:
            name = scenes.NAMES[n]
            if name not in known:
                known[name] = np.stack([measure.small(scenes.scene(name, take)) for take in range(TRIED)])
            others = np.delete(looks, n, 0)
            away = np.abs(known[name][:, None] - others[None]).mean(2)
            # Few near neighbours first, then a far nearest one: the sum of shortfalls says both at once.
            short = np.clip(bar - away, 0, None).sum(1) - 1e-3 * away.min(1)
            chosen[name] = int(short.argmin())
            looks[n] = known[name][chosen[name]]
    scenes.TAKES.write_text(
        json.dumps({name: take for name, take in chosen.items() if take}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
