"""Functions of one's own in toy tasks, the gate under a delay, invalid actions: by hand, then refused."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.core import step as loop
from assay.core.keys import root_of, step_key
from assay.envs.toy import examples
from assay.envs.toy.discrete_tables import generate
from assay.errors import AssayError, NotApplicable
from assay.native import build_native
from assay.tasks import resolve

KEY = root_of(0)
HERE, NAMED = __name__, examples.__name__
NO_FUNCTION = 3
RING = {"transition_function": f"{HERE}:four_in_a_ring", "action_space_size": 2, "state_space_size": 4}


def four_in_a_ring(state, action):
    return (state + (1, 3)[action]) % 4  # plain Python: a tuple cannot be indexed by a traced number


def pays_two(history, action):
    return jnp.where(history[-1] == 2, 1.0, 0.0)


def reads_off(history, action):
    """The history as the digits of one number, and the action behind the point."""
    return (history * jnp.array([1000, 100, 10, 1])).sum() + 0.1 * action


def is_three(state):
    return np.bool_(state == 3)


def never(state):
    return False


def a_half(key, state, action):
    return 0.5


def a_half_everywhere(key, state, action):
    return jnp.full(2, 0.5)


def state_and_action(key, state, action):
    return 10.0 * state + action


def halfway(state, action):
    return state / 2 + action


def whole_way(history, action):
    return history[-1, 0] - history[0, 0] + action[1]


def high_up(position):
    return position[1] > 3


def off_the_ring(state, action):
    return state + action


def half_a_state(state, action):
    return 0.5


def fails(*arguments):
    raise RuntimeError("no such thing")


def branches(history, action):
    return 1.0 if history[-1] == 2 else 0.0


def two_rewards(history, action):
    return jnp.zeros(2)


def says_nothing(*arguments):
    return None


def by_numpy(state, action, rng):
    return rng.normal()


def one_only(state):
    return state


def always(place):
    return place[0] < 100


def discrete(*actions, start=0, **config):
    """The steps of toy/discrete from one state, in plain Python; four states in a ring."""
    task = build_native("toy/discrete", RING | {"terminal_states": f"{HERE}:never"} | config).task
    world = blank(task)
    state = replace(world.state, current=jnp.int32(start))
    if state.history is not None:
        state = replace(state, history=jnp.full_like(state.history, -1).at[-1].set(start))
    return played(task, replace(world, state=state), jnp.int32, actions)


def blank(task):
    """A world that has just begun, all zeros: a start need not be compiled."""
    shapes = jax.eval_shape(loop.start, task, KEY)
    return jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), shapes)


def point(*actions, place=(4.0, 0.0), **config):
    """The steps of toy/continuous from a place."""
    task = build_native("toy/continuous", config).task
    world = blank(task)
    state, place = world.state, jnp.array(place)
    past = jnp.full_like(state.past, jnp.nan)
    past = past.at[-1].set(place) if len(past) else past
    state = replace(state, derivatives=state.derivatives.at[0].set(place), shown=place, past=past)
    return played(task, replace(world, state=state), jnp.float32, actions)


# Compiled in haste: each task is played for a few steps only.
step = jax.jit(loop.step, compiler_options={"xla_backend_optimization_level": 0})


def played(task, world, kind, actions):
    outs = []
    for action in actions:
        out = step(task, step_key(KEY, world.time + 1), world, jnp.asarray(action, kind))
        outs.append(out)
        world = out.state
    return outs


def seen(outs):
    return np.array([out.observation for out in outs]).tolist()


def rewards(outs):
    return [round(float(out.reward), 4) for out in outs]


class TestGate:
    """Six steps, each earning alike, with every second one paid, one step late."""

    @pytest.mark.parametrize("gate, paid", [
        ("completion", [0, 0, 1, 0, 1, 0]),  # earned at steps 2 and 4
        ("handout", [0, 1, 0, 1, 0, 1]),  # paid at steps 2, 4 and 6
    ])  # fmt: skip
    def test_by_hand(self, gate, paid):
        timing = {"delay": 1, "reward_every_n_steps": 2} | ({} if gate == "completion" else {"gate": gate})
        assert rewards(point(*[[-0.5, 0.0]] * 6, **timing)) == [each / 2 for each in paid]
        ones = [[1.0, 1.0]] * 4
        assert rewards(discrete(*[0] * 6, reward_function=ones, **timing)) == paid
        task = build_native("toy/grid", timing).task
        assert rewards(played(task, blank(task), jnp.int32, [2] * 6)) == paid

    @pytest.mark.parametrize("env", ["toy/continuous", "toy/grid"])
    def test_it_acts_beside_a_delay_and_closed_steps_only(self, env):
        with pytest.raises(NotApplicable, match="gate acts only with"):
            build_native(f"{env}+gate=handout+delay=1")
        with pytest.raises(NotApplicable, match="under gate=handout the level of delay is part of the env"):
            build_native(f"{env}+gate=handout+reward_every_n_steps=2+delay=1@sudden:3")
        build_native(f"{env}+delay=2@sudden:3")


class TestDiscrete:
    def test_a_ring_that_pays_state_two(self):
        outs = discrete(0, 0, 0, 1, 1, reward_function=f"{HERE}:pays_two")
        assert seen(outs) == [1, 2, 3, 2, 1] and rewards(outs) == [0, 1, 0, 1, 0]
        assert [float(out.score) for out in outs] == rewards(outs)

    def test_a_reward_looks_back_past_the_start(self):
        outs = discrete(0, 0, 0, 1, reward_function=f"{HERE}:reads_off", sequence_length=3,
                        reward_every_n_steps=1)  # fmt: skip
        # -1 -1 0 1; then -1 0 1 2; 0 1 2 3; 1 2 3 2 by action 1
        assert rewards(outs) == [-1099, -988, 123, pytest.approx(1232.1)]

    def test_noise_throws_what_the_function_says(self):
        out = discrete(0, reward_function=f"{HERE}:pays_two", transition_noise=1.0)[0]
        assert seen([out]) != [1] and rewards([out]) == [float(seen([out]) == [2])]

    def test_terminal_states(self):
        outs = discrete(0, 0, terminal_states=f"{HERE}:is_three", start=1, reward_density=1.0)
        assert [bool(out.terminated) for out in outs] == [False, True]
        tables = generate(resolve_settings(terminal_states=f"{HERE}:is_three"))
        assert np.flatnonzero(tables.terminals).tolist() == [3]
        assert not generate(resolve_settings(terminal_states=f"{HERE}:never")).terminals.any()

    def test_the_truth_tells_the_table(self):
        text = f"toy/discrete+action_space_size=2+transition_function={HERE}:four_in_a_ring"
        facts = assay.make(f"{text}+state_space_size=4+reward_density=1.0").facts()
        assert facts["transition_function"].tolist() == [[1, 3], [2, 0], [3, 1], [0, 2]]

    def test_a_table_and_its_function_have_one_optimum(self):
        written = {"transition_function": [[1, 3], [2, 0], [3, 1], [0, 2]]}
        more = {"rewardable_sequences": [[[2], 1.0]], "terminal_state_density": 0.0}
        both = [assay.optimum("toy/discrete", config | more).value for config in (written, RING)]
        assert both[0] == both[1] > 0
        value, how = assay.optimum("toy/discrete", RING | {"reward_function": f"{HERE}:pays_two"})
        assert value is None and "function of your own" in how


def resolve_settings(**config):
    found = resolve("toy/discrete", config)
    return found.settings


class TestContinuous:
    def test_a_transition_by_hand(self):
        outs = point([1.0, 0.5], [0.0, 0.0], transition_function=f"{HERE}:halfway")
        assert seen(outs) == [[3.0, 0.5], [1.5, 0.25]]
        outs = point([1.0, 0.0], transition_function=f"{HERE}:halfway", state_space_max=2.5)
        assert seen(outs) == [[2.5, 0.0]]  # walls still hold it

    def test_a_reward_by_hand(self):
        outs = point([-0.5, 0.0], [-0.5, 0.25], reward_function=f"{HERE}:whole_way", sequence_length=1)
        assert rewards(outs) == [-0.5, -0.25]
        outs = point(*[[-0.5, 0.0]] * 3, reward_function=f"{HERE}:whole_way", sequence_length=2)
        np.testing.assert_equal(rewards(outs), [np.nan, -1.0, -1.0])  # NaN before the start
        assert not outs[0].terminated

    def test_an_own_reward_has_no_target(self):
        assert not point([0.0, 0.0], place=(0.0, 0.0), reward_function=f"{HERE}:whole_way")[0].terminated

    def test_an_end_by_hand(self):
        outs = point([0.0, 0.5], [0.0, 0.5], place=(4.0, 2.5), terminal_states=f"{HERE}:high_up")
        assert [bool(out.terminated) for out in outs] == [False, True]
        task = build_native("toy/continuous", {"terminal_states": f"{HERE}:high_up"}).task
        starts = jax.jit(jax.vmap(lambda key: loop.start(task, key).state.shown[1]))
        assert starts(jax.random.split(KEY, 500)).max() <= 3

    def test_noise_by_hand(self):
        outs = point([0.0, 0.0], [1.0, 0.0], transition_noise_function=f"{HERE}:a_half_everywhere")
        assert seen(outs) == [[4.5, 0.5], [6.0, 1.0]]
        apart = {"transition_noise_function": f"{HERE}:a_half_everywhere", "noise_kind": "observation"}
        outs = point([0.0, 0.0], [1.0, 0.0], **apart)
        assert seen(outs) == [[4.5, 0.5], [5.5, 0.5]]


class TestRewardNoise:
    def test_it_is_paid_and_not_scored(self):
        outs = discrete(0, 0, reward_function=f"{HERE}:pays_two", reward_noise_function=f"{HERE}:a_half",
                        reward_scale=2.0)  # fmt: skip
        assert rewards(outs) == [1.0, 3.0] and [float(out.score) for out in outs] == [0.0, 1.0]
        outs = point([-1.0, 0.0], reward_noise_function=f"{HERE}:a_half")
        assert rewards(outs) == [1.5] and float(outs[0].score) == 1.0

    def test_it_is_shown_where_the_action_was_chosen(self):
        noise = {"reward_noise_function": f"{HERE}:state_and_action"}
        assert rewards(discrete(0, 1, reward_function=[[0.0, 0.0]] * 4, **noise)) == [0.0, 11.0]

    def test_closed_steps_have_it_too_and_a_delay_holds_it_back(self):
        config = {"reward_noise_function": f"{HERE}:a_half", "reward_every_n_steps": 2, "delay": 1}
        assert rewards(point(*[[-1.0, 0.0]] * 3, **config)) == [0.0, 0.5, 1.5]

    def test_its_draws_are_its_own(self):
        for env, name in (("toy/discrete", "uneven"), ("toy/continuous", "gusts")):
            plain = build_native(f"{env}+reward_noise=1.0").task
            noisy = build_native(f"{env}+reward_noise=1.0+reward_noise_function={NAMED}:{name}").task
            worlds = [at_two(blank(task)) for task in (plain, noisy)]
            action = jnp.zeros(2) if "cont" in env else jnp.int32(0)
            one, other = (step(t, step_key(KEY, 1), w, action) for t, w in zip((plain, noisy), worlds))
            assert np.array_equal(one.observation, other.observation)
            assert float(one.score) == float(other.score) and float(one.reward) != float(other.reward)


def at_two(world):
    here = "current" if hasattr(world.state, "current") else "shown"
    return replace(world, state=replace(world.state, **{here: getattr(world.state, here) + 2}))


@pytest.mark.parametrize("name", ["discrete+transition_function={0}:ring+reward_function={0}:pays_two"
                                  "+reward_noise_function={0}:uneven",
                                  "continuous+transition_function={0}:turned+terminal_states={0}:beyond_three"
                                  "+transition_noise_function={0}:wind"])  # fmt: skip
def test_tasks_of_one_text_share_a_program(name):
    one, other = (build_native("toy/" + name.format(NAMED)).task for _ in range(2))
    assert jax.tree.structure(one) == jax.tree.structure(other)
    assert hash(jax.tree.structure(one)) == hash(jax.tree.structure(other))
    jax.tree.map(lambda *leaves: jnp.stack(leaves), one, other)
    assert assay.make("toy/" + name.format(NAMED)).reset(seed=0)


class TestInvalidActions:
    """A point of order 2 that moves at speed 1, then pushed beyond the bounds."""

    @pytest.mark.parametrize("how, after, speed", [
        ("clip", [6.0, 0.5], [2.0, 1.0]),  # as [1, 1]
        ("zero", [5.5, 0.0], [1.0, 0.0]),  # it coasts on
        ("hold", [4.5, 0.0], [1.0, 0.0]),  # it stays, and keeps its speed
    ])  # fmt: skip
    def test_by_hand(self, how, after, speed):
        outs = point([1.0, 0.0], [1.5, 1.0], transition_dynamics_order=2, invalid_action=how)
        np.testing.assert_allclose(seen(outs), [[4.5, 0.0], after], atol=1e-6)
        np.testing.assert_allclose(outs[1].state.state.derivatives[1], speed, atol=1e-6)
        assert int(outs[1].state.state.time) == 2

    def test_in_a_compiled_program_an_error_is_nan(self):
        outs = point([1.0, 0.0], [1.5, 0.0], [np.nan, 0.0], invalid_action="error")
        np.testing.assert_equal(rewards(outs), [-1.0, np.nan, np.nan])
        np.testing.assert_equal([float(out.score) for out in outs], [-1.0, np.nan, np.nan])

    def test_held_it_is_still_though_there_is_noise(self):
        noise = {"transition_noise": 1.0, "reward_function": "move_along_a_line", "sequence_length": 2}
        outs = point([0.0, 0.0], [1.5, 0.0], invalid_action="hold", **noise)
        assert seen(outs)[0] == seen(outs)[1] and np.array_equal(*outs[1].state.state.past)


REFUSED = [
    ("toy/discrete", {"transition_function": "no_such_module:f"}, "cannot be imported", "module:function"),
    ("toy/discrete", {"transition_function": f"{HERE}:no_such_name"}, "cannot be imported", "no_such_name"),
    ("toy/discrete", {"transition_function": f"{HERE}:NO_FUNCTION"}, "names a int", "name a function"),
    ("toy/discrete", {"transition_function": "ring"}, "transition_function takes a list", "'ring'"),
    ("toy/discrete", {"transition_function": f"{HERE}:off_the_ring"},
     "returns 8 for state 1 and action 7", "a state from 0 to 7"),
    ("toy/discrete", {"transition_function": f"{HERE}:half_a_state"}, "returns 0.5 for state 0", "0 to 7"),
    ("toy/discrete", {"transition_function": f"{HERE}:fails"}, "fails for state 0 and action 0", "Runtime"),
    ("toy/discrete", {"transition_function": f"{HERE}:one_only"}, "fails for state 0", "TypeError"),
    ("toy/discrete", {**RING, "state_space_size": 3}, "returns 3 for state 0 and action 1", "from 0 to 2"),
    ("toy/discrete", {**RING, "diameter": 2}, "diameter=2 needs 2 sets", "leave diameter out"),
    ("toy/discrete", {"state_space_size": 4}, "state_space_size acts only with transition_function", ""),
    ("toy/discrete", {"transition_function": [[1], [0]], "state_space_size": 3}, "state_space_size is 2", ""),
    ("toy/discrete", {"terminal_states": f"{HERE}:fails"}, "terminal_states", "fails for state 0"),
    ("toy/discrete", {"terminal_states": f"{HERE}:says_nothing"}, "returns", "True or False"),
    ("toy/discrete", {"reward_function": f"{HERE}:branches"}, "cannot be traced on jax's (history, action)",
     "MDP Playground's functions, of numpy values"),
    ("toy/discrete", {"reward_function": f"{HERE}:two_rewards"}, "returns an array of shape (2,)", "one num"),
    ("toy/discrete", {"reward_function": f"{HERE}:says_nothing"}, "returns nothing", "one number"),
    ("toy/discrete", {"reward_function": f"{HERE}:pays_two", "reward_density": 0.5}, "nothing for", ""),
    ("toy/discrete", {"reward_noise_function": f"{HERE}:by_numpy"}, "cannot be traced on jax's (key, state,",
     "an rng, do not compile"),
    ("toy/discrete", {"reward_noise_function": "uneven"}, "reward_noise_function takes the text", "'uneven'"),
    ("toy/discrete", {"reward_noise_function": 0.5}, "reward_noise_function takes the text", "not 0.5"),
    ("toy/continuous", {"transition_function": f"{HERE}:one_only"}, "cannot be traced", "TypeError"),
    ("toy/continuous", {"transition_function": f"{HERE}:pays_two"}, "returns an array of shape ()", "(2,)"),
    ("toy/continuous", {"transition_function": f"{HERE}:halfway", "inertia": 2.0}, "nothing for inertia", ""),
    ("toy/continuous", {"transition_noise_function": f"{HERE}:a_half"}, "shape ()", "numbers of shape (2,)"),
    ("toy/continuous", {"reward_function": f"{HERE}:two_rewards"}, "shape (2,)", "one number"),
    ("toy/continuous", {"reward_function": f"{HERE}:whole_way", "target_radius": 1.0}, "acts only with", ""),
    ("toy/continuous", {"terminal_states": f"{HERE}:one_only"}, "shape (2,)", "True or False"),
    ("toy/continuous", {"terminal_states": f"{HERE}:always"}, "take 100% of the box", "terminal_states"),
    ("toy/continuous", {"terminal_states": f"{HERE}:high_up", "term_state_edge": 2.0}, "drop it", "edge"),
    ("toy/continuous", {"invalid_action": "ignore"}, "invalid_action takes one of clip, zero", "'ignore'"),
    ("toy/grid", {"terminal_states": f"{HERE}:fails"}, "fails for the cell [0, 0]", "RuntimeError"),
    ("toy/grid", {"reward_noise_function": f"{HERE}:a_half_everywhere"}, "shape (2,)", "one number"),
]  # fmt: skip


@pytest.mark.parametrize("env, config, begins, holds", REFUSED)
def test_it_is_refused_in_one_sentence(env, config, begins, holds):
    with pytest.raises(AssayError) as refused:
        build_native(env, config)
    said = str(refused.value)
    assert begins in said and holds in said and said.endswith(".") and "\n" not in said
