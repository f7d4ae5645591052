"""The agents learn what can be learned, seeds do not disturb each other, and a time limit is no ending."""

import re
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import assay
from assay.agents import adam, dqn, dqn_update, random, tabular_q
from assay.agents.agent import how_many, number_of, with_number
from assay.agents.network import features, first_layers, network, outputs
from assay.agents.network_table import look_up, most_looked_up
from assay.agents.tabular import Moved
from assay.core import step as loop
from assay.core.env import Step
from assay.core.keys import episode_key, root_of, step_key, stream
from assay.core.space import Box, Discrete
from assay.errors import NotApplicable
from assay.native import build_native

KEYS = jax.vmap(partial(episode_key, root_of(5)))(jnp.arange(4))


def trained(agent, config, text="toy/discrete", keys=KEYS):
    tasks = jax.tree.map(
        lambda *leaves: jnp.stack(leaves), *(build_native(text).task for _ in range(len(keys)))
    )
    return jax.jit(jax.vmap(lambda key, task: agent.train(key, task, config)))(keys, tasks)


def score_of(agent, params, text="toy/discrete", episodes=8):
    """Mean score of one trained agent over some episodes."""
    task = build_native(text).task

    def episode(number):
        key = episode_key(root_of(99), number)
        seen, world = loop.reset(task, step_key(key, 0))

        def one(carry, t):
            seen, world, alive = carry
            action, _ = agent.act(task, params, (), jax.random.fold_in(key, 10_000 + t), seen)
            out = loop.step(task, step_key(key, t + 1), world, action)
            paid = jnp.where(alive, out.score, 0.0)
            return (out.observation, out.state, alive & ~(out.terminated | out.truncated)), paid

        return jax.lax.scan(one, (seen, world, jnp.bool_(True)), jnp.arange(100))[1].sum()

    return float(jax.jit(jax.vmap(episode))(jnp.arange(episodes)).mean())


def lane(tree, i):
    return jax.tree.map(lambda leaf: leaf[i], tree)


@pytest.fixture(scope="module")
def found():
    """Four trained DQN agents."""
    return trained(dqn, dqn.Config(steps=4000))


SEVERAL = "toy/discrete+irrelevant_features"  # two numbers are seen and two are chosen, of 8 each
SMALL = dqn.Config(steps=400, report_every=80, learning_starts=100, target_every=40, hidden=(8, 4, 8, 4),
                   activation="relu", double=True)  # fmt: skip
SIZES = (16, *SMALL.hidden, 64)


@pytest.fixture(scope="module")
def small():
    """Two DQN agents of four small layers, trained for a moment."""
    return trained(dqn, SMALL, SEVERAL, KEYS[:2])


@pytest.fixture(scope="module")
def small_table():
    return trained(tabular_q.AGENT, tabular_q.Config(steps=400, report_every=100), SEVERAL, KEYS[:2])


class TestTabularQ:
    def test_one_update_by_hand(self):
        table = jnp.zeros((2, 2)).at[1, 0].set(2.0).at[0, 1].set(1.0)
        config = tabular_q.Config(learning_rate=0.5, discount=0.5)
        out = Step(None, None, jnp.float32(3.0), jnp.bool_(False), jnp.bool_(True), None, None)
        # 1 + 0.5 * (3 + 0.5 * 2 - 1) = 2.5; the episode was cut there, so the future counts
        moved = Moved(0, 1, out, 1, None)
        assert float(tabular_q.update(table, moved, config, KEYS[0])[0, 1]) == 2.5
        ended = out._replace(terminated=jnp.bool_(True), truncated=jnp.bool_(False))
        assert float(tabular_q.update(table, moved._replace(out=ended), config, KEYS[0])[0, 1]) == 2.0

    def test_it_finds_the_optimum_of_the_plain_task(self):
        found = trained(tabular_q.AGENT, tabular_q.Config(steps=20_000))
        scores = [score_of(tabular_q.AGENT, lane(found.params, i)) for i in range(len(KEYS))]
        assert min(scores) > 95  # of 100

    def test_it_learns_to_walk_a_board(self):
        text = "toy/grid+grid_shape=[4,4]"
        found = trained(tabular_q.AGENT, tabular_q.Config(steps=6000), text, KEYS[:2])
        scores = [score_of(tabular_q.AGENT, lane(found.params, i), text, episodes=64) for i in range(2)]
        best = assay.optimum(text).value
        assert min(scores) > best - 0.8  # the mean over 64 starts: four standard errors

    def test_rows_of_several_entries_are_all_different(self):
        space = build_native("toy/discrete+irrelevant_features").spaces["observation"]
        rows = {int(number_of(space, jnp.array([a, b]))) for a in range(8) for b in range(8)}
        assert rows == set(range(64))

    def test_it_keeps_the_table_of_every_report(self, small_table):
        assert small_table.checkpoints.shape == (2, 4, 64, 64)
        np.testing.assert_array_equal(small_table.checkpoints[:, -1], small_table.params)
        assert (small_table.checkpoints[:, 0] != small_table.checkpoints[:, -1]).any((1, 2)).all()


