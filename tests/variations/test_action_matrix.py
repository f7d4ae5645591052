"""Channels of the action that a user describes."""

import json

import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.catalogue import axis_of
from assay.chance.task_channel import find_channel, measure_channel, space_of_actions
from assay.core import scalars
from assay.core.space import Discrete
from assay.core.variation import RUNNING
from assay.errors import NotApplicable, WrongLevel
from assay.tasks import resolve, task

ROBBER = "atari/BankHeist+action.restricted.0-9=0.3"


def send(name, level, draw, chosen, space, xp=scalars):
    """The action executed."""
    acts = axis_of("toy/discrete", name).acts
    if xp is not scalars:
        level, draw, chosen = xp.asarray(level), xp.asarray(draw), xp.asarray(chosen, space.dtype)
    return int(acts.apply(xp, level, (), draw, chosen, RUNNING, space)[1])


@pytest.mark.parametrize("xp", [scalars, jnp, np])
def test_a_replacement_is_drawn_from_the_named_actions_alone(xp):
    space = Discrete(8)
    executed = [
        send("action.restricted.1_4-5", 0.5, [0.49, draw], 7, space, xp) for draw in (0.0, 0.34, 0.99)
    ]
    assert executed == [1, 4, 5]
    assert send("action.restricted.1_4-5", 0.5, [0.5, 0.0], 7, space, xp) == 7


@pytest.mark.parametrize("xp", [scalars, jnp, np])
def test_a_matrix_executes_by_the_row_of_the_chosen_action(xp):
    rows, space = ((0.25, 0.75), (0.0, 1.0)), Discrete(2, start=3)
    assert [send("action.matrix", rows, draw, 3, space, xp) for draw in (0.2, 0.26, 0.999)] == [3, 4, 4]
    assert [send("action.matrix", rows, draw, 4, space, xp) for draw in (0.0, 0.999)] == [4, 4]


@pytest.mark.parametrize("xp", [scalars, jnp, np])
def test_one_row_stands_for_all_and_counts_from_the_chosen_action(xp):
    row = (0.5, 0.25, 0.25)
    executed = [send("action.matrix", row, draw, 3, Discrete(4), xp) for draw in (0.4, 0.6, 0.8)]
    assert executed == [3, 0, 1]


@pytest.mark.parametrize("xp", [scalars, jnp, np])
def test_a_number_is_the_chance_of_the_next_action(xp):
    assert [send("action.matrix", 0.25, draw, 3, Discrete(4), xp) for draw in (0.24, 0.25)] == [0, 3]


def test_an_action_without_a_chance_is_never_drawn():
    third = 1 / 3
    assert send("action.matrix", (third, third, third, 0.0), 0.99999997, 0, Discrete(4), jnp) == 2
    assert send("action.matrix", (third, third, third, 0.0), 0.99999997, 0, Discrete(4)) == 2


STEPS = 1000


def rate_of_events(text, name):
    env = assay.make(text, events=True)
    rng, events, executed = np.random.default_rng(0), 0, set()
    env.reset(seed=1)
    for _ in range(STEPS):
        *_, terminated, truncated, info = env.step(rng.integers(env.action_space.n))
        report = info["events"][name]
        events += bool(report.event)
        executed |= {int(report.detail)} if report.event else set()
        if terminated or truncated:
            env.reset()
    return events / STEPS, executed


@pytest.mark.parametrize("env", ["gym/FrozenLake-v1", "toy/grid"])
def test_replacements_come_at_their_rate_native_and_hosted(env):
    rate, executed = rate_of_events(f"{env}+action.restricted.0-1=0.3", "action.restricted.0-1")
    assert rate == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / STEPS))
    assert executed == {0, 1}


def test_a_matrix_can_follow_a_schedule():
    # From step 3 on the other action is always executed; before, the chosen one.
    for text in (
        "gym/CartPole-v1+action.matrix=[[0,1],[1,0]]@sudden:3",
        "gym/CartPole-v1+action.matrix=[0,1]@sudden:3",
    ):
        env = assay.make(text, events=True)
        env.reset(seed=0)
        told = [env.step(action)[-1]["events"]["action.matrix"] for action in (0, 1, 0, 0, 1, 1)]
        assert [report.detail for report in told] == [0, 1, 0, 1, 0, 0]
        assert [report.event for report in told] == [False] * 3 + [True] * 3


