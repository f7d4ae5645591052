"""Double Q-learning and SARSA: updates by hand, what each is known for, and the same on hosted tasks."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_agents import KEYS, lane, score_of, trained

from assay.agents import double_q, sarsa, tabular_q
from assay.agents.agent import LaneSteps
from assay.agents.tabular import Moved, Outside, act, choose, fits, learn, values_at
from assay.core.env import Step
from assay.core.keys import stream
from assay.core.space import Discrete
from assay.native import build_native
from assay.runs.hosted_training import train_on_hosted

CUT = Step(None, None, jnp.float32(3.0), jnp.bool_(False), jnp.bool_(True), None, None)
ENDED = CUT._replace(terminated=jnp.bool_(True), truncated=jnp.bool_(False))


def test_one_update_of_sarsa_by_hand():
    table = jnp.zeros((2, 2)).at[1, 0].set(2.0).at[1, 1].set(8.0).at[0, 1].set(1.0)
    config = sarsa.Config(learning_rate=0.5, discount=0.5)
    moved = Moved(0, 1, CUT, 1, 0)  # it takes action 0 next, though action 1 is better
    # 1 + 0.5 * (3 + 0.5 * 2 - 1) = 2.5; the episode was cut there, so the future counts
    assert float(sarsa.update(table, moved, config, KEYS[0])[0, 1]) == 2.5
    assert float(sarsa.update(table, moved._replace(out=ENDED), config, KEYS[0])[0, 1]) == 2.0


def test_one_update_of_double_q_by_hand():
    """The first table would choose action 1 in state 1, the second values it; and the other way round."""
    tables = jnp.zeros((2, 2, 2)).at[0, 1].set(jnp.array([0.0, 5.0])).at[1, 1].set(jnp.array([4.0, 2.0]))
    config = double_q.Config(learning_rate=0.5, discount=0.5)
    found = set()
    for key in jax.random.split(jax.random.key(0), 16):
        after = double_q.update(tables, Moved(0, 1, CUT, 1, None), config, key)
        found.add(tuple(np.asarray(after[:, 0, 1]).tolist()))
        ended = double_q.update(tables, Moved(0, 1, ENDED, 1, None), config, key)
        assert sorted(ended[:, 0, 1].tolist()) == [0, 1.5]
    # 0.5 * (3 + 0.5 * 2) where the first learns, 0.5 * (3 + 0.5 * 0) where the second does.
    assert found == {(2.0, 0.0), (0.0, 1.5)}


def test_double_q_acts_by_the_sum():
    tables = jnp.array([[[3.0, 0.0]], [[0.0, 4.0]]])
    assert values_at(tables, 0).tolist() == [3, 4]
    task = build_native("toy/discrete").task
    tables = jnp.zeros((2, 8, 8)).at[0, 3, 1].set(3.0).at[:, 3, 2].set(2.0)
    assert int(act(task, tables, (), KEYS[0], jnp.int32(3))[0]) == 2


@pytest.mark.parametrize("agent", [double_q, sarsa])
def test_they_find_the_optimum_of_the_plain_task(agent):
    found = trained(agent.AGENT, agent.Config(steps=20_000))
    scores = [score_of(agent.AGENT, lane(found.params, i)) for i in range(len(KEYS))]
    assert np.median(scores) > 95  # of 100


def test_noise_makes_q_learning_hope_for_too_much_and_double_q_learning_not():
    """State 0 leads to state 1, which ends with noise around 0 whatever is done: nothing can be had.

    The mean of the largest of 8 noisy values is above 0, by which Q-learning values state 0.
    """

    def believed(agent, tables, key):
        def visit(table, key):
            action = jax.random.randint(stream(key, "action"), (), 0, 8)
            paid = 5 * jax.random.normal(stream(key, "noise"))
            for row, after, out in ((1, 1, ENDED._replace(reward=paid)), (0, 1, CUT._replace(reward=0.0))):
                moved = Moved(row, action, out, after, None)
                table = agent.update(table, moved, agent.Config(learning_rate=0.1), stream(key, f"{row}"))
            return table, values_at(table, 0).mean() / (1 if table.ndim == 2 else 2)

        return jax.lax.scan(visit, tables, jax.random.split(key, 4000))[1][2000:].mean()

    assert float(jax.jit(partial(believed, tabular_q))(jnp.zeros((2, 8)), KEYS[0])) > 1.0
    assert abs(float(jax.jit(partial(believed, double_q))(jnp.zeros((2, 2, 8)), KEYS[0]))) < 0.3


def test_sarsa_takes_the_action_that_it_learned_from():
    task, config = build_native("toy/discrete").task, sarsa.Config(explore=1.0)
    rule = sarsa.AGENT.learner.learn.args[0]
    state = Outside(jax.random.key(3), jnp.zeros((8, 8)), jnp.int32(-1), jnp.int32(0))
    for i in range(20):
        action = choose(task, config, state, jnp.array([i % 8]))
        assert int(state.choice) in (-1, int(action[0]))
        no = jnp.array([i % 5 == 4])
        steps = sarsa_steps(action, i, no)
        state = learn(rule, task, config, state, steps)
        assert (int(state.choice) == -1) == (i % 5 == 4)  # the first of an episode is chosen by what it shows


def sarsa_steps(action, i, ended):
    seen = jnp.array([i % 8])
    return LaneSteps(seen, action, jnp.ones(1), (seen + 1) % 8, ended, jnp.array([False]))


@pytest.mark.parametrize("agent", [double_q, sarsa])
def test_they_learn_on_hosted_tasks(agent):
    config = agent.Config(steps=6000, report_every=2000)
    name = agent.Config.name
    found = train_on_hosted(agent.AGENT, name, "gym/Taxi-v4", 0, config, workers=1)
    again = train_on_hosted(agent.AGENT, name, "gym/Taxi-v4", 0, config, workers=1)
    np.testing.assert_array_equal(found.params, again.params)
    assert found.reports.step.tolist() == [2000, 4000, 6000]
    assert found.reports.score[-1] > found.reports.score[0]


def test_two_tables_count_twice():
    spaces = {"observation": Discrete(10**5), "action": Discrete(600)}
    assert fits(spaces) == "" and "120,000,000 entries" in fits(spaces, tables=2)