class TestDqn:
    def test_it_learns_the_plain_task(self, found):
        scores = [score_of(dqn, lane(found.params, i)) for i in range(len(KEYS))]
        assert np.median(scores) > 90

    def test_reports_cover_the_training(self, found):
        assert found.reports.step[0].tolist() == [1000, 2000, 3000, 4000]
        assert np.all(found.reports.episodes > 0)

    def test_seeds_do_not_disturb_each_other(self, found):
        fewer = trained(dqn, dqn.Config(steps=4000), keys=KEYS[1:3])
        for all_, some in zip(jax.tree.leaves(found), jax.tree.leaves(fewer)):
            np.testing.assert_array_equal(np.asarray(all_)[1:3], np.asarray(some))

    def test_a_seed_has_the_same_bits_in_a_batch_of_2_5_or_10(self):
        """A single seed is trained twice over: a batch of one is another program."""
        keys = jax.vmap(partial(episode_key, root_of(6)))(jnp.arange(10))
        config = dqn.Config(steps=2000)
        assert config.hidden == (256, 256)
        ten = trained(dqn, config, keys=keys)
        for picked in ([7, 7], [2, 5], [1, 3, 4, 8, 9]):
            fewer = trained(dqn, config, keys=keys[jnp.array(picked)])
            for all_, some in zip(jax.tree.leaves(ten), jax.tree.leaves(fewer)):
                np.testing.assert_array_equal(np.asarray(all_)[picked], np.asarray(some))

    @pytest.mark.parametrize("n", [8, (8, 8), (3, 4, 2)])
    def test_looking_up_gives_the_values_and_gradients_of_the_network(self, n):
        space, key = Discrete(n, start=-1), root_of(1)
        params = first_layers(key, (features(space), 16, 16, 3))
        seen = with_number(space, jax.random.randint(key, (32,), 0, how_many(space)))

        def squares(params, most):
            return (jax.vmap(look_up(space, "tanh", most, params))(seen) ** 2).sum()

        few, many = (jax.value_and_grad(squares)(params, most) for most in (how_many(space), 0))
        for by_table, passed in zip(jax.tree.leaves(few), jax.tree.leaves(many)):
            np.testing.assert_allclose(by_table, passed, rtol=1e-4, atol=1e-5)

    def test_what_is_looked_up(self):
        # A network that is asked for one batch of 32, and one that is asked for 3 or for many.
        assert [most_looked_up(32, batches) for batches in (1, 3, 50)] == [32, 96, 128]

    def test_the_double_target_is_the_target_s_value_of_the_network_s_choice(self):
        aimed = jnp.array([[1.0, 5.0], [2.0, 3.0]])  # what the target gives to two actions, in two rows
        judged = jnp.array([[0.9, 0.1], [0.0, 7.0]])  # the network chooses the first, then the second
        assert dqn_update.next_values(aimed, None).tolist() == [5.0, 3.0]
        assert dqn_update.next_values(aimed, judged).tolist() == [1.0, 3.0]

    def test_one_double_update_by_hand(self):
        """One row, one linear layer: Q(s) is a row of the weights, and the loss 0.5 (Q(s, a) - wanted)^2."""
        config = dqn.Config(hidden=(), batch=1, discount=0.5, huber=100.0)
        space = Discrete(2)
        params = [(jnp.array([[0.0, 0.0], [1.0, 0.0]]), jnp.zeros(2))]  # in state 1 it would choose action 0
        target = [(jnp.array([[0.0, 0.0], [2.0, 6.0]]), jnp.zeros(2))]
        replay = dqn.Transition(
            jnp.array([0]), jnp.array([1]), jnp.array([1.0]), jnp.array([1]), jnp.array([False]),
            jnp.array([False]),
        )  # fmt: skip
        learner = dqn_update.Learner(params, target, adam.no_moments(params), replay, jnp.int32(1))
        for double, wanted in ((False, 1 + 0.5 * 6), (True, 1 + 0.5 * 2)):
            q = partial(network, space, config.activation)
            after = dqn_update.update(replace(config, double=double), KEYS[0], learner, q, q(target))
            # Adam's mean after one gradient is a tenth of it; the gradient is Q(0, 1) - wanted = -wanted.
            weights, bias = after.optimiser.mean[0]
            np.testing.assert_allclose(weights, [[0, -wanted / 10], [0, 0]], rtol=1e-6)
            np.testing.assert_allclose(bias, [0, -wanted / 10], rtol=1e-6)

    @pytest.mark.parametrize("activation, of_minus_one, of_two",
                             [("tanh", np.tanh(-1), np.tanh(2)), ("relu", 0, 2),
                              ("sigmoid", 1 / (1 + np.e), 1 / (1 + np.exp(-2)))])  # fmt: skip
    def test_activations_by_hand(self, activation, of_minus_one, of_two):
        params = [(jnp.array([[-1.0, 2.0]]), jnp.zeros(2)), (jnp.eye(2), jnp.ones(2))]
        found = outputs(params, jnp.ones(1), activation)
        np.testing.assert_allclose(found, [1 + of_minus_one, 1 + of_two], rtol=1e-5)
        acts = dqn.AGENT.act_of(dqn.Config(activation=activation))
        assert acts is dqn.AGENT.act_of(dqn.Config(activation=activation, batch=64))  # one program for both

    def test_checkpoints_are_the_network_at_every_report(self, small):
        assert small.reports.step.tolist() == [[80, 160, 240, 320, 400]] * 2
        weights = small.checkpoints[0][0]  # (lanes, reports, in, out)
        assert weights.shape == (2, 5, 16, 8)
        np.testing.assert_array_equal(weights[:, -1], small.params[0][0])

    def test_learning_may_start_between_two_reports(self, small):
        weights, first = small.checkpoints[0][0], first_layers(stream(KEYS[0], "network"), SIZES)
        np.testing.assert_array_equal(weights[0, 0], first[0][0])  # step 80, and it learns from step 100 on
        assert (weights[:, 1:] != weights[:, :-1]).any((2, 3)).all()

    def test_adam_is_optax_adam(self):
        params = first_layers(root_of(1), (2, 4, 3))
        reference = optax.adam(0.01, *adam.DECAYS, eps=1e-4)
        ours, moments = params, adam.no_moments(params)
        theirs, state = params, reference.init(params)
        for i in range(5):
            gradient = jax.tree.map(lambda leaf, i=i: jnp.cos(leaf * 50 + i), params)
            ours, moments = adam.adam(gradient, ours, moments, 0.01, 1e-4)
            changes, state = reference.update(gradient, state)
            theirs = optax.apply_updates(theirs, changes)
        for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_random_scores_what_random_play_scores():
    assert abs(score_of(random, (), episodes=4000) - 0.5) < 0.1


