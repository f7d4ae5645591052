"""Steps of random play on a native task with countable states, logged as whole numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.catalogue import load
from assay.core import step as loop
from assay.core.keys import root_of
from assay.core.space import Discrete
from assay.errors import NotApplicable
from assay.native import build_native
from assay.tasks import Resolved

LANES = 500


class StepLog(NamedTuple):
    """Steps of episodes that follow each other in each lane; parts of states and observations as they are."""

    states: np.ndarray  # (n,) coded
    seen: np.ndarray  # (n,) coded
    actions: np.ndarray  # (n,) coded
    after: np.ndarray  # (n,) coded like `states`
    executed: np.ndarray  # (n,) coded like `actions`
    parts_before: np.ndarray  # (n, parts) of the state, the hidden mode last
    parts_after: np.ndarray  # (n, parts)
    paid: np.ndarray  # (n,) rewards
    lane: np.ndarray  # (n,)


def log_steps(resolved: Resolved, samples: int, seed: int = 0) -> StepLog:
    """At least `samples` steps of uniform choices; refused where they are no whole numbers."""
    if not resolved.entry.native or not resolved.entry.truth:
        raise NotApplicable(f"the states of {resolved.text.env} cannot be counted; log labels of your own.")
    task = build_native(resolved).task
    spaces = loop.spaces(task)
    for name in ("action", "observation"):
        if not isinstance(spaces[name], Discrete):
            raise NotApplicable(
                f"the {name}s of {resolved.text} are no whole numbers; log labels of your own."
            )
    watch = load(resolved.entry.truth).watch
    steps = -(-samples // LANES)
    played = play(task, watch, spaces["action"], root_of(seed), steps)
    before, seen, actions, after, executed, paid = (
        np.asarray(part).reshape(steps * LANES, -1) for part in played
    )
    both = code_rows(np.concatenate([before, after]))
    acts = code_rows(np.concatenate([actions, executed]))
    lane = np.tile(np.arange(LANES), steps)
    size = len(before)
    return StepLog(
        both[:size], code_rows(seen), acts[:size], both[size:], acts[size:], before, after, paid[:, 0], lane
    )


def code_rows(rows: np.ndarray) -> np.ndarray:
    """(n,) each row as one number."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def play(task: Any, watch: Any, space: Any, key: jax.Array, steps: int) -> tuple[Any, ...]:
    """(steps, LANES, ...) each: state, what is seen, action, state after, action executed, reward."""
    first, rest = jax.random.split(key)
    seen, worlds = jax.vmap(lambda k: loop.reset(task, k))(jax.random.split(first, LANES))
    low, sizes = space.start, jnp.asarray(space.n)

    def parts(worlds: Any) -> jax.Array:
        flat = [jnp.asarray(part, jnp.int32).reshape(LANES, -1) for part in watch(worlds.state)]
        return jnp.concatenate(flat, axis=1)

    def one(carry: Any, key: jax.Array) -> tuple[Any, Any]:
        seen, worlds = carry
        choose, move, renew = jax.random.split(key, 3)
        actions = jax.random.randint(choose, (LANES, *space.shape), low, low + sizes)
        keys, again = (jax.random.split(each, LANES) for each in (move, renew))
        now, worlds_now, out, _ = loop.autoreset(task, keys, again, worlds, actions)
        row = parts(worlds), seen, actions, parts(out.state), out.executed, out.reward
        return (now, worlds_now), row

    _, rows = jax.jit(lambda carry, keys: jax.lax.scan(one, carry, keys))(
        (seen, worlds), jax.random.split(rest, steps)
    )
    return tuple(rows)
