"""Streams: named, independent, and shared by plain and varied runs in every episode."""

import jax
import numpy as np
import pytest

from assay.catalogue import entries
from assay.core.axis import COMPONENTS
from assay.core.keys import episode_key, root_of, seed_words, step_key
from assay.core.streams import generator, number_of
from assay.native import build_native


def test_no_two_names_of_the_catalogue_share_a_stream():
    names = {axis.name for entry in entries().envs for axis in entry.axes} | {
        a.name for a in entries().variations
    }
    names |= {f"{name}@clock" for name in names} | set(COMPONENTS) | {"scene"}
    assert len({number_of(name) for name in names}) == len(names) > 90


def test_seeds_up_to_64_bits_are_different_keys():
    seeds = [0, 1, 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**64 - 1]
    assert len({seed_words(seed).tobytes() for seed in seeds}) == len(seeds)
    assert seed_words(5).tolist() == [0, 5]


def test_generators_are_named_by_all_their_parts():
    draws = {
        generator(*name).random() for name in [(0, 0, "a"), (0, 1, "a"), (1, 0, "a"), (0, 0, "b"), (0, 0)]
    }
    assert len(draws) == 5
    assert generator(np.int64(3), "a").random() == generator(3, "a").random()


def test_the_number_of_a_name_is_the_same_in_every_process():
    assert number_of("action.sticky") == 459719731  # a crc, not Python's hash, which is salted per process


def episodes(text, count=6, steps=40, seed=3):
    """Start state and executed transitions' noise of several episodes, each under the same actions."""
    named, found = build_native(text), []
    actions = np.random.default_rng(0).integers(8, size=(count, steps))
    for episode in range(count):
        key = episode_key(root_of(seed), episode)
        _, world = named.reset(step_key(key, 0))
        states, scores = [int(world.state.current)], []
        for t in range(steps):
            out = named.step(step_key(key, t + 1), world, actions[episode, t])
            states.append(int(out.state.state.current))
            scores.append(float(out.score))
            world = out.state
            if out.terminated or out.truncated:
                break
        found.append((states, scores))
    return found


@pytest.mark.parametrize(
    "more",
    ["+delay=4", "+reward_noise=5", "+observation.noise=0.5", "+observation.delay=2", "+reward.sparsify=5",
     "+observation.irrelevant=3", "+reward_scale=3+reward_shift=1+term_state_reward=2"],
)  # fmt: skip
def test_plain_and_varied_runs_share_every_state_in_every_episode(more):
    assert episodes("toy/discrete+transition_noise=0.3") == episodes(
        f"toy/discrete+transition_noise=0.3{more}"
    )


def test_a_later_episode_starts_alike_however_long_the_earlier_ones_were():
    plain = [states[0] for states, _ in episodes("toy/discrete", count=12)]
    shorter = [states[0] for states, _ in episodes("toy/discrete+horizon=2", count=12)]
    noisy = [states[0] for states, _ in episodes("toy/discrete+transition_noise=0.9", count=12)]
    assert plain == shorter == noisy
    assert len(set(plain)) > 1


def test_one_variations_draws_never_shift_anothers():
    def noise(text):
        named, key = build_native(text), episode_key(root_of(0), 0)
        world, found = named.reset(step_key(key, 0))[1], []
        for t in range(20):
            out = named.step(step_key(key, t + 1), world, 0)
            found.append(float(out.reward - out.score))
            world = out.state
        return found

    alone = noise("toy/discrete+reward_noise=1")
    for beside in (
        "+action.sticky=0",
        "+action.sticky=0.5",
        "+transition_noise=0.5",
        "+observation.noise=0.3",
    ):
        np.testing.assert_allclose(noise(f"toy/discrete+reward_noise=1{beside}"), alone, rtol=1e-5, atol=1e-6)


def test_global_random_state_has_no_effect():
    first = episodes("toy/discrete+transition_noise=0.3", count=2)
    np.random.seed(99)
    assert episodes("toy/discrete+transition_noise=0.3", count=2) == first
    assert jax.config.jax_enable_x64 is False
