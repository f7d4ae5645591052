"""Our DQN on hosted tasks: beside Stable-Baselines3's on CartPole, and beside random play on Pong's memory.

    python benchmarks/hosted_dqn.py cartpole --seeds 5     # needs Stable-Baselines3
    assay train dqn atari/Pong+observation=ram --seeds 5 --steps 160000 --set ... --out FOLDER
    python benchmarks/hosted_dqn.py pong --run FOLDER

On CartPole both train one seed after the other on one core, with equal settings, which are printed line by
line; their networks are read into ours, so that one program evaluates both, on the same episodes. Theirs
trains with one env, as it mostly is used, and with as many side by side as ours. What compiling costs ours is
counted. On Pong the seeds are jobs of a run, so that `assay resume FOLDER` goes on with it.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from assay.agents import dqn, dqn_lanes
from assay.agents.agent import Trained
from assay.bench.dqn import as_our_params, overlap, settings, their_dqn
from assay.interop.gymnasium import make
from assay.interop.play import play, play_side_by_side
from assay.results import open_run
from assay.runs.hosted_training import policy_of, spaces_of, train_on_hosted
from assay.runs.outside_jobs import random_actions
from assay.stats.aggregate import Interval
from assay.stats.resampling import bootstrap_t
from assay.tasks import resolve

CARTPOLE = "gym/CartPole-v1"
PONG = "atari/Pong+observation=ram"
EPISODES, EVALUATION = 20, 99  # of one trained agent, and their seed
RANDOM_UNITS = 5  # of random play, EPISODES each
FOR_CARTPOLE = dqn.Config(
    steps=50_000, report_every=1000, hidden=(64, 64), activation="relu", learning_rate=1e-3,
    adam_epsilon=1e-8, batch=64, learning_starts=1000, target_every=500, explore_until=0.2,
    explore_last=0.04,
)  # fmt: skip


class Side(NamedTuple):
    name: str
    scores: list[float]  # one for each seed
    cpu_seconds: list[float]  # one for each seed, compiling included

    @property
    def interval(self) -> Interval:
        return bootstrap_t(np.array(self.scores), rng=np.random.default_rng(0), step=1 / EPISODES)


def score_of(params: Any, text: str, config: dqn.Config) -> float:
    """The mean score of the greedy agent."""
    env = make(text)
    policy = policy_of(dqn.AGENT, config, params)(env)
    env.close()
    played = play_side_by_side(policy, partial(make, text), "dqn", EVALUATION, EPISODES)
    return float(np.mean([each.score for each in played]))


def side(name: str, seeds: int, train: Callable[[int], Any], config: dqn.Config) -> Side:
    scores, spent = [], []
    for seed in range(seeds):
        begun = time.process_time()
        params = train(seed)
        spent.append(time.process_time() - begun)
        scores.append(score_of(params, CARTPOLE, config))
        print(f"  {name}, seed {seed}: {scores[-1]:.1f} in {spent[-1]:.1f} CPU-seconds", flush=True)
    return Side(name, scores, spent)


def ours(config: dqn.Config, seed: int) -> Any:
    trained: Trained = train_on_hosted(dqn.AGENT, "dqn", CARTPOLE, seed, config)
    return trained.params


def theirs(config: dqn.Config, lanes: int, seed: int) -> Any:
    from stable_baselines3.common.vec_env import DummyVecEnv

    model = their_dqn(config, seed, DummyVecEnv([partial(make, CARTPOLE)] * lanes))
    model.learn(config.steps)
    return as_our_params(model)


def cartpole(seeds: int) -> None:
    import torch
    from stable_baselines3.common.vec_env import DummyVecEnv

    torch.set_num_threads(1)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    config, lanes = FOR_CARTPOLE, dqn_lanes.lanes(FOR_CARTPOLE)
    model = their_dqn(config, 0, DummyVecEnv([partial(make, CARTPOLE)] * lanes))
    rows = settings(config, model, spaces_of(resolve(CARTPOLE)))
    for row in rows:
        other = "" if row.ours == row.theirs else "OTHER"
        print(f"  {row.name:36} {row.ours!s:24} {row.theirs!s:24} {other}")
    first = side("assay", seeds, partial(ours, config), config)
    others = [
        side(f"Stable-Baselines3, envs: {count}", seeds, partial(theirs, config, count), config)
        for count in (1, lanes)
    ]
    print(f"{CARTPOLE}, {config.steps} steps, {seeds} seeds, {EPISODES} episodes each")
    for each in (first, *others):
        low, high = each.interval.low, each.interval.high
        agrees = "" if each is first else f", agrees: {overlap(first.interval, each.interval)}"
        cpu = f"{np.mean(each.cpu_seconds):.1f} CPU-seconds for one seed"
        print(f"  {each.name:28} {np.mean(each.scores):.1f} [{low:.1f}, {high:.1f}], {cpu}{agrees}")


def pong(folder: str) -> None:
    """The mean score of every trained seed in a run, and of random play."""
    with open_run(folder) as run:
        rows = run.query("SELECT seed, AVG(score) AS score FROM episode JOIN job ON job.id = episode.job "
                         "GROUP BY seed ORDER BY seed").to_pylist()  # fmt: skip
        spent = [job.cpu_s for job in run.jobs(status="done")]
    trained = Side("assay", [row["score"] for row in rows], spent)
    units = [random_score(seed) for seed in range(RANDOM_UNITS)]
    for each in (trained, Side("random play", units, [0.0])):
        low, high = each.interval.low, each.interval.high
        told = f"{np.mean(each.scores):.2f} [{low:.2f}, {high:.2f}], {np.round(each.scores, 2).tolist()}"
        print(f"  {each.name:12} {told}, {np.mean(each.cpu_seconds):.0f} CPU-seconds for one seed")


def random_score(seed: int) -> float:
    env = make(PONG)
    played = play(random_actions(env, seed), env, "random", seed, EPISODES)
    env.close()
    return float(np.mean([each.score for each in played]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["cartpole", "pong"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--run", help="the folder of the run on Pong")
    asked = parser.parse_args()
    cartpole(asked.seeds) if asked.what == "cartpole" else pong(asked.run)


if __name__ == "__main__":
    main()
