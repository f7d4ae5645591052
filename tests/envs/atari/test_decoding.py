"""Labelled memory and decoded quantities (type 0): they say what the screen and the rewards say."""

import numpy as np
import pytest

import assay
from assay.envs.atari.decoding import Decoder
from assay.envs.atari.rule_yaml import BadRules
from assay.envs.atari.rulefile import read_rules
from assay.errors import NotApplicable
from tests.envs.atari.stori_play import fill_holes, follow_ball, host_of

pytest.importorskip("ale_py")
FILE = """
game: Pong
cells: {score: 3}
decoded:
  points: 2 * unbcd(score)
  wall: {rows: [10, 20], columns: [[0, 7, 6], [1, 0, 1]], width: 2}
variations: {}
"""


def test_a_number_and_a_matrix_by_hand():
    file = read_rules(FILE, "mine.yaml")
    buffer = np.zeros(128, "uint8")
    buffer[3], buffer[10], buffer[21] = 0x47, 0b01000000, 0b10
    decoder = Decoder(file.decoded, file.cells)
    assert decoder.names == ["points", "wall[0,0]", "wall[0,1]", "wall[1,0]", "wall[1,1]"]
    assert decoder.decode(buffer).tolist() == [94, 1, 0, 0, 1]


@pytest.mark.parametrize(
    "old, new, says",
    [("[1, 0, 1]", "[1, 0]", "multiple of 2"), ("[0, 7, 6]", "[0, 8, 6]", "group of columns"),
     ("[10, 20]", "[10, 127]", "cells 0 to 127"), ("unbcd(score)", "skore", "did you mean")],
)  # fmt: skip
def test_a_wrong_entry_is_refused(old, new, says):
    with pytest.raises(BadRules, match=says):
        read_rules(FILE.replace(old, new), "mine.yaml")


def run(game, choose, steps):
    env, rng = assay.make(f"atari/{game}+observation=decoded+sticky=0"), np.random.default_rng(0)
    seen, total = env.reset(seed=0)[0], 0.0
    names = host_of(env).observation_labels()
    for step in range(steps):
        ram = host_of(env).emulator.buffer.tolist()
        action = choose(ram, step, rng) if choose else int(rng.integers(env.action_space.n))
        seen, reward, terminated, *_ = env.step(action)
        total += reward
        if terminated:
            break
        assert env.observation_space.contains(seen)
    return {name: int(seen[i]) for name, i in names.items()}, total, env


def test_breakout_points_and_bricks_are_those_of_the_screen():
    values, total, env = run("Breakout", follow_ball, 250)
    assert values["points"] == total > 0
    screen = host_of(env).render()
    for row in range(6):
        for column in range(18):
            there = screen[59 + 6 * row, 10 + 8 * column].any()
            assert values[f"bricks[{row},{column}]"] == there
    assert 108 - sum(v for name, v in values.items() if name.startswith("bricks")) >= 5


def test_boxing_scores_and_clock():
    values, total, _ = run("Boxing", None, 300)
    assert values["player_score"] - values["enemy_score"] == total
    assert 0 < values["seconds_left"] < 110


def test_gopher_points_and_tunnels_are_those_of_the_screen():
    values, total, env = run("Gopher", fill_holes, 280)
    assert values["points"] == total
    screen = host_of(env).emulator.ale.getScreen()
    dug = [values[f"dug[1,{column}]"] for column in range(40)]
    shown = [screen[172, 4 * column + 1] == 44 for column in range(40)]
    assert any(dug) and sum(a != b for a, b in zip(dug, shown)) <= 2  # the gopher may stand before one


def test_bank_heist_points_and_fuel():
    values, total, _ = run("BankHeist", None, 150)
    assert values["points"] == total and 0 <= values["fuel"] <= 25 and values["city"] in range(4)


def test_a_game_that_decodes_nothing_says_so():
    with pytest.raises(NotApplicable, match="decodes nothing"):
        assay.make("atari/Alien+observation=decoded")
