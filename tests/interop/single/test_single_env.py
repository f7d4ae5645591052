"""Steps in plain Python beside the compiled ones: the same bits, and which tasks have them."""

import sys
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import numpy as np
import pytest

from assay.interop.native_env import NativeEnv
from assay.interop.single import env as single
from assay.interop.single.env import SingleEnv
from assay.interop.vector import make_vec
from assay.tasks import resolve

PICTURES = "image_representations+image_width=64+image_height=64"
PLAIN = [
    "toy/discrete",
    "toy/discrete+delay=4+sequence_length=3+transition_noise=0.1+reward_noise=1",
    "toy/discrete+delay=3+flush_on_end+reward_noise=0.5",
    "toy/discrete+irrelevant_features+transition_noise=0.2",
    "toy/discrete+term_state_reward=-1+reward_scale=1.7+reward_shift=0.3+reward_noise=0.3",
    "toy/discrete+make_denser+sequence_length=3",
    "toy/discrete+hidden_mode=0.1+aliased=2+state_jump=0.1",
    "toy/discrete+action.sticky=0.25+observation.noise=0.1",
    "toy/discrete+action.random=0.2@cyclic:10:10:life+reward.sparsify=3",
    "toy/discrete+transition_noise=0.3@random:0.1:episodes",
    "toy/discrete+reward_noise=2@uniform:0",
    f"toy/discrete+{PICTURES}",
    f"toy/discrete+{PICTURES}+image_transforms=shift-scale-rotate-flip+transition_noise=0.1",
    f"toy/discrete+irrelevant_features+{PICTURES}+image_transforms=shift+image_independent",
    "toy/continuous",
    "toy/continuous+transition_dynamics_order=2+inertia=2+transition_noise=0.1+reward_noise=1",
    "toy/continuous+action_loss_weight=0.3+make_denser=false+observation.noise=0.1",
    "toy/continuous+target_point=[[3,3],[-3,1]]+time_unit=0.3+reward_scale=1.3+reward_shift=0.7",
    "toy/continuous+state_space_dim=4+relevant_indices=[0,2]+delay=2",
    "toy/continuous+reward.delay=3+action.delay=2+observation.dropout=0.2",
    "toy/continuous+hidden_mode=0.1+invalid_action=hold",
    "toy/grid",
    "toy/grid+transition_noise=0.2+irrelevant_features",
    "toy/grid+action_form=vector+reward_noise=1",
    f"toy/grid+{PICTURES}",
]
COMPILED = [  # tasks that plain Python is not taught, each for a reason of its own
    "toy/continuous+reward_function=move_along_a_line",  # a decomposition of a matrix
    "toy/discrete+delay=4@ramp:10:50",  # the smaller of two floats, either of which may be a zero
    "toy/discrete+delay=1000",  # a state of a thousand numbers
    f"toy/discrete+{PICTURES}+observation.delay=2",  # pictures that are remembered
]
QUICK = [PLAIN[i] for i in (0, 1, 4, 6, 12, 15, 16, 22)]  # the others run with the slow tests
SEEDS = (5, 2**40 + 3)


@pytest.fixture
def at_once(monkeypatch):
    """Plans are made at the first reset."""
    monkeypatch.setattr(single, "WARM", 0)


def same(a, b):
    """Equal values of equal types, to the bit."""
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    first, second = np.asarray(a), np.asarray(b)
    return type(a) is type(b) and (first.dtype, first.shape, first.tobytes()) == (
        second.dtype, second.shape, second.tobytes(),
    )  # fmt: skip


def both(text):
    return SingleEnv(resolve(text)), NativeEnv(resolve(text))


def play_beside(fast, slow, steps, seed, **options):
    """Plays the same random actions on both, and compares all that they return."""
    fast.action_space.seed(seed % 1000)
    assert same(fast.reset(seed=seed, **options), slow.reset(seed=seed, **options))
    for number in range(steps):
        action = fast.action_space.sample()
        ours, theirs = fast.step(action), slow.step(action)
        assert same(ours, theirs), (number, ours, theirs)
        if ours[2] or ours[3]:
            assert same(fast.reset(), slow.reset())


@pytest.mark.parametrize(
    "text", [text if text in QUICK else pytest.param(text, marks=pytest.mark.slow) for text in PLAIN]
)
def test_plain_steps_have_the_bits_of_compiled_ones(text, at_once):
    fast, slow = both(text)
    for seed in SEEDS:
        play_beside(fast, slow, 200, seed)
        assert fast._plain


@pytest.mark.parametrize("text", COMPILED)
def test_other_tasks_stay_compiled_and_play_the_same(text, at_once):
    fast, slow = both(text)
    play_beside(fast, slow, 30, 5)
    assert not fast._plain


@pytest.mark.slow
@pytest.mark.parametrize("text", PLAIN)
def test_bits_are_equal_for_thousands_of_steps(text, at_once):
    fast, slow = both(text)
    for seed in range(100, 104):
        play_beside(fast, slow, 4000, seed)


def test_noise_with_a_seed_of_its_own(at_once):
    fast, slow = both("toy/discrete+transition_noise=0.3+reward_noise=1+action.sticky=0.2")
    play_beside(fast, slow, 60, 3)
    play_beside(fast, slow, 60, 3, options={"noise_seed": 9})
    assert fast._plain
    play_beside(fast, slow, 60, 3)


