"""toy/discrete: a generated MDP with a deterministic table and rewards for sequences of states.

The env is Markov in `State`: the trail of reached states is part of it, because rewards look back
`sequence_length` states. Delayed rewards wait in the channel `delay`, beside the state.
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
from assay.core.space import Box, Space
from assay.core.space import Discrete as DiscreteSpace
from assay.core.variation import Inner, static
from assay.envs.toy import payment, polygons
from assay.envs.toy.discrete_params import Discrete
from assay.envs.toy.discrete_tables import Tables, generate, trail_capacity
from assay.envs.toy.setting_types import is_function
from assay.envs.toy.traced_functions import check_reward_noise, int_shape, make_reward_noise, trace_function
from assay.errors import NotApplicable

BEFORE = -1  # stands for a state before the episode began


@record
class Params:
    """The generated tables and the few numbers that the functions read."""

    transitions: Any  # (S, A) int32, the state after
    terminals: Any  # (S,) bool
    starts: Any  # (S,) float32, chances added up
    codes: Any  # (K,) int32, the rewardable sequences, sorted
    values: Any  # (K,) float32, what each pays
    payoff: Any  # (S, A) float32, in place of sequences, or None
    irrelevant: Any  # (T, B) int32, the table of the irrelevant part, or None
    reward_every_n_steps: Any  # () int32
    gate_delay: Any  # () int32, steps between completing and being paid that the gate looks past
    horizon: Any  # () int32
    sequence_length: int = static(1)
    set_size: int = static(8)
    noise_support: str = static("any")
    reward_function: Any = static(None)  # history, action -> reward, in place of sequences
    pictures: Any = None  # how states are drawn (`polygons.Polygons`), or None where their number is seen

    @property
    def states(self) -> int:
        return self.transitions.shape[-2]

    @property
    def actions(self) -> int:
        return self.transitions.shape[-1]

    @property
    def remembered(self) -> int:
        """How many states a reward function is given, where the step's own two are not enough; else 0."""
        return self.sequence_length + 1 if self.reward_function and self.sequence_length > 1 else 0


@record
class State:
    current: Any  # () int32
    trail: Any  # () int32, the states reached so far, as many as fit: digits of base S + 1, 0 for none
    time: Any  # () int32, steps in this episode
    irrelevant: Any  # () int32, or None
    mode: Any  # () bool, hidden: actions are counted from the last
    history: Any = None  # (remembered,) int32, the last states, newest last, BEFORE padded; or None

    def first_alike(self, alike: Any) -> State:
        """The first of the `alike` neighbouring states that this one looks like."""
        return replace(self, current=self.current - self.current % alike)


def initial(key: jax.Array, params: Params) -> State:
    current = jnp.sum(params.starts <= jax.random.uniform(key), dtype=jnp.int32)
    beside = None
    if params.irrelevant is not None:
        beside = jax.random.randint(stream(key, "irrelevant"), (), 0, params.irrelevant.shape[0])
    past = jnp.full(params.remembered, BEFORE).at[-1].set(current) if params.remembered else None
    return State(current, jnp.int32(0), jnp.int32(0), beside, jnp.bool_(False), past)


def transition(key: jax.Array, params: Params, state: State, action: jax.Array) -> State:
    chosen, beside = action, None
    if params.irrelevant is not None:
        chosen, beside = action[0], params.irrelevant[state.irrelevant, action[1]]
    chosen = jnp.where(state.mode, params.actions - 1 - chosen, chosen)
    return arrive(params, state, params.transitions[state.current, chosen], beside)


def arrive(params: Params, state: State, current: jax.Array, irrelevant: jax.Array | None) -> State:
    base = params.states + 1
    room = base ** (trail_capacity(params.states) - 1)  # the oldest state falls off the trail
    trail = (state.trail % room) * base + current + 1
    past = jnp.append(state.history[1:], current) if params.remembered else None
    return State(current, trail, state.time + 1, irrelevant, state.mode, past)