@pytest.mark.parametrize("agent", [dqn, tabular_q])
@pytest.mark.parametrize("action, why", [
    (Box(-1.0, 1.0, (2,)), r"it chooses among numbered actions, and these are a Box of shape \(2,\)"),
    (Discrete((65, 64)), "it would choose among 4,160 actions, and 4,096 is the most"),
    (Discrete(4097), "it would choose among 4,097 actions, and 4,096 is the most"),
    (Discrete((64, 64)), ""),
])  # fmt: skip
def test_actions_that_cannot_be_numbered_are_refused(agent, action, why):
    assert re.fullmatch(why, agent.AGENT.fits({"action": action, "observation": Discrete(8)}))


def test_a_task_that_does_not_fit_is_not_trained_on():
    with pytest.raises(NotApplicable, match="dqn does not fit this task: it chooses among numbered"):
        dqn.train(KEYS[0], build_native("toy/continuous").task)


@pytest.mark.parametrize("space", [Discrete(5, start=2), Discrete((2, 3, 4), start=-1)])
def test_every_value_has_a_number_and_every_number_a_value(space):
    numbers = jnp.arange(how_many(space))
    values = with_number(space, numbers)
    assert values.shape == (len(numbers), *space.shape)
    assert len({tuple(np.atleast_1d(value)) for value in np.asarray(values)}) == len(numbers)
    assert values.min() == space.start and values.max() == space.start + np.max(space.n) - 1
    np.testing.assert_array_equal(number_of(space, values), numbers)


def test_numbers_of_several_entries_by_hand():
    space = Discrete((2, 3), start=-1)
    assert (
        with_number(space, jnp.int32(5)).tolist() == [0, 1] and int(number_of(space, jnp.array([0, -1]))) == 3
    )


def test_actions_of_several_numbers_are_chosen_by_their_number(small, small_table):
    task = build_native(SEVERAL).task
    acts = {dqn.AGENT.act_of(SMALL): small, tabular_q.AGENT.act: small_table}
    for act, found in acts.items():
        assert jax.tree.leaves(found.params)[-1].shape[-1] == 64
        chosen, _ = act(task, lane(found.params, 0), (), KEYS[0], jnp.array([3, 4]))
        assert chosen.shape == (2,) and chosen.min() >= 0 and chosen.max() < 8


@pytest.mark.parametrize("text", ["toy/continuous+action_space_max=[0.5,2.0]",
                                  "toy/grid+irrelevant_features+action_form=vector"])  # fmt: skip
def test_random_chooses_within_any_space(text):
    task = build_native(text).task
    chosen = jax.vmap(lambda key: random.act(task, (), (), key, None)[0])(jax.random.split(KEYS[0], 500))
    low, high = np.asarray(chosen).min(0), np.asarray(chosen).max(0)
    space = build_native(text).spaces["action"]
    if "grid" in text:
        assert set(low) == {-1} and set(high) == {1}
    else:
        assert (low >= space.low).all() and (high <= space.high).all()
        np.testing.assert_allclose([low, high], [space.low, space.high], rtol=0.05)
