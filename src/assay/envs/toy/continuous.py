"""toy/continuous: a point in a box, pushed by actions towards a target, with dynamics of any order.

`State` holds every derivative of the position; the action sets the last one. Only positions are observed,
unless `observe_velocity` is on. Delayed rewards wait in the channel `delay`, beside the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import factorial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.env import Env, record
from assay.core.keys import stream
from assay.core.space import Box
from assay.core.variation import Inner, static
from assay.envs.toy import maps, payment
from assay.envs.toy.continuous_checks import (
    OwnFunctions,
    check_points,
    check_room,
    load_own_functions,
    per_dimension,
)
from assay.envs.toy.continuous_params import Continuous
from assay.envs.toy.setting_types import is_function
from assay.envs.toy.traced_functions import check_reward_noise, float_shape, make_reward_noise
from assay.errors import WrongLevel

TRIES = 1000  # draws of a start, until one lies outside the target; see `initial`


@record
class Params:
    """The numbers that the functions read; D dimensions, R relevant ones."""

    side: Any  # (D,) float32, half the box
    force: Any  # (D,) float32, largest action
    targets: Any  # (targets, R) float32
    boxes: Any  # (boxes, R) float32, centres of terminal boxes
    time_unit: Any  # () float32
    inertia: Any  # () or (D,) float32
    target_radius: Any  # () float32
    term_state_edge: Any  # () float32
    action_loss_weight: Any  # () float32
    reward_every_n_steps: Any  # () int32
    gate_delay: Any  # () int32, steps between earning and being paid that the gate looks past
    horizon: Any  # () int32
    relevant: tuple = static((0, 1))
    order: int = static(1)
    line: int = static(0)  # positions that are to lie on one line; 0: something else is asked for
    looks_back: int = static(0)  # positions that a reward function sees
    invalid_action: str = static("clip")
    functions: OwnFunctions = static(OwnFunctions())
    observe_velocity: bool = static(False)
    noise_kind: str = static("process")
    limits: tuple = static(())  # of the spaces: half sides of the box, largest actions
    picture: tuple = static(())  # width and height of a picture in place of the numbers

    @property
    def has_target(self) -> bool:
        return not self.line and not self.functions.reward

    @property
    def irrelevant(self) -> tuple[int, ...]:
        return tuple(i for i in range(self.side.shape[-1]) if i not in self.relevant)


@record
class State:
    derivatives: Any  # (order + 1, D) float32; row 0 is the position
    shown: Any  # (D,) float32, the position seen and paid: the true one but for noise_kind=observation
    past: Any  # (line or looks_back, D) float32, the positions shown last, newest last; often of no rows
    mode: Any  # () bool, hidden: actions push the other way
    time: Any  # () int32, steps in this episode


def initial(key: jax.Array, params: Params) -> State:
    """Uniform in the box, outside of every target and terminal box."""
    size = params.side.shape[0]

    def draw(number: jax.Array) -> jax.Array:
        # A coordinate's draw does not depend on how many there are: a further dimension changes no other.
        return params.side * jax.random.uniform(jax.random.fold_in(key, number), (size,), minval=-1.0)

    def is_taken(tried: tuple) -> jax.Array:
        return ends_at(params, tried[1]) & (tried[0] < TRIES)

    def try_again(tried: tuple) -> tuple:
        return tried[0] + 1, draw(tried[0] + 1)

    # `check_room` leaves enough free room that TRIES draws practically never fail.
    _, position = jax.lax.while_loop(is_taken, try_again, (jnp.int32(0), draw(jnp.int32(0))))
    derivatives = jnp.zeros((params.order + 1, position.shape[0])).at[0].set(position)
    past = jnp.zeros((params.line, position.shape[0]))
    if params.looks_back:
        past = jnp.full((params.looks_back, position.shape[0]), jnp.nan).at[-1].set(position)
    return State(derivatives, position, past, jnp.bool_(False), jnp.int32(0))


def bound_action(key: jax.Array, params: Params, state: State, action: jax.Array) -> jax.Array:
    """The action cut to its bounds, or set to 0 beyond them; `move` and `pay` do hold and error."""
    if params.invalid_action == "clip":
        return jnp.clip(action, -params.force, params.force)
    if params.invalid_action == "zero":
        return jnp.where(is_beyond(params, action), 0.0, action)
    return action


def is_beyond(params: Params, action: jax.Array) -> jax.Array:
    return ~(jnp.abs(action) <= params.force).all()  # NaN too


def transition(key: jax.Array, params: Params, state: State, action: jax.Array) -> State:
    return move(key, params, state, action, 0.0)


def move(key: jax.Array, params: Params, state: State, action: jax.Array, noise: Any) -> State:
    if params.functions.noise:
        own_key = stream(key, "transition_noise_function")
        noise = noise + params.functions.noise(own_key, state.derivatives[0], action)
    after = settle(params, glide(key, params, state, action), noise)
    if params.invalid_action != "hold":
        return after
    still = replace(
        after, derivatives=state.derivatives, shown=state.shown, past=shift_past(state, state.shown)
    )
    return jax.tree.map(partial(jnp.where, is_beyond(params, action)), still, after)


def shift_past(state: State, position: jax.Array) -> jax.Array:
    """The past with one more position, the oldest gone."""
    return jnp.concatenate([state.past[1:], position[None]]) if state.past.shape[0] else state.past


def glide(key: jax.Array, params: Params, state: State, action: jax.Array) -> State:
    """The state after the action, before any wall: each derivative's Taylor sum over one time unit."""
    push = jnp.where(state.mode, -action, action)
    if params.functions.transition:
        position = jnp.asarray(params.functions.transition(state.derivatives[0], push), jnp.float32)
        return replace(state, derivatives=jnp.stack([position, push]))
    push = push / params.inertia
    now = state.derivatives.at[params.order].set(jnp.broadcast_to(push, action.shape))
    steps = [params.time_unit**j / factorial(j) for j in range(params.order + 1)]
    rows = [sum(now[i + j] * steps[j] for j in range(params.order + 1 - i)) for i in range(params.order)]
    after = jnp.stack([*rows, now[params.order]])
    return replace(state, derivatives=after)


