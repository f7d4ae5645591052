"""Clocks: the level at each moment, by hand, and the same in jax, numpy and plain numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import assay
from assay.core import scalars
from assay.core import step as loop
from assay.core.clock import Choice, Cyclic, LogUniform, Ramp, Random, Sudden, Uniform, draw_level, now
from assay.core.keys import episode_key, root_of, step_key
from assay.core.variation import Channel
from assay.errors import AssayError
from assay.native import build_native
from assay.variations.reward import shift


def levels(clock, level, neutral, times, xp=scalars, memory=()):
    v = Channel(level, "x", ("reward",), shift, clock, neutral)
    return [now(xp, v, memory, time, 1000 + time) for time in times]


@pytest.mark.parametrize(
    "clock, expected",
    [
        (Sudden(3), [0, 0, 0, 8, 8, 8, 8]),
        (Cyclic(2, 1), [8, 8, 0, 8, 8, 0, 8]),
        (Ramp(1, 5), [0, 0, 2, 4, 6, 8, 8]),
        (Sudden(1003, unit="life"), [0, 0, 0, 8, 8, 8, 8]),
    ],
)
def test_levels_by_hand(clock, expected):
    assert levels(clock, 8, 0, range(7)) == expected
    assert levels(clock, 8.0, 0.0, range(7)) == expected
    for xp in (np, jnp):
        assert [
            float(x) for x in levels(clock, xp.asarray(8, "int32"), xp.asarray(0, "int32"), range(7), xp)
        ] == expected


def test_whole_levels_ramp_in_whole_steps():
    assert levels(Ramp(0, 4), 2, 0, range(5)) == [0, 1, 1, 2, 2]  # 0, 0.5, 1, 1.5, 2, rounded half up
    assert all(isinstance(level, int) for level in levels(Ramp(0, 4), 2, 0, range(5)))


def test_ramp_begins_and_ends_bit_for_bit():
    found = levels(Ramp(10, 20), np.float32(0.1), np.float32(0.7), [10, 20])
    assert found == [np.float32(0.7), np.float32(0.1)]


def test_random_clock_begins_neutral_and_changes_over():
    assert levels(Random(0.5), 8, 0, [0], memory=False) == [0]
    assert levels(Random(0.5), 8, 0, [0], memory=True) == [8]


def rewards(text, steps=12, seed=0):
    named, key = build_native(text), episode_key(root_of(seed), 0)
    world = named.reset(step_key(key, 0))[1]
    paid = []
    for t in range(steps):
        out = named.step(step_key(key, t + 1), world, 0)
        world = out.state
        paid.append(float(out.reward - out.score))
    return paid


def test_a_scheduled_channel_acts_from_its_step_on():
    assert rewards("toy/discrete+reward_shift=2@sudden:3") == [0, 0, 0] + [2] * 9
    assert rewards("toy/discrete+reward_shift=2@cyclic:2:1")[:6] == [2, 2, 0, 2, 2, 0]
    assert rewards("toy/discrete+reward_shift=2@ramp:1:5")[:7] == [0, 0, 0.5, 1, 1.5, 2, 2]


def test_a_random_schedule_follows_its_own_stream():
    paid = rewards("toy/discrete+reward_shift=2@random:0.3", 60)
    assert set(paid) == {0, 2} and paid[0] == 0
    beside = rewards("toy/discrete+reward_shift=2@random:0.3+action.sticky=0.5+transition_noise=0.3", 60)
    assert beside == paid


def test_a_life_clock_outlasts_a_reset_and_an_episode_clock_does_not():
    for text, expected in [("@sudden:5:life", 2.0), ("@sudden:5", 0.0)]:
        task = build_native(f"toy/discrete+reward_shift=2{text}").task
        key = jax.random.key(0)
        world = loop.reset(task, key)[1]
        for _ in range(6):
            world = loop.step(task, key, world, jnp.int32(0)).state
        again = loop.start(task, key, world.life, world.clocks)
        out = loop.step(task, key, again, jnp.int32(0))
        assert float(out.reward - out.score) == expected


def test_a_life_clocks_memory_outlasts_a_reset():
    task = build_native("toy/discrete+reward_shift=2@random:1:life").task
    key = jax.random.key(0)
    world = loop.step(task, key, loop.reset(task, key)[1], jnp.int32(0)).state
    assert bool(loop.start(task, key, world.life, world.clocks).clocks[0]) is True
    episodic = build_native("toy/discrete+reward_shift=2@random:1").task
    assert bool(loop.start(episodic, key, world.life, world.clocks).clocks[0]) is False


def levels_by_episode(text, episodes):
    """What each episode of a life pays beside its score, through `start_after`."""
    task = build_native(f"toy/discrete+reward_shift=2{text}").task
    world, paid = None, []
    for episode in range(episodes):
        key = episode_key(root_of(0), episode)
        first = step_key(key, 0)
        world = loop.start(task, first) if world is None else loop.start_after(task, first, world)
        for t in range(1 + episode % 2):  # however long they are
            out = loop.step(task, step_key(key, t + 1), world, jnp.int32(0))
            world = out.state
        paid.append(float(out.reward - out.score))
    return paid


def test_clocks_that_count_episodes_by_hand():
    assert levels_by_episode("@sudden:2:episodes", 4) == [0, 0, 2, 2]
    assert levels_by_episode("@cyclic:2:1:episodes", 5) == [2, 2, 0, 2, 2]
    assert levels_by_episode("@ramp:1:3:episodes", 5) == [0, 0, 1, 2, 2]
    assert levels_by_episode("@random:1:episodes", 5) == [0, 2, 0, 2, 0]


def test_resets_before_the_first_step_do_not_count():
    task = build_native("toy/discrete+reward_shift=2@sudden:1:episodes").task
    key, starts = jax.random.key(0), []
    world = loop.start(task, key)
    for _ in range(2):
        world = loop.start_after(task, key, world)
        starts.append(int(world.clocks[0].begun))
    world = loop.start_after(task, key, loop.step(task, key, world, jnp.int32(0)).state)
    assert starts == [1, 1] and int(world.clocks[0].begun) == 2
    assert int(loop.start_after(task, key, world).clocks[0].begun) == 3


def test_a_random_clock_of_episodes_changes_over_at_resets_alone():
    paid = levels_by_episode("@random:0.5:episodes", 24)
    assert paid[0] == 0 and set(paid) == {0, 2}
    assert levels_by_episode("@random:0.5:episodes+transition_noise=0.3", 24) == paid


def test_a_task_without_such_a_clock_remembers_no_episodes():
    for clock in ("", "@sudden:3", "@sudden:3:life"):
        task = build_native(f"toy/discrete+reward_shift=2{clock}").task
        assert loop.reset(task, jax.random.key(0))[1].clocks == ((),)


def drawn(clock, level, shares, xp=np):
    v = Channel(level, "x", ("reward",), shift, clock, 0)
    return [draw_level(xp, v, xp.float32(share)).item() for share in shares]


@pytest.mark.parametrize("xp", [np, jnp])
def test_drawn_levels_by_hand(xp):
    shares = [0.0, 0.49, 0.5, 0.999]
    assert drawn(Uniform(0), xp.asarray(3, "int32"), shares, xp) == [0, 1, 2, 3]
    assert drawn(Uniform(3), xp.asarray(0, "int32"), shares, xp) == [0, 1, 2, 3]  # either end may be named
    assert drawn(Uniform(1.0), xp.float32(-1.0), [0.0, 0.25, 0.5], xp) == [1.0, 0.5, 0.0]
    assert drawn(LogUniform(0.25), xp.float32(4.0), [0.0, 0.5], xp) == pytest.approx([0.25, 1.0])
    assert drawn(LogUniform(1), xp.asarray(3, "int32"), shares, xp) == [1, 1, 2, 3]  # 4 ** share
    assert drawn(Choice((0, 2, 4)), xp.asarray(8, "int32"), [0.0, 0.3, 0.6, 0.9], xp) == [0, 2, 4, 8]


def test_a_drawn_level_is_the_episodes_own_and_holds_through_it():
    named = build_native("toy/discrete+reward_shift=4.0@uniform:0")
    levels = []
    for episode in range(40):
        key = episode_key(root_of(0), episode)
        world = named.reset(step_key(key, 0))[1]
        first = float(world.clocks[0])
        out = named.step(step_key(key, 1), world, 0)
        assert float(out.reward) == pytest.approx(float(out.score) + first)
        assert float(out.state.clocks[0]) == first
        levels.append(first)
    assert 0 <= min(levels) < 1 and 3 < max(levels) < 4 and len(set(levels)) == 40


def test_a_drawn_level_shifts_no_other_draw():
    plain, varied = build_native("toy/discrete"), build_native("toy/discrete+delay=8@uniform:0")
    for episode in range(5):
        key = episode_key(root_of(1), episode)
        starts = [named.reset(step_key(key, 0))[1].state for named in (plain, varied)]
        assert int(starts[0].current) == int(starts[1].current)


@pytest.mark.parametrize("text, name", [
    ("toy/discrete+delay=8@uniform:0", "delay"), ("gym/CartPole-v1+reward.delay=8@uniform:0", "reward.delay"),
])  # fmt: skip
def test_drawn_levels_are_uniform_and_told_in_info(text, name):
    env = assay.make(text)
    found = [env.reset(seed=0 if i == 0 else None)[1]["drawn"][name] for i in range(450)]
    counts = np.bincount(found, minlength=9)
    assert len(counts) == 9 and chisquare(counts).pvalue > 1e-4
    again = assay.make(text)
    assert [again.reset(seed=0 if i == 0 else None)[1]["drawn"][name] for i in range(20)] == found[:20]


def test_lanes_draw_what_single_envs_draw():
    text = "toy/discrete+delay=8@choice:0:2:4"
    lanes = assay.make_vec(text, 3).reset(seed=5)[1]["drawn"]["delay"]
    assert [assay.make(text).reset(seed=5 + i)[1]["drawn"]["delay"] for i in range(3)] == lanes.tolist()


@pytest.mark.parametrize("text, said", [
    ("toy/discrete+delay=8@uniform:8", "one value only"),
    ("toy/discrete+delay=8@uniform:-1", "not -1"),
    ("toy/discrete+delay=8@choice:0.5", "not 0.5"),
    ("toy/discrete+delay=8@uniform:0:life", "drop it"),
    ("toy/discrete+delay=8@loguniform:0", "above 0"),
    ("toy/continuous+time_unit=0.5@loguniform:4.0", "must go up"),
    ("toy/discrete+diameter=2@uniform:1", "cannot change over time"),
    ("gym/CartPole-v1+reward.sign=true@choice:1", "no number|whole|takes"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_refused(text, said):
    with pytest.raises(AssayError, match=said):
        assay.make(text)
