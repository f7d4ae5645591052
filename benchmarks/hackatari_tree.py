"""Distils a shipped agent into a decision tree, and writes what `examples/boxing_by_tree.py` plays by.

    .venv/bin/python benchmarks/hackatari_tree.py [--agent ppo-boxing] [--depth 8]

States come from play: the agent's own at first, then the tree's, so that the tree learns what to do where it
leads (Ross et al. 2011). Every state is labelled with the agent's most likely action. A tree sees the numbers
of the newest frame, and how far each has moved since the frame before. It is grown by Gini's impurity.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

import assay
from assay.agents.encoder import prepare
from assay.agents.policy_network import judge
from assay.core.space import Box
from assay.plans.agents import catalogue_agent

HERE = Path(__file__).parent
LANES, STEPS, ROUNDS = 8, 2048, 4  # of play: an episode of Boxing or Freeway in each lane, for each round
LEAST = 20  # states on each side of a split
Tree = Any  # the number of an action, or [feature, threshold, tree up to it, tree above it]
Choose = Callable[[np.ndarray], np.ndarray]  # observations -> actions


def features_of(observations: np.ndarray) -> np.ndarray:
    """(batch, numbers, 2) bytes as what a tree splits, (batch, 2 * numbers)."""
    before, now = (observations[..., frame].astype(np.int16) for frame in (0, 1))
    return np.concatenate([now, now - before], -1)


def fit(features: np.ndarray, labels: np.ndarray, depth: int, least: int = LEAST) -> Tree:
    """The tree of at most this depth that is grown greedily on labelled rows."""
    counts = np.bincount(labels)
    split = best_split(features, labels, least) if depth and counts.max() < len(labels) else None
    if split is None:
        return int(counts.argmax())
    feature, threshold = split
    low = features[:, feature] <= threshold
    parts = [fit(features[side], labels[side], depth - 1, least) for side in (low, ~low)]
    return parts[0] if parts[0] == parts[1] else [feature, threshold, *parts]


def best_split(features: np.ndarray, labels: np.ndarray, least: int) -> tuple[int, int] | None:
    """The feature and threshold whose two sides are purest; None where no split makes them purer."""
    one_hot = np.eye(labels.max() + 1, dtype=np.int64)[labels]
    total, best = one_hot.sum(0), None
    least_impurity = impurity(total[None], len(labels))[0] - 1e-9
    for feature in range(features.shape[1]):
        order = np.argsort(features[:, feature], kind="stable")
        values = features[order, feature]
        ends = np.flatnonzero(values[1:] > values[:-1]) + 1  # rows on the low side
        ends = ends[(ends >= least) & (len(labels) - ends >= least)]
        if not len(ends):
            continue
        below = one_hot[order].cumsum(0)[ends - 1]
        both = impurity(below, ends) + impurity(total - below, len(labels) - ends)
        if both.min() < least_impurity:
            least_impurity, best = both.min(), (feature, int(values[ends[both.argmin()] - 1]))
    return best


def impurity(counts: np.ndarray, rows: Any) -> np.ndarray:
    """Gini's, times the rows."""
    return rows - (counts.astype(float) ** 2).sum(-1) / rows


def decide(tree: Tree, features: np.ndarray) -> int:
    while not isinstance(tree, int):
        feature, threshold, low, high = tree
        tree = low if features[feature] <= threshold else high
    return tree


def size_of(tree: Tree) -> int:
    """Its leaves."""
    return 1 if isinstance(tree, int) else size_of(tree[2]) + size_of(tree[3])


def teacher_of(name: str) -> Choose:
    """The most likely actions of a shipped agent."""
    policy = jax.device_put(catalogue_agent(name).load())

    @jax.jit
    def choose(observations: Any) -> Any:
        space = Box(0, 255, observations.shape[1:], "uint8")
        return judge(space, policy, prepare(space, observations))[0].argmax(-1)

    return lambda observations: np.asarray(choose(observations))


def states_by(choose: Choose, task: str, seed: int) -> np.ndarray:
    """The observations of an episode in every lane, (steps * lanes, ...)."""
    env = assay.make_vec(task, num_envs=LANES)
    observations, _ = env.reset(seed=seed)
    rows = []
    for _ in range(STEPS):
        rows.append(observations.copy())
        observations, *_ = env.step(choose(observations))
    env.close()
    return np.concatenate(rows)


def distil(name: str, depth: int) -> tuple[Tree, float]:
    """The tree of an agent, and the share of its own states in which it does what the agent would."""
    teacher, task = teacher_of(name), catalogue_agent(name).shipped.provenance().task
    choose, states = teacher, np.zeros(0)
    for number in range(ROUNDS):
        new = states_by(choose, task, 1000 * (number + 1))
        states = np.concatenate([states, new]) if number else new
        tree = fit(features_of(states), teacher(states), depth)
        choose = lambda seen, tree=tree: np.array([decide(tree, row) for row in features_of(seen)])  # noqa: E731
    new = states_by(choose, task, 99)
    return tree, float((choose(new) == teacher(new)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--agent", default="ppo-boxing")
    parser.add_argument("--depth", type=int, default=8)
    asked = parser.parse_args()
    tree, agrees = distil(asked.agent, asked.depth)
    path = HERE.parent / "examples" / f"{asked.agent.removeprefix('ppo-')}_tree.json"
    path.write_text(json.dumps(tree) + "\n")
    print(f"{path.name}: {size_of(tree)} leaves; agrees with {asked.agent} in {agrees:.1%} of its own states")


if __name__ == "__main__":
    main()
