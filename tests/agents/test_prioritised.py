"""Prioritised replay: rows are drawn as often as their priority says, and weights make up for it."""

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.prioritised import (
    BLOCK,
    Priorities,
    add_rows,
    draw_rows,
    importance,
    no_priorities,
    set_errors,
)


def of_rows(each):
    length = len(each)
    priorities = no_priorities(length)
    padded = np.zeros(priorities.each.size, np.float32)
    padded[:length] = each
    return Priorities(jnp.asarray(padded).reshape(-1, BLOCK), jnp.float32(max(each)))


def test_a_ring_has_room_for_all_its_rows():
    assert no_priorities(1).each.shape == (1, BLOCK)
    assert no_priorities(BLOCK + 1).each.shape == (2, BLOCK)


def test_rows_are_drawn_as_often_as_their_priority_says():
    each = np.zeros(3 * BLOCK + 7)
    each[[0, 5, BLOCK - 1, BLOCK, 3 * BLOCK + 6]] = 1, 2, 3, 4, 10
    priorities = of_rows(each)
    draw = jax.jit(lambda key: draw_rows(key, priorities, 32))
    rows, chances = jax.vmap(draw)(jax.random.split(jax.random.key(1), 2000))
    counts = np.bincount(np.asarray(rows).ravel(), minlength=len(each))
    # 64,000 draws: the standard error of the rarest share, 0.05, is below 0.001.
    np.testing.assert_allclose(counts / counts.sum(), each / each.sum(), atol=0.004)
    np.testing.assert_allclose(chances, (each / each.sum())[rows], rtol=1e-5)


def test_a_row_without_a_priority_is_never_drawn():
    rng = np.random.default_rng(2)
    each = np.where(rng.random(1000) < 0.05, rng.exponential(size=1000) ** 4, 0)
    priorities = of_rows(each)
    rows, _ = jax.vmap(lambda key: draw_rows(key, priorities, 64))(jax.random.split(jax.random.key(2), 500))
    assert (each[np.asarray(rows)] > 0).all()


def test_one_row_is_always_drawn():
    priorities = add_rows(no_priorities(10), jnp.int32(4))
    rows, chances = draw_rows(jax.random.key(0), priorities, 5)
    assert rows.tolist() == [4] * 5 and chances.tolist() == [1] * 5


def test_new_rows_get_the_largest_priority_so_far():
    priorities = set_errors(
        add_rows(no_priorities(10), jnp.arange(2)), jnp.array([1]), jnp.array([-3.0]), 0.5
    )
    priorities = add_rows(priorities, jnp.int32(2))
    np.testing.assert_allclose(priorities.each[0, :4], [1, 3**0.5, 3**0.5, 0], rtol=1e-5)


def test_importance_by_hand():
    """Drawn with chances 0.4 and 0.1 of five rows; weights (N P)^-1 are 0.5 and 2, the largest counts 1."""
    np.testing.assert_allclose(importance(jnp.array([0.4, 0.1]), 5, 1.0), [0.25, 1.0], rtol=1e-6)
    assert importance(jnp.array([0.4, 0.1]), 5, 0.0).tolist() == [1, 1]
