"""toy/continuous by hand: dynamics, walls, targets, rewards, noise; then against float64 sums and chance."""

from dataclasses import replace
from math import factorial, log, sqrt

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.core import step as loop
from assay.core.keys import root_of, step_key
from assay.native import build_native

KEY = root_of(0)


def at(text, *place, **config):
    """A task, and its world with the point at rest at this place."""
    task = build_native(text, config).task
    world = loop.start(task, step_key(KEY, 0))
    return task, moved(world, np.array(place, np.float32))


def moved(world, place):
    motion = world.state.derivatives.at[0].set(place)
    return replace(world, state=replace(world.state, derivatives=motion, shown=jnp.asarray(place)))


def push(task, world, *actions):
    """The steps that these actions make, one after the other, in plain Python."""
    outs = []
    for action in actions:
        out = loop.step(task, step_key(KEY, world.time + 1), world, jnp.asarray(action, jnp.float32))
        outs.append(out)
        world = out.state
    return outs


def places(outs):
    return np.array([out.state.state.derivatives[0] for out in outs])


def rewards(outs):
    return [float(out.reward) for out in outs]


def starts(text, count):
    task = build_native(text).task
    keys = jax.vmap(lambda i: step_key(jax.random.fold_in(KEY, i), 0))(jnp.arange(count))
    return np.asarray(jax.jit(jax.vmap(lambda key: loop.start(task, key).state.shown))(keys))


class TestDynamics:
    def test_order_1_adds_the_action(self):
        outs = push(*at("toy/continuous", 1.0, 2.0), [0.5, -1.0], [0.25, 0.0])
        np.testing.assert_allclose(places(outs), [[1.5, 1.0], [1.75, 1.0]], atol=1e-6)

    def test_order_2_by_hand(self):
        outs = push(*at("toy/continuous+transition_dynamics_order=2", 1.0, 2.0), [1.0, 0.0], [0.0, -0.5])
        # x + v + a/2, v + a: the first step gives (1.5, 2) with speed (1, 0), the second (2.5, 1.75).
        np.testing.assert_allclose(places(outs), [[1.5, 2.0], [2.5, 1.75]], atol=1e-6)
        np.testing.assert_allclose(outs[1].state.state.derivatives[1], [1.0, -0.5], atol=1e-6)

    def test_order_3_by_hand(self):
        text = "toy/continuous+transition_dynamics_order=3+time_unit=2.0"
        outs = push(*at(text, 0.5, 0.0), [0.6, 0.0], [0.0, 0.0])
        # jerk .6 over 2: x .5 + .6 * 8/6, speed .6 * 4/2, acceleration .6 * 2; then it glides on
        first = [0.5 + 0.8, 1.2, 1.2, 0.6]
        second = [1.3 + 1.2 * 2 + 1.2 * 2, 1.2 + 1.2 * 2, 1.2, 0.0]
        for out, expected in zip(outs, (first, second)):
            np.testing.assert_allclose(out.state.state.derivatives[:, 0], expected, atol=1e-5)

    @pytest.mark.parametrize("order", [1, 2, 3])
    def test_random_actions_against_a_taylor_sum_in_float64(self, order):
        config = {"transition_dynamics_order": order, "time_unit": 0.5, "inertia": [2.0, 0.5, 1.0],
                  "state_space_dim": 3, "state_space_max": 1e4}  # fmt: skip
        task, world = at("toy/continuous", 1.0, -2.0, 3.0, **config)
        actions = np.random.default_rng(0).uniform(-1, 1, (20, 3)).astype(np.float32)

        def one(world, action):
            state = loop.step(task, KEY, world, action).state
            return state, state.state.derivatives

        found = np.asarray(jax.jit(lambda world: jax.lax.scan(one, world, actions)[1])(world))
        motion = np.zeros((order + 1, 3))
        motion[0] = [1.0, -2.0, 3.0]
        for action, seen in zip(actions.astype(float), found):
            motion[order] = action / [2.0, 0.5, 1.0]
            terms = [[motion[i + j] * 0.5**j / factorial(j) for j in range(order - i + 1)] for i in
                     range(order + 1)]  # fmt: skip
            motion = np.array([np.sum(each, axis=0) for each in terms])
            np.testing.assert_allclose(seen, motion, rtol=1e-5, atol=1e-5)

    @pytest.mark.parametrize("more, place", [
        ("+inertia=2.0", [0.5, 0.25]), ("+inertia=[2.0,0.5]", [0.5, 1.0]), ("+time_unit=0.25", [0.25, 0.125]),
        ("+inertia=2.0+time_unit=4.0", [2.0, 1.0]),
    ])  # fmt: skip
    def test_inertia_divides_and_time_multiplies(self, more, place):
        outs = push(*at(f"toy/continuous{more}", 0.0, 0.0), [1.0, 0.5])
        np.testing.assert_allclose(places(outs)[0], place, atol=1e-6)
        assert outs[0].reward.shape == ()

    def test_a_wall_cuts_every_coordinate_and_stops_all_motion(self):
        text = "toy/continuous+transition_dynamics_order=2+state_space_max=[3.0,20.0]"
        outs = push(*at(text, 2.0, 0.0), [1.0, 1.0], [1.0, 1.0], [0.0, 0.0])
        # x 2.5, then 2.5 + 1 + .5 = 4, beyond 3; y .5, then 2. There both stop, y too.
        np.testing.assert_allclose(places(outs), [[2.5, 0.5], [3.0, 2.0], [3.0, 2.0]], atol=1e-6)
        assert not np.any(outs[1].state.state.derivatives[1:])

    def test_beyond_its_bounds_an_action_is_cut(self):
        task, world = at("toy/continuous+action_space_max=[0.5,2.0]", 0.0, 1.0)
        out = push(task, world, [3.0, -3.0])[0]
        assert out.executed.tolist() == [0.5, -2.0]
        np.testing.assert_allclose(places([out])[0], [0.5, -1.0], atol=1e-6)

    def test_a_hidden_mode_pushes_the_other_way(self):
        outs = push(*at("toy/continuous+hidden_mode=1.0", 1.0, 1.0), [0.5, 0.0], [0.5, 0.0])
        np.testing.assert_allclose(places(outs), [[0.5, 1.0], [1.0, 1.0]], atol=1e-6)
        assert [bool(out.state.state.mode) for out in outs] == [True, False]

    def test_motion_is_seen_only_on_request(self):
        text = "toy/continuous+transition_dynamics_order=3"
        (hidden,) = push(*at(text, 1.0, 2.0), [0.6, 0.0])
        (shown,) = push(*at(f"{text}+observe_velocity", 1.0, 2.0), [0.6, 0.0])
        np.testing.assert_allclose(hidden.observation, [1.1, 2.0], atol=1e-6)
        np.testing.assert_allclose(shown.observation, [1.1, 2.0, 0.3, 0.0, 0.6, 0.0], atol=1e-6)


