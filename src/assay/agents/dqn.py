"""DQN (Mnih et al. 2015) with a small network.

Config, act, explore, target, loss, update, train: in that order. `q_network.py` holds the kinds of networks,
`replay.py` what is remembered, `adam.py` the optimiser, and `network_table.py` a trick that makes tasks with
few observations fast; nothing below depends on it. At the end the same functions learn from envs outside of
any program.

Actions are numbered; if an action is several numbers, every combination has a number. The network has one
output for each number. The defaults are those of MDP Playground's toy experiments. There is one env per seed;
seeds are a `vmap` of `train`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from math import gcd
from typing import Any, cast

import jax
import jax.numpy as jnp
import optax

from assay.agents.adam import Moments, adam, no_moments
from assay.agents.agent import (
    Act,
    Agent,
    Chances,
    LaneLearner,
    LaneSteps,
    Trained,
    how_many,
    number_of,
    numbered_actions,
    numbers_to_see,
    require_between,
    require_fit,
    require_one_of,
    require_steps,
    with_number,
)
from assay.agents.network import ACTIVATIONS, Layers, Network
from assay.agents.network_table import look_up, most_looked_up
from assay.agents.q_network import FULL, KINDS, first_params, network_of, step_s, why_no_network, why_no_rows
from assay.agents.replay import Transition, draw_batch, empty_replay, remember, remember_lanes
from assay.agents.tally import Report, Tally, count_step, empty_tally, take_report
from assay.core import step as loop
from assay.core.env import Task, World, record
from assay.core.keys import stream
from assay.core.space import Space

MOST_LANES = 8  # envs outside, side by side


@dataclass(frozen=True)
class Config:
    steps: int = 20_000  # env steps of training
    report_every: int = 1000  # env steps between two points of a learning curve
    hidden: tuple[int, ...] = (256, 256)  # the width of each hidden layer
    learning_rate: float = 1e-4  # of Adam
    adam_epsilon: float = 1e-4  # keeps Adam's steps finite
    discount: float = 0.99  # what a reward is worth one step later
    batch: int = 32  # transitions of one update
    steps_per_update: int = 4  # env steps between two updates
    learning_starts: int = 1000  # env steps before the first update
    target_every: int = 800  # env steps between copies of the network into the target
    explore_until: float = 0.1  # share of all steps over which exploration falls
    explore_last: float = 0.01  # chance of a random action from then on, in training
    huber: float = 1.0  # errors beyond this count linearly
    activation: str = "tanh"  # of the hidden layers
    network: str = FULL  # full; cells, one for every cell of a board; (small_)convolutions, of pictures
    double: bool = False  # double Q-learning: the network chooses the next action, the target values it
    replay: int = 0  # transitions that are kept, the newest; 0: all
    epsilon: float = 0.0  # chance of a random action when it is judged
    clip: bool = False  # learns from the signs of rewards, as is usual in games; scores stay as they are

    def __post_init__(self) -> None:
        # Steps are made in rounds, rounds in blocks, blocks in reports: a remainder would be lost.
        require_steps(
            "dqn",
            steps_per_update=(self.steps_per_update, 1),
            target_every=(self.target_every, self.steps_per_update),
            report_every=(self.report_every, self.steps_per_update),
            learning_starts=(self.learning_starts, self.steps_per_update),
            steps=(self.steps, self.report_every),
            batch=(self.batch, 1),
            **({"replay": (self.replay, self.steps_per_update)} if self.replay else {}),
            **{f"hidden[{i}]": (size, 1) for i, size in enumerate(self.hidden)},
        )
        require_between("dqn", 0, 1, discount=self.discount, explore_last=self.explore_last,
                        epsilon=self.epsilon)  # fmt: skip
        require_between("dqn", 1e-9, 1e9, explore_until=self.explore_until, huber=self.huber,
                        learning_rate=self.learning_rate, adam_epsilon=self.adam_epsilon)  # fmt: skip
        require_between("dqn", self.steps_per_update, self.steps, learning_starts=self.learning_starts)
        require_one_of("dqn", "activation", self.activation, ACTIVATIONS)
        require_one_of("dqn", "network", self.network, KINDS)


def act(
    task: Task, params: Layers, memory: Any, key: jax.Array, observation: jax.Array, activation: str = "tanh",
    kind: str = FULL, epsilon: float = 0.0,
) -> tuple[jax.Array, Any]:  # fmt: skip
    """The greedy action, or with chance `epsilon` any; where that is 0 nothing is drawn at random."""
    spaces = loop.spaces(task)
    values = network_of(kind, activation, spaces, params)(observation)
    return with_number(spaces["action"], stray(key, epsilon, values) if epsilon else best(values)), memory


def chances(
    task: Task, params: Layers, memory: Any, observation: jax.Array, activation: str = "tanh",
    kind: str = FULL, epsilon: float = 0.0,
) -> jax.Array:  # fmt: skip
    """How likely `act` is to take each action."""
    spaces, count = loop.spaces(task), how_many(loop.spaces(task)["action"])
    number = best(network_of(kind, activation, spaces, params)(observation))
    return (1 - epsilon) * jax.nn.one_hot(number, count) + epsilon / count


@cache
def with_settings(function: Any, activation: str, kind: str, epsilon: float) -> Any:
    """The same function for the same network: another one would compile the evaluation anew."""
    plain = (activation, kind, epsilon) == ("tanh", FULL, 0.0)
    return function if plain else partial(function, activation=activation, kind=kind, epsilon=epsilon)


def acts(config: Config) -> Act:
    return cast(Act, with_settings(act, config.activation, config.network, config.epsilon))


def tells(config: Config) -> Chances:
    return cast(Chances, with_settings(chances, config.activation, config.network, config.epsilon))


def best(values: jax.Array) -> jax.Array:
    """The number of the best action, () int32."""
    return jnp.argmax(values).astype(jnp.int32)


@record
class Learner:
    params: Any
    target: Any
    optimiser: Moments
    replay: Transition  # (kept,) of each: the transition of step i in row i, modulo their number
    step: Any  # () int32, env steps made


def new_learner(key: jax.Array, spaces: dict[str, Space], config: Config) -> Learner:
    """A learner before its first step."""
    params = first_params(stream(key, "network"), config.network, config.hidden, spaces)
    kept = min(config.replay or config.steps, config.steps)
    replay = empty_replay(spaces["observation"], jnp.int32(0), kept)
    return Learner(params, params, no_moments(params), replay, jnp.int32(0))


def explore(config: Config, key: jax.Array, step: jax.Array, values: jax.Array) -> jax.Array:
    """The number of an action, epsilon-greedy: epsilon falls in a straight line, then stays."""
    share = jnp.clip(step / (config.explore_until * config.steps), 0.0, 1.0)
    return stray(key, 1.0 + share * (config.explore_last - 1.0), values)


def stray(key: jax.Array, epsilon: Any, values: jax.Array) -> jax.Array:
    """The number of the best action, or with chance `epsilon` of any."""
    any_action = jax.random.randint(stream(key, "any action"), (), 0, values.shape[-1])
    return jnp.where(jax.random.uniform(stream(key, "explore")) < epsilon, any_action, best(values))


def next_values(target: jax.Array, own: jax.Array | None) -> jax.Array:
    """The values of the next actions, (batch,), from the target's values, (batch, actions).

    These are the target's best, or in double Q-learning (van Hasselt et al. 2016) the target's values of the
    actions that the network, whose values are `own`, would choose.
    """
    if own is None:
        return target.max(-1)
    return (target * jax.nn.one_hot(own.argmax(-1), target.shape[-1])).sum(-1)


def update(
    config: Config, key: jax.Array, learner: Learner, q: Callable[[Layers], Network], target_q: Network
) -> Learner:
    """One gradient step on a batch from the replay. `q` gives the network of params, `target_q` is fixed."""
    batch = draw_batch(key, learner.replay, learner.step, config.batch)
    own = jax.vmap(q(learner.params))(batch.after) if config.double else None
    # A time limit is not an ending: only termination stops the bootstrap.
    future = jnp.where(batch.terminated, 0.0, next_values(jax.vmap(target_q)(batch.after), own))
    wanted = (jnp.sign(batch.reward) if config.clip else batch.reward) + config.discount * future

    def loss(params: Layers) -> Any:
        values = jax.vmap(q(params))(batch.observation)
        chosen = (values * jax.nn.one_hot(batch.action, values.shape[-1])).sum(-1)
        return optax.huber_loss(chosen, wanted, delta=config.huber).mean()

    gradient = jax.grad(loss)(learner.params)
    params, optimiser = adam(
        gradient, learner.params, learner.optimiser, config.learning_rate, config.adam_epsilon
    )
    return replace(learner, params=params, optimiser=optimiser)


@record
class Playing:
    """A learner in its env."""

    learner: Learner
    world: World
    observation: Any
    tally: Tally


def experience(task: Task, config: Config, key: jax.Array, playing: Playing, q: Network) -> Playing:
    """One env step into the replay, and a new episode where one ended."""
    step, observation = playing.learner.step, playing.observation
    number = explore(config, key, step, q(observation))
    action = with_number(loop.spaces(task)["action"], number)
    out = loop.step(task, stream(key, "step"), playing.world, action)
    transition = Transition(observation, number, out.reward, out.observation, out.terminated)
    # One env per seed and seeds under vmap: both states are computed and one is chosen.
    ended = out.terminated | out.truncated
    again = loop.start_after(task, stream(key, "again"), out.state)
    first, again = loop.look(task, stream(key, "again"), again)
    observation, world = jax.tree.map(partial(jnp.where, ended), (first, again), (out.observation, out.state))
    replay = remember(playing.learner.replay, step, transition)
    learner = replace(playing.learner, replay=replay, step=step + 1)
    return Playing(learner, world, observation, count_step(playing.tally, out))


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable; vmap it over keys and stacked tasks for many seeds."""
    spaces = loop.spaces(task)
    require_fit("dqn", numbered_actions(spaces))
    require_fit("dqn", why_no_network(config.network, spaces))

    def as_network(most: int, layers: Layers) -> Network:
        # With `network` in the place of `look_up` this is the algorithm as it was published.
        if config.network == FULL:
            return look_up(spaces["observation"], config.activation, most, layers)
        return network_of(config.network, config.activation, spaces, layers)

    q = partial(as_network, most_looked_up(config.batch))
    rounds = block_steps(config) // config.steps_per_update

    def make_round(playing: Playing, learns: bool, target_q: Network) -> Playing:
        """As many env steps as go to one update, then perhaps the update."""
        q_now = q(playing.learner.params)

        def make_step(playing: Playing, _: None) -> tuple[Playing, None]:
            now = stream_at(key, "env", playing.learner.step)
            return experience(task, config, now, playing, q_now), None

        playing = jax.lax.scan(make_step, playing, None, length=config.steps_per_update)[0]
        if not learns:
            return playing
        now = stream_at(key, "batch", playing.learner.step)
        return replace(playing, learner=update(config, now, playing.learner, q, target_q))

    def make_block(playing: Playing, learns: bool) -> Playing:
        """Rounds between which no target is copied and no report is due: copying the network costs."""
        learner = copy_target(config, playing.learner)
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
    playing = Playing(new_learner(key, spaces, config), world, observation, empty_tally())
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


