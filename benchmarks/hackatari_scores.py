"""Plays the agents of benchmarks/hackatari/ on the variations of their games, by the paper's protocol.

    .venv/bin/python benchmarks/hackatari_scores.py [--only boxing-objects-0]

An agent is played if its plain score is high enough to have something to lose (`enough` in its record). All
scores are kept, seed by seed and episode by episode, in `scores-<agent>.json`; those that are there are not
played again. `hackatari_page.py` makes docs/results/hackatari.md of them.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
from hackatari_train import EPISODES, HERE, OBJECTS, PLAY_SEEDS, protocol_scores, versions

from assay.agents import ppo
from assay.agents.ppo_shipped import policy_of
from assay.suites.hackatari import CONTROLS, PAPER_32, task_of
from assay.task_text import parse

FOLDER = HERE / "hackatari"
# Beside those of the paper: the same, in other colours or with a world that stands still.
MORE = {
    "Freeway": ("all_cars=white", "all_cars=red", "invisible_mode", "stop_nearest_5", "align_all_cars",
                "speed_mode"),
    "Pong": ("hidden_enemy", "parallel_enemy", "random_perturbation_enemy", "up_drift", "right_drift"),
    "Boxing": ("color_player=green", "color_enemy=red", "one_armed", "gravity", "drunken_boxing"),
}  # fmt: skip


def load(mark: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{mark}.json").read_text())


def marks() -> list[str]:
    """All trainings: game, view and seed."""
    return sorted(path.stem for path in FOLDER.glob("*-*-*.json") if not path.stem.startswith("scores-"))


def has_learned(record: dict[str, Any]) -> bool:
    return record["mean"] >= record["enough"]


def game_of(mark: str) -> str:
    return parse(load(mark)["task"]).env.partition("/")[2]


def variations_of(game: str) -> tuple[str, ...]:
    """Those of the paper, those that only restate the game, and more."""
    return (*PAPER_32.get(game, ()), *CONTROLS.get(game, ()), *MORE.get(game, ()))


def play_all(mark: str) -> dict[str, list[list[float]]]:
    """By variation ("" for the original game): the scores of all episodes, (seeds, episodes)."""
    record, game = load(mark), game_of(mark)
    with np.load(FOLDER / f"{mark}.npz") as file:
        params = policy_of({name: file[name] for name in file.files})
    config = ppo.Config(**record["config"])
    shown = OBJECTS if record["task"].endswith(OBJECTS) else ""
    found = {"": record["scores"]}
    for name in variations_of(game):
        found[name] = protocol_scores(task_of(game, name) + shown, config, params)
        print(f"{mark}, {name}: {np.mean(found[name]):.1f}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="some agents, with commas")
    asked = parser.parse_args()
    for mark in marks():
        path = FOLDER / f"scores-{mark}.json"
        if path.exists() or (asked.only and mark not in asked.only.split(",")) or not has_learned(load(mark)):
            continue
        kept = {
            "agent": mark, "weights": load(mark)["weights"], "versions": versions(),
            "play_seeds": PLAY_SEEDS, "episodes": EPISODES, "scores": play_all(mark),
        }  # fmt: skip
        aside = path.with_suffix(".part")
        aside.write_text(json.dumps(kept) + "\n")
        aside.rename(path)


if __name__ == "__main__":
    main()
