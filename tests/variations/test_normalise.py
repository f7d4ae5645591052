"""reward.normalise: by hand, against Gymnasium's own, and statistics that outlast episodes everywhere."""

import gymnasium
import numpy as np
import pytest

import assay
from assay.core import scalars
from assay.core.space import Box
from assay.errors import WrongLevel
from assay.hosted import build_hosted
from assay.proof import native as proof
from assay.proof.laws import hosted as host_laws
from assay.variations import reward

AXIS = {axis.name: axis for axis in reward.AXES}["reward.normalise"]
NUMBER = Box(-np.inf, np.inf)


def expected(rewards, ends, gamma=0.999):
    """Written as KAGE-Env's formula stands, in float64."""
    earned, mean, variance, count, paid = 0.0, 0.0, 1.0, 1e-4, []
    for value, end in zip(rewards, ends, strict=True):
        earned = earned * gamma * (1 - end) + value
        off, total = earned - mean, count + 1
        mean, variance = mean + off / total, (variance * count + off**2 * count / total) / total
        count = total
        paid.append(value / (np.sqrt(variance) + 1e-8))
    return np.array(paid)


def paid_for(rewards, ends, level, memory=None):
    memory, found = memory or AXIS.acts.memory(scalars, NUMBER, 0), []
    for value, end in zip(rewards, ends, strict=True):
        memory, value = AXIS.acts.apply(scalars, level, memory, (), value, (end, False), NUMBER)
        found.append(value)
    return found, memory


def test_by_hand():
    # Return 2; weights 0.0001 and 1.0001: mean 2/1.0001, variance (0.0001 + 4 * 0.0001/1.0001) / 1.0001.
    (first,), memory = paid_for([2.0], [False], 0.5)
    variance = (1e-4 + 4 * 1e-4 / 1.0001) / 1.0001
    assert first == pytest.approx(2 / variance**0.5) and memory[1] == pytest.approx(2 / 1.0001)
    # Return 2 * 0.5 + 3 = 4.
    (second,), memory = paid_for([3.0], [False], 0.5, memory)
    off = 4 - 2 / 1.0001
    variance = (variance * 1.0001 + off**2 * 1.0001 / 2.0001) / 2.0001
    assert memory[0] == 4 and second == pytest.approx(3 / variance**0.5)
    # On the step that ends the episode the return is that step's reward.
    assert paid_for([1.0], [True], 0.5, memory)[1][0] == 1
    assert memory[3] == 2


def test_the_formula_of_others():
    rng = np.random.default_rng(0)
    rewards, ends = rng.normal(size=500).tolist(), (rng.random(500) < 0.1).tolist()
    np.testing.assert_allclose(paid_for(rewards, ends, 0.97)[0], expected(rewards, ends, 0.97), rtol=1e-9)


def test_off_counts_nothing():
    fresh = AXIS.acts.memory(scalars, NUMBER, 0)
    assert paid_for([1.0, -0.0], [False, True], 0.0) == ([1.0, -0.0], fresh)


@pytest.mark.parametrize("value, level", [(True, 0.999), (False, 0.0), (1, 1.0), (np.float32(0.5), 0.5)])
def test_levels(value, level):
    assert AXIS.to_level(value) == level


@pytest.mark.parametrize("value", [-0.1, 1.5, "often", [0.9], float("nan"), None])
def test_bad_levels_are_refused(value):
    says = r"reward\.normalise takes the discount of the return, from 0 \(off\) to 1, not .*write"
    with pytest.raises(WrongLevel, match=says):
        AXIS.to_level(value)


def played(text, steps=60, seed=3):
    """Rewards, scores and ends over several episodes of one life."""
    env, rows = assay.make(text), []
    env.action_space.seed(0)
    env.reset(seed=seed)
    for _ in range(steps):
        _, paid, terminated, truncated, info = env.step(env.action_space.sample())
        rows.append((paid, info["score"], terminated or truncated))
        if terminated or truncated:
            env.reset()
    return (np.array(column) for column in zip(*rows))


