"""toy/grid by hand: moves, borders, ends, rewards, both forms of action; then chances and the optimum."""

from dataclasses import replace
from itertools import product
from math import sqrt

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.core import step as loop
from assay.core.keys import root_of, step_key
from assay.native import build_native

KEY = root_of(0)
STAY, DOWN_0, UP_0, DOWN_1, UP_1 = range(5)


def at(text, *cell):
    task = build_native(text).task
    world = loop.start(task, step_key(KEY, 0))
    return task, replace(world, state=replace(world.state, cell=jnp.array(cell, jnp.int32)))


def go(task, world, *actions):
    """The steps that these actions make, one after the other, in plain Python."""
    outs = []
    for action in actions:
        out = loop.step(task, step_key(KEY, world.time + 1), world, jnp.asarray(action, jnp.int32))
        outs.append(out)
        world = out.state
    return outs


def cells(outs):
    return [out.state.state.cell.tolist() for out in outs]


def rewards(outs):
    return [float(out.reward) for out in outs]


def test_moves_and_borders():
    outs = go(*at("toy/grid+grid_shape=[3,4]", 1, 1), UP_0, UP_0, DOWN_1, DOWN_1, UP_1, DOWN_0, STAY)
    assert cells(outs) == [[2, 1], [2, 1], [2, 0], [2, 0], [2, 1], [1, 1], [1, 1]]


def test_a_board_may_have_any_number_of_dimensions():
    outs = go(*at("toy/grid+grid_shape=[2,2,3]", 0, 0, 0), 6, 2, 6)
    assert cells(outs) == [[0, 0, 1], [1, 0, 1], [1, 0, 2]]


def test_dense_pays_each_step_closer():
    outs = go(*at("toy/grid+target_point=[2,2]", 0, 3), UP_0, UP_1, DOWN_1, DOWN_1, UP_0)
    assert rewards(outs) == [1, -1, 1, 1, 1]
    assert [bool(out.terminated) for out in outs] == [False] * 4 + [True]


def test_sparse_pays_on_arrival():
    outs = go(*at("toy/grid+make_denser=false", 6, 7), DOWN_1, UP_1, UP_0)
    assert rewards(outs) == [0, 0, 1] and bool(outs[-1].terminated)


def test_terminal_cells_end_it_without_pay():
    (out,) = go(*at("toy/grid+terminal_states=[[3,3],[0,1]]+make_denser=false", 0, 0), UP_1)
    assert bool(out.terminated) and float(out.reward) == 0


def test_a_hidden_mode_turns_moves_round():
    outs = go(*at("toy/grid+hidden_mode=1.0", 3, 3), UP_0, UP_0, STAY)
    assert cells(outs) == [[2, 3], [3, 3], [3, 3]]


def test_aliased_cells_look_alike():
    outs = go(*at("toy/grid+aliased=4", 2, 3), UP_0, UP_0, UP_1)
    assert cells(outs) == [[3, 3], [4, 3], [4, 4]]
    assert [out.observation.tolist() for out in outs] == [[0, 0], [4, 0], [4, 4]]


def test_rewards_pass_the_channels():
    text = "toy/grid+delay=1+reward_scale=2.0+reward_shift=1.0+term_state_reward=3.0"
    assert rewards(go(*at(text, 7, 5), UP_1, UP_1)) == [1, (1 + 3) * 2 + 1]
    assert rewards(go(*at("toy/grid+delay=4+flush_on_end", 7, 5), UP_1, UP_1)) == [0, 2]
    assert rewards(go(*at("toy/grid+reward_every_n_steps=2", 0, 0), *[UP_0] * 4)) == [0, 1, 0, 1]


def test_both_forms_of_action_agree():
    as_steps = {STAY: [0, 0], DOWN_0: [-1, 0], UP_0: [1, 0], DOWN_1: [0, -1], UP_1: [0, 1]}
    moves = np.random.default_rng(0).integers(5, size=12).tolist()
    numbers, vectors = at("toy/grid", 4, 4), at("toy/grid+action_form=vector", 4, 4)
    assert cells(go(*numbers, *moves)) == cells(go(*vectors, *(as_steps[move] for move in moves)))
    assert cells(go(*vectors, [1, 1], [-1, 1])) == [[4, 4], [4, 4]]  # more than one at once stays


def test_the_second_board_moves_and_counts_for_nothing():
    task, world = at("toy/grid+irrelevant_features", 2, 2)
    world = replace(world, state=replace(world.state, beside=jnp.array([7, 6], jnp.int32)))
    outs = go(task, world, [UP_0, UP_1], [STAY, DOWN_0])
    assert [out.observation.tolist() for out in outs] == [[3, 2, 7, 7], [3, 2, 6, 7]]
    assert rewards(outs) == [1, 0] and not any(bool(out.terminated) for out in outs)
    task, world = at("toy/grid+irrelevant_features+action_form=vector", 2, 2)
    assert cells(go(task, world, [0, 1, -1, 0])) == [[2, 3]]


def test_starts_are_uniform_over_the_cells_that_end_nothing():
    task = build_native("toy/grid+grid_shape=[3,3]+terminal_states=[[0,0]]").task
    keys = jax.random.split(KEY, 7000)
    found = np.asarray(jax.vmap(lambda key: loop.start(task, key).state.cell)(keys))
    counts = np.bincount(found @ [3, 1], minlength=9)
    assert counts[0] == counts[8] == 0
    assert np.abs(counts[1:8] - 1000).max() < 5 * sqrt(1000)


