"""Generates the MDP of toy/discrete: its transition table, terminal states, starts and rewardable sequences.

Every draw comes from a stream of its own, named by purpose and by state or set: changing one setting leaves
the draws of the others as they were, and a denser reward keeps the sequences of a sparser one. No jax here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.core.streams import generator
from assay.envs.toy.discrete_params import Discrete
from assay.envs.toy.own_functions import load_function, tabulate
from assay.envs.toy.setting_types import is_function
from assay.errors import NotApplicable, WrongLevel

DEFAULTS = Discrete()
MOST_ENTRIES = 2**24  # of the transition table: 4,096 states with as many actions
MOST_SEQUENCES = 2**25  # per starting set: a permutation of them all is drawn, about 250 MB at this size
ROUNDING = 1e-9  # 0.1 * 30 is 3, though not in floating point


@dataclass(frozen=True, eq=False)
class Tables:
    """A generated MDP. S states in `sets` sets of `set_size`, A actions, K rewardable sequences."""

    transitions: np.ndarray  # (S, A) int32, the state after
    terminals: np.ndarray  # (S,) bool
    starts: np.ndarray  # (S,) float64, chances
    codes: np.ndarray  # (K,) int32, the rewardable sequences, ascending
    values: np.ndarray  # (K,) float32, what each pays
    payoff: np.ndarray | None  # (S, A) float32, rewards by state and action; then no sequence is rewardable
    irrelevant: np.ndarray | None  # (B * sets, B) int32, the table of the irrelevant part
    sequence_length: int
    set_size: int
    sets: int

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.terminals)

    @property
    def sequences(self) -> dict[tuple[int, ...], float]:
        """The rewardable sequences, oldest state first, and what each pays."""
        powers = place_values(self.states, self.sequence_length)
        digits = self.codes[:, None] // powers % (self.states + 1)
        return dict(zip(map(tuple, (digits - 1).tolist()), self.values.tolist(), strict=True))


class Shape(NamedTuple):
    """The sizes that the settings ask for."""

    actions: int
    set_size: int
    sets: int
    beside: int  # actions of the irrelevant part

    @property
    def states(self) -> int:
        return self.set_size * self.sets


def generate(settings: Discrete) -> Tables:
    """The MDP of these settings; settings that contradict each other are refused."""
    settings = tabulate(settings)
    shape = read_shape(settings)
    terminals = make_terminals(settings, shape)
    transitions = make_transitions(settings, shape, terminals)
    payoff = make_payoff(settings, shape)
    length, codes, values = settings.sequence_length, np.zeros(0, np.int32), np.zeros(0, np.float32)
    if settings.rewardable_sequences:
        length, codes, values = read_sequences(settings, shape.states)
    elif payoff is None and not is_function(settings.reward_function):
        codes, values = draw_sequences(settings, shape, terminals, transitions)
    irrelevant = None
    if settings.irrelevant_features:
        irrelevant = draw_table(settings, "irrelevant", shape.beside, shape.sets)
    starts = make_starts(settings, terminals)
    return Tables(
        transitions, terminals, starts, codes, values, payoff, irrelevant, length, shape.set_size, shape.sets
    )


def code_of(sequence: Sequence[int], states: int) -> int:
    """A sequence as one number: digits state + 1 of base `states` + 1, oldest first; 0 is empty."""
    code = 0
    for state in sequence:
        code = code * (states + 1) + state + 1
    return code


def trail_capacity(states: int) -> int:
    """How many reached states the int32 code of a trail can hold."""
    capacity = 0
    while (states + 1) ** (capacity + 1) < 2**31:
        capacity += 1
    return capacity


def place_values(states: int, length: int) -> np.ndarray:
    return (states + 1) ** np.arange(length - 1, -1, -1, dtype=np.int64)


def read_shape(settings: Discrete) -> Shape:
    sizes, sets = settings.action_space_size, settings.diameter
    paired = isinstance(sizes, (tuple, list))
    if paired and not settings.irrelevant_features:
        raise NotApplicable(
            f"action_space_size={list(sizes)} sizes an irrelevant part; add irrelevant_features=true, "
            f"or write action_space_size={sizes[0]}."
        )
    actions, beside = sizes if paired else (sizes, sizes)
    if not settings.transition_function:
        for columns in (actions, beside):
            if columns * columns * sets > MOST_ENTRIES:
                raise WrongLevel(
                    f"action_space_size={columns}{f' with diameter={sets}' if sets > 1 else ''} makes a "
                    f"table of {columns * columns * sets} transitions, more than {MOST_ENTRIES}; lower it."
                )
        return Shape(actions, actions, sets, beside)

    rows, columns = len(settings.transition_function), len(settings.transition_function[0])
    if settings.state_space_size not in (DEFAULTS.state_space_size, rows):
        raise NotApplicable(
            f"state_space_size is {rows} by transition_function's rows, not {settings.state_space_size}; "
            "leave it out."
        )
    if sizes != DEFAULTS.action_space_size and actions != columns:
        raise NotApplicable(
            f"action_space_size is {columns} by transition_function's columns, not {actions}; leave it out."
        )
    size = rows // sets
    if rows % sets or any(
        after // size != (state // size + 1) % sets
        for state, row in enumerate(settings.transition_function)
        for after in row
        if after != state and state not in settings.terminal_states  # no step leaves a terminal state
    ):
        raise NotApplicable(
            f"diameter={sets} needs {sets} sets of equal size, each leading to the next, and the given "
            "transition_function has none; leave diameter out."
        )
    return Shape(columns, size, sets, beside if paired else columns)


def make_terminals(settings: Discrete, shape: Shape) -> np.ndarray:
    if settings.terminal_states:
        terminals = np.zeros(shape.states, bool)
        terminals[check_states("terminal_states", settings.terminal_states, shape.states)] = True
    else:
        count = math.floor(settings.terminal_state_density * shape.set_size + ROUNDING)
        terminals = np.arange(shape.states) % shape.set_size >= shape.set_size - count
    if terminals.all():
        key = "terminal_states" if settings.terminal_states else "terminal_state_density"
        raise WrongLevel(f"{key} makes all {shape.states} states terminal; leave at least one to start in.")
    return terminals


def make_transitions(settings: Discrete, shape: Shape, terminals: np.ndarray) -> np.ndarray:
    if settings.transition_function:
        return np.array(settings.transition_function, np.int32)
    transitions = draw_table(settings, "mdp_transition", shape.actions, shape.sets)
    transitions[terminals] = np.flatnonzero(terminals)[:, None]
    return transitions


def draw_table(settings: Discrete, stream: str, size: int, sets: int) -> np.ndarray:
    """Every action leads from a set of `size` states to the next; each row has a stream of its own."""
    table = np.empty((size * sets, size), np.int32)
    for state in range(size * sets):
        draw = generator(settings.mdp_seed, stream, state)
        local = draw.permutation(size) if settings.maximally_connected else draw.integers(size, size=size)
        table[state] = (state // size + 1) % sets * size + local
    return table


def make_starts(settings: Discrete, terminals: np.ndarray) -> np.ndarray:
    if not settings.init_state_dist:
        return ~terminals / np.count_nonzero(~terminals)
    starts = np.array(settings.init_state_dist, np.float64)
    if starts.shape != terminals.shape:
        raise NotApplicable(
            f"init_state_dist takes one chance for each of the {len(terminals)} states, not {len(starts)}."
        )
    if starts[terminals].any():
        state = np.flatnonzero(terminals & (starts > 0))[0]
        raise NotApplicable(
            f"init_state_dist starts episodes in state {state}, which is terminal; give it chance 0."
        )
    return starts / starts.sum()


def make_payoff(settings: Discrete, shape: Shape) -> np.ndarray | None:
    if not settings.reward_function:
        return None
    if settings.rewardable_sequences:
        raise NotApplicable(
            "reward_function and rewardable_sequences both say what is paid; give one of them."
        )
    if is_function(settings.reward_function):
        return None
    payoff = np.array(settings.reward_function, np.float32)
    if payoff.shape != (shape.states, shape.actions):
        raise NotApplicable(
            f"reward_function takes {shape.states} rows of {shape.actions} rewards, one for each state and "
            f"action, not {payoff.shape[0]} rows of {payoff.shape[1]}."
        )
    return check_finite("reward_function", payoff)


def read_sequences(settings: Discrete, states: int) -> tuple[int, np.ndarray, np.ndarray]:
    """The length, codes and values of `rewardable_sequences`."""
    length = len(settings.rewardable_sequences[0][0])
    if settings.sequence_length not in (DEFAULTS.sequence_length, length):
        raise NotApplicable(
            f"sequence_length is {length} by rewardable_sequences, not {settings.sequence_length}; "
            "leave it out."
        )
    refuse_beyond_int32(length, states)
    chosen = np.array([sequence for sequence, _ in settings.rewardable_sequences])
    check_states("rewardable_sequences", chosen, states)
    values = np.array([value for _, value in settings.rewardable_sequences], np.float32)
    return length, *encode(chosen, check_finite("rewardable_sequences", values), states)


def draw_sequences(
    settings: Discrete, shape: Shape, terminals: np.ndarray, transitions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Codes and values of the sequences that the density picks, beginning in each set in turn."""
    refuse_beyond_int32(settings.sequence_length, shape.states)
    possible, picks = [], []
    for first in range(shape.sets):
        count, picked = pick_sequences(settings, shape, terminals, transitions, first)
        possible.append(count)
        picks.append(picked)
    chosen = np.concatenate(picks)
    if not max(possible):
        repeats = "" if settings.repeats_in_sequences else " without repeats"
        reached = " that the transition table admits" if settings.only_reachable else ""
        raise NotApplicable(
            f"sequence_length={settings.sequence_length} leaves no sequence{repeats}{reached} over the "
            f"{np.count_nonzero(~terminals)} states that are not terminal; lower it."
        )
    return encode(chosen, draw_values(settings, chosen, [len(picked) for picked in picks]), shape.states)


