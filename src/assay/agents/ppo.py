"""PPO (Schulman et al. 2017), all of it on the device: envs, network, and updates in one program.

Config, policy, rollout, advantages, loss, update, train: in that order. `encoder.py` holds what sees,
`adam.py` the optimiser. The defaults are those of KAGE-Bench, whose agent this is on pictures. Episodes that
a time limit cuts are valued by their last observation; KAGE-Bench's own treatment, which takes a cut for an
end, is `ending="kage"`.

One seed fills a GPU: seeds are trained one after another, since a `vmap` over networks makes grouped
convolutions, which are several times slower.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from operator import attrgetter
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.agents.adam import Moments, adam, cut_to_norm, no_moments
from assay.agents.agent import (
    Act,
    Agent,
    Chances,
    PieceLearner,
    Trained,
    how_many,
    numbered_actions,
    require_between,
    require_fit,
    require_one_of,
    require_steps,
    with_number,
)
from assay.agents.augment import augment, without_pictures
from assay.agents.encoder import (
    Layer,
    encode,
    first_encoder,
    is_picture,
    new_layer,
    outputs_of,
    prepare,
    too_small,
)
from assay.agents.tally import Report, Tally, count_step, empty_tally, take_report
from assay.core import step as loop
from assay.core.env import Task, World, record
from assay.core.keys import stream
from assay.core.space import Opaque, Space

ENDINGS = ("bootstrap", "kage")
TYPES = {"float32": jnp.float32, "bfloat16": jnp.bfloat16}

ACT_S = 8e-4  # CPU-seconds of one picture of 128 x 128 on a plain core


@dataclass(frozen=True)
class Config:
    steps: int = 25_000_000  # env steps of all envs; the last rollout is left out if it would pass them
    report_every: int = 819_200  # env steps between two points of a learning curve
    envs: int = 128  # played side by side
    rollout: int = 128  # steps of each env before an update
    epochs: int = 3  # passes over a rollout
    minibatches: int = 8  # updates of one pass
    learning_rate: float = 5e-4  # of Adam
    adam_epsilon: float = 1e-5  # added to the root of its second moment
    discount: float = 0.999  # what a reward is worth one step later
    trace: float = 0.95  # lambda of the advantages, from 0 to 1
    clip: float = 0.2  # of the policy's ratio and of the value's change
    value_weight: float = 0.5  # of the value's error in the loss
    entropy_weight: float = 0.01  # of the policy's entropy in the loss
    most_gradient: float = 0.5  # a gradient with a larger norm is cut to it
    precision: str = "float32"  # of the products of training: float32 or bfloat16
    ending: str = "bootstrap"  # bootstrap values what would follow a time limit; kage takes it for an end
    shift: int = 0  # pixels by which pictures are moved at random while it learns, 0 to 64
    jitter: float = 0.0  # how far their brightness, contrast, saturation and hue go at random, up to 1
    greedy: bool = False  # whether the trained policy takes its most likely action instead of drawing one

    def __post_init__(self) -> None:
        require_steps(
            "ppo",
            envs=(self.envs, 1), rollout=(self.rollout, 1), epochs=(self.epochs, 1),
            minibatches=(self.minibatches, 1), report_every=(self.report_every, self.envs * self.rollout),
        )  # fmt: skip
        require_steps("ppo", **{"envs * rollout": (self.envs * self.rollout, self.minibatches)})
        require_between("ppo", self.envs * self.rollout, 1e12, steps=self.steps)
        require_between("ppo", 0, 1, discount=self.discount, trace=self.trace, jitter=self.jitter)
        require_between("ppo", 0, 64, shift=self.shift)
        require_between("ppo", 1e-9, 1e9, learning_rate=self.learning_rate, clip=self.clip,
                        adam_epsilon=self.adam_epsilon, most_gradient=self.most_gradient)  # fmt: skip
        require_between("ppo", 0, 1e9, value_weight=self.value_weight, entropy_weight=self.entropy_weight)
        require_one_of("ppo", "precision", self.precision, TYPES)
        require_one_of("ppo", "ending", self.ending, ENDINGS)

    @property
    def iterations(self) -> int:
        return self.steps // (self.envs * self.rollout)

    @property
    def between_reports(self) -> int:
        """Iterations."""
        return self.report_every // (self.envs * self.rollout)


class Policy(NamedTuple):
    """The weights of both heads and of what they see."""

    encoder: list[Layer]
    actor: Layer
    critic: Layer


def first_policy(key: jax.Array, spaces: dict[str, Space]) -> Policy:
    space = spaces["observation"]
    seen, actions = outputs_of(space), how_many(spaces["action"])
    return Policy(
        first_encoder(key, space),
        new_layer(stream(key, "actor"), (seen, actions), 0.01),
        new_layer(stream(key, "critic"), (seen, 1), 1.0),
    )


def judge(
    space: Space, policy: Policy, prepared: jax.Array, precision: str = "float32"
) -> tuple[jax.Array, jax.Array]:
    """The logits of the actions, (batch, actions), and the values, (batch,)."""
    seen = encode(space, policy.encoder, prepared, TYPES[precision]).astype(jnp.float32)
    logits, values = (seen @ head.weights + head.bias for head in (policy.actor, policy.critic))
    return logits, values[:, 0]


def act(
    task: Task, params: Policy, memory: Any, key: jax.Array, observation: jax.Array, greedy: bool = False
) -> tuple[jax.Array, Any]:
    spaces = loop.spaces(task)
    logits = logits_of(spaces["observation"], params, observation)
    number = jnp.argmax(logits) if greedy else jax.random.categorical(key, logits)
    return with_number(spaces["action"], number.astype(jnp.int32)), memory


def logits_of(space: Space, params: Policy, observation: jax.Array) -> jax.Array:
    return judge(space, params, prepare(space, observation[None]))[0][0]


def acts(config: Config) -> Act:
    return act_with(config.greedy)


@cache
def act_with(greedy: bool) -> Act:
    """The same function for the same choice: another one would compile the evaluation anew."""
    return partial(act, greedy=greedy)


def chances(
    task: Task, params: Policy, memory: Any, observation: jax.Array, greedy: bool = False
) -> jax.Array:
    """The softmax of the logits, from which actions are drawn; a greedy policy takes the largest."""
    logits = logits_of(loop.spaces(task)["observation"], params, observation)
    return jax.nn.one_hot(jnp.argmax(logits), len(logits)) if greedy else jax.nn.softmax(logits)


def tells(config: Any) -> Chances:
    """For every agent that acts by this policy, with settings that say whether it is `greedy`."""
    return chances_with(config.greedy)


@cache
def chances_with(greedy: bool) -> Chances:
    return partial(chances, greedy=greedy)


@record
class Rollout:
    """Steps of every env, (steps, envs, ...) each."""

    observation: Any  # prepared
    action: Any  # int32, its number
    likelihood: Any  # the logarithm of its probability
    value: Any
    reward: Any
    ended: Any
    cut: Any  # whether it ended by a time limit
    last: Any  # the last observation of an episode, prepared; zeros where no env ended


@record
class Learner:
    policy: Policy
    optimiser: Moments
    worlds: World  # (envs, ...)
    observations: Any  # (envs, ...), prepared
    tally: Tally  # (envs, ...)
    iteration: Any  # () int32


def start(key: jax.Array, task: Task, config: Config) -> Learner:
    """A learner before its first step."""
    spaces = loop.spaces(task)
    require_fit("ppo", fits(spaces) or without_pictures(config, spaces))
    policy = first_policy(stream(key, "network"), spaces)
    observations, worlds = jax.vmap(partial(loop.reset, task))(lane_keys(stream(key, "reset"), config))
    tally = jax.tree.map(lambda leaf: jnp.zeros((config.envs, *leaf.shape)), empty_tally())
    prepared = prepare_all(stream(key, "augment"), spaces["observation"], config, observations)
    return Learner(policy, no_moments(policy), worlds, prepared, tally, jnp.int32(0))


def lane_keys(key: jax.Array, config: Config) -> jax.Array:
    return jax.random.split(key, config.envs)


def prepare_all(key: jax.Array, space: Space, config: Config, observations: jax.Array) -> jax.Array:
    """The observations of all envs as the learner stores them; pictures changed at random if asked for."""
    if is_picture(space) and (config.shift or config.jitter):
        change = partial(augment, shift=config.shift, jitter=config.jitter)
        observations = jax.vmap(change)(lane_keys(key, config), observations)
    return prepare(space, observations)


def play(key: jax.Array, task: Task, config: Config, learner: Learner) -> tuple[Learner, Rollout]:
    """A rollout of the policy as it is."""
    spaces, policy = loop.spaces(task), learner.policy
    space = spaces["observation"]

    def prepare_one(observation: jax.Array) -> jax.Array:
        return prepare(space, observation[None])[0]

    def step(carry: tuple[World, Any, Tally], t: jax.Array) -> tuple[tuple[World, Any, Tally], Rollout]:
        worlds, prepared, tally = carry
        now = jax.random.fold_in(key, t)
        logits, values = judge(space, policy, prepared, config.precision)
        numbers = jax.random.categorical(stream(now, "action"), logits).astype(jnp.int32)
        keys, again = (lane_keys(stream(now, name), config) for name in ("step", "again"))
        observations, worlds, out, last = loop.autoreset(
            task, keys, again, worlds, jax.vmap(partial(with_number, spaces["action"]))(numbers), prepare_one
        )
        ended, cut = out.terminated | out.truncated, out.truncated & ~out.terminated
        row = Rollout(prepared, numbers, likelihoods(logits, numbers), values, out.reward, ended, cut, last)
        tally = jax.vmap(count_step)(tally, out)
        return (worlds, prepare_all(stream(now, "augment"), space, config, observations), tally), row

    carry = learner.worlds, learner.observations, learner.tally
    (worlds, prepared, tally), rollout = jax.lax.scan(step, carry, jnp.arange(config.rollout))
    return replace(learner, worlds=worlds, observations=prepared, tally=tally), rollout


def likelihoods(logits: jax.Array, numbers: jax.Array) -> jax.Array:
    chosen: jax.Array = jnp.take_along_axis(jax.nn.log_softmax(logits), numbers[..., None], -1)[..., 0]
    return chosen


def pay_for_cuts(space: Space, config: Config, policy: Policy, rollout: Rollout) -> jax.Array:
    """Rewards with the value of what would have followed, where a time limit cut an episode.

    Values of last observations are computed here, step by step of those that cut something, and not while
    playing: a branch in that loop costs a GPU half as much again as the loop itself.
    """
    steps = rollout.cut.any(1)
    in_turn = jnp.argsort(~steps)  # those that cut something first

    def pay(i: jax.Array, reward: jax.Array) -> jax.Array:
        values = judge(space, policy, rollout.last[in_turn[i]], config.precision)[1]
        more = jnp.where(rollout.cut[in_turn[i]], config.discount * values, 0.0)
        return reward.at[in_turn[i]].add(more)

    paid: jax.Array = jax.lax.fori_loop(0, steps.sum(), pay, rollout.reward)
    return paid


def advantages(config: Config, rollout: Rollout, last_values: jax.Array) -> jax.Array:
    """Generalised advantage estimates (Schulman et al. 2016), (steps, envs)."""

    def back(carry: tuple[jax.Array, jax.Array], row: tuple) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        advantage, next_value = carry
        reward, value, ended = row
        goes_on = config.discount * (1.0 - ended)
        surprise = reward + goes_on * next_value - value
        advantage = surprise + goes_on * config.trace * advantage
        return (advantage, value), advantage

    rows = rollout.reward, rollout.value, rollout.ended
    first = jnp.zeros_like(last_values), last_values
    return jax.lax.scan(back, first, rows, reverse=True)[1]


class Batch(NamedTuple):
    """Steps of a rollout in any order, (batch, ...) each."""

    observation: Any
    action: Any
    likelihood: Any
    value: Any
    advantage: Any


def loss(space: Space, config: Config, policy: Policy, batch: Batch) -> jax.Array:
    logits, values = judge(space, policy, batch.observation, config.precision)
    advantage = (batch.advantage - batch.advantage.mean()) / (batch.advantage.std() + 1e-8)
    ratio = jnp.exp(likelihoods(logits, batch.action) - batch.likelihood)
    clipped = jnp.clip(ratio, 1 - config.clip, 1 + config.clip)
    of_policy = -jnp.minimum(ratio * advantage, clipped * advantage).mean()
    wanted = batch.advantage + batch.value
    near = batch.value + jnp.clip(values - batch.value, -config.clip, config.clip)
    of_value = 0.5 * jnp.maximum((values - wanted) ** 2, (near - wanted) ** 2).mean()
    shares = jax.nn.log_softmax(logits)
    entropy = -(jnp.exp(shares) * shares).sum(-1).mean()
    return of_policy + config.value_weight * of_value - config.entropy_weight * entropy


def update(
    key: jax.Array, space: Space, config: Config, policy: Policy, moments: Moments, steps: Batch
) -> tuple[Policy, Moments]:
    """Some epochs over a rollout's steps, in minibatches of an order drawn anew for each."""
    count = config.envs * config.rollout

    def make_step(carry: tuple[Policy, Moments], picks: jax.Array) -> tuple[tuple[Policy, Moments], None]:
        policy, moments = carry
        batch = jax.tree.map(lambda leaf: leaf[picks], steps)
        gradient = jax.grad(partial(loss, space, config))(policy, batch)
        gradient = cut_to_norm(gradient, config.most_gradient)
        return adam(gradient, policy, moments, config.learning_rate, config.adam_epsilon), None

    keys = jax.random.split(key, config.epochs)
    orders = jax.vmap(lambda key: jax.random.permutation(key, count))(keys)
    picks = orders.reshape(config.epochs * config.minibatches, -1)
    return jax.lax.scan(make_step, (policy, moments), picks)[0]


