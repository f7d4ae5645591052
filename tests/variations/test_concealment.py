"""Masks, torches and hidden features."""

import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.catalogue import axis_of
from assay.core.space import Box, Discrete
from assay.core.variation import RUNNING
from assay.errors import BadText, NotApplicable
from assay.variations.concealment import circle_table

HALVES = {
    "left": (slice(None), slice(0, 80)),
    "right": (slice(None), slice(80, 160)),
    "top": (slice(0, 105), slice(None)),
    "bottom": (slice(105, 210), slice(None)),
    "8-151_57-92": (slice(57, 93), slice(8, 152)),
}


def picture_space(shape):
    return Box(0, 255, shape, "uint8")


def see(name, level, draw, value, space, xp=np):
    acts = axis_of("gym/CartPole-v1", name).acts
    value = xp.asarray(value)
    return np.asarray(acts.apply(xp, level, (), xp.asarray(draw, "float32"), value, RUNNING, space)[1])


@pytest.mark.parametrize("xp", [np, jnp])
@pytest.mark.parametrize("shape", [(210, 160), (210, 160, 3), (210, 160, 12)])
@pytest.mark.parametrize("half", HALVES)
def test_a_mask_blackens_exactly_its_pixels(half, shape, xp):
    plain = np.full(shape, 7, "uint8")
    wanted = plain.copy()
    wanted[HALVES[half]] = 0
    shown = see(f"observation.mask.{half}", 0.5, 0.4, plain, picture_space(shape), xp)
    np.testing.assert_array_equal(shown, wanted)
    assert shown.dtype == np.uint8
    np.testing.assert_array_equal(
        see(f"observation.mask.{half}", 0.5, 0.5, plain, picture_space(shape), xp), plain
    )
    assert (plain == 7).all(), "the host's own picture must stay"


@pytest.mark.parametrize("shape", [(30, 20), (30, 20, 3)])
def test_a_torch_shows_the_circle_of_its_radius_alone(shape):
    plain = np.full(shape, 9, "uint8")
    row, column = np.meshgrid(np.arange(30), np.arange(20), indexing="ij")
    inside = (row - 15) ** 2 + (column - 5) ** 2 <= 36  # the draws below fall on row 15 and column 5
    for xp in (np, jnp):
        shown = see("observation.torch.6", 1.0, [0.0, 0.51, 0.26], plain, picture_space(shape), xp)
        np.testing.assert_array_equal(shown.reshape(30, 20, -1)[..., 0], np.where(inside, 9, 0))


def test_jax_and_numpy_light_the_same_pixels():
    rng, space = np.random.default_rng(0), picture_space((84, 84, 4))
    for _ in range(20):
        draw, value = rng.random(3, "float32"), rng.integers(256, size=(84, 84, 4)).astype("uint8")
        np.testing.assert_array_equal(
            see("observation.torch", 0.7, draw, value, space),
            see("observation.torch", 0.7, draw, value, space, jnp),
        )


def test_the_share_that_a_torch_shows_is_that_of_the_specification():
    # 210 x 160 pixels and a radius of 75: mean 0.355, deviation 0.098, at most 0.526. The least of a sample
    # was 0.138; over all centres it is the quarter of a circle in a corner, 0.134.
    table = circle_table(210, 160, 1, 75) > 0
    total = np.zeros((420, 320))
    total[1:, 1:] = table.cumsum(0).cumsum(1)  # every centre at once, by sums over its window
    seen = total[210:, 160:] - total[:-210, 160:] - total[210:, :-160] + total[:-210, :-160]
    shares = seen / (210 * 160)
    assert shares.shape == (210, 160)
    assert (shares.mean(), shares.std()) == pytest.approx((0.355, 0.098), abs=0.002)
    assert (shares.min(), shares.max()) == pytest.approx((0.134, 0.526), abs=0.001)


def test_the_usual_torch_is_stori_s_in_proportion_to_the_rows():
    lit = see(
        "observation.torch", 1.0, [0.0, 0.5, 0.5], np.ones((210, 160), "uint8"), picture_space((210, 160))
    )
    named = see(
        "observation.torch.75", 1.0, [0.0, 0.5, 0.5], np.ones((210, 160), "uint8"), picture_space((210, 160))
    )
    np.testing.assert_array_equal(lit, named)
    small = see(
        "observation.torch", 1.0, [0.0, 0.5, 0.5], np.ones((84, 84), "uint8"), picture_space((84, 84))
    )
    assert small[42].sum() == 2 * 30 + 1


