"""The concept of a drifting task among its events."""

import pytest

import assay
from assay.errors import NotApplicable


def concepts(text, steps, **how):
    env = assay.make(text, events=True)
    env.reset(seed=0)
    told = [env.step(0)[-1]["events"]["concept"] for _ in range(steps)]
    return [(bool(each.event), *each.detail.tolist()) for each in told]


@pytest.mark.parametrize(
    "env, noise", [("gym/CartPole-v1", "observation.noise"), ("toy/grid", "transition_noise")]
)
def test_concepts_are_numbered_as_written_and_the_steps_since_a_drift_counted(env, noise):
    text = f"{env}+[action.random=0.3,{noise}=0.1]@sudden:2:4"
    assert concepts(text, 6) == [
        (False, 0, 0), (False, 0, 1), (True, 1, 0), (False, 1, 1), (True, 2, 0), (False, 2, 1),
    ]  # fmt: skip


def test_the_plain_task_comes_back_in_turns_and_at_a_reset():
    env = assay.make("gym/CartPole-v1+[plain,action.random=0.3]@cyclic:2", events=True)
    for _ in range(2):
        env.reset(seed=0)
        numbers = [env.step(0)[-1]["events"]["concept"].detail[0] for _ in range(5)]
        assert numbers == [0, 0, 1, 1, 0]


def test_a_schedule_of_a_life_goes_on_after_a_reset():
    env = assay.make("gym/CartPole-v1+action.random=0.3@sudden:3:life", events=True)
    env.reset(seed=0)
    first = [env.step(0)[-1]["events"]["concept"].detail[0] for _ in range(2)]
    env.reset()
    assert [*first, *(env.step(0)[-1]["events"]["concept"].detail[0] for _ in range(2))] == [0, 0, 0, 1]


def test_a_task_without_a_schedule_tells_of_no_concept():
    env = assay.make("gym/CartPole-v1+action.random=0.3", events=True)
    env.reset(seed=0)
    assert set(env.step(0)[-1]["events"]) == {"action.random"}


def test_drift_to_a_task_with_other_spaces_is_refused():
    with pytest.raises(assay.AssayError, match="changes the task's structure and cannot change over time"):
        assay.make("gym/CartPole-v1+[observation.stack=4,action.random=0.3]@sudden:2:4")


@pytest.mark.parametrize(
    "task", ["toy/discrete+transition_noise=0.0@sudden:3", "toy/discrete+delay=1@cyclic:3:2"]
)
def test_a_saved_moment_keeps_its_concept(task):
    def concepts(env, steps):
        return [env.step(0)[-1]["events"]["concept"].detail.tolist() for _ in range(steps)]

    env = assay.make(task + "+terminal_state_density=0.0", events=True)
    env.reset(seed=0)
    concepts(env, 5)
    saved = env.save()
    wanted = concepts(env, 6)
    other = assay.make(env.unwrapped.task, events=True)
    other.reset(seed=3)
    for each in (env, other):
        each.restore(saved)
        assert concepts(each, 6) == wanted
    plain = assay.make(env.unwrapped.task)
    plain.restore(saved)
    with pytest.raises(NotApplicable, match="was saved without events"):
        env.restore(plain.save())


def test_a_hosted_moment_keeps_its_concept_and_the_info_of_a_toy_tells_it():
    env = assay.make("atari/Pong+lazy_enemy@cyclic:3:2+sticky=0.0", events=True)
    env.reset(seed=0)
    for _ in range(4):
        env.step(0)
    saved = env.save()
    wanted = [env.step(0)[-1]["events"]["concept"].detail.tolist() for _ in range(4)]
    other = assay.make(env.unwrapped.task, events=True)
    other.restore(saved)
    assert [other.step(0)[-1]["events"]["concept"].detail.tolist() for _ in range(4)] == wanted
    toy = assay.make("toy/discrete+transition_noise=0.0@sudden:3+terminal_state_density=0.0", events=True)
    toy.reset(seed=0)
    infos = [toy.step(0)[-1] for _ in range(6)]
    toy.restore(infos[3])
    assert (
        toy.step(0)[-1]["events"]["concept"].detail.tolist() == infos[4]["events"]["concept"].detail.tolist()
    )


SCHEDULES = ("sudden:2", "cyclic:2:3", "turn:2:1:3", "window:3:5")
SEEING = {  # tasks whose observations alone change, and what reports it
    "gym/CartPole-v1+observation.dropout=1.0": "observation.dropout",
    "toy/discrete+terminal_state_density=0.0+observation.dropout=1.0": "observation.dropout",
    "atari/Breakout+sticky=0.0+blackout_blocks=1.0": "blackout_blocks",
    "atari/Boxing+sticky=0.0+hide_enemy=1.0": "hide_enemy",
    "atari/Boxing+sticky=0.0+observation.mask.left=1.0": "observation.mask.left",
    "atari/Boxing+sticky=0.0+compat=stori+hide_enemy=1.0": "hide_enemy",
    "atari/Boxing+sticky=0.0+compat=stori+hit_cancel=0.0+observation.mask.left=1.0": "observation.mask.left",
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("task", SEEING)
def test_what_is_seen_is_drifted_where_the_concept_seen_says_so(task, schedule):
    if task.startswith("atari"):
        pytest.importorskip("ale_py")
    env = assay.make(f"{task}@{schedule}", events=True)
    env.reset(seed=0)
    told = [env.step(0)[-1]["events"] for _ in range(9)]
    assert [bool(each[SEEING[task]].event) for each in told] == [
        each["concept_seen"].detail[0] == 1 for each in told
    ]
    assert {True, False} == {bool(each[SEEING[task]].event) for each in told}


def test_what_is_seen_after_a_step_belongs_to_the_next_and_with_stori_to_the_step():
    def numbers(task):
        env = assay.make(task, events=True)
        env.reset(seed=0)
        told = [env.step(0)[-1]["events"] for _ in range(4)]
        return [[int(each[name].detail[0]) for each in told] for name in ("concept", "concept_seen")]

    assert numbers("gym/CartPole-v1+observation.dropout=1.0@sudden:2") == [[0, 0, 1, 1], [0, 1, 1, 1]]
    pytest.importorskip("ale_py")
    stori = "atari/Boxing+sticky=0.0+compat=stori+hide_enemy=1.0"
    assert numbers(f"{stori}@sudden:2") == [[0, 1, 1, 1]] * 2  # one step early, as the original
    assert numbers(f"{stori}@cyclic:2:1") == [[1, 1, 0, 1]] * 2


def test_a_drift_of_episodes_comes_no_earlier_with_stori():
    pytest.importorskip("ale_py")
    env = assay.make("atari/Boxing+sticky=0.0+compat=stori+hide_enemy=1.0@sudden:1:episodes", events=True)
    hidden = []
    for seed in (0, None, None):
        env.reset(seed=seed)
        events = env.step(0)[-1]["events"]
        hidden.append((bool(events["hide_enemy"].event), int(events["concept"].detail[0])))
    assert hidden == [(False, 0), (True, 1), (True, 1)]