def copy_target(config: Config, learner: Learner) -> Learner:
    """The learner before a round, with the network copied into the target where that is due."""
    due = learner.step % config.target_every == 0
    return replace(learner, target=jax.tree.map(partial(jnp.where, due), learner.params, learner.target))


def block_steps(config: Config) -> int:
    """Env steps after which something may change: the target, whether it learns, or the report."""
    return gcd(config.target_every, config.report_every, config.learning_starts)


def repeat(function: Callable[[Playing], Playing], playing: Playing, times: int) -> Playing:
    if not times:
        return playing
    return jax.lax.scan(lambda now, _: (function(now), None), playing, None, length=times)[0]


def stream_at(key: jax.Array, name: str, number: Any) -> jax.Array:
    return jax.random.fold_in(stream(key, name), number)


@record
class Outside:
    """A learner whose envs are played outside of its program."""

    key: Any
    learner: Learner


def lanes(config: Config) -> int:
    """The number of envs: it divides the steps of an update, so that one network chooses all of these."""
    return max(count for count in range(1, MOST_LANES + 1) if config.steps_per_update % count == 0)


def start(key: jax.Array, task: Task, config: Config) -> Outside:
    return Outside(key, new_learner(key, loop.spaces(task), config))


def choose(task: Task, config: Config, state: Outside, observations: jax.Array) -> jax.Array:
    """One action per lane; lane i makes the i-th of the next steps."""
    spaces, learner = loop.spaces(task), state.learner
    steps = learner.step + jnp.arange(len(observations))
    keys = jax.vmap(partial(stream_at, state.key, "env"))(steps)
    q = network_of(config.network, config.activation, spaces, learner.params)
    values = jax.vmap(q)(observations)
    return with_number(spaces["action"], jax.vmap(partial(explore, config))(keys, steps, values))


