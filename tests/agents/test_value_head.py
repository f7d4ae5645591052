"""Heads by hand: dueling takes the mean of the gains away, atoms carry chances, projection keeps the mean."""

import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents.value_head import PLAIN, Head, project, returns_of, rows_of, values_of

THREE = Head(atoms=3, lowest=-1.0, highest=1.0)


def test_a_plain_head_gives_its_outputs():
    assert PLAIN.outputs(4) == 4
    assert values_of(PLAIN, jnp.array([1.0, 2.0, 3.0, 4.0])).tolist() == [1, 2, 3, 4]


def test_dueling_by_hand():
    head = Head(dueling=True)
    assert head.outputs(2) == 3
    # The state is worth 10, and the gains 1 and 5 lie 2 below and above their mean.
    assert values_of(head, jnp.array([10.0, 1.0, 5.0])).tolist() == [8, 12]


def test_dueling_with_atoms_splits_every_atom():
    head = Head(True, 2, 0.0, 1.0)
    assert head.outputs(2) == 6
    rows = rows_of(head, jnp.array([1.0, 2.0, 0.0, 4.0, 2.0, 0.0]))
    assert rows.tolist() == [[1 + 0 - 1, 2 + 4 - 2], [1 + 2 - 1, 2 + 0 - 2]]


def test_the_value_of_atoms_is_their_mean():
    even, sure = [0.0, 0.0, 0.0], [-100.0, -100.0, 0.0]
    np.testing.assert_allclose(values_of(THREE, jnp.array(even + sure)), [0, 1], atol=1e-6)
    assert returns_of(THREE).tolist() == [-1, 0, 1]


@pytest.mark.parametrize("value, wanted", [
    (0.25, [0, 0.75, 0.25]), (-1.0, [1, 0, 0]), (5.0, [0, 0, 1]), (-0.5, [0.5, 0.5, 0]),
])  # fmt: skip
def test_one_return_goes_to_the_atoms_beside_it(value, wanted):
    found = project(THREE, jnp.array([[value]]), jnp.array([[1.0]]))
    np.testing.assert_allclose(found, [wanted], atol=1e-6)


def test_projection_keeps_the_sum_and_within_the_bounds_the_mean():
    rng = np.random.default_rng(0)
    head = Head(atoms=51, lowest=-10.0, highest=10.0)
    returns, chances = rng.uniform(-10, 10, (20, 51)), rng.dirichlet(np.ones(51), 20)
    found = np.asarray(project(head, jnp.asarray(returns), jnp.asarray(chances)))
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-5)
    np.testing.assert_allclose(found @ np.linspace(-10, 10, 51), (returns * chances).sum(1), atol=1e-4)
