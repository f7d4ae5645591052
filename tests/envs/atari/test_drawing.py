"""Observations of objects as pictures for people: boxes, classes in colours, the newest frame."""

import numpy as np
import pytest

import assay
from assay.envs.atari.drawing import colour_of, drawing_of
from assay.interop.film import film

pytest.importorskip("ale_py")
ACTIONS = [0, 2, 3, 2] * 10
PLAYER, ENEMY, BALL = (np.array(colour_of(kind)[1]) for kind in range(3))


def last_of(task):
    """The last picture of forty steps, the observation behind it and the screen at that time."""
    shot, env = film(f"atari/Pong+{task}", 0, ACTIONS), assay.make(f"atari/Pong+{task}")
    env.reset(seed=0)
    for action in ACTIONS:
        observation = env.step(action)[0]
    return shot, observation, env.render()


@pytest.mark.parametrize("task, newest", [
    ("observation=objects", lambda seen: seen[:, -1]),
    ("observation=objects+stack=1", lambda seen: seen),
    ("observation=objects+channels=first", lambda seen: seen[-1]),
])  # fmt: skip
def test_boxes_lie_around_the_objects_of_the_newest_frame(task, newest):
    shot, seen, screen = last_of(task)
    there, x, y, width, height = newest(seen)[:5].astype(int)
    picture = shot.at(40)
    assert there and (picture[y - 1, x - 1 : x + width + 1] == PLAYER).all()
    assert (picture[y + height, x - 1 : x + width + 1] == PLAYER).all()
    inside = np.s_[y : y + height, x : x + width]
    assert (picture[inside] == screen[inside]).all()  # what is in the box stays as it is
    assert shot.says.endswith("boxes over the screen: player red, enemy cyan, ball yellow")


def test_what_a_variation_does_to_the_numbers_is_drawn():
    """A delayed observation has the boxes of the step before it, over the screen of now."""
    now, late = (
        film(f"atari/Pong+observation=objects{more}", 0, ACTIONS) for more in ("", "+observation.delay=4")
    )
    assert (now.at(40) != late.at(40)).any()


@pytest.mark.parametrize("more", ["", "+stack=1", "+channels=first"])
def test_planes_are_shown_in_one_picture_with_a_colour_for_each_class(more):
    shot, seen, _ = last_of(f"observation=planes{more}")
    newest = seen[-1] if "first" in more else seen[..., -3:]
    alone = (newest[..., 0] == 255) & (newest[..., 1:] == 0).all(-1)
    assert alone.any() and (shot.at(40)[alone] == PLAYER).all()
    assert not shot.at(40)[(newest == 0).all(-1)].any()
    assert "a colour for each class: player red, enemy cyan, ball yellow" in shot.says


@pytest.mark.parametrize("mode", ["object_masks", "binary_masks", "class_masks"])
@pytest.mark.parametrize("more", ["", "+channels=first"])
def test_of_masks_the_newest_frame_is_shown(mode, more):
    shot, seen, _ = last_of(f"observation={mode}{more}")
    assert (shot.at(40)[..., 0] == (seen[-1] if more else seen[..., -1])).all()
    assert shot.says.startswith("the newest of its frames")
    assert ("player 85, enemy 170, ball 255" in shot.says) == (mode == "class_masks")


def test_other_observations_are_shown_as_they_are():
    assert drawing_of("atari/Pong", {"observation": "gray84"}) is None
    assert film("atari/Pong", 0, ACTIONS).says == ""