class TestEnds:
    @pytest.mark.parametrize("x, ends", [(0.5, False), (0.4999, True), (0.0, True), (0.51, False)])
    def test_the_radius_is_strict(self, x, ends):
        (out,) = push(*at("toy/continuous+target_radius=0.5", x, 0.0), [0.0, 0.0])
        assert bool(out.terminated) is ends

    @pytest.mark.parametrize("place, ends", [
        ((3.5, 3.5), True), ((2.5, 3.0), True), ((3.5625, 3.0), False), ((3.0, 2.4375), False),
    ])  # fmt: skip
    def test_terminal_boxes_are_closed(self, place, ends):
        (out,) = push(*at("toy/continuous+terminal_states=[3.0,3.0]", *place), [0.0, 0.0])
        assert bool(out.terminated) is ends

    def test_only_relevant_dimensions_end_it(self):
        text = "toy/continuous+state_space_dim=3+relevant_indices=[0,2]+target_point=[1.0,2.0]"
        assert push(*at(text, 1.0, 9.0, 2.0), [0.0] * 3)[0].terminated
        assert not push(*at(text, 1.0, 2.0, 9.0), [0.0] * 3)[0].terminated

    def test_on_a_line_there_is_no_target(self):
        text = "toy/continuous+reward_function=move_along_a_line"
        assert not push(*at(text, 0.0, 0.0), [0.0, 0.0])[0].terminated

    def test_starts_are_uniform_outside_of_target_and_boxes(self):
        text = "toy/continuous+state_space_max=4.0+target_radius=2.0+terminal_states=[3.0,3.0]"
        found = starts(f"{text}+term_state_edge=2.0", 4000)
        assert np.abs(found).max() <= 4
        assert np.hypot(*found.T).min() >= 2
        assert (np.abs(found - 3).max(1) > 1).all()
        # Of the free area 64 - 4 pi - 4 a quarter less the box and a quarter disc lies up right.
        share = ((found > 0).all(1)).mean()
        expected = (16 - np.pi - 4) / (64 - 4 * np.pi - 4)
        assert abs(share - expected) < 4 * sqrt(expected * (1 - expected) / 4000)
        assert abs((found[:, 0] < -2).mean() - 16 / (64 - 4 * np.pi - 4)) < 0.03


