"""The best blind policy, which does not look: one action held, another one pressed now and then.

A score alone does not show that an agent sees: on the platformer, holding RIGHT and pressing JUMP now and
then clears most levels. Here every such policy of a family plays the same levels, and the best one is kept.
Config, policies, act, search, train: in that order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents.agent import (
    Agent,
    Trained,
    how_many,
    numbered_actions,
    require_fit,
    require_steps,
    with_number,
)
from assay.agents.tally import Report
from assay.core import step as loop
from assay.core.env import Task, World
from assay.core.keys import stream
from assay.errors import AssayError, NotApplicable

SCORE = "score"


@dataclass(frozen=True)
class Config:
    steps: int = 4_000_000  # env steps of the search, shared by all policies; one round is always played
    levels: int = 8  # episodes that every policy plays in a round
    hold: int = 2  # the action that is held; of the platformer, RIGHT
    press: int = 6  # the action pressed now and then; of the platformer, RIGHT and JUMP
    longest: int = 40  # steps between two presses, from 2 up to this
    held: tuple[int, ...] = (1, 2, 4, 8)  # steps for which a press lasts, where the period is longer
    choose: str = SCORE  # by the mean of this: the score, or a number that the env's state holds

    def __post_init__(self) -> None:
        counts = {"steps": self.steps, "levels": self.levels, "longest": self.longest}
        counts |= {f"held[{i}]": steps for i, steps in enumerate(self.held)}
        require_steps("blind", **{name: (count, 1) for name, count in counts.items()})
        if min(self.hold, self.press) < 0:
            raise AssayError(f"hold and press of blind are actions from 0 up, not {self.hold}, {self.press}.")


class Policy(NamedTuple):
    """`press` in the last `held` steps of every `period`, `hold` in the others; () int32 each."""

    period: Any
    held: Any
    hold: Any
    press: Any


def policies(config: Config) -> Policy:
    """The family, (policies,) each: one action held, the other one held, then every period and duration."""
    pairs = [(1, 0), (1, 1)]
    pairs += [(p, h) for h in config.held for p in range(2, config.longest + 1) if h < p]
    period, held = jnp.asarray(pairs, jnp.int32).T
    return Policy(period, held, jnp.full_like(held, config.hold), jnp.full_like(held, config.press))


def start_memory(task: Task, policy: Policy) -> Any:
    """The number of steps of the episode so far, () int32: all that the agent knows."""
    return jnp.int32(0)


def act(
    task: Task, policy: Policy, steps: jax.Array, key: jax.Array, observation: None
) -> tuple[jax.Array, jax.Array]:
    """The action after `steps` steps of the episode."""
    return with_number(loop.spaces(task)["action"], number_after(policy, steps)), steps + 1


def number_after(policy: Policy, steps: jax.Array) -> jax.Array:
    pressed = steps % policy.period >= policy.period - policy.held
    return jnp.where(pressed, policy.press, policy.hold)


def chances(task: Task, policy: Policy, steps: jax.Array, observation: None) -> jax.Array:
    """All on the action of this step, whatever there is to see."""
    return jax.nn.one_hot(number_after(policy, steps), how_many(loop.spaces(task)["action"]))


class Outcome(NamedTuple):
    """The outcome of one episode, or sums over several; the best policy is chosen by `value`."""

    value: Any
    score: Any
    paid: Any
    steps: Any


class Playing(NamedTuple):
    """An episode under way."""

    world: World
    memory: Any
    so_far: Outcome
    ended: Any  # () bool


class Search(NamedTuple):
    sums: Outcome  # (policies,) float32 each
    levels: Any  # () int32, played by every policy
    steps: Any  # () int32, env steps so far


def episode(task: Task, config: Config, policy: Policy, key: jax.Array) -> Outcome:
    """The outcome of one level, played without pictures."""

    def one_step(playing: Playing) -> Playing:
        now = jax.random.fold_in(key, playing.world.time + 1)
        chosen, memory = act(task, policy, playing.memory, stream(now, "agent"), None)
        out = loop.advance(task, now, playing.world, chosen)
        _, score, paid, steps = playing.so_far
        so_far = Outcome(0.0, score + out.score, paid + out.reward, steps + 1)
        return Playing(out.state, memory, so_far, out.terminated | out.truncated)

    first = loop.start(task, jax.random.fold_in(key, 0))
    nothing = Outcome(*[jnp.float32(0)] * 4)
    playing = Playing(first, start_memory(task, policy), nothing, jnp.bool_(False))
    world, _, outcome, _ = jax.lax.while_loop(lambda playing: ~playing.ended, one_step, playing)
    value = outcome.score if config.choose == SCORE else getattr(world.state, config.choose)
    return outcome._replace(value=jnp.asarray(value, jnp.float32))


def one_round(task: Task, config: Config, family: Policy, key: jax.Array, search: Search) -> Search:
    """Every policy plays the next levels, all of them the same ones."""
    keys = jax.vmap(partial(jax.random.fold_in, key))(search.levels + jnp.arange(config.levels))
    over_levels = jax.vmap(partial(episode, task, config), in_axes=(None, 0))
    outcomes = jax.vmap(over_levels, in_axes=(0, None))(family, keys)  # (policies, levels) each
    sums = jax.tree.map(lambda so_far, new: so_far + new.sum(-1), search.sums, outcomes)
    steps = search.steps + outcomes.steps.sum().astype(jnp.int32)
    return Search(sums, search.levels + config.levels, steps)


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Plays rounds of levels as long as the steps last, and keeps the best policy; score breaks ties."""
    require_fit("blind", numbered_actions(loop.spaces(task)))
    require_choice(task, config)
    family = policies(config)
    play = partial(one_round, task, config, family, stream(key, "levels"))
    nothing = Search(Outcome(*[jnp.zeros(family.period.shape)] * 4), jnp.int32(0), jnp.int32(0))

    def has_steps_left(search: Search) -> Any:
        rounds = jnp.maximum(search.levels // config.levels, 1)
        return search.steps + search.steps // rounds <= config.steps  # the next is as long as those before

    search = jax.lax.while_loop(has_steps_left, play, nothing)
    mean = jax.tree.map(lambda sums: sums / search.levels, search.sums)
    best = jnp.argmax(jnp.where(mean.value == mean.value.max(), mean.score, -jnp.inf))
    policy, outcome = jax.tree.map(lambda leaf: leaf[best], (family, mean))
    report = Report(search.steps, outcome.score, outcome.paid, outcome.steps, search.levels)
    return Trained(policy, *jax.tree.map(lambda leaf: leaf[None], (report, policy)))


def require_choice(task: Task, config: Config) -> None:
    """Refuses actions that the task does not have, and a `choose` that its state does not hold."""
    count = how_many(loop.spaces(task)["action"])
    if max(config.hold, config.press) >= count:
        raise NotApplicable(
            f"hold and press of blind are actions from 0 to {count - 1} here, not {config.hold} and "
            f"{config.press}; set both."
        )
    # Traced, since a state may compute a number when it is read, as the platformer's does its progress.
    held = jax.eval_shape(
        lambda key: getattr(loop.start(task, key).state, config.choose, None), jax.random.key(0)
    )
    if config.choose != SCORE and getattr(held, "shape", None) != ():
        raise NotApplicable(
            f"choose of blind is {SCORE}, or a number that the env's state holds, not {config.choose!r}."
        )


AGENT = Agent(Config, train, act, numbered_actions, start_memory=start_memory, looks=False, chances=chances)
