"""Gymnasium envs as hosts: what stands in for Gymnasium's own wrappers."""

import gymnasium
import numpy as np
import pytest

from assay.envs.gym.host import KNOWN_WELL, GymHost, Quick, build


def test_the_time_limit_is_told_and_the_wrappers_are_gone():
    host = build("gym/CartPole-v1", {})
    assert host.limit == 500 and host.env is host.env.unwrapped and host.fresh
    assert build("gym/FrozenLake-v1", {}).limit == 100


def test_wrappers_of_somebody_else_stay():
    env = gymnasium.wrappers.TransformReward(gymnasium.make("CartPole-v1"), lambda reward: 2 * reward)
    host = GymHost(env)
    assert host.env is env and not host.fresh
    host.reset(3)
    assert host.step(0)[1] == 2


@pytest.mark.parametrize("fresh", [True, False])
def test_an_episode_is_its_seeds_whatever_came_before(fresh):
    env = gymnasium.make("CartPole-v1")
    host = GymHost(env if fresh else gymnasium.wrappers.TransformReward(env, float))
    assert host.fresh == fresh
    first = host.reset(2**100 + 7)[0]
    host.step(1)
    host.reset(5)
    assert np.array_equal(host.reset(2**100 + 7)[0], first)
    assert not np.array_equal(host.reset(2**100 + 8)[0], first)


def test_a_quick_space_contains_what_a_discrete_one_contains():
    quick, slow = Quick(3, start=2), gymnasium.spaces.Discrete(3, start=2)
    assert quick == slow and repr(quick) == repr(slow)
    numbers = (1, 2, 4, 5)
    for value in (*numbers, *map(np.int64, numbers), np.int32(3), 2.0, "a", None):
        assert quick.contains(value) == slow.contains(value), value


SPECS = [
    spec
    for spec in gymnasium.registry.values()
    if str(spec.entry_point).replace(":", ".").startswith(KNOWN_WELL)
]
KNOWN = sorted({spec.name: spec.id for spec in sorted(SPECS, key=lambda spec: spec.version or 0)}.values())


def played(host, seed, spoil):
    """Five steps with held actions; `spoil` writes over what was handed out."""
    seen, rng = [], np.random.default_rng(0)
    observation, info = host.reset(seed)
    for _ in range(5):
        seen.append(np.array(observation, "float64"))
        if spoil and isinstance(observation, np.ndarray) and host.fresh:
            observation[:] = 7
        info.clear()
        observation, reward, terminated, _, info = host.step(host.sample(rng))
        seen.append(np.float64(reward))
        if terminated:
            break
    return seen


@pytest.mark.parametrize("id", KNOWN)
def test_what_is_said_of_the_envs_known_well_is_so(id):
    pytest.importorskip("mujoco")
    host, other = build(f"gym/{id}", {}), build(f"gym/{id}", {})
    runs = [played(host, 11, spoil=False), played(host, 11, spoil=True)]
    played(other, 12, spoil=True)
    runs.append(played(other, 11, spoil=False))
    for run in runs[1:]:
        for mine, theirs in zip(runs[0], run, strict=True):
            np.testing.assert_array_equal(mine, theirs)
