"""toy/grid: an agent walks on a board of cells towards a target.

A move is a number: 0 stays, 2i + 1 goes down and 2i + 2 goes up in dimension i. Moves off the board stay at
its border. With `action_form=vector` a step is -1, 0 or 1 in each dimension, and more than one at once stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.env import Env, record
from assay.core.keys import stream
from assay.core.space import Box, Discrete
from assay.core.variation import Inner, static
from assay.envs.toy import maps, payment
from assay.envs.toy.grid_params import Grid
from assay.envs.toy.own_functions import ask_yes_or_no, load_function
from assay.envs.toy.setting_types import is_function
from assay.envs.toy.traced_functions import check_reward_noise, int_shape, make_reward_noise
from assay.errors import WrongLevel


@record
class Params:
    """The params that the functions read; D dimensions."""

    starts: Any  # (cells,) int32, the cells in which an episode may begin, flat
    target: Any  # (D,) int32
    ends: Any  # (cells,) bool, flat
    reward_every_n_steps: Any  # () int32
    gate_delay: Any  # () int32, steps between earning and being paid that the gate looks past
    horizon: Any  # () int32
    shape: tuple = static((8, 8))
    irrelevant: bool = static(False)
    vector: bool = static(False)
    boards: Any = None  # (1 or 2, width, height, 3) uint8, pictures of the empty boards, or None
    picture: tuple = static(())  # width and height of a picture in place of the numbers

    @property
    def moves(self) -> int:
        return 2 * len(self.shape) + 1


@record
class State:
    cell: Any  # (D,) int32
    beside: Any  # (D,) int32, on the board that pays nothing, or None
    mode: Any  # () bool, hidden: moves go the other way
    time: Any  # () int32, steps in this episode

    def first_alike(self, alike: Any) -> State:
        """The state at the first of the `alike` cells in a row that look like its own, in each dimension."""
        return replace(self, cell=self.cell - self.cell % alike)


def initial(key: jax.Array, params: Params) -> State:
    """Uniform over the cells that do not end an episode."""
    index = params.starts[jax.random.randint(key, (), 0, params.starts.shape[0])]
    beside = None
    if params.irrelevant:
        count = int(np.prod(params.shape))
        beside = to_cell(params, jax.random.randint(stream(key, "irrelevant"), (), 0, count))
    return State(to_cell(params, index), beside, jnp.bool_(False), jnp.int32(0))


def to_cell(params: Params, index: jax.Array) -> jax.Array:
    return jnp.stack(jnp.unravel_index(index, params.shape)).astype(jnp.int32)


def to_index(params: Params, cell: jax.Array) -> jax.Array:
    return jnp.ravel_multi_index(tuple(cell), params.shape, mode="clip")


def move_numbers(params: Params, action: jax.Array) -> jax.Array:
    """The moves that an action chooses, one per board, as numbers."""
    if not params.vector:
        return jnp.atleast_1d(action)
    steps = jnp.reshape(action, (-1, len(params.shape)))
    alone = (steps != 0).sum(-1) == 1
    dimension = jnp.argmax(steps != 0, axis=-1)
    up = jnp.take_along_axis(steps, dimension[:, None], -1)[:, 0] > 0
    return jnp.where(alone, 2 * dimension + 1 + up, 0)


def move(params: Params, cell: jax.Array, number: jax.Array, mode: jax.Array) -> jax.Array:
    """The cell after one move; a move off the board stays at its border."""
    dimension, up = (number - 1) // 2, (number - 1) % 2 == 1
    step = jnp.where(number == 0, 0, jnp.where(up ^ mode, 1, -1))
    where = jnp.arange(len(params.shape)) == dimension
    return jnp.clip(cell + where * step, 0, jnp.array(params.shape) - 1)


def transition(key: jax.Array, params: Params, state: State, action: jax.Array) -> State:
    return walk(key, params, state, move_numbers(params, action))


def walk(key: jax.Array, params: Params, state: State, numbers: jax.Array) -> State:
    cell = move(params, state.cell, numbers[0], state.mode)
    beside = move(params, state.beside, numbers[1], state.mode) if params.irrelevant else None
    return State(cell, beside, state.mode, state.time + 1)


def noisy_transition(
    function: Any, level: Any, key: jax.Array, params: Params, state: State, action: jax.Array
) -> State:
    """With chance `level` another move is made than the chosen one, on each board by itself."""
    numbers = move_numbers(params, action)
    draws = draw_noise(key, params, action)
    other = 1 + jnp.minimum(jnp.int32(draws[:, 1] * (params.moves - 1)), params.moves - 2)
    noisy = jnp.where(draws[:, 0] < level, (numbers + other) % params.moves, numbers)
    return walk(key, params, state, noisy)


def draw_noise(key: jax.Array, params: Params, action: jax.Array) -> jax.Array:
    """Two draws for each board in turn: a second board leaves the draws of the first as they were."""
    return jax.random.uniform(stream(key, "transition_noise"), (move_numbers(params, action).shape[0], 2))


def report_noise(
    level: Any, key: jax.Array, params: Params, state: State, action: Any, after: State
) -> tuple:
    """It may act at every step, and acts where a move is replaced. The detail is the cell reached."""
    return True, (draw_noise(key, params, action)[:, 0] < level).any(), after.cell


def reward_dense(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    before, now = (jnp.abs(each.cell - params.target).sum() for each in (state, after))
    return apply_gate(params, after, (before - now).astype(jnp.float32))


def reward_on_arrival(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    return apply_gate(params, after, (after.cell == params.target).all().astype(jnp.float32))


def apply_gate(params: Params, after: State, earned: jax.Array) -> jax.Array:
    return jnp.where(payment.is_open(params, after.time), earned, 0.0)


def state_and_action(params: Params, state: State, action: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The arguments of the user's function for reward noise: cell and move, on the board that pays."""
    return state.cell, move_numbers(params, action)[0]


