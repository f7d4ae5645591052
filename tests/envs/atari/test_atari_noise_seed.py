"""Games under a noise seed: emulator, sticky actions and no-ops are the game, draws of rules the noise."""

import numpy as np
import pytest

import assay

pytest.importorskip("ale_py")
PLAIN = "atari/Freeway+observation=ram+noops=30"
RULED = PLAIN + "+stop_random_car"
STEPS = 30


def rams(env, seed, noise=None):
    options = None if noise is None else {"noise_seed": noise}
    seen = [env.reset(seed=seed, options=options)[0]]
    return np.stack([*seen, *(env.step(0)[0] for _ in range(STEPS))])


@pytest.fixture(scope="module")
def ruled():
    env = assay.make(RULED)
    yield env
    env.close()


def test_the_game_goes_by_its_seed():
    """Stickiness and no-ops differ from seed to seed, and no noise seed changes them."""
    env = assay.make(PLAIN)
    assert np.array_equal(rams(env, 1, noise=5), rams(env, 1, noise=6))
    assert np.array_equal(rams(env, 1, noise=5), rams(env, 1))
    assert not np.array_equal(rams(env, 1), rams(env, 2))
    env.close()


def test_rules_draw_from_the_noise(ruled):
    first = rams(ruled, 1, noise=5)
    assert np.array_equal(first, rams(ruled, 1, noise=5))
    assert not np.array_equal(first, rams(ruled, 1, noise=6))
    assert np.array_equal(rams(ruled, 1), rams(ruled, 1, noise=1))


def test_a_saved_moment_keeps_its_noise(ruled):
    rams(ruled, 1, noise=5)
    moment = ruled.save()

    def go_on():
        ruled.restore(moment)
        rest = [ruled.step(0)[0] for _ in range(5)]
        rest.append(ruled.reset()[0])
        return np.stack([*rest, *(ruled.step(0)[0] for _ in range(10))])

    assert np.array_equal(go_on(), go_on())


@pytest.mark.parametrize("workers", [0, 2])
def test_lanes_in_workers_have_noise_seeds_of_their_own(ruled, workers):
    lanes = assay.make_vec(RULED, 2, workers=workers)
    try:
        seen = [np.array(lanes.reset(seed=1, options={"noise_seed": 5})[0])]
        seen += [np.array(lanes.step(np.zeros(2, int))[0]) for _ in range(STEPS)]
    finally:
        lanes.close()
    for lane in range(2):
        assert np.array_equal(np.stack(seen)[:, lane], rams(ruled, 1 + lane, noise=5 + lane))
