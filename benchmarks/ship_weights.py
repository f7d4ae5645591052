"""Makes the weights that come with assay, and the reference that its tests hold them to.

    .venv/bin/python benchmarks/ship_weights.py POLICY.npz RECORD.json

POLICY.npz holds the policy of one training in float32 and RECORD.json that training's record; both come from
`kage_results.py`. Writes the float16 file of `assay.agents.ppo_platformer` and sets its digest there, then
tests/agents/ppo_platformer.json: how the float32 policy played some episodes, its most likely action in every
state of them, and its scores. The states are those episodes played again by their recorded actions, so that
nobody who checks needs the float32 weights, and rounding changes no state. Takes some minutes on a CPU.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents import policy_network, ppo_platformer, shipped
from assay.agents.encoder import prepare
from assay.agents.ppo_shipped import policy_of
from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import episode_key, root_of, seed_words, step_key, stream
from assay.envs.platformer.measures import MEASURES
from assay.native import build_native
from assay.runs.evaluate import EvaluationSetup, evaluate
from assay.runs.program import stack_tasks
from assay.stats import bootstrap_t

REFERENCE = Path(__file__).parents[1] / "tests" / "agents" / "ppo_platformer.json"
TASK = "platformer/run"
SEED = 16  # of the states
EPISODES, STEPS = 20, 500  # of the states; every episode of the platformer lasts as long
SCORE_SEED, SCORED = 17, 128  # of the scores; several hundred episodes would take a test too long
TOGETHER = 32  # episodes that are played side by side
Z = 1.96  # of a 95% interval


@dataclass(frozen=True)
class Scored:
    """A mean over episodes with its 95% interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Reference:
    """The float32 policy: a digit per step for each episode of the states, and what it scores."""

    weights: str  # the digest of the file that was made of it
    seed: int
    played: Sequence[str]  # the actions that it drew
    greedy: Sequence[str]  # its most likely action in the state before each
    score_seed: int
    episodes: int
    score: Scored
    success: Scored


def read_policy(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return {name: file[name].astype(np.float32) for name in file.files}


def provenance_of(record: Mapping[str, Any]) -> shipped.Provenance:
    return shipped.Provenance(
        agent="ppo", task=record["appearance"], steps=record["evaluations"][-1]["steps"], seed=record["seed"],
        config=record["config"], versions={"jax": record["jax"]}, device=record["device"],
    )  # fmt: skip


def set_digest(digest: str) -> None:
    """Writes the digest of the weights into the code of their agent."""
    path = Path(ppo_platformer.__file__)
    code, count = re.subn(r'^DIGEST = "\w+"$', f'DIGEST = "{digest}"', path.read_text(), flags=re.MULTILINE)
    assert count == 1, f"{path} has no line for the digest"
    path.write_text(code)


@jax.jit
def pictures_of(task: Task, key: jax.Array, actions: jax.Array) -> jax.Array:
    """The pictures before each action of an episode that is played again, (steps, ...)."""

    def step(carry: Any, row: Any) -> Any:
        seen, world = carry
        t, action = row
        out = loop.step(task, step_key(key, t), world, action)
        return (out.observation, out.state), seen

    steps = jnp.arange(1, len(actions) + 1)
    return jax.lax.scan(step, loop.reset(task, step_key(key, 0)), (steps, actions))[1]


@jax.jit
def draw_episode(task: Task, policy: policy_network.Policy, key: jax.Array) -> jax.Array:
    """The actions that a policy draws in one episode, (steps,)."""

    def step(carry: Any, t: jax.Array) -> Any:
        seen, world = carry
        now = step_key(key, t)
        action, _ = policy_network.act(task, policy, (), stream(now, "agent"), seen)
        out = loop.step(task, now, world, action)
        return (out.observation, out.state), action

    return jax.lax.scan(step, loop.reset(task, step_key(key, 0)), jnp.arange(1, STEPS + 1))[1]


def states_of(reference: Reference, episode: int) -> np.ndarray:
    """The pictures in which the reference chose, of one of its episodes, (steps, 128, 128, 3)."""
    actions = jnp.array([int(digit) for digit in reference.played[episode]], jnp.int32)
    return np.asarray(pictures_of(build_native(TASK).task, key_of(reference.seed, episode), actions))


def key_of(seed: int, episode: int) -> jax.Array:
    return episode_key(root_of(seed), episode)


def greedy_actions(policy: policy_network.Policy, pictures: np.ndarray) -> str:
    """The most likely action in each state, a digit each."""
    space = ppo_platformer.PICTURE
    logits = policy_network.judge(space, policy, prepare(space, jnp.asarray(pictures)))[0]
    return digits(jnp.argmax(logits, -1))


def digits(actions: Any) -> str:
    return "".join(map(str, np.asarray(actions)))


def play_scored(policy: policy_network.Policy, seed: int, episodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Score and success of every episode, as an exam plays them."""
    tasks = stack_tasks([build_native(TASK).task])
    setup = EvaluationSetup(policy_network.act_with(False), MEASURES)
    parts = [
        jax.device_get(evaluate(tasks, policy, seed_words(seed + number), setup, TOGETHER))
        for number in range(episodes // TOGETHER)
    ]
    score = np.concatenate([part.score[0] for part in parts])
    return score, np.concatenate([part.measures["success"][0] for part in parts]).astype(float)


def mean_of(values: np.ndarray) -> Scored:
    interval = bootstrap_t(values, rng=np.random.default_rng(0))
    return Scored(float(values.mean()), float(interval.low), float(interval.high))


def share_of(wins: np.ndarray) -> Scored:
    """Wilson's interval, which has a width where all episodes agree."""
    count, share = len(wins), float(wins.mean())
    middle = (share + Z**2 / (2 * count)) / (1 + Z**2 / count)
    half = Z / (1 + Z**2 / count) * np.sqrt(share * (1 - share) / count + Z**2 / (4 * count**2))
    return Scored(share, float(middle - half), float(max(middle + half, share)))


def make_reference(policy: policy_network.Policy, digest: str, episodes: int, scored: int) -> Reference:
    task = build_native(TASK).task
    played = [digits(draw_episode(task, policy, key_of(SEED, episode))) for episode in range(episodes)]
    score, success = play_scored(policy, SCORE_SEED, scored)
    first = Reference(digest, SEED, played, [], SCORE_SEED, scored, mean_of(score), share_of(success))
    greedy = [greedy_actions(policy, states_of(first, episode)) for episode in range(episodes)]
    return Reference(**{**vars(first), "greedy": greedy})


def read_reference() -> Reference:
    document = json.loads(REFERENCE.read_text())
    return Reference(
        **{**document, "score": Scored(**document["score"]), "success": Scored(**document["success"])}
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policy", type=Path)
    parser.add_argument("record", type=Path)
    asked = parser.parse_args()
    arrays, record = read_policy(asked.policy), json.loads(asked.record.read_text())
    made = shipped.write(ppo_platformer.WEIGHTS.path, provenance_of(record), arrays)
    set_digest(made.digest)
    reference = make_reference(policy_of(arrays), made.digest, EPISODES, SCORED)
    REFERENCE.write_text(json.dumps(asdict(reference), indent=1) + "\n")
    print(f"{made.path}: {made.path.stat().st_size / 1e6:.1f} MB, SHA-256 {made.digest}")
    print(f"score {reference.score}, success {reference.success} over {SCORED} episodes")


if __name__ == "__main__":
    main()
