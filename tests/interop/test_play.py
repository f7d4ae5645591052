"""play: outcomes by hand, pairs, what an agent may return and keep, and each thing that goes wrong."""

import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.interop.play import Played, play

CARTPOLE, PENDULUM = "gym/CartPole-v1", "gym/Pendulum-v1"
EXAMPLES = Path(__file__).parents[2] / "examples"
# One state leads to itself and pays: 5 steps of 1 each, then the time limit.
STILL = (
    "toy/discrete+transition_function=[[0],[1]]+terminal_state_density=0+init_state_dist=[1,0]"
    "+rewardable_sequences=[[0]]+horizon=5+reward_scale=2.0"
)


def balance(observation):
    return int(observation[2] + 0.3 * observation[3] > 0)


def always(action):
    return lambda observation: action


def told(act, task=CARTPOLE, episodes=1):
    """The one sentence that playing ends with."""
    with pytest.raises(AssayError) as caught:
        play(act, assay.make(task), "mine:act", 0, episodes)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")
    return str(caught.value)


def outcomes(played):
    """What became of episodes, without their digests."""
    return [each._replace(digest="") for each in played]


def test_outcomes_by_hand_in_a_native_task():
    played = play(always(0), assay.make(STILL), "mine:act", 0, 2)
    assert outcomes(played) == [Played(5, 10.0, 5.0, False, True)] * 2
    assert played[0].digest == played[1].digest  # nothing differs from the first episode to the second


class Drawing(gymnasium.Wrapper):
    """Says at each reset what was drawn for the episode, as an env with drawn levels does."""

    task = STILL

    def reset(self, **how):
        self.count = getattr(self, "count", -1) + 1
        seen, info = self.env.reset(**how)
        return seen, info | {"drawn": {"delay": self.count} if self.count else {}}


def test_levels_drawn_at_reset_are_told():
    played = play(always(0), Drawing(assay.make(STILL)), "mine:act", 0, 3)
    assert [each.drawn for each in played] == [None, {"delay": 1}, {"delay": 2}]


def test_outcomes_are_those_of_the_plain_loop():
    env, found = assay.make(CARTPOLE + "+reward.delay=3"), []
    for episode in range(3):
        observation, _ = env.reset(seed=7 if episode == 0 else None)
        steps, paid, score, over = 0, 0.0, 0.0, False
        while not over:
            observation, reward, terminated, truncated, info = env.step(balance(observation))
            steps, paid, score, over = (
                steps + 1,
                paid + reward,
                score + info["score"],
                terminated or truncated,
            )
        found.append(Played(steps, paid, score, terminated, truncated))
    assert outcomes(play(balance, assay.make(CARTPOLE + "+reward.delay=3"), "mine:act", 7, 3)) == found
    assert outcomes(play(balance, env, "mine:act", 7, 3)) == found  # an env that has been played before


@pytest.mark.parametrize("plain, varied", [
    (CARTPOLE, CARTPOLE + "+action.delay=2"),
    (CARTPOLE, CARTPOLE + "+action.random=0.5"),
    ("toy/discrete", "toy/discrete+reward_noise=1+transition_noise=0.5"),
])  # fmt: skip
def test_plain_and_varied_episodes_begin_alike(plain, varied):
    def first_observations(task):
        firsts = []

        def act(observation):
            if act.begins:
                firsts.append(np.copy(observation))
            act.begins = False
            return 0

        act.reset = lambda: setattr(act, "begins", True)
        play(act, assay.make(task), "mine:act", 3, 4)
        return firsts

    a, b = first_observations(plain), first_observations(varied)
    assert len(a) == 4
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("action", [1, np.int64(1), np.int32(1), np.array(1), np.uint8(1)], ids=repr)
def test_one_whole_number_in_any_dress_is_an_action(action):
    assert play(always(action), assay.make(CARTPOLE), "mine:act", 0, 2) == play(
        always(1), assay.make(CARTPOLE), "mine:act", 0, 2
    )


@pytest.mark.parametrize("action", [[0.5], (0.5,), np.float64([0.5]), np.float32([0.5])], ids=repr)
def test_a_list_is_an_action_of_a_box(action):
    assert play(always(action), assay.make(PENDULUM), "mine:act", 0, 1) == play(
        always(np.float32([0.5])), assay.make(PENDULUM), "mine:act", 0, 1
    )


