"""Bounds of the optimum over beliefs, for models that are too large for the exact one.

An upper bound is the value of an agent that is told more than it can see; a lower bound is what a policy that
can be followed earns. The optimum lies between, and each number says which of these it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.chance.belief import (
    MOST_WORK,
    belief_optimum,
    find_seeing_values,
    first_beliefs,
    seeing_optimum,
)
from assay.chance.model import Model, require_horizon
from assay.errors import NotApplicable, WrongLevel

EPISODES = 1000
NORMAL_95 = 1.96
BOUND_MEMORY = 2**27  # numbers of the values by steps left, actions and states


class PlayedValue(NamedTuple):
    """The mean return of a policy over simulated episodes, with a 95% interval."""

    value: float
    low: float
    high: float
    episodes: int


class Bounds(NamedTuple):
    """The optimum over beliefs is at most each of the upper bounds and at least what the policy earns."""

    lower: PlayedValue  # of the policy that is greedy by the fast informed bound's values, simulated
    qmdp: float  # upper: as if the state were known from the second step on
    informed: float  # upper, never above `qmdp`: as if the state before the last step were known


class BestReturn(NamedTuple):
    """An optimum: exactly `value`, or None with what is known in its place; `how` says which it is."""

    value: float | None
    low: float | None  # a policy is known that earns so much
    high: float | None  # no policy earns more
    how: str


def informed_values(model: Model) -> np.ndarray:
    """(horizon, A, S): the fast informed bound's values with 1, 2, ... steps left."""
    steps, runs, paid = require_horizon(model), model.continuing, model.expected_rewards
    values = np.empty((steps, model.actions, model.states))
    # For each action and observation: from s to s', seen as o. The best next action is chosen by s and o.
    led = [[runs[a] * model.seen[:, o] for o in range(model.observations)] for a in range(model.actions)]
    future = np.zeros((model.actions, model.states))
    for left in range(steps):
        values[left] = paid + model.discount * future
        future = np.stack([sum_best(each, values[left]) for each in led])
    return values


def sum_best(led: list[np.ndarray], values: np.ndarray) -> np.ndarray:
    """(S,) the sum over observations of the best next action's value, given the state before."""
    total: np.ndarray = np.sum([(each @ values.T).max(axis=1) for each in led], axis=0)
    return total


def value_of_beliefs(model: Model, values: np.ndarray) -> float:
    """What the first belief is worth by values (A, S) of actions in known states."""
    start = first_beliefs(model)
    return float(start.chances @ (start.beliefs @ values.T).max(axis=1))


def bound_optimum(model: Model, *, rng: np.random.Generator, episodes: int = EPISODES) -> Bounds:
    """Upper and lower bounds of the optimum over beliefs."""
    if require_horizon(model) * model.actions * model.states > BOUND_MEMORY:
        raise NotApplicable(
            f"bounds over {model.horizon} steps of {model.states} states take too much memory; shorten it."
        )
    informed = informed_values(model)
    return Bounds(
        lower=play_greedily(model, informed, rng=rng, episodes=episodes),
        qmdp=value_of_beliefs(model, find_seeing_values(model)[-1]),
        informed=value_of_beliefs(model, informed[-1]),
    )


def play_greedily(
    model: Model, values: np.ndarray, *, rng: np.random.Generator, episodes: int = EPISODES
) -> PlayedValue:
    """Plays the policy that takes the best action by its belief's mean of `values`, (horizon, A, S).

    Chance decides the state, what is seen and what is paid in the mean; the belief is the exact filter's.
    """
    if episodes < 2:
        raise WrongLevel(f"an interval needs at least two episodes, not {episodes}.")
    steps, runs, paid = require_horizon(model), model.continuing, model.expected_rewards
    totals, lanes = np.zeros(episodes), np.arange(episodes)
    states = draw(np.repeat(model.start[None], episodes, axis=0), rng)
    beliefs = np.repeat(model.start[None], episodes, axis=0)
    if model.sees_start:
        beliefs = after_seeing(beliefs, model.seen[:, draw(model.seen[states], rng)].T)
    for step in range(steps):
        if not len(lanes):
            break
        actions = (beliefs @ values[steps - step - 1].T).argmax(axis=1)
        totals[lanes] += model.discount**step * paid[actions, states]
        states = draw(model.transitions[actions, states], rng)
        spread = np.empty_like(beliefs)
        for action in np.unique(actions):
            spread[actions == action] = beliefs[actions == action] @ runs[action]
        seen = draw(model.seen[states], rng)
        goes_on = ~model.terminal[states]
        lanes, states, seen = lanes[goes_on], states[goes_on], seen[goes_on]
        beliefs = after_seeing(spread[goes_on], model.seen[:, seen].T)
    mean, error = float(totals.mean()), float(totals.std(ddof=1) / np.sqrt(episodes))
    return PlayedValue(mean, mean - NORMAL_95 * error, mean + NORMAL_95 * error, episodes)


def after_seeing(spread: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Beliefs (n, S) after an observation that each state gives with the chances `seen`, (n, S)."""
    joint = spread * seen
    beliefs: np.ndarray = joint / joint.sum(axis=1, keepdims=True)
    return beliefs


def draw(chances: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(n,) one draw from each row of chances (n, k)."""
    edges = chances.cumsum(axis=1)
    picks: np.ndarray = (edges < rng.random(len(chances))[:, None] * edges[:, -1:]).sum(axis=1)
    return picks


def best_over_beliefs(
    model: Model, *, rng: np.random.Generator, most_work: int = MOST_WORK, episodes: int = EPISODES
) -> BestReturn:
    """The optimum over beliefs, exact where it is feasible, else between its bounds."""
    if is_seen(model):
        return BestReturn(seeing_optimum(model), None, None, "exact: the observation tells the state")
    try:
        return BestReturn(belief_optimum(model, most_work), None, None, "exact, by dynamic programming")
    except NotApplicable:
        bounds = bound_optimum(model, rng=rng, episodes=episodes)
        how = (
            f"between a policy's mean over {episodes} episodes (95% interval {bounds.lower.low:.2f} to "
            f"{bounds.lower.high:.2f}) and the fast informed bound"
        )
        return BestReturn(None, bounds.lower.low, min(bounds.informed, bounds.qmdp), how)


def is_seen(model: Model) -> bool:
    """Whether each observation is of one state alone, so that nothing is hidden."""
    return model.sees_start and bool(((model.seen > 0).sum(axis=0) <= 1).all())
