"""The scene by hand, and the law that no look leaves a trace in the world."""

from dataclasses import fields, replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from platformer_playing import CROWD as FULL
from platformer_playing import KEY, folded, worlds_of
from platformer_playing import crowd as played_crowd

from assay.core.env import Task
from assay.core.keys import seed_words, stream
from assay.core.variation import Field, get, put
from assay.envs.platformer import scene as scenes
from assay.envs.platformer.build_params import make_params
from assay.envs.platformer.npc_motion import (
    DistractorShapes,
    step_distractors,
    step_sticky_npcs,
    tick_animation,
)
from assay.native import build_native
from assay.proof.laws import native as laws
from assay.tasks import resolve

CROWD = FULL.format(x=64, speed=1)
B = "platformer/run+observation=pixels"


def params_in(text):
    found = resolve(text)
    params = make_params(found.settings, {s.name: s for s in found.text.settings})
    for axis, setting in found.variation_settings:  # what would be variations, put into the params
        params = put(params, axis.name, jnp.asarray(setting.value, get(params, axis.name).dtype))
    return params


def shown(key, params, state, scene):
    """Stands in for the picture: every number that the scene holds."""
    leaves = [jnp.ravel(leaf).astype(jnp.float32) for leaf in jax.tree.leaves(scene)]
    return jnp.concatenate([*leaves, params.layout.ground_thickness[None].astype(jnp.float32)])


def task_of(text):
    env = build_native("platformer/run").task.env
    return Task(replace(env, params=params_in(text), observation=shown, scene=scenes.scene))


def test_a_frame_of_12_a_second_shows_for_five_steps():
    frame, timer, seen = jnp.int32(0), jnp.float32(0), []
    for _ in range(13):
        frame, timer = tick_animation(jnp.float32(12), frame, timer, 2)
        seen.append(int(frame))
    by_hand, timer, index = [], np.float32(0), 0
    for _ in range(13):
        timer = np.float32(timer + np.float32(1 / 60))
        if timer >= np.float32(1) / np.float32(12):
            timer, index = np.float32(timer - np.float32(1) / np.float32(12)), (index + 1) % 2
        by_hand.append(index)
    assert seen == by_hand and by_hand[3:6] == [0, 1, 1]


def test_shapes_turn_back_at_the_edge():
    params = params_in(f"{B}+distractors.enabled+distractors.count=2")
    two = jnp.ones(2, jnp.int32)
    shapes = DistractorShapes(
        jnp.array([16.0, 50.0]), jnp.array([112.5, 20.0]), jnp.array([-3.0, 1.0]), jnp.ones(2),
        jnp.array([359.0, 0.0]), jnp.array([2.0, -1.0]), two, two, two,
    )  # fmt: skip
    after = step_distractors(params, shapes)
    assert after.x.tolist() == [15, 51] and after.vx.tolist() == [3, 1]
    assert after.y.tolist() == [113, 21] and after.vy.tolist() == [-1, 1]
    assert after.angle.tolist() == [1, 359]


def test_a_running_agent_shows_its_frames_and_a_standing_one_the_idle_one():
    text = f"{B}+character.use_sprites+character.sprite_paths=[skeleton]+layout.heights=[10]"
    actions = jnp.array([2] * 12 + [0] * 16, jnp.int32)
    _, worlds = worlds_of(folded(text), KEY, actions)
    frames = worlds.scene.frame.tolist()
    assert frames[:4] == [0] * 4 and frames[5:8] == [1] * 3 and frames[-1] == 0
    assert abs(float(worlds.state.vx[-1])) > 0.1 or worlds.scene.timer[-1] == 0


@pytest.fixture(scope="module")
def crowd():
    return jax.tree.map(jnp.asarray, played_crowd())


