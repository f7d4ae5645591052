"""What every agent gives: `train(key, task, config) -> Trained` and `act(task, params, key, observation)`.

Both are pure and jittable, so seeds are a `vmap`; what happened in training is what `train` returns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.core.env import Step
from assay.core.space import Discrete, Space
from assay.errors import AssayError, NotApplicable

MOST_ACTIONS = 4096


class Report(NamedTuple):
    """What happened between two reports; means over the episodes that finished, NaN where none did."""

    step: jax.Array  # () int32, env steps so far
    score: jax.Array  # () float32, mean episode score
    paid: jax.Array  # () float32, mean of what an episode paid
    length: jax.Array  # () float32, mean episode length
    episodes: jax.Array  # () int32


class Tally(NamedTuple):
    """What a learner keeps for its next report."""

    so_far: jax.Array  # (2,) float32, score and payment of the episode under way
    finished: jax.Array  # (4,) float32, sums over finished episodes: score, payment, length, and their number


def nothing_yet() -> Tally:
    return Tally(jnp.zeros(2), jnp.zeros(4))


def counted(tally: Tally, out: Step) -> Tally:
    """The tally with one more step."""
    ended = out.terminated | out.truncated
    so_far = tally.so_far + jnp.stack([out.score, out.reward])
    told = jnp.stack([*so_far, out.state.time.astype(jnp.float32), jnp.float32(1)])
    return Tally(jnp.where(ended, 0.0, so_far), tally.finished + jnp.where(ended, told, 0.0))


def reported(tally: Tally, step: jax.Array) -> tuple[Tally, Report]:
    """The report of a tally, and the tally after it: an episode under way goes on."""
    score, paid, length, episodes = tally.finished
    told = Report(step, score / episodes, paid / episodes, length / episodes, episodes.astype(jnp.int32))
    return tally._replace(finished=jnp.zeros(4)), told


class Trained(NamedTuple):
    params: Any  # what `act` needs; a pytree of arrays
    reports: Report  # (reports,) each
    checkpoints: Any = ()  # the params at every report, (reports, ...); () where nothing is learned


def require_steps(agent: str, **counts: tuple[int, int]) -> None:
    """Refuses step counts that do not go up: name=(count, what it must be a multiple of)."""
    for name, (count, of) in counts.items():
        if of < 1 or count < of or count % of:
            least = max(of, 1)
            raise AssayError(f"{name} of {agent} must be {least} or a multiple of it, not {count}.")


def require_between(agent: str, low: float, high: float, **numbers: float) -> None:
    for name, number in numbers.items():
        if not low <= number <= high:
            raise AssayError(f"{name} of {agent} must lie between {low:g} and {high:g}, not at {number:g}.")


def require_one_of(agent: str, name: str, value: str, choices: Collection[str]) -> None:
    if value not in choices:
        raise AssayError(f"{name} of {agent} is one of {', '.join(choices)}, not {value!r}.")


def how_many(space: Discrete) -> int:
    """How many values there are; where they are several numbers, every combination is one."""
    return prod(space.n) if space.shape else space.n


def with_number(space: Discrete, number: jax.Array) -> jax.Array:
    """The value with this number, counted from 0: mixed radix, the last entry runs fastest."""
    if not space.shape:
        return space.start + number
    digits = []
    for n in reversed(space.n):
        digits.append(number % n)
        number = number // n
    return space.start + jnp.stack(digits[::-1], axis=-1)


def number_of(space: Discrete, value: jax.Array) -> jax.Array:
    """The number of a value: what `with_number` was given."""
    if not space.shape:
        return value - space.start
    number = jnp.int32(0)
    for i, n in enumerate(space.n):
        number = number * n + value[..., i] - space.start
    return number


def any_spaces(spaces: dict[str, Space]) -> str:
    return ""


def numbered_actions(spaces: dict[str, Space]) -> str:
    """Why an agent that chooses one of a few actions cannot act in these spaces, or ""."""
    action = spaces["action"]
    if not isinstance(action, Discrete):
        return f"it chooses among numbered actions, and these are a Box of shape {action.shape}"
    if how_many(action) > MOST_ACTIONS:
        return f"it would choose among {how_many(action):,} actions, and {MOST_ACTIONS:,} is the most"
    return ""


def require_fit(agent: str, why: str) -> None:
    if why:
        raise NotApplicable(f"{agent} does not fit this task: {why}; try random.")


@dataclass(frozen=True)
class Agent:
    """An agent by its parts; `config` is the class of its settings, its defaults a published setting."""

    config: type
    train: Callable  # key, task, config -> Trained
    act: Callable  # task, params, key, observation -> action
    fits: Callable[[dict[str, Space]], str] = any_spaces  # why it cannot act in a task's spaces, or ""
    acts: Callable[[Any], Callable] | None = None  # config -> act, where settings decide how params act
    step_s: float = 1e-5  # CPU-seconds of a training step on a plain core, for the guess of `--dry-run`
    blind: bool = False  # `act` is given the number of steps made in the episode, and sees nothing

    def act_of(self, config: Any) -> Callable:
        """How params act that were trained with these settings; one function for one manner of acting."""
        return self.act if self.acts is None else self.acts(config)
