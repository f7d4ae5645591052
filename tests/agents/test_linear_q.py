"""The linear learner of hidden rules: both of its forms, its targets, and what it refuses."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import linear_q
from assay.agents.linear_q import Board, Config, Replay, best_of, learn, no_weights, open_classes, table_of
from assay.agents.piece_features import Pieces
from assay.core.keys import root_of, stream
from assay.core.space import Discrete
from assay.errors import AssayError
from assay.native import build_native

PIECES = Pieces(36, 4, 4, 4)


def random_moves(seed: int, count: int = 300) -> Replay:
    rng = np.random.default_rng(seed)
    return Replay(
        jnp.asarray(rng.integers(PIECES.contexts, size=count), jnp.int32),
        jnp.asarray(rng.integers(PIECES.classes, size=count), jnp.int32),
        jnp.asarray(-rng.integers(2, size=count), jnp.float32),
        jnp.asarray(rng.random(count) < 0.9),
        jnp.asarray(rng.integers(PIECES.contexts, size=count), jnp.int32),
        jnp.asarray(rng.random((count, PIECES.classes)) < 0.5),
        jnp.asarray(-rng.random(count), jnp.float32),
    )


def test_the_table_and_the_features_learn_the_same_values():
    moves, config = random_moves(0), Config(memory=300)
    features, table = (no_weights(PIECES, form) for form in ("features", "table"))
    step = jax.jit(lambda key, weights: learn(key, PIECES, config, weights, moves, jnp.int32(300)))
    for number in range(2000):
        key = jax.random.key(number)
        features, table = step(key, features), step(key, table)
    values = table_of(PIECES, features)
    assert float(jnp.abs(values).max()) > 0.5
    np.testing.assert_allclose(values, table, atol=1e-5)


class Shadow(NamedTuple):
    """A learner by features, and a table that learns from the same moves by itself, with its own target."""

    learner: linear_q.Learner
    table: jax.Array
    target: jax.Array
    apart: jax.Array  # the largest difference of any value after any move so far
    largest: jax.Array  # the largest value, without its sign


def move_both(task, config, root, both: Shadow) -> Shadow:
    before = both.learner
    after = linear_q.make_move(task, config, root, before)
    # The target may be copied at the end of an episode, after the step of learning.
    best = best_of(both.target, after.replay.context_after, after.replay.open_after)
    key = stream(jax.random.fold_in(root, before.moves), "learn")
    table = learn(key, PIECES, config, both.table, replace(after.replay, best_after=best), before.moves + 1)
    is_copied = (after.episode > before.episode) & (after.episode % config.target_every == 0)
    values = table_of(PIECES, after.weights)
    apart = jnp.maximum(both.apart, jnp.abs(values - table).max())
    largest = jnp.maximum(both.largest, jnp.abs(values).max())
    return Shadow(after, table, jnp.where(is_copied, table, both.target), apart, largest)


@pytest.mark.parametrize("actions", ["all", "occupied"])
def test_the_table_and_the_features_agree_over_a_whole_run(actions):
    """200 episodes of the paper's experiment: every value, after every move."""
    config, task = Config(actions=actions), build_native("rules/clockwise").task

    def play(key):
        def goes_on(both):
            return (both.learner.episode < config.episodes) & (both.learner.moves < config.steps)

        table = no_weights(PIECES, "table")
        first = Shadow(linear_q.start(key, task, config), table, table, jnp.float32(0), jnp.float32(0))
        return jax.lax.while_loop(goes_on, partial(move_both, task, config, stream(key, "env")), first)

    both = jax.jit(play)(root_of(0))
    assert int(both.learner.episode) == 200 and int(both.learner.moves) >= 1800
    assert float(both.largest) > 1
    assert float(both.apart) <= 1e-5


def test_one_step_by_hand():
    moves = jax.tree.map(lambda leaf: leaf[:1], random_moves(1))
    moves = replace(moves, reward=jnp.array([-1.0]), goes_on=jnp.array([True]), best_after=jnp.array([-2.0]),
                    chosen=jnp.array([5], jnp.int32))  # fmt: skip
    config = Config(batch=1, memory=1, learning_rate=0.01, discount=0.5)
    weights = learn(jax.random.key(0), PIECES, config, no_weights(PIECES, "features"), moves, jnp.int32(1))
    # The value wanted is -1 + 0.5 * -2; each of the 18 features goes down by 2 * rate * 2.
    assert np.count_nonzero(weights) == 18
    np.testing.assert_allclose(weights[weights != 0], -0.04, rtol=1e-6)


