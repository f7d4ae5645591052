"""Chance in the world of Gymnasium envs."""

import numpy as np
import pytest

import assay
from assay.errors import NotApplicable

SURE = 1.0


def steps(text, actions, seed=0):
    env = assay.make(text, events=True)
    env.reset(seed=seed)
    return [env.step(action) for action in actions]


def test_a_repeated_step_is_two_plain_steps():
    once, twice = (
        steps(f"gym/CartPole-v1{more}", acts) for more, acts in (("", [1, 1]), ("+step_repeat=1.0", [1]))
    )
    np.testing.assert_array_equal(twice[0][0], once[1][0])
    assert twice[0][1] == 2.0
    assert twice[0][-1]["events"]["step_repeat"] == (True, True, None)


def test_in_a_skipped_step_nothing_happens():
    env = assay.make("gym/CartPole-v1+step_skip=1.0", events=True)
    first, _ = env.reset(seed=0)
    seen, reward, terminated, _, info = env.step(1)
    np.testing.assert_array_equal(seen, first)
    assert (reward, terminated, info["events"]["step_skip"].event) == (0.0, False, True)


def test_events_come_at_their_rate_and_leave_other_steps_alone():
    told = steps("gym/Pendulum-v1+step_skip=0.3", [np.zeros(1, "float32")] * 200)
    events = [info["events"]["step_skip"].event for *_, info in told]
    assert np.mean(events) == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / 200))
    plain = steps("gym/Pendulum-v1", [np.zeros(1, "float32")] * 200)
    acted = [seen for (seen, *_), event in zip(told, events) if not event]
    for (wanted, *_), seen in zip(plain, acted):
        np.testing.assert_array_equal(seen, wanted)


@pytest.mark.parametrize(
    "env", ["gym/CartPole-v1", "gym/Pendulum-v1", "gym/FrozenLake-v1", "gym/HalfCheetah-v5"]
)
def test_a_jump_goes_back_to_where_the_world_was(env):
    task = assay.make(f"{env}+jump_back=1.0", events=True)
    first, _ = task.reset(seed=0)
    for _ in range(3):  # every step ends in a jump, back to the start
        seen, *_, ended, cut, info = task.step(task.action_space.sample())
        assert ended or cut or (info["events"]["jump_back"].event and np.array_equal(seen, first))
        if ended or cut:
            break


def test_after_a_jump_the_same_action_leads_where_it_led():
    text = "gym/CartPole-v1+jump_back=0.2"
    told = steps(text, [1, 0] * 10)
    plain = steps("gym/CartPole-v1", [1, 0] * 10)
    jumps = [i for i, step in enumerate(told) if step[-1]["events"]["jump_back"].event]
    assert jumps and jumps[0] < 10
    for mine, other in zip(told[: jumps[0]], plain):
        np.testing.assert_array_equal(mine[0], other[0])
    back = told[jumps[0]][0]  # the start, for fewer than ten steps were made
    env = assay.make("gym/CartPole-v1")
    np.testing.assert_array_equal(back, env.reset(seed=0)[0])


def test_what_cannot_be_saved_cannot_jump_back():
    with pytest.raises(NotApplicable, match="jump_back needs a host that can be saved"):
        assay.make("gym/HalfCheetah-v5+irrelevant_dims=2+jump_back=0.1")
