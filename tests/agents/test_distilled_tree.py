"""A decision tree distilled from a shipped agent: it is grown rightly, and the one that is kept plays."""

import json
import runpy
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.agents import ppo_games

ROOT = Path(__file__).parents[2]
GROW = runpy.run_path(str(ROOT / "benchmarks" / "hackatari_tree.py"))
fit, decide, size_of, features_of = (GROW[name] for name in ("fit", "decide", "size_of", "features_of"))


@pytest.fixture
def by_tree(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    return import_module("boxing_by_tree")


def test_the_best_split_by_hand():
    """Up to 3 all are 0 and above all are 1; the other feature tells nothing."""
    features = np.array([[1, 5], [2, 6], [3, 5], [7, 6], [8, 5], [9, 6]])
    labels = np.array([0, 0, 0, 1, 1, 1])
    assert GROW["best_split"](features, labels, 1) == (0, 3)
    assert fit(features, labels, depth=3, least=1) == [0, 3, 0, 1]
    assert fit(features, labels, depth=3, least=4) == 0  # no side is large enough
    assert fit(features, labels, depth=0) == 0


def test_impurity_is_twice_the_product_of_the_shares():
    assert GROW["impurity"](np.array([[3, 1], [4, 0]]), np.array([4, 4])).tolist() == [4 * 2 * 3 / 16, 0.0]


def test_what_needs_two_questions_gets_them_and_equal_sides_become_one():
    rng = np.random.default_rng(0)
    features = rng.integers(0, 256, (4000, 5))
    labels = np.where(features[:, 1] > 99, np.where(features[:, 4] > 199, 2, 1), 0)
    tree = fit(features, labels, depth=8)
    assert tree == [1, 99, 0, [4, 199, 1, 2]] and size_of(tree) == 3
    assert [decide(tree, row) for row in features[:50]] == labels[:50].tolist()
    assert fit(features, np.zeros(4000, int), depth=8) == 0


def test_a_tree_sees_the_newest_frame_and_what_moved():
    rows = np.array([[[10, 13], [0, 255]]], np.uint8)  # numbers, frames
    assert features_of(rows).tolist() == [[13, 255, 3, 255]]


def test_the_example_reads_the_tree_as_it_was_grown(by_tree):
    tree = json.loads((ROOT / "examples" / "boxing_tree.json").read_text())
    seen = np.random.default_rng(0).integers(0, 200, (200, 10, 2)).astype(np.uint8)
    wanted = [decide(tree, row) for row in features_of(seen)]
    assert [by_tree.act(row) for row in seen] == wanted and len(set(wanted)) > 3


def test_the_tree_does_mostly_what_its_agent_would(by_tree):
    task = ppo_games.BOXING.shipped.provenance().task
    teacher, env = GROW["teacher_of"]("ppo-boxing"), assay.make(task)
    seen, same = env.reset(seed=5)[0], []
    for _ in range(400):
        same.append(int(teacher(seen[None])[0]) == by_tree.act(seen))
        seen, _, terminated, _, _ = env.step(by_tree.act(seen))
        assert not terminated
    assert np.mean(same) > SHARE


SHARE = 0.5  # of 18 actions; chance would be 0.06
