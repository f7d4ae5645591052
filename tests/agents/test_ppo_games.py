"""Agents that come trained on games: what their files hold, what they refuse, and that they play on hosts."""

import json
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.agents import ppo_games
from assay.agents.agent import Agent
from assay.core.space import Box, Discrete
from assay.errors import AssayError
from assay.plans.agents import catalogue_agent, require_own_env
from assay.plans.make_plan import exam_plan, suite_plan, train_plan
from assay.suites.hackatari import task_of
from assay.suites.suite import with_settings

RECORDS = Path(__file__).parents[2] / "benchmarks" / "hackatari"
GAMES = {name: agent for name, agent in vars(ppo_games).items() if isinstance(agent, Agent)}
CARTPOLE = "gym/CartPole-v1"


SHORTER = with_settings(assay.suite("hackatari/freeway"), "observation=objects+max_frames=400")


def name_of(game):
    return f"ppo-{game.lower()}"


def test_there_are_some_and_the_catalogue_knows_them():
    assert GAMES
    for game, agent in GAMES.items():
        assert catalogue_agent(name_of(game)) is agent and agent.on_hosts and agent.learner is None


@pytest.mark.parametrize("game", GAMES)
def test_the_file_is_small_and_is_that_of_a_training_that_was_good_enough(game):
    agent = GAMES[game]
    made = agent.shipped.provenance()
    assert agent.shipped.path.stat().st_size < 300_000
    assert made.task == task_of(game.title()) + "+observation=objects" and made.agent == "ppo"
    records = [
        json.loads(path.read_text()) for path in sorted(RECORDS.glob(f"{game.lower()}-objects-*.json"))
    ]
    [record] = [each for each in records if each["weights"] == agent.shipped.digest]
    assert record["steps"] == made.steps and np.shape(record["scores"]) == (3, 10)
    assert np.mean(record["scores"]) == pytest.approx(record["mean"]) and record["mean"] >= record["enough"]


@pytest.mark.parametrize("game", GAMES)
def test_the_weights_are_a_policy_for_the_game_and_others_are_refused(game):
    agent, task = GAMES[game], GAMES[game].shipped.provenance().task
    plan = exam_plan(name_of(game), task, only=["action.delay"], episodes=2)  # refuses spaces that do not fit
    assert not plan.trains and plan.budget == 0
    policy = agent.load()
    assert policy.actor.weights.dtype == np.float32 and len(policy.encoder) == 2
    other = {"observation": Box(0, 255, (7, 2), "uint8"), "action": Discrete(3)}
    assert "it was trained on" in agent.fits(other) and "7 x 2 numbers of type uint8" in agent.fits(other)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (
            lambda: exam_plan("ppo-freeway", CARTPOLE),
            "it was trained on 60 x 2 bytes, and these observations",
        ),
        (lambda: exam_plan("ppo-freeway", "atari/Freeway+preset=paper"), "it was trained on 60 x 2 bytes"),
        (lambda: exam_plan("ppo-freeway", "atari/Amidar+observation=ram+stack=2"), "128 x 2 numbers"),
        (
            lambda: require_own_env("ppo-freeway", "atari/Pong"),
            "comes trained on atari/Freeway.*is atari/Pong",
        ),
        (lambda: exam_plan("ppo-freeway", "atari/Freeway", settings={"steps": 9}), "ppo is the agent"),
        (lambda: train_plan("ppo-freeway", "atari/Freeway+observation=objects"), "cannot be trained"),
        (lambda: suite_plan(assay.suite("hackatari/freeway"), "ppo-freeway"), "it was trained on 60 x 2"),
        (lambda: suite_plan(SHORTER, "ppo-freeway"), "comes trained on atari/Freeway.* cannot be retrained"),
    ],
)
def test_what_it_cannot_do_is_refused_in_one_sentence(ask, says):
    with pytest.raises(AssayError, match=says):
        ask()


def test_it_plays_the_suite_of_its_game_and_trains_nothing():
    suite = with_settings(assay.suite("hackatari/freeway"), "observation=objects")
    plan = suite_plan(suite, "ppo-freeway")
    assert not plan.trains and len(plan.suite.pairs) == 5


@pytest.mark.slow
def test_it_crosses_the_road_and_still_does_when_the_cars_are_black(tmp_path):
    task = ppo_games.FREEWAY.shipped.provenance().task
    found = assay.examine("ppo-freeway", task, axes=["all_black_cars"], episodes=3, out=tmp_path / "run")
    scores = {}
    for row in found.episodes().to_pylist():
        scores.setdefault((row["agent"], row["arm"]), []).append(row["score"])
    assert np.mean(scores["ppo-freeway", "plain"]) > 18 and np.mean(scores["ppo-freeway", "carry"]) > 18
