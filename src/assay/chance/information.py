"""How much is left to chance and how much is hidden, exactly, in a `Model` under a policy.

A policy plays episode after episode. `visit_by_observation` and `visit_by_state` say how often each state,
observation and action come together; the measures are sums over that. All information is in bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.chance.chances import entropy, require_chances, times_log2
from assay.chance.model import Model, require_shape
from assay.errors import NotApplicable, WrongLevel


class Visits(NamedTuple):
    """How often a policy is where: (S, O, A) chances of a state, what is seen of it, and the action there.

    Only states from which a step is made count: a terminal state is no place to act.
    """

    joint: np.ndarray

    @property
    def states(self) -> np.ndarray:
        """(S,)"""
        states: np.ndarray = self.joint.sum(axis=(1, 2))
        return states

    @property
    def choices(self) -> np.ndarray:
        """(S, A)"""
        choices: np.ndarray = self.joint.sum(axis=1)
        return choices

    @property
    def sights(self) -> np.ndarray:
        """(S, O)"""
        sights: np.ndarray = self.joint.sum(axis=2)
        return sights


class VarianceSplit(NamedTuple):
    """The variance of a feature of the next state, for an agent that knows what it sees and does.

    `chance` would remain if it knew the state; `aliasing` is there because it does not.
    """

    chance: float
    aliasing: float

    @property
    def total(self) -> float:
        return self.chance + self.aliasing


class Drift(NamedTuple):
    """How far two concepts are apart, as the mean over states and actions of distances between outcomes."""

    total_variation: float  # from 0 to 1
    kl: float  # bits, of the first concept's outcomes under the second; infinite where it excludes some
    js: float  # bits, Jensen and Shannon's, from 0 to 1
    excluded: float  # share of the weight at which `kl` is infinite


def choose_uniformly(model: Model) -> np.ndarray:
    """(O, A) the policy that ignores what it sees."""
    return np.full((model.observations, model.actions), 1 / model.actions)


def visit_by_observation(model: Model, policy: np.ndarray) -> Visits:
    """Visits of a policy that acts on what it sees now; `policy` is (O, A) chances."""
    policy = require_chances(policy, "the policy")
    require_shape("the policy", policy, (model.observations, model.actions))
    states = find_occupancy(model, model.seen @ policy)
    return Visits(states[:, None, None] * model.seen[:, :, None] * policy[None])


def visit_by_state(model: Model, policy: np.ndarray) -> Visits:
    """Visits of a policy that acts on the state itself; `policy` is (S, A) chances."""
    policy = require_chances(policy, "the policy")
    require_shape("the policy", policy, (model.states, model.actions))
    states = find_occupancy(model, policy)
    return Visits(states[:, None, None] * model.seen[:, :, None] * policy[:, None, :])


def find_occupancy(model: Model, policy: np.ndarray) -> np.ndarray:
    """(S,) the share of steps made from each state; `policy` is (S, A).

    With a horizon: the average over the steps of an episode. Without one: the stationary distribution of
    episodes that follow each other.
    """
    chain = np.einsum("sa,ast->st", policy, model.transitions)
    if model.horizon is None:
        return find_stationary(model, chain)
    running, total = model.start.copy(), np.zeros(model.states)
    for _ in range(model.horizon):
        total += running
        running = (running @ chain) * ~model.terminal
    shares: np.ndarray = total / total.sum()
    return shares


def find_stationary(model: Model, chain: np.ndarray) -> np.ndarray:
    """The stationary distribution of steps, where each episode that ends is followed by the next."""
    acting = ~model.terminal
    steps = chain * acting + (chain @ model.terminal)[:, None] * model.start
    steps = steps[np.ix_(acting, acting)]
    equations = np.vstack([steps.T - np.eye(len(steps)), np.ones(len(steps))])
    if np.linalg.matrix_rank(equations) < len(steps):
        raise NotApplicable(
            "this policy has more than one stationary distribution, since it cannot reach every state from "
            "every other; give the model a horizon."
        )
    solution = np.linalg.lstsq(equations, np.append(np.zeros(len(steps)), 1.0), rcond=None)[0]
    states = np.zeros(model.states)
    states[acting] = np.maximum(solution, 0.0)
    shares: np.ndarray = states / states.sum()
    return shares


def next_state_entropy(model: Model, visits: Visits) -> float:
    """H(S'|S,A): what remains unknown of the next state to one who knows state and action."""
    return float(np.sum(visits.choices.T * entropy(model.transitions, axis=2)))


def predictive_information(model: Model, visits: Visits) -> float:
    """I((S,A);S'): what state and action tell of the next state."""
    after = np.einsum("sa,ast->t", visits.choices, model.transitions)
    return max(float(entropy(after)) - next_state_entropy(model, visits), 0.0)


def state_entropy(visits: Visits) -> float:
    """H(S): what one who sees nothing does not know."""
    return float(entropy(visits.states))


def hidden_entropy(visits: Visits) -> float:
    """H(S|O): what remains unknown of the state to one who sees the observation of it."""
    return float(max(entropy(visits.sights) - entropy(visits.sights.sum(axis=0)), 0.0))


def share_seen(visits: Visits) -> float:
    """I(S;O)/H(S): the share of the state's information that its observation holds; 1 if there is none."""
    whole = state_entropy(visits)
    return 1.0 if whole == 0 else 1 - hidden_entropy(visits) / whole


def aliased_share(visits: Visits) -> float:
    """How often what is seen could also have been seen in another state that is visited."""
    sights = visits.sights
    shared = (sights > 0).sum(axis=0) > 1
    return float(sights[:, shared].sum())


def split_variance(model: Model, visits: Visits, feature: np.ndarray) -> VarianceSplit:
    """Var[f(S')|O,A] = E[Var(f(S')|S,A)] + E[Var(E[f(S')|S,A]|O,A)]; `feature` is (S,) numbers."""
    feature = np.asarray(feature, float)
    require_shape("the feature", feature, (model.states,))
    if not np.isfinite(feature).all():
        raise WrongLevel("a feature must be a finite number in every state; give one.")
    feature = feature - feature.mean()  # keeps the squares small, and their differences exact
    mean = model.transitions @ feature  # (A, S)
    within = np.maximum(model.transitions @ feature**2 - mean**2, 0.0)
    weight = visits.joint.sum(axis=0)  # (O, A)
    guess = np.einsum("soa,as->oa", visits.joint, mean)
    guess = np.divide(guess, weight, out=np.zeros_like(guess), where=weight > 0)
    between = np.einsum("soa,soa->", visits.joint, (mean.T[:, None, :] - guess[None]) ** 2)
    return VarianceSplit(float(np.sum(visits.choices.T * within)), float(between))


def drift(before: np.ndarray, after: np.ndarray, weights: np.ndarray) -> Drift:
    """The magnitude of the drift between two concepts' transitions, (A, S, S), weighted by (S, A) chances."""
    before, after = require_chances(before, "the transitions"), require_chances(after, "the transitions")
    require_shape("the second concept", after, before.shape)
    weights = np.asarray(weights, float)
    require_shape("the weights", weights, (before.shape[1], before.shape[0]))
    require_chances(weights.reshape(-1), "the weights of states and actions")
    middle, weight = (before + after) / 2, weights.T  # (A, S)
    variation = np.abs(before - after).sum(axis=2) / 2
    divergence = find_kl(before, after)
    both = (find_kl(before, middle) + find_kl(after, middle)) / 2
    excluded = float(weight[np.isinf(divergence)].sum())
    mean_kl = np.inf if excluded else float(np.sum(weight * np.where(np.isinf(divergence), 0.0, divergence)))
    return Drift(float(np.sum(weight * variation)), mean_kl, float(np.sum(weight * both)), excluded)


def find_kl(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Kullback and Leibler's divergence along the last axis, in bits; infinite where `other` is 0."""
    divergence: np.ndarray = np.maximum((times_log2(one, one) - times_log2(one, other)).sum(axis=-1), 0.0)
    return divergence
