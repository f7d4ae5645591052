"""The platformer against the slow one with a mask of solid pixels, bit for bit, over random play."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from platformer_playing import KEY, LANES, folded, played_in_lanes
from platformer_reference import Reference

from assay.core import step as loop
from assay.core.keys import episode_key
from assay.core.variation import put
from assay.envs.platformer.run import transition
from assay.native import build_native

STEPS = 120
SAME = {"x", "y", "vx", "vy", "grounded", "coyote", "camera_x", "x_max", "jump_count", "success",
        "success_once", "vx_sum", "vy_sum"}  # fmt: skip
TASKS = [
    {},
    {"physics.move_speed": 3, "physics.ground_friction": 0.5, "dist_to_success": 40.0},
    {"physics.gravity": 0.3, "physics.jump_force": -10.0, "physics.max_fall_speed": 10.0,
     "physics.move_speed": 7, "physics.air_accel": 1.3, "jump_penalty": 0.3},
    {"physics.ground_snap_dist": 5, "physics.coyote_time": 0, "physics.ground_accel": 0.6,
     "physics.air_resistance": 0.7, "camera.left_margin": 60, "camera.right_margin": 50},
    {"layout.pix_per_unit": 3, "layout.base_ground_y": 75, "layout.ground_thickness": 9},
    {"layout.run_width": 1, "layout.length": 200, "layout.max_step_height": 3, "layout.min_step_height": 1,
     "physics.move_speed": 5, "character.width": 7, "character.height": 11, "W": 112},
    {"character.width": 40, "character.height": 30, "physics.move_speed": 32, "physics.ground_accel": 9.5,
     "layout.length": 700},
]  # fmt: skip


def text_of(settings):
    return "+".join(["platformer/run+observation=state", *(f"{n}={value}" for n, value in settings.items())])


def actions_of(lane, steps=STEPS):
    """Mostly to the right, each action held a while, so that walls are met and jumped."""
    rng = np.random.default_rng(lane)
    chosen = rng.choice(8, size=steps, p=[0.05, 0.15, 0.25, 0.05, 0.05, 0.1, 0.3, 0.05])
    return np.repeat(chosen, 4 if lane % 2 else 1)[:steps]


@pytest.mark.parametrize("settings", [*TASKS[:-1], pytest.param(TASKS[-1], marks=pytest.mark.slow)],
                         ids=range(len(TASKS)))  # fmt: skip
def test_it_equals_the_slow_one_bit_for_bit(settings):
    thick = settings.get("layout.ground_thickness", 2)  # for pictures alone, so it is put in by hand
    task = folded(text_of({n: v for n, v in settings.items() if n != "layout.ground_thickness"}))
    task = put(task, "env.params.layout.ground_thickness", jnp.int32(thick))
    keys = jax.vmap(episode_key, (None, 0))(KEY, jnp.arange(LANES))
    actions = np.stack([actions_of(lane) for lane in range(LANES)])
    first, (states, rewards, _) = played_in_lanes(task, keys, actions)
    states = jax.tree.map(lambda leaf: leaf[:, :STEPS], states)
    drawn = {name: value for name, value in settings.items() if "step_height" not in name}
    base, unit = settings.get("layout.base_ground_y", 96), settings.get("layout.pix_per_unit", 2)
    for lane in range(LANES):
        slow = Reference((base - first.tops[lane].astype(int)) // unit, **drawn)
        assert (first.x[lane], first.y[lane], first.camera_x[lane]) == (slow.x, slow.y, slow.camera_x)
        for t, action in enumerate(actions[lane]):
            paid = slow.step(int(action))
            told = {name: getattr(states, name)[lane, t] for name in SAME}
            wrong = {n: (told[n], getattr(slow, n)) for n in SAME if told[n] != getattr(slow, n)}
            assert not wrong and rewards[lane, t] == paid, (lane, t)
    assert len({states.x[lane, -1].item() for lane in range(LANES)}) > 1
    check_places(task.env.params, first, states)


def check_places(params, first, states):
    """Places are whole, the camera stays over the world, the agent on the screen, and the level as it was."""
    for place in (states.x, states.y, states.camera_x):
        assert (place == np.rint(place)).all()
    on_screen = states.x - states.camera_x
    assert states.camera_x.min() >= 0 and states.camera_x.max() <= params.layout.length - params.W
    assert on_screen.min() >= 0 and on_screen.max() < params.W
    assert (states.tops == first.tops[:, None]).all()


def test_a_level_is_a_walk_that_its_heights_tell():
    """What was drawn follows the rules: steps in range, cut at the lowest and the highest ground."""
    task, keys = build_native("platformer/run+observation=state").task, jax.random.split(KEY, 400)
    starts = jax.jit(jax.vmap(loop.start, (None, 0)))(task, keys)
    heights = (96 - np.asarray(starts.state.tops)) // 2
    steps = np.diff(heights, axis=1)
    cut = (heights[:, 1:] == 0) | (heights[:, 1:] == 20)
    assert (heights[:, 0] == 10).all() and heights.min() == 0 and heights.max() == 20
    assert np.isin(np.abs(steps[~cut]), [0, *range(5, 18)]).all()
    # From the middle a step of 5 to 10 is never cut, and one of 11 to 17 always is.
    first = steps[:, 0]
    assert abs((first == 0).mean() - 0.3) < 5 * np.sqrt(0.21 / 400)
    assert abs((np.abs(first) == 10).mean() - 0.7 * 8 / 13) < 5 * np.sqrt(0.25 / 400)


@pytest.mark.slow
def test_compiled_and_plain_python_agree():
    text = "platformer/run+observation=state+layout.heights=[10,10,10,15]+start=[64,62,0.7,0.3]"
    task = build_native(text).task
    state = jax.jit(loop.start)(task, KEY).state
    compiled = jax.jit(loop.move)(task, KEY, loop.start(task, KEY), jnp.int32(6))
    with jax.disable_jit():
        by_hand = transition(KEY, task.env.params, state, jnp.int32(6))
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), compiled, by_hand))
