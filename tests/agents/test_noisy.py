"""Noisy layers: their mean is the network, their spread is as published, and both are learned."""

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents.encoder import Layer
from assay.agents.network import first_layers
from assay.agents.noisy import Noisy, disturb, shrink, undisturbed, with_spread


def test_a_network_without_noise_is_left_alone():
    layers = first_layers(jax.random.key(0), (3, 2))
    assert disturb(jax.random.key(1), layers) is layers and undisturbed(layers) is layers


def test_noise_shrinks_to_its_root():
    assert shrink(jnp.array([-4.0, 0.0, 9.0])).tolist() == [-2, 0, 3]


def test_the_spread_is_that_of_the_paper():
    """Of p inputs sigma is scale / sqrt(p); a weight's noise is a product of two, a bias has one."""
    noisy = with_spread(first_layers(jax.random.key(0), (16, 5)), 0.5)
    assert noisy.spread[0][0].shape == (16, 5) and float(noisy.spread[0][1][0]) == 0.125
    draws = jax.vmap(lambda key: disturb(key, noisy)[0])(jax.random.split(jax.random.key(1), 4000))
    of_weights, of_bias = (np.asarray(a) - np.asarray(b) for a, b in zip(draws, noisy.mean[0]))
    mean_square = np.sqrt(2 / np.pi)  # of shrunk noise: the mean size of a normal number
    np.testing.assert_allclose(of_weights.mean((0, 1, 2)), 0, atol=0.002)
    np.testing.assert_allclose((of_weights**2).mean(), (0.125 * mean_square) ** 2, rtol=0.05)
    np.testing.assert_allclose((of_bias**2).mean(), 0.125**2 * mean_square, rtol=0.05)
    rank = np.linalg.matrix_rank(of_weights[0], tol=1e-6)
    assert rank == 1  # one number for each input and one for each output


def test_spread_is_learned():
    noisy = with_spread(first_layers(jax.random.key(0), (4, 3)), 0.5)

    def size(noisy):
        return (disturb(jax.random.key(1), noisy)[0][0] ** 2).sum()

    gradient = jax.grad(size)(noisy)
    assert isinstance(gradient, Noisy) and all(np.abs(leaf).sum() > 0 for leaf in gradient.spread[0][:1])


def test_behind_convolutions_the_full_layers_are_noisy_and_nothing_else():
    encoder = [Layer(jnp.ones((2, 2, 1, 3)), jnp.zeros(3)), Layer(jnp.ones((12, 4)), jnp.zeros(4))]
    noisy = with_spread((encoder, first_layers(jax.random.key(0), (4, 2))), 0.5)
    seen, last = disturb(jax.random.key(1), noisy)
    np.testing.assert_array_equal(seen[0].weights, encoder[0].weights)
    assert (seen[1].weights != 1).any() and len(noisy.spread) == 2 and last[0][0].shape == (4, 2)
