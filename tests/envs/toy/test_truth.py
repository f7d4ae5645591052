"""The ground truth in `info`: by hand for one lane, then for lanes that end at different times."""

import numpy as np
import pytest

import assay
from assay.catalogue import load
from assay.envs.toy.discrete_truth import Truth
from assay.envs.toy.truth import BEFORE, History
from assay.native import build_native
from assay.tasks import resolve

KEYS = {"curr_state", "curr_obs", "augmented_state", "delay_queue", "hidden_mode", "t"}
# States 0 to 2 in a ring: action 0 goes on, action 1 stays. Nothing ends it.
RING = {
    "transition_function": [[1, 0], [2, 1], [0, 2]],
    "terminal_state_density": 0.0,
    "init_state_dist": [1, 0, 0],
}


def histories(infos):
    return [info["augmented_state"].tolist() for info in infos]


def test_a_plain_task_by_hand():
    env = assay.make("toy/discrete", {**RING, "rewardable_sequences": [[[2], 1.0]]})
    infos = [env.reset(seed=0)[1], *(env.step(action)[4] for action in (0, 1, 0))]
    assert all(set(info) >= KEYS for info in infos) and set(infos[0]) == KEYS
    assert [info["curr_state"] for info in infos] == [0, 1, 1, 2] == [info["curr_obs"] for info in infos]
    assert histories(infos) == [[BEFORE, 0], [0, 1], [1, 1], [1, 2]]
    assert [info["t"] for info in infos] == [0, 1, 2, 3]
    assert all(info["delay_queue"].shape == (0,) for info in infos)
    assert infos[0]["augmented_state"].dtype == np.float64 and type(infos[0]["curr_state"]) is int


def test_sequences_and_a_delay_by_hand():
    config = {
        **RING,
        "rewardable_sequences": [[[1, 2], 1.0], [[2, 2], 0.5]],
        "delay": 2,
        "reward_every_n_steps": 1,
    }
    env = assay.make("toy/discrete", config)
    seen = [(0.0, env.reset(seed=0)[1])] + [(s[1], s[4]) for s in map(env.step, (0, 0, 1, 0, 0))]
    rewards, infos = zip(*seen)
    assert histories(infos) == [
        [BEFORE, BEFORE, BEFORE, BEFORE, 0],
        [BEFORE, BEFORE, BEFORE, 0, 1],
        [BEFORE, BEFORE, 0, 1, 2],
        [BEFORE, 0, 1, 2, 2],
        [0, 1, 2, 2, 0],
        [1, 2, 2, 0, 1],
    ]
    queues = [[0, 0], [0, 0], [0, 1], [1, 0.5], [0.5, 0], [0, 0]]
    assert [info["delay_queue"].tolist() for info in infos] == queues
    # What is oldest in the queue is paid at the next step.
    assert list(rewards[1:]) == [queue[0] for queue in queues[:-1]]


def test_a_new_episode_begins_a_new_history():
    env = assay.make("toy/discrete+delay=1+horizon=2", {**RING, "rewardable_sequences": [[[1], 1.0]]})
    env.reset(seed=0)
    env.step(0)
    env.step(0)
    _, info = env.reset()
    assert info["augmented_state"].tolist() == [BEFORE, BEFORE, 0]
    assert info["delay_queue"].tolist() == [0] and info["t"] == 0


def test_the_truth_is_hidden_by_no_variation():
    env = assay.make("toy/discrete+observation.noise=1+terminal_state_density=0")
    observation, info = env.reset(seed=0)
    for _ in range(20):
        assert observation != info["curr_state"] == info["curr_obs"] == info["augmented_state"][-1]
        observation, *_, info = env.step(0)


def test_beside_irrelevant_features_the_state_is_the_relevant_part():
    env = assay.make("toy/discrete+irrelevant_features+terminal_state_density=0")
    observation, info = env.reset(seed=0)
    for _ in range(5):
        np.testing.assert_array_equal(info["curr_obs"], observation)
        assert info["curr_state"] == observation[0] == info["augmented_state"][-1]
        observation, *_, info = env.step([1, 2])


def test_infos_are_copies():
    env = assay.make("toy/discrete+delay=1+irrelevant_features+terminal_state_density=0")
    _, first = env.reset(seed=0)
    kept = {name: np.copy(value) for name, value in first.items()}
    second = env.step([0, 0])[4]
    for name, value in first.items():
        np.testing.assert_array_equal(value, kept[name])
    for name in ("augmented_state", "delay_queue", "curr_obs"):
        second[name][...] = 99
    third = env.step([0, 0])[4]
    assert all(99 not in third[name] for name in ("augmented_state", "delay_queue", "curr_obs"))


