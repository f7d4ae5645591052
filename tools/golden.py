"""Numbers that a change of structure must leave as they are: small runs of every kind, as digests.

    python tools/golden.py check          # runs every case and compares it with tools/golden.json
    python tools/golden.py check toy      # the cases whose name begins so
    python tools/golden.py write          # stores what this code gives

A case is one command line. Of its run this keeps a digest of the episodes, of the learning curves and of the
weights, without job ids, times and digests of source code, and the verdicts with their intervals in full.
The digests are those of one kind of machine: another instruction set may round otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from assay.results import open_run

STORED = Path(__file__).with_name("golden.json")
COLUMNS = ("task", "arm", "axis", "level", "episode", "steps", "return", "score", "terminated", "truncated")
AGENTS = '''
"""Agents of a user's own: one that acts, and one that is trained."""

import random


def act(observation):
    """Pushes a pole towards where it falls; in a game, alternates by a cell of its memory."""
    return int(observation[2] > 0) if len(observation) == 4 else int(observation[49]) % 6


def train(env, seed, steps):
    """The better of a few random rules, by one episode each."""
    draw, best, chosen = random.Random(seed), -1e9, None
    size = env.observation_space.shape[0]
    while steps > 0:
        rule = [draw.uniform(-1, 1) for _ in range(size)]
        seen, _ = env.reset(seed=draw.randrange(1000))
        total, over = 0.0, False
        while not over and steps > 0:
            seen, reward, ended, cut, _ = env.step(decide(rule, seen, env.action_space.n))
            total, over, steps = total + float(reward), ended or cut, steps - 1
        if total > best:
            best, chosen = total, rule
    return lambda seen: decide(chosen, seen, env.action_space.n)


def decide(rule, seen, actions):
    return int(abs(sum(w * float(x) for w, x in zip(rule, seen)))) % actions
'''
PONG = "atari/Pong+observation=ram+max_frames=400"
CASES = {
    "toy-trained": "examine dqn toy/discrete --axes delay,transition_noise,reward_noise --seeds 3",
    "toy-given": "examine random toy/discrete --axes transition_noise,action.delay --episodes 20",
    "platformer-trained": "examine dqn platformer/run+observation=state --axes action.delay --seeds 2",
    "platformer-given": "examine random platformer/run --axes action.sticky --episodes 3",
    "gym-trained": "examine mine:train gym/CartPole-v1 --axes action.delay,observation.noise --seeds 3",
    "gym-given": "examine mine:act gym/CartPole-v1 --axes action.delay,action.random --episodes 20",
    "atari-trained": f"examine mine:train {PONG} --axes lazy_enemy --seeds 2 --episodes 2",
    "atari-given": f"examine mine:act {PONG} --axes lazy_enemy,action.delay --episodes 4",
    "suite": "run playground/delay --agent tabular_q --seeds 2 --episodes 5",
    "sweep-retrained": "sweep tabular_q toy/discrete --axis observation.noise=0.5,1.0 --axis action.other=1.0"
    " --axis reward.delay=2 --seeds 6",
    "design": "sweep tabular_q toy/discrete --design grid --over delay=0,4"
    " --over agent.learning_rate=0.1,0.5 --seeds 2 --episodes 5",
    "train": "train dqn toy/discrete --seeds 2 --episodes 5",
}
STEPS = {"atari-trained": 300, "gym-trained": 2000, "sweep-retrained": 4000}  # of training; else DEFAULT
DEFAULT = 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["check", "write"])
    parser.add_argument("cases", nargs="*", help="beginnings of names; all cases where none is given")
    asked = parser.parse_args()
    names = [name for name in CASES if not asked.cases or name.startswith(tuple(asked.cases))]
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    wrong = 0
    for name in names:
        found = json.loads(json.dumps(golden(command_of(name))))
        if asked.what == "write":
            stored[name] = found
            STORED.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
            print(f"{name}: stored", flush=True)
            continue
        other = differing(stored.get(name), found)
        wrong += bool(other)
        print(f"{name}: {'as it was' if not other else 'OTHER ' + '; '.join(other)}", flush=True)
    return 1 if wrong else 0


def command_of(name: str) -> str:
    given = name.endswith("given")
    return CASES[name] if given else f"{CASES[name]} --steps {STEPS.get(name, DEFAULT)}"


def golden(command: str) -> dict[str, Any]:
    """Runs one command in a folder of its own and gathers what it left."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "mine.py").write_text(AGENTS)
        words = [sys.executable, "-m", "assay.cli.main", *command.split(), "--out", "run", "--workers", "1"]
        done = subprocess.run(words, cwd=place, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{command}\n{done.stderr}")
        verdicts = json.loads((place / "run" / "report.json").read_text())
        return {"command": command, **records(place / "run"), "verdicts": of_findings(verdicts)}


def records(folder: Path) -> dict[str, Any]:
    with open_run(folder) as run:
        jobs = {job.id: (job.agent, job.train_task, job.eval_task, job.seed, job.pair) for job in run.jobs()}
        episodes = [
            (jobs[row["job"]], *(row[name] for name in COLUMNS)) for row in run.episodes().to_pylist()
        ]
        curves = [
            (jobs[row["job"]], row["step"], row["name"], repr(row["value"]))
            for row in run.curves().to_pylist()
        ]
        weights = []
        for path in (folder / "weights").glob("*.npz"):
            weights += [
                (jobs[path.stem], name, array.shape, hashlib.sha256(np.ascontiguousarray(array)).hexdigest())
                for name, array in run.weights(path.stem).arrays.items()
            ]
        return {
            "jobs": len(jobs),
            "episodes": [len(episodes), digest(episodes)],
            "curves": [len(curves), digest(curves)],
            "weights": [len(weights), digest(weights)],
        }


def digest(rows: list[tuple]) -> str:
    """Of rows in an order of their own: jobs may be done in another."""
    return hashlib.sha256("\n".join(sorted(map(repr, rows))).encode()).hexdigest()[:32]


def of_findings(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Every verdict with its interval, as the report for programs tells it."""
    if "headline" not in report:
        return report["findings"]
    found = [
        {
            **{name: each[name] for name in ("arm", "axis", "side", "word", "level", "because", "effect")},
            "whose": each["whose"],
            "levels": [[level["level"], level["effect"], level["score"]] for level in each["levels"]],
        }
        for each in report["findings"]
    ]
    return [{"headline": report["headline"], "units": report["units"], "power": report["power"]}, *found]


def differing(stored: dict[str, Any] | None, found: dict[str, Any]) -> list[str]:
    """The names of what is not as it was."""
    if stored is None:
        return ["nothing is stored"]
    return [name for name in stored.keys() | found.keys() if stored.get(name) != found.get(name)]


if __name__ == "__main__":
    sys.exit(main())
