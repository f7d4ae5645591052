"""The measure of the laws by hand: on a counter of which every touch can be counted in one's head."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.core.env import Env, Task, record
from assay.core.keys import seed_words
from assay.core.space import Box, Discrete
from assay.core.variation import Channel, Inner
from assay.proof.laws import native as laws

HOLD = laws.SCRIPTS.index("hold")
NUMBER = Box(-np.inf, np.inf)


@record
class Params:
    last: jax.Array  # () int32, where an episode ends


@record
class State:
    count: jax.Array  # () int32


def initial(key, params):
    return State(jnp.int32(0))


def transition(key, params, state, action):
    return State(state.count + 1)


def reward(key, params, state, action, after):
    return after.count.astype(jnp.float32)


def observation(key, params, state):
    return state.count.astype(jnp.float32)


def terminal(params, state):
    return state.count >= params.last


def horizon(params):
    return jnp.int32(100)


def spaces(params):
    return {"action": Discrete(2), "reward": NUMBER, "observation": NUMBER}


def counter(*variations, last=4, spaces=spaces):
    env = Env(Params(jnp.int32(last)), initial, transition, reward, observation, terminal, horizon, spaces)
    return Task(env, variations)


def at(level, kind, component, apply):
    return kind(jnp.float32(level), f"varies {component}", (component,), apply, neutral=jnp.float32(0))


def skips_two(function, level, key, params, state, action):
    """From 1 it goes to 1 + 1 + level."""
    after = function(key, params, state, action)
    return State(after.count + jnp.where(state.count == 1, level.astype(jnp.int32), 0))


def begins_at(function, level, key, params):
    return State(function(key, params).count + level.astype(jnp.int32))


def pays_more(xp, level, memory, draw, value, ends, space):
    return memory, value + level


def touched(*variations, steps=8, starts=False):
    plain = counter()
    trace = laws.follow(plain, counter(*variations), (), seed_words(0), HOLD, steps, starts)
    return {name: np.flatnonzero(marks).tolist() for name, marks in trace.touched.items()}, trace


def test_nothing_is_touched_where_nothing_is_varied():
    marks, trace = touched()
    assert not any(marks.values())
    assert trace.state.count.tolist() == [1, 2, 3, 4] * 2  # two episodes of four steps
    assert trace.terminated.tolist() == [False, False, False, True] * 2


def test_a_transition_is_touched_where_it_differs_and_rewards_that_follow_are_not():
    """Episodes are 0, 1, 3, 4: from 1 it goes to 3, for which the plain reward would pay 3 too."""
    marks, trace = touched(at(1, Inner, "transition", skips_two), steps=6)
    assert trace.state.count.tolist() == [1, 3, 4] * 2 and trace.reward.tolist() == [1, 3, 4] * 2
    assert marks.pop("transition") == [1, 4] and not any(marks.values())


def test_a_reward_channel_touches_the_reward_and_never_the_score():
    marks, trace = touched(at(0.5, Channel, "reward", pays_more), steps=4)
    assert marks.pop("reward") == [0, 1, 2, 3] and not any(marks.values())
    assert trace.reward.tolist() == [1.5, 2.5, 3.5, 4.5] and trace.score.tolist() == [1, 2, 3, 4]


def test_a_start_is_touched_on_the_first_step_of_each_episode_and_felt_where_it_leads_elsewhere():
    marks, trace = touched(at(2, Inner, "initial", begins_at), steps=4, starts=True)
    assert trace.state.count.tolist() == [3, 4, 3, 4]
    assert marks.pop("initial") == [0, 2] and marks.pop("start") == [0, 2] and not any(marks.values())


def test_values_differ_in_any_bit_or_in_shape():
    zero = jnp.float32(0)
    assert not laws.differs(zero, jnp.float32(0)) and laws.differs(zero, jnp.float32(-0.0))
    assert not laws.differs(jnp.float32(np.nan), jnp.float32(np.nan))  # the same bits
    assert laws.differs(jnp.zeros(2), jnp.zeros(3)) and laws.differs((zero, 1), (zero, 2))


def ends_by_one(params):
    return Task(
        Env(params, initial, lambda key, params, state, action: State(action), reward, observation, terminal,
            horizon, spaces), (),
    )  # fmt: skip


def test_the_careful_script_takes_an_action_that_does_not_end_the_episode():
    task = ends_by_one(Params(jnp.int32(1)))  # action 1 ends it, action 0 does not
    world = laws.loop.start(task, jax.random.key(0))
    chosen = [
        int(laws.choose(task, jax.random.key(n), world, laws.SCRIPTS.index("careful"), 1)) for n in range(12)
    ]
    plain = [
        int(laws.choose(task, jax.random.key(n), world, laws.SCRIPTS.index("random"), 1)) for n in range(12)
    ]
    # Of four candidates none is 0 once in sixteen times: then it ends like any other.
    assert sum(chosen) <= 3 < sum(plain)
    assert int(laws.choose(task, jax.random.key(0), world, HOLD, 1)) == 1


@pytest.mark.parametrize("space, low, high", [(Discrete(3, start=-1), -1, 1), (Box(2.0, 3.0, (2,)), 2, 3)])
def test_scripts_draw_from_the_whole_space(space, low, high):
    drawn = np.array([laws.sample(jax.random.key(n), space) for n in range(40)])
    assert drawn.min() >= low and drawn.max() <= high and drawn.max() - drawn.min() > (high - low) * 0.8


def more_actions(params):
    return spaces(params) | {"action": Discrete(3)}


def test_an_env_of_other_spaces_cannot_be_judged():
    assert laws.comparable(counter(), counter(at(1, Channel, "reward", pays_more))) == ""
    assert laws.comparable(counter(), counter(spaces=more_actions)) == "it changes the action space"