def test_facts_are_the_generated_tables():
    env = assay.make("toy/discrete+sequence_length=2+mdp_seed=3")
    facts = env.unwrapped.facts()
    assert facts["transition_function"].shape == (8, 8)
    assert facts["terminal_states"].tolist() == [6, 7]
    np.testing.assert_allclose(facts["init_state_dist"], [1 / 6] * 6 + [0] * 2)
    assert len(facts["rewardable_sequences"]) == 7 and set(facts["rewardable_sequences"].values()) == {1.0}
    state = env.reset(seed=0)[1]["curr_state"]
    assert env.step(5)[4]["curr_state"] == facts["transition_function"][state, 5]


def test_facts_of_given_tables_are_those_tables():
    payoff = [[0, 1], [2, 3], [4, 5]]
    facts = assay.make("toy/discrete", {**RING, "reward_function": payoff}).facts()
    assert facts["transition_function"].tolist() == RING["transition_function"]
    assert facts["reward_function"].tolist() == payoff and facts["rewardable_sequences"] == {}


@pytest.fixture
def two_lanes():
    found = resolve("toy/discrete+delay=1")
    return Truth(found, build_native(found).task.env.params, lanes=2)


def test_lanes_keep_their_own_histories(two_lanes):
    two_lanes.begin(np.array([[3, 4], [0, 1]]))
    two_lanes.step(np.array([[5, 6], [0, 1]]), np.array([1.0, 2.0]))
    two_lanes.begin(np.array([[5, 1], [0, 0]]), np.array([1]))
    all_lanes = two_lanes.of_all()
    assert all_lanes["augmented_state"].tolist() == [[BEFORE, 3, 5], [BEFORE, BEFORE, 1]]
    assert all_lanes["delay_queue"].tolist() == [[1.0], [0.0]]
    assert all_lanes["t"].tolist() == [1, 0] and all_lanes["curr_state"].tolist() == [5, 1]
    for lane in range(2):
        np.testing.assert_equal(
            two_lanes.of_lane(lane), {name: each[lane] for name, each in all_lanes.items()}
        )


def test_what_was_saved_comes_back(two_lanes):
    two_lanes.begin(np.array([[3, 4], [0, 1]]))
    saved, shown = two_lanes.save(), two_lanes.of_all()
    two_lanes.step(np.array([[5, 6], [0, 1]]), np.array([1.0, 2.0]))
    for _ in range(2):
        two_lanes.restore(saved)
        np.testing.assert_equal(two_lanes.of_all(), shown)
        two_lanes.step(np.array([[7, 7], [0, 0]]), 0.0)


def told(text, history, **more):
    """The state that an info with this history tells, by hand; nothing is compiled."""
    found = resolve(text)
    truth = load(found.entry.truth)(found, build_native(found).task.env.params)
    history = np.array(history, float)
    info = {"curr_state": history[-1], "curr_obs": history[-1], "augmented_state": history, "delay_queue": []}
    return truth.state_of(info | {"hidden_mode": True} | more)


def test_a_state_of_toy_discrete_from_its_info():
    text = "toy/discrete+sequence_length=2+reward_function=assay.envs.toy.examples:pays_two"
    state = told(text, [BEFORE, 4, 2], t=1)
    assert (state.current, state.trail, state.time, state.mode) == (2, 2 + 1, 1, True)
    assert state.history.tolist() == [-1, 4, 2]
    assert told(text, [1, 4, 2], t=3).trail == ((1 + 1) * 9 + 4 + 1) * 9 + 2 + 1


def test_a_state_of_toy_continuous_from_its_info():
    motion = {"state_derivatives": [[2.0, 2.0], [1.0, 0.0]]}
    before = [-np.inf, -np.inf]
    line = "toy/continuous+reward_function=move_along_a_line+sequence_length=2"
    state = told(line, [before, [1.0, 1.0], [2.0, 2.0]], t=1, **motion)
    assert state.past.tolist() == [[0, 0], [2, 2]]  # the start is not on the line
    assert state.derivatives.tolist() == [[2, 2], [1, 0]] and state.shown.tolist() == [2, 2] and state.mode
    own = "toy/continuous+reward_function=assay.envs.toy.examples:pays_progress+sequence_length=2"
    state = told(own, [before, [1.0, 1.0], [2.0, 2.0]], t=1, **motion)
    np.testing.assert_equal(state.past, np.float32([[np.nan] * 2, [1, 1], [2, 2]]))
    assert told("toy/continuous", [[1.0, 1.0], [2.0, 2.0]], t=5, **motion).past.shape == (0, 2)


def test_a_truth_that_leaves_a_method_out_cannot_be_made():
    class Unfinished(History):
        @staticmethod
        def watch(state):
            return (state.mode,)

    with pytest.raises(TypeError, match=r"_read_lanes.*_read_state.*facts.*state_of"):
        Unfinished(resolve("toy/discrete"), 1, 1, 1)
