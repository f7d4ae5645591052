"""Returns of several steps by hand: they stop at ends, time limits and the newest row, and keep to a lane."""

import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents.n_step import look_ahead
from assay.agents.replay import Transition


def ring(rewards, terminated=(), cut=()):
    rows = np.arange(len(rewards))
    terminated, cut = np.isin(rows, terminated), np.isin(rows, cut)
    return Transition(
        jnp.asarray(rows), jnp.asarray(rows), jnp.asarray(rewards, jnp.float32), jnp.asarray(rows + 100),
        jnp.asarray(terminated), jnp.asarray(terminated | cut),
    )  # fmt: skip


def ahead(replay, row, step, count, lanes=1):
    """Reward, observation after, and the worth of what follows, discounted by a half."""
    found, worth = look_ahead(replay, jnp.array([row]), jnp.int32(step), count, 0.5, lanes)
    return float(found.reward[0]), int(found.after[0]), float(worth[0])


PLAIN = ring([1.0, 10.0, 100.0, 1000.0])


@pytest.mark.parametrize("count, wanted", [
    (1, (1, 100, 0.5)), (2, (1 + 5, 101, 0.25)), (3, (1 + 5 + 25, 102, 0.125)),
])  # fmt: skip
def test_rewards_are_added_up_with_their_discounts(count, wanted):
    assert ahead(PLAIN, 0, 4, count) == wanted


def test_a_termination_ends_it_and_nothing_follows():
    assert ahead(ring([1, 10, 100, 1000], terminated=[1]), 0, 4, 3) == (6, 101, 0)
    assert ahead(ring([1, 10, 100, 1000], terminated=[0]), 0, 4, 3) == (1, 100, 0)


def test_a_time_limit_ends_it_and_the_last_observation_is_still_valued():
    assert ahead(ring([1, 10, 100, 1000], cut=[1]), 0, 4, 3) == (6, 101, 0.25)
    assert ahead(ring([1, 10, 100, 1000], cut=[0]), 0, 4, 3) == (1, 100, 0.5)


def test_the_newest_row_ends_it():
    assert ahead(PLAIN, 3, 4, 3) == (1000, 103, 0.5)
    assert ahead(PLAIN, 2, 4, 3) == (600, 103, 0.25)


def test_the_ring_goes_on_at_its_beginning_up_to_the_newest_row():
    # Six steps into four rows: rows 0 and 1 are steps 4 and 5, and row 2 is the oldest.
    assert ahead(PLAIN, 3, 6, 3) == (1000 + 0.5 + 2.5, 101, 0.125)
    assert ahead(PLAIN, 0, 6, 3) == (1 + 5, 101, 0.25)
    assert ahead(PLAIN, 1, 6, 3) == (10, 101, 0.5)


def test_a_half_filled_ring_has_nothing_behind_its_newest_row():
    assert ahead(PLAIN, 1, 2, 3) == (10, 101, 0.5)


def test_lanes_do_not_mix():
    assert ahead(PLAIN, 0, 4, 2, lanes=2) == (1 + 50, 102, 0.25)
    assert ahead(PLAIN, 1, 4, 3, lanes=2) == (10 + 500, 103, 0.25)