def noisy_transition(
    function: Any, level: Any, key: jax.Array, params: Params, state: State, action: Any
) -> State:
    """With chance `level` the next state is another, each equally likely; the irrelevant part likewise."""
    after = function(key, params, state, action)
    draws = draw_noise(key)
    group = params.set_size if params.noise_support == "next_set" else params.states
    current = jnp.where(draws[0] < level, draw_another(draws[1], after.current, group), after.current)
    beside = after.irrelevant
    if beside is not None:
        group = params.irrelevant.shape[1 if params.noise_support == "next_set" else 0]
        beside = jnp.where(draws[2] < level, draw_another(draws[3], beside, group), beside)
    return arrive(params, state, current, beside)


def draw_noise(key: jax.Array) -> jax.Array:
    """Whether noise acts and which state it leads to, for each part: (4,) float32."""
    return jax.random.uniform(stream(key, "transition_noise"), (4,))


def report_noise(
    level: Any, key: jax.Array, params: Params, state: State, action: Any, after: State
) -> tuple:
    """It may act at every step, and acts where either part is thrown. The detail is the state reached."""
    thrown = draw_noise(key)[::2] < level
    return True, thrown[0] if after.irrelevant is None else thrown.any(), after.current


def draw_another(draw: jax.Array, label: jax.Array, group: int) -> jax.Array:
    """A label of the same group of `group` labels, other than the given one."""
    if group == 1:
        return label
    shift = 1 + jnp.minimum(jnp.int32(draw * (group - 1)), group - 2)
    return label - label % group + (label % group + shift) % group