@pytest.mark.parametrize("task, action", [
    (CARTPOLE, np.array([np.nan])), (CARTPOLE, np.nan), (CARTPOLE, 2), (CARTPOLE, -1), (CARTPOLE, 0.5),
    (CARTPOLE, [1]), (CARTPOLE, "left"), (CARTPOLE, np.array([0, 1])), (CARTPOLE, np.True_),
    (PENDULUM, [np.nan]), (PENDULUM, [np.inf]), (PENDULUM, [2.5]), (PENDULUM, 0.5), (PENDULUM, [[0.5]]),
    (PENDULUM, ["left"]), (PENDULUM, [True]), (PENDULUM, [0.5, [1]]), (PENDULUM, [0.5 + 1j]),
    ("toy/discrete", 8), ("toy/discrete", np.float32(1)), ("toy/discrete", None), (PENDULUM, None),
], ids=repr)  # fmt: skip
def test_what_is_no_action_is_refused(task, action):
    said = told(always(action), task)
    assert "mine:act returned" in said and "at step 0 of episode 0" in said
    assert f"{task} takes {assay.make(task).action_space}" in said


def test_the_sentence_says_what_was_returned_and_when():
    calls = []

    def act(observation):
        calls.append(observation)
        return np.array([np.nan]) if len(calls) == 4 else 0

    assert told(act) == (
        "mine:act returned array([nan]) at step 3 of episode 0, and gym/CartPole-v1 takes Discrete(2)."
    )
    assert told(always(None)).startswith("mine:act returned None, which is no action, at step 0 of episode 0")


def test_what_the_agent_raises_is_told_with_its_line():
    def act(observation):
        return np.zeros(3)[5]  # this line

    line = act.__code__.co_firstlineno + 1
    said = told(act)
    assert said.startswith(f"mine:act raised IndexError at line {line} of ")
    assert (
        "test_play.py: index 5 is out of bounds" in said and "step 0 of episode 0 of gym/CartPole-v1" in said
    )


def test_the_line_is_the_user_s_where_a_library_raised():
    def act(observation):
        return np.linalg.inv(np.zeros((2, 2)))

    assert f"LinAlgError at line {act.__code__.co_firstlineno + 1} of " in told(act)


def test_an_exit_is_no_success():
    def act(observation):
        sys.exit(0)

    assert "SystemExit" in told(act)


def test_ctrl_c_passes():
    def act(observation):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(act, assay.make(CARTPOLE), "mine:act", 0, 1)


class Alternating:
    """Keeps state: which action is next."""

    def __init__(self):
        self.resets = []

    def reset(self):
        self.resets.append(True)
        self.next = 0

    def act(self, observation):
        self.next = 1 - self.next
        return self.next


class Callable(Alternating):
    def __call__(self, observation):
        return self.act(observation)


def test_an_agent_with_reset_is_reset_before_each_episode():
    agent = Alternating()
    played = play(agent.act, assay.make(CARTPOLE), "mine:Alternating", 0, 3)
    assert len(agent.resets) == 3
    other = Callable()
    assert play(other, assay.make(CARTPOLE), "mine:agent", 0, 3) == played and len(other.resets) == 3


def test_a_reset_that_raises_is_told():
    def act(observation):
        return 0

    def reset():
        raise RuntimeError("no memory\nleft.")

    act.reset = reset
    assert "the reset of mine:act raised RuntimeError at line" in told(act)
    assert told(act).endswith("test_play.py: no memory left, before episode 0.")


class Broken(gymnasium.Env):
    """Pays something that is no number, at its third step."""

    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.time += 1
        return np.zeros(2, np.float32), float("inf") if self.time == 3 else 1.0, False, self.time == 5, {}


@pytest.fixture
def broken():
    gymnasium.register("AssayBroken-v0", Broken, disable_env_checker=True)
    yield "gym/AssayBroken-v0"
    del gymnasium.registry["AssayBroken-v0"]


def test_a_reward_that_is_not_finite_is_refused(broken):
    said = told(always(0), broken)
    assert said.startswith("gym/AssayBroken-v0 paid inf for a score of inf at step 2 of episode 0, seed 0")


def test_no_episodes_are_none():
    assert play(balance, assay.make(CARTPOLE), "mine:act", 0, 0) == []


def test_the_example_plays(tmp_path):
    script = [sys.executable, str(EXAMPLES / "own_agent.py")]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    plain, *varied = [float(line.split()[0]) for line in done.stdout.splitlines()[1:]]
    assert plain > 400 and len(varied) == 4 and min(varied) < plain