def settle(params: Params, state: State, noise: Any) -> State:
    """Noise, then the walls: outside the box every coordinate is cut to it and all motion stops."""
    position = state.derivatives[0] + noise
    inside = jnp.clip(position, -params.side, params.side)
    hit = (inside != position).any()
    kept = inside
    if params.noise_kind == "observation":
        hit |= (jnp.abs(state.derivatives[0]) > params.side).any()
        kept = jnp.where(hit, inside, state.derivatives[0])
    rest = jnp.where(hit, 0.0, state.derivatives[1:])
    derivatives = jnp.concatenate([kept[None], rest])
    return State(derivatives, inside, shift_past(state, inside), state.mode, state.time + 1)


def noisy_transition(
    function: Any, level: Any, key: jax.Array, params: Params, state: State, action: jax.Array
) -> State:
    """Normal noise of standard deviation `level` on the new position, before the walls."""
    return move(key, params, state, action, draw_noise(level, key, action))


def draw_noise(level: Any, key: jax.Array, action: jax.Array) -> jax.Array:
    draw = jax.random.normal(stream(key, "transition_noise"), action.shape)
    return jnp.where(level == 0, 0.0, level * draw)


def report_noise(
    level: Any, key: jax.Array, params: Params, state: State, action: jax.Array, after: State
) -> tuple:
    """It acts at every step while its level is above 0. The detail is the noise on the position."""
    return level > 0, level > 0, draw_noise(level, key, action)


def relevant_part(params: Params, position: jax.Array) -> jax.Array:
    return position[..., np.array(params.relevant)]


def distance(params: Params, position: jax.Array) -> jax.Array:
    """The distance to the nearest target."""
    apart = params.targets - relevant_part(params, position)
    return jnp.sqrt((apart**2).sum(-1)).min()


