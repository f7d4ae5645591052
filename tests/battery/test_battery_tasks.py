"""The right answers of the battery's tasks, worked out by hand and by exact dynamic programming."""

import numpy as np
import pytest

from assay.battery import learning_tasks, tasks
from assay.battery.battery_tests import TESTS
from assay.battery.table import CELLS, LONGEST_PATH, MOST_QUESTIONS, solve
from assay.battery.tasks import Asked

DISCOUNTS = (tasks.LEAST_DISCOUNT, 0.95, 0.99, tasks.MOST_DISCOUNT)
SOLVED = (
    tasks.values, tasks.discounting, tasks.termination, tasks.truncation, tasks.sizes, tasks.delay,
    learning_tasks.exploration, learning_tasks.noise, learning_tasks.approximation,
)  # fmt: skip


def exam(make, discount=0.99, n_step=4, seed=0):
    return make(np.random.default_rng(seed), Asked(discount, 8000, n_step))


def gains(made, discount, table=None):
    """By how much the right answer of each question is better than the other, exactly."""
    values = solve(table or made.table, discount)
    return np.array([
        values[q.path[-1], int(q.right)] - values[q.path[-1], 1 - int(q.right)] for q in made.questions
    ])  # fmt: skip


@pytest.mark.parametrize("make", SOLVED, ids=lambda make: make.__name__)
@pytest.mark.parametrize("discount", DISCOUNTS)
def test_the_right_answers_are_those_of_dynamic_programming(make, discount):
    for seed in range(3):
        assert gains(exam(make, discount, seed=seed), discount).min() > 0.04


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_every_task_has_one_shape_and_rewards_within_one(test):
    made = exam(test.make)
    assert made.table.to.shape == made.table.pay.shape == (CELLS, 2)
    assert np.abs(made.table.pay).max() + made.table.spread.max() <= 1
    assert 2 <= len(made.questions) <= MOST_QUESTIONS
    for question in made.questions:
        assert len(question.path) <= LONGEST_PATH
        assert question.fault
    assert made.table.first.sum() == pytest.approx(1, abs=1e-5)
    assert not made.table.first[made.table.ends].any()


def test_the_same_seed_gives_the_same_task_and_another_one_other_actions():
    one, same, other = (exam(tasks.values, seed=seed) for seed in (1, 1, 2))
    assert [q.right for q in one.questions] == [q.right for q in same.questions]
    assert [q.right for q in one.questions] != [q.right for q in other.questions]


def test_a_long_way_is_worth_0_70_at_0_99_and_1_at_1():
    made = exam(tasks.discounting)
    # 36 steps: 0.99 ** 36 = 0.6964; refused is 0.6 of that, 0.42, and taken (1 + 0.6964) / 2 = 0.85.
    assert [q.asks for q in made.questions[::3]] == [
        "0.42 now, or 1.00 after 37 steps", "0.85 now, or 1.00 after 37 steps",
    ]  # fmt: skip
    assert gains(made, 0.99) == pytest.approx([0.2786] * 3 + [0.1518] * 3, abs=1e-3)
    assert (gains(made, 1.0) > 0).tolist() == [True] * 3 + [False] * 3
    assert (gains(made, 0.95) > 0).tolist() == [False] * 3 + [True] * 3


def test_the_test_of_the_discount_tells_0_977_and_0_995_from_0_99():
    made = exam(tasks.discounting)
    assert (gains(made, 0.976) > 0).tolist() == [False] * 3 + [True] * 3
    assert (gains(made, 0.9956) > 0).tolist() == [True] * 3 + [False] * 3


def test_valuing_what_is_seen_at_an_end_turns_the_first_answers():
    made = exam(tasks.termination)
    # The end that looks like a start has its value: 0.2 + 0.99 * 1 = 1.19, more than 0.6.
    leads_on = made.table._replace(ends=made.table.ends.copy(), to=made.table.to.copy())
    start = int(made.table.look[1])
    leads_on.to[leads_on.to == 1] = start
    assert gains(made, 0.99, leads_on)[:3] == pytest.approx([0.6 - 1.19] * 3, abs=1e-3)
    assert (gains(made, 0.99, leads_on)[3:] > 0).all()