class TestRewards:
    def test_dense_pays_the_distance_gained(self):
        outs = push(*at("toy/continuous", 3.0, 4.0), [0.0, -1.0], [1.0, 0.0])
        np.testing.assert_allclose(rewards(outs), [5 - sqrt(18), sqrt(18) - 5], atol=1e-6)

    def test_dense_rewards_add_up_to_the_whole_distance(self):
        actions = np.random.default_rng(1).uniform(-1, 1, (15, 2))
        outs = push(*at("toy/continuous", 3.0, 4.0), *actions)
        assert sum(rewards(outs)) == pytest.approx(5 - np.hypot(*places(outs)[-1]), abs=1e-5)

    def test_sparse_pays_on_arrival(self):
        outs = push(*at("toy/continuous+make_denser=false", 1.5, 0.0), [-1.0, 0.0], [-0.5, 0.0])
        assert rewards(outs) == [0.0, 1.0] and [bool(out.terminated) for out in outs] == [False, True]

    def test_of_several_targets_the_nearest_counts(self):
        outs = push(*at("toy/continuous+target_point=[[5.0,0.0],[-5.0,0.0]]", 1.0, 0.0), [1.0, 0.0],
                    *[[-1.0, 0.0]] * 7)  # fmt: skip
        # 4 away; 3; back over the middle, where the other one becomes the nearest; -5 ends it
        np.testing.assert_allclose(rewards(outs), [1, -1, -1, 1, 1, 1, 1, 1], atol=1e-6)
        assert [bool(out.terminated) for out in outs] == [False] * 7 + [True]

    def test_the_whole_action_costs(self):
        text = "toy/continuous+state_space_dim=3+relevant_indices=[0]+action_loss_weight=0.5"
        (out,) = push(*at(text, 4.0, 0.0, 0.0), [0.6, 0.0, 0.8])
        assert float(out.reward) == pytest.approx(-0.6 - 0.5, abs=1e-6)

    def test_a_line_by_hand(self):
        text = "toy/continuous+reward_function=move_along_a_line+sequence_length=3"
        outs = push(*at(text, -1.0, 0.0), [1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0])
        # (0,0) (1,0) (1,1): the line through their mean along (1,1) misses them by 1, 2 and 1 over sqrt(18)
        assert rewards(outs)[:2] == [0.0, 0.0]
        assert rewards(outs)[2] == pytest.approx(-4 / 3 / sqrt(18), abs=1e-5)
        np.testing.assert_allclose(rewards(outs)[3:], [0.0, 0.0], atol=1e-5)

    def test_a_line_may_be_a_point(self):
        text = "toy/continuous+reward_function=move_along_a_line+sequence_length=2"
        assert rewards(push(*at(text, 2.0, 3.0), *[[0.0, 0.0]] * 3)) == [0.0, 0.0, 0.0]

    def test_what_is_not_due_is_dropped(self):
        outs = push(*at("toy/continuous+reward_every_n_steps=2", 5.0, 0.0), *[[-0.5, 0.0]] * 4)
        np.testing.assert_allclose(rewards(outs), [0, 0.5, 0, 0.5], atol=1e-6)

    def test_channels_act_as_on_every_toy_env(self):
        text = "toy/continuous+delay=1+reward_scale=2.0+reward_shift=1.0+term_state_reward=3.0"
        outs = push(*at(text, 1.5, 0.0), [-0.5, 0.0], [-1.0, 0.0])
        np.testing.assert_allclose(rewards(outs), [1, (0.5 + 3) * 2 + 1], atol=1e-6)
        flushed = push(*at("toy/continuous+delay=4+flush_on_end", 1.5, 0.0), [-0.5, 0.0], [-1.0, 0.0])
        np.testing.assert_allclose(rewards(flushed), [0, 1.5], atol=1e-6)


class TestNoise:
    def test_process_noise_has_its_deviation_and_moves_the_point(self):
        task, world = at("toy/continuous+transition_noise=0.5", 1.0, 2.0)
        keys = jax.random.split(KEY, 20_000)
        after = jax.vmap(lambda key: loop.move(task, key, world, jnp.array([1.0, 0.0])))(keys)
        found = np.asarray(after.shown) - [2.0, 2.0]
        np.testing.assert_array_equal(after.shown, after.derivatives[:, 0])
        assert np.abs(found.mean(0)).max() < 4 * 0.5 / sqrt(20_000)
        assert np.abs(found.std(0) - 0.5).max() < 4 * 0.5 / sqrt(40_000)
        assert abs(np.corrcoef(found.T)[0, 1]) < 0.03

    def test_observation_noise_is_seen_and_paid_but_leaves_the_point_alone(self):
        text = "toy/continuous+transition_noise=0.5+noise_kind=observation"
        outs = push(*at(text, 3.0, 4.0), [1.0, 0.0], [0.0, 1.0])
        np.testing.assert_allclose(places(outs), [[4, 4], [4, 5]], atol=1e-6)
        seen = np.array([out.observation for out in outs])
        assert np.abs(seen - places(outs)).min() > 1e-3
        assert rewards(outs)[1] == pytest.approx(np.hypot(*seen[0]) - np.hypot(*seen[1]), abs=1e-5)

    def test_process_noise_feeds_back(self):
        outs = push(*at("toy/continuous+transition_noise=0.5", 3.0, 4.0), [1.0, 0.0], [0.0, 0.0])
        still = push(*at("toy/continuous", *np.asarray(places(outs)[0])), [0.0, 0.0])
        drawn = places(outs)[1] - places(still)[0]
        np.testing.assert_array_equal([out.observation for out in outs], places(outs))
        assert np.abs(drawn).min() > 1e-3


