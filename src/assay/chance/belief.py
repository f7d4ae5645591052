"""What can be known and earned behind a veil: the exact belief filter and the optimum over beliefs.

A belief is a distribution over the states of a running episode. Three optima are told apart: the `seeing`
agent knows the state, the agent over `beliefs` knows all it has seen and done, the `blind` agent only what it
has done. All know the time and whether the episode goes on. Optima are exact up to a stated amount of work.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from assay.chance.chances import require_chances
from assay.chance.model import Model, require_horizon, require_shape
from assay.errors import NotApplicable, WrongLevel

MOST_WORK = 2 * 10**7  # numbers to touch: beliefs x actions x states x observations
STEPS_PER_WORK = 50  # steps along an edge that take as long as expanding a number
DIGITS = 11  # beliefs that agree to so many decimals are one; rounding moves a value by less than 1e-8


class Sight(NamedTuple):
    """What an agent learns of its first state: the chance of each observation, and the belief after it."""

    chances: np.ndarray  # (n,)
    beliefs: np.ndarray  # (n, S)


def first_beliefs(model: Model) -> Sight:
    """The beliefs with which an episode may begin."""
    if not model.sees_start:
        return Sight(np.ones(1), model.start[None])
    return split_by_sight(model.start[None], model.seen)


def split_by_sight(spread: np.ndarray, seen: np.ndarray) -> Sight:
    """The beliefs after seeing, of unnormalised chances of states (1, S)."""
    joint = (spread[0][:, None] * seen).T  # (O, S)
    chances = joint.sum(axis=1)
    possible = chances > 0
    return Sight(chances[possible], joint[possible] / chances[possible, None])


def update_belief(model: Model, belief: np.ndarray, action: int, seen: int) -> np.ndarray:
    """b'(s') in proportion to O(o|s') times the sum over s of P(s'|s,a) b(s), of an episode that goes on."""
    belief = require_chances(belief, "a belief")
    require_shape("a belief", belief, (model.states,))
    if not 0 <= action < model.actions or not 0 <= seen < model.observations:
        raise WrongLevel(
            f"the model has actions 0 to {model.actions - 1} and observations 0 to {model.observations - 1}, "
            f"not {action} and {seen}."
        )
    after = (belief @ model.continuing[action]) * model.seen[:, seen]
    if after.sum() <= 0:
        raise WrongLevel(
            f"after action {action} this belief excludes observation {seen} in an episode that goes on; "
            "check the model against the task."
        )
    normalised: np.ndarray = after / after.sum()
    return normalised


def filter_beliefs(model: Model, actions: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """(steps + 1, S) the beliefs along a history; `seen` begins with the first state's where it is seen."""
    if len(seen) != len(actions) + model.sees_start:
        raise WrongLevel(
            f"a history of {len(actions)} actions has {len(actions) + model.sees_start} observations, "
            f"not {len(seen)}."
        )
    belief = model.start
    if model.sees_start:
        belief = belief * model.seen[:, seen[0]]
        if belief.sum() <= 0:
            raise WrongLevel(f"no episode begins with observation {seen[0]}; check the history.")
        belief = belief / belief.sum()
    beliefs = [belief]
    for action, observation in zip(actions, seen[int(model.sees_start) :], strict=True):
        beliefs.append(update_belief(model, beliefs[-1], int(action), int(observation)))
    return np.stack(beliefs)


@dataclass(frozen=True, eq=False)
class BeliefGraph:
    """All beliefs that may be met before the horizon, and the edges between them."""

    depth: np.ndarray  # (N,) the earliest step at which each may be met
    paid: np.ndarray  # (N, A) what each action pays in the mean
    edge_from: np.ndarray  # (E,) node * A + action
    edge_to: np.ndarray  # (E,)
    edge_chance: np.ndarray  # (E,) of going on and of seeing what leads there
    first: np.ndarray  # (n,) the nodes in which an episode may begin
    first_chance: np.ndarray  # (n,)


def seeing_optimum(model: Model) -> float:
    """The best expected return of an agent that knows the state."""
    return float(model.start @ find_seeing_values(model).max(axis=0))


def find_seeing_values(model: Model) -> np.ndarray:
    """(A, S): what a first action is worth to one who knows the state from then on."""
    worth, runs, paid = np.zeros(model.states), model.continuing, model.expected_rewards
    values = paid
    for _ in range(require_horizon(model)):
        values = paid + model.discount * (runs @ worth)
        worth = values.max(axis=0)
    return values


