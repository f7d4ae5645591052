"""Trains our PPO on four games of HackAtari, from objects and from pictures, and plays the paper's protocol.

    python benchmarks/hackatari_train.py [--only boxing-objects,pong-pixels] [--seeds 0,1] [--seconds 540]

Each training leaves a record and its weights in `--out`; those that are there are not made again. The script
stops in time, leaves checkpoints in `--checkpoints`, and goes on from them, bit for bit, when it is called
again. `--together` trainings run in threads of this one process, so that they share a GPU without processes
that take it from each other; each plays its games in `--workers` processes (0: in this one).

It needs jax, numpy and PyYAML, gymnasium and ale-py, and nothing else of what assay installs; a machine
without them can have their unpacked wheels on PYTHONPATH:

    PYTHONPATH=wheels:src python benchmarks/hackatari_train.py --only pong-pixels --together 2 --workers 8
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import jax
import numpy as np

from assay.agents import ppo
from assay.agents.agent import Trained
from assay.agents.shipped import Provenance, write
from assay.interop.gymnasium import make
from assay.interop.play import play
from assay.runs.checkpoint import Store, named_leaves
from assay.runs.hosted_training import HostedTraining, policy_of
from assay.suites.hackatari import task_of

HERE = Path(__file__).parent
PLAY_SEEDS, EPISODES = (0, 1, 2), 10  # the paper's
OBJECTS = "+observation=objects"
# On objects two small layers: many lanes and short rollouts, on one core.
OF_OBJECTS = {
    "envs": 32, "rollout": 128, "report_every": 16_384, "epochs": 4, "minibatches": 8, "learning_rate": 5e-4,
    "discount": 0.99, "clip": 0.1, "width": 128, "signs": True,
}  # fmt: skip
# The paper's settings, with 64 envs in the place of 10 and minibatches of 256 in the place of 320.
OF_PICTURES = {
    "envs": 64, "rollout": 128, "report_every": 409_600, "epochs": 4, "minibatches": 32,
    "learning_rate": 2.5e-4, "discount": 0.99, "clip": 0.1, "signs": True, "anneal": True,
}  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """What is trained, and where it counts as trained."""

    game: str
    steps: int
    enough: float  # the plain score from which an agent enters tables of drops
    shown: str = OBJECTS
    settings: Mapping[str, Any] = field(default_factory=dict)
    greedy: bool = False  # whether it takes its most likely action when it is judged

    @property
    def task(self) -> str:
        return task_of(self.game) + self.shown

    @property
    def config(self) -> ppo.Config:
        base = OF_OBJECTS if self.shown == OBJECTS else OF_PICTURES
        return ppo.Config(**{"steps": self.steps, **base, **self.settings})

    @property
    def played(self) -> ppo.Config:
        """The same where it is judged."""
        return replace(self.config, greedy=self.greedy)


PLANS = {
    # Few crossings succeed at first, and a policy that stands still gets no second chance.
    "freeway-objects": Plan("Freeway", 409_600, 20, settings={"entropy_weight": 0.02}),
    "boxing-objects": Plan("Boxing", 983_040, 30),
    # In units of their spread the few pixels that a ball moves count as much as where paddles are: without
    # it a seed was at -3 after two million steps, with it at 4 after one and a half.
    # Drawing its actions, as in training, the first seed had 8.2: a return that is missed once costs a point.
    "pong-objects": Plan("Pong", 2_949_120, 10, settings={"minibatches": 16, "normalise": True}, greedy=True),
    "breakout-objects": Plan("Breakout", 4_915_200, 20, settings={"minibatches": 16, "normalise": True}),
    "freeway-pixels": Plan("Freeway", 2_457_600, 20, shown="", settings={"entropy_weight": 0.02}),
    "boxing-pixels": Plan("Boxing", 4_915_200, 30, shown=""),
    "pong-pixels": Plan("Pong", 4_915_200, 10, shown=""),
    "breakout-pixels": Plan("Breakout", 9_830_400, 20, shown=""),
}


def protocol_scores(task: str, config: ppo.Config, params: Any) -> list[list[float]]:
    """The scores of the paper's thirty episodes, (seeds, episodes)."""
    env = make(task)
    try:
        policy = policy_of(ppo.AGENT, config, params)(env)
        played = [play(policy, env, "ppo", seed, EPISODES) for seed in PLAY_SEEDS]
    finally:
        env.close()
    return [[each.score for each in row] for row in played]


