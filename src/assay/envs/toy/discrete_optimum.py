"""The best expected return of a toy/discrete MDP, exactly, by backward induction.

The best policy knows everything that matters: the state, the reached states that may begin a rewardable
sequence, the rewards still in the delay line and the time. `find_walk` lists the situations without delay and
time, `unroll` adds the delay line, `induce_backward` goes back from the horizon. A delay line multiplies the
situations, so `optimal_return` leaves it out where it cannot change a decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from assay.envs.toy.discrete_params import DenserMode, Discrete, Gate, NoiseSupport
from assay.envs.toy.discrete_tables import Tables, generate
from assay.envs.toy.setting_types import is_function
from assay.errors import WrongLevel

END = -1  # where a step leads that ends the episode: the last entry of the values, which stays 0


@dataclass(frozen=True)
class Terms:
    """When and how what is earned is paid."""

    horizon: int
    delay: int
    every: int  # at step t the gate is open if t + offset is a multiple of it
    offset: int
    scale: float
    shift: float
    at_end: float

    def is_open(self, time: int | np.ndarray) -> bool | np.ndarray:
        return (time + self.offset) % self.every == 0

    def pay(self, reward: np.ndarray, ends: np.ndarray) -> np.ndarray:
        return (reward + self.at_end * ends) * self.scale + self.shift


@dataclass(frozen=True, eq=False)
class Chances:
    """Where steps land: on the state aimed at, or with chance `noise` on another one of its group.

    The outcomes of a step have two axes (G, C). Without noise these are (A, 1), one landing for each action.
    With noise they are (1, S), each state once for all actions; under a payoff table (A, S), for there the
    reward depends on the action too.
    """

    aims: np.ndarray  # (S, A) the state each action aims at
    landing: np.ndarray  # (S, G, C)
    possible: np.ndarray  # (S, G, C) bool
    noise: float
    group: int  # noise throws within the group of so many states that holds the state aimed at

    @property
    def share(self) -> float:
        """The chance of each other state of the group."""
        return self.noise / (self.group - 1) if self.noise else 0.0

    def expected(self, outcomes: np.ndarray, state: np.ndarray) -> np.ndarray:
        """The mean over noise for each action: outcomes (N, G, C) in the states (N,) -> (N, A)."""
        if not self.noise:
            return outcomes[:, :, 0]
        nodes, choices, states = outcomes.shape
        rows, aims = np.arange(nodes)[:, None], self.aims[state]
        action = np.arange(aims.shape[1]) % choices
        together = outcomes.reshape(nodes, choices, states // self.group, self.group).sum(axis=3)
        hit, thrown = outcomes[rows, action, aims], together[rows, action, aims // self.group]
        return (1 - self.noise - self.share) * hit + self.share * thrown


@dataclass(frozen=True, eq=False)
class Walk:
    """The situations an agent may come into, without delay and time: a state and the sequences it is on."""

    starts: np.ndarray  # (X,) chances
    state: np.ndarray  # (X,)
    after: np.ndarray  # (X, G, C) the situation that follows, or END
    ends: np.ndarray  # (X, G, C) bool, terminated
    ungated: np.ndarray  # (X, G, C) rewards paid whenever they are earned
    gated: np.ndarray  # (X, G, C) rewards that count at an open gate only


@dataclass(frozen=True, eq=False)
class Graph:
    """What induction runs on; a node is a situation, under a delay with the gate's phase and the queue."""

    starts: np.ndarray  # (N,) chances
    state: np.ndarray  # (N,)
    after: np.ndarray  # (N, G, C) the node that follows, or END
    # By time % every: the nodes there may be at that time, and what a step from them pays, (n, G, C).
    phases: list[tuple[slice, np.ndarray]]


