"""Observations in units of their spread: counted row by row or at once, cut, and frozen for whoever acts."""

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.normalise import FEW, count_rows, normalise, nothing_seen
from assay.core.keys import root_of

ROWS = np.asarray(jax.random.normal(root_of(1), (120, 2)) * jnp.array([3.0, 0.1]) + jnp.array([-5.0, 8.0]))


def test_four_numbers_by_hand():
    found = count_rows(
        nothing_seen(1)._replace(count=jnp.float32(0)), jnp.array([[1.0], [2.0], [3.0], [6.0]])
    )
    assert (float(found.mean[0]), float(found.variance[0]), float(found.count)) == (3.0, 3.5, 4.0)
    np.testing.assert_allclose(normalise(found, jnp.array([[3.0 + np.sqrt(3.5)]])), [[1.0]], rtol=1e-6)


def test_in_parts_it_is_the_mean_and_variance_of_all_rows():
    known = nothing_seen(2)
    for part in np.split(ROWS, [1, 30, 31, 100]):
        known = count_rows(known, jnp.asarray(part))
    assert float(known.count) == np.float32(len(ROWS) + FEW)
    np.testing.assert_allclose(known.mean, ROWS.mean(0), rtol=1e-3)
    np.testing.assert_allclose(known.variance, ROWS.var(0), rtol=2e-2)


def test_before_any_row_nothing_changes_but_what_is_far_off():
    seen = normalise(nothing_seen(2), jnp.array([[0.5, -700.0]]))
    np.testing.assert_allclose(seen, [[0.5, -10.0]], rtol=1e-6)


def test_no_gradient_moves_what_is_known():
    gradient = jax.grad(lambda known: normalise(known, jnp.asarray(ROWS)).sum())(nothing_seen(2))
    assert all(float(jnp.abs(leaf).sum()) == 0 for leaf in jax.tree.leaves(gradient))
