"""The script that trains agents on games: stopped and gone on with, it leaves the same record and weights."""

import json
import runpy
import time
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.agents.ppo_shipped import policy_of
from assay.agents.shipped import Shipped
from assay.suites.hackatari import PAPER_32
from assay.task_text import parse

TRAIN = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "hackatari_train.py"))
SMALL = {"envs": 4, "rollout": 32, "report_every": 256, "width": 8, "minibatches": 2}


class OnCartPole(TRAIN["Plan"]):
    task = "gym/CartPole-v1"


@pytest.fixture
def tiny():
    TRAIN["PLANS"]["tiny"] = replace(OnCartPole("Pole", 1024, 0), settings=SMALL)
    yield
    del TRAIN["PLANS"]["tiny"]


def train(folder, seconds):
    folder.mkdir(exist_ok=True)
    asked = Namespace(out=folder, checkpoints=folder / "on the way", workers=0)
    return TRAIN["train_one"]("tiny", 0, asked, time.monotonic() + seconds)


def test_a_training_that_is_stopped_goes_on_to_the_same_record(tiny, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert "on average of 30, 0 is enough" in train(whole, 600)
    assert train(parts, -1) == "tiny-0: no time left"
    assert "of 1,024 steps" in train(parts, 0.05)  # which is over when its programs are compiled
    assert (parts / "on the way" / "tiny-0" / "state.npz").exists() and not (parts / "tiny-0.json").exists()
    assert "on average" in train(parts, 600)
    assert train(parts, 600) == "tiny-0: there already"
    first, second = (json.loads((each / "tiny-0.json").read_text()) for each in (whole, parts))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    assert np.shape(first["scores"]) == (3, 10) and first["curve"]["step"] == [256, 512, 768, 1024]
    assert first["mean"] == pytest.approx(np.mean(first["scores"])) and first["steps"] == 1024
    arrays = Shipped(parts / "tiny-0.npz", first["weights"]).arrays()
    assert policy_of(arrays).actor.weights.shape == (8, 2)


def test_the_plans_are_of_games_of_the_paper_and_their_settings_are_whole():
    for name, plan in TRAIN["PLANS"].items():
        game, shown = name.split("-")
        assert plan.game.lower() == game and plan.game in PAPER_32 and plan.config.steps == plan.steps
        assert plan.config.iterations * plan.config.envs * plan.config.rollout == plan.steps
        settings = [each.name for each in parse(plan.task).settings]
        assert ("observation" in settings) == (shown == "objects") and settings[0] == "preset"