NATIVE = "toy/discrete+horizon=7+reward.shift=0.5+reward.noise=1"
HOSTED = "gym/CartPole-v1+reward.noise=1"
LONG = 3  # a seed whose first episode is more than a step long


@pytest.mark.parametrize("plain, precision", [(NATIVE, 1e-4), (HOSTED, 1e-9)])
def test_statistics_outlast_episodes_and_the_score_stays(plain, precision):
    rewards, score, ends = played(plain)
    paid, same_score, same_ends = played(f"{plain}+reward.normalise=0.99")
    assert ends.sum() >= 2 and (ends == same_ends).all() and (score == same_score).all()
    np.testing.assert_allclose(paid, expected(rewards, ends, 0.99), rtol=precision, atol=precision)


def test_gymnasiums_own_wrapper_pays_the_same():
    class Given(gymnasium.Env):
        action_space = observation_space = gymnasium.spaces.Discrete(1)

        def step(self, row):
            return 0, row[0], bool(row[1]), False, {}

    rewards, _, ends = played(HOSTED)
    theirs = gymnasium.wrappers.NormalizeReward(Given(), gamma=0.999)
    wanted = [theirs.step(row)[1] for row in zip(rewards, ends)]
    np.testing.assert_allclose(next(played(HOSTED + "+reward.normalise")), wanted, rtol=1e-4)


@pytest.mark.parametrize("plain", [NATIVE, HOSTED])
def test_a_new_seed_is_a_new_life(plain):
    env = assay.make(f"{plain}+reward.normalise")

    def first():
        env.reset(seed=3)
        return env.step(0)[1]

    assert first() == first()
    env.reset(seed=3)
    env.step(0)
    env.reset()
    env.reset(seed=3)
    assert env.step(0)[1] == first()


def test_clip_acts_before_or_after_as_written():
    rewards, _, ends = played(HOSTED)
    paid = expected(rewards, ends)
    after = next(played(f"{HOSTED}+reward.normalise+reward.clip=1"))
    np.testing.assert_allclose(after, np.clip(paid, -1, 1), rtol=1e-9)
    before = next(played(f"{HOSTED}+reward.clip=1+reward.normalise"))
    np.testing.assert_allclose(before, expected(np.clip(rewards, -1, 1), ends), rtol=1e-9)
    assert np.abs(after).max() <= 1 < np.abs(before).max()


def test_a_schedule_begins_with_statistics_of_its_own_time():
    rewards, _, ends = played(HOSTED, steps=30)
    paid = next(played(f"{HOSTED}+reward.normalise=0.999@sudden:10:life", steps=30))
    np.testing.assert_array_equal(paid[:10], rewards[:10])
    np.testing.assert_allclose(paid[10:], expected(rewards[10:], ends[10:]), rtol=1e-9)


def test_saved_statistics_come_back():
    env = assay.make(f"{NATIVE}+reward.normalise")
    env.reset(seed=LONG)
    env.step(0)
    saved = env.save()
    first = env.step(1)[1]
    env.reset()
    env.step(1)
    env.restore(saved)
    assert env.step(1)[1] == first


@pytest.mark.slow
def test_a_native_judge_keeps_statistics_of_its_own(monkeypatch):
    """Beside it, a variation of the observation touches the observation alone, over many episodes."""
    monkeypatch.setattr(proof, "SEEDS", 2)
    monkeypatch.setattr(proof, "STEPS", 40)
    plain = proof.build_native(f"{NATIVE}+reward.normalise=0.99")
    varied = proof.build_native(f"{NATIVE}+reward.normalise=0.99+observation.noise=0.5")
    (trace,) = proof.traces_of(plain, [varied])
    assert set(proof.shares_of([trace])) == {"observation"} and trace.truncated.any()


def test_a_hosts_judge_keeps_statistics_of_its_own():
    plain, varied = (
        build_hosted(f"{HOSTED}+reward.normalise{more}") for more in ("", "+observation.noise=0.5")
    )
    trace = host_laws.follow(plain, varied, seed=0, script=0, steps=200)
    assert {name for name, count in trace.touched.items() if count} == {"observation"}
