"""Evaluation: known outcomes, pairs, and no influence of what shares the batch."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents import random, tabular, tabular_q
from assay.core.keys import seed_words
from assay.native import build_native
from assay.runs.evaluate import EvaluationSetup, drawn_levels, evaluate

LEVELS = (0.0, 0.1, 0.5)


def stacked(texts):
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *(build_native(text).task for text in texts))


def first_action(task, params, memory, key, observation):
    return jnp.int32(0), memory


def test_outcomes_by_hand():
    # One state leads to itself and pays: 5 steps of 1 each, then the time limit.
    task = stacked([
        "toy/discrete+transition_function=[[0],[1]]+terminal_state_density=0+init_state_dist=[1,0]"
        "+rewardable_sequences=[[0]]+horizon=5+reward_scale=2.0"
    ])  # fmt: skip
    found = evaluate(task, (), seed_words(0), EvaluationSetup(first_action), episodes=2)
    assert found.steps.tolist() == [[5, 5]] and found.score.tolist() == [[5, 5]]
    assert found.paid.tolist() == [[10, 10]]
    assert found.truncated.all() and not found.terminated.any()


# An action leads to the state of its number, and state 0 pays 1.
STEERED = ("toy/discrete+transition_function=[[0,1],[0,1]]+terminal_state_density=0+init_state_dist=[1,0]"
           "+rewardable_sequences=[[0]]+horizon={}")  # fmt: skip


def by_its_count(task, period, made, key, observation):
    """Action 0 once in every period, beginning with it."""
    return jnp.where(made % period == 0, 0, 1), made + 1


def by_two_looks(task, params, before, key, observation):
    """Action 0 where the last two observations are the same."""
    return jnp.where(observation == before, 0, 1), observation


def test_an_agent_remembers_within_an_episode_and_begins_each_anew():
    tasks = stacked([STEERED.format(7), STEERED.format(5)])
    counted = evaluate(
        tasks,
        jnp.int32(3),
        seed_words(0),
        EvaluationSetup(by_its_count, start_memory=lambda task, period: jnp.int32(0)),
        3,
    )
    # 0 1 1 0 1 1 0, and 0 1 1 0 1: one that went on counting would begin its second episode with 1 1 0.
    assert counted.score.tolist() == [[3] * 3, [2] * 3]
    seen = evaluate(
        tasks, (), seed_words(0), EvaluationSetup(by_two_looks, start_memory=lambda task, _: jnp.int32(-1)), 3
    )
    # It sees 0 1 1 0 1 1 0, so it chooses 1 1 0 1 1 0 1: state 0 is reached at steps 3 and 6.
    assert seen.score.tolist() == [[2] * 3, [1] * 3]


def test_memory_may_begin_by_what_was_learned():
    tasks = stacked([STEERED.format(7), STEERED.format(5)])
    found = evaluate(
        tasks,
        jnp.int32(3),
        seed_words(0),
        EvaluationSetup(by_its_count, start_memory=lambda task, period: period - 1),
        1,
    )
    assert found.score.tolist() == [[2], [2]]  # 1 0 1 1 0 1 1, and 1 0 1 1 0


def test_a_memory_that_nothing_reads_changes_no_bit():
    texts = [f"toy/discrete+transition_noise={level}" for level in LEVELS]
    table = jnp.asarray(np.random.default_rng(0).normal(size=(8, 8)), jnp.float32)

    def remembering(task, params, memory, key, observation):
        action, _ = tabular.act(task, params, (), key, observation)
        return action, memory.at[observation].add(1.0)

    plain = evaluate(stacked(texts), table, seed_words(1), EvaluationSetup(tabular.act), 30)
    kept = evaluate(
        stacked(texts),
        table,
        seed_words(1),
        EvaluationSetup(remembering, start_memory=lambda task, params: jnp.zeros(8)),
        30,
    )
    for a, b in zip(jax.tree.leaves(plain), jax.tree.leaves(kept), strict=True):
        np.testing.assert_array_equal(a, b)


def test_no_memory_is_nothing_that_a_program_carries():
    assert jax.tree.leaves(tabular_q.AGENT.start_memory(None, None)) == []


def test_at_neutral_every_episode_is_that_of_the_plain_task():
    texts = [f"toy/discrete+transition_noise={level}" for level in LEVELS]
    varied = evaluate(stacked(texts), (), seed_words(3), EvaluationSetup(random.act), episodes=50)
    plain = evaluate(stacked(["toy/discrete"]), (), seed_words(3), EvaluationSetup(random.act), episodes=50)
    for a, b in zip(jax.tree.leaves(varied), jax.tree.leaves(plain), strict=True):
        np.testing.assert_array_equal(a[0], b[0])
    assert not np.array_equal(varied.steps[2], plain.steps[0])


def test_outcomes_do_not_depend_on_what_shares_the_batch():
    texts = [f"toy/discrete+transition_noise={level}" for level in LEVELS]
    table = jnp.asarray(np.random.default_rng(0).normal(size=(8, 8)), jnp.float32)
    together = evaluate(stacked(texts), table, seed_words(1), EvaluationSetup(tabular.act), episodes=30)
    for i, text in enumerate(texts):
        alone = evaluate(stacked([text]), table, seed_words(1), EvaluationSetup(tabular.act), episodes=30)
        for a, b in zip(jax.tree.leaves(together), jax.tree.leaves(alone), strict=True):
            np.testing.assert_array_equal(a[i], b[0])


def test_levels_drawn_for_an_episode_are_told_by_axis():
    drawing, steady = SimpleNamespace(drawn=True), SimpleNamespace()
    task = SimpleNamespace(variations=(
        SimpleNamespace(name="delay", clock=drawing),
        SimpleNamespace(name="reward_noise", clock=steady),
        SimpleNamespace(name="action.sticky", clock=None),
        SimpleNamespace(name="transition_noise", clock=drawing),
    ))  # fmt: skip
    world = SimpleNamespace(clocks=(3, (), (), 0.5))
    assert drawn_levels(task, world) == {"delay": 3, "transition_noise": 0.5}