@pytest.mark.parametrize("xp", [np, jnp])
def test_hidden_features_show_nothing(xp):
    vector = Box(np.array([-1, -1, 2, -1], "float32"), np.array([1, 1, 3, 1], "float32"), (4,))
    seen = see("observation.hide.0_2", 1.0, 0.3, np.full(4, 2.5, "float32"), vector, xp)
    np.testing.assert_array_equal(seen, np.array([0, 2.5, 2, 2.5], "float32"))  # 2 is the bound next to 0
    two = Discrete((3, 5), start=1)
    np.testing.assert_array_equal(
        see("observation.hide.1", 1.0, 0.3, np.array([2, 4], "int32"), two, xp), [2, 1]
    )


@pytest.mark.parametrize(
    "text, says",
    [
        ("atari/Breakout+observation.mask.8-170_57-92=1.0", "goes to column 170 and row 92.*column 159"),
        ("gym/CartPole-v1+observation.mask.left=1.0", "it acts on pictures"),
        ("gym/CartPole-v1+observation.torch=1.0", "it acts on pictures"),
        ("atari/Breakout+observation=gray84+channels=first+observation.mask.left=1.0", "channels last"),
        ("gym/CartPole-v1+observation.hide.9=1.0", "names feature 9, and the features are 0 to 3"),
        ("toy/discrete+observation.hide.0=1.0", "entries of a vector"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_one_sentence(text, says):
    with pytest.raises(NotApplicable, match=says):
        assay.make(text)


@pytest.mark.parametrize("name", ["mask.lft", "mask.8-151", "mask.9-8_1-2", "torch.0", "torch.x", "hide.x"])
def test_a_name_that_says_nothing_is_refused(name):
    with pytest.raises(BadText, match="write"):
        axis_of("gym/CartPole-v1", f"observation.{name}")


def test_two_masks_act_side_by_side_each_by_its_own_chance():
    text = "atari/Breakout+observation=gray+observation.mask.left=0.5+observation.mask.top=0.5"
    env = assay.make(text, events=True)
    env.reset(seed=0)
    events = [env.step(0)[-1]["events"] for _ in range(200)]
    both = [(e["observation.mask.left"].event, e["observation.mask.top"].event) for e in events]
    assert set(both) == {(a, b) for a in (False, True) for b in (False, True)}


def test_the_game_is_the_same_behind_a_torch():
    plain, dark = (assay.make(f"atari/Breakout{more}") for more in ("", "+observation.torch=1.0"))
    plain.reset(seed=3)
    dark.reset(seed=3)
    for step in range(60):
        seen, *rest = plain.step(step % 4)
        lit, *same = dark.step(step % 4)
        assert rest[:3] == same[:3]
        assert ((lit == seen) | (lit == 0)).all() and (lit != seen).any()


ROWS_OF_NUMBERS = "atari/Boxing+observation=objects"


@pytest.mark.parametrize("name", ["observation.mask.left", "observation.torch"])
def test_rows_of_numbers_from_a_few_frames_are_no_pictures(name):
    """Half of such a picture would be the frames before."""
    acts = axis_of("gym/CartPole-v1", name).acts
    assert "rows of numbers from 2 frames" in acts.fits(picture_space((10, 2)))
    assert acts.fits(picture_space((10, 20))) == ""
    with pytest.raises(NotApplicable, match="rows of numbers"):
        assay.make(f"{ROWS_OF_NUMBERS}+{name}=1.0")


@pytest.mark.parametrize("name, usual", [
    ("observation.mask.08-151_57-92", "observation.mask.8-151_57-92"),
    ("observation.mask.8-8_57-92", "observation.mask.8_57-92"),
])  # fmt: skip
def test_a_rectangle_has_one_name(name, usual):
    with pytest.raises(BadText, match=f"write {usual}"):
        axis_of("gym/CartPole-v1", name)
    assert axis_of("gym/CartPole-v1", usual).acts


def test_a_torch_that_shows_everything_is_refused():
    space = picture_space((30, 40))  # 29 rows and 39 columns from corner to corner: 48.6 pixels
    assert axis_of("gym/CartPole-v1", "observation.torch.48").acts.fits(space) == ""
    assert "always shows all" in axis_of("gym/CartPole-v1", "observation.torch.49").acts.fits(space)
    with pytest.raises(BadText, match="write pixels"):
        axis_of("gym/CartPole-v1", "observation.torch.")
