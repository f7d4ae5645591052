"""The weights that come with assay act as the float32 policy did, and no other file is taken for them."""

import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.agents import ppo_platformer, shipped
from assay.agents.shipped import Provenance, Shipped
from assay.core.space import Box, Discrete
from assay.errors import AssayError
from assay.plans.make_plan import exam_plan, suite_plan, train_plan
from assay.plans.sources import digest_of_source, sources_of_plan

SHIP = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "ship_weights.py"))
ABOUT = Provenance("ppo", "platformer/run", 25, 3, {"envs": 2}, {"jax": "1"}, "a card")
FEW = {"only": ["filters.hue_shift"], "episodes": 2}


@pytest.fixture(scope="module")
def reference():
    return SHIP["read_reference"]()


def same_share(reference, episodes):
    """The share of states in which the shipped policy's most likely action is the float32 policy's."""
    policy = ppo_platformer.AGENT.load()
    chosen = [SHIP["greedy_actions"](policy, SHIP["states_of"](reference, each)) for each in episodes]
    wanted = [reference.greedy[each] for each in episodes]
    return np.mean(
        [a == b for mine, theirs in zip(chosen, wanted) for a, b in zip(mine, theirs, strict=True)]
    )


def test_the_reference_is_of_the_file_that_is_shipped(reference):
    assert reference.weights == ppo_platformer.DIGEST
    assert [len(each) for each in reference.greedy] == [500] * 20
    assert set("".join(reference.played)) <= set("01234567")


def test_five_hundred_states_have_the_float32_policy_s_action(reference):
    assert same_share(reference, [0]) >= 0.99


@pytest.mark.slow
def test_ten_thousand_states_have_the_float32_policy_s_action(reference):
    assert same_share(reference, range(20)) >= 0.99


@pytest.mark.slow
def test_it_scores_within_the_float32_policy_s_interval(reference):
    score, success = SHIP["play_scored"](
        ppo_platformer.AGENT.load(), reference.score_seed, reference.episodes
    )
    assert reference.score.low <= score.mean() <= reference.score.high
    assert reference.success.low <= success.mean() <= reference.success.high


def test_the_file_is_small_and_says_how_it_was_made():
    path, made = ppo_platformer.WEIGHTS.path, ppo_platformer.WEIGHTS.provenance()
    assert path.stat().st_size < 10e6
    assert (made.agent, made.task) == ("ppo", "platformer/run")
    assert made.steps > 24_900_000 and made.config["envs"] == 128 and made.versions["jax"] and made.device
    weights = ppo_platformer.AGENT.load()
    assert [layer.weights.shape for layer in weights.encoder] == [
        (8, 8, 3, 32), (4, 4, 32, 64), (3, 3, 64, 64), (9216, 512),
    ]  # fmt: skip
    assert (weights.actor.weights.shape, weights.critic.weights.shape) == ((512, 8), (512, 1))
    assert weights.actor.weights.dtype == np.float32


def test_weights_come_back_as_they_were_written_and_the_same_ones_give_the_same_file(tmp_path):
    arrays = {".actor.weights": np.array([[0.5, -2.0]], np.float32), ".actor.bias": np.ones(2, np.float32)}
    made = shipped.write(tmp_path / "a.npz", ABOUT, arrays)
    assert made.digest == shipped.write(tmp_path / "b.npz", ABOUT, arrays).digest
    assert made.provenance() == ABOUT
    assert {name: each.tolist() for name, each in made.arrays().items()} == {
        ".actor.weights": [[0.5, -2.0]], ".actor.bias": [1.0, 1.0],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-7]), r"^the weights \S+ are not those .*install"),
        (lambda path: path.write_bytes(path.read_bytes()[:200] + b"x" + path.read_bytes()[201:]), "SHA-256"),
        (lambda path: path.unlink(), r"cannot be read \(No such file or directory\); install assay again\.$"),
    ],
    ids=["truncated", "tampered", "gone"],
)
def test_a_file_that_is_not_the_shipped_one_is_refused_in_one_sentence(harm, says, tmp_path):
    copy = tmp_path / "copy.npz"
    copy.write_bytes(ppo_platformer.WEIGHTS.path.read_bytes())
    assert Shipped(copy, ppo_platformer.DIGEST).provenance().task == "platformer/run"
    harm(copy)
    with pytest.raises(AssayError, match=says):
        Shipped(copy, ppo_platformer.DIGEST).arrays()


def test_other_pictures_and_other_actions_are_refused():
    picture, eight = ppo_platformer.PICTURE, Discrete(8)
    assert ppo_platformer.AGENT.fits({"observation": picture, "action": eight}) == ""
    small = Box(0, 255, (84, 84, 3), "uint8")
    assert "128 x 128 x 3" in ppo_platformer.AGENT.fits({"observation": small, "action": eight})
    assert "whole numbers" in ppo_platformer.AGENT.fits({"observation": Discrete(4), "action": eight})
    assert "8 actions" in ppo_platformer.AGENT.fits({"observation": picture, "action": Discrete(6)})


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: exam_plan("ppo-platformer", "toy/discrete"), "does not fit toy/discrete: it was trained on"),
        (lambda: exam_plan("ppo-platformer", "platformer/run+observation=state"), "14 numbers of type float"),
        (lambda: exam_plan("ppo-platformer", "gym/CartPole-v1"), "plays only native tasks"),
        (lambda: exam_plan("ppo-platformer", "platformer/run", settings={"steps": 9}), "ppo is the agent"),
        (lambda: exam_plan("ppo-platformer", "platformer/run", seeds=3), "units are episodes"),
        (lambda: train_plan("ppo-platformer", "platformer/run"), "cannot be trained"),
        (
            lambda: suite_plan(assay.suite("kage/background"), "ppo-platformer"),
            r"comes trained on platformer/run and cannot be retrained, and this trains",
        ),
    ],
)
def test_what_it_cannot_do_is_refused_in_one_sentence(ask, says):
    with pytest.raises(AssayError, match=says):
        ask()


def test_an_exam_of_it_trains_nothing_and_depends_on_the_file(monkeypatch, tmp_path):
    plan = exam_plan("ppo-platformer", "platformer/run", **FEW)
    assert not plan.trains and plan.budget == 0 and plan.seeds == (0,)
    assert ppo_platformer.WEIGHTS.path in sources_of_plan(plan).code.values()
    other = tmp_path / "other.npz"
    other.write_bytes(b"other weights")
    before = digest_of_source(plan)
    agent = replace(ppo_platformer.AGENT, shipped=replace(ppo_platformer.WEIGHTS, path=other))
    monkeypatch.setattr("assay.plans.sources.catalogue_agent", lambda name: agent)
    assert digest_of_source(plan) != before


def test_no_other_command_reads_the_weights():
    code = (
        "import assay.cli.main, assay.plans.make_plan, sys; assert 'assay.agents.shipped' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.slow
def test_an_exam_of_it_from_end_to_end(tmp_path):
    found = assay.examine(
        "ppo-platformer", "platformer/run", axes=["filters.brightness"], episodes=12, out=tmp_path / "run"
    )
    told = (tmp_path / "run" / "report.md").read_text()
    assert "breaks on (open)" in told and "A given agent is not retrained" in told
    episodes = found.episodes()
    plain = [row["score"] for row in episodes.to_pylist() if row["arm"] == "plain"]
    assert len(set(plain)) > 12  # of the agent and of random play
