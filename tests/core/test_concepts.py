"""Clocks of concepts that follow one another."""

import jax.numpy as jnp
import numpy as np
import pytest

from assay.core import scalars
from assay.core.concepts import Turn, Window


def steps_on(clock, xp, steps=12):
    return [time for time in range(steps) if clock.share(xp, (), xp.asarray(time, "int32")) > 0.5]


@pytest.mark.parametrize("xp", [scalars, np, jnp])
def test_a_window_is_on_from_its_first_step_up_to_its_last(xp):
    assert steps_on(Window(3, 6), xp) == [3, 4, 5]


@pytest.mark.parametrize("xp", [scalars, np, jnp])
def test_turns_follow_one_another_and_come_again(xp):
    assert steps_on(Turn(2, 0, 3), xp) == [0, 1, 6, 7]
    assert steps_on(Turn(2, 1, 3), xp) == [2, 3, 8, 9]
