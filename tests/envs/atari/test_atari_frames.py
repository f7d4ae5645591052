"""Variations of the action that act on every frame of a step."""

import numpy as np
import pytest

import assay
from assay.core.events import EVENTS
from assay.core.streams import episode_number, generator
from assay.errors import AssayError, NotApplicable

pytest.importorskip("ale_py")

ON_FRAMES = "atari/Pong+observation=ram+frameskip=4+sticky=0.0+action_channels=frame"


def frames_of(text, actions, seed=0):
    """Per step the console's actions of its frames, by their number among the agent's."""
    env = assay.make(text)
    env.reset(seed=seed)
    codes = env.inner.host.codes
    return [[codes.index(code) for code in env.step(action)[-1]["executed_frames"]] for action in actions]


def test_a_stuck_action_holds_for_all_frames():
    """With chance 1 the first frame takes the first action, and all later frames repeat it."""
    assert frames_of(f"{ON_FRAMES}+action.sticky=1.0", [2, 3, 0]) == [[2] * 4] * 3
    assert frames_of(f"{ON_FRAMES}+action.sticky=0.0", [2, 3, 0]) == [[2] * 4, [3] * 4, [0] * 4]


def test_a_delay_counts_frames():
    """Two frames late: the first step begins with two frames of nothing, the next with two of the first."""
    assert frames_of(f"{ON_FRAMES}+action.delay=2", [2, 3]) == [[0, 0, 2, 2], [2, 2, 3, 3]]


def test_every_frame_draws_once_from_the_channels_own_stream():
    text, chance = f"{ON_FRAMES}+action.sticky=0.5", 0.5
    # What a step draws of a channel in the loop of hosts: numbers of 32 bits by (seed, episode, name).
    draws = np.random.Generator(np.random.Philox(key=episode_number(7, 0, "action.sticky")))
    shares = draws.random(64, dtype=np.float32)
    assert generator(7, 0, "action.sticky").random(64, dtype=np.float32).tolist() == shares.tolist()
    expected, last = [], None
    for frame, action in enumerate(np.repeat([2, 3, 2, 3, 2, 3], 4)):
        last = action if last is None or shares[frame] >= chance else last
        expected.append(last)
    assert np.ravel(frames_of(text, [2, 3, 2, 3, 2, 3], seed=7)).tolist() == expected


def test_steps_stay_steps():
    """Without the setting one draw decides on all frames of a step."""
    per_step = frames_of(ON_FRAMES.replace("=frame", "=step") + "+action.random=0.5", [2] * 20)
    assert all(len(set(frames)) == 1 for frames in per_step)
    assert not all(len(set(frames)) == 1 for frames in frames_of(f"{ON_FRAMES}+action.random=0.5", [2] * 20))


def test_saved_and_restored_exactly():
    text = ON_FRAMES.replace("frameskip=4", "frameskip=[2,4]") + "+action.sticky=0.5+action.other=0.2"
    env, other = assay.make(text), assay.make(text)
    env.reset(seed=3), other.reset(seed=9)
    for action in (2, 3, 2, 3, 2):
        env.step(action)
    saved = env.save()
    ahead = [env.step(action) for action in (3, 2, 3, 2, 3, 2)]
    for again in (env, other):
        again.restore(saved)
        for (seen, *_, info), action in zip(ahead, (3, 2, 3, 2, 3, 2)):
            now = again.step(action)
            assert np.array_equal(now[0], seen) and now[-1]["executed_frames"] == info["executed_frames"]


def test_events_are_told_of_any_frame():
    env = assay.make(f"{ON_FRAMES}+action.sticky=0.5", events=True)
    env.reset(seed=7)
    shares = generator(7, 0, "action.sticky").random(64, dtype=np.float32).reshape(-1, 4)
    for step, action in enumerate((2, 3, 2, 3)):
        info = env.step(action)[-1]
        told = info[EVENTS]["action.sticky"]
        drawn = shares[step] < 0.5
        assert told.opportunity and told.event == drawn[1 if step == 0 else 0 :].any()
        assert env.inner.host.codes[told.detail] == info["executed_frames"][-1]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("", "action_channels=frame is about variations of the action, and this atari/Pong task has none"),
        ("+reward.scale=2.0", "has none; drop it"),
        (
            "+action.repeat=2",
            "action.repeat acts once a step, so it cannot stand beside action_channels=frame",
        ),
        ("+action.sticky=0.5+sticky=0.25", "action.sticky frame by frame; write sticky=0"),
    ],
)
def test_what_cannot_act_on_frames_is_refused(more, says):
    text = "atari/Pong+action_channels=frame" + ("" if "+sticky" in more else "+sticky=0.0") + more
    with pytest.raises(NotApplicable, match=says):
        assay.make(text)


def test_a_host_without_frames_does_not_know_the_setting():
    with pytest.raises(AssayError, match="action_channels"):
        assay.make("gym/CartPole-v1+action_channels=frame+action.sticky=0.5")
