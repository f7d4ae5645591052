"""The platformer's frames: some pixels worked out by hand, then all of them against a slow painter.

Equality is to the bit. Only where a turned shape's edge runs through a pixel's middle does rounding decide.
"""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from picture_reference import Figure
from platformer_filming import BASE, Studio, at, number_of, sights, studio
from platformer_playing import KEY, folded

from assay.core import step as loop
from assay.core.keys import root_of, step_key
from assay.envs.platformer import art
from assay.envs.platformer.npc_motion import DistractorShapes, Npcs, StickyNpcs
from assay.envs.platformer.palettes import BACKGROUND_COLORS, SHAPE_COLORS, SHAPES
from assay.envs.platformer.shapes import distractor_size, mask_shape

TEAL, CYAN, BLACK = (0, 128, 128), (0, 255, 255), (0, 0, 0)
EVERYBODY = f"{BASE}+preset=kage-default+npc.sticky_enabled"
PICTURES = f"{BASE}+background.mode=image+background.image_paths=[bg-1,bg-5,bg-128]"
HANDY = f"{BASE}+character.use_sprites+character.sprite_paths=[skeleton]"


def standing():
    """An agent at rest on ground that begins at row 76: y is 76 - 12 - 1, and nothing has scrolled."""
    first = sights()[0]
    tops = np.full_like(first.state.tops, 76)
    state = replace(first.state, tops=tops, x=np.float32(64), y=np.float32(63), camera_x=np.float32(0))
    return replace(first, state=state)


class TestByHand:
    def test_a_teal_circle_on_cyan_ground(self):
        # Centre: column 64, row 63 + 1. Radius 8: it covers rows 56 to 72, at row 64 columns 56 to 72. At
        # row 56 only dx = 0 fits (dx^2 <= 64 - 64). Ground: rows 76 and 77.
        world = standing()
        frame = studio(BASE).check(world.state, studio(BASE).scene(world))
        assert tuple(frame[64, 56]) == tuple(frame[64, 72]) == tuple(frame[56, 64]) == TEAL
        assert tuple(frame[64, 55]) == tuple(frame[64, 73]) == tuple(frame[56, 65]) == BLACK
        assert (frame[76:78] == CYAN).all() and not frame[75].any() and not frame[78:].any()

    def test_a_wall_stands_in_the_first_column_of_the_new_run(self):
        # Run 3 begins at column 75 and 20 rows higher: the wall is column 75, rows 56 to 75.
        world = standing()
        tops = world.state.tops.copy()
        tops[3:] = 56
        state = replace(world.state, tops=tops)
        frame = studio(BASE).check(state, studio(BASE).scene(world))
        assert (frame[56:76, 75] == CYAN).all() and not frame[58:, 76].any() and not frame[:76, 74].any()
        assert not frame[76:, 75].any()  # the lower run's own ground ends in column 74
        # Scrolled by 10, the wall is in column 65.
        moved = replace(state, camera_x=np.float32(10))
        frame = studio(BASE).check(moved, studio(BASE).scene(world))
        assert (frame[56:76, 65] == CYAN).all() and (frame[56:58, 66:] == CYAN).all()

    def test_a_sprite_stands_on_the_ground(self):
        # 16 x 24: columns 64 - 8 to 71, rows 64 + 12 - 24 to 75.
        world, sprite = standing(), art.skins()["skeleton"].idle[0]
        frame = studio(HANDY).check(
            replace(world.state, vx=np.float32(0)),
            studio(HANDY).scene(world, skin=np.int32(0), frame=np.int32(0)),
        )
        drawn = sprite[..., 3] == 255
        assert (frame[52:76, 56:72][drawn] == sprite[..., :3][drawn]).all()
        assert drawn[-1].any() and not frame[52:76, 56:72][~drawn].any()

    def test_a_triangle_leaves_out_its_tip_and_its_lower_edge(self):
        world = standing()
        frame = studio(BASE).film(world.state, studio(BASE).scene(world, shape=number_of("triangle")))
        rows = np.flatnonzero((frame == TEAL).all(-1).any(1))
        assert rows.tolist() == list(range(64 - 7, 64 + 4))  # r = 8: -(8 - 1) to 8 / 2 - 1

    def test_a_picture_scrolls_half_as_far_as_the_world(self):
        # The camera at 101: 50.5 rounds to the even 50. Column 0 shows column 50, column 78 column 0 again.
        world = standing()
        state = replace(world.state, camera_x=np.float32(101))
        frame = studio(PICTURES).check(state, studio(PICTURES).scene(world, background=np.int32(1)))
        image = art.backgrounds()[4]
        assert (frame[:40, 0] == image[:40, 50]).all() and (frame[:40, 78] == image[:40, 0]).all()


