"""The agents learn what can be learned, seeds do not disturb each other, and a time limit is no ending."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import assay
from assay.agents import dqn, random, tabular_q
from assay.core import step as loop
from assay.core.env import Step
from assay.core.keys import episode_key, root_of, step_key
from assay.errors import NotApplicable
from assay.native import native

KEYS = jax.vmap(partial(episode_key, root_of(5)))(jnp.arange(4))


def trained(agent, config, text="toy/discrete", keys=KEYS):
    tasks = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(native(text).task for _ in range(len(keys))))
    return jax.jit(jax.vmap(lambda key, task: agent.train(key, task, config)))(keys, tasks)


def score_of(agent, params, text="toy/discrete", episodes=8):
    """Mean score of one trained agent over some episodes."""
    task = native(text).task

    def episode(number):
        key = episode_key(root_of(99), number)
        seen, world = loop.reset(task, step_key(key, 0))

        def one(carry, t):
            seen, world, alive = carry
            action = agent.act(task, params, jax.random.fold_in(key, 10_000 + t), seen)
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


class TestTabularQ:
    def test_one_update_by_hand(self):
        table = jnp.zeros((2, 2)).at[1, 0].set(2.0).at[0, 1].set(1.0)
        config = tabular_q.Config(learning_rate=0.5, discount=0.5)
        out = Step(None, None, jnp.float32(3.0), jnp.bool_(False), jnp.bool_(True), None, None)
        # 1 + 0.5 * (3 + 0.5 * 2 - 1) = 2.5; the episode was cut there, so the future counts
        assert float(tabular_q.update(table, 0, 1, out, 1, config)[0, 1]) == 2.5
        ended = out._replace(terminated=jnp.bool_(True), truncated=jnp.bool_(False))
        assert float(tabular_q.update(table, 0, 1, ended, 1, config)[0, 1]) == 2.0

    def test_it_finds_the_optimum_of_the_plain_task(self):
        found = trained(tabular_q, tabular_q.Config(steps=20_000))
        scores = [score_of(tabular_q, lane(found.params, i)) for i in range(len(KEYS))]
        assert min(scores) > 95  # of 100

    def test_it_learns_to_walk_a_board(self):
        text = "toy/grid+grid_shape=[4,4]"
        found = trained(tabular_q, tabular_q.Config(steps=6000), text, KEYS[:2])
        scores = [score_of(tabular_q, lane(found.params, i), text, episodes=64) for i in range(2)]
        best = assay.optimum(text).value
        assert min(scores) > best - 0.8  # the mean over 64 starts: four standard errors

    def test_rows_of_several_entries_are_all_different(self):
        space = native("toy/discrete+irrelevant_features").spaces["observation"]
        rows = {int(tabular_q.row_of(space, jnp.array([a, b]))) for a in range(8) for b in range(8)}
        assert rows == set(range(64))


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

    def test_looking_up_gives_the_values_and_gradients_of_the_network(self):
        space, key = native("toy/discrete").spaces["observation"], root_of(1)
        params = dqn.network(key, (space.n, 16, 16, 3))
        seen = jax.random.randint(key, (32,), 0, space.n)

        def squares(params, config):
            return (jax.vmap(dqn.valued(config, space, params))(seen) ** 2).sum()

        # With batches smaller than the number of observations nothing is looked up.
        few, many = (
            jax.value_and_grad(squares)(params, dqn.Config(batch=batch)) for batch in (32, space.n - 1)
        )
        for looked_up, passed in zip(jax.tree.leaves(few), jax.tree.leaves(many)):
            np.testing.assert_allclose(looked_up, passed, rtol=1e-4, atol=1e-5)

    def test_adam_is_optax_adam(self):
        config, params = dqn.Config(learning_rate=0.01), dqn.network(root_of(1), (2, 4, 3))
        reference = optax.adam(config.learning_rate, *dqn.ADAM_DECAYS, eps=config.adam_epsilon)
        ours, moments = params, dqn.no_moments(params)
        theirs, state = params, reference.init(params)
        for i in range(5):
            gradient = jax.tree.map(lambda leaf, i=i: jnp.cos(leaf * 50 + i), params)
            ours, moments = dqn.adam(config, gradient, ours, moments)
            changes, state = reference.update(gradient, state)
            theirs = optax.apply_updates(theirs, changes)
        for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_random_scores_what_random_play_scores():
    assert abs(score_of(random, (), episodes=4000) - 0.5) < 0.1


@pytest.mark.parametrize("agent", [dqn, tabular_q])
@pytest.mark.parametrize("text, why", [
    ("toy/continuous", r"chooses among numbered actions, and this task's are a Box of shape \(2,\); try"),
    ("toy/grid+irrelevant_features", r"chooses one number, and this task's actions are 2 of them, of sizes"),
])  # fmt: skip
def test_actions_that_are_no_numbers_are_refused(agent, text, why):
    with pytest.raises(NotApplicable, match=f"{agent.__name__.rpartition('.')[2]} {why}"):
        agent.train(KEYS[0], native(text).task)


@pytest.mark.parametrize("text", ["toy/continuous+action_space_max=[0.5,2.0]",
                                  "toy/grid+irrelevant_features+action_form=vector"])  # fmt: skip
def test_random_chooses_within_any_space(text):
    task = native(text).task
    chosen = jax.vmap(lambda key: random.act(task, (), key, None))(jax.random.split(KEYS[0], 500))
    low, high = np.asarray(chosen).min(0), np.asarray(chosen).max(0)
    space = native(text).spaces["action"]
    if "grid" in text:
        assert set(low) == {-1} and set(high) == {1}
    else:
        assert (low >= space.low).all() and (high <= space.high).all()
        np.testing.assert_allclose([low, high], [space.low, space.high], rtol=0.05)
