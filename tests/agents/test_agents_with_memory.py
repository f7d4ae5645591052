"""A cue that is shown once and asked for two steps later: who remembers it scores 1, and who does not 0.5."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import a2c, ppo
from assay.core.env import Env, Task, record
from assay.core.keys import root_of
from assay.core.space import Box, Discrete

CUES, LAST = 2, 3  # the action of the third step is asked
SEEDS = 3


@record
class Cued:
    cue: Any  # () int32
    time: Any  # () int32


def initial(key, params):
    return Cued(jax.random.randint(key, (), 0, CUES), jnp.int32(0))


def transition(key, params, state, action):
    return replace(state, time=state.time + 1)


def reward(key, params, state, action, after):
    return ((after.time == LAST) & (action == state.cue)).astype(jnp.float32)


def observation(key, params, state):
    """The cue at first, and then that there is none."""
    return jnp.where(state.time == 0, state.cue, CUES)


def terminal(params, state):
    return state.time >= LAST


def horizon(params):
    return jnp.int32(100)


def spaces(params):
    return {"action": Discrete(CUES), "observation": Discrete(CUES + 1), "reward": Box(0.0, 1.0)}


TASK = Task(Env((), initial, transition, reward, observation, terminal, horizon, spaces))
SHARED = {"envs": 16, "steps": 24_576, "report_every": 2048, "learning_rate": 3e-3, "memory_width": 16,
          "entropy_weight": 0.01, "trace": 0.95, "stack_of": 3}  # fmt: skip
CONFIGS = {
    ppo: ppo.Config(**SHARED, rollout=32, minibatches=2, epochs=4, discount=0.99),
    a2c: a2c.Config(**SHARED, rollout=8, width=32, layers=1, most_gradient=0.5),
}


def last_scores(agent, memory):
    """The mean score of each seed's last episodes in training."""
    config = replace(CONFIGS[agent], memory=memory)
    keys = jax.random.split(root_of(1), SEEDS)
    reports = jax.jit(jax.vmap(lambda key: agent.train(key, TASK, config).reports))(keys)
    return np.asarray(reports.score)[:, -1]


@pytest.mark.parametrize("agent", CONFIGS)
def test_only_with_a_memory_is_a_cue_known_when_it_is_asked_for(agent):
    assert (np.abs(last_scores(agent, "none") - 0.5) < 0.1).all()
    for memory in ("gru", "stack") if agent is a2c else ("gru",):
        assert (last_scores(agent, memory) > 0.9).all(), memory