class TestAgent:
    @pytest.mark.parametrize("name", SHAPES)
    def test_every_shape_standing_still(self, name):
        for i, world in enumerate(sights()):
            color = np.int32(i % len(SHAPE_COLORS))
            scene = studio(BASE).scene(world, shape=number_of(name), shape_color=color)
            studio(BASE).check(world.state, scene)

    @pytest.mark.parametrize("box", [(7, 30), (33, 12), (2, 2)])
    def test_in_boxes_of_other_sizes(self, box):
        one, world = Studio(f"{BASE}+character.width={box[0]}+character.height={box[1]}"), sights()[3]
        for name in SHAPES:
            one.check(world.state, one.scene(world, shape=number_of(name)))

    @pytest.mark.parametrize("name", SHAPES)
    def test_every_shape_turned(self, name):
        turning, undecided = studio(f"{BASE}+character.shape_types=[star]+character.shape_rotate"), 0
        for world, angle in zip(sights(), (5, 33.3, 63, 137.5, 200, 359)):
            scene = turning.scene(world, shape=number_of(name), angle=np.float32(angle))
            undecided += turning.check_turned(world.state, scene)
        assert undecided <= 30
        turning.check(world.state, turning.scene(world, shape=number_of(name)))
        for angle in (45, 90):  # whole edges may run through middles of pixels
            turning.check_turned(world.state, replace(scene, angle=np.float32(angle)))

    @pytest.mark.parametrize("corner", [(8, 12), (2039, 12), (8, 115), (2039, 115)])
    def test_at_the_edges_of_the_world(self, corner):
        x, y = (np.float32(v) for v in corner)
        state = replace(sights()[0].state, x=x, y=y, camera_x=np.float32(0 if x < 99 else 1920))
        for text in (BASE, f"{BASE}+character.use_sprites"):
            studio(text).check(state, studio(text).scene(sights()[0]))

    def test_skins_idle_and_walking(self):
        one = studio(f"{BASE}+character.use_sprites")
        for i, world in enumerate(sights()):
            for speed, frame in ((0, 0), (0.1, 1), (0.11, 1), (-0.6, 3), (0, 2)):  # beyond the last: the last
                state = replace(world.state, vx=np.float32(speed))
                one.check(state, one.scene(world, skin=np.int32(5 * i), frame=np.int32(frame)))

    def test_without_animation_it_stands_while_it_runs(self):
        one, world = Studio(f"{HANDY}+character.enable_animation=false"), sights()[3]
        state = replace(world.state, vx=np.float32(1))
        frame = one.check(state, one.scene(world, skin=np.int32(0), frame=np.int32(0)))
        moving = studio(HANDY).check(state, studio(HANDY).scene(world, skin=np.int32(0), frame=np.int32(0)))
        assert (frame != moving).any()


