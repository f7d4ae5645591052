"""What the variations of games report of a step."""

import numpy as np
import pytest

import assay
from assay.core.events import EVENTS
from assay.envs.atari.events import Notes

pytest.importorskip("ale_py")


def test_what_a_hook_does_is_counted_by_hand():
    """A rule writes 7 into cells 1 and 2, of which the first holds it already; then it replaces an action."""
    notes, written, ram = Notes(), {}, {1: 7, 2: 5}

    def write(ram, put, memory):
        put(1, 7)
        put(2, 7)

    notes.note_hook("frame", write, "mine")(ram, written.__setitem__, None)
    assert written == {1: 7, 2: 7} and notes.counts["mine"] == 1
    stay = notes.note_hook("action", lambda *arguments: 0, "yours")
    assert (stay(ram, None, [], None, 0, 3, 0), stay(ram, None, [], None, 0, 0, 0)) == (0, 0)
    assert notes.counts["yours"] == 1
    notes.begin_with(lambda intended: None)([])
    assert not notes.counts


def test_the_emulators_stickiness_is_told_in_frames():
    env = assay.make("atari/Pong+observation=ram+sticky=0.5", events=True)
    env.reset(seed=0)
    codes = env.inner.host.codes
    told = []
    for action in (2, 3, 2, 3, 2, 3):
        info = env.step(action)[-1]
        told.append(info[EVENTS]["sticky"])
        held = sum(sent != codes[action] for sent in info["executed_frames"])
        assert told[-1] == (True, held > 0, held)
    assert {report.event for report in told} == {True, False}


TASK = "atari/Pong+lazy_enemy@random:0.2+observation=gray84+max_frames=120+action.sticky=0.5+sticky=0"


@pytest.mark.parametrize("workers", [0, 2])
def test_lanes_tell_what_one_env_tells_and_asking_changes_nothing(workers):
    lanes = assay.make_vec(TASK, 2, workers=workers, events=True)
    plain = assay.make_vec(TASK, 2, workers=0)
    np.testing.assert_array_equal(lanes.reset(seed=4)[0], plain.reset(seed=4)[0])
    single = assay.make(TASK, events=True)
    single.reset(seed=5)
    events = opportunities = 0
    over = False
    for number in range(35):
        actions = np.array([2 + number % 2] * 2)
        seen, paid, terminated, truncated, info = lanes.step(actions)
        other = plain.step(actions)
        assert all(np.array_equal(a, b) for a, b in zip((seen, paid, terminated, truncated), other[:4]))
        if over:
            assert not info[f"_{EVENTS}"][1]
            single.reset()
        else:
            told = single.step(int(actions[1]))[-1][EVENTS]
            assert set(told) == {"lazy_enemy", "action.sticky"} == set(info[EVENTS])
            for axis, report in told.items():
                assert tuple(entry[1] for entry in info[EVENTS][axis]) == report
            rule = told["lazy_enemy"]
            opportunities, events = opportunities + rule.opportunity, events + rule.event
            assert rule.opportunity or not rule.event
        over = bool((terminated | truncated)[1])
    assert 0 < events <= opportunities < 34
    lanes.close(), plain.close()
