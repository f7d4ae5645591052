"""DQN (Mnih et al. 2015) with a small network, and what Rainbow and Munchausen add to it as switches.

Act, experience, train: in that order. `dqn_config.py` has the settings, `dqn_update.py` what is learned from
a batch, `dqn_lanes.py` the same on hosted tasks; `dqn_memory.py` is what may be remembered within an episode,
and `dqn_sequences.py` what a recurrent core learns from; `q_network.py` holds the kinds of networks,
`replay.py` what is remembered of all steps, `adam.py` the optimiser, and `network_table.py` a trick that
makes tasks with few observations fast; nothing depends on it.

Actions are numbered; if an action is several numbers, every combination has a number. The network has one
output for each number. The defaults are those of MDP Playground's toy experiments. There is one env per seed;
seeds are a `vmap` of `train`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from math import gcd
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp

from assay.agents.agent import (
    Act,
    Agent,
    Chances,
    Trained,
    numbered_actions,
    require_fit,
    stream_at,
    with_number,
)
from assay.agents.dqn_config import Config, settings_unfit
from assay.agents.dqn_lanes import LEARNER
from assay.agents.dqn_memory import as_seen, first_memory, look, recall, step_cost
from assay.agents.dqn_memory import judge as judge_seen
from assay.agents.dqn_sequences import update_sequences
from assay.agents.dqn_update import Learner, copy_target, new_learner, paid_to, update
from assay.agents.explore import best, explore, stray
from assay.agents.network import Layers, Network
from assay.agents.network_table import look_up, most_looked_up
from assay.agents.noisy import disturb, undisturbed
from assay.agents.on_policy_config import GRU
from assay.agents.prioritised import add_rows
from assay.agents.q_network import FULL, network_of
from assay.agents.replay import Transition, remember
from assay.agents.tally import Report, Tally, count_step, empty_tally, take_report
from assay.agents.value_head import PLAIN, Head, values_of
from assay.core import step as loop
from assay.core.env import Task, World, record
from assay.core.keys import stream
from assay.core.space import Space


class Sight(NamedTuple):
    """What of the settings decides how params act."""

    activation: str = "tanh"
    kind: str = FULL
    epsilon: float = 0.0
    head: Head = PLAIN


def sight_of(config: Config) -> Sight:
    return Sight(config.activation, config.network, config.epsilon, config.head)


class Judged(NamedTuple):
    values: Any  # (actions,)
    seen: Any  # what was made of the observation
    carried: Any  # the state of a core after it


def judge(task: Task, params: Any, memory: Any, observation: jax.Array, sight: Sight) -> Judged:
    """The values of the actions at an observation, with the memory before it."""
    spaces = loop.spaces(task)
    seen = look(spaces, memory, observation)
    outputs, carried = judge_seen(spaces, undisturbed(params), memory, seen, sight.kind, sight.activation)
    return Judged(values_of(sight.head, outputs), seen, carried)


def start_memory(task: Task, params: Any) -> Any:
    return first_memory(loop.spaces(task), params)


def act(
    task: Task, params: Any, memory: Any, key: jax.Array, observation: jax.Array, sight: Sight = Sight()
) -> tuple[jax.Array, Any]:
    """The greedy action, or with chance `epsilon` any; where that is 0 nothing is drawn at random."""
    spaces, judged, epsilon = (
        loop.spaces(task),
        judge(task, params, memory, observation, sight),
        sight.epsilon,
    )
    number = stray(key, epsilon, judged.values) if epsilon else best(judged.values)
    after = recall(spaces, judged.seen, judged.carried, memory, number)
    return with_number(spaces["action"], number), after


def chances(
    task: Task, params: Any, memory: Any, observation: jax.Array, sight: Sight = Sight()
) -> jax.Array:
    """How likely `act` is to take each action."""
    values, epsilon = judge(task, params, memory, observation, sight).values, sight.epsilon
    return (1 - epsilon) * jax.nn.one_hot(best(values), len(values)) + epsilon / len(values)


@cache
def with_sight(function: Any, sight: Sight) -> Any:
    """The same function for the same network: another one would compile the evaluation anew."""
    return function if sight == Sight() else partial(function, sight=sight)


def acts(config: Config) -> Act:
    return cast(Act, with_sight(act, sight_of(config)))


def tells(config: Config) -> Chances:
    return cast(Chances, with_sight(chances, sight_of(config)))


@record
class Playing:
    """A learner in its env."""

    learner: Learner
    world: World
    observation: Any
    tally: Tally
    memory: Any = ()  # before the observation


# memory, what is seen -> the network's outputs, and the state of its core
Judge = Callable[[Any, Any], tuple[jax.Array, Any]]


def experience(task: Task, config: Config, key: jax.Array, playing: Playing, judge_now: Judge) -> Playing:
    """One env step into the replay, and a new episode where one ended."""
    step, spaces, memory = playing.learner.step, loop.spaces(task), playing.memory
    seen = look(spaces, memory, playing.observation)
    outputs, carried = judge_now(memory, seen)
    number = explore(config, key, step, values_of(config.head, outputs))
    out = loop.step(task, stream(key, "step"), playing.world, with_number(spaces["action"], number))
    ended = out.terminated | out.truncated
    paid, then = paid_to(config, out.reward), recall(spaces, seen, carried, memory, number)
    transition = Transition(seen, number, paid, look(spaces, then, out.observation), out.terminated, ended)
    # One env per seed and seeds under vmap: both states are computed and one is chosen.
    again = loop.start_after(task, stream(key, "again"), out.state)
    first, again = loop.look(task, stream(key, "again"), again)
    observation, world = jax.tree.map(partial(jnp.where, ended), (first, again), (out.observation, out.state))
    replay, priorities = remember(playing.learner.replay, step, transition), playing.learner.priorities
    if config.prioritised:
        priorities = add_rows(priorities, step % config.kept)
    memories = playing.learner.memories
    if config.memory == GRU:
        memories = remember(memories, step, memory)
    then = jax.tree.map(partial(jnp.where, ended), first_memory(spaces, playing.learner.params), then)
    learner = replace(playing.learner, replay=replay, priorities=priorities, step=step + 1, memories=memories)
    return Playing(learner, world, observation, count_step(playing.tally, out), then)


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable; vmap it over keys and stacked tasks for many seeds."""
    spaces = loop.spaces(task)
    require_fit(config.name, numbered_actions(spaces) or settings_unfit(config, spaces))
    seen = as_seen(config, spaces)

    def as_network(most: int, layers: Layers) -> Network:
        # With `network` in the place of `look_up` this is the algorithm as it was published.
        if config.network == FULL:
            return look_up(seen["observation"], config.activation, most, layers)
        return network_of(config.network, config.activation, seen, layers)

    q = partial(as_network, most_looked_up(config.batch))
    rounds = block_steps(config) // config.steps_per_update

    def judge_by(learner: Learner) -> Judge:
        if config.memory == GRU:
            core = partial(judge_seen, spaces, learner.params)
            return lambda memory, seen: core(memory, seen, config.network, config.activation)
        q_now = q(disturb(stream_at(key, "noise", learner.step), learner.params))
        return lambda memory, seen: (q_now(seen), ())

    def make_round(playing: Playing, learns: bool, target_q: Network | None) -> Playing:
        """As many env steps as go to one update, then perhaps the update."""
        judge_now = judge_by(playing.learner)

        def make_step(playing: Playing, _: None) -> tuple[Playing, None]:
            now = stream_at(key, "env", playing.learner.step)
            return experience(task, config, now, playing, judge_now), None

        playing = jax.lax.scan(make_step, playing, None, length=config.steps_per_update)[0]
        if not learns:
            return playing
        now, learner = stream_at(key, "batch", playing.learner.step), playing.learner
        if config.memory == GRU:
            return replace(playing, learner=update_sequences(config, now, learner, spaces))
        return replace(playing, learner=update(config, now, learner, q, target_q))

    def make_block(playing: Playing, learns: bool) -> Playing:
        """Rounds between which no target is copied and no report is due: copying the network costs."""
        learner = copy_target(config, playing.learner)
        target_q = None  # its noise is drawn for every update
        if not config.noisy and config.memory != GRU:
            target_q = as_network(most_looked_up(config.batch, rounds), learner.target)
        playing = replace(playing, learner=learner)
        return repeat(lambda now: make_round(now, learns, target_q), playing, rounds)

    def make_report(playing: Playing, _: None, still: int) -> tuple[Playing, tuple[Report, Layers]]:
        """Steps up to a report, of which the first `still` go without learning."""
        for learns, steps in ((False, still), (True, config.report_every - still)):
            playing = repeat(partial(make_block, learns=learns), playing, steps // block_steps(config))
        tally, report = take_report(playing.tally, playing.learner.step)
        return replace(playing, tally=tally), (report, playing.learner.params)

    observation, world = loop.reset(task, stream(key, "reset"))
    learner = new_learner(key, spaces, config)
    memory = first_memory(spaces, learner.params)
    playing = Playing(learner, world, observation, empty_tally(), memory)
    warm, still = divmod(config.learning_starts, config.report_every)
    rest = config.steps // config.report_every - warm - bool(still)
    parts = []
    for count, unlearned in ((warm, config.report_every), (int(still > 0), still), (rest, 0)):
        if count:
            scanned = partial(make_report, still=unlearned)
            playing, part = jax.lax.scan(scanned, playing, None, length=count)
            parts.append(part)
    reports, checkpoints = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *parts)
    return Trained(playing.learner.params, reports, checkpoints)


def block_steps(config: Config) -> int:
    """Env steps after which something may change: the target, whether it learns, or the report."""
    return gcd(config.target_every, config.report_every, config.learning_starts)


def repeat(function: Callable[[Playing], Playing], playing: Playing, times: int) -> Playing:
    if not times:
        return playing
    return jax.lax.scan(lambda now, _: (function(now), None), playing, None, length=times)[0]


def learns_alone(config: Config, spaces: dict[str, Space]) -> bool:
    """Whether seeds are trained one after another: on CPUs sums of a core round otherwise in batches."""
    return config.memory == GRU and jax.default_backend() == "cpu"


AGENT = Agent(
    Config,
    train,
    act,
    numbered_actions,
    acts,
    step_cost=step_cost,
    draws=lambda config: config.epsilon > 0,
    learner=LEARNER,
    tells=tells,
    start_memory=start_memory,
    alone_with=learns_alone,
    fits_settings=settings_unfit,
)