@pytest.mark.parametrize("text", [PLAIN[1], "toy/continuous+transition_noise=0.1", "toy/grid"])
def test_singles_play_what_lanes_play(text, at_once):
    lanes, seed = 3, 11
    vector, singles = make_vec(text, lanes), [SingleEnv(resolve(text)) for _ in range(lanes)]
    vector.action_space.seed(0)
    seen, _ = vector.reset(seed=seed)
    ours = [single.reset(seed=seed + i)[0] for i, single in enumerate(singles)]
    assert np.array_equal(seen, ours)
    over = [False] * lanes
    for _ in range(300):
        actions = vector.action_space.sample()
        seen, rewards, terminated, truncated, _ = vector.step(actions)
        for i, alone in enumerate(singles):
            if over[i]:
                outcome = alone.reset()[0], 0.0, False, False
            else:
                outcome = alone.step(actions[i])[:4]
            theirs = seen[i], float(rewards[i]), bool(terminated[i]), bool(truncated[i])
            assert np.array_equal(outcome[0], theirs[0]) and outcome[1:] == theirs[1:]
            over[i] = outcome[2] or outcome[3]
    assert all(alone._plain for alone in singles)


def test_it_changes_over_within_an_episode(monkeypatch):
    text = "toy/grid+transition_noise=0.2+reward_noise=1"
    monkeypatch.setattr(single, "played", {})
    monkeypatch.setattr(single, "plans", {})
    monkeypatch.setattr(single, "WARM", 20)
    fast, slow = both(text)
    assert same(fast.reset(seed=1), slow.reset(seed=1))
    for number in range(40):
        assert fast._plain == (number >= 20)
        assert same(fast.step(number % 5), slow.step(number % 5))


@pytest.mark.parametrize("text", [PLAIN[1], PLAIN[15], f"toy/discrete+{PICTURES}"])
def test_moments_go_from_plain_to_compiled_and_back(text, at_once):
    fast, slow = both(text)
    play_beside(fast, slow, 50, 2)
    for _ in range(3):
        moment = fast.save()
        slow.restore(moment)
        action = fast.action_space.sample()
        after = fast.step(action)
        assert same(after, slow.step(action))
        fast.restore(moment)
        assert same(fast.step(action), after)
        if after[2] or after[3]:
            assert same(fast.reset(), slow.reset())


def test_threads_do_not_meet(at_once):
    text = "toy/continuous+reward_noise=1"
    alone, _ = both(text)
    alone.reset(seed=0)
    expected = [alone.step(np.full(2, 0.1, np.float32))[1] for _ in range(90)]

    def play(_):
        env = SingleEnv(resolve(text))
        env.reset(seed=0)
        return [env.step(np.full(2, 0.1, np.float32))[1] for _ in range(90)]

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(rewards == expected for rewards in pool.map(play, range(12)))
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("text", [PLAIN[1], PLAIN[12]])
def test_a_copy_goes_on_by_itself(text, at_once):
    env, _ = both(text)
    env.reset(seed=7)
    other = deepcopy(env)
    for number in range(60):
        ours = env.step(number % 8)
        assert same(ours, other.step(number % 8))
        if ours[2] or ours[3]:
            assert same(env.reset(), other.reset())


def test_an_info_is_gone_back_to(at_once):
    fast, slow = both("toy/discrete+delay=2+sequence_length=2+horizon=1000+terminal_state_density=0.125")
    infos = [fast.reset(seed=4)[1]]
    for action in (1, 2, 3):
        infos.append(fast.step(action)[4])
    slow.reset(seed=4)
    for env in (fast, slow):
        env.restore(infos[2])
    assert same(fast.step(5), slow.step(5))


def test_what_is_returned_is_the_callers(at_once):
    env, _ = both(f"toy/discrete+irrelevant_features+delay=2+{PICTURES}")
    env.reset(seed=0)
    first, *_, info = env.step([0, 1])
    kept, past = first.copy(), info["augmented_state"].copy()
    env.reset(seed=0)
    env.step([0, 1])
    first[:] = 7
    info["augmented_state"][:] = 7
    env.reset(seed=0)
    again, *_, info = env.step([0, 1])
    assert np.array_equal(again, kept) and np.array_equal(info["augmented_state"], past)


def test_wrong_actions_are_refused_alike(at_once):
    fast, slow = both("toy/discrete")
    assert same(fast.reset(seed=0), slow.reset(seed=0))
    for action in (8, -1, 1.0, "up", [1]):
        with pytest.raises(Exception) as ours:
            fast.step(action)
        with pytest.raises(Exception) as theirs:
            slow.step(action)
        assert (type(ours.value), str(ours.value)) == (type(theirs.value), str(theirs.value))


def test_a_plan_that_fails_its_trial_is_not_used(at_once, monkeypatch):
    monkeypatch.setattr(single, "plans", {})
    monkeypatch.setattr(single, "settle", lambda *_: False)
    fast, slow = both("toy/grid")
    play_beside(fast, slow, 20, 0)
    assert not fast._plain
