"""Writes a pupil of `hackatari_teach.py` as a checkpoint of Stable-Baselines3: its PPO has the same network.

    .venv/bin/python benchmarks/hackatari_as_sb3.py pong-taught-0 runs/pong_taught.zip
    assay examine sb3:runs/pong_taught.zip atari/Pong+preset=paper+action.random=0.001

It checks that both choose the same in states of play, and needs torch and Stable-Baselines3.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import jax
import numpy as np
import torch
from hackatari_teach import LESSONS, chances_and_values
from hackatari_train import HERE
from stable_baselines3 import PPO

import assay
from assay.agents.policy_network import Policy
from assay.agents.ppo_shipped import policy_of
from assay.runs.hosted_training import spaces_of
from assay.tasks import resolve

STATES = 256
MOST_APART = 1e-4  # of chances, which are sums in another order


def as_model(policy: Policy, task: str) -> PPO:
    """The model of Stable-Baselines3 with these weights."""
    env = assay.make(task)
    model = PPO("CnnPolicy", env, n_steps=8, batch_size=8, device="cpu")
    env.close()
    theirs, seen = model.policy, model.policy.features_extractor
    with torch.no_grad():
        kernels = [layer for layer in seen.cnn if isinstance(layer, torch.nn.Conv2d)]
        for layer, ours in zip(kernels, policy.encoder):
            layer.weight.copy_(torch.from_numpy(np.transpose(ours.weights, (3, 2, 0, 1)).copy()))
            layer.bias.copy_(torch.from_numpy(ours.bias))
        full, side = policy.encoder[-1], 7
        by_channel = full.weights.reshape(side, side, -1, full.weights.shape[1]).transpose(2, 0, 1, 3)
        pairs = ((seen.linear[0], by_channel.reshape(full.weights.shape), full.bias),
                 (theirs.action_net, *policy.actor), (theirs.value_net, *policy.critic))  # fmt: skip
        for layer, weights, bias in pairs:
            layer.weight.copy_(torch.from_numpy(weights.T.copy()))
            layer.bias.copy_(torch.from_numpy(bias))
    return model


def states_of(task: str) -> np.ndarray:
    """Pictures of random play, (STATES, ...)."""
    env, draws, seen = assay.make(task), np.random.default_rng(0), []
    observation, _ = env.reset(seed=0)
    while len(seen) < STATES:
        seen.append(observation)
        observation, _, terminated, truncated, _ = env.step(int(draws.integers(env.action_space.n)))
        if terminated or truncated:
            observation, _ = env.reset()
    env.close()
    return np.stack(seen)


def largest_difference(model: PPO, policy: Policy, task: str) -> float:
    """Of the chances of all actions, in states of play."""
    pictures = states_of(task)
    ours, _ = chances_and_values(spaces_of(resolve(task))["observation"], policy, pictures)
    with torch.no_grad():
        rows = torch.from_numpy(pictures.transpose(0, 3, 1, 2).copy())
        theirs = model.policy.get_distribution(rows).distribution.probs.numpy()
    return float(np.abs(np.asarray(jax.device_get(ours)) - theirs).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("pupil", help="such as pong-taught-0")
    parser.add_argument("zip", type=Path)
    asked = parser.parse_args()
    task = LESSONS[asked.pupil.rpartition("-")[0]].task
    with np.load(HERE / "hackatari" / f"{asked.pupil}.npz") as file:
        policy = policy_of({name: file[name] for name in file.files})
    model = as_model(policy, task)
    apart = largest_difference(model, policy, task)
    if apart > MOST_APART:
        raise SystemExit(f"the two differ by {apart} in the chance of an action")
    asked.zip.parent.mkdir(parents=True, exist_ok=True)
    model.save(asked.zip)
    print(f"{asked.zip}: chances differ by {apart:.1e} at most")


if __name__ == "__main__":
    main()