def test_the_last_move_of_an_episode_has_no_future():
    moves = jax.tree.map(lambda leaf: leaf[:1], random_moves(1))
    moves = replace(moves, reward=jnp.array([0.0]), goes_on=jnp.array([False]), best_after=jnp.array([-9.0]))
    weights = learn(
        jax.random.key(0), PIECES, Config(batch=4), no_weights(PIECES, "features"), moves, jnp.int32(1)
    )
    assert not np.any(weights)


def board(cells: dict[int, int], last: tuple[int, int, int] = (0, 0, 0)) -> Board:
    kinds = np.zeros(36, np.int32)
    for cell, kind in cells.items():
        kinds[cell] = kind
    return Board(PIECES, jnp.asarray([*kinds, *last, 0], jnp.int32))


def test_a_board_tells_contexts_and_classes():
    seen = board({0: 1, 35: 16}, last=(4, 4, 4))
    assert int(seen.context) == 64
    assert int(board({}).context) == 0
    assert seen.classes[:4].tolist() == [0, 1, 2, 3]
    assert seen.classes[4:8].tolist() == [64, 65, 66, 67]
    assert seen.classes[140:].tolist() == [60, 61, 62, 63]


def test_only_classes_on_the_board_have_values():
    seen = board({3: 2})
    every = open_classes(PIECES, Config(), seen)
    assert np.flatnonzero(every).tolist() == [4, 5, 6, 7, 64, 65, 66, 67]
    occupied = open_classes(PIECES, Config(actions="occupied"), seen)
    assert np.flatnonzero(occupied).tolist() == [4, 5, 6, 7]
    target = jnp.arange(65 * 68, dtype=jnp.float32).reshape(65, 68)
    assert float(best_of(target, jnp.int32(1), occupied)) == 68 + 7


def test_occupied_cells_alone_are_chosen_where_asked():
    seen, config = board({3: 2}), Config(actions="occupied")
    weights = no_weights(PIECES, "features")
    picks = {
        int(linear_q.choose(jax.random.key(i), PIECES, config, weights, seen, jnp.float32(i % 2)))
        for i in range(60)
    }
    assert picks == {12, 13, 14, 15}


@pytest.mark.parametrize(
    "settings, says",
    [({"actions": "some"}, "actions of linear_q is one of all, occupied, not 'some'."),
     ({"form": "dense"}, "form of linear_q is one of features, table, not 'dense'."),
     ({"discount": 2.0}, "discount of linear_q must lie between 0 and 1, not at 2."),
     ({"batch": 0}, "batch of linear_q must be a whole number from 1 up, not 0.")],
)  # fmt: skip
def test_settings_out_of_range_are_refused(settings, says):
    with pytest.raises(AssayError) as error:
        Config(**settings)
    assert str(error.value) == says


def test_other_spaces_are_refused():
    spaces = {"observation": Discrete(8), "action": Discrete(8)}
    assert linear_q.fits(spaces).startswith("it knows boards of pieces alone")


def test_it_learns_to_alternate_two_buckets_and_reports_every_episode():
    config = Config(episodes=40, steps=4000, actions="occupied")
    task = build_native("rules/b3_then_b1").task
    trained = jax.jit(lambda key: linear_q.train(key, task, config))(root_of(1))
    reports = trained.reports
    errors = -np.asarray(reports.score)
    assert np.all(reports.episodes == 1)
    # Every move is either an error or one of nine pieces.
    np.testing.assert_array_equal(reports.length, errors + 9)
    assert np.array_equal(np.cumsum(reports.length), reports.step)
    assert errors[:5].mean() > 10 > 1 > errors[-10:].mean()


def test_a_run_that_is_out_of_steps_leaves_episodes_without_a_report():
    config = Config(episodes=5, steps=150)
    task = build_native("rules/b3_then_b1").task
    reports = jax.jit(lambda key: linear_q.train(key, task, config))(root_of(1)).reports
    done = int(reports.episodes.sum())
    assert 1 <= done < 5
    assert np.isnan(reports.score[done:]).all()