def learn(task: Task, config: Config, state: Outside, steps: LaneSteps) -> Outside:
    """Remembers a step of every lane, and makes an update where one is due."""
    spaces, before = loop.spaces(task), state.learner
    count = len(steps.reward)
    numbers = number_of(spaces["action"], steps.action)
    rows = Transition(steps.observation, numbers, steps.reward, steps.after, steps.terminated)
    replay = remember_lanes(before.replay, before.step, rows)
    learner = replace(before, replay=replay, step=before.step + count)
    q = partial(network_of, config.network, config.activation, spaces)

    def make_update() -> tuple[Any, ...]:
        # The target is copied as before a round of `train`: by the step at which the round began.
        round_start = replace(learner, step=learner.step - config.steps_per_update)
        ready = replace(learner, target=copy_target(config, round_start).target)
        after = update(config, stream_at(state.key, "batch", ready.step), ready, q, q(ready.target))
        return after.params, after.target, after.optimiser

    due = (learner.step % config.steps_per_update == 0) & (learner.step > config.learning_starts)
    # The replay stays outside of the branches: it is long, and a branch would copy it.
    kept = learner.params, learner.target, learner.optimiser
    params, target, optimiser = jax.lax.cond(due, make_update, lambda: kept)
    return Outside(state.key, replace(learner, params=params, target=target, optimiser=optimiser))


def learned_params(state: Outside) -> Any:
    return state.learner.params


LEARNER = LaneLearner(
    lanes, start, choose, learn, learned_params, numbers_to_see,
    lambda config, spaces: why_no_rows(config.network, spaces),
)  # fmt: skip
AGENT = Agent(
    Config,
    train,
    act,
    numbered_actions,
    acts,
    step_cost=step_s,
    draws=lambda config: config.epsilon > 0,
    learner=LEARNER,
    tells=tells,
    fits_settings=lambda config, spaces: why_no_network(config.network, spaces),
)
