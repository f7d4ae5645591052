"""The learner of the paper on the Game of Hidden Rules: a DQN whose value is linear in features of a move.

Config, values, replay, act, move, train: in that order; `piece_features.py` holds the features. What the
paper leaves open is a setting: the learning rate, how often the target is copied, which actions there are. A
run is so many episodes, each reported by itself, so that errors can be added up episode by episode.

One seed is one program without a batch: a step of learning is 128 times 18 additions at scattered places,
which a plain loop does in microseconds and a batch of programs does not. Seeds are trained one after another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp

from assay.agents.agent import (
    Act,
    Agent,
    Chances,
    Trained,
    numbered_actions,
    require_between,
    require_fit,
    require_one_of,
    require_steps,
)
from assay.agents.piece_features import Pieces, factors_of, feature_table, read_pieces
from assay.agents.tally import Report
from assay.core import step as loop
from assay.core.env import Task, World, record
from assay.core.keys import stream
from assay.core.space import Space

ACTIONS = ("all", "occupied")
FORMS = ("features", "table")


@dataclass(frozen=True)
class Config:
    steps: int = 20_000  # env steps at most; a run that ends its episodes earlier is over
    episodes: int = 200
    actions: str = "all"  # all cells, or occupied ones alone
    learning_rate: float = 0.05  # of plain gradient descent on the mean squared error of a batch
    discount: float = 1.0
    target_every: int = 10  # episodes between two copies of the weights into the target
    memory: int = 1000  # moves that are kept for replay, the oldest are dropped
    batch: int = 128  # moves of one step of learning, drawn with replacement
    explore_first: float = 0.9  # chance of a random action at the beginning
    explore_last: float = 0.001  # and what it falls to
    explore_moves: float = 200.0  # moves in which it falls to 1/e of the way
    form: str = "features"  # weights of features, or the table of values that they give, updated as one

    def __post_init__(self) -> None:
        counts = {"steps": self.steps, "episodes": self.episodes, "target_every": self.target_every}
        counts |= {"memory": self.memory, "batch": self.batch}
        require_steps("linear_q", **{name: (count, 1) for name, count in counts.items()})
        require_between("linear_q", 0, 1, discount=self.discount, explore_first=self.explore_first,
                        explore_last=self.explore_last)  # fmt: skip
        require_between("linear_q", 1e-9, 1e9, learning_rate=self.learning_rate,
                        explore_moves=self.explore_moves)  # fmt: skip
        require_one_of("linear_q", "actions", self.actions, ACTIONS)
        require_one_of("linear_q", "form", self.form, FORMS)


def fits(spaces: dict[str, Space]) -> str:
    if why := numbered_actions(spaces):
        return why
    if read_pieces(spaces) is None:
        return "it knows boards of pieces alone, such as those of rules/clockwise with actions=cells"
    return ""


def pieces_of(task: Task) -> Pieces:
    pieces = read_pieces(loop.spaces(task))
    require_fit("linear_q", "" if pieces else fits(loop.spaces(task)))
    assert pieces is not None, "it was refused"
    return pieces


# Values. `weights` is (features + 1,) float32, its last entry 0, or a table (contexts, classes).


def no_weights(pieces: Pieces, form: str) -> jax.Array:
    if form == "table":
        return jnp.zeros((pieces.contexts, pieces.classes))
    return jnp.zeros(feature_table(pieces)[1] + 1)


def values_of(pieces: Pieces, weights: jax.Array, context: jax.Array) -> jax.Array:
    """The values of all classes in one context, (classes,)."""
    if weights.ndim == 2:
        return weights[context]
    return weights[jnp.asarray(feature_table(pieces)[0])[context]].sum(-1)


def table_of(pieces: Pieces, weights: jax.Array) -> jax.Array:
    """The values of all classes in all contexts."""
    return jax.vmap(partial(values_of, pieces, weights))(jnp.arange(pieces.contexts))


def step_down(pieces: Pieces, weights: jax.Array, moves: Replay, slopes: jax.Array) -> jax.Array:
    """The weights after one step against the slope of every move of a batch.

    On the table the step of one move is felt wherever a feature is shared: by all entries at once, a product.
    """
    if weights.ndim == 2:
        left, right, mask = map(jnp.asarray, factors_of(pieces))
        steps = jnp.zeros_like(weights).at[moves.context, moves.chosen].add(slopes)
        return weights - left @ ((left.T @ steps @ right) * mask) @ right.T
    table, count = feature_table(pieces)
    places = jnp.asarray(table)[moves.context, moves.chosen]
    # Added up before the weights are touched: many small numbers added to a large one lose their last digits.
    steps = jnp.zeros_like(weights).at[places].add(slopes[:, None])
    return (weights - steps).at[count].set(0.0)


@record
class Replay:
    """Moves that were made, (moves,) each."""

    context: Any  # int32
    chosen: Any  # int32, the class
    reward: Any
    goes_on: Any  # whether the episode went on
    context_after: Any  # int32
    open_after: Any  # (moves, classes) bool, the classes of all actions there
    best_after: Any  # the highest value there, by the target


def no_moves(pieces: Pieces, count: int) -> Replay:
    number, truth, real = jnp.zeros(count, jnp.int32), jnp.zeros(count, bool), jnp.zeros(count)
    return Replay(number, number, real, truth, number, jnp.zeros((count, pieces.classes), bool), real)


def best_of(target: jax.Array, context: jax.Array, is_open: jax.Array) -> jax.Array:
    return jnp.where(is_open, target[context], -jnp.inf).max(-1)


def learn(
    key: jax.Array, pieces: Pieces, config: Config, weights: jax.Array, replay: Replay, count: jax.Array
) -> jax.Array:
    """One step of learning from `count` kept moves."""
    picks = jax.random.randint(key, (config.batch,), 0, jnp.minimum(count, config.memory))
    moves = jax.tree.map(lambda leaf: leaf[picks], replay)
    wanted = moves.reward + jnp.where(moves.goes_on, config.discount * moves.best_after, 0.0)
    if weights.ndim == 2:
        values = weights[moves.context, moves.chosen]
    else:
        values = weights[jnp.asarray(feature_table(pieces)[0])[moves.context, moves.chosen]].sum(-1)
    slopes = (2 * config.learning_rate / config.batch) * (values - wanted)
    return step_down(pieces, weights, moves, slopes)


class Board:
    """What an agent reads off an observation."""

    def __init__(self, pieces: Pieces, observation: jax.Array):
        self.kinds = observation[: pieces.cells]  # 0: empty
        shape, color, bucket = observation[pieces.cells : pieces.cells + 3]
        number = ((shape - 1) * pieces.colors + color - 1) * pieces.buckets + bucket
        self.context = jnp.where(shape > 0, number, 0)
        group = jnp.where(self.kinds > 0, self.kinds - 1, pieces.kinds)
        # (actions,): the class of every action.
        self.classes = (group[:, None] * pieces.buckets + jnp.arange(pieces.buckets)).reshape(-1)
        self.occupied = jnp.repeat(self.kinds > 0, pieces.buckets)


def allowed(config: Config, board: Board) -> jax.Array:
    """Which actions there are, (actions,) bool."""
    return board.occupied if config.actions == "occupied" else jnp.ones_like(board.occupied)


def open_classes(pieces: Pieces, config: Config, board: Board) -> jax.Array:
    """Which classes the actions have, (classes,) bool."""
    return jnp.zeros(pieces.classes, bool).at[board.classes].max(allowed(config, board))


def best_actions(pieces: Pieces, config: Config, weights: jax.Array, board: Board) -> jax.Array:
    """Which allowed actions have the highest value, (actions,) bool."""
    values = values_of(pieces, weights, board.context)[board.classes]
    values = jnp.where(allowed(config, board), values, -jnp.inf)
    return values == values.max()


def choose(
    key: jax.Array, pieces: Pieces, config: Config, weights: jax.Array, board: Board, epsilon: jax.Array
) -> jax.Array:
    """An action, epsilon-greedy; ties are broken at random, action by action."""
    best = best_actions(pieces, config, weights, board)
    chance = jax.random.uniform(stream(key, "ties"), best.shape)
    explores = jax.random.uniform(stream(key, "explore")) < epsilon
    candidates = jnp.where(explores, allowed(config, board), best)
    return jnp.argmax(jnp.where(candidates, chance, -1.0)).astype(jnp.int32)


def act(
    task: Task,
    weights: jax.Array,
    memory: Any,
    key: jax.Array,
    observation: jax.Array,
    config: Config = Config(),
) -> tuple[jax.Array, Any]:
    """The best action by what was learned."""
    pieces = pieces_of(task)
    return choose(key, pieces, config, weights, Board(pieces, observation), jnp.float32(0)), memory


def chances(
    task: Task, weights: jax.Array, memory: Any, observation: jax.Array, config: Config = Config()
) -> jax.Array:
    """The best actions share all."""
    pieces = pieces_of(task)
    best = best_actions(pieces, config, weights, Board(pieces, observation))
    return best / best.sum()


@record
class Learner:
    weights: Any
    target: Any  # (contexts, classes), of the weights at the last copy
    replay: Replay
    world: World
    observation: Any
    moves: Any  # () int32, of the whole run
    episode: Any  # () int32, episodes ended
    score: Any  # () float32, of the episode under way
    paid: Any  # () float32
    reports: Report  # (episodes,) each


def start(key: jax.Array, task: Task, config: Config) -> Learner:
    pieces = pieces_of(task)
    observation, world = loop.reset(task, stream(key, "reset"))
    missing, none = jnp.full(config.episodes, jnp.nan), jnp.zeros(config.episodes, jnp.int32)
    reports = Report(step=none, score=missing, paid=missing, length=missing, episodes=none)
    weights = no_weights(pieces, config.form)
    return Learner(
        weights, table_of(pieces, weights), no_moves(pieces, config.memory), world, observation,
        jnp.int32(0), jnp.int32(0), jnp.float32(0), jnp.float32(0), reports,
    )  # fmt: skip


def make_move(task: Task, config: Config, root: jax.Array, learner: Learner) -> Learner:
    pieces, key = pieces_of(task), jax.random.fold_in(root, learner.moves)
    board = Board(pieces, learner.observation)
    fall = jnp.exp(-learner.moves / config.explore_moves)
    epsilon = config.explore_last + (config.explore_first - config.explore_last) * fall
    chosen = choose(stream(key, "choose"), pieces, config, learner.weights, board, epsilon)
    out = loop.step(task, stream(key, "step"), learner.world, chosen)
    after = Board(pieces, out.observation)
    is_open = open_classes(pieces, config, after)
    entry = Replay(
        board.context, board.classes[chosen], out.reward, ~out.terminated, after.context, is_open,
        best_of(learner.target, after.context, is_open),
    )  # fmt: skip
    place = learner.moves % config.memory
    replay = jax.tree.map(lambda leaf, value: leaf.at[place].set(value), learner.replay, entry)
    weights = learn(stream(key, "learn"), pieces, config, learner.weights, replay, learner.moves + 1)
    learner = replace(
        learner, weights=weights, replay=replay, world=out.state, observation=out.observation,
        moves=learner.moves + 1, score=learner.score + out.score, paid=learner.paid + out.reward,
    )  # fmt: skip
    ended = out.terminated | out.truncated
    return jax.lax.cond(ended, partial(end_episode, task, config, key), lambda learner: learner, learner)


def end_episode(task: Task, config: Config, key: jax.Array, learner: Learner) -> Learner:
    """The report of an episode, a new target where it is time, and a new board."""
    pieces, number = pieces_of(task), learner.episode
    made = Report(learner.moves, learner.score, learner.paid, learner.world.time, jnp.int32(1))
    reports = jax.tree.map(lambda leaf, value: leaf.at[number].set(value), learner.reports, made)

    def copy() -> tuple[jax.Array, jax.Array]:
        target = table_of(pieces, learner.weights)
        return target, best_of(target, learner.replay.context_after, learner.replay.open_after)

    is_time = (number + 1) % config.target_every == 0
    target, best = jax.lax.cond(is_time, copy, lambda: (learner.target, learner.replay.best_after))
    world = loop.start_after(task, stream(key, "again"), learner.world)
    observation, world = loop.look(task, stream(key, "again"), world)
    return replace(
        learner, target=target, replay=replace(learner.replay, best_after=best), world=world,
        observation=observation, episode=number + 1, score=jnp.float32(0), paid=jnp.float32(0),
        reports=reports,
    )  # fmt: skip


def train(key: jax.Array, task: Task, config: Config = Config()) -> Trained:
    """Trains one agent. Pure and jittable, but slow under `vmap`: see `Agent.alone`."""
    root = stream(key, "env")

    def is_under_way(learner: Learner) -> jax.Array:
        return (learner.episode < config.episodes) & (learner.moves < config.steps)

    learner = jax.lax.while_loop(
        is_under_way, partial(make_move, task, config, root), start(key, task, config)
    )
    return Trained(learner.weights, learner.reports)


@cache
def act_with(config: Config) -> Act:
    """The same function for the same settings: another one would compile the evaluation anew."""
    return partial(act, config=config)


@cache
def chances_with(config: Config) -> Chances:
    return partial(chances, config=config)


AGENT = Agent(Config, train, act, fits, act_with, step_s=6e-5, alone=True, tells=chances_with)
