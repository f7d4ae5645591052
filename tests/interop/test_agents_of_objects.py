"""Any function of a game's objects is an agent: here a decision tree that is kept in a file."""

import json

import pytest

import assay
from assay.interop.agents import load_agent
from assay.interop.play import play

pytest.importorskip("ale_py")
OBJECTS = "atari/Pong+preset=paper+observation=objects+max_frames=6000"
# A node is a feature, a threshold, and what follows up to it and above it; a leaf is an action.
TREE = ["ball.there", 0.5, 0, ["ball.below", -4, 2, ["ball.below", 4, 0, 3]]]
SOURCE = """
import json
import assay

TREE = json.load(open("tree.json"))


def act(observation):
    now = observation[:, -1].astype(int)
    seen = {"ball.there": now[10], "ball.below": now[12] - now[2] - 8}
    node = TREE
    while isinstance(node, list):
        name, threshold, low, high = node
        node = low if seen[name] <= threshold else high
    return node


AGENT = assay.Policy(act, files=("tree.json",))
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "tree.json").write_text(json.dumps(TREE))
    (tmp_path / "tree_of_pong.py").write_text(SOURCE)
    return load_agent("tree_of_pong:AGENT")


def test_a_decision_tree_over_objects_plays_pong_better_than_chance(tree):
    env = assay.make(f"{OBJECTS}+stack=1")
    assert [env.observation_labels()[name] for name in ("player.y", "ball.there", "ball.y")] == [2, 10, 12]
    env.close()
    env = assay.make(OBJECTS)
    assert {path.name for path in tree.files} == {"tree_of_pong.py", "tree.json"}
    env.action_space.seed(0)
    by_chance = play(lambda observation: env.action_space.sample(), env, "random", 0, 1)[0]
    by_tree = play(tree.bind(env), env, tree.name, 0, 1)[0]
    assert by_tree.score > by_chance.score + 5
    env.close()
