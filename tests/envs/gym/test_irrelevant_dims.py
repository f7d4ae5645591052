"""Irrelevant dimensions beside a host."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import assay
from assay.errors import NotApplicable
from assay.interop.playground import from_playground

PENDULUM = "gym/Pendulum-v1"


def test_the_point_is_pushed_by_the_last_entries_and_stays_in_its_box():
    env = assay.make(f"{PENDULUM}+irrelevant_dims=2")
    assert env.action_space.shape == (3,) and env.observation_space.shape == (5,)
    first, _ = env.reset(seed=0)
    place = first[-2:]
    assert (np.abs(place) <= 10).all()
    seen = env.step([0.0, 1.0, -0.5])[0]
    np.testing.assert_allclose(seen[-2:], place + np.array([1.0, -0.5]), rtol=1e-6)
    for _ in range(30):
        seen = env.step(np.array([0.0, 1.0, 0.0]))[0]
    assert seen[-2] == 10.0


def test_the_host_itself_is_as_without_it():
    plain, beside = assay.make(PENDULUM), assay.make(f"{PENDULUM}+irrelevant_dims=3")
    for episode in range(2):
        one, two = (env.reset(seed=7 if not episode else None)[0] for env in (plain, beside))
        np.testing.assert_array_equal(one, two[:3])
        for _ in range(5):
            first, second = plain.step([0.5]), beside.step([0.5, 1.0, 0.0, -1.0])
            np.testing.assert_array_equal(first[0], second[0][:3])
            assert first[1] == second[1]


def test_episodes_begin_elsewhere_and_a_seed_tells_where():
    env, again = (assay.make(f"{PENDULUM}+irrelevant_dims=2") for _ in range(2))
    starts = [env.reset(seed=3 if not i else None)[0][-2:].tolist() for i in range(3)]
    assert len({tuple(start) for start in starts}) == 3
    assert starts == [again.reset(seed=3 if not i else None)[0][-2:].tolist() for i in range(3)]


def test_a_point_at_its_target_begins_anew():
    env = assay.make(f"{PENDULUM}+irrelevant_dims=1")
    env.reset(seed=0)
    env.inner.host._position = np.zeros(1, "float32")
    seen = env.step([0.0, 0.01])[0]
    assert abs(seen[-1]) > 0.05


def test_gymnasiums_checker_is_content():
    check_env(assay.make(f"{PENDULUM}+irrelevant_dims=2"), skip_render_check=True)


def test_a_config_asks_for_it_and_numbered_actions_have_no_room():
    config = {"irrelevant_features": {"state_space_type": "continuous", "state_space_dim": 4}}
    assert str(from_playground(config, env=PENDULUM)[0]) == f"{PENDULUM}+irrelevant_dims=4"
    assert str(from_playground(config, env="gym/CartPole-v1")[0]) == "gym/CartPole-v1+observation.process=4"
    with pytest.raises(NotApplicable, match="needs actions that are a vector of numbers"):
        assay.make("gym/CartPole-v1+irrelevant_dims=2")


def test_it_stands_beside_wider_bounds():
    pytest.importorskip("mujoco")
    env = assay.make("gym/HalfCheetah-v5+irrelevant_dims=2+action_range=2.0")
    assert env.action_space.high.tolist() == [2.0] * 6 + [1.0] * 2
