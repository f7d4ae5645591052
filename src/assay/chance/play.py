"""Steps of random play on a native task with countable states, logged as whole numbers."""

from __future__ import annotations

from functools import partial
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

LANES, LEAST_LANES = 1000, 100
AT_FIRST = 200_000  # steps: with long episodes there are fewer lanes, so that all can be played to their end
LONGEST = 10_000  # steps of an episode; a longer one is cut


class StepLog(NamedTuple):
    """Steps of whole episodes, which follow each other in each lane; parts of what is logged as they are."""

    states: np.ndarray  # (n,) coded
    seen: np.ndarray  # (n,) coded
    actions: np.ndarray  # (n,) coded
    after: np.ndarray  # (n,) coded like `states`
    executed: np.ndarray  # (n,) coded like `actions`
    parts_before: np.ndarray  # (n, parts) of the state, the hidden mode last
    parts_after: np.ndarray  # (n, parts)
    paid: np.ndarray  # (n,) rewards
    lane: np.ndarray  # (n,)
    episode: np.ndarray  # (n,) counted over all lanes
    cut: bool  # whether some episodes were longer than is played


def log_steps(resolved: Resolved, samples: int, seed: int = 0) -> StepLog:
    """At least `samples` steps of uniform choices; refused where they are no whole numbers.

    Every episode is logged from its start to its end, so that steps count as often as they come in episodes.
    A lane stops with the first episode that ends after its share of the samples: were it to stop before, long
    episodes would be missing more often than short ones.
    """
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
    longest = min(int(resolved.value("horizon", getattr(resolved.settings, "horizon", LONGEST))), LONGEST)
    lanes = min(LANES, max(LEAST_LANES, AT_FIRST // longest))
    due = -(-max(samples, 1) // lanes)
    *played, ended = play(task, watch, spaces["action"], root_of(seed), due + longest - 1, lanes)
    logged, episode = find_whole(np.asarray(ended), due)
    before, seen, actions, after, executed, paid = (
        np.asarray(part).reshape(logged.size, -1)[logged.reshape(-1)] for part in played
    )
    both = code_rows(np.concatenate([before, after]))
    acts = code_rows(np.concatenate([actions, executed]))
    lane, size = np.tile(np.arange(lanes), len(logged))[logged.reshape(-1)], len(before)
    cut = not np.asarray(ended)[due - 1 :].any(axis=0).all()
    return StepLog(
        both[:size], code_rows(seen), acts[:size], both[size:], acts[size:], before, after, paid[:, 0], lane,
        episode[logged], cut,
    )  # fmt: skip


def find_whole(ended: np.ndarray, due: int) -> tuple[np.ndarray, np.ndarray]:
    """(steps, lanes) each: whether a step is logged, and the number of its episode.

    A lane is logged up to the first end at which it has made the steps that are due.
    """
    earlier = np.cumsum(ended, axis=0) - ended  # ends before each step
    logged = earlier - earlier[due - 1] <= 0
    episode = np.arange(ended.shape[1]) * (len(ended) + 1) + earlier
    return logged, np.unique(episode, return_inverse=True)[1].reshape(ended.shape)


def code_rows(rows: np.ndarray) -> np.ndarray:
    """(n,) each row as one number."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


@partial(jax.jit, static_argnames=("watch", "space", "steps", "lanes"))
def play(task: Any, watch: Any, space: Any, key: jax.Array, steps: int, lanes: int) -> tuple[Any, ...]:
    """(steps, lanes, ...) each: state, what is seen, action, state after, action executed, reward, end."""
    first, rest = jax.random.split(key)
    seen, worlds = jax.vmap(lambda k: loop.reset(task, k))(jax.random.split(first, lanes))
    low, sizes = space.start, jnp.asarray(space.n)

    def parts(worlds: Any) -> jax.Array:
        flat = [jnp.asarray(part, jnp.int32).reshape(lanes, -1) for part in watch(worlds.state)]
        return jnp.concatenate(flat, axis=1)

    def one(carry: Any, key: jax.Array) -> tuple[Any, Any]:
        seen, worlds = carry
        choose, move, renew = jax.random.split(key, 3)
        actions = jax.random.randint(choose, (lanes, *space.shape), low, low + sizes)
        keys, again = (jax.random.split(each, lanes) for each in (move, renew))
        now, worlds_now, out, _ = loop.autoreset(task, keys, again, worlds, actions)
        ended = out.terminated | out.truncated
        row = parts(worlds), seen, actions, parts(out.state), out.executed, out.reward, ended
        return (now, worlds_now), row

    _, rows = jax.lax.scan(one, (seen, worlds), jax.random.split(rest, steps))
    return tuple(rows)
