"""platformer/run by hand: the consequences that its specification names, one by one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from picture_reference import Painter
from platformer_playing import JUMP, KEY, LEFT, RIGHT, folded, play, settings_of

import assay
from assay.core import step as loop
from assay.core.keys import step_key
from assay.errors import AssayError
from assay.native import build_native

FLAT = "platformer/run+layout.heights=[10]"  # ground at row 76, so the agent rests at row 63
REST = 63
SHORT = FLAT + "+episode_length=3"  # one program for all that is stepped through the public door


def level(*heights):
    return f"platformer/run+layout.heights=[{','.join(map(str, heights))}]"


def test_it_begins_one_pixel_above_its_resting_place():
    states, *_ = play(FLAT, [0, 0, 0])
    assert (states.x[0], states.y[0], states.camera_x[0]) == (64, REST - 1, 0)
    assert states.y.tolist() == [62, 63, 63, 63]
    assert states.vy.tolist() == [0, 0.75, 0, 0]  # gravity moves one pixel, then the ground takes the speed


def test_right_from_rest_moves_a_pixel_at_once():
    states, *_ = play(FLAT, [RIGHT] * 4)
    assert states.x.tolist() == [64, 65, 66, 67, 68] and states.vx[1:].tolist() == [1] * 4


def test_left_and_right_together_cancel():
    states, *_ = play(FLAT, [LEFT | RIGHT, LEFT | RIGHT | JUMP])
    assert states.x.tolist() == [64] * 3 and states.vx.tolist() == [0] * 3


def test_a_jump_rises_34_pixels_from_an_odd_row():
    states, *_ = play(FLAT, [0, 0, JUMP] + [0] * 9)
    assert (-np.diff(states.y)[2:]).tolist() == [7, 6, 5, 5, 4, 3, 2, 1, 1, 0]
    assert not states.grounded[3]


def test_holding_jump_jumps_again_on_landing():
    states, rewards, _ = play(FLAT, [JUMP] * 60)
    assert states.jump_count[-1] == 60  # presses, not jumps
    # It leaves the ground at once, and again at the first step on which it counts as grounded.
    begun = np.flatnonzero(np.isclose(states.vy[1:], -6.75))
    assert len(begun) >= 3 and begun[0] == 0
    assert rewards[5] == np.float32(-15.1)  # in the air, in place


def test_a_wall_is_tried_at_every_second_step_in_the_air():
    # The wall stands in column 75, so the box stops at 66; the agent is high above the low ground.
    states, *_ = play("platformer/run+layout.heights=[0,0,0,20]+start=[66,60]", [RIGHT] * 6)
    assert not states.grounded[1:].any() and states.x.tolist() == [66] * 7
    np.testing.assert_allclose(states.vx[1:], [0.4, 0, 0.4, 0, 0.4, 0], atol=1e-7)


def test_the_top_of_the_world_keeps_the_speed_up():
    states, *_ = play(FLAT + "+start=[300,14,0,-9]", [0, 0])
    assert states.y.tolist()[:2] == [14, 12] and states.vy[1] == -8.25


def test_the_tallest_step_is_as_high_as_a_jump():
    jumping = [0] * 2 + [RIGHT | JUMP] + [RIGHT] * 30
    for low, passes in ((3, True), (2, False)):  # 34 and 36 pixels below the next run
        assert play(level(low, low, low, 20), [RIGHT] * 40)[0].x.max() == 66
        states, *_ = play(level(low, low, low, 20), jumping)
        assert (states.x.max() > 66) == passes
    # At the top it stays two steps, and every second one tries the wall.
    assert (play(level(3), jumping)[0].y == 77 - 34).sum() == 2


def test_three_steps_after_the_edge_a_jump_still_works():
    # A step down of 20 pixels behind column 75: the box has left it when its left edge passes column 75.
    drop = level(10, 10, 10, 0)
    states, *_ = play(drop, [RIGHT] * 40)
    off = int(np.flatnonzero(~states.grounded[2:])[0]) + 2  # the first step that finds no ground
    for late, works in [(0, True), (1, True), (2, True), (3, False), (4, False)]:
        tried, *_ = play(drop, [RIGHT] * (off - 1 + late) + [RIGHT | JUMP])
        assert (tried.vy[-1] == -6.75) == works, late
    assert states.coyote[off : off + 5].tolist() == [1, 2, 3, 4, 4]


def test_at_the_start_a_jump_works_though_not_on_the_ground():
    states, *_ = play(level(10) + "+start=[64,30]", [JUMP])
    assert states.vy[1] == -6.75


def begins(text):
    state = jax.jit(loop.start)(folded(f"{text}+observation=state"), KEY).state
    return float(state.x), float(state.y)


def test_a_step_in_the_first_columns_moves_the_start_to_the_right():
    assert begins(level(10, 10, 10, 20)) == (64, 62)  # the wall is in column 75, beyond column 72
    # A wall in column 70; beyond it the ground is at row 56.
    assert begins("platformer/run+layout.run_width=35+layout.heights=[10,10,20]") == (84, 56 - 14)
    # A step down behind column 60 has its wall in that column, beside the agent; a step up has it below.
    narrower = "platformer/run+layout.run_width=30+layout.heights="
    assert begins(narrower + "[20,20,10]") == (84, 76 - 14)
    assert begins(narrower + "[10,10,20]") == (64, 56 - 14)


def test_where_no_place_is_free_it_begins_at_64_64():
    comb = ",".join(["0,20"] * 51)  # the places tried are all in low runs, five columns wide
    text = f"platformer/run+layout.length=510+layout.run_width=5+layout.heights=[{comb}]"
    assert begins(text) == (64, 64)


def speed_after_a_step(text):
    """Of the fall, one step after the start; without a picture, which nothing here looks at."""
    task = build_native(f"platformer/run+{text}").task
    with jax.disable_jit():
        world = loop.start(task, step_key(KEY, 0))
        state = loop.advance(task, step_key(KEY, 1), world, jnp.int32(0)).state.state
    return float(state.y), float(state.vy)


def test_an_agent_in_the_ground_feels_its_thickness_and_the_height_of_the_world():
    """The box is 25 rows high. Rows 80 to 104 are free below a band of 76 and 77, and not below one to 85."""
    below = "layout.p_change=0.0+start=[100,92]+layout.ground_thickness"
    assert speed_after_a_step(f"{below}=2") == (93.0, 0.75)
    assert speed_after_a_step(f"{below}=10") == (92.0, 0.0)
    # Rows 103 to 127 meet the band at 127. The end of the world keeps the speed; the ground takes it.
    edge = "H=160+layout.base_ground_y=127+layout.pix_per_unit=0+start=[100,115]+layout.height_px"
    assert speed_after_a_step(f"{edge}=128") == (115.0, 0.75)
    assert speed_after_a_step(f"{edge}=160") == (115.0, 0.0)
    for name in ("layout.ground_thickness", "layout.height_px"):
        assert assay.catalogue.axis_of("platformer/run", name).components == ("transition", "observation")


def test_flat_levels():
    assert set(play("platformer/run+layout.pix_per_unit=0", [0])[0].tops[0]) == {96}
    assert set(play("platformer/run+layout.p_change=0.0", [0])[0].tops[0]) == {76}


def test_heights_stay_between_the_lowest_and_the_highest():
    states, *_ = play("platformer/run+layout.p_change=1.0+layout.p_up_given_change=1.0", [0])
    tops = states.tops[0]
    assert len(tops) == 82 and tops[0] == 76 and set(np.sort(tops)[:-3]) == {56}
    down, *_ = play("platformer/run+layout.p_change=1.0+layout.p_up_given_change=0.0", [0])
    assert down.tops[0][-1] == 96 and (np.diff(down.tops[0]) >= 0).all()


class TestRewardsAndMetrics:
    def test_each_part_of_the_reward(self):
        states, rewards, _ = play(FLAT, [RIGHT, LEFT, LEFT, 0, RIGHT, JUMP])
        # Right: a new pixel. Left: first friction holds it back, then it moves away, then it slides on.
        moved = np.diff(states.x)
        gain = np.maximum(states.x[1:] - np.maximum.accumulate(states.x)[:-1], 0)
        jump = np.array([0, 0, 0, 0, 0, 1])
        np.testing.assert_allclose(rewards, 0.2 * gain - 10 * jump - 0.1 - 5 * (moved == 0), rtol=1e-6)
        assert rewards[0] == np.float32(0.2) - np.float32(0.1)

    def test_standing_still_costs_5_1(self):
        assert play(FLAT, [0] * 3)[1].tolist() == [pytest.approx(-5.1)] * 3

    def test_moving_left_is_not_idle(self):
        _, rewards, _ = play(FLAT, [LEFT] * 3)
        assert rewards.tolist() == [pytest.approx(-0.1)] * 3

    def test_500_steps_to_the_right_earn_50(self):
        states, rewards, cut = play(FLAT, [RIGHT] * 500)
        assert rewards.sum() == pytest.approx(50, rel=1e-4)
        assert states.x[-1] == 564 and states.progress[-1] == pytest.approx(500 / 490)
        assert np.flatnonzero(states.success).tolist() == list(range(490, 501))
        assert cut[:-1].sum() == 0 and cut[-1]

    def test_success_may_be_lost_and_is_remembered(self):
        text = FLAT + "+dist_to_success=3.0"
        states, *_ = play(text, [RIGHT] * 3 + [LEFT] * 4)
        assert np.flatnonzero(states.success).tolist() == np.flatnonzero(states.x >= 67).tolist()
        assert states.success_once[3:].all() and not states.success[-1]
        assert states.x_max[-1] - states.initial_x[-1] >= 3 > states.x[-1] - states.initial_x[-1]

    def test_no_distance_to_run_is_no_progress(self):
        states, *_ = play(FLAT + "+dist_to_success=0.0", [LEFT, RIGHT])
        assert not states.progress.any()

    def test_means_are_those_of_the_speeds_after_collision(self):
        states, *_ = play(level(10, 10, 10, 20), [RIGHT, 0, JUMP, RIGHT, LEFT, 0])
        assert states.vx_mean[-1] == pytest.approx(states.vx[1:].mean(), abs=1e-6)
        assert states.vy_mean[-1] == pytest.approx(states.vy[1:].mean(), abs=1e-6)


def test_the_camera_moves_at_the_margins():
    states, *_ = play(FLAT, [RIGHT] * 60 + [LEFT] * 120)
    on_screen = states.x - states.camera_x
    assert (states.camera_x[:25] == 0).all() and states.x[24] == 88
    assert on_screen.max() == 88 and states.camera_x.max() == states.x.max() - 88
    assert on_screen[states.camera_x > 0].min() >= 40 and states.camera_x[-1] == max(states.x[-1] - 40, 0)


class TestInterface:
    def test_actions_beyond_the_space_are_refused_by_make_and_masked_natively(self):
        env = assay.make(SHORT)
        env.reset(seed=0)
        with pytest.raises(AssayError, match="from 0 to 7, not 8"):
            env.step(8)
        named = build_native(SHORT)
        _, world = named.reset(step_key(KEY, 0))
        out = named.step(step_key(KEY, 1), world, jnp.int32(8 + RIGHT))
        assert int(out.executed) == RIGHT and float(out.state.state.x) == 65

    def test_info_tells_the_truth_by_the_published_names(self):
        env = assay.make(SHORT)
        _, info = env.reset(seed=1)
        for action in (RIGHT, RIGHT, RIGHT | JUMP):
            _, _, _, _, info = env.step(action)
        named = {"return", "timestep", "x", "y", "vx", "vy", "jump_count", "passed_distance", "progress",
                 "success", "success_once", "vx_mean", "vy_mean", "camera_x", "t", "x_max"}  # fmt: skip
        assert named <= set(info)
        assert (info["x"], info["passed_distance"], info["jump_count"], info["timestep"]) == (67, 3, 1, 3)
        assert info["return"] == pytest.approx(0.3 - 10) and info["success"] is False

    def test_it_is_cut_at_its_length_and_never_terminates(self):
        env = assay.make(SHORT)
        env.reset(seed=0)
        ends = [env.step(0)[2:4] for _ in range(3)]
        assert ends == [(False, False), (False, False), (False, True)]

    def test_plain_is_a_picture_and_the_loop_shows_what_the_painter_paints(self):
        named, painter = build_native(SHORT), Painter(settings_of(SHORT))
        seen, world = named.reset(step_key(KEY, 0))
        assert seen.shape == (128, 128, 3) == named.spaces["observation"].shape and seen.dtype == np.uint8
        for time, action in enumerate((RIGHT, RIGHT | JUMP, RIGHT, RIGHT), 1):
            assert (np.asarray(seen) == painter.paint(*jax.device_get((world.state, world.scene)))).all()
            out = named.step(step_key(KEY, time), world, jnp.int32(action))
            seen, world = out.observation, out.state
        assert (np.asarray(seen) == painter.paint(*jax.device_get((world.state, world.scene)))).all()

    @pytest.mark.parametrize("more, says", [
        ("layout.min_step_height=10+layout.max_step_height=9", "above layout.max_step_height=9"),
        ("W=512+layout.length=256", "256 columns"),
        ("layout.heights=[10,30]", "from 0 to 23"),
        ("layout.heights=[10]+layout.p_change=0.5", "nothing for layout.p_change to do"),
        ("start=[3,60]", "columns 8 to 2039"),
        ("start=[3.5,60]", "positions must be whole"),
        ("physics.gravity=2", "from 0.1 to 1"),
        ("physics.move_speed=1.5", "whole number"),
        ("observation=state+character.use_sprites", "acts only with observation=pixels"),
    ])  # fmt: skip
    def test_what_cannot_hold_is_refused(self, more, says):
        with pytest.raises(AssayError, match=says):
            build_native(f"platformer/run+{more}")

    def test_a_batch_may_mix_configurations(self):
        texts = [
            f"platformer/run+observation=state+physics.gravity={g}+layout.base_ground_y={b}"
            for g, b in [(0.5, 90), (1, 110)]
        ]
        tasks = [build_native(text).task for text in texts]
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *tasks)
        starts = jax.jit(jax.vmap(loop.start, (0, None)))(stacked, step_key(KEY, 0)).state
        assert (starts.tops[1] - starts.tops[0] == 20).all()

    def test_what_changes_no_shape_changes_no_program(self):
        texts = ["layout.heights=[10]", "layout.heights=[10,4,7]", "layout.heights=[3]+character.width=12"]
        forms = {jax.tree.structure(build_native(f"platformer/run+{text}").task) for text in texts}
        assert len(forms) == 1