@pytest.mark.parametrize("level", [0.3, 1.0])
def test_noise_makes_every_other_move_alike(level):
    task, world = at(f"toy/grid+transition_noise={level}", 3, 3)
    keys = jax.random.split(KEY, 20_000)
    after = np.asarray(jax.vmap(lambda key: loop.move(task, key, world, jnp.int32(UP_0)).cell)(keys))
    for cell in ([3, 3], [2, 3], [4, 3], [3, 2], [3, 4]):
        chance = 1 - level if cell == [4, 3] else level / 4
        share = (after == cell).all(1).mean()
        assert abs(share - chance) <= 4 * sqrt(chance * (1 - chance) / 20_000)


MORE = ["delay=3", "reward_noise=1.0", "make_denser=false", "hidden_mode=0.5", "aliased=2", "horizon=7",
        "reward_every_n_steps=2", "term_state_reward=1.0", "action.sticky=0.5", "irrelevant_features",
        "action_form=vector", "image_representations"]  # fmt: skip


@pytest.mark.parametrize("more", MORE)
def test_changing_one_dimension_leaves_starts_and_noise_unchanged(more):
    shown = []
    for text in ("toy/grid+transition_noise=0.5", f"toy/grid+transition_noise=0.5+{more}"):
        start = loop.start(build_native(text).task, step_key(KEY, 0)).state.cell.tolist()
        task, world = at(text, 3, 3)
        stay = jnp.zeros(task.env.spaces(task.env.params)["action"].shape, jnp.int32)
        found = [loop.move(task, step_key(KEY, t), world, stay).cell.tolist() for t in range(1, 6)]
        if more == "hidden_mode=0.5":  # where the mode flips, a move thrown to goes the other way
            found = [[abs(x - 3) for x in cell] for cell in found]
        shown.append((start, found))
    assert shown[0] == shown[1]


class TestOptimum:
    @pytest.mark.parametrize("more", ["", "+make_denser=false", "+terminal_states=[[1,1]]",
                                      "+target_point=[0,1]+make_denser=false"])  # fmt: skip
    def test_it_is_the_best_of_all_action_sequences(self, more):
        text = f"toy/grid+grid_shape=[2,3]+horizon=2{more}"
        task = build_native(text).task
        rows = jnp.array(list(product(range(5), repeat=2)), jnp.int32)

        def play(cell, row):
            world = loop.start(task, KEY)
            world = replace(world, state=replace(world.state, cell=cell))

            def one(carry, action):
                world, alive = carry
                out = loop.step(task, KEY, world, action)
                goes_on = alive & ~(out.terminated | out.truncated)
                return (out.state, goes_on), jnp.where(alive, out.reward, 0.0)

            return jax.lax.scan(one, (world, jnp.bool_(True)), row)[1].sum()

        places = jnp.stack(jnp.unravel_index(task.env.params.starts, (2, 3)), 1).astype(jnp.int32)
        best = jax.jit(jax.vmap(jax.vmap(play, (None, 0)), (0, None)))(places, rows).max(1).mean()
        assert assay.optimum(text).value == pytest.approx(float(best), rel=1e-6)

    @pytest.mark.parametrize("dense", [True, False])
    def test_under_noise_it_is_that_of_plain_recursion(self, dense):
        noise, ends, target = 0.4, {(1, 2), (0, 1)}, (1, 2)

        def after(cell, move):
            step = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)][move]
            return min(max(cell[0] + step[0], 0), 1), min(max(cell[1] + step[1], 0), 2)

        def paid(cell, there):
            apart = [abs(c[0] - target[0]) + abs(c[1] - target[1]) for c in (cell, there)]
            return apart[0] - apart[1] if dense else float(there == target)

        def best(cell, steps):
            if cell in ends or not steps:
                return 0.0
            worth = [paid(cell, after(cell, m)) + best(after(cell, m), steps - 1) for m in range(5)]
            return max((1 - noise) * w + noise * (sum(worth) - w) / 4 for w in worth)

        starts = [cell for cell in product(range(2), range(3)) if cell not in ends]
        by_hand = np.mean([best(cell, 4) for cell in starts])
        text = f"toy/grid+grid_shape=[2,3]+terminal_states=[[0,1]]+horizon=4+transition_noise={noise}"
        text += "" if dense else "+make_denser=false"
        assert assay.optimum(text).value == pytest.approx(by_hand, rel=1e-9)

    def test_going_up_comes_to_it_on_a_row(self):
        text = "toy/grid+grid_shape=[6]+horizon=4+transition_noise=0.3"
        task = build_native(text).task

        def episode(number):
            key = jax.random.fold_in(KEY, number)
            world = loop.start(task, step_key(key, 0))

            def one(carry, _):
                world, alive = carry
                out = loop.step(task, step_key(key, world.time + 1), world, jnp.int32(2))
                goes_on = alive & ~(out.terminated | out.truncated)
                return (out.state, goes_on), jnp.where(alive, out.reward, 0.0)

            return jax.lax.scan(one, (world, jnp.bool_(True)), None, length=4)[1].sum()

        found = np.asarray(jax.jit(jax.vmap(episode))(jnp.arange(10_000)))
        assert abs(found.mean() - assay.optimum(text).value) < 4 * found.std() / 100

    def test_where_it_is_not_known_it_says_why(self):
        for more in ("delay=1", "hidden_mode=0.1", "term_state_reward=1.0", "reward_every_n_steps=2"):
            value, how = assay.optimum(f"toy/grid+{more}")
            assert value is None and more.partition("=")[0] in how
        assert assay.optimum("toy/grid+grid_shape=[1000,1000]").value is None