class TestBackground:
    @pytest.mark.parametrize("more", [
        "", "+background.parallax_factor=0.0", "+background.parallax_factor=1.0",
        "+background.tile_horizontal=false",
        "+background.tile_horizontal=false+background.parallax_factor=0.07",
    ])  # fmt: skip
    def test_pictures_scroll_and_repeat(self, more):
        one = Studio(PICTURES + more)
        for i, world in enumerate(sights()):
            one.check(world.state, one.scene(world, background=np.int32(i % 3)))
        for camera in (1, 127, 128, 255, 256, 511, 1919):  # around every place where a picture ends
            state = replace(sights()[3].state, camera_x=np.float32(camera))
            one.check(state, one.scene(sights()[3], background=np.int32(2)))

    def test_one_of_all_pictures(self):
        one, world = studio(f"{BASE}+background.mode=image"), sights()[2]
        for which in (0, 63, 127):
            one.check(world.state, one.scene(world, background=np.int32(which)))

    def test_colours(self):
        one = studio(f"{BASE}+background.mode=color")
        for which in range(len(BACKGROUND_COLORS)):
            world = sights()[which % 6]
            one.check(world.state, one.scene(world, background=np.int32(which)))

    def test_noise_is_covered_by_what_is_in_front(self):
        one = studio(f"{BASE}+background.mode=noise")
        for seed, world in enumerate(sights()):
            scene = one.scene(world, background=np.int32(1000 + seed))
            dark, light = (one.painter.paint(world.state, scene, behind) for behind in (0, 255))
            front = (dark == light).all(-1)
            filmed = one.film(world.state, scene)
            assert (filmed[front] == dark[front]).all() and front.sum() > 200
            assert len(np.unique(filmed[~front])) == 256


class TestLevel:
    @pytest.mark.parametrize("more", ["layout.ground_thickness=9", "layout.ground_thickness=1",
                                      "layout.layout_colors=[red,black,gray]"])  # fmt: skip
    def test_thickness_and_colours(self, more):
        one = Studio(f"{BASE}+{more}")
        for color, world in enumerate(sights()):
            one.check(world.state, one.scene(world, ground_color=np.int32(color * 2 + color % 2)))

    def test_narrow_runs_and_high_walls(self):
        one = Studio(f"{BASE}+layout.run_width=1+layout.length=200")
        world = sights()[2]
        tops = np.random.default_rng(0).integers(20, 127, 200).astype(np.int16)
        for camera in (0, 1, 72):
            state = replace(world.state, tops=tops, camera_x=np.float32(camera))
            one.check(state, one.scene(world))


class TestEverybody:
    """Agent, characters in the world and beside the agent, and shapes, in scenes of real play."""

    @pytest.mark.parametrize("how", ["none", "kage"])
    def test_worlds_of_real_play(self, how):
        one = studio(f"{EVERYBODY}+compat={how}")
        for i, world in enumerate(sights()):
            sticky = world.scene.sticky
            if how == "kage":
                sticky = replace(sticky, y=np.trunc(sticky.y))
            scene = one.scene(world, background=np.int32(20 * i), sticky=sticky)
            assert one.check_turned(world.state, scene) < 40

    @pytest.mark.parametrize("how", ["none", "kage"])
    def test_characters_come_in_from_the_edges(self, how):
        one, world = studio(f"{EVERYBODY}+compat={how}"), sights()[3]
        camera = int(world.state.camera_x)
        places = [-17, -16, -15, -8, -7, 0, 60, 127, 128, 134, 135, 136, 143, 144, 20, 21, 22, 90, 95, 100]
        x, rows = np.array(places, np.int32) + camera, np.arange(20, dtype=np.int32)
        there = np.where(rows < 18, x, 0)
        npcs = Npcs(there, np.int32(60) + rows, (rows * 7) % 27, rows % 4, np.float32(0))
        shapes = world.scene.distractors
        still = replace(shapes, angle=np.zeros_like(shapes.angle))
        scene = one.scene(world, background=np.int32(3), npcs=npcs, distractors=still)
        one.check(world.state, scene)
        alone = one.scene(world, background=np.int32(3), npcs=replace(npcs, x=0 * x), distractors=still)
        assert (one.film(world.state, scene) != one.film(world.state, alone)).any()

    def test_they_stand_on_the_ground_or_as_kage_two_pixels_above(self):
        # Ground at row 76: the lowest row of a skin is row 75, or 73.
        feet = {}
        for how in ("none", "kage"):
            one, world = studio(f"{EVERYBODY}+compat={how}"), standing()
            npcs, none = world.scene.npcs, np.zeros(20, np.int32)
            x = none.copy()
            x[0] = 30
            npcs = Npcs(x, none + 76 - 14, none + 21, none, npcs.timer)
            sticky = replace(world.scene.sticky, count=np.int32(0))
            scene = one.scene(world, background=np.int32(0), npcs=npcs, sticky=sticky)
            without = replace(scene, npcs=replace(npcs, x=none))
            changed = one.film(world.state, scene) != one.film(world.state, without)
            feet[how] = np.flatnonzero(changed.any((1, 2))).max()
        assert feet == {"none": 75, "kage": 73}

    def test_sticky_ones_keep_beside_the_agent_and_half_rows_go_to_the_even(self):
        one, world = studio(EVERYBODY + "+compat=none"), sights()[3]
        offset = np.array([-60, 60, -41, 0, 47], np.int32)
        y = np.array([40.5, 41.5, 60.25, 12.75, 126.0], np.float32)
        sticky = world.scene.sticky
        sticky = StickyNpcs(
            offset, y, y, y * 0, y > 0, sticky.skin, sticky.frame + 5, sticky.timer, np.int32(5)
        )
        shapes = world.scene.distractors
        still = replace(shapes, angle=np.zeros_like(shapes.angle))
        one.check(world.state, one.scene(world, background=np.int32(3), sticky=sticky, distractors=still))


