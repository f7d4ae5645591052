"""What is known of a task's numbers, and the functions that follow."""

import jax
import pytest

from assay.interop.native_env import form_of, truth_of
from assay.interop.single import trial
from assay.interop.single.flat import Unsupported
from assay.interop.single.plan import MOST_STEPS, Plan
from assay.interop.single.source import Undecided
from assay.native import build_native
from assay.tasks import resolve


def plan_of(text):
    resolved = resolve(text)
    task = build_native(resolved).task
    form = form_of(jax.tree.structure(task), truth_of(resolved, task.env.params).watch)
    return Plan(task, form), task, form


def test_ranges_of_the_plain_task_by_hand():
    plan, _, _ = plan_of("toy/discrete")
    current, trail, time, mode, world_time, life = plan.slots
    assert (current.low, trail.low) == (0, 0) and current.high in (7, 8)
    assert mode.value is False  # nothing flips it
    assert [slot.high for slot in (time, world_time, life)] == [2 * MOST_STEPS] * 3


def test_a_step_without_chance_draws_nothing_and_a_noisy_one_what_it_needs():
    quiet, noisy = plan_of("toy/discrete")[0], plan_of("toy/discrete+reward_noise=1")[0]
    assert quiet.draws()[1].drawer() is None
    assert noisy.draws()[1].drawer() is not None


def test_levels_are_written_into_the_function():
    source = plan_of("toy/discrete+horizon=37")[0].step.source
    assert (
        "37 <=" in source and "0x80000000" not in source
    )  # nothing needs to be wrapped but what may overflow


def test_counters_beyond_their_range_are_left_to_compiled_steps():
    plan, _, _ = plan_of("toy/discrete")
    state = list(plan.state_of(plan.blank()))
    assert plan.counts_on(tuple(state))
    state[-1] = MOST_STEPS
    assert not plan.counts_on(tuple(state))
    assert plan.state_of([0, 0, 0, False, 0, 2**31 - 1]) is None
    assert plan.state_of([0, 0, 0, True, 0, 0]) is None  # a mode that this task never takes


def test_a_trial_finds_out_how_sums_are_rounded():
    plan, task, form = plan_of("toy/continuous+action_loss_weight=0.3")
    assert trial.settle(plan, task, form)
    record, sums = trial.Record(plan, task, form), plan.step_source.sums
    assert len(sums) == 4 and trial.passes(plan, record)
    plan.use({each.node.number: (None,) for each in sums})
    assert not trial.passes(plan, record)  # XLA does swallow products


def test_where_two_ways_to_round_differ_and_neither_is_known_it_says_so():
    plan, _, _ = plan_of("toy/discrete+reward_scale=1.7+reward_shift=0.3+reward_noise=0.3")
    every = {each.node.number: tuple(plan.step_source.choices(each)) for each in plan.step_source.sums}
    plan.use(every)
    resets, steps = plan.draws()
    for draws in (resets, steps):
        draws.seed(1, None)
        draws.begin(0)
    _, _, state = plan.reset(plan.state_of(plan.blank()), resets.at(0))
    with pytest.raises(Undecided):
        for time in range(1, 200):
            plan.step(state, steps.at(time), 0)
    assert plan.step_anyhow(state, steps.at(time), 0) is None


def test_what_is_not_taught_is_said():
    with pytest.raises(Unsupported, match="svd"):
        plan_of("toy/continuous+reward_function=move_along_a_line")
