"""What every agent provides: how it is trained, its memory in an episode, and how it acts.

    train(key, task, config) -> Trained
    start_memory(task, params) -> memory                              before each episode; () keeps nothing
    act(task, params, memory, key, observation) -> action, memory     one step
    chances(task, params, memory, observation) -> probabilities       optional: how likely each action is

All are pure and jittable, so seeds are a `vmap`; `train` returns all that is known of the training.
Memory is a pytree of arrays of constant shapes; `()` has none, so it costs nothing. An action is a value of
the task's action space: `()` int32 for one whole number, `(n,)` int32 for several (each entry counted from
`start`), an array of the Box's shape and type where actions are continuous. An agent that chooses among
numbered actions turns a number into such a value by `with_number`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import prod
from operator import attrgetter
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents.shipped import Shipped
from assay.agents.tally import Report
from assay.core.env import Task
from assay.core.keys import stream
from assay.core.space import Discrete, Opaque, Space
from assay.errors import AssayError, NotApplicable

MOST_ACTIONS = 4096

Act = Callable[..., tuple[Any, Any]]  # task, params, memory, key, observation -> action, memory
# task, params, memory, observation -> (actions,) float32: the probability of each numbered action
Chances = Callable[..., jax.Array]


class Trained(NamedTuple):
    params: Any  # what `act` needs; a pytree of arrays
    reports: Report  # (reports,) each
    checkpoints: Any = ()  # the params at every report, (reports, ...); () where nothing is learned


def require_steps(agent: str, **counts: tuple[int, int]) -> None:
    """Refuses step counts that are no multiples: name=(count, what it must be a multiple of)."""
    for name, (count, of) in counts.items():
        if of < 1 or count < of or count % of:
            takes = f"{of} or a multiple of it" if of > 1 else "a whole number from 1 up"
            raise AssayError(f"{name} of {agent} must be {takes}, not {count}.")


def require_between(agent: str, low: float, high: float, **numbers: float) -> None:
    for name, number in numbers.items():
        if not low <= number <= high:
            raise AssayError(f"{name} of {agent} must lie between {low:g} and {high:g}, not at {number:g}.")


def require_one_of(agent: str, name: str, value: str, choices: Collection[str]) -> None:
    if value not in choices:
        raise AssayError(f"{name} of {agent} is one of {', '.join(choices)}, not {value!r}.")


def how_many(space: Space) -> int:
    """The number of values of a Discrete space; if a value is several numbers, every combination is one."""
    assert isinstance(space, Discrete), "other values have no numbers"
    return prod(space.n) if isinstance(space.n, tuple) else space.n


def with_number(space: Space, number: jax.Array) -> jax.Array:
    """The value with this number, counted from 0: mixed radix, the last entry runs fastest."""
    assert isinstance(space, Discrete), "other values have no numbers"
    if not isinstance(space.n, tuple):
        return space.start + number
    digits = []
    for n in reversed(space.n):
        digits.append(number % n)
        number = number // n
    return space.start + jnp.stack(digits[::-1], axis=-1)


def number_of(space: Space, value: jax.Array) -> jax.Array:
    """The number of a value; the inverse of `with_number`."""
    assert isinstance(space, Discrete), "other values have no numbers"
    if not isinstance(space.n, tuple):
        return value - space.start
    number = jnp.zeros((), jnp.int32)
    for i, n in enumerate(space.n):
        number = number * n + value[..., i] - space.start
    return number


def stream_at(key: jax.Array, name: str, number: Any) -> jax.Array:
    """The key of a stream by name at one of its numbers, such as a step."""
    return jax.random.fold_in(stream(key, name), number)


def no_memory(task: Task, params: Any) -> tuple[()]:
    """The memory of an agent that acts by the observation alone."""
    return ()


def any_spaces(spaces: dict[str, Space]) -> str:
    return ""


def any_settings(config: Any, spaces: dict[str, Space]) -> str:
    return ""


def numbered_actions(spaces: dict[str, Space]) -> str:
    """The reason why an agent that chooses among numbered actions cannot act in these spaces, or ""."""
    action = spaces["action"]
    if isinstance(action, Opaque):
        return f"it chooses among numbered actions, and these are a {action.what}"
    if not isinstance(action, Discrete):
        return f"it chooses among numbered actions, and these are a Box of shape {action.shape}"
    if how_many(action) > MOST_ACTIONS:
        return f"it would choose among {how_many(action):,} actions, and {MOST_ACTIONS:,} is the most"
    return ""


def numbers_to_see(spaces: dict[str, Space]) -> str:
    """The reason why a network of values cannot learn from hosted envs with these spaces, or ""."""
    space = spaces["observation"]
    if isinstance(space, Opaque):
        return f"its network sees numbers, and these observations are a {space.what}"
    return numbered_actions(spaces)


def require_fit(agent: str, why: str) -> None:
    if why:
        raise NotApplicable(f"{agent} does not fit this task: {why}; try random.")


class LaneSteps(NamedTuple):
    """One step of every lane, (lanes, ...) each."""

    observation: Any
    action: Any  # a value of the action space
    reward: Any
    after: Any  # the true last observation where an episode ended
    terminated: Any  # bool; where the episode was cut it is False
    cut: Any  # bool; whether a time limit ended the episode


@dataclass(frozen=True)
class LaneLearner:
    """How an agent learns from envs that are played outside of any program, some lanes side by side.

    These are pure functions for the caller to compile: it plays the actions of `choose`, one per lane, and
    passes the steps to `learn`. They use nothing of the task but its spaces. The config has `steps`, env
    steps of all lanes together, and `report_every`.
    """

    lanes: Callable[[Any], int]  # config -> how many envs are played side by side
    start: Callable[..., Any]  # key, task, config -> state
    choose: Callable[..., Any]  # task, config, state, observations -> actions
    learn: Callable[..., Any]  # task, config, state, LaneSteps -> state
    params: Callable[..., Any]  # state -> the params that `act` needs
    fits: Callable[[dict[str, Space]], str] = any_spaces  # why it cannot learn in these spaces, or ""
    # config, spaces -> why these settings are of no use there, beside those that are of none anywhere, or ""
    fits_settings: Callable[[Any, dict[str, Space]], str] = any_settings
    last_step: Callable[[Any], int] = attrgetter("steps")  # config -> the env steps that it makes in all
    saves: bool = False  # whether its state is small enough to be saved now and then, to go on from


@dataclass(frozen=True)
class PieceLearner:
    """How an agent is trained piece by piece: the training of its `train`, bit for bit, however it is cut."""

    report_at: Callable[
        [Any], tuple[int, ...]
    ]  # config -> iterations before each report, the last is the end
    start: Callable[..., Any]  # key, task, config -> state
    advance: Callable[..., Any]  # key, task, config, state, iterations, which may be traced -> state
    report: Callable[..., tuple[Any, Report]]  # config, state -> state, report
    params: Callable[[Any], Any]  # state -> the params that `act` needs


@dataclass(frozen=True)
class Agent:
    """An agent by its parts; `config` is the class of its settings, whose defaults are published ones."""

    config: type
    train: Callable[..., Trained]  # key, task, config
    act: Act
    fits: Callable[[dict[str, Space]], str] = any_spaces  # why it cannot act in a task's spaces, or ""
    acts: Callable[[Any], Act] | None = None  # config -> act, where settings decide how params act
    step_s: float = 1e-5  # CPU-seconds of a training step on a plain core, for the guess of `--dry-run`
    # config, spaces -> the same where settings decide it
    step_cost: Callable[[Any, dict[str, Space]], float] | None = None
    picture_step_s: float = 0.0  # the same where it sees pictures; 0: no other than elsewhere
    picture_act_s: float = 0.0  # CPU-seconds of choosing an action by a picture
    start_memory: Callable[..., Any] = no_memory  # task, params -> memory, before each episode
    looks: bool = True  # False: its actions never depend on observations, so none is made for it
    sees: bool = True  # False: its actions never depend on observations, so no pictures are drawn for it
    draws: bool | Callable[[Any], bool] = True  # whether `act` uses its key, or config -> whether it does
    learner: LaneLearner | None = None  # how it learns on hosted tasks; None where it does not
    hosted: bool = False  # whether one that comes trained plays hosted tasks
    # Whether one seed fills a device, so that seeds are trained one after another; or spaces -> whether so
    alone: bool | Callable[[dict[str, Space]], bool] = False
    # config, spaces -> the same where settings decide it: seeds beside one another would not have equal bits
    alone_with: Callable[[Any, dict[str, Space]], bool] | None = None
    chances: Chances | None = None  # the distribution that `act` draws from; None where it cannot tell
    tells: Callable[[Any], Chances] | None = None  # config -> chances, where settings decide them
    pieces: PieceLearner | None = None  # how a training of it can be stopped and go on; None where it cannot
    load: Callable[[], Any] | None = (
        None  # the params of an agent that comes trained; None: `train` makes them
    )
    shipped: Shipped | None = None  # the file of these params
    # config, spaces -> why these settings are of no use there, or ""
    fits_settings: Callable[[Any, dict[str, Space]], str] = any_settings

    @property
    def on_hosts(self) -> bool:
        """Whether it can be used on hosted tasks."""
        return self.hosted or self.learner is not None

    @property
    def uses_observations(self) -> bool:
        """Whether its actions can depend on observations."""
        return self.looks and self.sees

    def draws_with(self, config: Any) -> bool:
        """Whether `act` uses its key under these settings."""
        return self.draws(config) if callable(self.draws) else self.draws

    def act_of(self, config: Any) -> Act:
        """The function `act` for params that were trained with these settings; equal ones are one object."""
        return self.act if self.acts is None else self.acts(config)

    def chances_of(self, config: Any) -> Chances | None:
        """The same of `chances`; None where the agent cannot tell its action distribution."""
        return self.chances if self.tells is None else self.tells(config)
