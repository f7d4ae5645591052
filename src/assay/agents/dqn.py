"""DQN (Mnih et al. 2015) with a small network. Config, network, act, update, train: in that order.

Actions are numbered, the combinations where an action is several numbers; one output stands for each.
The defaults are those of MDP Playground's toy experiments. One env per seed; seeds are a `vmap` of `train`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from math import gcd
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from assay.agents.agent import (
    Agent,
    Trained,
    how_many,
    number_of,
    numbered_actions,
    require_between,
    require_fit,
    require_one_of,
    require_steps,
    with_number,
)
from assay.agents.tally import Report, Tally, counted, nothing_yet, reported
from assay.core import step as loop
from assay.core.env import Task, World, record
from assay.core.keys import stream
from assay.core.space import Box, Discrete, Space

MOST_BATCHES = 4  # worth a look-up: a row is picked by a product as long as there are observations
ACTIVATIONS = {"tanh": jnp.tanh, "relu": jax.nn.relu, "sigmoid": jax.nn.sigmoid}


@dataclass(frozen=True)
class Config:
    steps: int = 20_000  # env steps
    report_every: int = 1000  # env steps
    hidden: tuple[int, ...] = (256, 256)
    learning_rate: float = 1e-4
    adam_epsilon: float = 1e-4
    discount: float = 0.99
    batch: int = 32
    steps_per_update: int = 4
    learning_starts: int = 1000
    target_every: int = 800  # env steps between copies of the network into the target
    explore_until: float = 0.1  # share of all steps over which exploration falls
    explore_last: float = 0.01
    huber: float = 1.0
    activation: str = "tanh"  # of the hidden layers
    double: bool = False  # double Q-learning: the network chooses the next action, the target values it

    def __post_init__(self) -> None:
        # Steps are made in rounds, rounds in blocks, blocks in reports: what does not go up would be lost.
        require_steps(
            "dqn",
            steps_per_update=(self.steps_per_update, 1),
            target_every=(self.target_every, self.steps_per_update),
            report_every=(self.report_every, self.steps_per_update),
            learning_starts=(self.learning_starts, self.steps_per_update),
            steps=(self.steps, self.report_every),
            batch=(self.batch, 1),
            **{f"hidden[{i}]": (size, 1) for i, size in enumerate(self.hidden)},
        )
        require_between("dqn", 0, 1, discount=self.discount, explore_last=self.explore_last)
        require_between("dqn", 1e-9, 1e9, explore_until=self.explore_until, huber=self.huber,
                        learning_rate=self.learning_rate, adam_epsilon=self.adam_epsilon)  # fmt: skip
        require_between("dqn", self.steps_per_update, self.steps, learning_starts=self.learning_starts)
        require_one_of("dqn", "activation", self.activation, ACTIVATIONS)


ADAM_DECAYS = 0.9, 0.999  # of the mean and of the mean square


def features(space: Space) -> int:
    """How many numbers the network sees."""
    if isinstance(space, Discrete):
        return sum(space.n) if space.shape else space.n
    return jnp.zeros(space.shape).size


def as_features(space: Space, observation: jax.Array) -> jax.Array:
    """An observation as the network sees it: whole numbers one-hot, a Box flat."""
    if isinstance(space, Box):
        return observation.reshape(-1).astype(jnp.float32)
    if not space.shape:
        return jax.nn.one_hot(observation - space.start, space.n)
    return jnp.concatenate([jax.nn.one_hot(observation[i] - space.start, n) for i, n in enumerate(space.n)])


def network(key: jax.Array, sizes: tuple[int, ...]) -> list[tuple[jax.Array, jax.Array]]:
    """Layers of weights (in, out) and biases (out,), Xavier-uniform."""
    layers = []
    for i, (into, out) in enumerate(pairwise(sizes)):
        edge = (6 / (into + out)) ** 0.5
        weights = jax.random.uniform(stream(key, f"layer {i}"), (into, out), minval=-edge, maxval=edge)
        layers.append((weights, jnp.zeros(out)))
    return layers


def values(params: list, x: jax.Array, activation: str = "tanh") -> jax.Array:
    """Action values, (..., actions)."""
    weights, bias = params[0]
    return above(params[1:], x @ weights + bias, activation)


def above(layers: list, x: jax.Array, activation: str = "tanh") -> jax.Array:
    """What further layers make of the first one's sums."""
    for weights, bias in layers:
        x = ACTIVATIONS[activation](x) @ weights + bias
    return x


def most_looked_up(config: Config, spaces: dict[str, Space], batches: int = 1) -> int:
    """How many observations there may be for a look-up in a network that is asked for so many batches."""
    if spaces["action"].shape:
        return config.batch * min(batches, MOST_BATCHES)
    # Where an action is one number, records hold other last bits: there it is as it was for them.
    return 0 if spaces["observation"].shape else config.batch


