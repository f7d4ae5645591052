"""Bounds of the optimum over beliefs, for models that are too large for the exact one.

An upper bound is the value of an agent that is told more than it can see; a lower bound is what a policy that
can be followed earns. The optimum lies between, and each number says which of these it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.chance.belief import (
    MOST_WORK,
    belief_optimum,
    blind_optimum,
    blindfold,
    find_seeing_values,
    first_beliefs,
    seeing_optimum,
)
from assay.chance.model import Model, require_horizon
from assay.errors import NotApplicable, WrongLevel

EPISODES = 1000
MEET = 1e-9  # bounds this close are one number
EXACT = "exact, by dynamic programming over beliefs"
ERROR = 0.05  # of a policy's interval, half of it at each end
MOST_BOUND_WORK = 3 * 10**10  # multiplications, about: half a minute
CALL = 10_000  # multiplications that one call of numpy takes the time of
BOUND_MEMORY = 2**27  # numbers of the values by steps left, actions and states


class PlayedValue(NamedTuple):
    """The mean return of a policy over simulated episodes, with a 95% interval.

    Its ends hold for every distribution of returns from the least to the most that the model can pay: a loss
    that is too rare to be drawn is allowed for.
    """

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
    low: float | None  # a policy is known that earns so much, by `how` surely or not; None: none is known
    high: float | None  # no policy earns more; likewise
    how: str


def informed_values(model: Model, most_work: int = MOST_BOUND_WORK) -> np.ndarray:
    """(horizon, A, S): the fast informed bound's values with 1, 2, ... steps left."""
    steps, paid = require_horizon(model), model.expected_rewards
    require_bounds_within(model, most_work)
    values = np.empty((steps, model.actions, model.states))
    led = [split_by_observation(model, runs) for runs in model.continuing]
    future = np.zeros((model.actions, model.states))
    for left in range(steps):
        values[left] = paid + model.discount * future
        future = np.stack([sum_best(each, values[left]) for each in led])
    return values


def require_bounds_within(model: Model, most_work: int, episodes: int = 0) -> None:
    """Refuses bounds that take more than so many multiplications, or more memory than there is."""
    steps, visible = require_horizon(model), np.count_nonzero(model.seen)
    values = model.actions**2 * model.states * visible + model.actions * count_observations(model) * CALL
    work = steps * (values + episodes * model.states**2)
    if steps * model.actions * model.states > BOUND_MEMORY or work > most_work:
        raise NotApplicable(
            f"{model.states} states over {steps} steps take more than {most_work:.0e} multiplications for "
            "bounds; allow more, or shorten the horizon."
        )


def count_observations(model: Model) -> int:
    return int(model.seen.any(axis=0).sum())