MORE = ["delay=3", "reward_noise=1.0", "target_radius=0.5", "make_denser=false", "action_loss_weight=0.1",
        "time_unit=0.5", "inertia=2.0", "hidden_mode=0.5", "transition_dynamics_order=3", "observe_velocity",
        "horizon=7", "reward_every_n_steps=2", "action_space_max=0.5", "relevant_indices=[1]",
        "target_point=[5.0,5.0]", "term_state_reward=1.0", "action.sticky=0.5", "observation.delay=1",
        "reward_function=move_along_a_line", "image_representations"]  # fmt: skip


@pytest.mark.parametrize("more", MORE)
def test_changing_one_dimension_leaves_starts_and_noise_unchanged(more):
    plain, varied = "toy/continuous+transition_noise=0.1", f"toy/continuous+transition_noise=0.1+{more}"
    if more == "observe_velocity":
        varied += "+transition_dynamics_order=2"
    shown = []
    for text in (plain, varied):
        task = build_native(text).task
        world = loop.start(task, step_key(KEY, 0))
        first = np.asarray(world.state.shown)
        after = loop.move(task, step_key(KEY, 1), world, jnp.zeros(2)).shown
        shown.append((first, np.asarray(after)))
    np.testing.assert_array_equal(shown[0][0], shown[1][0])
    np.testing.assert_allclose(shown[0][1], shown[1][1], atol=1e-6)


def test_further_dimensions_and_a_larger_box_change_no_draw():
    plain = starts("toy/continuous", 20)
    np.testing.assert_allclose(starts("toy/continuous+state_space_max=20.0", 20), 2 * plain, rtol=1e-6)
    more = starts("toy/continuous+state_space_dim=5+relevant_indices=[0,1]", 20)
    np.testing.assert_array_equal(more[:, :2], plain)
    noise = []
    for text in ("toy/continuous", "toy/continuous+state_space_dim=5+relevant_indices=[0,1]"):
        task, world = at(f"{text}+transition_noise=1.0", *[0.0] * (5 if "dim" in text else 2))
        noise.append(loop.move(task, KEY, world, jnp.zeros_like(world.state.shown)).shown[:2].tolist())
    assert noise[0] == noise[1]


class TestOptimum:
    def test_by_hand_it_is_the_mean_distance_from_the_middle_of_a_square(self):
        by_hand = 10 * (sqrt(2) + log(1 + sqrt(2))) / 3
        assert assay.optimum("toy/continuous+target_radius=0.001").value == pytest.approx(by_hand, rel=1e-5)

    @pytest.mark.parametrize("more", ["", "+make_denser=false", "+inertia=[2.0,1.0]+time_unit=1.5",
                                      "+relevant_indices=[1]"])  # fmt: skip
    def test_walking_straight_comes_to_it(self, more):
        text = f"toy/continuous+horizon=6+target_radius=0.5{more}"
        task = build_native(text).task
        reach = jnp.array([0.75, 1.5] if "inertia" in more else [1.0, 1.0])

        def episode(number):
            key = jax.random.fold_in(KEY, number)
            world = loop.reset(task, step_key(key, 0))[1]

            def one(carry, _):
                world, alive = carry
                out = loop.step(task, step_key(key, world.time + 1), world, -world.state.shown / reach)
                alive_after = alive & ~(out.terminated | out.truncated)
                return (out.state, alive_after), jnp.where(alive, out.reward, 0.0)

            return jax.lax.scan(one, (world, jnp.bool_(True)), None, length=6)[1].sum()

        found = np.asarray(jax.jit(jax.vmap(episode))(jnp.arange(4000)))
        assert abs(found.mean() - assay.optimum(text).value) < 4 * found.std() / sqrt(4000)

    @pytest.mark.parametrize("more, why", [
        ("+transition_noise=0.1", "transition_noise"), ("+delay=1", "delay"),
        ("+hidden_mode=0.1", "hidden_mode"),
        ("+transition_dynamics_order=2", "order 1"), ("+terminal_states=[3.0,3.0]", "terminal boxes"),
        ("+state_space_dim=4", "4"), ("+action_space_max=0.01", "radius"),
        ("+reward_every_n_steps=2", "reward_every_n_steps"),
    ])  # fmt: skip
    def test_where_it_is_not_known_it_says_why(self, more, why):
        value, how = assay.optimum(f"toy/continuous{more}")
        assert value is None and why in how