def iterate(key: jax.Array, task: Task, config: Config, learner: Learner) -> Learner:
    """One rollout and what is learned from it; `key` is that of the whole training."""
    space = loop.spaces(task)["observation"]
    now = jax.random.fold_in(key, learner.iteration)
    learner, rollout = play(stream(now, "play"), task, config, learner)
    last_values = judge(space, learner.policy, learner.observations, config.precision)[1]
    if config.ending == "bootstrap":
        rollout = replace(rollout, reward=pay_for_cuts(space, config, learner.policy, rollout))
    gains = advantages(config, rollout, last_values)
    rows = Batch(rollout.observation, rollout.action, rollout.likelihood, rollout.value, gains)
    steps = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), rows)
    policy, moments = update(stream(now, "update"), space, config, learner.policy, learner.optimiser, steps)
    return replace(learner, policy=policy, optimiser=moments, iteration=learner.iteration + 1)


def report(config: Config, learner: Learner) -> tuple[Learner, Report]:
    """What the episodes that finished since the last report came to, over all envs."""
    lanes = learner.tally
    whole = Tally(lanes.so_far, lanes.finished.sum(0))
    _, made = take_report(whole, learner.iteration * (config.envs * config.rollout))
    tally = Tally(lanes.so_far, jnp.zeros_like(lanes.finished))
    return replace(learner, tally=tally), made


