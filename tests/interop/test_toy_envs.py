"""toy/continuous and toy/grid behind Gymnasium: its checker, actions taken and refused, lanes, truth."""

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import assay
from assay.errors import NotApplicable
from assay.interop.checks import WrongAction, actions_of

TEXTS = [
    "toy/continuous",
    "toy/continuous+state_space_dim=3+relevant_indices=[0,2]+transition_dynamics_order=2+observe_velocity"
    "+transition_noise=0.1+delay=2+horizon=20",
    "toy/grid+transition_noise=0.25+delay=1",
    "toy/grid+grid_shape=[3,4,2]+irrelevant_features+action_form=vector+hidden_mode=0.1",
]
LANES = [
    "toy/continuous+transition_dynamics_order=2+transition_noise=0.2+delay=2+horizon=6+action.sticky=0.3",
    "toy/grid+grid_shape=[3,3]+irrelevant_features+transition_noise=0.3+delay=1+horizon=5",
]


@pytest.mark.parametrize("text", TEXTS)
def test_gymnasiums_checker_finds_nothing(text):
    env = assay.make(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Speeds have no bound, which the checker warns of; that is no fault.
        warnings.filterwarnings("ignore", message=".*(infinity|Box observation space).*")
        check_env(env, skip_render_check=True)


@pytest.fixture(scope="module")
def point():
    return assay.make("toy/continuous+action_space_max=0.1")


def test_actions_of_any_number_type_are_taken(point):
    shown = []
    for action in ([0.1, -0.05], np.array([0.1, -0.05]), np.array([0.1, -0.05], np.float32), (0.1, -0.05)):
        point.reset(seed=3)
        shown.append(point.step(action)[0].tolist())
    assert shown.count(shown[0]) == 4
    point.reset(seed=3)
    assert point.step([0, 0])[4]["executed"].tolist() == [0, 0]


@pytest.mark.parametrize("action", [[np.nan, 0.0], [np.inf, 0.0], [0.0], [0.0, 0.0, 0.0], [[0.0, 0.0]], 0.0,
                                    [1e300, 0.0], "left", None, [None, 0.0], [[0.0], 0.0]])  # fmt: skip
def test_other_actions_are_refused(point, action):
    point.reset(seed=0)
    with pytest.raises(WrongAction, match=r"an action is an array of shape \(2,\) within the bounds"):
        point.step(action)


def test_beyond_its_bounds_an_action_is_cut_in_silence(point):
    point.reset(seed=3)
    reached = point.step([0.1, -0.05])[0]
    point.reset(seed=3)
    seen, reward, *_, info = point.step([3.0, -0.05])
    np.testing.assert_array_equal(seen, reached)
    np.testing.assert_allclose(info["executed"], [0.1, -0.05], rtol=1e-6)
    assert np.isfinite(reward)


def test_beyond_its_bounds_an_action_may_be_refused():
    env = assay.make("toy/continuous+action_space_max=0.1+invalid_action=error")
    env.reset(seed=0)
    for action in ([0.2, 0.0], [np.nan, 0.0], [0.0]):
        with pytest.raises(WrongAction, match=r"an array of shape \(2,\) within the bounds"):
            env.step(action)
    with pytest.raises(WrongAction, match="step takes 2 actions"):
        actions_of(env._our_actions, [[0.1, 0.0], [0.2, 0.0]], 2)
    assert actions_of(env._our_actions, [[0.1, 0.0], [0.2, 0.0]], 2, beyond=True).tolist()[1][0] > 0.1


@pytest.mark.parametrize("action", [5, -1, 1.0, np.nan, [0, 0], "up"])
def test_a_grid_takes_its_moves_only(action):
    env = assay.make("toy/grid")
    env.reset(seed=0)
    with pytest.raises(WrongAction, match="a whole number from 0 to 4"):
        env.step(action)


@pytest.mark.parametrize("text", LANES)
def test_lanes_play_what_singles_play(text):
    lanes = assay.make_vec(text, 3, autoreset="disabled")
    singles = [assay.make(text) for _ in range(3)]
    seen, infos = lanes.reset(seed=7)
    alone = [env.reset(seed=7 + i) for i, env in enumerate(singles)]
    np.testing.assert_array_equal(seen, [observation for observation, _ in alone])
    lanes.action_space.seed(0)
    for _ in range(4):
        actions = lanes.action_space.sample()
        if "continuous" in text:
            actions *= 1.5  # beyond the bounds they are cut
        seen, reward, terminated, truncated, infos = lanes.step(actions)
        alone = [env.step(action) for env, action in zip(singles, actions)]
        for ours, theirs in zip((seen, reward, terminated, truncated), zip(*(out[:4] for out in alone))):
            np.testing.assert_array_equal(ours, theirs)
        for name in alone[0][4]:
            np.testing.assert_array_equal(infos[name], [out[4][name] for out in alone])
        if terminated.any():
            break


class TestTruth:
    def test_of_a_point_by_hand(self):
        env = assay.make("toy/continuous+transition_dynamics_order=2+delay=1+observation.noise=0.5")
        seen, first = env.reset(seed=0)
        place = first["curr_state"]
        assert first["t"] == 0 and np.abs(seen - place).max() > 0
        np.testing.assert_array_equal(first["augmented_state"], [[-np.inf] * 2, [-np.inf] * 2, place])
        np.testing.assert_array_equal(first["state_derivatives"], [place, [0, 0], [0, 0]])
        out = env.step([1.0, -0.5])
        after, info = place + np.float32([0.5, -0.25]), out[4]
        np.testing.assert_allclose(info["curr_state"], after, atol=1e-6)
        np.testing.assert_array_equal(info["curr_obs"], info["curr_state"])
        np.testing.assert_allclose(info["augmented_state"][1:], [place, after], atol=1e-6)
        np.testing.assert_allclose(info["state_derivatives"], [after, [1, -0.5], [1, -0.5]], atol=1e-6)
        assert info["t"] == 1 and out[1] == 0.0 and info["delay_queue"].tolist() == [info["score"]]
        assert info["score"] == pytest.approx(np.hypot(*place) - np.hypot(*after), abs=1e-5)

    def test_on_a_line_the_history_is_as_long_as_the_reward_looks_back(self):
        env = assay.make("toy/continuous+reward_function=move_along_a_line+sequence_length=4+delay=2")
        assert env.reset(seed=0)[1]["augmented_state"].shape == (4 + 2 + 1, 2)

    def test_of_a_board_by_hand(self):
        env = assay.make("toy/grid+irrelevant_features+aliased=4+delay=1")
        seen, info = env.reset(seed=0)
        cell = info["curr_state"].tolist()
        assert seen[:2].tolist() == [x - x % 4 for x in cell] and info["curr_obs"][:2].tolist() == cell
        assert info["augmented_state"].tolist() == [[-1, -1], [-1, -1], cell]
        info = env.step([1, 0])[4]
        assert info["augmented_state"].tolist() == [[-1, -1], cell, info["curr_state"].tolist()]
        assert info["curr_state"].tolist() == [max(cell[0] - 1, 0), cell[1]]

    def test_many_dimensions_travel_whole(self):
        env = assay.make("toy/continuous+state_space_dim=100+relevant_indices=[0,99]")
        seen, info = env.reset(seed=0)
        np.testing.assert_array_equal(seen, info["curr_state"])
        inward = np.where(seen > 0, -0.5, 0.5)
        seen, *_, info = env.step(inward)
        np.testing.assert_array_equal(info["state_derivatives"], [seen, inward])

    def test_what_was_saved_comes_back(self, point):
        point.reset(seed=1)
        saved = point.save()
        first = point.step([0.1, 0.1])
        point.step([0.1, 0.1])
        point.restore(saved)
        np.testing.assert_equal(point.step([0.1, 0.1]), first)

    @pytest.mark.parametrize("text", [
        "toy/discrete+sequence_length=2+delay=3+irrelevant_features+hidden_mode=1.0+terminal_state_density=0",
        "toy/continuous+transition_dynamics_order=3+delay=2+hidden_mode=1.0+transition_noise=0.1"
        "+noise_kind=observation",
        "toy/grid+irrelevant_features+hidden_mode=1.0+delay=2+reward_every_n_steps=2+gate=handout",
    ])  # fmt: skip
    def test_an_info_of_any_step_restores_its_moment(self, text):
        env = assay.make(text)
        env.action_space.seed(0)
        actions = [env.action_space.sample() for _ in range(9)]
        infos = [env.reset(seed=2)[1]]
        outs = [env.step(action) for action in actions]
        infos += [out[4] for out in outs]
        assert [info["hidden_mode"] for info in infos] == [False, True] * 5  # it flips at every step
        assert set(infos[0]) == set(infos[1]) - {"score", "executed"}
        for moment in (4, 0, 1, 7):
            env.restore(infos[moment])
            for action, expected in zip(actions[moment:], outs[moment:]):
                np.testing.assert_equal(env.step(action), expected)

    @pytest.mark.parametrize("text, why", [
        ("toy/grid+action.sticky=0.5", "does not hold the memory of action.sticky"),
        ("toy/grid+delay=1+reward_noise_function=assay.envs.toy.examples:gusts", "has no delay_queue, which"),
    ])  # fmt: skip
    def test_what_an_info_does_not_tell_it_does_not_restore(self, text, why):
        env = assay.make(text)
        _, info = env.reset(seed=0)
        with pytest.raises(NotApplicable, match=why):
            env.restore(info)

    def test_facts(self):
        facts = assay.make("toy/continuous+target_point=[1.0,2.0]").facts()
        assert facts["target_point"].tolist() == [[1.0, 2.0]] and facts["relevant_indices"].tolist() == [0, 1]
        assert facts["diameter"] == pytest.approx(2 * 10 * 2**0.5)
        facts = assay.make("toy/grid+grid_shape=[2,2]").facts()
        assert facts["terminal_states"].tolist() == [[1, 1]]
        np.testing.assert_allclose(facts["init_state_dist"], [1 / 3] * 3 + [0])
