"""Plays the frozen agents of stori_results.py elsewhere: on other presets, and through the drift of 2.2.

    .venv/bin/python benchmarks/stori_policies.py runs/stori crossing --game Breakout --episodes 20
    .venv/bin/python benchmarks/stori_policies.py runs/stori drift --episodes 40

`assay run stori/breakout-crossing` trains and tests the whole matrix anew; this reads the weights that are
there. Episodes are those of a seed apart from training's, the same ones for all agents and presets. Results
go to benchmarks/stori/; games and agents that are not there yet are left out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from stori_results import KEPT, TASKS, number, write

import assay
from assay.agents import dqn
from assay.core.keys import root_of
from assay.interop.play import Lane, begin_agent, play
from assay.plans.agents import config_of
from assay.results import Job, open_run
from assay.runs.hosted_training import policy_of, spaces_of, task_of
from assay.runs.outside_jobs import random_actions
from assay.runs.training_records import restore_params
from assay.suites.stori import GAMES, PLAIN
from assay.suites.stori import task_of as preset_task
from assay.tasks import resolve

SEED = 4711  # of the episodes
LIMIT = 2000  # steps of an episode
BIN = 50  # steps that a point of a drift curve is the mean of
DRIFT = "2.2"
FOLLOWED = (PLAIN, DRIFT, "3.2A")  # agents that were trained on these
# Few agents live for 300 steps of Breakout.
EARLIER = {"Breakout": ("blackout_top_and_bottom=1.0@sudden:100",)}
RUNS = ("dqn-breakout", "dqn-others")


class Frozen(NamedTuple):
    """A trained agent, ready to act in an env."""

    game: str
    preset: str  # that it was trained on
    seed: int
    bind: Any


def frozen_agents(folder: Path, game: str) -> Iterator[Frozen]:
    """The finished agents of a game, of the first seed."""
    for name in RUNS:
        if not (folder / name).exists():
            continue
        with open_run(folder / name) as run:
            for job in run.jobs(status="done"):
                if job.agent == "dqn" and TASKS[job.train_task][0] == game:
                    yield freeze(job, run.weights(job.id).arrays, run.plan["settings"], str(folder))


def freeze(job: Job, arrays: dict[str, np.ndarray], settings: dict[str, Any], folder: str) -> Frozen:
    config = config_of("dqn", settings)
    task = task_of(spaces_of(resolve(job.train_task)))
    # What the shapes do not depend on is made small: the replay.
    small = config_of("dqn", {**settings, "replay": settings["steps_per_update"]})
    learner = dqn.LEARNER
    shapes = jax.eval_shape(lambda: learner.params(learner.start(root_of(0), task, small)))
    params = restore_params(job, folder, shapes, arrays)
    return Frozen(*TASKS[job.train_task], job.seed, policy_of(dqn.AGENT, config, params))


def limited(text: str) -> Any:
    env = assay.make(text)
    env.cut_after(LIMIT)
    return env


def cross(folder: Path, game: str, episodes: int) -> dict[str, Any]:
    """Every agent of a game, and random play, on every preset of it."""
    tasks = {kind: preset_task(game, preset) for kind, preset in GAMES[game].items()}
    cells = []
    for agent in [*frozen_agents(folder, game), None]:
        for kind, text in tasks.items():
            env = limited(text)
            policy = agent.bind(env) if agent else random_actions(env, SEED)
            played = play(policy, env, "agent", SEED, episodes)
            env.close()
            cells.append({
                "trained": agent.preset if agent else "random", "played": kind,
                "scores": [number(each.paid) for each in played],
            })  # fmt: skip
    return {"game": game, "seed": SEED, "episodes": episodes, "max_steps": LIMIT, "cells": cells}


def pay_by_step(agent: Frozen, text: str, episodes: int) -> np.ndarray:
    """(episodes, LIMIT) rewards; an episode that has ended pays nothing more."""
    env = limited(text)
    policy, lane = agent.bind(env), Lane(env, "agent", SEED)
    paid = np.zeros((episodes, LIMIT), np.float32)
    alive = np.zeros((episodes, LIMIT), bool)
    for episode in range(episodes):
        begin_agent(policy, "agent", SEED, episode)
        lane.begin(episode, *(env.reset(seed=SEED) if episode == 0 else env.reset()))
        while lane.live:
            alive[episode, lane.steps] = True
            lane.step(policy.act(lane.observation))
        paid[episode, : lane.steps] = lane.rewards
    env.close()
    return np.stack([paid, alive])


def drift(folder: Path, games: list[str], episodes: int) -> dict[str, Any]:
    """Frozen agents through drifts, and through the same episodes without them."""
    cells = []
    for game in games:
        plain = GAMES[game][PLAIN]
        drifts = [GAMES[game][DRIFT].variation, *EARLIER.get(game, ())]
        for agent in frozen_agents(folder, game):
            if agent.preset not in FOLLOWED:
                continue
            for variation in ("", *drifts):
                text = preset_task(game, plain._replace(variation=variation))
                paid, alive = pay_by_step(agent, text, episodes)
                bins = paid.reshape(episodes, -1, BIN).sum(-1)
                cells.append({
                    "game": game, "trained": agent.preset, "drift": variation,
                    "alive": [round(float(each), 3) for each in alive[:, ::BIN].mean(0)],
                    "paid": [[number(float(value)) for value in row] for row in bins],
                })  # fmt: skip
    return {"seed": SEED, "episodes": episodes, "bin": BIN, "max_steps": LIMIT, "cells": cells}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("what", choices=["crossing", "drift"])
    parser.add_argument("--game", default="Breakout", help="of the matrix")
    parser.add_argument("--games", default=",".join(GAMES), help="of the drifts")
    parser.add_argument("--episodes", type=int, default=20)
    asked = parser.parse_args()
    begun = time.process_time()
    if asked.what == "crossing":
        kept = cross(asked.folder, asked.game, asked.episodes)
    else:
        kept = drift(asked.folder, asked.games.split(","), asked.episodes)
    kept["cpu_s"] = time.process_time() - begun
    if asked.what == "drift":
        kept = with_earlier(kept)
    kept["cpu_s"] = round(kept["cpu_s"], 1)
    write(KEPT / f"{asked.what}.json", kept)


def with_earlier(kept: dict[str, Any]) -> dict[str, Any]:
    """The drifts of other games, if they were kept with the same episodes, stay as they are."""
    path, played = KEPT / "drift.json", {each["game"] for each in kept["cells"]}
    earlier = json.loads(path.read_text()) if path.exists() else {}
    if any(earlier.get(name) != kept[name] for name in ("seed", "episodes", "bin", "max_steps")):
        return kept
    cells = [each for each in earlier["cells"] if each["game"] not in played]
    cost = kept["cpu_s"] + (earlier["cpu_s"] if cells else 0.0)
    return kept | {"cpu_s": cost, "cells": [*cells, *kept["cells"]]}


if __name__ == "__main__":
    main()
