"""Agents that were taught games in pictures: what their files hold, and that they see colours."""

import json
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.agents import taught_games
from assay.agents.agent import Agent
from assay.agents.encoder import prepare
from assay.agents.policy_network import judge
from assay.core.space import Box, Discrete
from assay.plans.agents import catalogue_agent
from assay.plans.make_plan import suite_plan
from assay.suites.hackatari import task_of

RECORDS = Path(__file__).parents[2] / "benchmarks" / "hackatari"
GAMES = {name: agent for name, agent in vars(taught_games).items() if isinstance(agent, Agent)}


def name_of(game):
    return f"taught-{game.lower()}"


def record_of(game):
    [record] = [
        record
        for path in sorted(RECORDS.glob(f"{name_of(game).partition('-')[2]}-taught-*.json"))
        if (record := json.loads(path.read_text()))["weights"] == GAMES[game].shipped.digest
    ]
    return record


def test_there_are_some_and_the_catalogue_knows_them():
    assert GAMES
    for game, agent in GAMES.items():
        assert catalogue_agent(name_of(game)) is agent and agent.on_hosts and agent.learner is None


@pytest.mark.parametrize("game", GAMES)
def test_the_file_says_who_taught_it_and_its_record_that_it_plays_well_enough(game):
    made, record = GAMES[game].shipped.provenance(), record_of(game)
    assert GAMES[game].shipped.path.stat().st_size < 4_000_000
    assert made.task == task_of(game.title()) and made.agent == f"pupil of {record['teacher']}"
    assert made.config["game"] == game.title() and made.steps == record["steps"] == made.config["steps"]
    assert np.shape(record["scores"]) == (3, 10)
    assert np.mean(record["scores"]) == pytest.approx(record["mean"]) and record["mean"] >= record["enough"]


@pytest.mark.parametrize("game", GAMES)
def test_it_is_a_policy_of_four_gray_pictures_and_refuses_others(game):
    agent = GAMES[game]
    plan = suite_plan(assay.suite(f"hackatari/{game.lower()}"), name_of(game))
    assert not plan.trains
    policy = agent.load()
    assert policy.encoder[0].weights.shape == (8, 8, 4, 32) and policy.encoder[0].weights.dtype == np.float32
    actions = Discrete(len(policy.actor.bias))
    assert not agent.fits({"observation": Box(0, 255, (84, 84, 4), "uint8"), "action": actions})
    coloured = agent.fits({"observation": Box(0, 255, (210, 160, 3), "uint8"), "action": actions})
    assert "84 x 84 x 4 bytes" in coloured and "210 x 160 x 3 numbers" in coloured


def test_a_pupil_acts_by_what_it_sees_in_a_real_game():
    """Its choices on pictures of the game are sharper than on the same pixels in another order."""
    policy = taught_games.FREEWAY.load()
    env = assay.make(taught_games.FREEWAY.shipped.provenance().task)
    seen = [env.reset(seed=0)[0]] + [env.step(1)[0] for _ in range(20)]
    env.close()
    space = Box(0, 255, (84, 84, 4), "uint8")
    rows = np.stack(seen)
    mixed = rows[:, :, np.random.default_rng(0).permutation(84)]
    up = [
        np.asarray(judge(space, policy, prepare(space, each)).outputs).argmax(1) == 1
        for each in (rows, mixed)
    ]
    assert up[0].mean() > 0.8  # Freeway is crossed by going up


@pytest.mark.slow
def test_a_pupil_of_boxing_falls_when_the_players_colour_changes(tmp_path):
    task = taught_games.BOXING.shipped.provenance().task
    found = assay.examine("taught-boxing", task, axes=["color_player"], episodes=6, out=tmp_path / "run")
    scores = {}
    for row in found.episodes().to_pylist():
        scores.setdefault((row["agent"], row["arm"]), []).append(row["score"])
    assert np.mean(scores["taught-boxing", "plain"]) > np.mean(scores["taught-boxing", "carry"]) + 10
