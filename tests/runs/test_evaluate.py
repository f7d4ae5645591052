"""Evaluation: known outcomes, pairs, and no influence of what shares the batch."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents import random, tabular_q
from assay.core.keys import seed_words
from assay.native import native
from assay.runs.evaluate import drawn_in, evaluate

LEVELS = (0.0, 0.1, 0.5)


def stacked(texts):
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *(native(text).task for text in texts))


def first_action(task, params, key, observation):
    return jnp.int32(0)


def test_outcomes_by_hand():
    # One state leads to itself and pays: 5 steps of 1 each, then the time limit.
    task = stacked([
        "toy/discrete+transition_function=[[0],[1]]+terminal_state_density=0+init_state_dist=[1,0]"
        "+rewardable_sequences=[[0]]+horizon=5+reward_scale=2.0"
    ])  # fmt: skip
    found = evaluate(task, (), seed_words(0), first_action, episodes=2)
    assert found.steps.tolist() == [[5, 5]] and found.score.tolist() == [[5, 5]]
    assert found.paid.tolist() == [[10, 10]]
    assert found.truncated.all() and not found.terminated.any()


def test_at_neutral_every_episode_is_that_of_the_plain_task():
    texts = [f"toy/discrete+transition_noise={level}" for level in LEVELS]
    varied = evaluate(stacked(texts), (), seed_words(3), random.act, episodes=50)
    plain = evaluate(stacked(["toy/discrete"]), (), seed_words(3), random.act, episodes=50)
    for a, b in zip(jax.tree.leaves(varied), jax.tree.leaves(plain), strict=True):
        np.testing.assert_array_equal(a[0], b[0])
    assert not np.array_equal(varied.steps[2], plain.steps[0])


def test_outcomes_do_not_depend_on_what_shares_the_batch():
    texts = [f"toy/discrete+transition_noise={level}" for level in LEVELS]
    table = jnp.asarray(np.random.default_rng(0).normal(size=(8, 8)), jnp.float32)
    together = evaluate(stacked(texts), table, seed_words(1), tabular_q.act, episodes=30)
    for i, text in enumerate(texts):
        alone = evaluate(stacked([text]), table, seed_words(1), tabular_q.act, episodes=30)
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
    assert drawn_in(task, world) == {"delay": 3, "transition_noise": 0.5}
