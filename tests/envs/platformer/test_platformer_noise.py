"""Noise of pictures: the hash behind it, and each random filter by its distribution.

Seeds are fixed, so every test passes or fails for good; had they been drawn anew, each bound would be
crossed by chance less than once in a million runs (bounds of 5 standard errors or wider).
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from platformer_filming import BASE, KEY, sights, studio
from scipy import stats

from assay.envs.platformer import filters, hashing
from assay.envs.platformer.draw_background import draw_noise

SHAPE = (3, 128, 128)
COUNT = int(np.prod(SHAPE))

jittered, with_gaussian, with_poisson, poisson_of = (
    jax.jit(each)
    for each in (
        filters.jitter_colors,
        filters.add_gaussian_noise,
        filters.add_poisson_noise,
        hashing.to_poisson,
    )
)


@partial(jax.jit, static_argnums=1)
def uniform(key, name):
    return hashing.hash_uniform(hashing.draw_seeds(key, name), SHAPE)


def draws(name, count=4):
    return np.stack([np.asarray(uniform(key, name), np.float64) for key in jax.random.split(KEY, count)])


class TestHash:
    def test_shares_lie_strictly_between_nothing_and_all(self):
        ends = hashing.to_share(jnp.array([0, 2**32 - 1], jnp.uint32))
        assert ends.tolist() == [2.0**-24, 1 - 2.0**-24]
        assert np.isfinite(hashing.to_normal(ends)).all()
        assert float(hashing.to_normal(ends)[0]) == -float(hashing.to_normal(ends)[1])

    def test_shares_are_even(self):
        for each in draws("filters.gaussian_noise_std"):
            assert stats.kstest(each.ravel(), "uniform").pvalue > 1e-6

    def test_no_two_pixels_channels_or_frames_go_together(self):
        # The correlation of COUNT independent pairs has a spread of 1 / sqrt(COUNT).
        found = stats.norm.ppf(draws("filters.gaussian_noise_std"))
        pairs = {
            "columns": (found[..., 1:], found[..., :-1]), "rows": (found[:, :, 1:], found[:, :, :-1]),
            "channels": (found[:, 1:], found[:, :-1]), "frames": (found[1:], found[:-1]),
            "far": (found[..., 64:], found[..., :64]), "across": (found[:, :, 1:, 1:], found[:, :, :-1, :-1]),
        }  # fmt: skip
        for name, (one, other) in pairs.items():
            for power in (1, 2):
                r = np.corrcoef(one.ravel() ** power, other.ravel() ** power)[0, 1]
                assert abs(r) < 5 / np.sqrt(one.size), (name, power)

    def test_every_bit_of_the_seed_moves_half_of_the_noise(self):
        words = jnp.array([123, 456], jnp.uint32)
        plain = np.asarray(hashing.hash_bits(words, (4096,)))
        for place in range(2):
            for bit in (0, 1, 13, 31):
                other = hashing.hash_bits(words.at[place].set(words[place] ^ jnp.uint32(1 << bit)), (4096,))
                share = np.unpackbits((plain ^ np.asarray(other)).view(np.uint8)).mean()
                assert abs(share - 0.5) < 5 * 0.5 / np.sqrt(4096 * 32)

    def test_normal_numbers_are_those_of_their_shares(self):
        share = np.concatenate([draws("x", 1).ravel(), [2.0**-24, 0.5, 1 - 2.0**-24]])
        found = np.asarray(hashing.to_normal(jnp.asarray(share, jnp.float32)))
        assert np.abs(found - stats.norm.ppf(share)).max() < 2e-6


class TestGaussian:
    def test_mean_spread_and_form(self):
        v, spread = jnp.full(SHAPE, 128.0), 10.0  # 12 spreads from either end, so nothing is cut
        noisy = np.stack([with_gaussian(k, v, spread) for k in jax.random.split(KEY, 4)]) - 128.0
        for each in noisy:
            assert abs(each.mean()) < 5 * spread / np.sqrt(COUNT)
            assert abs(each.std() / spread - 1) < 5 / np.sqrt(2 * COUNT)
            assert stats.kstest(each.ravel() / spread, "norm").pvalue > 1e-6
        assert (noisy[0] != noisy[1]).mean() > 0.99

    def test_it_is_cut_at_black_and_white(self):
        for value, end in ((0.0, 0), (255.0, 255)):
            noisy = np.asarray(with_gaussian(KEY, jnp.full(SHAPE, value), 100.0))
            assert noisy.min() >= 0 and noisy.max() <= 255
            assert abs((noisy == end).mean() - 0.5) < 5 * 0.5 / np.sqrt(COUNT)


class TestPoisson:
    @pytest.mark.parametrize("value, scale", [(1, 1.0), (20, 0.1), (39, 0.1), (41, 0.1), (6, 1.0), (200, 0.5),
                                              (250, 1.0)])  # fmt: skip
    def test_mean_and_variance(self, value, scale):
        # A count of mean q v over q: mean v, variance v / q; cut at 255, which only the last one feels.
        share = uniform(KEY, "filters.poisson_noise_scale")
        counts = np.asarray(poisson_of(share, jnp.full(SHAPE, np.float32(value * scale))), np.float64)
        mean, error = value * scale, np.sqrt(value * scale / COUNT)
        assert abs(counts.mean() - mean) < 5 * error
        # The variance of a sample variance of a Poisson is (2 m^2 + m) / n; 0.2% beside it for the expansion.
        spread = np.sqrt((2 * mean**2 + mean) / COUNT)
        assert abs(counts.var() - mean) < 5 * spread + 0.002 * mean
        noisy = np.asarray(with_poisson(KEY, jnp.full(SHAPE, float(value)), scale))
        np.testing.assert_allclose(noisy, np.clip(counts / scale, 0, 255), rtol=1e-5)

    @pytest.mark.parametrize("mean, wrong", [
        (0.05, 0), (0.5, 0), (1, 0), (2, 0), (3, 1e-4), (3.9, 1e-4), (4, 3e-3), (6, 2e-3), (10, 1e-3),
        (50, 2e-4), (255, 2e-4),
    ])  # fmt: skip
    def test_counts_are_those_of_their_shares(self, mean, wrong):
        share = ((np.arange(100_000) + 0.5) / 100_000).astype(np.float32)
        found = np.asarray(poisson_of(jnp.asarray(share), jnp.full(share.shape, mean, jnp.float32)))
        far = np.abs(found - stats.poisson.ppf(share.astype(np.float64), mean))
        assert far.max() <= 1 and (far > 0).mean() <= wrong and found.min() >= 0

    def test_black_stays_black(self):
        assert not np.asarray(with_poisson(KEY, jnp.zeros(SHAPE), 0.5)).any()


class TestJitter:
    def test_rows_mix_the_channels_and_add_up_to_one_or_less(self):
        # Unit colours show the matrix, column by column; its rows have absolute values that sum to 1.
        unit = 100.0 * jnp.eye(3)[:, :, None]  # pixel p has channel p alone
        matrices = jax.jit(jax.vmap(lambda key: jittered(key, unit, 0.2)[..., 0] / 100))
        rows = np.asarray(matrices(jax.random.split(KEY, 2000)))  # entries below 0 are cut to 0
        assert rows.sum(2).max() < 1 + 1e-5 and (np.diagonal(rows, axis1=1, axis2=2) > 0.3).mean() > 0.95
        rng = np.random.default_rng(0)
        drawn = np.eye(3) + 0.2 * rng.normal(size=(20_000, 3, 3))
        drawn = np.clip(drawn / np.abs(drawn).sum(2, keepdims=True), 0, None)
        for i in range(3):
            for j in range(3):
                assert stats.ks_2samp(rows[:, i, j], drawn[:, i, j]).pvalue > 1e-6

    def test_grey_becomes_a_colour_and_one_matrix_serves_the_frame(self):
        mixed = np.asarray(jittered(KEY, jnp.full(SHAPE, 100.0), 2.0))
        assert (mixed == mixed[:, :1, :1]).all() and (mixed <= 100.001).all()


class TestNoisyBackground:
    def test_bytes_are_even_and_apart(self):
        frames = np.stack(
            [np.asarray(draw_noise(jnp.int32(seed), SHAPE)) for seed in (0, 1, 2, 77, 2**31 - 2)]
        )
        for each in frames:
            assert stats.chisquare(np.bincount(each.ravel(), minlength=256)).pvalue > 1e-6
        values = frames.astype(float)
        pairs = [(values[:, 1:], values[:, :-1]), (values[1:], values[:-1]),
                 (values[..., 1:], values[..., :-1]), (values[:, :, 1:], values[:, :, :-1])]  # fmt: skip
        for one, other in pairs:
            assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 5 / np.sqrt(one.size)

    def test_it_stands_still_on_the_screen(self):
        one, worlds = studio(f"{BASE}+background.mode=noise"), sights()
        frames = [one.film(worlds[i].state, one.scene(worlds[i], background=np.int32(5))) for i in (0, 3)]
        assert (frames[0][:20] == frames[1][:20]).all()


def test_a_key_gives_its_frame_again_and_another_key_another():
    one = studio(f"{BASE}+background.mode=color+filters.gaussian_noise_std=20.0+filters.color_jitter_std=0.1"
                 "+filters.poisson_noise_scale=0.5")  # fmt: skip
    world = sights()[1]
    scene = one.scene(world)
    keys = (KEY, KEY, jax.random.fold_in(KEY, 1))
    first, again, other = (one.film(world.state, scene, key) for key in keys)
    assert (first == again).all() and (first != other).mean() > 0.5
