"""How DQN with a core learns: from sequences of the replay, as R2D2 does (Kapturowski et al. 2019).

A batch is so many windows of steps in a row, each of one env. The first `burn_in` steps of a window fill the
memory of the core, and nothing is learned there; from the `sequence` steps after them every value is learned,
and gradients go back as far as these. A window begins with the memory that was stored when its first step was
played, or with zeros. Where an episode begins inside a window, nothing is remembered of the one before.

What follows a step is judged by the core's state there and the true observation after it, so an end or a cut
inside a window needs no step that is not there. Returns over n steps end where the window does. Of R2D2 there
is neither its distribution over actors, nor its priorities of sequences, nor its rescaled values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents import gru
from assay.agents.adam import adam
from assay.agents.dqn_config import ZERO, Config
from assay.agents.dqn_memory import NO_ACTION, Recall, Recurrent, Spaces, with_action
from assay.agents.dqn_update import Learner, aims, bonus, errors_of
from assay.agents.n_step import take
from assay.agents.network import outputs
from assay.agents.replay import Transition
from assay.agents.value_head import values_of


class Windows(NamedTuple):
    """Steps in a row, (steps, batch, ...) each, and the memory before the first."""

    rows: Transition
    begins: Any  # bool, whether an episode begins there
    before: Any  # int32, the number of the action before, or that of none
    memory: Any  # (batch, width)


class Returns(NamedTuple):
    """Returns from every step, (steps, batch) each."""

    reward: Any  # discounted and added up
    discount: Any  # what a value after the last of them counts; 0 where nothing follows
    last: Any  # int32, the step that is the last of them


def draw_windows(config: Config, key: jax.Array, learner: Learner, lanes: int = 1) -> Windows:
    """So many windows, each as likely as the others; all of their steps are in the ring."""
    oldest = jnp.maximum(learner.step - config.kept, 0)
    newest = learner.step - (config.window - 1) * lanes  # the first of which the window would not be full
    first = jax.random.randint(key, (config.batch,), oldest, newest)
    places = (first + jnp.arange(config.window)[:, None] * lanes) % config.kept
    rows: Transition = jax.tree.map(lambda leaf: take(leaf, places), learner.replay)
    stored: Recall = jax.tree.map(lambda leaf: take(leaf, places[0]), learner.memories)
    memory = jnp.zeros_like(stored.state) if config.memory_start == ZERO else stored.state
    return windows_of(rows, Recall(stored.action, memory))


def windows_of(rows: Transition, memory: Recall) -> Windows:
    """The same of rows in a row; a memory that was stored where an episode begins is that of a beginning."""
    begins = jnp.concatenate([jnp.zeros_like(rows.ended[:1]), rows.ended[:-1]])
    before = jnp.concatenate([memory.action[None], rows.action[:-1]])
    return Windows(rows, begins, jnp.where(begins, NO_ACTION, before), memory.state)


def unroll(
    config: Config, spaces: Spaces, params: Recurrent, windows: Windows
) -> tuple[jax.Array, jax.Array]:
    """The network's outputs at every learned step and after it, (sequence, batch, outputs) each."""
    kind, activation = config.network, config.activation

    def see(params: Recurrent, observations: Any, before: jax.Array) -> jax.Array:
        flat = observations.reshape(-1, *observations.shape[2:])
        made = with_action(spaces, params, kind, activation, flat, before.reshape(-1))
        return made.reshape(*before.shape, -1)

    state, cut = windows.memory, config.burn_in
    if cut:  # only the state at its end matters, and it is taken as it is
        still = jax.lax.stop_gradient(params)
        made = see(still, windows.rows.observation[:cut], windows.before[:cut])
        state = gru.remember_all(still.core, state, made, windows.begins[:cut])[-1]
    made = see(params, windows.rows.observation[cut:], windows.before[cut:])
    states = gru.remember_all(params.core, state, made, windows.begins[cut:])
    after = see(params, windows.rows.after[cut:], windows.rows.action[cut:])
    following = gru.remember(params.core, states, after)
    return outputs(params.last, states), outputs(params.last, following)


def returns_inside(rows: Transition, n: int, discount: float) -> Returns:
    """Returns over n steps or less, where an episode or the window ends before."""
    steps = len(rows.reward)
    number = jnp.broadcast_to(jnp.arange(steps)[:, None], rows.reward.shape)
    reward, last = rows.reward, number
    goes_on, weight = jnp.ones(rows.ended.shape, bool), jnp.full(rows.reward.shape, discount, jnp.float32)
    for k in range(1, n):
        following = jnp.minimum(number + k, steps - 1)
        goes_on = goes_on & ~jnp.take_along_axis(rows.ended, last, 0) & (number + k < steps)
        reward = reward + jnp.where(
            goes_on, discount**k * jnp.take_along_axis(rows.reward, following, 0), 0.0
        )
        weight = jnp.where(goes_on, discount ** (k + 1), weight)
        last = jnp.where(goes_on, following, last)
    return Returns(reward, jnp.where(jnp.take_along_axis(rows.terminated, last, 0), 0.0, weight), last)


def update_sequences(
    config: Config, key: jax.Array, learner: Learner, spaces: Spaces, lanes: int = 1
) -> Learner:
    """One gradient step on a batch of windows from the replay, whose rows are of so many lanes in turn."""
    windows = draw_windows(config, key, learner, lanes)
    learned: Transition = jax.tree.map(lambda leaf: leaf[config.burn_in :], windows.rows)
    returns, action = returns_inside(learned, config.n_step, config.discount), learned.action.reshape(-1)

    def after_last(outputs: jax.Array) -> jax.Array:
        picked = jnp.take_along_axis(outputs, returns.last[..., None], 0)
        return picked.reshape(-1, picked.shape[-1])

    at, following = unroll(config, spaces, learner.target, windows)
    own, paid = None, returns.reward.reshape(-1)
    if config.double:
        own = values_of(config.head, after_last(unroll(config, spaces, learner.params, windows)[1]))
    if config.munchausen:
        paid = paid + bonus(config, values_of(config.head, at.reshape(-1, at.shape[-1])), action)
    wanted = aims(config, paid, returns.discount.reshape(-1), after_last(following), own)

    def loss(params: Recurrent) -> jax.Array:
        judged = unroll(config, spaces, params, windows)[0]
        mean: jax.Array = errors_of(config, judged.reshape(-1, judged.shape[-1]), action, wanted)[0].mean()
        return mean

    gradient = jax.grad(loss)(learner.params)
    params, optimiser = adam(
        gradient, learner.params, learner.optimiser, config.learning_rate, config.adam_epsilon
    )
    return replace(learner, params=params, optimiser=optimiser)
