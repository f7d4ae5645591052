"""Two exams beside each other, by hand: seed with seed, as two groups, and what cannot be compared."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from assay.analysis.compare import compare, difference_ends, effects
from assay.errors import AssayError
from assay.results import create
from assay.stats.resampling import simultaneous

from .records import PLAIN, exam, exam_plan, given_exam, made_run, question, train_plan

STICKY = question("action.sticky", "0.25", "0.5")
MIDDLE, STRONG = ("carry", "action.sticky", "0.25"), ("carry", "action.sticky", "0.5")
NOISE = question("observation.noise", "0.1")
SEEN = ("carry", "observation.noise", "0.1")
RANDOM = {PLAIN: [20.0] * 4}
# Scales: 80 points for the first run and 40 for the second.
FIRST = {
    PLAIN: [98.0, 100.0, 102.0, 100.0],
    MIDDLE: [90.0, 92.0, 94.0, 92.0],
    STRONG: [60.0, 58.0, 63.0, 59.0],
}
SECOND = {PLAIN: [58.0, 60.0, 62.0, 60.0], MIDDLE: [39.0, 40.0, 43.0, 38.0], STRONG: [38.0, 40.0, 41.0, 41.0]}


def run(folder, scores, *more, **how):
    return exam(folder, exam_plan(STICKY, *more, **how), scores, RANDOM)


def test_effects_are_those_of_the_exam(tmp_path):
    with run(tmp_path / "a", FIRST) as opened:
        found = effects(opened)
    assert (found.agent, found.unit, found.units) == ("dqn", "seed", [0, 1, 2, 3])
    assert found.effect[MIDDLE].mean() == pytest.approx(-8 / 80)
    assert found.effect[STRONG].mean() == pytest.approx(-40 / 80)
    # To first order: a seed whose distance to random play is 2 points longer makes the ratio smaller.
    assert found.effect[MIDDLE] == pytest.approx([-0.1 + (-8 + 0.1 * d) / 80 for d in (78, 80, 82, 80)])


def test_seed_with_seed(tmp_path):
    with run(tmp_path / "a", FIRST) as one, run(tmp_path / "b", SECOND, agent="tabular_q") as other:
        found = compare(one, other)
        turned = compare(other, one)
    assert found.paired and not found.same and (found.first, found.second) == ("dqn (a)", "tabular_q (b)")
    assert found.task == "toy/discrete" and found.plain == pytest.approx((100.0, 60.0))
    assert found.better.value == 1.0  # every seed of the first beats every one of the second
    middle, strong = found.differences
    assert (middle.arm, middle.axis, middle.level) == MIDDLE
    # Seed by seed -8 / 80 against -19, -20, -19, -22 / 40: a mean of -0.1 against -0.5.
    assert (middle.first, middle.second) == pytest.approx((-0.1, -0.5))
    assert middle.difference.value == pytest.approx(0.4) and middle.real
    assert strong.difference.value == pytest.approx(-0.5 - -0.5) and not strong.real
    with run(tmp_path / "a2", FIRST) as one, run(tmp_path / "b2", SECOND) as other:
        ours, theirs = (np.stack(list(effects(each).effect.values()), axis=1) for each in (one, other))
    together = simultaneous(ours - theirs, rng=np.random.default_rng(0), step=0.01)
    assert (middle.difference.low, strong.difference.high) == pytest.approx(
        (together.low[0], together.high[1])
    )
    assert [each.difference.value for each in turned.differences] == pytest.approx([-0.4, 0.0])
    assert turned.better.value == 0.0 and turned.differences[0].real


def test_a_run_beside_itself_differs_nowhere(tmp_path):
    with run(tmp_path / "a", FIRST) as one:
        found = compare(one, one)
    assert not any(each.real for each in found.differences) and found.better.value == 0.5
    assert [each.difference.value for each in found.differences] == [0.0, 0.0]
    assert found.same


def test_other_seeds_are_two_groups(tmp_path):
    scores = {place: column[:3] for place, column in SECOND.items()}
    with run(tmp_path / "a", FIRST) as one, exam(
        tmp_path / "b", exam_plan(STICKY, seeds=3), scores, {PLAIN: [20.0] * 3}
    ) as other:  # fmt: skip
        found = compare(one, other)
        a, b = effects(one).effect[STRONG], effects(other).effect[STRONG]
    assert not found.paired
    strong = found.differences[1]
    # Never narrower than Welch's by scipy, the error shared by the two levels.
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval(1 - 0.05 / 2)
    assert strong.difference.low <= expected.low and strong.difference.high >= expected.high


def test_groups_whose_units_all_agree_say_nothing_of_others():
    low, high = difference_ends(np.full((3, 1), 0.2), np.full((4, 1), 0.5), paired=False)
    assert low == [-np.inf] and high == [np.inf]
    low, high = difference_ends(np.array([[0.1]]), np.array([[0.3], [0.4]]), paired=False)  # a single unit
    assert low == [-np.inf] and high == [np.inf]


def test_one_given_agent_pairs_by_episodes(tmp_path):
    plan = exam_plan(STICKY, agent="mine:act", task="gym/CartPole-v1", seeds=1, episodes=4, trains=False)
    with (
        given_exam(tmp_path / "a", plan, FIRST, RANDOM) as one,
        given_exam(tmp_path / "b", plan, SECOND, RANDOM) as two,
    ):
        found = compare(one, two)
    assert found.paired and found.differences[0].difference.value == pytest.approx(0.4)


def test_a_trained_agent_and_a_given_one_do_not_pair(tmp_path):
    plan = exam_plan(STICKY, agent="mine:act", seeds=1, episodes=4, trains=False)
    with run(tmp_path / "a", FIRST) as one, given_exam(tmp_path / "b", plan, SECOND, RANDOM) as two:
        assert not compare(one, two).paired  # seeds 0 to 3 are not episodes 0 to 3


def test_what_only_one_run_has_is_named(tmp_path):
    scores = {**FIRST, SEEN: FIRST[PLAIN]}
    with run(tmp_path / "a", scores, NOISE) as one, run(tmp_path / "b", SECOND) as other:
        found = compare(one, other)
    assert found.left_out == ("observation.noise=0.1",) and len(found.differences) == 2


def refused(first, second):
    """Why two runs are not compared."""
    with first as one, second as other, pytest.raises(AssayError) as why:
        compare(one, other)
    return str(why.value)


def test_other_tasks_are_refused(tmp_path):
    other = run(tmp_path / "b", SECOND, task="toy/discrete+delay=1")
    assert refused(run(tmp_path / "a", FIRST), other).endswith(
        "b one on toy/discrete+delay=1; compare exams of one task."
    )


def test_nothing_in_common_is_refused(tmp_path):
    elsewhere = exam(tmp_path / "b", exam_plan(NOISE), {PLAIN: FIRST[PLAIN], SEEN: FIRST[PLAIN]}, RANDOM)
    why = refused(run(tmp_path / "a", FIRST), elsewhere)
    assert "have no level in common; there is nothing to compare." in why


def test_who_plays_like_chance_has_nothing_in_common(tmp_path):
    chance = exam(tmp_path / "b", exam_plan(STICKY), SECOND, {PLAIN: SECOND[PLAIN]})
    why = refused(run(tmp_path / "a", FIRST), chance)
    assert why.endswith(
        "b has no effects to compare: plain play (60) cannot be told from random play (60), "
        "so no loss can be measured."
    )


def test_what_is_no_exam_is_refused(tmp_path):
    train = made_run(tmp_path / "b", train_plan("toy/discrete"))
    assert "is a run of `assay train`, not an exam" in refused(run(tmp_path / "a", FIRST), train)
    by_hand = create(tmp_path / "d", {"suite": "none"})
    assert "a run without a plan of assay, not an exam" in refused(by_hand, run(tmp_path / "c", FIRST))


def test_episodes_of_other_seeds_are_not_pairs(tmp_path):
    """Episodes 0 to 5 of seed 0 and of seed 7 were compared "unit with unit"."""
    rng = np.random.default_rng(0)
    runs = []
    for name, first in (("a", 0), ("b", 7), ("c", 0)):
        plan = exam_plan(STICKY, agent="mine:act", task="gym/CartPole-v1", episodes=6, trains=False)
        plan = replace(plan, seeds=(first,))
        scores = {place: list(100 - drop + rng.normal(size=6))
                  for place, drop in ((PLAIN, 0), (MIDDLE, 20), (STRONG, 40))}  # fmt: skip
        runs.append(given_exam(tmp_path / name, plan, scores, {PLAIN: [20.0] * 6}))
    apart, together = compare(runs[0], runs[1]), compare(runs[0], runs[2])
    assert (apart.paired, apart.unit) == (False, "episode")
    assert (together.paired, together.unit) == (True, "episode")
    for run in runs:
        run.close()