def test_counting_the_next_episode_turns_the_others():
    made = exam(tasks.termination)
    # Were every end the beginning of another episode that is worth 5, an end now would be worth
    # 0.5 + 0.99 * 5 = 5.45, and one after 20 more steps 0.8 + 0.99 ** 21 * 5 = 4.85.
    values = solve(made.table, 0.99)
    idle = [q for q in made.questions if "more steps" in q.asks]
    assert len(idle) == 3
    for question in idle:
        cell, right = question.path[0], int(question.right)
        assert values[cell, right] == pytest.approx(0.8) and values[cell, 1 - right] == pytest.approx(0.5)
    assert 0.8 + 0.99 ** (tasks.IDLE + 1) * 5 < 0.5 + 0.99 * 5


def test_a_time_limit_that_counts_as_an_end_turns_the_answers():
    made = exam(tasks.truncation)
    # For ever 0.1 / (1 - 0.99) = 10, of which 9.9 one step before; until the cut at most 4 * 0.1 = 0.4 < 0.7.
    assert gains(made, 0.99) == pytest.approx([9.9 - 0.7] * 4, abs=1e-2)
    assert made.table.limit == 5 and 0.1 * (made.table.limit - 1) < 0.7


def test_signs_of_rewards_turn_every_answer_about_sizes():
    made = exam(tasks.sizes)
    by_signs = made.table._replace(pay=np.sign(made.table.pay))
    assert (gains(made, 0.99) > 0).all() and (gains(made, 0.99, by_signs) < 0).all()
    # 0.9 against 0.15 * (1 + 0.99 + 0.9801) = 0.4455.
    assert gains(made, 0.99) == pytest.approx([0.9 - 0.4455] * 6, abs=1e-3)


def test_cutting_rewards_to_one_changes_no_answer():
    for make in SOLVED:
        made = exam(make)
        assert np.array_equal(np.clip(made.table.pay, -1, 1), made.table.pay)


def test_a_target_that_is_never_copied_leaves_what_is_far_unknown():
    made = exam(tasks.target, n_step=4)
    # 9 steps, of which an update of 4 steps sees none that pays; with values it is 0.99 ** 8 = 0.92 > 0.6.
    assert gains(made, 0.99).max() == pytest.approx(0.6 - 0.99**8, abs=1e-3) and gains(made, 0.99).max() < 0


def returns_by(ahead, n, powers, steps, discount):
    """What 1 after so many steps is worth by returns of n that reach `ahead` and discount by `powers`."""
    if steps <= n:
        return discount ** (steps - 1)
    return discount**powers * returns_by(ahead, n, powers, steps - ahead, discount)


def test_returns_that_are_off_by_one_turn_half_of_the_answers():
    made = exam(tasks.n_step, tasks.SHORTER)
    assert gains(made, tasks.SHORTER).min() > 0.04
    steps = 13
    assert returns_by(4, 4, 4, steps, 0.9) == pytest.approx(0.9**12)
    nows = [float(q.asks.split()[0]) for q in made.questions[::3]]
    assert nows == pytest.approx([0.9**13.5, 0.9**10.5], abs=5e-3)
    # The value after 3 rewards for that after 4: 0.9 ** 15 = 0.206 is refused for 0.24.
    assert returns_by(3, 4, 4, steps, 0.9) == pytest.approx(0.9**15) and nows[0] > 0.9**15
    # The same discounted by three steps: 0.9 ** 9 = 0.387 is preferred to 0.33.
    assert returns_by(4, 4, 3, steps, 0.9) == pytest.approx(0.9**9) and nows[1] < 0.9**9


def test_what_paid_costs_from_halfway_on():
    made = exam(learning_tasks.change)
    assert made.table.turn == 4000
    later = made.table._replace(pay=made.table.later_pay)
    assert gains(made, 0.99) == pytest.approx([-0.5] * 6)
    assert gains(made, 0.99, later) == pytest.approx([1.0] * 6)


def test_places_never_met_lie_between_places_met():
    made = exam(learning_tasks.approximation)
    for question in made.questions:
        (cell,) = question.path
        assert made.table.first[cell] == 0
        assert made.table.first[cell - 1] > 0 and made.table.first[cell + 1] > 0


def test_the_last_observations_of_the_memory_task_do_not_tell_the_cue():
    made = exam(learning_tasks.memory)
    (one, other) = (made.table.look[list(q.path)] for q in made.questions)
    assert one[0] != other[0] and (one[1:] == other[1:]).all()
    assert {q.right for q in made.questions} == {0, 1}