def reward_dense(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    gained = distance(params, state.shown) - distance(params, after.shown)
    return pay(params, action, after, gained)


def reward_on_arrival(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    arrived = distance(params, after.shown) < params.target_radius
    return pay(params, action, after, arrived.astype(jnp.float32))


def reward_line(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    """Minus the mean distance of the last positions from the line that fits them best."""
    positions = relevant_part(params, after.past)
    apart = positions - positions.mean(0)
    _, _, directions = jnp.linalg.svd(apart, full_matrices=False)
    beside = apart - (apart @ directions[0])[:, None] * directions[0]
    off = jnp.sqrt((beside**2).sum(-1)).mean()
    return pay(params, action, after, jnp.where(after.time >= params.line, -off, 0.0))


def reward_by_function(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    function = params.functions.reward
    assert function is not None, "`build` takes this component only where there is one"
    return pay(params, action, after, jnp.asarray(function(after.past, action), jnp.float32))


def pay(params: Params, action: jax.Array, after: State, base: jax.Array) -> jax.Array:
    """The reward of a step, its action's cost included; both are 0 where the gate is shut."""
    earned = jnp.where(payment.is_open(params, after.time), base - effort(params, action), 0.0)
    if params.invalid_action == "error":
        # A compiled program cannot raise an error; NaN spreads to every sum of rewards instead.
        return jnp.where(is_beyond(params, action), jnp.nan, earned)
    return earned


def state_and_action(params: Params, state: State, action: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The arguments of the user's function for reward noise."""
    return state.shown, action


def effort(params: Params, action: jax.Array) -> jax.Array:
    return params.action_loss_weight * jnp.sqrt((action**2).sum())


def ends_at(params: Params, position: jax.Array) -> jax.Array:
    """Strictly inside the target's radius, in a closed terminal box, or where the user's function says so."""
    ends = jnp.bool_(False)
    if params.has_target:
        ends = distance(params, position) < params.target_radius
    if params.boxes.shape[0]:
        apart = jnp.abs(relevant_part(params, position) - params.boxes)
        ends |= (apart <= params.term_state_edge / 2).all(-1).any()
    if params.functions.terminal:
        ends |= jnp.asarray(params.functions.terminal(position), bool)
    return ends


def observation(key: jax.Array, params: Params, state: State) -> jax.Array:
    if not params.observe_velocity:
        return state.shown
    return jnp.concatenate([state.shown, state.derivatives[1:-1].reshape(-1)])


def picture(key: jax.Array, params: Params, state: State) -> jax.Array:
    return draw_box(params, state, params.picture)


def draw_box(params: Params, state: State, size: tuple[int, int]) -> jax.Array:
    """The box seen from above, and beside it that of the irrelevant dimensions."""
    relevant, beside = np.array(params.relevant), np.array(params.irrelevant, int)
    targets = params.targets if params.has_target else None
    position, half = state.shown, params.side
    picture = maps.draw_plane(
        position[relevant], half[relevant], size, targets, params.boxes, params.term_state_edge
    )
    if not len(beside):
        return picture
    return jnp.concatenate([picture, maps.draw_plane(position[beside], half[beside], size)])


def terminal(params: Params, state: State) -> jax.Array:
    return ends_at(params, state.shown)


def horizon(params: Params) -> jax.Array:
    return params.horizon


def spaces(params: Params) -> dict:
    side, force = (np.array(limit, np.float32) for limit in params.limits)
    low, high = -side, side
    if params.observe_velocity:
        more = np.full(len(side) * (params.order - 1), np.inf, np.float32)
        low, high = np.concatenate([low, -more]), np.concatenate([high, more])
    observed = Box(low, high, low.shape)
    if params.picture:
        observed = maps.space(params.picture, parts=2 if params.irrelevant else 1)
    return {
        "action": Box(-force, force, force.shape),
        "reward": Box(-np.inf, np.inf),
        "observation": observed,
    }


TRANSITION_NOISE = Inner(0.0, "transition_noise", ("transition",), noisy_transition, report=report_noise)
REWARD_NOISE = make_reward_noise(state_and_action)


def build(settings: Continuous, others: Mapping[str, Any]) -> Env:
    """The env of these settings, refused where they do not fit each other."""
    size = settings.state_space_dim
    relevant = settings.relevant_indices or tuple(range(size))
    if relevant[-1] >= size:
        raise WrongLevel(
            f"relevant_indices names dimension {relevant[-1]}, and there are {size} of them; "
            f"name 0 to {size - 1}."
        )
    side = per_dimension("state_space_max", settings.state_space_max, size)
    force = per_dimension("action_space_max", settings.action_space_max, size)
    if "inertia" in others:
        per_dimension("inertia", others["inertia"].value, size)
    targets = settings.target_point or ((0.0,) * len(relevant),)
    check_points("target_point", targets, relevant, side)
    boxes = () if is_function(settings.terminal_states) else settings.terminal_states
    check_points("terminal_states", boxes, relevant, side)
    functions = load_own_functions(settings, others)
    check_room(settings, others, np.array(targets, float), relevant, side, functions.terminal)
    check_reward_noise(others, float_shape(size), float_shape(size))
    params = Params(
        side=jnp.asarray(side),
        force=jnp.asarray(force),
        targets=jnp.asarray(targets, jnp.float32),
        boxes=jnp.asarray(boxes, jnp.float32).reshape(-1, len(relevant)),
        time_unit=jnp.float32(settings.time_unit),
        inertia=jnp.float32(settings.inertia),
        target_radius=jnp.float32(settings.target_radius),
        term_state_edge=jnp.float32(settings.term_state_edge),
        action_loss_weight=jnp.float32(settings.action_loss_weight),
        reward_every_n_steps=jnp.int32(settings.reward_every_n_steps),
        gate_delay=jnp.int32(payment.steps_to_payment(settings, others)),
        horizon=jnp.int32(settings.horizon),
        relevant=relevant,
        order=settings.transition_dynamics_order,
        line=settings.sequence_length if settings.reward_function == "move_along_a_line" else 0,
        looks_back=settings.sequence_length + 1 if functions.reward else 0,
        invalid_action=settings.invalid_action,
        functions=functions,
        observe_velocity=settings.observe_velocity,
        noise_kind=settings.noise_kind,
        limits=(tuple(map(float, side)), tuple(map(float, force))),
        picture=picture_size(settings) if settings.image_representations else (),
    )
    reward = reward_dense if settings.make_denser else reward_on_arrival
    if params.line or functions.reward:
        reward = reward_line if params.line else reward_by_function
    look = picture if settings.image_representations else observation
    return Env(params, initial, transition, reward, look, terminal, horizon, spaces, bound_action)


def picture_size(settings: Continuous) -> tuple[int, int]:
    """Width and height, refused where there are too many dimensions to draw."""
    relevant = len(settings.relevant_indices) or settings.state_space_dim
    maps.require_flat("relevant", relevant)
    maps.require_flat("irrelevant", settings.state_space_dim - relevant)
    return settings.image_width, settings.image_height


def render(settings: Continuous, params: Params, state: State) -> jax.Array:
    """The picture of a state, for people: RGB, [x, y, 3]."""
    return draw_box(params, state, picture_size(settings))
