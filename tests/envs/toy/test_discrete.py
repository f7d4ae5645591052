"""toy/discrete as played: known means, the optimum found by playing, noise, irrelevant features."""

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.core import step as loop
from assay.core.keys import root_of, step_key
from assay.native import build_native


def returns_of(text, actions, seed=0):
    """The return of each row of actions, (rows, steps), all from the start of one episode."""
    task = build_native(text).task

    @jax.jit
    @jax.vmap
    def play(row):
        world = loop.reset(task, step_key(root_of(seed), 0))[1]

        def one(carry, action):
            world, alive = carry
            out = loop.step(task, step_key(root_of(seed), world.time + 1), world, action)
            return (out.state, alive & ~(out.terminated | out.truncated)), jnp.where(alive, out.reward, 0.0)

        return jax.lax.scan(one, (world, jnp.bool_(True)), row)[1].sum()

    return np.asarray(play(jnp.asarray(actions)))


SMALL = "toy/discrete+action_space_size=3+terminal_state_density=0.34+reward_density=0.5+horizon=6"
VARIED = ["", "+delay=1", "+delay=2+flush_on_end", "+sequence_length=2",
          "+sequence_length=2+delay=1+gate=handout", "+sequence_length=2+make_denser",
          "+sequence_length=2+make_denser+make_denser_mode=per_length", "+reward_every_n_steps=2+delay=1",
          "+reward_scale=-1.0+reward_shift=0.5", "+term_state_reward=3.0+delay=2", "+diameter=2",
          "+reward_dist=[-1.0,1.0]", "+sequence_length=2+repeats_in_sequences",
          "+reward_shift=-0.3+delay=1"]  # fmt: skip


@pytest.mark.parametrize("more", VARIED)
@pytest.mark.parametrize("mdp_seed", [0, 1])
def test_the_optimum_is_the_best_of_all_action_sequences(more, mdp_seed):
    start = "+init_state_dist=[1,0,0]" if "diameter" not in more else "+init_state_dist=[1,0,0,0,0,0]"
    text = f"{SMALL}+mdp_seed={mdp_seed}{start}{more}"
    everything = np.array(list(product(range(3), repeat=6)), np.int32)
    np.testing.assert_allclose(
        returns_of(text, everything).max(), assay.optimum(text).value, rtol=1e-5, atol=1e-5
    )


class TestKnownMeans:
    """The acceptance list of the spec: random play on the vanilla settings."""

    def play(self, text, episodes=20_000, steps=100):
        task = build_native(text).task

        def one(episode):
            key = jax.random.fold_in(root_of(0), episode)
            world = loop.reset(task, step_key(key, 0))[1]

            def body(carry, t):
                world, alive = carry
                action = jax.random.randint(
                    jax.random.fold_in(jax.random.key(1), episode * 1000 + t), (), 0, 8
                )
                out = loop.advance(task, step_key(key, t + 1), world, action)
                after = alive & ~(out.terminated | out.truncated)
                return (out.state, after), (alive, jnp.where(alive, out.reward, 0.0))

            _, (alive, paid) = jax.lax.scan(body, (world, jnp.bool_(True)), jnp.arange(steps))
            return alive.sum(), paid.sum()

        lengths, paid = jax.jit(jax.vmap(one))(jnp.arange(episodes))
        return np.asarray(lengths), np.asarray(paid)

    def test_vanilla(self):
        lengths, paid = self.play("toy/discrete")
        # Each step ends with chance 1/4 and pays with chance 1/8: four standard errors of 20,000 episodes.
        assert abs(lengths.mean() - 4) < 4 * lengths.std() / 20_000**0.5
        assert abs(paid.sum() / lengths.sum() - 1 / 8) < 0.006

    def test_delay_loses_what_is_not_paid_in_time(self):
        plain, late = self.play("toy/discrete")[1].mean(), self.play("toy/discrete+delay=2")[1].mean()
        # A reward is earned in a state that is not terminal: one more step is certain, a second is not (3/4).
        assert abs(late / plain - 3 / 4) < 0.03

    def test_noise_throws_to_every_other_state_alike(self):
        task = build_native("toy/discrete+transition_noise=1.0+terminal_state_density=0").task
        world = loop.reset(task, jax.random.key(0))[1]
        keys = jax.random.split(jax.random.key(1), 70_000)
        after = jax.jit(
            jax.vmap(lambda key: loop.advance(task, key, world, jnp.int32(0)).state.state.current)
        )(keys)
        counts = np.bincount(np.asarray(after), minlength=8)
        aimed = int(task.env.params.transitions[int(world.state.current), 0])
        assert counts[aimed] == 0
        others = np.delete(counts, aimed)
        assert np.abs(others - 10_000).max() < 5 * 93  # five standard deviations of a count


