"""Loops for the compiler change no value, and lanes that are drawn together share their length."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
from platformer_filming import BASE, KEY, Studio, one_frame, sights

from assay.envs.platformer.loops import most_of_lanes, settle, store
from assay.envs.platformer.patches import divide_by_255

ONCE = SimpleNamespace(tables=SimpleNamespace(once=jnp.int32(1)))


def turns_of(count):
    return jax.lax.fori_loop(0, most_of_lanes(count), lambda _, turns: turns + 1, 0)


def test_a_lane_alone_has_its_own_count():
    assert turns_of(jnp.int32(2)) == 2


def test_lanes_share_the_largest_count():
    assert jax.vmap(turns_of)(jnp.array([1, 3, 2])).tolist() == [3, 3, 3]


def test_stacked_tasks_share_the_largest_count():
    assert jax.vmap(jax.vmap(turns_of))(jnp.array([[1, 3], [5, 2]])).tolist() == [[5, 5], [5, 5]]


def test_loops_of_one_turn_give_what_the_function_gives():
    v = jnp.arange(6.0)
    assert settle(ONCE, lambda v: 2 * v, v).tolist() == [0, 2, 4, 6, 8, 10]
    assert store(ONCE, lambda: v + 1, v).tolist() == [1, 2, 3, 4, 5, 6]


def test_division_by_255_is_exact_for_all_that_two_bytes_may_hold():
    numbers = np.arange(255 * 255 + 1, dtype=np.uint16)
    assert np.array_equal(divide_by_255(numbers), numbers // 255)


def test_lanes_with_few_npcs_near_are_drawn_as_if_alone():
    studio = Studio(f"{BASE}+npc.enabled+npc.sticky_enabled")
    worlds = [(world.state, studio.scene(world)) for world in sights()]
    near = {int(((s.npcs.x > 0) & (abs(s.npcs.x - w.camera_x - 64) < 96)).sum()) for w, s in worlds}
    assert len(near) > 1, "lanes differ in how many they draw"
    states, scenes = jax.tree.map(lambda *leaves: jnp.stack(leaves), *worlds)
    together = jax.vmap(lambda state, scene: one_frame(studio.env, KEY, state, scene))(states, scenes)
    for (state, scene), frame in zip(worlds, together):
        assert np.array_equal(studio.check(state, scene), frame)