def test_a_native_matrix_on_a_schedule_is_as_chosen_before_it():
    native = assay.make_jax("toy/discrete+action.matrix=[0,1]@sudden:1+terminal_state_density=0.0")
    import jax

    _, world = native.reset(jax.random.key(0))
    first = native.step(jax.random.key(1), world, jnp.int32(2))
    assert int(first.executed) == 2
    assert int(native.step(jax.random.key(2), first.state, jnp.int32(7)).executed) == 0


def test_the_support_of_bank_heist_has_the_bits_of_the_chance_page():
    resolved = resolve(ROBBER)
    bits = measure_channel(find_channel(resolved, space_of_actions(resolved)))
    assert (round(bits.uniform, 3), round(bits.bits, 3)) == (2.339, 2.364)


def test_the_capacity_of_a_matrix_is_that_of_its_rows():
    # A binary symmetric channel of 1/4: 1 - H(1/4).
    resolved = resolve("gym/CartPole-v1+action.matrix=[[0.75,0.25],[0.25,0.75]]")
    bits = measure_channel(find_channel(resolved, space_of_actions(resolved))).bits
    assert bits == pytest.approx(1 + 0.75 * np.log2(0.75) + 0.25 * np.log2(0.25))
    for level in ("[0.75,0.25]", "0.25"):
        same = resolve(f"gym/CartPole-v1+action.matrix={level}")
        assert measure_channel(find_channel(same, space_of_actions(same))).bits == pytest.approx(bits)


def test_a_file_of_rows_becomes_part_of_the_text(tmp_path):
    for name, text in (("rows.json", json.dumps([[0.5, 0.5], [0, 1]])), ("rows.csv", "0.5,0.5\n0,1\n")):
        (tmp_path / name).write_text(text)
        written = task("gym/CartPole-v1", {"action.matrix": str(tmp_path / name)})
        assert str(written) == "gym/CartPole-v1+action.matrix=[[0.5,0.5],[0.0,1.0]]"


@pytest.mark.parametrize(
    "rows, says",
    [
        ([[0.5, 0.4], [0, 1]], "row 0 must add up to 1, not 0.9"),
        ([[0.5, 0.5], [1]], "row 1 has 1 of them, and there are 2 rows"),
        ([[0.5, 0.5], [1.5, -0.5]], "row 1 has 1.5, and a chance is from 0 to 1"),
        ([[0.5, 0.5], 1], "row 1 must be a list of chances"),
        ([0.5, 0.4], "row 0 must add up to 1"),
        ([], "at least one row"),
        (1.5, "write "),
        ("rows.txt", "neither a .json nor a .csv|cannot be read"),
    ],
)
def test_a_wrong_matrix_is_refused_with_its_row(rows, says):
    with pytest.raises(WrongLevel, match=says):
        task("gym/CartPole-v1", {"action.matrix": rows})


def test_a_matrix_for_other_actions_is_refused_at_the_first_step():
    env = assay.make("gym/CartPole-v1+action.matrix=[[1,0,0],[0,1,0],[0,0,1]]")
    env.reset(seed=0)
    with pytest.raises(NotApplicable, match="has 3 rows, and there are 2 actions"):
        env.step(0)


def test_an_action_that_does_not_exist_cannot_be_named():
    with pytest.raises(NotApplicable, match="names action 9, and the actions are 0 to 1"):
        assay.make("gym/CartPole-v1+action.restricted.0-9=0.3")


def test_actions_are_replaced_on_every_frame_where_channels_act_on_frames():
    env = assay.make("atari/BankHeist+sticky=0.0+action_channels=frame+action.restricted.0-9=1.0")
    env.reset(seed=0)
    executed = {code for _ in range(40) for code in env.step(17)[-1]["executed_frames"]}
    assert executed == set(range(10))
