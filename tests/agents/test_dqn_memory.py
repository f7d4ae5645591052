"""DQN's memory by hand: stacks, what a core is told, windows of the replay, burn-in, ends, and refusals."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import test_agents_with_memory as cued

from assay.agents import dqn, gru
from assay.agents.agent import LaneSteps
from assay.agents.dqn_config import Config, settings_unfit
from assay.agents.dqn_memory import (
    NO_ACTION,
    Recall,
    Recurrent,
    as_seen,
    first_memory,
    frames_of,
    judge,
    look,
    new_params,
    recall,
)
from assay.agents.dqn_sequences import draw_windows, returns_inside, unroll, update_sequences, windows_of
from assay.agents.dqn_update import new_learner
from assay.agents.network import network
from assay.agents.replay import Transition
from assay.core.keys import root_of
from assay.core.space import Box, Discrete
from assay.errors import AssayError

SPACES = {"observation": Discrete(3), "action": Discrete(2)}
PICTURES = {"observation": Box(0, 255, (84, 84, 4), "uint8"), "action": Discrete(2)}
STACK = Config(memory="stack", stack_of=3, hidden=(4,))
CORE = Config(memory="gru", memory_width=5, hidden=(4,), sequence=3, burn_in=2, batch=7, learning_starts=20)
KEY = root_of(3)


class TestStack:
    def test_it_by_hand(self):
        """Three observations of three kinds, and the two actions between them; before the episode zeros."""
        params = new_params(KEY, STACK, SPACES)
        assert frames_of(SPACES, params) == 3
        memory = first_memory(SPACES, params)
        seen = look(SPACES, memory, jnp.int32(1))
        np.testing.assert_array_equal(seen, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
        memory = recall(SPACES, seen, (), memory, jnp.int32(0))
        seen = look(SPACES, memory, jnp.int32(2))
        np.testing.assert_array_equal(seen, [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1])
        memory = recall(SPACES, seen, (), memory, jnp.int32(1))
        seen = look(SPACES, memory, jnp.int32(0))
        np.testing.assert_array_equal(seen, [0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0])

    def test_without_the_older_rows_it_is_the_plain_network(self):
        params = new_params(KEY, STACK, SPACES)
        (weights, bias), *others = params
        blind = [(weights.at[:-3].set(0), bias), *others]
        memory = jnp.ones_like(first_memory(SPACES, params))
        found, _ = judge(SPACES, blind, memory, look(SPACES, memory, jnp.int32(2)))
        plain = network(SPACES["observation"], "tanh", [(weights[-3:], bias), *others])(jnp.int32(2))
        np.testing.assert_allclose(found, plain, atol=1e-6)

    def test_the_replay_holds_what_was_seen(self):
        learner = new_learner(KEY, SPACES, STACK)
        assert learner.replay.observation.shape == (20_000, 13)
        assert as_seen(STACK, SPACES)["observation"].shape == (13,)


class TestCore:
    params = new_params(KEY, CORE, SPACES)

    def test_it_is_told_the_observation_and_the_action_before(self):
        memory = Recall(jnp.int32(1), jnp.arange(5.0) / 10)
        found, state = judge(SPACES, self.params, memory, jnp.int32(2))
        ((weights, bias),) = self.params.layers
        told = jnp.concatenate([jnp.tanh(weights[2] + bias), jnp.array([0.0, 1.0])])
        expected = gru.remember(self.params.core, memory.state, told)
        np.testing.assert_allclose(state, expected, atol=1e-6)
        last, offset = self.params.last[0]
        np.testing.assert_allclose(found, expected @ last + offset, atol=1e-6)

    def test_before_an_episode_it_remembers_nothing_and_no_action(self):
        memory = first_memory(SPACES, self.params)
        assert int(memory.action) == NO_ACTION and not memory.state.any()
        np.testing.assert_array_equal(jax.nn.one_hot(memory.action, 2), [0, 0])

    def test_pictures_go_through_convolutions_to_it(self):
        config = replace(CORE, network="small_convolutions")
        params = new_params(KEY, config, PICTURES)
        memory, seen = first_memory(PICTURES, params), jnp.zeros((84, 84, 4), jnp.uint8)
        found, state = judge(PICTURES, params, memory, seen, "small_convolutions")
        assert found.shape == (2,) and state.shape == (5,)


def rows(ended, terminated=None, batch=1):
    """Steps in a row: observations 0, 1, 2, 0, ..., actions 0, 1, 0, ..., rewards 1, 2, 3, ..."""
    count = len(ended)
    steps = jnp.arange(count)
    one = Transition(
        steps % 3, steps % 2, steps + 1.0, (steps + 1) % 3,
        jnp.array(ended if terminated is None else terminated), jnp.array(ended),
    )  # fmt: skip
    return jax.tree.map(lambda leaf: jnp.repeat(leaf[:, None], batch, 1), one)


def played(params, window, state):
    """The same window step by step, as it was played: outputs at each step and after it."""
    memory = Recall(window.before[0, 0], state)
    at, after = [], []
    for t in range(len(window.before)):
        found, carried = judge(SPACES, params, memory, window.rows.observation[t, 0])
        then = recall(SPACES, None, carried, memory, window.rows.action[t, 0])
        at.append(found)
        after.append(judge(SPACES, params, then, window.rows.after[t, 0])[0])
        memory = first_memory(SPACES, params) if bool(window.rows.ended[t, 0]) else then
    return jnp.stack(at), jnp.stack(after)


@pytest.mark.parametrize("burn_in", [0, 2])
@pytest.mark.parametrize("ends", [(), (2,), (1, 3)])
def test_a_window_is_judged_as_it_was_played(burn_in, ends):
    """Also across ends inside it, after which nothing is remembered; only the learned steps are returned."""
    config, params = replace(CORE, burn_in=burn_in, sequence=5 - burn_in), TestCore.params
    state = jnp.arange(5.0) / 7
    window = windows_of(rows([t in ends for t in range(5)]), Recall(jnp.array([1]), state[None]))
    found = unroll(config, SPACES, params, window)
    for ours, expected in zip(found, played(params, window, state)):
        np.testing.assert_allclose(ours[:, 0], expected[burn_in:], atol=1e-5)


def test_the_action_before_a_beginning_is_none():
    window = windows_of(rows([False, True, False]), Recall(jnp.array([1]), jnp.zeros((1, 5))))
    np.testing.assert_array_equal(window.before[:, 0], [1, 0, NO_ACTION])
    np.testing.assert_array_equal(window.begins[:, 0], [False, False, True])


def test_nothing_is_learned_in_the_burn_in():
    """What is shown there alone gets no gradient, though the state at its end depends on it."""
    window = windows_of(rows([False] * 5), Recall(jnp.array([1]), jnp.zeros((1, 5))))
    once = window.rows.observation.at[:].set(0).at[1].set(2)  # 2 is seen in the burn-in, and never again
    window = window._replace(rows=replace(window.rows, observation=once, after=jnp.zeros_like(once)))

    def total(params, observation):
        shown = window._replace(rows=replace(window.rows, observation=observation))
        return unroll(CORE, SPACES, params, shown)[0].sum()

    gradient = jax.grad(total)(TestCore.params, once)
    assert not gradient.layers[0][0][2].any() and gradient.layers[0][0][0].any()
    assert total(TestCore.params, once) != total(TestCore.params, once.at[1].set(1))


def test_returns_inside_a_window_by_hand():
    """Discount 1/2, three steps at most: cut at step 1, so that what follows counts, terminated at step 3."""
    steps = rows([False, True, False, True, False], [False, False, False, True, False])
    found = returns_inside(steps, 3, 0.5)
    np.testing.assert_allclose(found.reward[:, 0], [1 + 2 / 2, 2, 3 + 4 / 2, 4, 5])
    np.testing.assert_allclose(found.discount[:, 0], [0.25, 0.5, 0, 0, 0.5])
    np.testing.assert_array_equal(found.last[:, 0], [1, 1, 3, 3, 4])


@pytest.mark.parametrize("lanes", [1, 2])
def test_windows_are_of_one_lane_in_a_row_and_inside_the_ring(lanes):
    """Rows say the number of their step; the ring of 24 has been written round once and a half."""
    config = replace(CORE, steps=40, report_every=40, target_every=20, replay=24, batch=500)
    learner = new_learner(KEY, SPACES, config)
    made = 36
    number = made - 24 + (jnp.arange(24) - made) % 24
    replay = replace(learner.replay, reward=number * 1.0)
    memories = Recall(number, jnp.repeat(number[:, None] * 1.0, 5, 1))
    learner = replace(learner, replay=replay, memories=memories, step=jnp.int32(made))
    windows = draw_windows(config, KEY, learner, lanes)
    first = windows.rows.reward[0]
    np.testing.assert_array_equal(windows.rows.reward, first + lanes * jnp.arange(5)[:, None])
    assert first.min() == 12 and windows.rows.reward[-1].max() == 35
    np.testing.assert_array_equal(windows.memory[:, 0], first)
    zeros = draw_windows(replace(config, memory_start="zero"), KEY, learner, lanes)
    assert not zeros.memory.any()
    np.testing.assert_array_equal(zeros.before[0], first)


ONE_UPDATE = {"steps": 8, "report_every": 8, "learning_starts": 8, "target_every": 8, "batch": 1,
              "steps_per_update": 1, "memory_start": "zero", "learning_rate": 1e-3}  # fmt: skip


def test_one_update_by_hand():
    """The loss is the mean over the learned steps of the Huber loss of what was played."""
    config = replace(CORE, **ONE_UPDATE)
    learner = new_learner(KEY, SPACES, config)
    ends = [False, False, True, False, False, False, False, False]
    ring = jax.tree.map(lambda leaf: leaf[:, 0], rows(ends))
    learner = replace(learner, replay=ring, step=jnp.int32(8))
    window = draw_windows(config, root_of(1), learner)
    _, after = played(learner.params, window, jnp.zeros(5))
    reward, terminated = window.rows.reward[2:, 0], window.rows.terminated[2:, 0]
    wanted = reward + 0.99 * jnp.where(terminated, 0, after[2:].max(-1))

    def loss(params):
        chosen = jnp.take_along_axis(played(params, window, jnp.zeros(5))[0][2:], window.rows.action[2:], 1)[
            :, 0
        ]
        off = jnp.abs(chosen - wanted)
        return jnp.where(off < 1, off**2 / 2, off - 0.5).mean()

    # Without the steps before the learned ones: their gradient is not taken.
    last = jax.grad(loss)(learner.params).last
    new = update_sequences(config, root_of(1), learner, SPACES)
    # Adam's first step is the sign of the gradient times the rate, but for its epsilon.
    moved = (new.params.last[0][0] - learner.params.last[0][0]) / -1e-3
    gradient = last[0][0]
    np.testing.assert_allclose(moved, gradient / (jnp.abs(gradient) + 1e-4), atol=2e-3)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"prioritised": True}, "prioritised of dqn draws single transitions, and memory=gru"),
        ({"noisy": True}, "noisy of dqn is of plain layers"),
        ({"n_step": 90}, "n_step of dqn is 90 and its sequence 80"),
        (
            {"sequence": 900},
            "burn_in and sequence of dqn take 3760 steps, 940 of each env, and 1000 ",
        ),
        ({"memory": "lstm"}, "memory of dqn is one of none, gru, stack"),
        ({"memory_start": "noise"}, "memory_start of dqn is one of stored, zero"),
        ({"stack_of": 1}, "stack_of of dqn must lie between 2 and 64"),
        ({"burn_in": -1}, "burn_in of dqn must lie between 0"),
    ],
)
def test_refusals(settings, why):
    with pytest.raises(AssayError, match=why):
        Config(**{"memory": "gru"} | settings)


def test_settings_that_are_of_no_use_in_some_spaces():
    assert settings_unfit(Config(memory="gru", network="cells"), SPACES).startswith("memory=gru has no place")
    stack = Config(memory="stack", network="convolutions")
    assert settings_unfit(stack, PICTURES).startswith("memory=stack holds numbers")
    assert settings_unfit(Config(memory="gru"), SPACES) == ""


SHORT = {"steps": 120, "report_every": 40, "learning_starts": 40, "target_every": 40}


@pytest.mark.slow
def test_what_a_stack_goes_with():
    """Replay by priority, noise, atoms and returns of several steps know nothing of it."""
    config = Config(memory="stack", stack_of=2, hidden=(8,), prioritised=True, noisy=True, atoms=5, n_step=3,
                    dueling=True, double=True, **SHORT)  # fmt: skip
    trained = jax.jit(lambda key: dqn.train(key, cued.TASK, config))(KEY)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(trained.params))
    memory = dqn.AGENT.start_memory(cued.TASK, trained.params)
    _, then = dqn.AGENT.act_of(config)(cued.TASK, trained.params, memory, KEY, jnp.int32(1))
    assert then.shape == memory.shape == (5,)


@pytest.mark.slow
def test_what_a_core_goes_with():
    config = Config(memory="gru", hidden=(8,), memory_width=4, sequence=4, burn_in=2, atoms=5, n_step=3,
                    double=True, dueling=True, **SHORT)  # fmt: skip
    for each in (config, replace(config, atoms=1, double=False, n_step=1, munchausen=0.9)):
        trained = jax.jit(partial(dqn.train, task=cued.TASK, config=each))(KEY)
        assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(trained.params))
        assert isinstance(trained.params, Recurrent)


CUED = {
    "none": {},
    "stack": {"stack_of": 3},
    "gru": {"memory_width": 16, "sequence": 6, "burn_in": 3},
}


@pytest.mark.parametrize(
    "memory", ["gru", *(pytest.param(each, marks=pytest.mark.slow) for each in ("none", "stack"))]
)
def test_only_with_a_memory_is_a_cue_known_when_it_is_asked_for(memory):
    """Without one the best that can be done is half: what is seen when it is asked says nothing."""
    config = Config(steps=6000, report_every=1000, learning_rate=1e-3, hidden=(32,), learning_starts=400,
                    target_every=200, discount=0.9, memory=memory, **CUED[memory])  # fmt: skip
    keys = jax.random.split(root_of(1), 3)
    scores = jax.jit(jax.vmap(lambda key: dqn.train(key, cued.TASK, config).reports.score))(keys)[:, -1]
    assert (np.abs(scores - 0.5) < 0.1).all() if memory == "none" else (scores > 0.9).all()


OUTSIDE = {
    "gru": {"memory_width": 4, "sequence": 2, "burn_in": 1},
    "stack": {"stack_of": 2},
}


@pytest.mark.parametrize("memory", OUTSIDE)
def test_every_lane_outside_has_a_memory_of_its_own(memory):
    """Four lanes, of which the second ends at each step: the others remember, and it begins anew."""
    config = Config(memory=memory, hidden=(4,), learning_starts=40, **OUTSIDE[memory])
    task, learner = cued.TASK, dqn.AGENT.learner
    state = learner.start(KEY, task, config)
    learn = jax.jit(lambda state, steps: learner.learn(task, config, state, steps))
    spaces = {"observation": Discrete(3), "action": Discrete(2)}
    params = learner.params(state)
    expected = [first_memory(spaces, params)] * 4
    for t in range(3):
        seen = (jnp.arange(4) + t) % 3
        actions = learner.choose(task, config, state, seen)
        ended = jnp.arange(4) == 1
        cut = jnp.zeros(4, bool)
        state = learn(state, LaneSteps(seen, actions, jnp.ones(4), (seen + 1) % 3, ended, cut))
        for lane in range(4):
            view = look(spaces, expected[lane], seen[lane])
            np.testing.assert_array_equal(state.learner.replay.observation[4 * t + lane], view)
            if memory == "gru":
                kept = jax.tree.map(lambda leaf, row=4 * t + lane: leaf[row], state.learner.memories)
                assert_alike(kept, expected[lane])
            _, carried = judge(spaces, params, expected[lane], view)
            then = recall(spaces, view, carried, expected[lane], actions[lane])
            np.testing.assert_array_equal(
                state.learner.replay.after[4 * t + lane], look(spaces, then, (seen[lane] + 1) % 3)
            )
            expected[lane] = first_memory(spaces, params) if ended[lane] else then
            assert_alike(jax.tree.map(lambda leaf, lane=lane: leaf[lane], state.memory), expected[lane])


def assert_alike(found, expected):
    jax.tree.map(partial(np.testing.assert_allclose, atol=1e-6), found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("memory", ["stack", "gru"])
def test_hosted_tasks_are_learned_with_a_memory(memory, tmp_path):
    """CartPole without its velocities, for a moment: it trains, and is evaluated with its memory."""
    import assay

    short = {"steps": 600, "report_every": 200, "learning_starts": 200, "target_every": 200}
    small = {"sequence": 10, "burn_in": 5, "hidden": (16,), "memory_width": 8}
    run = assay.train(
        "dqn", "gym/CartPole-v1+observation.hide.1=1.0+observation.hide.3=1.0", seeds=1,
        out=tmp_path / "run", settings={"memory": memory, **short, **small},
    )  # fmt: skip
    assert len(run.table()) > 0
