"""Two renderings of one state: known states, known distributions, and what observations remember."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.analysis.shift import Told, values_of_level
from assay.core import step as loop
from assay.core.keys import episode_key, root, seed_words, step_key
from assay.core.variation import Channel
from assay.native import build_native
from assay.runs.evaluate import EvaluationSetup
from assay.runs.renderings import chances_in, choose_steps, observe_states, remembers, visit

# An action leads to the state of its number; every episode begins in state 0 and lasts 6 steps.
CIRCLE = ("toy/discrete+transition_function=[[0,1,2],[0,1,2],[0,1,2]]+terminal_state_density=0"
          "+init_state_dist=[1,0,0]+rewardable_sequences=[[0]]+horizon=6")  # fmt: skip
# The distributions in states 0, 1 and 2. Half the differences to the state after: 0.6, 0.55 and 0.45.
CHANCES = jnp.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])
WORDS = seed_words(0)


def go_round(task, params, memory, key, observation):
    return (observation + 1) % 3, memory + 1


def count_from_zero(task, params):
    return jnp.int32(0)


def chances(task, params, memory, observation):
    return params[observation]


def rotate(xp, level, memory, draw, value, ends, space):
    """The observation of another state: a permutation."""
    return memory, (value + level) % 3


def rotated(level):
    plain = build_native(CIRCLE).task
    channel = Channel(jnp.int32(level), "rotate", ("observation",), rotate, neutral=jnp.int32(0))
    return replace(plain, variations=(*plain.variations, channel))


@pytest.fixture(scope="module")
def visited():
    setup = EvaluationSetup(go_round, start_memory=count_from_zero)
    return visit(build_native(CIRCLE).task, CHANCES, WORDS, setup, episodes=2)


@pytest.fixture(scope="module")
def picks(visited):
    return choose_steps(visited.steps, states=12)


def told(task, visited, picks):
    return chances_in(build_native(CIRCLE).task, CHANCES, visited, picks, chances,
                      observe_states(task, WORDS, visited, picks))  # fmt: skip


def test_the_states_are_those_of_the_plain_episodes(visited, picks):
    seen = list(observe_states(build_native(CIRCLE).task, WORDS, visited, picks))
    assert [each.tolist() for each in seen] == [[0, 1, 2, 0, 1, 2]] * 2
    assert visited.memories[:, :6].tolist() == [[0, 1, 2, 3, 4, 5]] * 2
    assert visited.steps.tolist() == [6, 6]


def test_a_permutation_gives_the_distances_by_hand(visited, picks):
    plain, varied = (told(rotated(level), visited, picks) for level in (0, 1))
    assert plain[0] == pytest.approx(np.asarray(CHANCES)[[0, 1, 2, 0, 1, 2]])
    assert varied[0] == pytest.approx(np.asarray(CHANCES)[[1, 2, 0, 1, 2, 0]])
    values = values_of_level([Told(plain, varied, np.array([3.0, 3.0]), np.array([1.0, 2.0]))])
    assert values.distance == pytest.approx([(0.6 + 0.55 + 0.45) / 3] * 2)
    assert values.changed.tolist() == [1, 1] and values.gap.tolist() == [2, 1]
    by_hand = (
        0.7 * np.log(7) + 0.2 * np.log(0.25)
        + 0.1 * np.log(0.4) + 0.8 * np.log(3.2) + 0.1 * np.log(0.2)
        + 0.25 * np.log(0.25 / 0.7) + 0.25 * np.log(1.25) + 0.5 * np.log(5)
    )  # fmt: skip
    assert values.divergence == pytest.approx([by_hand / 3] * 2, abs=1e-4)


def test_the_same_rendering_gives_exactly_nothing(visited, picks):
    plain, same = told(build_native(CIRCLE).task, visited, picks), told(rotated(3), visited, picks)
    values = values_of_level([Told(plain, same, np.zeros(2), np.zeros(2))])
    assert all((each == 0).all() for each in values)


def test_states_are_spread_over_every_episode_and_short_ones_give_all():
    picks = choose_steps(np.array([6, 3, 100]), states=15)
    assert [each.tolist() for each in picks] == [[0, 1, 2, 4, 5], [0, 1, 2], [0, 25, 50, 74, 99]]


def test_a_delayed_observation_is_the_one_of_the_plain_episode_before(visited, picks):
    late = build_native(CIRCLE + "+observation.delay=2").task
    assert remembers(late) and not remembers(build_native(CIRCLE).task)
    seen = next(observe_states(late, WORDS, visited, picks)).tolist()
    assert seen[2:] == [0, 1, 2, 0]
    # Where few states are picked, those between them are observed all the same.
    few = [each[[0, 4]] for each in picks]
    assert next(observe_states(late, WORDS, visited, few)).tolist() == [seen[0], seen[4]]


@pytest.mark.parametrize("axis", ["observation.noise=0.5", "observation.dropout=0.5", "observation.delay=3"])
def test_the_rendering_is_what_the_varied_task_shows_after_the_same_actions(visited, picks, axis):
    task = build_native(f"{CIRCLE}+{axis}").task
    key = episode_key(root(WORDS), 1)
    observation, world = jax.jit(loop.reset)(task, step_key(key, 0))
    shown, step = [int(observation)], jax.jit(loop.step)
    for time in range(1, 6):
        out = step(task, step_key(key, time), world, jnp.int32(time % 3))
        world = out.state
        shown.append(int(out.observation))
    assert list(observe_states(task, WORDS, visited, picks))[1].tolist() == shown


@pytest.mark.slow
def test_scenes_of_pictures_are_carried_along_the_plain_episode():
    text = "platformer/run+episode_length=12"
    plain = build_native(text).task

    def right(task, params, memory, key, observation):
        return jnp.int32(2), memory

    visited = visit(plain, (), WORDS, EvaluationSetup(right), episodes=1)
    picks = choose_steps(visited.steps, states=12)
    for axis in ("npc.enabled", "background.mode=noise", "filters.gaussian_noise_std=20"):
        task = build_native(f"{text}+{axis}").task
        key = episode_key(root(WORDS), 0)
        observation, world = jax.jit(loop.reset)(task, step_key(key, 0))
        shown, step = [observation], jax.jit(loop.step)
        for time in range(1, 12):
            out = step(task, step_key(key, time), world, jnp.int32(2))
            world = out.state
            shown.append(out.observation)
        ours = next(observe_states(task, WORDS, visited, picks))
        # One byte in a million may be off by one where filters compute in floats.
        assert (np.abs(np.stack(shown).astype(int) - ours) > 1).sum() == 0, axis
