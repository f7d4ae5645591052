"""Jumps of the state on toys."""

import numpy as np
import pytest

import assay
from assay.tasks import optimum


@pytest.mark.parametrize(
    "env",
    ["toy/discrete", *(pytest.param(env, marks=pytest.mark.slow) for env in ("toy/grid", "toy/continuous"))],
)
def test_a_jump_that_never_comes_changes_nothing_and_a_sure_one_lands_in_a_start(env):
    plain, never, sure = (
        assay.make(f"{env}{more}", events=True) for more in ("", "+state_jump=0.0", "+state_jump=1.0")
    )
    for each in (plain, never, sure):
        each.reset(seed=3)
    action = plain.action_space.sample()
    wanted, seen = plain.step(action), never.step(action)
    np.testing.assert_array_equal(seen[0], wanted[0])
    assert seen[-1]["events"]["state_jump"].event is False
    landed = sure.step(action)
    assert landed[-1]["events"]["state_jump"].event is True
    assert not landed[2], "no episode begins where one ends"


def test_jumps_lead_to_every_start_of_a_board():
    env = assay.make("toy/grid+grid_shape=[2,2]+state_jump=1.0")
    env.reset(seed=0)
    seen = {tuple(env.step(0)[0].tolist()) for _ in range(60)}
    assert seen == {(0, 0), (0, 1), (1, 0)}  # the last cell is the target


@pytest.mark.parametrize("env", ["toy/discrete", "toy/grid", "toy/continuous"])
def test_no_optimum_is_claimed_beside_jumps(env):
    assert optimum(f"{env}+state_jump=0.1").value is None
    assert "state_jump" in optimum(f"{env}+state_jump=0.1").how