def pick_sequences(
    settings: Discrete, shape: Shape, terminals: np.ndarray, transitions: np.ndarray, first: int
) -> tuple[int, np.ndarray]:
    """How many sequences begin in set `first`, and those picked (k, n): the first of a seeded permutation."""
    labels = [
        np.flatnonzero(~terminals[each * shape.set_size :][: shape.set_size]) + each * shape.set_size
        for each in np.arange(first, first + settings.sequence_length) % shape.sets
    ]
    # A state already in the sequence is no choice any more; its set comes round again every `recur` places.
    recur = settings.sequence_length if settings.repeats_in_sequences else shape.sets
    choices = [max(len(label) - position // recur, 0) for position, label in enumerate(labels)]
    possible = math.prod(choices)
    if possible > MOST_SEQUENCES:
        raise NotApplicable(
            f"sequence_length={settings.sequence_length} admits {possible} sequences from one set, more than "
            f"{MOST_SEQUENCES} to choose from; lower it, or give rewardable_sequences."
        )
    order = generator(settings.mdp_seed, "mdp_reward", first).permutation(possible)
    if not settings.only_reachable:
        return possible, decode(order[: count_wanted(settings, possible)], choices, labels, recur)
    sequences = decode(order, choices, labels, recur)
    sequences = sequences[is_reachable(sequences, transitions)]
    return len(sequences), sequences[: count_wanted(settings, len(sequences))]


def count_wanted(settings: Discrete, possible: int) -> int:
    """How many sequences of a set the density picks: at least one, so that the task has a goal."""
    return min(max(1, math.floor(settings.reward_density * possible + ROUNDING)), possible)


def decode(numbers: np.ndarray, choices: list[int], labels: list[np.ndarray], recur: int) -> np.ndarray:
    """The sequences (k, n) with these numbers: mixed-radix digits, the first state's the least significant.

    A digit picks among the labels not taken `recur` places earlier, or twice as many, and so on.
    """
    picks: list[np.ndarray] = []
    for position, count in enumerate(choices):
        numbers, pick = np.divmod(numbers, max(count, 1))
        if position >= recur:
            for taken in np.sort(picks[position % recur : position : recur], axis=0):
                pick = pick + (pick >= taken)
        picks.append(pick)
    return np.stack([label[pick] for label, pick in zip(labels, picks, strict=True)], axis=1)


def is_reachable(sequences: np.ndarray, transitions: np.ndarray) -> np.ndarray:
    leads = np.zeros((len(transitions), len(transitions)), bool)
    leads[np.arange(len(transitions))[:, None], transitions] = True
    return leads[sequences[:, :-1], sequences[:, 1:]].all(axis=1)


def draw_values(settings: Discrete, chosen: np.ndarray, counts: list[int]) -> np.ndarray:
    """What each of the chosen sequences pays, (K,) float32; `counts` says how many begin in each set."""
    if isinstance(settings.reward_dist, str):
        return ask_values(settings, chosen)
    low, high = settings.reward_dist
    points = np.linspace(low, high, len(chosen)) if len(chosen) > 1 else np.array([high])
    # Ranks of one draw per sequence are a random permutation; a denser choice keeps a sparser one's order.
    draws = [
        generator(settings.mdp_seed, "reward_dist", each).random(count) for each, count in enumerate(counts)
    ]
    return check_finite(
        "reward_dist", points[np.argsort(np.argsort(np.concatenate(draws)))].astype(np.float32)
    )


def ask_values(settings: Discrete, chosen: np.ndarray) -> np.ndarray:
    function, rng = (
        load_function("reward_dist", settings.reward_dist),
        generator(settings.mdp_seed, "reward_dist"),
    )
    so_far: dict[tuple[int, ...], float] = {}
    for sequence in map(tuple, chosen.tolist()):
        so_far[sequence] = float(function(rng, so_far))
    return check_finite("reward_dist", np.array(list(so_far.values()), np.float32))


def encode(sequences: np.ndarray, values: np.ndarray, states: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes ascending, and the values in that order."""
    codes = (sequences + 1) @ place_values(states, sequences.shape[1])
    order = np.argsort(codes)
    return codes[order].astype(np.int32), values[order]


def refuse_beyond_int32(length: int, states: int) -> None:
    if length > trail_capacity(states):
        raise NotApplicable(
            f"sequence_length={length} is too long for {states} states: codes of sequences must fit int32, "
            f"so it is at most {trail_capacity(states)}."
        )


def check_states(key: str, chosen: Sequence | np.ndarray, states: int) -> np.ndarray:
    chosen = np.asarray(chosen)
    if chosen.min() < 0 or chosen.max() >= states:
        wrong = chosen[(chosen < 0) | (chosen >= states)][0]
        raise WrongLevel(f"{key} takes states from 0 to {states - 1}, not {wrong}.")
    return chosen


def check_finite(key: str, values: np.ndarray) -> np.ndarray:
    if not np.isfinite(values).all():
        raise WrongLevel(
            f"{key} gives a reward of {values[~np.isfinite(values)][0]}; rewards must be finite numbers."
        )
    return values
