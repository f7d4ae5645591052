"""Returns over n steps: by hand at ends, at cuts, at the ring's edge, and in lanes side by side."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents.n_step import draw_rows, returns_from
from assay.agents.replay import Transition, empty_replay, remember, remember_lanes
from assay.core.keys import root_of
from assay.core.space import Box

SPACE = Box(-1, 1, (1,))


def filled(rewards, terminated=(), cut=(), length=8, lanes=1):
    """A ring after these steps: that of step i sees i, and after it 100 + i."""
    rows = empty_replay(SPACE, jnp.zeros(1), length)
    for i in range(0, len(rewards), lanes):
        number = jnp.arange(i, i + lanes)
        stops = jnp.array([j in terminated for j in range(i, i + lanes)])
        ends = stops | jnp.array([j in cut for j in range(i, i + lanes)])
        seen = number[:, None].astype(jnp.float32)
        paid = jnp.asarray(rewards[i : i + lanes], jnp.float32)
        rows = remember_lanes(rows, jnp.int32(i), Transition(seen, -seen, paid, seen + 100, stops, ends))
    return rows


def returns(rows, step, first, n, lanes=1):
    found = returns_from(rows, jnp.int32(step), jnp.array(first), n, 0.5, lanes)
    return [np.asarray(each).ravel().tolist() for each in (found.reward, found.after, found.discount)]


def test_one_step_is_the_step_itself():
    rows = filled([1, 2, 3], terminated=[1])
    assert returns(rows, 3, [0, 1, 2], 1) == [[1, 2, 3], [100, 101, 102], [0.5, 0.0, 0.5]]


def test_three_steps_by_hand():
    rows = filled([1, 2, 4, 8, 16])
    # 1 + 2/2 + 4/4 = 3; 2 + 4/2 + 8/4 = 6; what follows counts an eighth
    assert returns(rows, 5, [0, 1], 3) == [[3, 6], [102, 103], [0.125, 0.125]]


def test_the_newest_steps_add_up_what_there_is():
    rows = filled([1, 2, 4, 8, 16])
    assert returns(rows, 5, [3, 4], 3) == [[16, 16], [104, 104], [0.25, 0.5]]


def test_nothing_follows_a_termination():
    rows = filled([1, 2, 4, 8], terminated=[1])
    assert returns(rows, 4, [0, 1, 2], 3) == [[2, 2, 8], [101, 101, 103], [0.0, 0.0, 0.25]]


def test_a_time_limit_ends_the_sum_and_not_the_bootstrap():
    rows = filled([1, 2, 4, 8], cut=[1])
    assert returns(rows, 4, [0, 1], 3) == [[2, 2], [101, 101], [0.25, 0.5]]


def test_a_return_goes_on_over_the_edge_of_the_ring_and_not_into_older_steps():
    rows = filled([1, 2, 4, 8, 16, 32], length=4)  # rows hold steps 4, 5, 2, 3
    assert returns(rows, 6, [2, 3], 3) == [[12, 24], [104, 105], [0.125, 0.125]]
    assert returns(rows, 6, [0, 1], 3) == [[32, 32], [105, 105], [0.25, 0.5]]


def test_the_next_step_of_a_lane_is_so_many_rows_further_on():
    rows = filled([1, 10, 2, 20, 4, 40], terminated=[3], lanes=2)
    assert returns(rows, 6, [0, 1, 4], 2, lanes=2) == [[2, 20, 4], [102, 103, 104], [0.25, 0.0, 0.5]]


@pytest.mark.parametrize("lanes", [1, 2, 3])
def test_random_rings_against_plain_python(lanes):
    rng, length, n, made = np.random.default_rng(lanes), 12, 4, 12 + 7 * lanes
    made -= made % lanes
    rewards = rng.normal(size=made).astype("float32")
    terminated, cut = (set(np.flatnonzero(rng.random(made) < 0.15)) for _ in range(2))
    rows = filled(rewards, terminated, cut, length, lanes)
    found = returns_from(rows, jnp.int32(made), jnp.arange(length), n, 0.9, lanes)
    for row in range(length):
        number = max(i for i in range(made) if i % length == row)
        total, weight = 0.0, 1.0
        for i in range(number, min(number + n * lanes, made), lanes):
            total, weight, last = total + weight * rewards[i], weight * 0.9, i
            if i in terminated or i in cut:
                break
        assert float(found.observation[row, 0]) == number and float(found.after[row, 0]) == 100 + last
        assert float(found.reward[row]) == pytest.approx(total, abs=1e-5)
        assert float(found.discount[row]) == pytest.approx(0.0 if last in terminated else weight)


def test_only_filled_rows_are_drawn_and_every_one_of_them():
    rows = empty_replay(SPACE, jnp.zeros(1), 8)
    row = Transition(
        jnp.zeros(1), jnp.zeros(1), jnp.float32(1), jnp.zeros(1), jnp.bool_(False), jnp.bool_(False)
    )
    for step in range(3):
        rows = remember(rows, jnp.int32(step), row)
    assert rows.reward.tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
    assert set(draw_rows(root_of(1), rows, jnp.int32(3), 64).tolist()) == {0, 1, 2}
    assert set(draw_rows(root_of(1), rows, jnp.int32(30), 256).tolist()) == set(range(8))


def test_it_is_the_same_compiled():
    rows = filled([1, 2, 4, 8, 16, 32], cut=[3], length=4)
    plain = returns_from(rows, jnp.int32(6), jnp.arange(4), 3, 0.5)
    compiled = jax.jit(returns_from, static_argnums=(3, 4, 5))(rows, jnp.int32(6), jnp.arange(4), 3, 0.5, 1)
    for one, other in zip(jax.tree.leaves(plain), jax.tree.leaves(compiled), strict=True):
        np.testing.assert_array_equal(one, other)
