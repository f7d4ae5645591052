"""MuJoCo hosts for real: bounds, clamping, physics steps and the reward per time."""

import gymnasium
import numpy as np
import pytest

import assay
from assay.errors import NotApplicable, WrongLevel

mujoco = pytest.importorskip("mujoco")
CHEETAH = "gym/HalfCheetah-v5"


def inner(env):
    return env.inner.host.env.unwrapped


def paid(text, action, steps):
    env = assay.make(text)
    env.reset(seed=0)
    return [env.step(np.full(env.action_space.shape, action, "float32"))[1] for _ in range(steps)]


def test_action_range_multiplies_the_bounds_and_lets_the_physics_take_it():
    env = assay.make(f"{CHEETAH}+action_range=2.0")
    assert env.action_space.high.tolist() == [2.0] * 6 and env.action_space.low.tolist() == [-2.0] * 6
    env.reset(seed=0)
    env.step(env.action_space.high)
    assert inner(env).data.ctrl.tolist() == [2.0] * 6
    # Clamped, 2 would push no harder than 1; the speeds differ, so it does.
    assert not np.allclose(inner(env).data.qvel, pushed(f"{CHEETAH}", 1.0))
    assert np.allclose(pushed(f"{CHEETAH}+action_range=2.0", 1.0), pushed(CHEETAH, 1.0))


def pushed(text, action):
    env = assay.make(text)
    env.reset(seed=0)
    env.step(np.full(6, action, "float32"))
    return inner(env).data.qvel.copy()


def test_other_flags_of_the_physics_stay():
    plain = gymnasium.make("HalfCheetah-v5").unwrapped.model.opt.disableflags
    varied = inner(assay.make(f"{CHEETAH}+action_range=0.5")).model.opt.disableflags
    assert varied == plain | int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)


def test_time_unit_multiplies_the_physics_steps():
    env = assay.make(f"{CHEETAH}+time_unit=0.2")
    env.reset(seed=0)
    before = inner(env).data.time
    env.step(np.zeros(6, "float32"))
    assert inner(env).frame_skip == 1 and inner(env).data.time - before == pytest.approx(0.01)


@pytest.mark.parametrize("id, time_unit", [("HalfCheetah-v5", 2.0), ("Pusher-v5", 0.4), ("Reacher-v5", 0.5)])
def test_rewards_are_per_time(id, time_unit):
    corrected = paid(f"gym/{id}+time_unit={time_unit}", 0.5, 5)
    raw = paid(f"gym/{id}+time_unit={time_unit}+reward_per_time=false", 0.5, 5)
    np.testing.assert_allclose(corrected, time_unit * np.array(raw))
    # The original sets HalfCheetah's two weights; for a whole reward that is the same.
    if id == "HalfCheetah-v5":
        env = gymnasium.make(
            id, frame_skip=10, forward_reward_weight=time_unit, ctrl_cost_weight=0.1 * time_unit
        )
        env.reset(seed=0)
        start = assay.make(f"gym/{id}+time_unit=2.0")
        start.reset(seed=0)
        env.unwrapped.set_state(inner(start).data.qpos.copy(), inner(start).data.qvel.copy())
        theirs = [env.step(np.full(6, 0.5, "float32"))[1] for _ in range(5)]
        np.testing.assert_allclose(corrected, theirs, rtol=1e-6)


@pytest.mark.parametrize(
    "text, error, sentence",
    [
        (
            f"{CHEETAH}+time_unit=0.5",
            WrongLevel,
            "turns the 5 physics steps .* into 2.5, .* a multiple of 1/5",
        ),
        (f"{CHEETAH}+time_unit=0.001", WrongLevel, "physics steps"),
        (f"{CHEETAH}+reward_per_time=false", NotApplicable, "acts only with time_unit"),
        ("gym/CartPole-v1+time_unit=2.0", NotApplicable, "time_unit is for MuJoCo envs"),
        ("gym/Pendulum-v1+action_range=2.0", NotApplicable, "action_range is for MuJoCo envs"),
    ],
)
def test_what_cannot_be_honoured_is_refused(text, error, sentence):
    with pytest.raises(error, match=sentence):
        assay.make(text)


def test_a_config_sets_them_too():
    text, _ = assay.from_playground({"action_space_max": 2, "time_unit": 0.2, "delay": 1}, env=CHEETAH)
    assert str(text) == f"{CHEETAH}+action_range=2.0+time_unit=0.2+reward.delay=1"


def test_an_action_at_the_wider_bound_passes_gymnasiums_loop():
    env = assay.make(f"{CHEETAH}+action_range=4.0")
    env.reset(seed=3)
    for _ in range(1000):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
    assert truncated and not terminated  # the time limit is ours to count now


def test_warnings_of_the_physics_are_pythons_and_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    env = assay.make("gym/HalfCheetah-v5")
    env.reset(seed=0)
    env.unwrapped.inner.host.env.unwrapped.data.qvel[:] = 1e12
    with pytest.warns(RuntimeWarning, match="MuJoCo: .*huge value"):
        env.step(env.action_space.sample())
    assert not list(tmp_path.iterdir())