def advance(key: jax.Array, task: Task, config: Config, learner: Learner, count: Any) -> Learner:
    """Some iterations; `key` is that of the whole training."""
    turn = partial(iterate, key, task, config)
    after: Learner = jax.lax.fori_loop(0, count, lambda _, now: turn(now), learner)
    return after


def report_at(config: Config) -> tuple[int, ...]:
    """The iterations after which a report is made, the last one included."""
    times = range(config.between_reports, config.iterations + 1, config.between_reports)
    return (*times, *([config.iterations] if config.iterations % config.between_reports else ()))


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable, but not for `vmap`: see `Agent.alone`."""

    def make_report(learner: Learner, _: None, iterations: int) -> tuple[Learner, tuple[Report, Policy]]:
        learner, made = report(config, advance(key, task, config, learner, iterations))
        return learner, (made, learner.policy)

    learner, parts = start(key, task, config), []
    whole, rest = divmod(config.iterations, config.between_reports)
    for count, iterations in ((whole, config.between_reports), (min(rest, 1), rest)):
        if count:
            every = partial(make_report, iterations=iterations)
            learner, part = jax.lax.scan(every, learner, None, length=count)
            parts.append(part)
    reports, checkpoints = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *parts)
    return Trained(learner.policy, reports, checkpoints)


def fits(spaces: dict[str, Space]) -> str:
    space = spaces["observation"]
    if isinstance(space, Opaque):
        return f"its network sees numbers, and these observations are a {space.what}"
    return numbered_actions(spaces) or too_small(space)


PIECES = PieceLearner(report_at, start, advance, report, attrgetter("policy"))
AGENT = Agent(
    Config, train, act, fits, acts, step_s=2e-5, picture_step_s=1e-2, picture_act_s=ACT_S, alone=True,
    pieces=PIECES, tells=tells, fits_settings=without_pictures,
)  # fmt: skip