class TestCrowd:
    def test_characters_stand_on_the_ground(self, crowd):
        npcs, tops = crowd[0].scene.npcs, np.asarray(crowd[0].state.tops)
        there = np.asarray(npcs.x) > 0
        assert 5 <= there.sum() <= 20 and len(there) == 20
        x, y = np.asarray(npcs.x)[there], np.asarray(npcs.y)[there]
        assert (x >= 200).all() and (x < 1848).all() and (y == tops[x // 25] - 14).all()

    def test_sticky_ones_jump_and_land_where_they_stood(self, crowd):
        sticky = crowd[1].scene.sticky
        y, home = np.asarray(sticky.y), np.asarray(sticky.home)
        assert (y <= home).all() and (y < home).any() and ((home >= 56) & (home <= 86)).all()
        begun = (np.asarray(sticky.vy) == -6.75).sum()
        assert begun > 0 and np.abs(np.asarray(sticky.offset)).max() <= 60
        assert (home - y).max() == pytest.approx(sum(0.75 * k for k in range(1, 10)))  # 6.75 + 6 + ... + 0.75

    def test_the_background_changes_now_and_then(self, crowd):
        seen = np.asarray(crowd[1].scene.background)
        assert 0.3 < (np.diff(seen) != 0).mean() < 0.7 and seen.max() < 128

    def test_shapes_stay_on_the_screen(self, crowd):
        shapes = crowd[1].scene.distractors
        for place in (shapes.x, shapes.y):
            assert place.min() >= 15 and place.max() <= 113
        assert set(np.unique(shapes.size)) <= set(range(4, 13))

    def test_as_kage_sticky_ones_are_at_whole_rows(self, crowd):
        sticky = jax.tree.map(lambda leaf: leaf[40], crowd[1].scene.sticky)
        sticky = replace(
            sticky, y=sticky.home - 20, vy=jnp.full_like(sticky.vy, -0.9), on_ground=~sticky.on_ground
        )
        rows = [
            step_sticky_npcs(KEY, params_in(CROWD + f"+compat={how}"), sticky).y for how in ("none", "kage")
        ]
        assert np.allclose(rows[0] - sticky.y, -0.15, atol=1e-5) and (rows[1] == jnp.trunc(rows[0])).all()


def test_looks_leave_the_world_alone_bit_for_bit():
    actions = jnp.asarray(np.random.default_rng(0).integers(8, size=150), jnp.int32)
    runs = [worlds_of(folded(text), KEY, actions) for text in (f"{B}+start=[64,30]", CROWD)]
    for (first, worlds), (other, others) in [runs]:
        for a, b in zip(
            jax.tree.leaves((first.state, worlds.state)), jax.tree.leaves((other.state, others.state))
        ):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


MOVED = {"distractors.max_speed": 5.0, "background.switch_frequency": 1.0, "layout.ground_thickness": 9,
         "layout.p_change": 1.0, "dist_to_success": 5.0}  # fmt: skip


@pytest.mark.slow
def test_the_laws_find_looks_in_the_observation_alone():
    """A scene is judged as the memory of a channel is: the plain task keeps its own beside the varied run."""
    # The start is inside the ground: only there does the ground's thickness change the motion.
    text = f"{B}+background.mode=color+distractors.enabled+start=[100,92]"
    plain, axes = task_of(text), {axis.name: axis for axis in resolve(text).entry.axes}
    every = tuple(
        Field(get(plain.env.params, name), name, axes[name].components, None, get(plain.env.params, name))
        for name in MOVED
    )
    varied = []
    for i, level in enumerate(MOVED.values()):
        away = replace(every[i], level=jnp.asarray(level, every[i].level.dtype))
        varied.append(replace(plain, variations=(*every[:i], away, *every[i + 1 :])))
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *varied)
    words = np.stack([seed_words(seed) for seed in range(3)])
    trace = jax.device_get(laws.follow_all(plain, stacked, (), words, np.array([0, 0, 2]), 40))
    for i, name in enumerate(MOVED):
        touched = {part for part, marks in trace.touched.items() if np.any(marks[i])}
        assert touched == set(axes[name].components), name


def test_streams_of_the_scene_have_names_of_their_own():
    key = stream(KEY, "scene")
    names = ["lights", "skin", "shape", "shape_color", "background", "preset", "npc", "sticky", "distractors",
             "switch", "ground_color"]  # fmt: skip
    words = {np.asarray(jax.random.key_data(stream(key, name))).tobytes() for name in names}
    assert len(words) == len(names) and len(fields(scenes.Scene)) == 13
