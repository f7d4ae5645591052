"""The gated recurrent unit against the same formulas in numpy, and its memory from episode to episode."""

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents import gru
from assay.core.keys import root_of

INTO, WIDTH = 3, 4


def unit():
    """One whose biases are not 0."""
    first = gru.first_gru(root_of(1), INTO, WIDTH)
    keys = jax.random.split(root_of(2), 2)
    return first._replace(
        bias_of_input=jax.random.normal(keys[0], (3 * WIDTH,)),
        bias_of_memory=jax.random.normal(keys[1], (3 * WIDTH,)),
    )


def by_numpy(unit, memory, x):
    """PyTorch's formulas, unit by unit: r, z, n = tanh(W x + b + r (U h + c)), h' = (1 - z) n + z h."""
    w, u, b, c = (np.asarray(part, np.float64) for part in unit)
    after = np.empty(WIDTH)
    for i in range(WIDTH):
        r, z, n = (i, WIDTH + i, 2 * WIDTH + i)
        reset = 1 / (1 + np.exp(-(x @ w[:, r] + b[r] + memory @ u[:, r] + c[r])))
        keep = 1 / (1 + np.exp(-(x @ w[:, z] + b[z] + memory @ u[:, z] + c[z])))
        new = np.tanh(x @ w[:, n] + b[n] + reset * (memory @ u[:, n] + c[n]))
        after[i] = (1 - keep) * new + keep * memory[i]
    return after


def test_one_step_is_that_of_numpy():
    memory, x = jax.random.normal(root_of(3), (WIDTH,)), jax.random.normal(root_of(4), (INTO,))
    found = gru.remember(unit(), memory, x)
    np.testing.assert_allclose(
        found, by_numpy(unit(), np.asarray(memory, np.float64), np.asarray(x)), rtol=1e-5
    )


def test_a_sequence_is_its_steps_and_begins_anew_with_an_episode():
    rows, memory = jax.random.normal(root_of(5), (6, 2, INTO)), jax.random.normal(root_of(6), (2, WIDTH))
    begins = jnp.zeros((6, 2), bool).at[0, 1].set(True).at[3, 0].set(True)
    found = gru.remember_all(unit(), memory, rows, begins)
    for lane in range(2):
        now = np.asarray(memory[lane], np.float64)
        for t in range(6):
            now = by_numpy(unit(), np.zeros(WIDTH) if begins[t, lane] else now, np.asarray(rows[t, lane]))
            np.testing.assert_allclose(found[t, lane], now, rtol=1e-4, atol=1e-6)


def test_gradients_reach_the_first_input_but_not_over_the_end_of_an_episode():
    begins = jnp.zeros((5, 1), bool)

    def last(rows, begins):
        return gru.remember_all(unit(), jnp.zeros((1, WIDTH)), rows, begins)[-1].sum()

    rows = jax.random.normal(root_of(7), (5, 1, INTO))
    assert float(jnp.abs(jax.grad(last)(rows, begins)[0]).sum()) > 0
    cut = jax.grad(last)(rows, begins.at[2].set(True))
    assert float(jnp.abs(cut[:2]).sum()) == 0 and float(jnp.abs(cut[2]).sum()) > 0


def test_the_products_of_a_new_unit_are_orthogonal_part_by_part():
    for part in np.split(np.asarray(gru.first_gru(root_of(1), INTO, WIDTH).of_memory), 3, -1):
        np.testing.assert_allclose(part @ part.T, np.eye(WIDTH), atol=1e-5)