def valued(config: Config, space: Space, most: int, params: list) -> Callable[[jax.Array], jax.Array]:
    """The network as a function of one observation, to be asked often.

    Where there are at most so many observations, it is evaluated once at each and looked up from then on: the
    same values and gradients, with fewer products if there are fewer observations than rows. An input that
    is one-hot picks a row of the first layer, so the inputs together are that layer.
    """
    if not isinstance(space, Discrete) or how_many(space) > most:
        return lambda observation: values(params, as_features(space, observation), config.activation)
    weights, bias = params[0]
    if space.shape:
        every = with_number(space, jnp.arange(how_many(space)))
        weights = jax.vmap(partial(as_features, space))(every) @ weights
    table = above(params[1:], weights + bias, config.activation)  # (observations, actions)
    # A product, not an index: the gradient of an index is a scatter, and a CPU does that entry by entry.
    return lambda observation: jax.nn.one_hot(number_of(space, observation), len(table)) @ table


def act(
    task: Task, params: list, memory: Any, key: jax.Array, observation: jax.Array, activation: str = "tanh"
) -> tuple[jax.Array, Any]:
    """The greedy action; it needs no chance."""
    spaces = loop.spaces(task)
    found = values(params, as_features(spaces["observation"], observation), activation)
    return with_number(spaces["action"], jnp.argmax(found).astype(jnp.int32)), memory


def acts(config: Config) -> Callable:
    return act if config.activation == "tanh" else acting(config.activation)


@cache
def acting(activation: str) -> Callable:
    """One function for each activation: another function would compile the evaluation anew."""
    return partial(act, activation=activation)


@record
class Buffer:
    """Everything that was experienced; it is as long as the training."""

    observation: Any  # (steps, ...)
    action: Any  # (steps,) int32, its number
    reward: Any  # (steps,) float32
    after: Any  # (steps, ...), the true last observation at an end
    terminated: Any  # (steps,) bool


@record
class Learner:
    params: Any
    target: Any
    optimiser: Any
    buffer: Buffer
    world: World
    observation: Any
    step: Any  # () int32, env steps made
    tally: Tally


def update(
    config: Config,
    key: jax.Array,
    learner: Learner,
    judged_by: Callable,
    aim: Callable[[jax.Array], jax.Array],
) -> Learner:
    """One gradient step on a batch from the buffer. `aim` is the target network, `judged_by(params)` ours."""
    picks = jax.random.randint(key, (config.batch,), 0, learner.step)
    seen, action, reward, after, terminated = (leaf[picks] for leaf in jax.tree.leaves(learner.buffer))
    judged = jax.vmap(judged_by(learner.params))(after) if config.double else None
    # A time limit is not an ending: only termination stops the bootstrap.
    future = jnp.where(terminated, 0.0, ahead(jax.vmap(aim)(after), judged))
    wanted = reward + config.discount * future

    def loss(params: list) -> jax.Array:
        found = jax.vmap(judged_by(params))(seen)
        found = (found * jax.nn.one_hot(action, found.shape[-1])).sum(-1)
        return optax.huber_loss(found, wanted, delta=config.huber).mean()

    gradient = jax.grad(loss)(learner.params)
    params, optimiser = adam(config, gradient, learner.params, learner.optimiser)
    return replace(learner, params=params, optimiser=optimiser)


def ahead(aimed: jax.Array, judged: jax.Array | None) -> jax.Array:
    """What the next action is worth, (batch,), from the values of the target, (batch, actions).

    That is the target's best, or in double Q-learning (van Hasselt et al. 2016) the target's value of what
    the network, whose values are `judged`, would choose.
    """
    if judged is None:
        return aimed.max(-1)
    return (aimed * jax.nn.one_hot(judged.argmax(-1), aimed.shape[-1])).sum(-1)


class Moments(NamedTuple):
    """What Adam remembers: decaying means of the gradient and of its square, and how many there were."""

    mean: Any
    square: Any
    count: Any  # () float32


def no_moments(params: list) -> Moments:
    nothing = jax.tree.map(jnp.zeros_like, params)
    return Moments(nothing, nothing, jnp.float32(0))


