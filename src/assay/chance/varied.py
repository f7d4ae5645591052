"""A model behind channels: the same world, with its actions or observations passed through chance first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.chance.chances import require_chance
from assay.chance.channel import require_channel
from assay.chance.information import Visits
from assay.chance.model import Model, require_room, require_shape


def behind_channel(model: Model, channel: np.ndarray) -> Model:
    """The model as it is met through a channel of actions: a step of the executed action, in the mean."""
    channel = require_channel(channel)
    require_shape("the channel", channel, (len(channel), model.actions))
    transitions = np.tensordot(channel, model.transitions, axes=1)
    paid = np.tensordot(channel, model.transitions * model.rewards, axes=1)
    return replace(model, transitions=transitions, rewards=mean_reward(paid, transitions))


def behind_sticky(model: Model, chance: float) -> Model:
    """The model with sticky actions: its state also holds the action executed before.

    States are numbered (state, before): `before` is 0 for none yet and counts the actions from 1. `forget`
    takes it out again.
    """
    chance = require_chance(chance, "a sticky action")
    states, actions, kinds = model.states, model.actions, model.actions + 1
    require_room(actions, states * kinds)
    transitions = np.zeros((actions, states, kinds, states, kinds))
    rewards = np.zeros(transitions.shape)
    for chosen in range(actions):
        for before in range(kinds):
            repeated = chance if before else 0.0
            for executed, share in ((chosen, 1 - repeated), (before - 1, repeated)):
                if share:
                    transitions[chosen, :, before, :, executed + 1] += share * model.transitions[executed]
                    rewards[chosen, :, before, :, executed + 1] = model.rewards[executed]
    start = np.zeros((states, kinds))
    start[:, 0] = model.start
    size = states * kinds
    return replace(
        model,
        transitions=transitions.reshape(actions, size, size),
        rewards=rewards.reshape(actions, size, size),
        seen=np.repeat(model.seen, kinds, axis=0),
        start=start.reshape(-1),
        terminal=np.repeat(model.terminal, kinds),
        memories=model.memories * kinds,
    )


def forget(model: Model, visits: Visits) -> tuple[Model, Visits]:
    """The model of the env's own states, and its visits: what the channels remember is averaged over.

    Memories are as likely in a state as they are where it is visited; where it never is, all are alike.
    """
    if model.memories == 1:
        return model, visits
    own, many = model.states // model.memories, model.memories
    joint = visits.joint.reshape(own, many, *visits.joint.shape[1:])
    met = joint.sum(axis=(2, 3))
    shares = np.divide(met, met.sum(axis=1, keepdims=True), out=np.full(met.shape, 1 / many),
                       where=met.sum(axis=1, keepdims=True) > 0)  # fmt: skip
    shape = model.actions, own, many, own, many
    transitions, paid = (
        np.einsum("sm,asmtn->ast", shares, each.reshape(shape))
        for each in (model.transitions, model.transitions * model.rewards)
    )
    alone = replace(
        model,
        transitions=transitions,
        rewards=mean_reward(paid, transitions),
        seen=model.seen[::many],
        start=model.start.reshape(own, many).sum(axis=1),
        terminal=model.terminal[::many],
        memories=1,
    )
    return alone, Visits(joint.sum(axis=1))


def seen_through(model: Model, channel: np.ndarray) -> Model:
    """The model with its observations passed through a channel."""
    channel = require_channel(channel)
    require_shape("the channel", channel, (model.observations, channel.shape[1]))
    return replace(model, seen=model.seen @ channel)


def mean_reward(paid: np.ndarray, transitions: np.ndarray) -> np.ndarray:
    """Rewards by where a step leads, of chances times rewards; 0 where it cannot lead."""
    mean: np.ndarray = np.divide(paid, transitions, out=np.zeros_like(paid), where=transitions > 0)
    return mean