def observation(key: jax.Array, params: Params, state: State) -> jax.Array:
    return state.cell if state.beside is None else jnp.concatenate([state.cell, state.beside])


def picture(key: jax.Array, params: Params, state: State) -> jax.Array:
    return draw_boards(params, params.boards, observation(key, params, state))


def draw_boards(params: Params, boards: jax.Array, cells: jax.Array) -> jax.Array:
    """The boards side by side, each with its walker; the cells of both in one row."""
    each = cells.reshape(len(boards), -1)
    return jnp.concatenate([maps.draw_walker(boards[i], cell, params.shape) for i, cell in enumerate(each)])


def terminal(params: Params, state: State) -> jax.Array:
    return params.ends[to_index(params, state.cell)]


def horizon(params: Params) -> jax.Array:
    return params.horizon


def spaces(params: Params) -> dict:
    boards = 2 if params.irrelevant else 1
    action = Discrete(params.moves if boards == 1 else (params.moves,) * boards)
    if params.vector:
        action = Discrete((3,) * (len(params.shape) * boards), start=-1)
    observed = maps.space(params.picture, boards) if params.picture else Discrete(params.shape * boards)
    return {"action": action, "reward": Box(-np.inf, np.inf), "observation": observed}


TRANSITION_NOISE = Inner(0.0, "transition_noise", ("transition",), noisy_transition, report=report_noise)
REWARD_NOISE = make_reward_noise(state_and_action)


def build(settings: Grid, others: Mapping[str, Any]) -> Env:
    """The env of these settings, refused where they do not fit each other."""
    ends, target = find_ends_and_target(settings)
    starts = np.flatnonzero(~ends).astype(np.int32)
    if not starts.size:
        raise WrongLevel(
            "terminal_states names every cell of the board, so no episode can begin; leave out at least one."
        )
    params = Params(
        starts=jnp.asarray(starts),
        target=jnp.asarray(target, jnp.int32),
        ends=jnp.asarray(ends),
        reward_every_n_steps=jnp.int32(settings.reward_every_n_steps),
        gate_delay=jnp.int32(payment.steps_to_payment(settings, others)),
        horizon=jnp.int32(settings.horizon),
        shape=settings.grid_shape,
        irrelevant=settings.irrelevant_features,
        vector=settings.action_form == "vector",
        boards=jnp.asarray(draw_empty_boards(settings)) if settings.image_representations else None,
        picture=(settings.image_width, settings.image_height) if settings.image_representations else (),
    )
    check_reward_noise(others, int_shape(len(settings.grid_shape)), int_shape())
    reward = reward_dense if settings.make_denser else reward_on_arrival
    look = picture if settings.image_representations else observation
    return Env(params, initial, transition, reward, look, terminal, horizon, spaces)


def draw_empty_boards(settings: Grid) -> np.ndarray:
    """Pictures of the boards, (1 or 2, width, height, 3); the irrelevant one has neither target nor ends."""
    maps.require_flat("relevant", len(settings.grid_shape))
    size = settings.image_width, settings.image_height
    _, target = find_ends_and_target(settings)
    pictures = [maps.draw_board(settings.grid_shape, size, target, list_terminal_cells(settings))]
    if settings.irrelevant_features:
        pictures.append(maps.draw_board(settings.grid_shape, size))
    return np.stack(pictures)


def render(settings: Grid, params: Params, state: State) -> jax.Array:
    """The picture of a state, for people: RGB, [x, y, 3]."""
    cells = state.cell if state.beside is None else jnp.concatenate([state.cell, state.beside])
    return draw_boards(params, jnp.asarray(draw_empty_boards(settings)), cells)


def find_ends_and_target(settings: Grid) -> tuple[np.ndarray, tuple[int, ...]]:
    """Which cells end an episode, (cells,) bool, and the target."""
    size = settings.grid_shape
    target = settings.target_point or tuple(each - 1 for each in size)
    ends = np.zeros(size, bool)
    for name, cell in (
        ("target_point", target),
        *(("terminal_states", c) for c in list_terminal_cells(settings)),
    ):
        if len(cell) != len(size) or any(not 0 <= x < most for x, most in zip(cell, size)):
            raise WrongLevel(
                f"{name} names the cell {list(cell)}, and the board is {list(size)}; name a cell on it."
            )
        ends[cell] = True
    return ends.reshape(-1), target


def list_terminal_cells(settings: Grid) -> tuple[tuple[int, ...], ...]:
    """The terminal cells that the settings or the user's function name, beside the target."""
    text = settings.terminal_states
    if not is_function(text):
        return text
    function = load_function("terminal_states", text)
    every = (tuple(map(int, cell)) for cell in np.ndindex(settings.grid_shape))
    return tuple(
        cell
        for cell in every
        if ask_yes_or_no("terminal_states", text, function, f"for the cell {list(cell)}", cell)
    )