def as_stored(params: Any) -> Any:
    """The weights as a file to ship has them: rounded to float16.

    The number of rows that a normaliser has counted is larger than float16 can tell, and acting does not ask.
    """
    most = np.finfo(np.float16).max
    return jax.tree.map(
        lambda leaf: np.asarray(np.clip(leaf, -most, most), np.float16).astype(np.float32), params
    )


def versions() -> dict[str, str]:
    import ale_py

    return {"jax": jax.__version__, "numpy": np.__version__, "ale-py": ale_py.__version__}


def record_of(plan: Plan, seed: int, trained: Trained, weights: Path, seconds: float) -> dict[str, Any]:
    """What one training came to; writes its weights."""
    config, device = plan.played, jax.devices()[0].device_kind
    steps = int(trained.reports.step[-1])
    about = Provenance("ppo", plan.task, steps, seed, asdict(config), versions(), device)
    params = as_stored(trained.params)
    made = write(weights, about, {name: np.asarray(leaf) for name, leaf in named_leaves(params)})
    scores = protocol_scores(plan.task, config, params)
    curve = {
        name: [None if np.isnan(each) else round(float(each), 3) for each in getattr(trained.reports, name)]
        for name in ("step", "score", "episodes")
    }
    return {
        **asdict(about), "weights": made.digest, "seconds": round(seconds, 1), "scores": scores,
        "mean": float(np.mean(scores)), "enough": plan.enough, "curve": curve,
    }  # fmt: skip


def train_one(name: str, seed: int, asked: argparse.Namespace, until: float) -> str:
    """Trains until it is done or time is up, and says which."""
    plan, mark = PLANS[name], f"{name}-{seed}"
    path = asked.out / f"{mark}.json"
    if path.exists():
        return f"{mark}: there already"
    if time.monotonic() > until:
        return f"{mark}: no time left"
    about = {"task": plan.task, "seed": seed, "config": asdict(plan.config), "jax": jax.__version__}
    folder = asked.checkpoints / mark
    spent = folder / "seconds.json"
    training = HostedTraining(
        ppo.AGENT, "ppo", plan.task, seed, plan.config, asked.workers, Store(folder, about)
    )
    began, first = time.monotonic(), training.step
    try:
        done = training.play_on(until)
        seconds = time.monotonic() - began
        pace = (training.step - first) / max(seconds, 1e-9)
        seconds += json.loads(spent.read_text()) if spent.exists() else 0.0
        if not done:
            spent.write_text(json.dumps(seconds))
            scores = " ".join(f"{float(each.score):.1f}" for each in training.reports[-8:])
            return f"{mark}: {training.step:,} of {training.last:,} steps, {pace:,.0f} a second; {scores}"
        made = record_of(plan, seed, training.trained(), path.with_suffix(".npz"), seconds)
    finally:
        training.close()
    path.with_suffix(".part").write_text(json.dumps(made) + "\n")
    path.with_suffix(".part").rename(path)
    return f"{mark}: {made['mean']:.1f} on average of {EPISODES * len(PLAY_SEEDS)}, {plan.enough:g} is enough"


def train_all(asked: argparse.Namespace) -> Iterator[str]:
    until = time.monotonic() + asked.seconds
    todo = [(name, int(seed)) for name in asked.only.split(",") for seed in asked.seeds.split(",")]
    asked.out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(asked.together) as pool:
        yield from pool.map(lambda each: train_one(*each, asked, until), todo)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default=",".join(PLANS), help=f"some of {', '.join(PLANS)}")
    parser.add_argument("--seeds", default="0,1")
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--workers", type=int, default=0, help="processes that play the games of a training")
    parser.add_argument("--together", type=int, default=1, help="trainings at a time")
    parser.add_argument("--out", type=Path, default=HERE / "hackatari")
    parser.add_argument("--checkpoints", type=Path, default=Path("runs/hackatari"))
    asked = parser.parse_args()
    for line in train_all(asked):
        print(line, flush=True)


if __name__ == "__main__":
    main()
