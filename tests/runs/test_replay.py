"""Given agents that keep something from episode to episode are found, wherever they show it."""

import random
import re
from functools import partial

import gymnasium
import pytest
from gymnasium.envs.classic_control.cartpole import CartPoleEnv

from assay.conduct.phases import conduct, open_or_create
from assay.errors import AssayError
from assay.interop.gymnasium import make
from assay.interop.play import Difference, play_again
from assay.interop.policy import Policy
from assay.plans.make_plan import exam_plan, suite_plan
from assay.runs import replay
from assay.runs.local import Local
from assay.runs.outside_jobs import require_repeatable
from assay.suites.suite import Pair, Suite

AGENTS = """
import random

class Kept:
    seen, resets = 0, 0

def good(o):
    return int(o[2] + 0.3 * o[3] > 0)

def worn(o):  # plays worse after a thousand steps of life
    Kept.seen += 1
    return good(o) if Kept.seen < 7000 else int(o[2] > 0)

class Flip:  # every second episode
    def reset(self):
        Kept.resets += 1
    def act(self, o):
        return good(o) if Kept.resets % 2 else int(o[2] > 0)

class Draws:  # without a seed, and only where the pole leans
    def reset(self, seed=None):
        pass
    def act(self, o):
        return random.randrange(2) if abs(o[2]) > 0.06 else good(o)
"""
CARTPOLE = "gym/CartPole-v1"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a module of its own name: agents are loaded once per process, with what they keep."""
    (tmp_path / f"{module_in(tmp_path)}.py").write_text(AGENTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def module_in(place):
    return re.sub(r"\W", "_", f"keeps_{place.name}")


def conducted(place, agent, task=CARTPOLE, episodes=12):
    plan = exam_plan(f"{module_in(place)}:{agent}", task, only=("action.sticky",), episodes=episodes)
    run = open_or_create(plan, place / agent, ["assay"], place)
    return run, conduct(run, Local(1))


@pytest.mark.parametrize("agent", ["worn", "Flip", "Draws"])
def test_what_shows_only_under_a_variation_or_later_is_found(place, agent):
    run, failed = conducted(place, agent)
    with run:
        assert failed and "differently the second time" in failed[0]
        # One such episode puts all others in doubt; random play is ours and stays.
        assert {job.agent for job in run.jobs(status="done")} == {"random"}


def test_what_carries_over_by_a_clock_of_the_task_is_played_whole(place):
    run, failed = conducted(place, "Flip", f"{CARTPOLE}+observation.normal=0.0001@cyclic:600:300:life", 13)
    with run:
        assert failed and "differently the second time" in failed[0]


def test_a_sound_agent_is_looked_at_once(place, monkeypatch):
    looked = []
    monkeypatch.setattr(replay, "replay_in_new_process", lambda folder, jobs: looked.append(len(jobs)) or "")
    run, failed = conducted(place, "good", episodes=4)
    with run:
        assert failed == [] and looked == [2]
        assert conduct(run, Local(1)) == [] and looked == [2]


@pytest.mark.parametrize("agent", ["good", "trained"])
def test_the_tasks_of_a_suite_are_told_apart(place, agent):
    """Two tasks of a job had one place in the records, and a sound agent was refused."""
    with (place / f"{module_in(place)}.py").open("a") as file:
        file.write("\ndef trained(env, seed, steps):\n    return good\n")
    pairs = tuple(Pair(CARTPOLE, f"{CARTPOLE}+action.sticky={level}") for level in (0.3, 0.9))
    settings = {"steps": 1} if agent == "trained" else {}
    plan = suite_plan(Suite("own", 1, "", pairs, (0,), 3), f"{module_in(place)}:{agent}", settings=settings)
    with open_or_create(plan, place / agent, ["assay"], place) as run:
        assert conduct(run, Local(1)) == []


class Draws(CartPoleEnv):
    def step(self, action):
        seen, reward, *ends = super().step(action)
        return seen, reward + random.random(), *ends


def test_a_task_that_draws_is_blamed_and_not_the_agent():
    gymnasium.register("AssayDrawsInStep-v0", entry_point=Draws, max_episode_steps=20)
    policy = Policy(lambda seen: 0)
    for env, by_task, says in [
        ("AssayDrawsInStep-v0", True, "when the same actions are played again: the task draws"),
        ("CartPole-v1", False, "mine:act plays episode 3 of gym/CartPole-v1 differently"),
    ]:
        made = partial(make, f"gym/{env}")
        found = play_again(policy, made, "mine:act", 0, 3, "the digest of another episode", False)
        assert found.by_task == by_task and says in found.says


def test_a_variation_of_ones_own_that_draws_was_let_pass_before():
    says = Difference("it draws", by_task=True)
    require_repeatable(says, f"{CARTPOLE}+mine:blink=0.5")
    for found, task in [(says, CARTPOLE), (says._replace(by_task=False), f"{CARTPOLE}+mine:blink=0.5")]:
        with pytest.raises(AssayError, match="it draws"):
            require_repeatable(found, task)
