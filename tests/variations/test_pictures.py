"""Transforms of pictures: by hand, then equal bits from jax and numpy, then the laws on a host."""

import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.core.host import HostedTask, Powers
from assay.core.space import Box, Discrete
from assay.errors import WrongLevel
from assay.proof.laws import hosted as host_laws
from assay.tasks import build_record, resolve
from assay.variations import picture

AXES = {axis.name: axis for axis in picture.AXES}
MOVING = [axis for axis in picture.AXES if axis.acts.draw(None, 0)]  # gray draws nothing
SMALL = np.arange(1, 10, dtype="uint8").reshape(3, 3, 1)


def seen(name, level, draw, value=SMALL, xp=np):
    space = Box(0, 255, value.shape, "uint8")
    draw = xp.asarray(np.float32(draw))
    return AXES[name].acts.apply(xp, level, (), draw, xp.asarray(value), (False, False), space)[1]


def rows(name, level, draw):
    found = seen(name, level, draw)
    assert found.dtype == np.uint8
    return found[..., 0].tolist()


def test_shift_by_hand():
    # Of -1, 0, 1 the first draw takes 1 (down), the second -1 (left).
    assert rows("observation.shift", 1, [0.9, 0.1]) == [[0, 0, 0], [2, 3, 0], [5, 6, 0]]
    assert rows("observation.shift", 1, [0.5, 0.5]) == SMALL[..., 0].tolist()


def test_shifts_are_floored_to_the_quantum():
    # Of -3 to 3 the draws take 3 and -1, floored to multiples of 2: 2 down, 2 left.
    assert rows("observation.shift", (3, 2), [0.99, 0.3]) == [[0, 0, 0], [0, 0, 0], [3, 0, 0]]


def test_rotate_by_hand():
    assert rows("observation.rotate", 90, 0.3) == np.rot90(SMALL[..., 0]).tolist()
    assert rows("observation.rotate", 90, 0.5) == np.rot90(SMALL[..., 0], 2).tolist()
    assert rows("observation.rotate", 90, 0.2) == SMALL[..., 0].tolist()


def test_flip_by_hand():
    assert rows("observation.flip", True, [0.1, 0.1]) == SMALL[:, ::-1, 0].tolist()
    assert rows("observation.flip", True, [0.1, 0.9]) == SMALL[::-1, :, 0].tolist()
    assert rows("observation.flip", True, [0.9, 0.1]) == SMALL[..., 0].tolist()


def test_scale_by_hand():
    # Three times as large shows the middle alone; three times as small leaves one pixel of it.
    assert rows("observation.scale", 3.0, 1.0) == [[5, 5, 5]] * 3
    assert rows("observation.scale", 3.0, 0.0) == [[0, 0, 0], [0, 5, 0], [0, 0, 0]]


@pytest.mark.parametrize("axis", MOVING, ids=lambda axis: axis.name)
@pytest.mark.parametrize("shape", [(7, 12, 3), (10, 10, 1), (8, 5, 4)])
def test_jax_and_numpy_show_the_same_pictures(axis, shape):
    rng = np.random.default_rng(2)
    value = rng.integers(256, size=shape, dtype="uint8")
    draws = rng.random((40, *axis.acts.draw(None, 0)[1]), dtype="float32")
    for level in (axis.neutral, *axis.levels):
        for draw in draws:
            ours = seen(axis.name, level, draw, value)
            np.testing.assert_array_equal(ours, seen(axis.name, level, draw, value, xp=jnp))
            assert ours.shape == shape and (level != axis.neutral or np.array_equal(ours, value))


def test_a_shift_is_pixels_and_perhaps_a_quantum():
    axis = AXES["observation.shift"]
    assert axis.to_level(5) == 5 and axis.to_level([5, 1]) == 5 and axis.to_level((19, 4)) == (19, 4)
    for wrong in (-1, 2.5, [3, 0], [1, 2, 3], "far"):
        with pytest.raises(WrongLevel, match=r"observation\.shift takes a number of pixels"):
            axis.to_level(wrong)


def test_a_scale_is_a_factor_or_a_range():
    axis = AXES["observation.scale"]
    assert (
        axis.to_level(2) == 2.0 and axis.to_level([0.5, 2]) == 2.0 and axis.to_level([0.5, 1.5]) == (0.5, 1.5)
    )
    assert rows("observation.scale", (1 / 3, 1.0), 0.0) == [[0, 0, 0], [0, 5, 0], [0, 0, 0]]
    assert rows("observation.scale", (1 / 3, 1.0), 1.0) == SMALL[..., 0].tolist()
    for wrong in (0, 20, [2, 1], "big"):
        with pytest.raises(WrongLevel, match=r"observation\.scale takes a factor"):
            axis.to_level(wrong)


class Screen:
    """A host whose picture is a bright square that the actions move."""

    limit, fresh, powers = 20, True, Powers()

    def __init__(self):
        self.spaces = {"action": Discrete(3), "reward": Box(-np.inf, np.inf, (), "float64"),
                       "observation": Box(0, 255, (16, 16, 3), "uint8")}  # fmt: skip

    def reset(self, seed):
        self.at = seed % 8
        return self.shown(), {}

    def step(self, action):
        self.at = (self.at + int(action) - 1) % 12
        return self.shown(), float(self.at), False, False, {}

    def shown(self):
        frame = np.zeros((16, 16, 3), "uint8")
        frame[self.at : self.at + 4, 5:8] = (200, 100, 50)
        return frame

    def latent(self):
        return np.array([self.at])

    def sample(self, rng):
        return int(rng.integers(3))


@pytest.mark.parametrize("axis", picture.AXES, ids=lambda axis: axis.name)
def test_the_laws_hold_on_a_host(axis):
    def task(level):
        found = resolve("gym/CartPole-v1", {axis.name: level})  # the channel, on a host of our own
        return HostedTask(Screen(), tuple(build_record(a, s, found) for a, s in found.variation_settings))

    plain = HostedTask(Screen(), ())
    assert not any(host_laws.follow(plain, task(axis.neutral), 0, 0, 100).touched.values())
    for level in axis.levels:
        first, again = (host_laws.follow(plain, task(level), 0, 0, 100) for _ in range(2))
        assert first.digest == again.digest
        assert {name for name, count in first.touched.items() if count} == {"observation"}


def test_toy_pictures_can_be_moved_too():
    env = assay.make("toy/discrete+image_representations+image_width=48+image_height=48+observation.shift=4")
    plain = assay.make("toy/discrete+image_representations+image_width=48+image_height=48")
    (moved, _), (still, _) = env.reset(seed=1), plain.reset(seed=1)
    assert moved.shape == still.shape and moved.dtype == np.uint8 and not np.array_equal(moved, still)