class TestIrrelevantFeatures:
    def test_both_parts_are_seen_and_only_one_matters(self):
        plain, more = build_native("toy/discrete"), build_native("toy/discrete+irrelevant_features")
        key = jax.random.key(5)
        assert more.spaces["observation"].n == (8, 8) and more.spaces["action"].n == (8, 8)
        seen, world = more.reset(key)
        alone, alone_world = plain.reset(key)
        assert int(seen[0]) == int(alone)
        for t in range(6):
            now = step_key(key, t)
            out, expected = more.step(now, world, jnp.array([t, 7 - t])), plain.step(now, alone_world, t)
            assert int(out.observation[0]) == int(expected.observation)
            assert (float(out.reward), bool(out.terminated)) == (
                float(expected.reward),
                bool(expected.terminated),
            )
            world, alone_world = out.state, expected.state

    def test_sizes_may_differ(self):
        named = build_native("toy/discrete+action_space_size=[8,3]+irrelevant_features+diameter=2")
        assert named.spaces["observation"].n == (16, 6) and named.spaces["action"].n == (8, 3)

    def test_channels_act_on_both_parts(self):
        named = build_native("toy/discrete+irrelevant_features+action.sticky=1.0")
        key = jax.random.key(0)
        _, world = named.reset(key)
        first = named.step(key, world, jnp.array([1, 2]))
        assert named.step(key, first.state, jnp.array([3, 4])).executed.tolist() == [1, 2]


def test_mdp_seed_is_apart_from_the_episodes_seed():
    one, other = build_native("toy/discrete+mdp_seed=0"), build_native("toy/discrete+mdp_seed=1")
    assert not np.array_equal(one.task.env.params.transitions, other.task.env.params.transitions)
    starts = [[int(named.reset(step_key(root_of(s), 0))[0]) for s in range(20)] for named in (one, other)]
    assert starts[0] == starts[1]


@pytest.mark.parametrize("more", ["+delay=3", "+sequence_length=2", "+reward_density=0.5",
                                  "+irrelevant_features", "+reward_noise=1",
                                  "+make_denser+sequence_length=2"])  # fmt: skip
def test_changing_one_dimension_leaves_the_table_unchanged(more):
    plain, varied = (
        build_native("toy/discrete").task.env.params,
        build_native(f"toy/discrete{more}").task.env.params,
    )
    np.testing.assert_array_equal(plain.transitions, varied.transitions)
    np.testing.assert_array_equal(plain.starts, varied.starts)


def test_a_hidden_mode_counts_actions_from_the_last():
    named = build_native("toy/discrete+hidden_mode=1.0+terminal_state_density=0")
    table, key = named.task.env.params.transitions, root_of(3)
    _, world = named.reset(key)
    for t, chosen in enumerate((1, 1, 6), 1):  # the mode flips at every step: the other way, as usual, ...
        state = int(world.state.current)
        world = named.step(step_key(key, t), world, chosen).state
        assert int(world.state.current) == int(table[state, chosen if t == 2 else 7 - chosen])


def test_aliased_states_look_alike_and_are_not():
    plain, aliased = build_native("toy/discrete"), build_native("toy/discrete+aliased=4")
    seen = []
    for number in range(20):
        key = step_key(root_of(number), 0)
        state, (observation, world) = int(plain.reset(key)[0]), aliased.reset(key)
        assert int(world.state.current) == state and int(observation) == state - state % 4
        seen.append(int(observation))
    assert set(seen) == {0, 4}


@pytest.mark.parametrize("more", ["+hidden_mode=0.5", "+aliased=2", "+delay=3", "+reward_noise=1.0"])
def test_changing_one_dimension_leaves_starts_and_noise_unchanged(more):
    found = []
    for text in ("toy/discrete+transition_noise=0.5", f"toy/discrete+transition_noise=0.5{more}"):
        task = build_native(text).task
        world = loop.start(task, step_key(root_of(0), 0))
        # Under hidden_mode another state is aimed at; how far from it the noise throws stays the same.
        keys = [step_key(root_of(0), t) for t in range(1, 9)]
        aimed = build_native(text.replace("+transition_noise=0.5", "")).task
        moves = [[loop.move(each, key, world, 0).current for each in (aimed, task)] for key in keys]
        found.append((int(world.state.current), [int(there - aim) % 8 for aim, there in moves]))
    assert found[0] == found[1] and len(set(found[0][1])) > 2
