"""Agents that act on batches: the same episodes, whatever plays beside them; digests tell episodes apart."""

import sys

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.interop.play import LANES, play, play_side_by_side
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import exam_plan
from assay.runs.native_jobs import execute

CARTPOLE = "gym/CartPole-v1"
WEIGHTS = np.random.default_rng(0).normal(size=(4, 64)), np.random.default_rng(1).normal(size=(64, 2))


def network(observations):
    """A small network in float32: bits of a row may depend on the shape of the batch, never on other rows."""
    hidden = np.tanh(observations @ WEIGHTS[0].astype("float32"))
    return (hidden @ WEIGHTS[1].astype("float32")).argmax(-1)


BATCHED = assay.Policy(lambda seen: network(seen[None])[0], act_batch=network)


def side_by_side(policy, episodes, task=CARTPOLE, seed=3):
    return play_side_by_side(policy, lambda: assay.make(task), "mine:AGENT", seed, episodes)


def test_side_by_side_gives_what_one_after_another_gives():
    assert side_by_side(BATCHED, 21) == play(BATCHED, assay.make(CARTPOLE), "mine:AGENT", 3, 21)


def test_a_native_task_too():
    policy = assay.Policy(lambda seen: int(seen) % 8, act_batch=lambda seen: seen % 8)
    task = "toy/discrete+transition_noise=0.2+horizon=15"
    assert side_by_side(policy, 18, task) == play(policy, assay.make(task), "mine:AGENT", 3, 18)


def test_an_episode_does_not_depend_on_the_other_lanes():
    """The rows of other lanes are replaced by noise: the first lane's outputs keep their bits."""
    kept = []

    def watching(observations):
        out = np.tanh(observations @ WEIGHTS[0].astype("float32")) @ WEIGHTS[1].astype("float32")
        other = np.random.default_rng(len(kept)).normal(size=observations.shape).astype("float32")
        other[0] = observations[0]
        again = np.tanh(other @ WEIGHTS[0].astype("float32")) @ WEIGHTS[1].astype("float32")
        kept.append(out[0].tobytes() == again[0].tobytes() and len(observations) == LANES)
        return out.argmax(-1)

    policy = assay.Policy(BATCHED.act, act_batch=watching)
    alone, among = side_by_side(policy, 1), side_by_side(policy, 20)
    assert all(kept) and alone[0] == among[0]


def test_infos_are_given_to_an_agent_that_uses_them():
    seen = []

    def act_batch(observations, infos):
        seen.append([info.get("executed") for info in infos])
        return np.zeros(len(observations), int)

    # Both ways of acting agree, for assay compares them; `executed` is told after the first step.
    side_by_side(assay.Policy(lambda observation, info: 0, act_batch=act_batch, uses_info=True), 2)
    assert seen[0] == [None] * LANES and seen[-1][0] == 0
    alone = assay.Policy(lambda observation, info: 0 * len(info), uses_info=True)
    assert play(alone, assay.make(CARTPOLE), "mine:AGENT", 0, 1)[0].steps > 0


@pytest.mark.parametrize("returned", [0, [0], np.zeros(LANES + 1, int), None], ids=repr)
def test_a_batch_of_another_length_is_refused(returned):
    with pytest.raises(AssayError, match=r"act_batch of mine:AGENT returned .* one action for each"):
        side_by_side(assay.Policy(act=len, act_batch=lambda seen: returned), 2)


def test_what_is_no_action_names_the_episode():
    def act_batch(observations):
        return [7 if i == 1 else 0 for i in range(len(observations))]

    with pytest.raises(AssayError, match="mine:AGENT returned 7 at step 0 of episode 1"):
        side_by_side(assay.Policy(act=len, act_batch=act_batch), 3)


def test_episodes_are_told_apart_by_what_happened_in_them():
    """Equal scores from different starts are many episodes; the same start and actions are one."""
    task = "gym/CartPole-v1"
    always_left = play(lambda seen: 0, assay.make(task), "mine:act", 0, 30)
    by_steps = {}
    for each in always_left:
        by_steps.setdefault(each.steps, []).append(each.digest)
    assert max(map(len, by_steps.values())) > 1 and len({each.digest for each in always_left}) == 30
    same = "toy/discrete+init_state_dist=[1,0,0,0,0,0,0,0]+terminal_state_density=0+horizon=5"
    assert len({each.digest for each in play(lambda seen: 1, assay.make(same), "mine:act", 0, 5)}) == 1


def test_a_policy_draws_alike_in_an_episode_played_again():
    rng = np.random.default_rng()

    def reset(seed):
        nonlocal rng
        rng = np.random.default_rng(seed)

    policy = assay.Policy(lambda seen: int(rng.integers(2)), reset=reset)
    first, again = (play(policy, assay.make(CARTPOLE), "mine:AGENT", 0, 4) for _ in range(2))
    assert first == again and len({each.digest for each in first}) == 4


AGENTS = """
import numpy as np
import assay

def steady(observation):
    return int(observation[2] + 0.3 * observation[3] > 0)

class Leaks:
    count = 0
    def act(self, observation):
        Leaks.count += 1
        return steady(observation) if Leaks.count < 800 else 0

def draws(observation):
    return int(np.random.random() < 0.5)

def batch(observations):
    return (observations[:, 2] + 0.3 * observations[:, 3] > 0).astype(int)

GOOD = assay.Policy(steady, act_batch=batch)
OPPOSITE = assay.Policy(steady, act_batch=lambda seen: 1 - batch(seen))
MIXES = assay.Policy(steady, act_batch=lambda seen: batch(seen - seen.mean(axis=0)))
ONE_ARGUMENT = assay.Policy(steady, uses_info=True)
"""
FOUND = {
    "Leaks": "plays episode 0 of gym/CartPole-v1 differently the second time: it keeps something",
    "draws": "or draws at random without a seed; forget and seed in its reset",
    "MIXES": "for the same observation beside others: it mixes rows",
    "OPPOSITE": "act and act_batch of tried:OPPOSITE chose different actions for",
}


@pytest.fixture
def tried(tmp_path, monkeypatch):
    (tmp_path / "tried.py").write_text(AGENTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("tried", None)


def result_of(agent):
    jobs = jobs_of(exam_plan(f"tried:{agent}", CARTPOLE, only=("action.sticky",), episodes=4))
    return next(execute(jobs[:1]))


@pytest.mark.parametrize("agent", FOUND)
def test_an_agent_whose_episodes_are_not_their_own_is_refused(tried, agent):
    assert FOUND[agent] in result_of(agent).failed


def test_one_whose_episodes_are_is_not(tried):
    assert result_of("GOOD").failed == "" == result_of("steady").failed


def test_an_agent_that_uses_info_takes_it(tried):
    with pytest.raises(AssayError, match=r"the act of tried:ONE_ARGUMENT .* it takes \(observation, info\)"):
        result_of("ONE_ARGUMENT")
