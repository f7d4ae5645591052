"""The hosted loop: pairing, ends, clocks and draws over a stateful env."""

import numpy as np
import pytest

from assay.core.host import HostedTask, Powers
from assay.core.space import Box, Discrete
from assay.hosted import build_hosted
from assay.task_text import parse
from assay.tasks import build_record, resolve


class Counter:
    """A host that pays its step number and ends at five; the seed sets where it starts."""

    limit, fresh, powers = float("inf"), True, Powers()

    def __init__(self):
        self.spaces = {"action": Discrete(3), "reward": Box(-np.inf, np.inf, (), "float64"),
                       "observation": Box(-100.0, 100.0, (2,))}  # fmt: skip

    def reset(self, seed):
        self.time, self.start = 0, np.random.default_rng(seed).integers(50)
        return np.float32([self.start, 0]), {}

    def step(self, action):
        self.time += 1
        return np.float32([self.start, self.time]), self.time, self.time >= 5, self.time >= 5, {"own": action}

    def latent(self):
        return np.array([self.start, self.time])

    def sample(self, rng):
        return int(rng.integers(3))

    def close(self):
        pass


def counter(more=""):
    found = resolve(f"gym/CartPole-v1{more}")  # the names of the generic channels, on our own host
    return HostedTask(Counter(), tuple(build_record(axis, s, found) for axis, s in found.variation_settings))


def play(task, actions, seed=0, episode=0):
    first, _ = task.reset(seed, episode)
    return first, [task.step(action) for action in actions]


def test_terminated_and_truncated_are_never_both():
    _, out = play(counter(), [0] * 5)
    assert [(s.terminated, s.truncated) for s in out][-1] == (True, False)


def test_score_is_the_hosts_reward_and_executed_what_reached_it():
    _, out = play(counter("+reward.scale=10.0+action.sticky=1.0"), [2, 0, 1])
    assert [s.score for s in out] == [1, 2, 3]
    assert [s.reward for s in out] == [10, 20, 30]
    assert [s.executed for s in out] == [2, 2, 2] == [s.info["own"] for s in out]


def test_reward_delay_keeps_the_return():
    for level in (1, 3, 8):
        _, out = play(counter(f"+reward.delay={level}"), [0] * 5)
        assert sum(s.reward for s in out) == 15


def test_memory_is_renewed_at_reset():
    task = counter("+reward.delay=3")
    play(task, [0, 0])
    _, out = play(task, [0, 0, 0, 0], episode=1)
    assert [s.reward for s in out] == [0, 0, 0, 1]


def test_the_first_observation_is_varied_too():
    plain, varied = play(counter(), [])[0], play(counter("+observation.noise=0.5"), [])[0]
    assert not np.array_equal(plain, varied)


def test_observations_of_a_delay_line_are_the_agents_own():
    _, out = play(counter("+observation.delay=1"), [0] * 4)
    assert [s.observation[1] for s in out] == [0, 1, 2, 3]


def test_schedules_by_hand():
    _, out = play(counter("+reward.shift=100.0@sudden:2"), [0] * 4)
    assert [s.reward for s in out] == [1, 2, 103, 104]
    _, out = play(counter("+reward.shift=100.0@ramp:0:4"), [0] * 4)
    assert [s.reward for s in out] == [1, 27, 53, 79]


def test_a_life_clock_counts_over_resets_and_begins_anew_with_a_seed():
    task = counter("+reward.shift=100.0@sudden:3:life")
    assert [s.reward for s in play(task, [0, 0])[1]] == [1, 2]
    assert [s.reward for s in play(task, [0, 0], episode=1)[1]] == [1, 102]
    assert [s.reward for s in play(task, [0, 0], episode=0)[1]] == [1, 2]


def test_a_clock_of_episodes_counts_resets_and_begins_anew_with_a_seed():
    task = counter("+reward.shift=100.0@sudden:2:episodes")
    assert [play(task, [0], episode=e)[1][0].reward for e in (0, 1, 2, 3)] == [1, 1, 101, 101]
    assert [play(task, [0], episode=e)[1][0].reward for e in (0, 1, 2)] == [1, 1, 101]
    task.reset(0, 7, anew=True)  # the first of a life, whatever its number is
    assert task.step(0).reward == 1


def test_an_episode_without_a_step_counts_once_a_step_was_made():
    task = counter("+reward.shift=100.0@cyclic:1:1:episodes")
    paid = []
    for episode in range(5):
        task.reset(0, episode)
        paid += [task.step(0).reward] if episode not in (0, 2) else []
    assert paid == [101, 101, 1]  # numbers 0, 2 and 3, for the life begins with a step in episode 1


def test_a_random_clock_of_episodes_is_seeded():
    task = counter("+reward.shift=100.0@random:0.5:episodes")
    runs = [[play(task, [0, 0], episode=e)[1] for e in range(16)] for _ in range(2)]
    on = [[[s.reward > 50 for s in steps] for steps in run] for run in runs]
    assert on[0] == on[1] and on[0][0] == [False, False] and {tuple(each) for each in on[0]} == {
        (False, False), (True, True)
    }  # fmt: skip


def test_a_random_clock_is_seeded_and_changes_over():
    task = counter("+reward.shift=100.0@random:0.5")
    runs = [[s.reward > 50 for s in play(task, [0] * 5, episode=e)[1]] for e in range(20)]
    assert [[s.reward > 50 for s in play(task, [0] * 5, episode=e)[1]] for e in range(20)] == runs
    assert {flag for run in runs for flag in run} == {True, False} and not any(run[0] for run in runs)


@pytest.mark.parametrize("more", ["+reward.noise=1.0", "+observation.noise=0.2", "+reward.delay=2"])
def test_plain_and_varied_share_every_latent_in_every_episode(more):
    def latents(text):
        task, found = build_hosted(text), []
        for episode in range(4):
            task.reset(7, episode)
            rng = np.random.default_rng(episode)
            for _ in range(30):
                out = task.step(int(rng.integers(2)))
                found.append(task.host.latent().tolist())
                if out.terminated or out.truncated:
                    break
        return found

    assert latents("gym/CartPole-v1") == latents(f"gym/CartPole-v1{more}")


def test_draws_do_not_depend_on_what_stands_beside():
    def noise(text):
        _, out = play(counter(text), [0] * 5, seed=4)
        return [s.reward - s.score for s in out]

    alone = noise("+reward.noise=1.0")
    assert noise("+action.random=0.5+reward.noise=1.0+observation.noise=0.1") == alone


def test_text_of_a_hosted_task_is_canonical():
    assert str(parse("gym/CartPole-v1+reward.delay=2")) == "gym/CartPole-v1+reward.delay=2"
