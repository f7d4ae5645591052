"""What DQN learns from: its state, the batch, what the outputs should be, and one update.

Beside the algorithm of Mnih et al. (2015) here are what Rainbow (Hessel et al. 2018) puts together, each by
itself: double Q-learning (van Hasselt et al. 2016), prioritised replay (`prioritised.py`), returns of several
steps (`n_step.py`), dueling and categorical outputs (`value_head.py`) and noisy layers (`noisy.py`); and
Munchausen's rewards (Vieillard et al. 2020).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import optax

from assay.agents.adam import Moments, adam, no_moments
from assay.agents.dqn_config import Config
from assay.agents.dqn_memory import as_seen, first_memory, new_params
from assay.agents.n_step import returns_from
from assay.agents.network import Network
from assay.agents.noisy import disturb, with_spread
from assay.agents.on_policy_config import GRU
from assay.agents.prioritised import draw_rows, importance, no_priorities, set_errors
from assay.agents.replay import Transition, empty_replay
from assay.agents.value_head import project, returns_of, rows_of, values_of
from assay.core.env import record
from assay.core.keys import stream
from assay.core.space import Space


@record
class Learner:
    params: Any
    target: Any
    optimiser: Moments
    replay: Transition  # (kept,) of each: the transition of step i in row i, modulo their number
    step: Any  # () int32, env steps made
    priorities: Any = ()  # `Priorities`, or () where all transitions are drawn alike
    memories: Any = ()  # (kept,) of each: the memory of a core before the step in this row; () without one


def new_learner(key: jax.Array, spaces: dict[str, Space], config: Config) -> Learner:
    """A learner before its first step."""
    params = new_params(stream(key, "network"), config, spaces)
    if config.noisy:
        params = with_spread(params, config.noise)
    replay = empty_replay(as_seen(config, spaces)["observation"], jnp.int32(0), config.kept)
    priorities = no_priorities(config.kept) if config.prioritised else ()
    memories = empty_memories(config, spaces, params)
    return Learner(params, params, no_moments(params), replay, jnp.int32(0), priorities, memories)


def empty_memories(config: Config, spaces: dict[str, Space], params: Any) -> Any:
    if config.memory != GRU:
        return ()
    one = first_memory(spaces, params)
    return jax.tree.map(lambda leaf: jnp.zeros((config.kept, *leaf.shape), leaf.dtype), one)


def next_values(target: jax.Array, own: jax.Array | None) -> jax.Array:
    """The values of the next actions, (batch,), from the target's values, (batch, actions).

    These are the target's best, or in double Q-learning (van Hasselt et al. 2016) the target's values of the
    actions that the network, whose values are `own`, would choose.
    """
    if own is None:
        return target.max(-1)
    return (target * jax.nn.one_hot(own.argmax(-1), target.shape[-1])).sum(-1)


def draw(config: Config, key: jax.Array, learner: Learner) -> tuple[jax.Array, jax.Array | None]:
    """The rows of the replay for an update, and how much each counts; None where all count alike."""
    filled = jnp.minimum(learner.step, config.kept)
    if not config.prioritised:
        return jax.random.randint(key, (config.batch,), 0, filled), None
    rows, likely = draw_rows(key, learner.priorities, config.batch)
    made_up = config.importance + (1 - config.importance) * jnp.minimum(learner.step / config.steps, 1.0)
    return rows, importance(likely, filled, made_up)


def paid_to(config: Config, reward: jax.Array) -> jax.Array:
    """The rewards that are learned from."""
    return jnp.sign(reward) if config.clip else reward


def aims(
    config: Config, reward: jax.Array, goes_on: jax.Array, following: jax.Array, own: jax.Array | None
) -> jax.Array:
    """What the outputs for the chosen actions should be, (batch,): values, or with atoms their chances.

    `goes_on` is what a value after the step is worth. `following` is what the target says of the observations
    after, and `own` what the network says of them.
    """
    if config.atoms == 1:
        values = values_of(config.head, following)
        if config.munchausen:
            return reward + goes_on * soft_values(config, values)
        return reward + goes_on * next_values(values, own)
    judged = values_of(config.head, following) if own is None else own
    picked = jax.nn.one_hot(judged.argmax(-1), judged.shape[-1])[..., None]
    likely = jax.nn.softmax((rows_of(config.head, following) * picked).sum(-2))
    returns = reward[:, None] + goes_on[:, None] * returns_of(config.head)
    return project(config.head, returns, likely)


def soft_values(config: Config, values: jax.Array) -> jax.Array:
    """What the softmax policy over these values earns and what its entropy is worth, (batch,)."""
    return config.temperature * jax.nn.logsumexp(values / config.temperature, -1)


def bonus(config: Config, values: jax.Array, action: jax.Array) -> jax.Array:
    """What is paid for actions that the policy finds likely already (Vieillard et al. 2020), (batch,)."""
    logs = config.temperature * jax.nn.log_softmax(values / config.temperature)
    chosen = (logs * jax.nn.one_hot(action, values.shape[-1])).sum(-1)
    return config.munchausen * jnp.clip(chosen, -1.0, 0.0)


def errors_of(config: Config, outputs: jax.Array, action: jax.Array, wanted: jax.Array) -> Any:
    """How wrong the outputs for the chosen actions are, (batch,): as a loss, and as a priority."""
    rows = rows_of(config.head, outputs)
    chosen = (rows * jax.nn.one_hot(action, rows.shape[-2])[..., None]).sum(-2)
    if config.atoms == 1:
        return optax.huber_loss(chosen[:, 0], wanted, delta=config.huber), chosen[:, 0] - wanted
    off = -(wanted * jax.nn.log_softmax(chosen)).sum(-1)
    return off, off


def update(
    config: Config, key: jax.Array, learner: Learner, q: Callable[[Any], Network], target_q: Network | None,
    lanes: int = 1,
) -> Learner:  # fmt: skip
    """One gradient step on a batch from the replay, whose rows are of so many lanes in turn.

    `q` gives the network of params, `target_q` is that of the target; None where its noise is to be drawn.
    """
    rows, weights = draw(config, key, learner)
    # A time limit is not an ending: only termination stops the bootstrap.
    batch = returns_from(learner.replay, learner.step, rows, config.n_step, config.discount, lanes)
    target_q = target_q or q(disturb(stream(key, "target"), learner.target))
    following, own = jax.vmap(target_q)(batch.after), None
    if config.double:
        own = jax.vmap(q(disturb(stream(key, "own"), learner.params)))(batch.after)
        own = values_of(config.head, own)
    if config.munchausen:
        before = values_of(config.head, jax.vmap(target_q)(batch.observation))
        batch = replace(batch, reward=batch.reward + bonus(config, before, batch.action))
    wanted = aims(config, batch.reward, batch.discount, following, own)

    def loss(params: Any) -> Any:
        outputs = jax.vmap(q(disturb(stream(key, "online"), params)))(batch.observation)
        off, errors = errors_of(config, outputs, batch.action, wanted)
        return (off if weights is None else weights * off).mean(), errors

    gradient, errors = jax.grad(loss, has_aux=True)(learner.params)
    params, optimiser = adam(
        gradient, learner.params, learner.optimiser, config.learning_rate, config.adam_epsilon
    )
    priorities = learner.priorities
    if config.prioritised:
        priorities = set_errors(priorities, rows, errors, config.priority)
    return replace(learner, params=params, optimiser=optimiser, priorities=priorities)


def copy_target(config: Config, learner: Learner) -> Learner:
    """The learner before a round, with the network copied into the target where that is due."""
    due = learner.step % config.target_every == 0
    return replace(learner, target=jax.tree.map(partial(jnp.where, due), learner.params, learner.target))