def adam(config: Config, gradient: list, params: list, moments: Moments) -> tuple[list, Moments]:
    """One step of Adam (Kingma and Ba 2015), and what it remembers from then on.

    Both corrections for the few gradients so far are put into the step's two scalars: one division for each
    parameter where optax makes three, and those take a tenth of the training.
    """
    of_mean, of_square = ADAM_DECAYS
    count = moments.count + 1
    rate = config.learning_rate / (1 - of_mean**count)
    stretch = (1 - of_square**count) ** -0.5
    mean = jax.tree.map(lambda m, g: of_mean * m + (1 - of_mean) * g, moments.mean, gradient)
    square = jax.tree.map(lambda v, g: of_square * v + (1 - of_square) * g * g, moments.square, gradient)

    def moved(p: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        return p - rate * m / (stretch * jnp.sqrt(v) + config.adam_epsilon)

    return jax.tree.map(moved, params, mean, square), Moments(mean, square, count)


def experience(
    task: Task, config: Config, key: jax.Array, learner: Learner, judge: Callable[[jax.Array], jax.Array]
) -> Learner:
    """One env step, chosen by the network (`judge`) or at random, into the buffer."""
    actions = loop.spaces(task)["action"]
    share = jnp.clip(learner.step / (config.explore_until * config.steps), 0.0, 1.0)
    explore = 1.0 + share * (config.explore_last - 1.0)
    greedy = jnp.argmax(judge(learner.observation)).astype(jnp.int32)
    any_action = jax.random.randint(stream(key, "any action"), (), 0, how_many(actions))
    chosen = jnp.where(jax.random.uniform(stream(key, "explore")) < explore, any_action, greedy)
    out = loop.step(task, stream(key, "step"), learner.world, with_number(actions, chosen))
    ended = out.terminated | out.truncated
    experienced = Buffer(learner.observation, chosen, out.reward, out.observation, out.terminated)
    buffer = jax.tree.map(lambda all, one: all.at[learner.step].set(one), learner.buffer, experienced)
    # One env per seed and seeds under vmap: both states are computed and one is chosen.
    again = loop.start_after(task, stream(key, "again"), out.state)
    first, again = loop.look(task, stream(key, "again"), again)
    observation, world = jax.tree.map(partial(jnp.where, ended), (first, again), (out.observation, out.state))
    return replace(
        learner, buffer=buffer, world=world, observation=observation, step=learner.step + 1,
        tally=counted(learner.tally, out),
    )  # fmt: skip


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable; vmap it over keys and stacked tasks for many seeds."""
    spaces = loop.spaces(task)
    require_fit("dqn", numbered_actions(spaces))
    observed = spaces["observation"]
    judged_by = partial(valued, config, observed, most_looked_up(config, spaces))
    sizes = (features(observed), *config.hidden, how_many(spaces["action"]))
    params = network(stream(key, "network"), sizes)
    observation, world = loop.reset(task, stream(key, "reset"))
    rows = Buffer(observation, jnp.int32(0), jnp.float32(0), observation, jnp.bool_(False))
    buffer = jax.tree.map(lambda leaf: jnp.zeros((config.steps, *leaf.shape), leaf.dtype), rows)
    learner = Learner(params, params, no_moments(params), buffer, world, observation,
                      jnp.int32(0), nothing_yet())  # fmt: skip

    def round(learner: Learner, learns: bool, aim: Callable) -> Learner:
        """As many env steps as go to one update, then perhaps the update."""
        judge = judged_by(learner.params)

        def one_step(learner: Learner, _: None) -> tuple[Learner, None]:
            return experience(task, config, stream_at(key, "env", learner.step), learner, judge), None

        learner = jax.lax.scan(one_step, learner, None, length=config.steps_per_update)[0]
        if not learns:
            return learner
        return update(config, stream_at(key, "batch", learner.step), learner, judged_by, aim)

    def block(learner: Learner, learns: bool) -> Learner:
        """Rounds between which no target is copied and no report is due: copying the network costs."""
        copy = learner.step % config.target_every == 0
        learner = replace(
            learner, target=jax.tree.map(partial(jnp.where, copy), learner.params, learner.target)
        )
        rounds = block_steps(config) // config.steps_per_update
        aim = valued(config, observed, most_looked_up(config, spaces, rounds), learner.target)
        return jax.lax.scan(lambda now, _: (round(now, learns, aim), None), learner, None, length=rounds)[0]

    def blocks(learner: Learner, learns: bool, steps: int) -> Learner:
        if not steps:
            return learner
        count = steps // block_steps(config)
        return jax.lax.scan(lambda now, _: (block(now, learns), None), learner, None, length=count)[0]

    def report(learner: Learner, still: int) -> tuple[Learner, tuple[Report, list]]:
        """Steps up to a report, of which the first `still` go without learning."""
        learner = blocks(learner, False, still)
        learner = blocks(learner, True, config.report_every - still)
        tally, told = reported(learner.tally, learner.step)
        return replace(learner, tally=tally), (told, learner.params)

    warm, still = divmod(config.learning_starts, config.report_every)
    rest = config.steps // config.report_every - warm - bool(still)
    told = []
    for count, unlearned in ((warm, config.report_every), (int(still > 0), still), (rest, 0)):
        if count:
            learner, some = jax.lax.scan(
                lambda now, _, still=unlearned: report(now, still), learner, None, length=count
            )
            told.append(some)
    reports, checkpoints = jax.tree.map(lambda *parts: jnp.concatenate(parts), *told)
    return Trained(learner.params, reports, checkpoints)


def block_steps(config: Config) -> int:
    """Env steps after which something may change: the target, whether it learns, or the report."""
    return gcd(config.target_every, config.report_every, config.learning_starts)


def stream_at(key: jax.Array, name: str, number: Any) -> jax.Array:
    return jax.random.fold_in(stream(key, name), number)


AGENT = Agent(Config, train, act, numbered_actions, acts, step_s=7e-5)
