"""The models of `toy/discrete` and `toy/grid`, exactly, from the tables that their envs are built of.

A task has two of them. Its *world* is what moves: states, the hidden mode and what is seen of them. Its
*game* adds what rewards depend on (the trail of a sequence, the phase of the gate) and leaves out what pays
nothing; optima are found on it, and it is None, with a reason, where rewards are not part of the computation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from assay.chance.model import MOST_ENTRIES, Model, require_room
from assay.envs.toy import discrete_optimum
from assay.envs.toy.discrete_tables import Tables, generate
from assay.envs.toy.setting_types import is_function
from assay.errors import NotApplicable
from assay.tasks import Resolved

NO_MODEL = "no model is made of"
MOST_SITUATIONS = 5000
MOST_STEPS = 10_000
NEUTRAL = {"delay": 0, "reward_noise_function": ""}  # of settings of which no game is made


class ToyModel(NamedTuple):
    world: Model
    game: Model | None
    why_no_game: str


@dataclass(frozen=True, eq=False)
class Board:
    """What a toy env is made of, before its hidden mode and its payment; X places and A actions."""

    moves: np.ndarray  # (A, X, X) chances
    earned: np.ndarray  # (A, X, X) what counts at an open gate
    always: np.ndarray  # (A, X, X) what is paid whenever it is earned
    ends: np.ndarray  # (X,) bool
    start: np.ndarray  # (X,)
    shown: np.ndarray  # (X,) which observation each place gives
    sights: int  # observations there are
    mirror: np.ndarray  # (A,) the action that each stands for in the hidden mode
    by_choice: bool = False  # rewards are for the action chosen, whatever the mode makes of it


class Payment(NamedTuple):
    """When and how what is earned is paid."""

    every: int
    offset: int
    at_end: float
    scale: float
    shift: float


def build_toy_model(resolved: Resolved, most_entries: int = MOST_ENTRIES) -> ToyModel:
    """The models of a task of these envs at its written levels; refused where it has none."""
    builders = BUILDERS.get(resolved.text.env)
    if builders is None:
        raise NotApplicable(f"{NO_MODEL} {resolved.text.env}, only of {' and '.join(BUILDERS)}.")
    if resolved.value("image_representations"):
        raise NotApplicable(f"{NO_MODEL} pictures; drop image_representations.")
    if resolved.value("state_jump"):
        raise NotApplicable("state_jump is not part of the model.")
    world_board, game_board = builders
    horizon = int(resolved.value("horizon", resolved.settings.horizon))
    flips = resolved.value("hidden_mode")
    modes, span = 1 if flips is None else 2, horizon if horizon <= MOST_STEPS else None

    def make(board: Callable[[Resolved, int], Board], payment: Payment, span: int | None) -> Model:
        # A board is refused before it is made: half its modes and phases come later.
        return put_together(board(resolved, most_entries // modes**2), flips, payment, span, most_entries)

    world = make(world_board, FREE, span)
    why = find_why_no_game(resolved, horizon)
    if why:
        return ToyModel(world, None, why)
    try:
        return ToyModel(world, make(game_board, read_payment(resolved), horizon), "")
    except NotApplicable as refused:
        return ToyModel(world, None, str(refused))


def find_why_no_game(resolved: Resolved, horizon: int) -> str:
    moved = [name for name, neutral in NEUTRAL.items() if resolved.value(name, neutral) != neutral]
    if moved:
        return f"{moved[0]} is not part of the computation."
    if is_function(getattr(resolved.settings, "reward_function", "")):
        return "what a function of your own pays is not part of the computation."
    return f"an episode of {horizon} steps is longer than {MOST_STEPS}." if horizon > MOST_STEPS else ""


FREE = Payment(1, 0, 0.0, 0.0, 0.0)  # of a world, where nothing is paid


def read_payment(resolved: Resolved) -> Payment:
    settings = resolved.settings
    every = resolved.value("reward_every_n_steps", settings.reward_every_n_steps)
    if not every:  # toy/discrete pays by default at the ends of sequences
        every = generate(settings).sequence_length
    return Payment(
        int(every),
        0,  # without a delay the gate looks at the step itself
        float(resolved.value("term_state_reward", 0.0)),
        float(resolved.value("reward_scale", 1.0)),
        float(resolved.value("reward_shift", 0.0)),
    )


def put_together(
    board: Board, flips: float | None, payment: Payment, horizon: int | None, most_entries: int
) -> Model:
    """The model of a board with hidden mode, gate and payment; its states are (place, mode, phase).

    `flips` is the chance per step that the mode changes, None where the task has no such thing.
    """
    every = payment.every
    if horizon is not None and every > horizon + payment.offset:  # the gate never opens
        every = 1
        board = replace(board, earned=0 * board.earned)
    actions, places = board.moves.shape[:2]
    modes = 1 if flips is None else 2
    size = places * modes * every
    require_room(actions, size, most_entries)
    shape = actions, places, modes, every, places, modes, every
    transitions, rewards = np.zeros(shape), np.zeros(shape)
    for before, after, phase in product(range(modes), range(modes), range(every)):
        chance = 1.0 if flips is None else flips if before != after else 1 - flips
        acts = board.mirror if after else np.arange(actions)
        paid_as = np.arange(actions) if board.by_choice else acts
        is_open = (phase + 1 + payment.offset) % every == 0
        earned = board.always[paid_as] + (board.earned[paid_as] if is_open else 0.0)
        paid = (earned + payment.at_end * board.ends) * payment.scale + payment.shift
        here = (slice(None), slice(None), before, phase, slice(None), after, (phase + 1) % every)
        transitions[here] = chance * board.moves[acts]
        rewards[here] = paid
    start = np.zeros((places, modes, every))
    start[:, 0, 0] = board.start
    copies = modes * every
    return Model(
        transitions.reshape(actions, size, size),
        rewards.reshape(actions, size, size),
        np.repeat(np.eye(board.sights)[board.shown], copies, axis=0),
        start.reshape(-1),
        np.repeat(board.ends, copies),
        horizon,
    )


def discrete_world(resolved: Resolved, most_entries: int) -> Board:
    """The states themselves, with the irrelevant part beside where there is one."""
    tables, noise = generate(resolved.settings), float(resolved.value("transition_noise", 0.0))
    require_room(tables.transitions.shape[1], tables.states, most_entries)
    next_set = resolved.settings.noise_support == "next_set"
    moves = spread_noise(tables.transitions, noise, tables.set_size if next_set else tables.states)
    shown, start, ends = show_alike(np.arange(tables.states), resolved), tables.starts, tables.terminals
    mirror = np.arange(tables.transitions.shape[1])[::-1]
    if tables.irrelevant is not None:
        rows, columns = tables.irrelevant.shape
        require_room(len(mirror) * columns, tables.states * rows, most_entries)
        beside = spread_noise(tables.irrelevant, noise, columns if next_set else rows)
        moves = np.einsum("ast,buv->absutv", moves, beside).reshape(
            len(mirror) * columns, tables.states * rows, tables.states * rows
        )
        shown = (shown[:, None] * rows + np.arange(rows)).reshape(-1)
        start, ends = np.repeat(start / rows, rows), np.repeat(ends, rows)
        mirror = (mirror[:, None] * columns + np.arange(columns)).reshape(-1)
    nothing, sights = np.zeros(moves.shape), moves.shape[1]
    return Board(moves, nothing, nothing, ends, start, shown, sights, mirror)


def spread_noise(aims: np.ndarray, noise: float, group: int) -> np.ndarray:
    """(A, S, S) chances where steps aim at `aims`, (S, A), and noise throws to others of the group."""
    states = len(aims)
    hits = np.eye(states)[aims.T]  # (A, S, S)
    if group == 1:
        return np.asarray(hits)
    alike = np.arange(states) // group == (np.arange(states) // group)[:, None]
    thrown = (alike[aims.T] - hits) / (group - 1)
    moves: np.ndarray = (1 - noise) * hits + noise * thrown
    return moves


def show_alike(places: np.ndarray, resolved: Resolved) -> np.ndarray:
    """Which observation each place gives under `aliased`."""
    first: np.ndarray = places - places % int(resolved.value("aliased", 1))
    return first


def discrete_game(resolved: Resolved, most_entries: int) -> Board:
    """States with the sequences they are on, and one place for the end."""
    settings = resolved.settings
    tables, noise = generate(settings), float(resolved.value("transition_noise", 0.0))
    chances = discrete_optimum.find_chances(tables, noise, settings.noise_support)
    denser = settings.make_denser_mode if settings.make_denser else None
    walk = discrete_optimum.find_walk(tables, chances, denser, MOST_SITUATIONS)
    if walk is None:
        raise NotApplicable(f"more than {MOST_SITUATIONS} situations with their trails of states.")
    count, actions = len(walk.state), tables.transitions.shape[1]
    require_room(actions, count + 1, most_entries)
    moves, earned, always = (np.zeros((actions, count + 1, count + 1)) for _ in range(3))
    rows = np.arange(count)[:, None]
    after = np.where(walk.after == discrete_optimum.END, count, walk.after)
    for action in range(actions):
        kind = action % after.shape[1]  # outcomes are listed by action only where they depend on it
        landing = chances.landing[walk.state][:, kind]  # (X, C)
        chance = chance_of_landing(tables, chances, walk.state, landing, action)
        for table, values in ((moves, chance), (earned, chance * walk.gated[:, kind]),
                              (always, chance * walk.ungated[:, kind])):  # fmt: skip
            np.add.at(table[action], (rows, after[:, kind]), values)
        moves[action, count, count] = 1.0
    total = np.where(moves > 0, moves, 1.0)
    earned, by_choice = earned / total, tables.payoff is not None
    if tables.payoff is not None:  # paid for the choice, wherever it leads
        earned[:, :count] = tables.payoff[walk.state].T[:, :, None]
    seen = np.append(show_alike(walk.state, resolved), tables.states)  # the end looks like nothing else
    return Board(moves, earned, always / total, np.arange(count + 1) == count, np.append(walk.starts, 0.0),
                 seen, tables.states + 1, np.arange(actions)[::-1], by_choice)  # fmt: skip


def chance_of_landing(
    tables: Tables, chances: Any, state: np.ndarray, landing: np.ndarray, action: int
) -> np.ndarray:
    """(X, C) the chance of each outcome of an action."""
    aims = tables.transitions[state, action][:, None]
    if not chances.noise:
        return np.ones(landing.shape)
    thrown = np.where(landing // chances.group == aims // chances.group, chances.share, 0.0)
    return np.where(landing == aims, 1 - chances.noise, thrown)


def grid_board(resolved: Resolved, most_entries: int) -> Board:
    """The cells of the board that pays."""
    # Both bring jax, which the chance of a hosted task does without.
    from assay.envs.toy.grid import find_ends_and_target
    from assay.envs.toy.grid_optimum import list_neighbours

    settings = resolved.settings
    ends, target = find_ends_and_target(settings)
    shape, cells = settings.grid_shape, ends.size
    chosen = list_moves(settings, len(shape))
    require_room(len(chosen), cells, most_entries)
    after = list_neighbours(shape)  # (moves, cells)
    kinds, noise = len(after), float(resolved.value("transition_noise", 0.0))
    plain = np.eye(cells)[after]
    moves = (1 - noise) * plain + noise * (plain.sum(0) - plain) / (kinds - 1)
    where = np.indices(shape).reshape(len(shape), -1)
    apart = np.abs(where - np.array(target)[:, None]).sum(0)
    nearer, arrived = apart[:, None] - apart[None], np.broadcast_to(apart == 0, (cells, cells))
    gain = nearer if settings.make_denser else arrived
    reverse = np.array([0, *(move + 1 if move % 2 else move - 1 for move in range(1, kinds))])
    alike = np.ravel_multi_index(tuple(show_alike(where, resolved)), shape)
    mirrored = moves[reverse][chosen]
    moves = moves[chosen]
    mirror = np.array([find_action(moves, each) for each in mirrored])
    earned = np.broadcast_to(gain.astype(float), moves.shape)
    return Board(moves, earned, np.zeros(moves.shape), ends, ~ends / (~ends).sum(), alike, cells, mirror)


def find_action(moves: np.ndarray, wanted: np.ndarray) -> int:
    """The action that moves like this one; a step and its opposite are both among the actions."""
    return int(np.flatnonzero((moves == wanted).all(axis=(1, 2)))[0])


def list_moves(settings: Any, dimensions: int) -> np.ndarray:
    """The move that each action is: its own number, or that of a vector of steps."""
    if settings.action_form == "number":
        return np.arange(2 * dimensions + 1)
    moves = []
    for steps in product((-1, 0, 1), repeat=dimensions):
        going = [i for i, step in enumerate(steps) if step]
        moves.append(2 * going[0] + (2 if steps[going[0]] > 0 else 1) if len(going) == 1 else 0)
    return np.array(moves)


def grid_world(resolved: Resolved, most_entries: int) -> Board:
    if resolved.settings.irrelevant_features:
        raise NotApplicable("the board beside makes too many states for a model; drop irrelevant_features.")
    return grid_board(resolved, most_entries)


BUILDERS: dict[str, tuple[Callable[[Resolved, int], Board], Callable[[Resolved, int], Board]]] = {
    "toy/discrete": (discrete_world, discrete_game),
    "toy/grid": (grid_world, grid_board),
}
