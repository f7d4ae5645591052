"""Trainings on hosted tasks that were stopped or killed go on bit for bit, or say why they cannot."""

from dataclasses import replace
from functools import partial

import gymnasium
import jax
import numpy as np
import pytest

from assay.agents import dqn, ppo
from assay.errors import AssayError
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import train_plan
from assay.runs.checkpoint import Store
from assay.runs.hosted_training import (
    HostedTraining,
    train_on_hosted,
)
from assay.runs.native_jobs import execute

CARTPOLE = "gym/CartPole-v1"
OF_DQN = dqn.Config(steps=2000, report_every=500, learning_starts=500, target_every=100, hidden=(16,))


def same(a, b):
    return jax.tree.all(jax.tree.map(partial(np.array_equal, equal_nan=True), a, b))


OF_PPO = ppo.Config(steps=1024, report_every=256, envs=4, rollout=32, minibatches=2, epochs=2, width=8)


def store(folder):
    return Store(folder, {"of": "a test"})


def trained_in_parts(text, config, folder, workers=0):
    """A training that stops after every 400 steps, each part in an env of its own."""
    while True:
        training = HostedTraining(ppo.AGENT, "ppo", text, 0, config, workers, store(folder), keeps=True)
        before = training.step
        try:
            while training.step < min(before + 400, training.last):
                training.make_step()
            training.save()
            if training.step >= training.last:
                return training.trained(), training.reports
        finally:
            training.close()


@pytest.mark.parametrize("workers", [0, 2])
def test_a_hosted_training_in_parts_is_the_training_in_one(workers, tmp_path):
    whole = train_on_hosted(ppo.AGENT, "ppo", CARTPOLE, 0, OF_PPO, workers=0)
    parts, reports = trained_in_parts(CARTPOLE, OF_PPO, tmp_path, workers)
    assert same(whole, parts) and len(reports) == 4
    assert whole.reports.step.tolist() == [256, 512, 768, 1024] and whole.reports.episodes.min() > 0
    assert not same(whole.checkpoints.actor.weights[0], whole.params.actor.weights)


def test_a_training_goes_on_only_where_the_same_actions_lead_to_the_same_place(tmp_path):
    training = HostedTraining(ppo.AGENT, "ppo", CARTPOLE, 0, OF_PPO, 0, store(tmp_path))
    training.play_on(until=0)
    training.make_step()
    training.observations = training.observations + 1
    training.save()
    training.close()
    with pytest.raises(AssayError, match="the same actions lead elsewhere now; delete it"):
        HostedTraining(ppo.AGENT, "ppo", CARTPOLE, 0, OF_PPO, 0, store(tmp_path))


class PaysByItsEpisodes(gymnasium.Wrapper):
    """Shows what CartPole shows, and pays by the number of the episode in this process."""

    count = 0

    def reset(self, **asked):
        self.count += 1
        return self.env.reset(**asked)

    def step(self, action):
        observation, _, *others = self.env.step(action)
        return observation, float(self.count), *others


def make_paying_by_its_episodes():
    return PaysByItsEpisodes(gymnasium.make("CartPole-v1"))


def test_a_training_goes_on_only_where_the_same_actions_are_paid_the_same(tmp_path):
    gymnasium.register("Pays/ByItsEpisodes-v0", make_paying_by_its_episodes)
    asked = ppo.AGENT, "ppo", "gym/Pays/ByItsEpisodes-v0", 0, OF_PPO, 0, store(tmp_path)
    try:
        training = HostedTraining(*asked)
        while training.step < 400 or not all(training.positions.actions):
            training.make_step()
        training.save()
        training.close()
        with pytest.raises(AssayError, match="the same actions lead elsewhere now; delete it"):
            HostedTraining(*asked)
    finally:
        del gymnasium.registry["Pays/ByItsEpisodes-v0"]


def test_params_of_one_report_are_not_taken_for_those_of_another(tmp_path):
    training = HostedTraining(ppo.AGENT, "ppo", CARTPOLE, 0, OF_PPO, 0, store(tmp_path), keeps=True)
    while len(training.reports) < 2:
        training.make_step()
    training.save()
    training.close()
    (tmp_path / "params-0.npz").write_bytes((tmp_path / "params-1.npz").read_bytes())
    with pytest.raises(AssayError, match=r"its file is 'params-1.npz', and here it is 'params-0.npz'"):
        HostedTraining(ppo.AGENT, "ppo", CARTPOLE, 0, OF_PPO, 0, store(tmp_path), keeps=True)


def test_what_cannot_be_saved_leaves_no_checkpoint(tmp_path):
    cyclic = f"{CARTPOLE}+action.random=0.5@sudden:1:episodes"  # its clock goes on from episode to episode
    for agent, text, config in ((dqn.AGENT, CARTPOLE, OF_DQN), (ppo.AGENT, cyclic, OF_PPO)):
        training = HostedTraining(agent, "it", text, 0, config, 0, store(tmp_path))
        assert training.store is None and not training.play_on(until=0)
        training.close()
    assert list(tmp_path.iterdir()) == []


def test_a_job_that_was_killed_goes_on_from_its_checkpoint(tmp_path, monkeypatch):
    asked = {"steps": 1024, "report_every": 256, "envs": 4, "rollout": 32, "minibatches": 2}
    [job] = jobs_of(train_plan("ppo", CARTPOLE, seeds=1, episodes=2, settings=asked))
    [whole] = execute([job], checkpoints=tmp_path / "whole")
    assert not whole.failed and not (tmp_path / "whole").exists()  # too short to be worth a checkpoint
    make_step, begun_at = HostedTraining.make_step, []

    def die(training):
        if training.step == 600:
            raise KeyboardInterrupt
        make_step(training)

    def begin_again(training):
        begun_at.append(training.step)
        make_step(training)

    monkeypatch.setattr("assay.runs.hosted_training.SAVE_EVERY_S", 0.0)
    monkeypatch.setattr(HostedTraining, "make_step", die)
    with pytest.raises(KeyboardInterrupt):
        list(execute([job], checkpoints=tmp_path / "killed"))
    monkeypatch.setattr(HostedTraining, "make_step", begin_again)
    [again] = execute([job], checkpoints=tmp_path / "killed")
    assert begun_at[0] == 600 and again.episodes == whole.episodes
    assert again.curves.equals(whole.curves) and same(again.weights, whole.weights)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown", "encoder"),
    [("+observation=objects", "nature"), ("", "nature"), ("+observation=class_masks", "impala")],
)
def test_games_in_parts_are_the_same_too(shown, encoder, tmp_path):
    text = f"atari/Pong+preset=paper{shown}"
    config = replace(OF_PPO, steps=512, envs=2, encoder=encoder)
    parts, _ = trained_in_parts(text, config, tmp_path, 2)
    assert same(train_on_hosted(ppo.AGENT, "ppo", text, 0, config, workers=0), parts)