def split_by_observation(model: Model, runs: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each observation the states that give it, and the chances (S, n) of coming there and seeing it."""
    places = [(o, np.flatnonzero(model.seen[:, o])) for o in range(model.observations)]
    return [(place, runs[:, place] * model.seen[place, o]) for o, place in places if len(place)]


def sum_best(led: list[tuple[np.ndarray, np.ndarray]], values: np.ndarray) -> np.ndarray:
    """(S,) the sum over observations of the best next action's value, given the state before."""
    total: np.ndarray = np.sum([(chance @ values[:, place].T).max(axis=1) for place, chance in led], axis=0)
    return total


def value_of_beliefs(model: Model, values: np.ndarray) -> float:
    """What the first belief is worth by values (A, S) of actions in known states."""
    start = first_beliefs(model)
    return float(start.chances @ (start.beliefs @ values.T).max(axis=1))


def bound_optimum(
    model: Model, *, rng: np.random.Generator, episodes: int = EPISODES, most_work: int = MOST_BOUND_WORK
) -> Bounds:
    """Upper and lower bounds of the optimum over beliefs."""
    require_bounds_within(model, most_work, episodes)
    informed = informed_values(model)
    return Bounds(
        lower=play_greedily(model, informed, rng=rng, episodes=episodes),
        qmdp=value_of_beliefs(model, find_seeing_values(model)),
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
    return PlayedValue(float(totals.mean()), *interval_of(totals, *possible_returns(model)), episodes)


def interval_of(totals: np.ndarray, least: float, most: float) -> tuple[float, float]:
    """The ends of the mean of returns that lie between the least and the most possible.

    By the empirical Bernstein bound of Maurer and Pontil (2009), which holds for any number of episodes.
    """
    count, doubt = len(totals), np.log(2 / (ERROR / 2))
    reach = totals.std(ddof=1) * np.sqrt(2 * doubt / count) + 7 * (most - least) * doubt / (3 * (count - 1))
    return max(least, float(totals.mean() - reach)), min(most, float(totals.mean() + reach))


def possible_returns(model: Model) -> tuple[float, float]:
    """The least and the most that an episode can pay, whoever acts, where each step pays its mean."""
    paid, least = model.expected_rewards, np.zeros(model.states)
    most = least
    for _ in range(require_horizon(model)):
        least, most = (
            np.where(model.terminal, 0.0, best(paid + model.discount * reach_ahead(model, end, best), axis=0))
            for end, best in ((least, np.min), (most, np.max))
        )
    begins = model.start > 0
    return float(least[begins].min()), float(most[begins].max())


def reach_ahead(model: Model, ends: np.ndarray, best: Callable[..., np.ndarray]) -> np.ndarray:
    """(A, S) the least or the most of the ends (S,) of the states that a step can lead to."""
    worst = np.inf if best is np.min else -np.inf
    return np.stack([best(np.where(leads > 0, ends, worst), axis=1) for leads in model.transitions])


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


@dataclass(frozen=True)
class Effort:
    """How much work an optimum may take."""

    exact: int = MOST_WORK  # numbers of beliefs
    bounds: int = MOST_BOUND_WORK  # multiplications
    episodes: int = EPISODES  # simulated


FULL = Effort()


def best_over_beliefs(model: Model, *, rng: np.random.Generator, effort: Effort = FULL) -> BestReturn:
    """The optimum over beliefs, exact where it is feasible, else between its bounds."""
    if is_seen(model):
        return BestReturn(seeing_optimum(model), None, None, "exact: the observation tells the state")
    try:
        return BestReturn(belief_optimum(model, effort.exact), None, None, EXACT)
    except NotApplicable:
        pass
    try:
        bounds = bound_optimum(model, rng=rng, episodes=effort.episodes, most_work=effort.bounds)
    except NotApplicable as refused:
        return BestReturn(None, None, None, f"not computed: {refused}")
    lower, high = bounds.lower, min(bounds.informed, bounds.qmdp)
    earned = (
        f"what a policy earned in {lower.episodes} episodes (greedy on the fast informed bound; mean "
        f"{lower.value:.2f}, at least {lower.low:.2f} with {1 - ERROR / 2:.1%} confidence)"
    )
    if lower.low > high + MEET * max(1.0, abs(high)):
        return BestReturn(None, None, high, f"at most that bound; {earned} contradicts it by chance")
    return BestReturn(None, min(lower.low, high), high, f"between the low end of {earned} and that bound")


def best_blind(model: Model, *, effort: Effort = FULL) -> BestReturn:
    """The optimum of actions fixed in advance, exact where it is feasible, else between its bounds."""
    try:
        return BestReturn(blind_optimum(model, effort.exact), None, None, EXACT)
    except NotApplicable:
        pass
    try:
        values = informed_values(blindfold(model), effort.bounds)
    except NotApplicable as refused:
        return BestReturn(None, None, None, f"not computed: {refused}")
    lower, upper = try_sequence(model, values), value_of_beliefs(blindfold(model), values[-1])
    if upper - lower <= MEET:
        return BestReturn(lower, None, None, "exact: a sequence of actions reaches the upper bound")
    how = "between a sequence of actions that was tried and a blindfolded agent's fast informed bound"
    return BestReturn(None, lower, upper, how)


def try_sequence(model: Model, values: np.ndarray) -> float:
    """What the sequence earns that is greedy by `values`, (horizon, A, S), exactly."""
    spread, total = model.start, 0.0
    for step in range(require_horizon(model)):
        action = int((values[-1 - step] @ spread).argmax())
        total += model.discount**step * float(spread @ model.expected_rewards[action])
        spread = spread @ model.continuing[action]
    return total


def is_seen(model: Model) -> bool:
    """Whether each observation is of one state alone, so that nothing is hidden."""
    return model.sees_start and bool(((model.seen > 0).sum(axis=0) <= 1).all())