class TestDistractors:
    COUNT = 54  # six of each shape
    TEXT = f"{BASE}+distractors.enabled+distractors.count={COUNT}+distractors.max_size=30"

    def shapes(self, kind, angle):
        """All shapes and sizes over the whole screen, many at its very edges."""
        rng = np.random.default_rng(kind)
        every = np.arange(self.COUNT, dtype=np.int32)
        x, y = rng.uniform(15, 113, (2, self.COUNT)).astype(np.float32)
        x[::3], y[1::3] = (15, 113)[kind % 2], (113, 15)[kind % 2]
        size = rng.integers(4, 31, self.COUNT).astype(np.int32)
        angles = (angle * rng.uniform(0, 360, self.COUNT)).astype(np.float32)
        zero = np.zeros(self.COUNT, np.float32)
        return DistractorShapes(x, y, zero, zero, angles, zero, every % 9, every % 21, size)

    @pytest.mark.parametrize("how", ["none", "kage"])
    def test_all_shapes_and_sizes(self, how):
        one, world = studio(f"{self.TEXT}+compat={how}"), sights()[4]
        for kind in range(3):
            one.check(world.state, one.scene(world, distractors=self.shapes(kind, 0)))
            assert one.check_turned(world.state, one.scene(world, distractors=self.shapes(kind, 1))) < 100

    def test_angles_are_degrees_or_as_kage_radians(self):
        # A line of size 30 at 90 degrees is upright; at 90 radians it leans (90 - 28 pi is 117 degrees).
        none = np.zeros(self.COUNT, np.int32)
        zero = none.astype(np.float32)
        shapes = DistractorShapes(
            zero + 60, zero + 40, zero, zero, zero + 90, zero, none + 2, none, none + 30
        )
        spans = {}
        for how in ("none", "kage"):
            one = studio(f"{self.TEXT}+compat={how}")
            frame = one.film(sights()[0].state, one.scene(sights()[0], distractors=shapes))
            columns = np.flatnonzero((frame == (255, 0, 0)).all(-1).any(0))
            spans[how] = columns.max() - columns.min() + 1
        assert spans["none"] <= 4 and 12 <= spans["kage"] <= 17

    def test_as_kage_a_diamond_of_16_loses_its_lowest_row(self):
        none = np.zeros(self.COUNT, np.int32)
        zero = none.astype(np.float32)
        shapes = DistractorShapes(zero + 60, zero + 40, zero, zero, zero, zero, none + 8, none, none + 16)
        rows = {}
        for how in ("none", "kage"):
            one = studio(f"{self.TEXT}+compat={how}")
            frame = one.check(sights()[0].state, one.scene(sights()[0], distractors=shapes))
            found = np.flatnonzero((frame == (255, 0, 0)).all(-1).any(1))
            rows[how] = found.min(), found.max()
        assert rows == {"none": (24, 56), "kage": (24, 55)}


