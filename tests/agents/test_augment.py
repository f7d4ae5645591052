"""Pictures changed at random: by hand where it can be, and not at all where nothing is asked for."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import ppo
from assay.agents.augment import augment, move, recolor, turn_colors
from assay.agents.encoder import rectify
from assay.errors import AssayError
from assay.native import build_native

PICTURE = np.arange(6 * 5 * 3, dtype=np.uint8).reshape(6, 5, 3)


def keys(count):
    return jax.random.split(jax.random.key(3), count)


def test_what_is_off_changes_nothing_and_draws_nothing():
    assert (augment(keys(1)[0], jnp.asarray(PICTURE), 0, 0.0) == PICTURE).all()


def test_a_shift_is_one_of_the_nine_by_a_pixel_with_edges_that_go_on():
    padded = np.pad(PICTURE, ((1, 1), (1, 1), (0, 0)), mode="edge")
    nine = {padded[down : down + 6, right : right + 5].tobytes() for down in range(3) for right in range(3)}
    moved = jax.vmap(lambda key: move(key, jnp.asarray(PICTURE), 1))(keys(200))
    assert {np.asarray(each).tobytes() for each in moved} == nine


def test_gray_pixels_stay_gray_whatever_the_hue_and_the_saturation():
    matrix = turn_colors(jnp.float32(1.4), jnp.float32(1.0))
    np.testing.assert_allclose(matrix @ np.full(3, 90.0), np.full(3, 90.0), atol=0.2)


def test_a_third_of_the_circle_turns_red_into_a_colour_of_the_same_luma():
    turned = turn_colors(jnp.float32(1), jnp.float32(2 * np.pi / 3)) @ np.array([255.0, 0, 0])
    assert turned[0] < 60 and abs(turned @ np.array([0.299, 0.587, 0.114]) - 255 * 0.299) < 0.5


def test_a_jitter_differs_from_draw_to_draw_and_grows_with_its_strength():
    def change(most):
        made = jax.vmap(lambda key: recolor(key, jnp.asarray(PICTURE), most))(keys(50)).astype(int)
        assert len({np.asarray(each).tobytes() for each in made}) > 40
        return float(np.abs(np.asarray(made) - PICTURE).mean())

    assert change(0.1) < change(0.4)


def test_pictures_of_one_channel_are_changed_too():
    gray = jnp.asarray(PICTURE[..., 0])
    changed = augment(keys(1)[0], gray, 1, 0.5)
    assert changed.shape == gray.shape and changed.dtype == gray.dtype


def test_a_learner_that_changes_pictures_needs_pictures():
    task = build_native("toy/discrete").task
    with pytest.raises(AssayError, match="shift and jitter change pictures"):
        ppo.train(keys(1)[0], task, ppo.Config(jitter=0.1))
    with pytest.raises(AssayError, match="jitter of ppo must lie between 0 and 1"):
        ppo.Config(jitter=2.0)


def test_the_gradient_of_what_is_cut_at_zero_is_that_of_a_relu():
    x = jnp.array([-2.0, 0.0, 3.0])
    np.testing.assert_array_equal(jax.grad(lambda x: (rectify(x) ** 2).sum())(x), [0, 0, 6])
    np.testing.assert_array_equal(rectify(x), jax.nn.relu(x))
