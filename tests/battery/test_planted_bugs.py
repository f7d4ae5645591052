"""Batteries of agents of ours: sound ones pass, and planted bugs are caught and named."""

from dataclasses import replace

import jax.numpy as jnp
import pytest

from assay.agents.tabular import Rule, agent_of
from assay.agents.tabular_q import Config
from assay.battery.native import NativeSubject
from assay.battery.run import new_battery, run_battery
from benchmarks.planted_bugs import BUGS, buggy

TESTS = ("values", "discount", "termination", "truncation", "sizes")
FAST = {"steps": 20_000, "learning_rate": 0.3}  # nothing in these tests is left to chance


def q_learning(through_ends=False, cuts_end=False, discount=None, signs=False):
    """Tabular Q-learning with a bug."""

    def update(table, moved, config, key):
        ends = jnp.bool_(False) if through_ends else moved.out.terminated
        ends = ends | moved.out.truncated if cuts_end else ends
        paid = jnp.sign(moved.out.reward) if signs else moved.out.reward
        future = jnp.where(ends, 0.0, table[moved.after].max())
        wanted = paid + (discount or config.discount) * future
        return table.at[moved.row, moved.action].add(
            config.learning_rate * (wanted - table[moved.row, moved.action])
        )

    return agent_of(Config, Rule(update))


def battery_of(agent, given, tests=TESTS, bug=None, seed=0):
    battery = new_battery(NativeSubject(agent, given, agent=bug), seed, tests)
    run_battery(battery)
    return battery


@pytest.mark.parametrize(("bug", "part"), [
    ({}, ""),
    ({"through_ends": True}, "bootstrapping at termination"),
    ({"cuts_end": True}, "bootstrapping at truncation"),
    ({"discount": 1.0}, "discount"),
    ({"signs": True}, "size of rewards"),
], ids=str)  # fmt: skip
def test_bugs_of_a_table_are_caught_and_named(bug, part):
    battery = battery_of("tabular_q", FAST, bug=q_learning(**bug))
    assert battery.passed == (not bug), battery.outcomes
    assert battery.diagnosis.part == part


def test_an_agent_that_does_not_learn_is_told_so():
    battery = battery_of(
        "tabular_q", {"steps": 1000, "learning_rate": 0.0}, ("values", "sizes", "truncation")
    )
    assert battery.diagnosis.part == "learning itself"
    verdicts = {each.name: each.verdict for each in battery.outcomes}
    assert verdicts["values"] == "FAIL" and "FAIL" not in (verdicts["sizes"], verdicts["truncation"])


def test_all_tests_of_one_way_are_one_call():
    subject, ways = NativeSubject("tabular_q", FAST), []
    sound = subject.run

    def run(way, exams, seeds):
        ways.append((way, len(exams)))
        return sound(way, exams, seeds)

    subject.run = run
    run_battery(new_battery(subject, 0, TESTS))
    assert [count for _, count in ways] == [5 * len(TESTS)]


def test_another_seed_draws_other_tasks_and_trainings():
    one, other = (battery_of("tabular_q", {"steps": 500}, ("exploration",), seed=seed) for seed in (0, 1))
    assert one.outcomes[0]._replace(seconds=0) != other.outcomes[0]._replace(seconds=0)


def test_every_planted_bug_leaves_the_sound_agent_as_it_is():
    for bug in BUGS:
        agent = buggy(bug)
        assert (
            replace(agent, train=None) == replace(NativeSubject(bug.agent, {})._agent, train=None)
            or bug.change
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dqn", "ppo", "sac"])
def test_sound_agents_pass(name):
    battery = battery_of(name, {}, ())
    assert battery.passed, battery.outcomes


@pytest.mark.slow
@pytest.mark.parametrize(
    "bug", [bug for bug in BUGS if bug.agent in ("dqn", "ppo")], ids=lambda bug: bug.name
)
def test_planted_bugs_are_caught_and_named(bug):
    battery = battery_of(bug.agent, {}, (), buggy(bug))
    assert not battery.passed
    assert battery.diagnosis.part == bug.part


@pytest.mark.slow
def test_a_memory_is_tested_where_there_is_one():
    outcome = battery_of("ppo", {"memory": "gru"}, ("memory",)).outcomes[0]
    assert outcome.verdict == "pass" and outcome.runs == 5