class TestSizes:
    @pytest.mark.parametrize("size", ["H=96+W=160+layout.height_px=160", "H=160+W=96", "H=64+W=200"])
    def test_frames_of_other_sizes(self, size):
        text = f"{BASE}+{size}+character.use_sprites+npc.enabled+distractors.enabled+background.mode=image"
        one = Studio(text + "+background.image_paths=[bg-3,bg-4]+layout.ground_thickness=10")
        for i, world in enumerate(sights()[2:]):
            tops = world.state.tops + np.int16(30)  # so that rows beyond the world are met
            camera = np.float32(np.clip(world.state.x - one.settings.W // 2, 0, 2048 - one.settings.W))
            state = replace(world.state, tops=tops, camera_x=camera, y=world.state.y + 30)
            one.check_turned(state, one.scene(world, background=np.int32(i % 2)))

    def test_beyond_the_world_nothing_is_drawn(self):
        one, world = Studio(f"{BASE}+H=160+layout.ground_thickness=10"), standing()
        state = replace(world.state, tops=np.full_like(world.state.tops, 123))
        frame = one.check(state, one.scene(world))
        assert (frame[123:128] == CYAN).all() and not frame[128:].any()


class TestBatches:
    def test_lanes_do_not_see_each_other(self):
        one = studio(EVERYBODY + "+compat=none")
        worlds = [sights()[i] for i in (1, 3, 4)]
        scenes = [one.scene(world, background=np.int32(9)) for world in worlds]
        keys = jax.random.split(KEY, 3)
        states, stacked = (
            jax.tree.map(lambda *leaves: jnp.stack(leaves), *each)
            for each in ([world.state for world in worlds], scenes)
        )
        filmed = jax.jit(jax.vmap(one.env.observation, (0, None, 0, 0)))
        together = np.asarray(filmed(keys, one.env.params, states, stacked))
        alone = [one.film(w.state, s, key) for w, s, key in zip(worlds, scenes, keys)]
        assert (together == alone).all()
        shuffled = [np.array([0, 2, 2]), np.array([1, 0, 2])]
        for order in shuffled:
            picked = jax.tree.map(lambda leaf, order=order: leaf[order], (keys, states, stacked))
            assert (np.asarray(filmed(picked[0], one.env.params, *picked[1:])) == together[order]).all()


@pytest.mark.parametrize("xp", [np, jnp], ids=["numpy", "compiled"])
def test_every_shape_of_every_size_is_exact_where_it_stands_still(xp):
    """Pixels on an edge too: tips, ends of diamonds, the few places where an ellipse meets whole numbers."""
    offsets = np.arange(-49, 50)
    across, down = offsets[None], offsets[:, None]
    masks = partial(mask_shape, np) if xp is np else jax.jit(partial(mask_shape, jnp))
    for size in (*range(1, 31), 34, 48):
        lengths = distractor_size(np.float32(size))
        for number, name in enumerate(SHAPES):
            figure = Figure(name, 0.0, size / 2, max(1, size / 8) / 2, (0.5 * size, 0.3 * size),
                            (size / 2, size), 0.0)  # fmt: skip
            found = np.asarray(masks(np.int32(number), across, down, lengths, np.float32(0)))
            assert (found == figure.covers(across.astype(float), down.astype(float))).all(), (name, size)


@pytest.mark.slow
@pytest.mark.parametrize("more", [
    "", "character.use_sprites+background.mode=image", "preset=kage-default+npc.sticky_enabled",
    "preset=kage-default+npc.sticky_enabled+compat=kage", "H=96+W=160+layout.height_px=160+npc.enabled",
    "layout.length=512+start=[250,30]+npc.enabled+background.mode=color+background.switch_frequency=0.1",
    "character.shape_types=[star,square]+character.shape_rotate+physics.move_speed=3",
])  # fmt: skip
def test_whole_episodes_as_the_loop_shows_them(more):
    text = "+".join(filter(None, (BASE, more)))
    task, one = folded(text), Studio(text)
    actions = jnp.asarray(np.random.default_rng(1).choice([0, 1, 2, 2, 2, 6], size=250), jnp.int32)

    @jax.jit
    def shown(key):
        def one_step(world, action):
            out = loop.step(task, step_key(key, world.time + 1), world, action)
            return out.state, (out.state, out.observation)

        return jax.lax.scan(one_step, loop.start(task, step_key(key, 0)), actions)[1]

    for seed in range(2):
        worlds, frames = jax.device_get(shown(root_of(seed)))
        for time in range(0, 250, 12):
            world = at(worlds, time)
            one.compare_turned(frames[time], world.state, world.scene)