def reward_by_sequence(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    return value_of(params, after.trail, params.sequence_length) * gate(params, after)


def reward_denser(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    """Pays i/n for each prefix of length i that the agent is on; their `values` are added up when built."""
    total = reward_by_sequence(key, params, state, action, after)
    for length in range(1, params.sequence_length):
        total = total + value_of(params, after.trail, length)
    return total


def reward_by_table(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    return params.payoff[state.current, relevant_action(params, action)] * gate(params, after)


def reward_by_function(key: jax.Array, params: Params, state: State, action: Any, after: State) -> jax.Array:
    past = after.history if params.remembered else jnp.stack([state.current, after.current])
    paid = params.reward_function(past, relevant_action(params, action))
    return jnp.asarray(paid, jnp.float32) * gate(params, after)


def relevant_action(params: Params, action: jax.Array) -> jax.Array:
    return action if params.irrelevant is None else action[0]


def state_and_action(params: Params, state: State, action: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The arguments of the user's function for reward noise."""
    return state.current, relevant_action(params, action)


def value_of(params: Params, trail: jax.Array, length: int) -> jax.Array:
    """What the last `length` states pay, as a sequence or as a prefix of some."""
    base = params.states + 1
    code = trail % base**length
    position = jnp.searchsorted(params.codes, code, method="scan_unrolled")
    position = jnp.minimum(position, params.codes.shape[0] - 1)
    # Before `length` states are reached the code is a shorter prefix's, which pays for itself elsewhere.
    is_rewardable = (params.codes[position] == code) & (code >= base ** (length - 1))
    return jnp.where(is_rewardable, params.values[position], 0.0)


def gate(params: Params, after: State) -> jax.Array:
    return payment.is_open(params, after.time).astype(jnp.float32)


def observation(key: jax.Array, params: Params, state: State) -> jax.Array:
    return state.current if params.irrelevant is None else jnp.stack([state.current, state.irrelevant])


def picture(key: jax.Array, params: Params, state: State) -> jax.Array:
    return polygons.draw_state(key, params.pictures, jnp.atleast_1d(observation(key, params, state)))


def terminal(params: Params, state: State) -> jax.Array:
    return params.terminals[state.current]


def horizon(params: Params) -> jax.Array:
    return params.horizon


def spaces(params: Params) -> dict:
    states: int | tuple[int, int] = params.states
    actions: int | tuple[int, int] = params.actions
    if params.irrelevant is not None:
        beside = params.irrelevant.shape
        states, actions = (params.states, beside[-2]), (params.actions, beside[-1])
    observed: Space = DiscreteSpace(states)
    if params.pictures is not None:
        observed = polygons.space(params.pictures, parts=1 if params.irrelevant is None else 2)
    return {"action": DiscreteSpace(actions), "reward": Box(-np.inf, np.inf), "observation": observed}


TRANSITION_NOISE = Inner(0.0, "transition_noise", ("transition",), noisy_transition, report=report_noise)
REWARD_NOISE = make_reward_noise(state_and_action)


def build(settings: Discrete, others: Mapping[str, Any]) -> Env:
    """The env of these settings. Of the other settings of the task, `delay` matters to `gate=handout`."""
    tables = generate(settings)
    if tables.states == 1 and "transition_noise" in others:
        raise NotApplicable(
            "transition_noise throws to another state, and this MDP has one; drop it or add states."
        )
    if settings.noise_support == "next_set" and tables.set_size == 1:
        raise NotApplicable(
            "noise_support=next_set needs sets of several states, and these have one; drop it."
        )
    if settings.noise_support == "next_set" and tables.transitions.shape[0] % tables.set_size:
        raise NotApplicable("noise_support=next_set needs states in sets of equal size; leave it at any.")
    every = settings.reward_every_n_steps or tables.sequence_length
    if settings.make_denser and tables.payoff is not None:
        raise NotApplicable(
            "make_denser pays for parts of sequences, and reward_function pays for none; drop one of them."
        )
    codes, values = add_prefixes(tables, settings) if settings.make_denser else (tables.codes, tables.values)
    params = Params(
        transitions=jnp.asarray(tables.transitions),
        terminals=jnp.asarray(tables.terminals),
        starts=jnp.asarray(cumulate(tables.starts)),
        codes=jnp.asarray(codes),
        values=jnp.asarray(values),
        payoff=None if tables.payoff is None else jnp.asarray(tables.payoff),
        irrelevant=None if tables.irrelevant is None else jnp.asarray(tables.irrelevant),
        reward_every_n_steps=jnp.int32(every),
        gate_delay=jnp.int32(payment.steps_to_payment(settings, others)),
        horizon=jnp.int32(settings.horizon),
        sequence_length=tables.sequence_length,
        set_size=tables.set_size,
        noise_support=settings.noise_support,
        reward_function=trace_reward_function(settings, tables),
        pictures=polygons.make_polygons(settings, count_labels(tables))
        if settings.image_representations
        else None,
    )
    reward = reward_by_sequence if tables.payoff is None else reward_by_table
    if params.reward_function:
        reward = reward_by_function
    if settings.make_denser:
        reward = reward_denser
    check_reward_noise(others, int_shape(), int_shape())
    look = picture if settings.image_representations else observation
    return Env(params, initial, transition, reward, look, terminal, horizon, spaces)


def render(settings: Discrete, params: Params, state: State) -> jax.Array:
    """The picture of a state, for people: RGB, [x, y, 3], and never transformed."""
    states = [state.current] if state.irrelevant is None else [state.current, state.irrelevant]
    beside = 0 if params.irrelevant is None else params.irrelevant.shape[0]
    return polygons.draw_portrait(settings, jnp.stack(states), count=max(params.states, beside))


def count_labels(tables: Tables) -> int:
    """How many states there are to draw, in the larger part."""
    return max(tables.states, 0 if tables.irrelevant is None else tables.irrelevant.shape[0])


def trace_reward_function(settings: Discrete, tables: Tables) -> Any:
    """The user's own function, tried on the shapes that it will meet; None where there is none."""
    if not is_function(settings.reward_function):
        return None
    takes = {"history": int_shape(tables.sequence_length + 1), "action": int_shape()}
    return trace_function("reward_function", settings.reward_function, takes)


def cumulate(chances: np.ndarray) -> np.ndarray:
    """Chances added up, (S,) float32; past 1 from the last possible state on: no draw falls off the end."""
    total = np.cumsum(chances).astype(np.float32)
    total[np.flatnonzero(chances)[-1] :] = 2.0
    return total


def add_prefixes(tables: Tables, settings: Discrete) -> tuple[np.ndarray, np.ndarray]:
    """The sequences and all their proper prefixes, codes sorted, with what being on each of them pays."""
    base, length = tables.transitions.shape[0] + 1, tables.sequence_length
    paid = dict(zip(tables.codes.tolist(), tables.values.tolist()))
    for code, value in zip(tables.codes.tolist(), tables.values.tolist()):
        for missing in range(1, length):
            prefix, share = code // base**missing, (length - missing) / length
            if settings.make_denser_mode == "per_length":
                paid[prefix] = share
            else:
                paid[prefix] = paid.get(prefix, 0.0) + value * share
    codes = np.array(sorted(paid), np.int32)
    return codes, np.array([paid[code] for code in codes.tolist()], np.float32)
