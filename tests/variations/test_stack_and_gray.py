"""observation.stack and observation.gray: by hand, then as what they are of the plain observations."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.core.space import Box, Discrete, Opaque
from assay.errors import AssayError, NotApplicable
from assay.native import build_native
from assay.variations import observation, picture

STACK = {axis.name: axis.acts for axis in observation.AXES}["observation.stack"]
GRAY = {axis.name: axis.acts for axis in picture.AXES}["observation.gray"]
SMALL = "+image_representations+image_width=16+image_height=16"
GRID = "toy/grid" + SMALL


def shown(acts, bound, values, space, xp=np):
    memory, seen = acts.memory(xp, space, bound), []
    for value in values:
        memory, value = acts.apply(xp, bound, memory, (), xp.asarray(value), (False, False), space)
        assert value.shape == acts.space(space, bound).shape and str(value.dtype) == space.dtype
        seen.append(np.asarray(value))
    return seen


class TestStackByHand:
    @pytest.mark.parametrize("xp", [np, jnp])
    def test_vectors_lie_end_to_end_oldest_first(self, xp):
        values = np.float32([[1, 2], [3, 4], [5, 6]])
        seen = shown(STACK, 2, values, Box(-9.0, 9.0, (2,)), xp)
        assert [each.tolist() for each in seen] == [[1, 2, 1, 2], [1, 2, 3, 4], [3, 4, 5, 6]]

    @pytest.mark.parametrize("xp", [np, jnp])
    def test_pictures_lie_along_their_channels(self, xp):
        red, green = np.uint8([[[9, 0, 0]]]), np.uint8([[[0, 9, 0]]])
        seen = shown(STACK, 3, [red, green], Box(0, 255, (1, 1, 3), "uint8"), xp)
        assert seen[0].tolist() == [[[9, 0, 0, 9, 0, 0, 9, 0, 0]]]
        assert seen[1].tolist() == [[[9, 0, 0, 9, 0, 0, 0, 9, 0]]]

    def test_numbers_and_grey_pictures_get_an_axis(self):
        assert [each.tolist() for each in shown(STACK, 2, np.float32([7, 8]), Box(0.0, 9.0))] == [
            [7, 7],
            [7, 8],
        ]
        grey = Box(0, 255, (1, 2), "uint8")
        assert shown(STACK, 2, np.uint8([[[1, 2]], [[3, 4]]]), grey)[1].tolist() == [[[1, 3], [2, 4]]]

    def test_one_is_neutral(self):
        box = Box(0.0, 9.0, (2,))
        assert STACK.space(box, 1) is box and STACK.memory(np, box, 1) == ()
        assert shown(STACK, 1, np.float32([[1, 2]]), box)[0].tolist() == [1, 2]

    def test_bounds_are_repeated(self):
        space = STACK.space(Box(np.float32([0, -1]), np.float32([2, 3]), (2,)), 2)
        assert space.low.tolist() == [0, -1, 0, -1] and space.high.tolist() == [2, 3, 2, 3]

    def test_who_writes_into_what_it_sees_changes_nothing_later(self):
        box = Box(-9.0, 9.0, (1,))
        memory, seen = STACK.apply(np, 3, STACK.memory(np, box, 3), (), np.float32([1]), (False, False), box)
        seen[:] = 5
        assert STACK.apply(np, 3, memory, (), np.float32([2]), (False, False), box)[1].tolist() == [1, 1, 2]


class TestGrayByHand:
    COLOURS = np.uint8([[[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]]])

    @pytest.mark.parametrize("xp", [np, jnp])
    def test_brightness(self, xp):
        # 10 * 77 + 20 * 150 + 30 * 29 + 128 = 4768, and 4768 // 256 = 18.
        (seen,) = shown(GRAY, 1, [self.COLOURS], Box(0, 255, (1, 6, 3), "uint8"), xp)
        assert seen[..., 0].tolist() == [[0, 255, 77, 149, 29, 18]]

    def test_off_is_neutral(self):
        box = Box(0, 255, (1, 6, 3), "uint8")
        assert GRAY.space(box, 0) is box
        assert shown(GRAY, 0, [self.COLOURS], box)[0].tobytes() == self.COLOURS.tobytes()

    def test_numpy_and_jax_agree_and_are_the_usual_weights(self):
        space = Box(0, 255, (64, 64, 6), "uint8", frames=2)
        pixels = np.random.default_rng(0).integers(256, size=space.shape, dtype="uint8")
        ours, theirs = shown(GRAY, 1, [pixels], space)[0], shown(GRAY, 1, [pixels], space, jnp)[0]
        np.testing.assert_array_equal(ours, theirs)
        usual = pixels.reshape(64, 64, 2, 3) @ [0.299, 0.587, 0.114]
        assert np.abs(ours - usual).max() < 1


@pytest.mark.parametrize(
    "acts, space, word",
    [
        (STACK, Discrete(4), "Discrete"),
        (STACK, Opaque("Dict"), "Dict"),
        (GRAY, Discrete(4), "Discrete"),
        (GRAY, Box(0, 255, (8, 8, 1), "uint8"), r"\(8, 8, 1\)"),
        (GRAY, Box(0, 255, (8, 8, 6), "uint8"), r"\(8, 8, 6\)"),
        (GRAY, Box(0.0, 1.0, (8, 8, 3)), "float32"),
        (GRAY, STACK.space(Box(0, 255, (8, 8, 1), "uint8"), 3), r"\(8, 8, 3\)"),
    ],
)
def test_where_they_cannot_act(acts, space, word):
    assert re.search(word, acts.fits(space)) and "leave it out" in acts.fits(space)


@pytest.mark.parametrize(
    "text, says",
    [
        ("toy/discrete+observation.stack=2", "observation.stack does not apply to toy/discrete: .*Discrete"),
        ("gym/FrozenLake-v1+observation.stack=2", "observation.stack does not apply to gym/FrozenLake-v1"),
        ("gym/CartPole-v1+observation.gray", "observation.gray does not apply to gym/CartPole-v1: .*float32"),
        (f"toy/discrete{SMALL.replace('16', '42')}+observation.gray", r"shape \(42, 42, 1\)"),
        ("gym/CartPole-v1+observation.stack=0", "observation.stack takes a whole number from 1 to 100"),
        ("gym/CartPole-v1+observation.stack=1.5", "observation.stack takes a whole number from 1 to 100"),
        ("gym/CartPole-v1+observation.stack", "observation.stack takes a whole number"),
        (f"{GRID}+observation.gray=2", "observation.gray takes true or false"),
        (f"{GRID}+observation.gray@sudden:3", "cannot change over time"),
    ],
)
def test_bad_input_is_refused(text, says):
    with pytest.raises(AssayError, match=says):
        assay.make(text)


def test_a_traced_level_is_refused():
    with pytest.raises(NotApplicable, match="cannot be traced"):
        jax.vmap(
            lambda n: build_native("toy/continuous").at("observation.stack", n).task.variations[0].level
        )(jnp.arange(1, 3))


def episodes(text, count=3, most=6, seed=4):
    """The observations of a few episodes under the same actions, one list for each."""
    env, found = assay.make(text), []
    env.action_space.seed(0)
    for number in range(count):
        found.append([env.reset(seed=seed if number == 0 else None)[0]])
        for _ in range(most):
            seen, _, terminated, truncated, _ = env.step(env.action_space.sample())
            found[-1].append(seen)
            if terminated or truncated:
                break
    assert env.observation_space.contains(found[0][0])
    return found


def stacked(episode, n):
    padded = [episode[0]] * (n - 1) + episode
    return [np.concatenate(padded[i : i + n], axis=-1) for i in range(len(episode))]


HARDER = "+observation.delay=2+observation.noise=0.25+observation.dropout=0.5"


@pytest.mark.parametrize(
    "before",
    [
        "gym/CartPole-v1",
        f"gym/CartPole-v1{HARDER}",
        pytest.param(f"toy/continuous{HARDER}", marks=pytest.mark.slow),
        pytest.param(f"{GRID}{HARDER}", marks=pytest.mark.slow),
    ],
)
def test_a_stack_is_that_of_what_would_be_seen_and_never_of_the_episode_before(before):
    plain, varied = episodes(before), episodes(f"{before}+observation.stack=3")
    for ours, theirs in zip(plain, varied, strict=True):
        np.testing.assert_array_equal(stacked(ours, 3), theirs)


def test_a_delay_of_a_stack():
    plain, late = (
        episodes(f"gym/CartPole-v1{more}") for more in ("", "+observation.stack=2+observation.delay=1")
    )
    for ours, theirs in zip(plain, late, strict=True):
        ours = stacked(ours, 2)
        np.testing.assert_array_equal([ours[0], *ours[:-1]], theirs)


def test_toy_pictures_lose_their_colours_before_or_after_they_are_stacked():
    first, last = (
        episodes(GRID + order)
        for order in ("+observation.gray+observation.stack=3", "+observation.stack=3+observation.gray")
    )
    for ours, theirs in zip(first, last, strict=True):
        assert ours[0].shape == (16, 16, 3) and np.ptp(ours[0]) > 0
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.slow
def test_toy_pictures_show_the_brightness_of_the_plain_ones():
    space = Box(0, 255, (16, 16, 3), "uint8")
    for ours, theirs in zip(episodes(GRID), episodes(f"{GRID}+observation.gray"), strict=True):
        np.testing.assert_array_equal([shown(GRAY, 1, [each], space)[0] for each in ours], theirs)


def test_noise_on_a_stack_stays_inside_its_bounds():
    noisy = "+observation.stack=2+observation.noise=1+observation.dropout=0.5"
    for seen in episodes(f"gym/MountainCar-v0{noisy}", count=1, most=40)[0]:
        assert assay.make(f"gym/MountainCar-v0{noisy}").observation_space.contains(seen)
