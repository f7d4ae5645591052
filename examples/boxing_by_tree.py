"""Plays Boxing by a decision tree, distilled from `ppo-boxing` by benchmarks/hackatari_tree.py.

    cd examples && assay run hackatari/boxing --agent boxing_by_tree:AGENT --with observation=objects

The tree is a file that people can read: a number is an action, and [feature, threshold, low, high] asks one
number of the objects, or how far it has moved since the frame before, and goes on in one of two trees.
"""

import json
from pathlib import Path

import assay

FILE = Path(__file__).parent / "boxing_tree.json"
TREE = json.loads(FILE.read_text())


def act(observation):
    before, now = observation[:, 0].astype(int), observation[:, 1].astype(int)
    features, tree = [*now, *(now - before)], TREE
    while not isinstance(tree, int):
        feature, threshold, low, high = tree
        tree = low if features[feature] <= threshold else high
    return tree


AGENT = assay.Policy(act, files=(FILE,))

if __name__ == "__main__":
    env = assay.make("atari/Boxing+preset=paper+observation=objects")
    observation, _ = env.reset(seed=0)
    score = 0.0
    for _ in range(400):
        observation, reward, *_ = env.step(act(observation))
        score += float(reward)
    print(f"after 400 steps: {score:+.0f} points")
