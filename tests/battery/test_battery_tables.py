"""A table as a native env and as a Gymnasium env: the same rewards, ends and observations."""

import jax
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from assay.battery import learning_tasks, tasks
from assay.battery.gym_table import TableEnv
from assay.battery.native_table import task_of
from assay.battery.spaces import BETWEEN, NUMBER, ROW, TWO
from assay.battery.table import NEVER, Draft
from assay.battery.tasks import Asked
from assay.core import step as loop
from assay.core.keys import root_of
from assay.errors import AssayError


def two_steps():
    """One cell where the episode begins, another, and an end: 0.25, then 0.5."""
    draft = Draft(np.random.default_rng(0))
    end, first, second = draft.end(), draft.cell(first=1.0), draft.cell()
    draft.force(first, second, 0.25)
    draft.force(second, end, 0.5)
    return draft


def play_natively(table, actions, sees=ROW, acts=TWO):
    task = task_of(table, sees, acts)
    seen, world = loop.reset(task, root_of(0))
    rows = []
    for i, action in enumerate(actions):
        out = loop.step(task, jax.random.fold_in(root_of(0), i), world, np.asarray(action))
        rows.append(
            (float(out.reward), bool(out.terminated), bool(out.truncated), np.asarray(out.observation))
        )
        world = out.state
    return np.asarray(seen), rows


def play_in_python(table, actions, acts=TWO):
    env = TableEnv(table, acts)
    seen, _ = env.reset(seed=0)
    return seen, [(step[1], step[2], step[3], step[0]) for step in map(env.step, actions)]


@pytest.mark.parametrize("play", [play_natively, play_in_python])
def test_two_steps_by_hand(play):
    table = two_steps().finish()
    seen, rows = play(table, [0, 1])
    assert seen.argmax() == 1 and rows[0][3].argmax() == 2 and rows[1][3].argmax() == 0
    assert [row[:3] for row in rows] == [(0.25, False, False), (0.5, True, False)]


@pytest.mark.parametrize("play", [play_natively, play_in_python])
def test_a_limit_cuts_and_an_end_in_its_step_terminates(play):
    draft = two_steps()
    draft.limit = 1
    assert play(draft.finish(), [0])[1][0][1:3] == (False, True)
    draft.limit = 2
    assert play(draft.finish(), [0, 0])[1][1][1:3] == (True, False)


@pytest.mark.parametrize("play", [play_natively, play_in_python])
def test_payments_turn_in_the_life_and_not_in_the_episode(play):
    draft = Draft(np.random.default_rng(0))
    cell = draft.cell(first=1.0)
    for action in (0, 1):
        draft.lead(cell, action, cell, 0.5, later=-0.5)
    draft.turn = 2
    assert [row[0] for row in play(draft.finish(), [0, 0, 0, 0])[1]] == [0.5, 0.5, -0.5, -0.5]


@pytest.mark.parametrize("play", [play_natively, play_in_python])
def test_the_ends_of_a_range_are_the_two_actions_and_a_distance_costs(play):
    draft = two_steps()
    draft.lead(1, 1, 2, 0.75)
    draft.bend[1], draft.aim[1] = 0.5, 1.0
    table = draft.finish()
    for chosen, paid in ((1.0, 0.75), (-1.0, 0.25 - 0.5 * 4)):
        rows = play(table, [np.array([chosen], np.float32)], acts=BETWEEN)[1]
        assert rows[0][0] == pytest.approx(paid)


def test_a_table_agent_sees_the_number_of_a_look_and_ends_may_look_like_starts():
    made = tasks.termination(np.random.default_rng(0), Asked(0.99, 8000))
    assert made.table.look[1] == 2  # the second end looks like the first start
    seen, _ = play_natively(two_steps().finish(), [0], sees=NUMBER)
    assert seen == 1 and seen.shape == ()


def test_the_gymnasium_env_passes_gymnasiums_checker():
    table = learning_tasks.exploration(np.random.default_rng(0), Asked(0.99, 8000)).table
    for acts in (TWO, BETWEEN):
        env = TableEnv(table._replace(limit=NEVER), acts)
        env.spec = None
        check_env(env, skip_render_check=True)


def test_what_is_no_action_is_refused():
    env = TableEnv(two_steps().finish())
    env.reset(seed=0)
    for action in (2, 0.5, float("nan"), "left", np.zeros(3)):
        with pytest.raises(AssayError, match="a whole number from 0 to 1"):
            env.step(action)
    env.step(0)
    env.step(0)
    with pytest.raises(AssayError, match="the episode has ended"):
        env.step(0)
