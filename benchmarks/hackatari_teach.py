"""Teaches networks that see pictures what agents that see objects do, and plays the paper's protocol.

    .venv/bin/python benchmarks/hackatari_teach.py [--only boxing-taught,freeway-taught] [--seeds 0,1]

Learning a game from its pictures by its rewards takes more hours than two cores have. A pupil plays the game
in pictures, its teacher sees the objects of the very same episode (the same seed and the same actions make
the same game), and at every state the pupil comes to it learns what the teacher would do there and how the
teacher values it (DAgger: Ross et al. 2011). At first the teacher's actions are played, later the pupil's.

The pupil has PPO's convolutions, sees nothing but pictures, and is never told of a variation. It learns in
torch (pip install torch==2.13.0), whose convolutions are three times as fast on a CPU as XLA's. Each leaves a
record and its weights in `--out`; stopped, a training goes on from its checkpoint with an empty memory.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
import torch
from hackatari_train import HERE, OBJECTS, as_stored, protocol_scores, versions
from torch import nn

from assay.agents import ppo
from assay.agents.encoder import GAIN, LARGE, WHITE, Layer, prepare, sides_of
from assay.agents.policy_network import Policy, judge
from assay.agents.ppo_shipped import policy_of
from assay.agents.shipped import Provenance, write
from assay.core.space import Space
from assay.core.streams import digest_number
from assay.interop.worker_vector import WorkerVectorEnv
from assay.runs.checkpoint import named_leaves
from assay.runs.hosted_training import LaneTally, lanes_of, spaces_of
from assay.suites.hackatari import task_of
from assay.tasks import resolve

MOST_GRADIENT = 0.5  # a gradient with a larger norm is cut to it
SAVE_EVERY = 8  # rounds


@dataclass(frozen=True)
class Lesson:
    """What is taught, and where a pupil counts as trained."""

    game: str
    teacher: str  # the name of its training, without its seed
    teachers: tuple[int, ...]  # seeds of the teacher, by the pupil's
    enough: float  # the plain score from which a pupil enters tables of drops
    steps: int = 196_608  # of all lanes
    lanes: int = 32
    rollout: int = 64  # steps of each lane between two rounds of updates
    memory: int = 49_152  # states
    batch: int = 256
    passes: int = 4  # updates of a round, as often as each new state is seen on average
    led: float = 0.25  # of the steps, in which ever fewer of the actions are the teacher's
    learning_rate: float = 3e-4
    value_weight: float = 0.1
    greedy: bool = False  # whether teacher and pupil take their most likely action, then and later

    @property
    def played(self) -> ppo.Config:
        """The settings by which our PPO has the same network; nothing is learned from rewards."""
        return ppo.Config(steps=16_384, greedy=self.greedy)

    @property
    def task(self) -> str:
        return task_of(self.game)

    @property
    def round_steps(self) -> int:
        return self.lanes * self.rollout


LESSONS = {
    "boxing-taught": Lesson("Boxing", "boxing-objects", (0, 1), 30),
    "freeway-taught": Lesson("Freeway", "freeway-objects", (0, 2), 20, steps=98_304),
    "pong-taught": Lesson("Pong", "pong-objects", (0, 1), 10, greedy=True, steps=393_216, led=0.125),
}


class Pupil(nn.Module):
    """PPO's network of pictures."""

    def __init__(self, pictures: Space, actions: int) -> None:
        super().__init__()
        into, layers = pictures.shape[-1], []
        for side, stride, out in LARGE.kernels:
            layers += [nn.Conv2d(into, out, side, stride), nn.ReLU()]
            into = out
        height, width = sides_of(pictures)[-1]
        self.convolutions = nn.Sequential(*layers)
        self.full = nn.Linear(height * width * into, LARGE.seen)
        self.actor, self.critic = nn.Linear(LARGE.seen, actions), nn.Linear(LARGE.seen, 1)
        for layer in self.modules():
            if isinstance(layer, (nn.Conv2d, nn.Linear)):
                gain = {id(self.actor): 0.01, id(self.critic): 1.0}.get(id(layer), GAIN)
                nn.init.orthogonal_(layer.weight, gain)
                nn.init.zeros_(layer.bias)
        self.to(memory_format=torch.channels_last)

    def forward(self, pictures: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values of pictures as they are observed, (batch, rows, columns, frames) bytes."""
        seen = self.convolutions(pictures.permute(0, 3, 1, 2).float() / WHITE)
        seen = torch.relu(self.full(seen.permute(0, 2, 3, 1).flatten(1)))
        return self.actor(seen), self.critic(seen)[:, 0]

    def as_policy(self) -> Policy:
        """The same network as our PPO has it."""

        def layer(part: Any, *order: int) -> Layer:
            return Layer(part.weight.detach().permute(*order).numpy(), part.bias.detach().numpy())

        seen = [layer(each, 2, 3, 1, 0) for each in self.convolutions if isinstance(each, nn.Conv2d)]
        return Policy([*seen, layer(self.full, 1, 0)], layer(self.actor, 1, 0), layer(self.critic, 1, 0))


class Memory:
    """The states that a pupil has come to lately, and what its teacher said of them."""

    def __init__(self, pictures: Space, actions: int, length: int) -> None:
        self.length, self.seen = length, 0
        self.pictures = np.zeros((length, *pictures.shape), np.uint8)
        self.wanted = np.zeros((length, actions), np.float32)
        self.values = np.zeros(length, np.float32)

    def add(self, pictures: np.ndarray, wanted: np.ndarray, values: np.ndarray) -> None:
        rows = np.arange(self.seen, self.seen + len(pictures)) % self.length
        self.pictures[rows], self.wanted[rows], self.values[rows] = pictures, wanted, values
        self.seen += len(pictures)

    def draw(self, draws: np.random.Generator, count: int) -> list[torch.Tensor]:
        picks = draws.integers(min(self.seen, self.length), size=count)
        return [torch.from_numpy(each[picks]) for each in (self.pictures, self.wanted, self.values)]


class Classroom:
    """The same games twice: in pictures for the pupil, in objects for the teacher."""

    def __init__(self, lesson: Lesson, teacher: Policy, seed: int) -> None:
        tasks = resolve(lesson.task), resolve(lesson.task + OBJECTS)
        self.spaces = spaces_of(tasks[0])
        self.ask_teacher = jax.jit(partial(chances_and_values, spaces_of(tasks[1])["observation"], teacher))
        self.games: list[WorkerVectorEnv] = [lanes_of(each, lesson.lanes, 0) for each in tasks]
        self.seeds = [digest_number(seed, "lesson", lane) for lane in range(lesson.lanes)]
        self.tally = LaneTally(lesson.lanes)

    def begin(self, number: int) -> list[np.ndarray]:
        """The first observations; `number` sets apart the games before and after a stop."""
        seeds = [(each + number) % 2**63 for each in self.seeds]
        return [game.reset(seed=seeds)[0] for game in self.games]

    def step(self, actions: np.ndarray) -> list[np.ndarray]:
        (pictures, paid, ended, cut, info), (objects, paid_too, ended_too, cut_too, _) = (
            game.step(actions) for game in self.games
        )
        same = np.array_equal(paid, paid_too) and np.array_equal(ended | cut, ended_too | cut_too)
        assert same, "the same seeds and actions make the same game, whatever is seen of it"
        self.tally.count(info["score"], paid, ended | cut)
        return [pictures, objects]

    def close(self) -> None:
        for game in self.games:
            game.close()


def chances_and_values(space: Space, policy: Policy, observations: Any) -> tuple[jax.Array, jax.Array]:
    judged = judge(space, policy, prepare(space, observations))
    return jax.nn.softmax(judged.outputs), judged.values


def teacher_of(lesson: Lesson, seed: int) -> tuple[str, Policy]:
    mark = f"{lesson.teacher}-{lesson.teachers[seed % len(lesson.teachers)]}"
    with np.load(HERE / "hackatari" / f"{mark}.npz") as file:
        return mark, policy_of({name: file[name] for name in file.files})


class Teaching:
    """A training under way."""

    def __init__(self, name: str, seed: int, folder: Path) -> None:
        self.lesson, self.seed, self.state = LESSONS[name], seed, folder / f"{name}-{seed}.pt"
        self.teacher, policy = teacher_of(self.lesson, seed)
        self.room = Classroom(self.lesson, policy, seed)
        torch.manual_seed(seed)
        pictures, actions = self.room.spaces["observation"], self.room.spaces["action"].n
        self.pupil = Pupil(pictures, actions)
        self.optimiser = torch.optim.Adam(self.pupil.parameters(), self.lesson.learning_rate, eps=1e-5)
        self.memory = Memory(pictures, actions, self.lesson.memory)
        self.done, self.seconds = 0, 0.0
        self.curve: dict[str, list] = {"step": [], "score": [], "episodes": [], "apart": []}
        self.about = json.dumps({"lesson": asdict(self.lesson), "seed": seed, "teacher": self.teacher})
        if self.state.exists():
            self.resume()

    def resume(self) -> None:
        saved = torch.load(self.state, weights_only=True)
        if saved["about"] != self.about:
            sys.exit(f"{self.state} is a checkpoint of another training; delete it to begin anew.")
        self.pupil.load_state_dict(saved["pupil"])
        self.optimiser.load_state_dict(saved["optimiser"])
        self.done, self.seconds, self.curve = saved["done"], saved["seconds"], saved["curve"]

    def save(self) -> None:
        self.state.parent.mkdir(parents=True, exist_ok=True)
        aside = self.state.with_suffix(".part")
        torch.save(
            {
                "about": self.about, "pupil": self.pupil.state_dict(), "done": self.done,
                "optimiser": self.optimiser.state_dict(), "seconds": self.seconds, "curve": self.curve,
            },
            aside,
        )  # fmt: skip
        aside.rename(self.state)

    def go_on(self) -> None:
        """Teaches to the end."""
        lesson, before, began = self.lesson, self.seconds, time.monotonic()
        draws = np.random.default_rng([self.seed, self.done])
        views = self.room.begin(self.done)
        while self.done < lesson.steps:
            views = self.play_round(views, draws)
            apart = self.learn(draws)
            self.done += lesson.round_steps
            self.seconds = before + time.monotonic() - began
            report = self.room.tally.report(self.done)
            score = None if np.isnan(report.score) else round(float(report.score), 3)
            row = self.done, score, int(report.episodes), round(apart, 4)
            for column, entry in zip(self.curve.values(), row, strict=True):
                column.append(entry)
            if self.done // lesson.round_steps % SAVE_EVERY == 0:
                self.save()
                print(f"{self.done:,} steps, {self.seconds:.0f} s, apart {apart:.3f}, {score}", flush=True)

    def play_round(self, views: list[np.ndarray], draws: np.random.Generator) -> list[np.ndarray]:
        """A rollout; the observations after it."""
        led, kept = max(0.0, 1 - self.done / (self.lesson.led * self.lesson.steps)), []
        for _ in range(self.lesson.rollout):
            pictures, objects = views
            wanted, values = (np.asarray(each) for each in self.room.ask_teacher(objects))
            with torch.no_grad():
                own = self.pupil(torch.from_numpy(pictures))[0].softmax(-1).numpy()
            chances = np.where(draws.random((len(own), 1)) < led, wanted, own)
            if not self.lesson.greedy:  # else the most likely action
                chances = chances.cumsum(1) > draws.random((len(own), 1)) * chances.sum(1, keepdims=True)
            kept.append((pictures, wanted, values))
            views = self.room.step(chances.argmax(1))
        self.memory.add(*(np.concatenate(each) for each in zip(*kept, strict=True)))
        return views

    def learn(self, draws: np.random.Generator) -> float:
        """The updates of a round; how far the pupil's chances were from the teacher's, in nats."""
        lesson, lost = self.lesson, []
        for _ in range(lesson.round_steps * lesson.passes // lesson.batch):
            pictures, wanted, values = self.memory.draw(draws, lesson.batch)
            outputs, judged = self.pupil(pictures)
            apart = nn.functional.kl_div(outputs.log_softmax(-1), wanted, reduction="batchmean")
            self.optimiser.zero_grad()
            (apart + lesson.value_weight * ((judged - values) ** 2).mean()).backward()
            nn.utils.clip_grad_norm_(self.pupil.parameters(), MOST_GRADIENT)
            self.optimiser.step()
            lost.append(float(apart.detach()))
        return float(np.mean(lost))

    def record(self, path: Path) -> dict[str, Any]:
        """What it came to; writes the weights."""
        task, params = self.lesson.task, as_stored(self.pupil.as_policy())
        about = Provenance(
            f"pupil of {self.teacher}", task, self.done, self.seed, asdict(self.lesson),
            {**versions(), "torch": torch.__version__}, "cpu",
        )  # fmt: skip
        made = write(path, about, {name: np.asarray(leaf) for name, leaf in named_leaves(params)})
        scores = protocol_scores(task, self.lesson.played, params)
        return {
            **asdict(about), "config": asdict(self.lesson.played), "weights": made.digest,
            "seconds": round(self.seconds, 1), "scores": scores, "mean": float(np.mean(scores)),
            "enough": self.lesson.enough, "curve": self.curve, "teacher": self.teacher,
        }  # fmt: skip


def teach(name: str, seed: int, asked: argparse.Namespace) -> str:
    path = asked.out / f"{name}-{seed}.json"
    if path.exists():
        return f"{name}-{seed}: there already"
    teaching = Teaching(name, seed, asked.checkpoints)
    try:
        teaching.go_on()
    finally:
        teaching.room.close()
    made = teaching.record(path.with_suffix(".npz"))
    path.with_suffix(".part").write_text(json.dumps(made) + "\n")
    path.with_suffix(".part").rename(path)
    return f"{name}-{seed}: {made['mean']:.1f} on average of 30 episodes, {made['enough']:g} is enough"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default=",".join(LESSONS), help=f"some of {', '.join(LESSONS)}")
    parser.add_argument("--seeds", default="0,1")
    parser.add_argument("--out", type=Path, default=HERE / "hackatari")
    parser.add_argument("--checkpoints", type=Path, default=Path("runs/hackatari"))
    asked = parser.parse_args()
    torch.set_num_threads(1)
    asked.out.mkdir(parents=True, exist_ok=True)
    for name in asked.only.split(","):
        for seed in asked.seeds.split(","):
            print(teach(name, int(seed), asked), flush=True)


if __name__ == "__main__":
    main()