def belief_optimum(model: Model, most_work: int = MOST_WORK) -> float:
    """The best expected return of an agent with memory, exactly, by dynamic programming over its beliefs.

    Every belief that can be met before the horizon is a node. Where that takes more than `most_work` it is
    refused; `bounds.bound_optimum` then says between which numbers the optimum lies.
    """
    graph = expand_beliefs(model, most_work)
    if len(graph.edge_to) * require_horizon(model) > STEPS_PER_WORK * most_work:
        raise NotApplicable(
            f"{len(graph.paid)} beliefs over {model.horizon} steps are too many for an exact optimum; "
            "ask for its bounds."
        )
    return solve_graph(graph, require_horizon(model), model.discount)


def blind_optimum(model: Model, most_work: int = MOST_WORK) -> float:
    """The best expected return of a sequence of actions fixed in advance, exactly; refused as above."""
    return belief_optimum(blindfold(model), most_work)


def blindfold(model: Model) -> Model:
    """The model with nothing to see: every state looks the same."""
    return replace(model, seen=np.ones((model.states, 1)))


def solve_graph(graph: BeliefGraph, steps: int, discount: float) -> float:
    """Backward induction: in round k the nodes that can be met with k steps left get their value."""
    nodes, actions = graph.paid.shape
    worth = np.zeros(nodes)
    for left in range(1, steps + 1):
        future = np.bincount(
            graph.edge_from, graph.edge_chance * worth[graph.edge_to], minlength=nodes * actions
        )
        values = (graph.paid + discount * future.reshape(nodes, actions)).max(axis=1)
        worth = np.where(graph.depth <= steps - left, values, 0.0)
    return float(graph.first_chance @ worth[graph.first])


def expand_beliefs(model: Model, most_work: int = MOST_WORK) -> BeliefGraph:
    """The graph of beliefs, layer by layer; a belief met again is the same node."""
    steps, actions = require_horizon(model), model.actions
    known: dict[bytes, int] = {}
    start = first_beliefs(model)
    first = number_beliefs(start.beliefs, known)
    layer, depth, paid = unique_beliefs(start.beliefs, first, 0), [], []
    edges: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    work, numbered = 0, 0
    for step in range(steps):
        if not len(layer):
            break
        work += len(layer) * actions * model.states * model.observations
        if work > most_work:
            raise NotApplicable(
                f"the beliefs of {model.states} states over {steps} steps are too many for an exact optimum "
                f"(more than {most_work} numbers by step {step + 1}); ask for its bounds."
            )
        depth.append(np.full(len(layer), step))
        paid.append(layer @ model.expected_rewards.T)
        # Beliefs met at the horizon lead nowhere: the episode is over there.
        sources, fresh = step_beliefs(model, layer, numbered) if step + 1 < steps else (None, None)
        numbered += len(layer)
        if sources is None or fresh is None:
            break
        targets = number_beliefs(fresh.beliefs, known)
        edges.append((sources, targets, fresh.chances))
        layer = unique_beliefs(fresh.beliefs, targets, numbered)
    edges.append((np.zeros(0, int), np.zeros(0, int), np.zeros(0)))  # an episode of one step has no edges
    edge_from, edge_to, edge_chance = (np.concatenate(part) for part in zip(*edges))
    return BeliefGraph(
        np.concatenate(depth), np.concatenate(paid), edge_from, edge_to, edge_chance, first, start.chances
    )


def step_beliefs(model: Model, layer: np.ndarray, numbered: int) -> tuple[np.ndarray, Sight]:
    """Where a layer of beliefs (n, S) leads: for each node and action, the beliefs after what may be seen."""
    after = np.einsum("ns,ast->nat", layer, model.continuing)
    sources, chances, beliefs = [], [], []
    pairs = after.reshape(-1, model.states)
    # Observation by observation: all at once would take beliefs x actions x observations x states of memory.
    for observation in range(model.observations):
        visible = np.flatnonzero(model.seen[:, observation])
        joint = pairs[:, visible] * model.seen[visible, observation]
        chance = joint.sum(axis=1)
        possible = np.flatnonzero(chance > 0)
        spread = np.zeros((len(possible), model.states))
        spread[:, visible] = joint[possible] / chance[possible, None]
        sources.append(possible + numbered * model.actions)
        chances.append(chance[possible])
        beliefs.append(spread)
    return np.concatenate(sources), Sight(np.concatenate(chances), np.concatenate(beliefs))


def number_beliefs(beliefs: np.ndarray, known: dict[bytes, int]) -> np.ndarray:
    """The node of each belief; beliefs not met before get the next numbers."""
    # + 0.0 turns -0.0 into 0.0, which has other bytes.
    rounded = np.round(beliefs, DIGITS) + 0.0
    return np.array([known.setdefault(row.tobytes(), len(known)) for row in rounded], int)


def unique_beliefs(beliefs: np.ndarray, numbers: np.ndarray, numbered: int) -> np.ndarray:
    """(n, S) the beliefs with numbers from `numbered` on, each once, in their order."""
    values, first = np.unique(numbers, return_index=True)
    return beliefs[first[values >= numbered]]
