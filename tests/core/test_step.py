"""reset, step and autoreset on hand-made MDPs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.core import step as loop
from assay.core.keys import episode_key, root_of, step_key
from assay.errors import NotApplicable
from assay.native import build_native
from assay.task_text import print_value

# Three states in a ring, action a moves a + 1 on; state 2 ends the episode unless a test says otherwise.
autoreset = jax.jit(loop.autoreset)
RING = "toy/discrete+transition_function=[[1,2,0],[2,0,1],[0,1,2]]+terminal_states=[]+init_state_dist=[1,0,0]"


def ring(*, terminal="", more=""):
    text = RING.replace("terminal_states=[]", f"terminal_states=[{terminal}]") if terminal else RING
    paid = "" if "rewardable" in more or "reward_function" in more else "+rewardable_sequences=[[0]]"
    return build_native(text.replace("+terminal_states=[]", "+terminal_state_density=0") + paid + more)


def play(named, actions, seed=0, episode=0):
    key = episode_key(root_of(seed), episode)
    seen, world = named.reset(step_key(key, 0))
    out = []
    for t, action in enumerate(actions):
        out.append(named.step(step_key(key, t + 1), world, action))
        world = out[-1].state
    return seen, out


def rewards(named, actions):
    return [float(each.reward) for each in play(named, actions)[1]]


ONE_ON, TWO_ON, STAY = 0, 1, 2  # the actions of the ring


class TestRewardsByHand:
    def test_a_state_pays_when_it_is_reached(self):
        named = ring(more="+rewardable_sequences=[[1]]")
        assert rewards(named, [ONE_ON, STAY, ONE_ON, TWO_ON]) == [1, 1, 0, 1]

    def test_the_start_state_is_never_part_of_a_sequence(self):
        named = ring(more="+rewardable_sequences=[[0,1]]")
        # 0 -> 1 does not count though the episode began in 0; 1 -> 0 -> 1 does, when the gate (n = 2) opens.
        assert rewards(named, [ONE_ON, TWO_ON, ONE_ON, TWO_ON]) == [0, 0, 0, 0]
        assert rewards(named, [STAY, ONE_ON, TWO_ON, ONE_ON]) == [0, 1, 0, 1]

    def test_the_gate_opens_every_n_steps(self):
        named = ring(more="+rewardable_sequences=[[1]]+reward_every_n_steps=3")
        assert rewards(named, [ONE_ON] + [STAY] * 6) == [0, 0, 1, 0, 0, 1, 0]

    def test_delay_pays_later(self):
        named = ring(more="+rewardable_sequences=[[1]]+delay=2")
        assert rewards(named, [ONE_ON, ONE_ON, ONE_ON, STAY]) == [0, 0, 1, 0]

    def test_gate_looks_at_completion_or_at_payment(self):
        base = "+rewardable_sequences=[[1]]+reward_every_n_steps=2+delay=1"
        # State 1 is held: completions at t = 1, 2, 3, 4, 5, paid a step later.
        assert rewards(ring(more=base), [ONE_ON] + [STAY] * 4) == [0, 0, 1, 0, 1]
        assert rewards(ring(more=base + "+gate=handout"), [ONE_ON] + [STAY] * 4) == [0, 1, 0, 1, 0]

    def test_order_of_noise_scale_shift_and_terminal_reward(self):
        more = "+rewardable_sequences=[[1]]+reward_scale=10+reward_shift=0.5+term_state_reward=2"
        named = ring(terminal="2", more=more)
        assert rewards(named, [ONE_ON, ONE_ON]) == [10.5, 20.5]

    def test_order_is_the_familys_whatever_the_texts(self):
        one = ring(more="+rewardable_sequences=[[1]]+reward_scale=10+reward_shift=0.5")
        other = ring(more="+rewardable_sequences=[[1]]+reward_shift=0.5+reward_scale=10")
        assert rewards(one, [ONE_ON, STAY]) == rewards(other, [ONE_ON, STAY]) == [10.5, 10.5]

    def test_make_denser_pays_parts_of_a_sequence(self):
        # The example of the spec: n = 3, only (3, 4, 1), walk 0 -> 3 -> 4 -> 1.
        step_to = [list(range(5)) for _ in range(5)]
        table = str(step_to).replace(" ", "")
        named = build_native(f"toy/discrete+transition_function={table}+terminal_state_density=0"
                       "+init_state_dist=[1,0,0,0,0]+rewardable_sequences=[[3,4,1]]+make_denser")  # fmt: skip
        np.testing.assert_allclose(rewards(named, [3, 4, 1]), [1 / 3, 2 / 3, 1], rtol=1e-6)

    def test_reward_function_pays_by_state_and_action(self):
        named = ring(more="+reward_function=[[0,0,5],[7,0,0],[0,0,0]]")
        assert rewards(named, [STAY, ONE_ON, ONE_ON]) == [5, 0, 7]

    def test_flush_on_end_pays_the_queue(self):
        named = ring(terminal="2", more="+rewardable_sequences=[[1]]+delay=2+flush_on_end")
        assert rewards(named, [ONE_ON, STAY, ONE_ON]) == [0, 0, 2]
        lost = ring(terminal="2", more="+rewardable_sequences=[[1]]+delay=2")
        assert rewards(lost, [ONE_ON, STAY, ONE_ON]) == [0, 0, 1]


class TestEnds:
    def test_time_limit_is_not_a_termination(self):
        _, out = play(ring(more="+horizon=3"), [STAY] * 3)
        assert [bool(s.truncated) for s in out] == [False, False, True]
        assert not any(bool(s.terminated) for s in out)

    def test_never_both_flags(self):
        _, out = play(ring(terminal="1", more="+horizon=1"), [ONE_ON])
        assert bool(out[-1].terminated) and not bool(out[-1].truncated)

    def test_last_observation_is_that_of_the_state_reached(self):
        _, out = play(ring(terminal="1"), [ONE_ON])
        assert int(out[-1].observation) == 1

    def test_score_is_the_plain_reward(self):
        named = ring(more="+rewardable_sequences=[[1]]+reward_scale=10+reward_shift=3+delay=1")
        _, out = play(named, [ONE_ON, STAY])
        assert [float(s.score) for s in out] == [1, 1]
        assert [float(s.reward) for s in out] == [3, 13]


@jax.jit
def begun(task, key, before):
    return loop.look(task, key, loop.start(task, key, before.life, before.clocks))


class TestAutoreset:
    def many(self, text, lanes=6, steps=60):
        named = build_native(text)
        keys = jax.vmap(lambda i: episode_key(root_of(3), i))(jnp.arange(lanes))
        _, worlds = jax.vmap(lambda k: loop.reset(named.task, k))(keys)
        return named, keys, worlds, steps

    def test_lanes_equal_single_runs(self):
        named, keys, worlds, steps = self.many("toy/discrete+delay=2+transition_noise=0.2+reward_noise=1")
        single = [jax.tree.map(lambda leaf, i=i: leaf[i], worlds) for i in range(len(keys))]
        for t in range(steps):
            now = jax.vmap(lambda k, t=t: step_key(k, t + 1))(keys)
            again = jax.vmap(lambda k, t=t: step_key(k, 10_000 + t))(keys)
            actions = jax.random.randint(jax.random.key(t), (len(keys),), 0, 8)
            seen, worlds, out, last = autoreset(named.task, now, again, worlds, actions)
            for i in range(len(keys)):
                alone = named.step(now[i], single[i], actions[i])
                # Compiled alone, noise may differ in its last bit from the batch; whole numbers never do.
                np.testing.assert_allclose(alone.reward, out.reward[i], rtol=1e-6)
                ended = bool(alone.terminated | alone.truncated)
                if ended:
                    assert int(last[i]) == int(alone.observation)
                    observation, single[i] = begun(named.task, again[i], alone.state)
                else:
                    observation, single[i] = alone.observation, alone.state
                assert int(seen[i]) == int(observation)

    def test_a_stack_of_tasks_equals_each_alone(self):
        tasks = [build_native(f"toy/discrete+mdp_seed={i}").task for i in range(3)]
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *tasks)
        keys = jax.random.split(jax.random.key(0), (3, 4))
        worlds = loop.for_every_lane(2, loop.reset)(stacked, keys)[1]
        actions = jax.random.randint(jax.random.key(1), (3, 4), 0, 8)
        together = autoreset(stacked, keys, keys, worlds, actions)
        for i, task in enumerate(tasks):
            lanes = jax.vmap(lambda k, task=task: loop.reset(task, k)[1])(keys[i])
            alone = autoreset(task, keys[i], keys[i], lanes, actions[i])
            for a, b in zip(jax.tree.leaves(alone), jax.tree.leaves(together), strict=True):
                np.testing.assert_array_equal(a, b[i])

    def test_value_function_at_the_end_sees_the_true_last_observation(self):
        named = ring(terminal="1")
        keys = jax.random.split(jax.random.key(0), 2)
        worlds = jax.vmap(lambda k: loop.reset(named.task, k)[1])(keys)
        _, _, _, value = loop.autoreset(
            named.task, keys, keys, worlds, jnp.array([ONE_ON, STAY]), lambda o: o * 10.0
        )
        assert float(value[0]) == 10.0


class TestStructure:
    def test_a_sweep_of_levels_is_one_trace(self):
        traces = []

        @jax.jit
        def run(task, key):
            traces.append(1)
            return loop.step(task, key, loop.reset(task, key)[1], jnp.int32(0)).reward

        for level in (0, 1, 4, 8):
            for noise in (0.0, 0.1, 0.5):
                run(
                    build_native(
                        f"toy/discrete+delay={level}+transition_noise={noise}+action.sticky={noise}"
                    ).task,
                    jax.random.key(0),
                )
        assert len(traces) == 1

    @pytest.mark.parametrize("env", ["toy/discrete", "toy/continuous", "toy/grid"])
    def test_no_lambda_and_no_closure_in_a_task(self, env):
        from assay.catalogue import variations

        functions = []
        for a in variations(env):
            if a.kind == "structure":
                continue
            setting = a.name if a.kind == "switch" else f"{a.name}={print_value(a.levels[-1])}"
            try:
                task = build_native(f"{env}{f'+{a.context}' if a.context else ''}+{setting}").task
            except NotApplicable:
                continue
            functions += [f for f in vars(task.env).values() if callable(f)]
            for v in task.variations:
                functions += [f for f in vars(v).values() if callable(f) and not hasattr(f, "share")]
        assert len(functions) > 50
        for each in functions:
            function = getattr(each, "func", each)  # what a name holds, such as a subset, is in a partial
            assert function.__name__ != "<lambda>" and function.__closure__ is None
            assert "<locals>" not in function.__qualname__

    def test_a_traced_level_beyond_its_memory_makes_every_reward_nan(self):
        env = build_native("toy/discrete")

        def reward(delay):
            task = env.at("delay", delay).task
            return loop.step(
                task, jax.random.key(1), loop.reset(task, jax.random.key(0))[1], jnp.int32(0)
            ).reward

        found = jax.vmap(reward)(jnp.array([0, 8, 9]))
        assert np.isnan(found).tolist() == [False, False, True]

    def test_at_equals_the_text(self):
        assert build_native("toy/discrete").at("delay", 4).text == build_native("toy/discrete+delay=4").text
        moved = build_native("toy/discrete+delay=4+reward_noise=1").at("delay", 2).text
        assert str(moved) == "toy/discrete+delay=2+reward_noise=1.0"

    def test_at_refuses_a_traced_structure(self):
        env = build_native("toy/discrete")
        with pytest.raises(ValueError, match="structure"):
            jax.vmap(lambda level: env.at("diameter", level).task.env.params.horizon)(jnp.arange(3))

    def test_at_keeps_the_schedule_and_a_longer_memory(self):
        assert (
            str(build_native("toy/discrete+delay=2@sudden:5").at("delay", 4).text)
            == "toy/discrete+delay=4@sudden:5"
        )
        longer = build_native("toy/discrete+delay=20")
        bounds = []

        def bound(level):
            bounds.append(longer.at("delay", level).task.variations[0].bound)
            return level

        jax.vmap(bound)(jnp.arange(3))
        assert bounds == [20]

    def test_a_traced_level_out_of_range_is_poison_and_a_fraction_is_refused(self):
        env, key = build_native("toy/discrete"), jax.random.key(0)

        def reward(name, level):
            task = env.at(name, level).task
            return loop.step(task, key, loop.reset(task, key)[1], jnp.int32(0)).reward

        for name, levels in [("delay", [0, -1]), ("transition_noise", [0.5, 3.0]), ("action.repeat", [1, 0])]:
            found = jax.vmap(lambda level, name=name: reward(name, level))(jnp.array(levels))
            assert np.isnan(found).tolist() == [False, True], name
        with pytest.raises(ValueError, match="the traced level is a float32"):
            jax.vmap(lambda level: reward("delay", level))(jnp.array([0.9]))

    def test_64_bit_jax_is_refused(self):
        with jax.enable_x64(True), pytest.raises(ValueError, match="32-bit"):
            build_native("toy/discrete")


def test_two_builds_of_a_name_that_holds_a_subset_are_one_program():
    first, second = (build_native("toy/discrete+action.restricted.0-3=0.3").task for _ in range(2))
    assert jax.tree.structure(first) == jax.tree.structure(second)