def find_optimum(settings: Discrete, others: Mapping[str, Any]) -> tuple[float | None, str]:
    """The optimum of a task by its settings and the levels of its variations, and how it was found."""
    outside = [name for name in ("hidden_mode", "state_jump") if others.get(name)]
    if outside:
        return None, f"{outside[0]} is not part of the computation"
    if is_function(settings.reward_function) or others.get("reward_noise_function"):
        return None, "what a function of your own pays is not part of the computation"
    paid = ("transition_noise", "delay", "reward_scale", "reward_shift", "term_state_reward")
    value = optimal_return(
        generate(settings),
        horizon=others.get("horizon", settings.horizon),
        noise_support=settings.noise_support,
        reward_every_n_steps=others.get("reward_every_n_steps", settings.reward_every_n_steps),
        gate=settings.gate,
        make_denser=settings.make_denser_mode if settings.make_denser else None,
        flush_on_end=settings.flush_on_end,
        **{name: others[name] for name in paid if name in others},
    )
    method = "backward induction on the generated MDP, by a policy that knows everything"
    return value, method if value is not None else "optimum unknown: more than a million situations"


def optimal_return(
    tables: Tables,
    *,
    horizon: int,
    transition_noise: float = 0.0,
    noise_support: NoiseSupport = "any",
    delay: int = 0,
    reward_every_n_steps: int | None = None,
    gate: Gate = "completion",
    make_denser: DenserMode | None = None,
    flush_on_end: bool = False,
    reward_scale: float = 1.0,
    reward_shift: float = 0.0,
    term_state_reward: float = 0.0,
    limit: int = 10**6,
) -> float | None:
    """The expected undiscounted return of the best policy, or None where finding it takes over `limit` nodes.

    Reward noise has mean 0, so it does not matter here. Without `reward_every_n_steps` the gate opens every
    `sequence_length` steps.
    """
    if horizon < 1 or delay < 0 or not 0 <= transition_noise <= 1:
        raise WrongLevel(
            f"an optimum needs a horizon from 1 up, a delay from 0 up and a transition_noise from 0 to 1, "
            f"not {horizon}, {delay} and {transition_noise}."
        )
    terms = Terms(
        horizon=horizon,
        delay=0 if flush_on_end else delay,  # all is paid in the end, and when does not change the sum
        every=reward_every_n_steps or tables.sequence_length,
        offset=delay if gate == "handout" else 0,
        scale=reward_scale,
        shift=reward_shift,
        at_end=term_state_reward,
    )
    chances = find_chances(tables, transition_noise, noise_support)
    limit = limit * 32 // max(chances.landing[0].size, 32)  # nodes with many outcomes take more memory each
    walk = find_walk(tables, chances, make_denser, limit)
    if walk is None:
        return None
    if terms.every > horizon + terms.offset:  # the gate never opens
        walk, terms = replace(walk, gated=np.zeros_like(walk.gated)), replace(terms, every=1)
    if not terms.delay:
        return solve(walk, chances, terms, limit)

    # What the ending step earns is lost, and so is everything if it is due after the horizon.
    lost = walk.ends | (delay >= horizon)
    walk = replace(walk, ungated=np.where(lost, 0.0, walk.ungated), gated=np.where(lost, 0.0, walk.gated))
    if delay >= horizon:
        return solve(walk, chances, replace(terms, delay=0), limit)
    risk = find_steady_risk(tables, walk, chances, terms)
    if risk is None:
        return solve(walk, chances, terms, limit)
    return solve_at_steady_risk(walk, chances, terms, risk)


def solve(walk: Walk, chances: Chances, terms: Terms, limit: int) -> float | None:
    """The optimum with the whole delay line carried along."""
    graph = unroll(walk, terms, limit) if terms.delay else ignore_delay(walk, terms)
    return None if graph is None else induce_backward(graph, chances, terms)


def solve_at_steady_risk(walk: Walk, chances: Chances, terms: Terms, risk: float) -> float:
    """The optimum under a delay where a step ends the episode with chance `risk` whatever a good policy does.

    What is earned is then paid if the episode outlasts the steps before payment (at the step of payment
    itself it may end), and no decision changes that chance.
    """
    lasts, steps = 1 - risk, terms.horizon
    earning = replace(
        terms,
        horizon=steps - terms.delay,
        delay=0,
        scale=terms.scale * lasts ** (terms.delay - 1),
        shift=0.0,
        at_end=0.0,
    )
    earned = induce_backward(ignore_delay(walk, earning), chances, earning)
    shifts = terms.shift * np.sum(lasts ** np.arange(steps))
    return float(earned + shifts + terms.scale * terms.at_end * (1 - lasts**steps))


