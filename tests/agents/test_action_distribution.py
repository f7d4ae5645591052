"""Distributions of actions: against scipy, against every combination, and by hand."""

from functools import partial
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from assay.agents import action_distribution as distribution
from assay.agents.action_distribution import (
    as_action,
    count_outputs,
    draw,
    entropies,
    first_spread,
    likeliest,
    likelihoods,
    numbers_drawn,
    probabilities,
    why_no_distribution,
)
from assay.agents.agent import with_number
from assay.core.keys import root_of
from assay.core.space import Box, Discrete, Opaque
from assay.errors import NotApplicable

ONE, SEVERAL, ARRAY = Discrete(4, start=3), Discrete((2, 3, 4), start=-1), Box(-1.0, 1.0, (2, 2))
MEANS, SPREAD = jnp.array([0.3, -2.0, 0.0, 1.5]), jnp.log(jnp.array([0.5, 1.0, 2.0, 0.1]))


def outputs_for(space, rows=5):
    return jax.random.normal(root_of(1), (rows, count_outputs(space)))


def test_two_actions_by_hand():
    outputs = jnp.log(jnp.array([[1.0, 3.0]]))
    assert float(likelihoods(Discrete(2), outputs, None, jnp.array([1]))[0]) == pytest.approx(np.log(0.75))
    wanted = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))
    assert float(entropies(Discrete(2), outputs, None)[0]) == pytest.approx(wanted)


def test_several_numbers_are_a_product_over_every_combination():
    outputs = outputs_for(SEVERAL)
    combinations = jnp.array(list(product(range(2), range(3), range(4))), jnp.int32)
    told = jax.vmap(lambda row: likelihoods(SEVERAL, row[None], None, combinations))(outputs)
    shares = np.exp(told)
    np.testing.assert_allclose(shares.sum(1), 1, rtol=1e-5)
    np.testing.assert_allclose(
        entropies(SEVERAL, outputs, None), -(shares * np.log(shares)).sum(1), rtol=1e-4
    )
    np.testing.assert_allclose(jax.vmap(partial(probabilities, SEVERAL))(outputs), shares, rtol=1e-4)
    best = combinations[shares.argmax(1)]
    assert np.array_equal(likeliest(SEVERAL, outputs), best)


def test_probabilities_come_in_the_order_of_the_numbers_of_actions():
    outputs = jnp.zeros(9).at[1].set(50.0).at[2].set(50.0).at[8].set(50.0)  # entries 1, 0 and 3
    number = int(probabilities(SEVERAL, outputs).argmax())
    assert with_number(SEVERAL, jnp.int32(number)).tolist() == [0, -1, 2]


def test_a_gaussian_is_that_of_scipy():
    drawn = draw(root_of(2), ARRAY, jnp.tile(MEANS, (6, 1)), SPREAD)
    assert drawn.shape == (6, 4)
    every = stats.norm(np.asarray(MEANS), np.exp(SPREAD))
    found = likelihoods(ARRAY, jnp.tile(MEANS, (6, 1)), SPREAD, drawn)
    np.testing.assert_allclose(found, every.logpdf(np.asarray(drawn)).sum(1), rtol=1e-4)
    wanted = every.entropy().sum()
    np.testing.assert_allclose(entropies(ARRAY, jnp.zeros((3, 4)), SPREAD), [wanted] * 3, rtol=1e-5)


def test_the_likelihood_is_of_the_draw_and_the_action_is_cut_to_the_bounds():
    drawn = jnp.array([0.5, -7.0, 1.5, 0.0])
    assert as_action(ARRAY, drawn).tolist() == [[0.5, -1.0], [1.0, 0.0]]
    outside, edge = (
        likelihoods(ARRAY, MEANS[None], SPREAD, jnp.array([row]))
        for row in ([0.5, -7.0, 1.5, 0.0], [0.5, -1.0, 1.0, 0.0])
    )
    assert float(outside[0]) < float(edge[0]) - 5


def test_an_entry_without_a_bound_is_not_cut():
    half = Box(np.array([-1.0, -np.inf], np.float32), np.array([np.inf, 1.0], np.float32), (2,))
    assert as_action(half, jnp.array([90.0, -90.0])).tolist() == [90.0, -90.0]
    assert as_action(half, jnp.array([-90.0, 90.0])).tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("space", [ONE, SEVERAL])
def test_draws_are_as_frequent_as_they_are_likely(space):
    outputs, count = outputs_for(space, 1), 20_000
    drawn = draw(root_of(3), space, jnp.tile(outputs, (count, 1)), None)
    actions = jax.vmap(partial(as_action, space))(drawn)
    assert actions.min() == space.start and np.array_equal(numbers_drawn(space, actions), drawn)
    rows, times = np.unique(np.asarray(drawn), axis=0, return_counts=True)
    told = np.exp(likelihoods(space, jnp.tile(outputs, (len(rows), 1)), None, jnp.asarray(rows)))
    spread = np.sqrt(told * (1 - told) / count)
    assert (np.abs(times / count - told) < 4.5 * spread).all()


def test_entries_of_one_draw_do_not_depend_on_one_another():
    """Equal outputs for both entries, and no more agreement than chance has."""
    drawn = np.asarray(draw(root_of(4), Discrete((4, 4)), jnp.zeros((20_000, 8)), None))
    assert abs((drawn[:, 0] == drawn[:, 1]).mean() - 0.25) < 0.015


def test_more_combinations_than_can_be_numbered_are_drawn_but_not_listed():
    many = Discrete((64,) * 6)
    assert why_no_distribution(many) == "" and count_outputs(many) == 384
    assert draw(root_of(1), many, jnp.zeros((2, 384)), None).shape == (2, 6)
    with pytest.raises(NotApplicable, match="68,719,476,736 combinations"):
        probabilities(many, jnp.zeros(384))
    with pytest.raises(NotApplicable, match="drawn from a Gaussian"):
        probabilities(ARRAY, jnp.zeros(4))


@pytest.mark.parametrize("space, why", [
    (Opaque("dict of arrays"), "these actions are a dict of arrays"),
    (Discrete(5000), "it would choose among 5,000 actions, and 4,096 is the most"),
    (Box(0, 9, (2,), "int32"), "its Gaussian draws fractions, and these actions are a Box of type int32"),
])  # fmt: skip
def test_actions_that_cannot_be_drawn_are_refused(space, why):
    assert why in why_no_distribution(space)


def test_only_a_gaussian_has_a_spread():
    assert distribution.first_spread(ONE) is None and first_spread(ARRAY).tolist() == [0.0] * 4
