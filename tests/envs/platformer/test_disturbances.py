"""Gusts and slips of the platformer."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.envs.platformer.disturbances import LIFT, PUSH, blow, lose_grip, report_gust, report_slip

LEFT, RIGHT, JUMP = 1, 2, 4


@dataclass(frozen=True)
class Motion:
    vx: float = 0.5
    vy: float = 0.0
    grounded: bool = True


def keep(key, params, state, action):
    """In place of the step itself: what it was given."""
    return state, action


def keys(count=200):
    return [jax.random.key(seed) for seed in range(count)]


def test_a_sure_gust_lifts_and_pushes_to_either_side_before_the_step():
    pushes = [blow(keep, 1.0, key, None, Motion(), RIGHT)[0] for key in keys(40)]
    assert {float(moved.vx) for moved in pushes} == {0.5 - PUSH, 0.5 + PUSH}
    assert {float(moved.vy) for moved in pushes} == {-LIFT}


def test_gusts_come_at_their_rate_and_report_their_push():
    told = [report_gust(0.3, key, None, Motion(), RIGHT, None) for key in keys()]
    moved = [blow(keep, 0.3, key, None, Motion(), RIGHT)[0] for key in keys()]
    assert np.mean([bool(event) for _, event, _ in told]) == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / 200))
    for (_, event, push), each in zip(told, moved):
        assert float(each.vx) == 0.5 + float(push) and bool(event) == (float(push) != 0)


def test_a_slip_takes_the_sides_and_leaves_the_jump():
    executed = lose_grip(keep, 1.0, jax.random.key(0), None, Motion(), jnp.int32(RIGHT | JUMP))[1]
    assert int(executed) == JUMP


def test_nobody_slips_in_the_air():
    airborne = replace(Motion(), grounded=jnp.bool_(False))
    assert int(lose_grip(keep, 1.0, jax.random.key(0), None, airborne, jnp.int32(LEFT))[1]) == LEFT
    could, did, _ = report_slip(1.0, jax.random.key(0), None, airborne, LEFT, None)
    assert not could and not did


@pytest.mark.slow
def test_an_agent_that_always_slips_cannot_run_on_the_ground():
    ends = []
    for more in ("", "+slip=1.0"):
        env = assay.make(f"platformer/run+observation=state{more}", events=True)
        env.reset(seed=0)
        ends.append([env.step(RIGHT) for _ in range(30)][-1][0][0])
    assert ends[1] < ends[0]
