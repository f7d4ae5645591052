"""What MDP Playground's paper finds, as tendencies on small grids: they hold here, or something is broken.

100 seeds, each with an MDP of its own, the same for every level; drops are compared seed by seed. With
tabular Q the weakest effect measured lies 10 standard errors above 0, and a test fails below 4: were all
draws made anew, it would fail by chance once in a thousand million times.
"""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.core.keys import root_of, seed_words, stream
from assay.native import build_native
from assay.plans.agents import catalogue_agent
from assay.runs.evaluate import EvaluationSetup, evaluate
from assay.tasks import optimum

PLAIN = "toy/discrete"
STEPS = 20_000
SEEDS = {"tabular_q": 100, "dqn": 40}
ENOUGH = 4.0  # standard errors

AGENTS = ["tabular_q", pytest.param("dqn", marks=pytest.mark.slow)]
pytestmark = pytest.mark.parametrize("agent", AGENTS)


@partial(jax.jit, static_argnames=("train", "config"))
def trained(keys, tasks, train, config):
    return jax.vmap(lambda key, task: train(key, task, config))(keys, tasks)


@partial(jax.jit, static_argnames="act")
def played(tasks, params, words, act):
    def one(task, params, words):
        return evaluate(
            jax.tree.map(lambda leaf: leaf[None], task), params, words, EvaluationSetup(act), 10
        ).score.mean()

    return jax.vmap(one)(tasks, params, words)


def worlds(text, seeds):
    return jax.tree.map(lambda *leaves: jnp.stack(leaves),
                        *(build_native(text, {"mdp_seed": seed}).task for seed in range(seeds)))  # fmt: skip


@cache
def found(agent, setting=""):
    """By seed: the mean score in training, and that of the policy it ends with where nothing is varied."""
    text, seeds, by = f"{PLAIN}{setting}", SEEDS[agent], catalogue_agent(agent)
    keys = jnp.stack([stream(root_of(seed), "train") for seed in range(seeds)])
    out = trained(keys, worlds(text, seeds), by.train, by.config(steps=STEPS))
    words = np.stack([seed_words(1000 + seed) for seed in range(seeds)])
    rolled = played(worlds(PLAIN, seeds), out.params, words, by.act)
    return np.nanmean(np.asarray(out.reports.score), axis=1), np.asarray(rolled)


def of_the_optimum(scores, setting):
    """Shares, where another thing is asked."""
    best = [optimum(f"{PLAIN}{setting}", {"mdp_seed": seed}).value for seed in range(len(scores))]
    return scores / np.array(best)


def standard_errors(drops):
    return drops.mean() / (drops.std(ddof=1) / np.sqrt(len(drops)))


def test_learning_falls_with_delay(agent):
    # The score is what was earned, whenever it was paid: it needs no factor for the delay.
    drops = found(agent)[0] - found(agent, "+delay=8")[0]
    assert standard_errors(drops) > ENOUGH


def test_learning_falls_with_sequence_length(agent):
    shares = [of_the_optimum(found(agent, setting)[0], setting)
              for setting in ("", "+sequence_length=2", "+sequence_length=3")]  # fmt: skip
    assert standard_errors(shares[0] - shares[1]) > ENOUGH
    assert standard_errors(shares[1] - shares[2]) > ENOUGH


def test_transition_noise_hurts_training_more_than_the_noise_free_rollout(agent):
    (plain, plain_rolled), (noisy, rolled) = found(agent), found(agent, "+transition_noise=0.25")
    assert standard_errors(plain - noisy) > ENOUGH
    assert standard_errors(rolled / plain_rolled - noisy / plain) > ENOUGH


def test_reward_noise_hurts_both(agent):
    plain, noisy = found(agent), found(agent, "+reward_noise=25.0")
    assert standard_errors(plain[0] - noisy[0]) > ENOUGH
    assert standard_errors(plain[1] - noisy[1]) > ENOUGH