def find_steady_risk(tables: Tables, walk: Walk, chances: Chances, terms: Terms) -> float | None:
    """The chance that a step ends the episode, if it is the same whatever a good policy does; else None."""
    if not walk.ends.any():
        return 0.0
    states = np.unique(walk.state)
    aims = chances.aims[states]
    aims_at_end = tables.terminals[aims]
    if min(walk.ungated.min(), walk.gated.min(), terms.scale, terms.shift, -terms.at_end) < 0:
        return None  # ending may pay
    if aims_at_end.all(axis=1).any():
        return None  # ending cannot be avoided, so it matters when it comes
    if not chances.noise:
        return 0.0
    # Two actions differ only by what the states aimed at are worth, and a terminal one is worth least. Not so
    # if noise makes the state aimed at the least likely or throws elsewhere, or if the action itself is paid.
    groups = aims // chances.group
    if tables.payoff is not None or 1 - chances.noise < chances.share or (groups != groups[:, :1]).any():
        return None
    endings = tables.terminals.reshape(-1, chances.group).sum(axis=1)[groups]
    risks = chances.share * endings[~aims_at_end]
    return float(risks[0]) if np.ptp(risks) < 1e-12 else None


def find_chances(tables: Tables, noise: float, support: str) -> Chances:
    aims, states = tables.transitions, tables.states
    group = tables.set_size if support == "next_set" else states
    if noise == 0 or group == 1:  # alone in its group, a state has no other to be thrown to
        landing = aims[:, :, None]
        return Chances(aims, landing, np.ones(landing.shape, bool), 0.0, group)
    shape = (states, 1 if tables.payoff is None else aims.shape[1], states)
    groups = np.zeros((states, states // group), bool)  # those that a step from each state may land in
    groups[np.arange(states)[:, None], aims // group] = True
    possible = np.broadcast_to(np.repeat(groups, group, axis=1)[:, None, :], shape)
    return Chances(aims, np.broadcast_to(np.arange(states), shape), possible, noise, group)


def find_walk(tables: Tables, chances: Chances, make_denser: str | None, limit: int) -> Walk | None:
    """All situations that can come up, or None beyond `limit`.

    A situation is coded state * room + trail; the trail is the longest run of states just reached that begins
    a rewardable sequence, in the digits of `code_of`. Nothing else of the past can change a later reward.
    """
    base, length = tables.states + 1, tables.sequence_length if tables.payoff is None else 1
    room = base ** (length - 1)
    codes = tables.codes.astype(np.int64)
    prefixes = [np.unique(codes // base ** (length - size)) for size in range(1, length)]

    def step(situations: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        state, trail = np.divmod(situations, room)
        landing = chances.landing[state].astype(np.int64)
        reached = trail[:, None, None] * base + landing + 1
        kept = np.zeros_like(reached)
        for size, known in enumerate(prefixes, 1):
            suffix = reached % base**size
            kept = np.where(np.isin(suffix, known), suffix, kept)
        goes_on = chances.possible[state] & ~tables.terminals[landing]
        return landing, reached, np.where(goes_on, landing * room + kept, END)

    seeds = np.flatnonzero(tables.starts) * room
    situations = closure(seeds, lambda fresh: step(fresh)[2], limit)
    if situations is None:
        return None
    state = situations // room
    landing, reached, after = step(situations)
    if tables.payoff is None:
        gated = look_up(reached, codes, tables.values)
    else:
        gated = np.broadcast_to(tables.payoff[state][:, :, None].astype(np.float64), reached.shape)
    ungated = np.zeros(reached.shape)
    if make_denser:
        for size, known in enumerate(prefixes, 1):
            # Of being on it: each length counts once, or each sequence its value.
            worth: np.ndarray = np.ones(len(known))
            if make_denser == "per_sequence":
                worth = np.bincount(np.searchsorted(known, codes // base ** (length - size)), tables.values)
            ungated += size / length * look_up(reached % base**size, known, worth)
    return Walk(
        starts=place_amounts(seeds, situations, tables.starts[seeds // room]),
        state=state,
        after=number_codes(after, situations),
        ends=chances.possible[state] & tables.terminals[landing],
        ungated=ungated,
        gated=gated,
    )


def ignore_delay(walk: Walk, terms: Terms) -> Graph:
    shut = terms.pay(walk.ungated, walk.ends)
    opened = terms.pay(walk.ungated + walk.gated, walk.ends)
    nodes = slice(0, len(walk.state))
    phases = [(nodes, opened if terms.is_open(time + 1) else shut) for time in range(terms.every)]
    return Graph(walk.starts, walk.state, walk.after, phases)


def unroll(walk: Walk, terms: Terms, limit: int) -> Graph | None:
    """The walk with the gate's phase (steps taken, modulo `every`) and the last `delay` rewards, or None.

    A node is coded (phase * X + situation) * room + queue; the queue's digits number the amounts that occur,
    the oldest first.
    """
    earned = np.stack([walk.ungated, walk.ungated + walk.gated])
    amounts = np.unique(np.append(earned, 0.0))
    kinds, nothing, count = len(amounts), int(np.searchsorted(amounts, 0.0)), len(walk.state)
    # Amounts are numbered from 0.0 on and round again, so that a queue of nothing is the number 0.
    entries = (np.searchsorted(amounts, earned) - nothing) % kinds
    amounts = np.roll(amounts, -nothing)
    room = kinds**terms.delay
    if room * kinds * terms.every * count >= 2**62:
        return None

    def step(nodes: np.ndarray) -> np.ndarray:
        rest, queue = np.divmod(nodes, room)
        phase, situation = np.divmod(rest, count)
        entry = entries[np.asarray(terms.is_open(phase + 1)).astype(np.int64), situation]
        queued = (queue[:, None, None] * kinds + entry) % room
        after, phase = walk.after[situation], (phase + 1) % terms.every
        return np.where(after == END, END, (phase[:, None, None] * count + after) * room + queued)

    seeds = np.flatnonzero(walk.starts) * room
    nodes = closure(seeds, step, limit)
    if nodes is None:
        return None
    situation, queue = nodes // room % count, nodes % room
    due = amounts[queue // (room // kinds)]
    paid = terms.pay(due[:, None, None], walk.ends[situation])
    edges = np.searchsorted(nodes, np.arange(terms.every + 1) * count * room)
    return Graph(
        starts=place_amounts(seeds, nodes, walk.starts[seeds // room]),
        state=walk.state[situation],
        after=number_codes(step(nodes), nodes),
        phases=[(slice(first, last), paid[first:last]) for first, last in pairwise(edges)],
    )


def induce_backward(graph: Graph, chances: Chances, terms: Terms) -> float:
    """The best expected return, from the last step to the first."""
    worth = np.zeros(len(graph.state) + 1)  # of each node at the time reached, and of END
    for time in range(terms.horizon - 1, -1, -1):
        nodes, paid = graph.phases[time % terms.every]
        outcomes = paid + worth[graph.after[nodes]]
        worth[nodes] = chances.expected(outcomes, graph.state[nodes]).max(axis=1)
    return float(graph.starts @ worth[:-1])


def closure(seeds: np.ndarray, step: Callable, limit: int) -> np.ndarray | None:
    """All codes that `step` leads to from the seeds, ascending, or None beyond `limit`; END is no code."""
    known = fresh = np.unique(seeds)
    while len(fresh):
        if len(known) > limit:
            return None
        reached = np.unique(step(fresh))
        fresh = np.setdiff1d(reached[reached != END], known, assume_unique=True)
        known = np.union1d(known, fresh)
    return known


def number_codes(codes: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The places of codes among the known ones; END stays END."""
    return np.where(codes == END, END, np.searchsorted(known, codes)).astype(np.int32)


def place_amounts(codes: np.ndarray, known: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """An array as long as `known`, zero but for the amounts of these codes."""
    spread = np.zeros(len(known))
    spread[np.searchsorted(known, codes)] = amounts
    return spread


def look_up(asked: np.ndarray, known: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """The amount of each asked code, 0 for codes that are not known."""
    if not len(known):
        return np.zeros(asked.shape)
    position = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return np.where(known[position] == asked, amounts[position], 0.0).astype(np.float64)
