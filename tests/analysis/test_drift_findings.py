"""Drift from records: curves of trainings and of episodes, and places turned into times."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from assay.analysis.carried import Lives
from assay.analysis.drift import (
    EPISODE,
    SEED,
    DriftFinding,
    Stretch,
    curve_points,
    cut_depth,
    find_drift,
    judge_drift,
    limits_of_depth,
    require_room,
    stretches_of,
)
from assay.analysis.drift_curves import Curves, Reports, curves_by_episode, curves_by_step, scores_by_step
from assay.core.events import StepTaken
from assay.errors import AssayError
from assay.plans.drift_question import LIFE, STEPS, DriftQuestion
from assay.plans.plan import ScoreRange, TaskLimits
from assay.runs.transcript_rows import transcript_table
from assay.stats.aggregate import Interval
from assay.stats.drift import TimeEstimate
from assay.stats.limits import ANYWHERE

from .records import pairs_plan


def reports(scores, every=100, episodes=2):
    steps = every * np.arange(1, len(scores) + 1)
    return Reports(steps.astype(float), np.array(scores, float), np.full(len(scores), float(episodes)))


def step(score):
    return StepTaken(0, 0, 0.0, score, False, False, {})


def test_steps_after_the_end_of_an_episode_are_unknown():
    table = transcript_table("toy/discrete", [[step(1.0), step(2.0)], [step(3.0)]])
    np.testing.assert_array_equal(scores_by_step(table, "toy/discrete"), [[1, 2], [3, np.nan]])


def test_a_report_without_an_episode_has_the_score_before_it():
    curves = curves_by_step([reports([1, np.nan, 3])], [reports([np.nan, 5, 6])])
    assert curves.times.tolist() == [100, 200, 300]
    assert curves.drifted.tolist() == [[1, 1, 3]] and curves.control.tolist() == [[5, 5, 6]]


def test_seeds_that_report_at_times_of_their_own_are_read_at_common_times():
    curves = curves_by_step([reports([1, 2], every=100)], [reports([5, 6, 7], every=80)])
    assert curves.times[-1] == 200
    assert curves.drifted[0, -1] == 2 and curves.control[0, -1] == 6  # that of step 160


def test_a_seed_without_an_episode_is_refused():
    with pytest.raises(AssayError, match="finished no episode"):
        curves_by_step([reports([np.nan, np.nan])], [reports([1, 2])])


def test_by_episodes_a_report_counts_as_often_as_it_has_episodes():
    curves = curves_by_episode([reports([1, 2], episodes=2)], [reports([5, np.nan, 6], episodes=3)])
    assert curves.drifted.tolist() == [[1, 1, 2, 2]] and curves.control.tolist() == [[5, 5, 5, 6]]


def test_a_drift_after_a_report_begins_with_the_next_one():
    curves = Curves(np.zeros((1, 4)), np.zeros((1, 4)), np.array([100, 200, 300, 400]))
    assert [curves.place(time) for time in (0, 99, 100, 101, 400)] == [0, 0, 1, 1, 4]


class TestInTime:
    """Reports every 100 steps; after 200 steps all three seeds lose 4 of 5 for 200 steps."""

    control = np.full((3, 8), 5.0)
    drifted = np.array([[5.0, 5.0, 1.0, 1.0, 5.0, 5.0, 5.0, 5.0]] * 3)
    curves = Curves(drifted, control, 100 * np.arange(1, 9))

    def test_places_become_steps(self):
        finding = judge_drift(self.curves, Stretch(200, 800, 800), 2, 0.1, np.random.default_rng(0))
        assert finding.depth.value == 4 and finding.recovery.value == 200 and finding.area.value == 800
        assert finding.detection.value == 100 and finding.told == 1  # with the first report after the drift

    def test_a_drift_is_watched_until_the_next_one(self):
        finding = judge_drift(self.curves, Stretch(200, 400, 800), 1, 0.1, np.random.default_rng(0))
        assert finding.recovery.value is None and finding.area.value == 800

    def test_windows_are_laid_from_the_drift_to_both_sides(self):
        points = curve_points(self.curves, [Stretch(300, 800, 800)], 2)
        assert [(each.start, each.end) for each in points] == [
            (0, 100), (100, 300), (300, 500), (500, 700), (700, 800),
        ]  # fmt: skip
        assert points[1].drifted.value == 3 and points[1].control.value == 5

    def test_no_window_lies_across_a_later_drift(self):
        points = curve_points(self.curves, [Stretch(200, 500, 500), Stretch(500, 800, 800)], 2)
        assert [(each.start, each.end) for each in points] == [
            (0, 200), (200, 400), (400, 500), (500, 700), (700, 800),
        ]  # fmt: skip


class TestCarried:
    """40 episodes of 12 steps that pay 1 each. The first drift, after 4, ends 20 at 6; another, after 8,
    takes nothing from the 20 that are left."""

    control = np.ones((40, 1, 12))
    drifted = np.where((np.arange(12) >= 6) & (np.arange(40)[:, None] < 20), np.nan, 1.0)[:, None]
    curves = Curves(np.nan_to_num(drifted[:, 0]), control[:, 0], np.arange(1, 13),
                    lives=Lives(drifted, control))  # fmt: skip

    def judge(self, at, until):
        return judge_drift(self.curves, Stretch(at, until, until), 2, 0.1, np.random.default_rng(0))

    def test_episodes_that_are_over_before_a_drift_are_no_fall_of_its_own(self):
        first, second = self.judge(4, 8), self.judge(8, 12)
        assert (first.carried, first.own_depth, first.fall) == (0, None, True)
        assert (second.carried, second.lasting) == (20, 40)
        assert second.depth.low > 0 and second.own_depth.value == 0 and not second.fall

    def test_a_fall_beside_what_is_carried_is_one(self):
        drifted = self.drifted.copy()
        drifted[:20] = np.where(np.arange(12) < 9, 1.0, np.nan)  # now these end after the second drift
        drifted[0, 0, 6:] = np.nan
        curves = self.curves._replace(
            drifted=np.nan_to_num(drifted[:, 0]), lives=Lives(drifted, self.control)
        )
        found = judge_drift(curves, Stretch(8, 12, 12), 2, 0.1, np.random.default_rng(0))
        assert found.carried == 1 and found.own_depth.value == pytest.approx(19 / 40) and found.fall


def test_a_window_longer_than_any_drift_is_watched_is_refused():
    question = DriftQuestion("a", "b", STEPS, (100, 200), (), window=250)
    with pytest.raises(AssayError, match="at most 200 here, not 250: no drift"):
        require_room(question, [Stretch(100, 200, 200), Stretch(200, 400, 400)])
    require_room(question, [Stretch(100, 350, 350)])


class TestWentOff:
    """40 episodes that pay 1 a step; a variation that is on from 4 to 8 takes all, and leaves no trace."""

    control = np.ones((40, 12))
    drifted = np.where((np.arange(12) >= 4) & (np.arange(12) < 8), 0.0, control)
    curves = Curves(drifted, control, np.arange(1, 13))
    question = DriftQuestion("a", "b", STEPS, (4,), ((4, 8),))

    def test_it_is_judged_while_it_is_on(self):
        (stretch,) = stretches_of(self.curves, self.question)
        assert stretch == Stretch(4, 8, 12) and stretch.off
        finding = judge_drift(self.curves, stretch, 2, 0.1, np.random.default_rng(0))
        assert finding.recovery == TimeEstimate(None, None, None)  # never back while it was on
        assert finding.area.value == 4 and finding.fall
        assert finding.off and finding.follows == 12 and finding.lost_after.value == 0

    def test_equal_drifts_are_told_alike(self):
        question = DriftQuestion("a", "b", STEPS, (2, 8), ((2, 4), (8, 10)))
        drifted = np.where(np.isin(np.arange(12), (2, 3, 8, 9)), 0.0, self.control)
        curves = self.curves._replace(drifted=drifted)
        for each in stretches_of(curves, question):
            finding = judge_drift(curves, each, 1, 0.1, np.random.default_rng(0))
            assert finding.recovery.value is None and finding.detection.value == 1

    def test_what_stays_on_until_the_next_has_nothing_after_it(self):
        question = DriftQuestion("a", "b", STEPS, (4, 8), ((4, 8), (8, 12)))
        assert [each.off for each in stretches_of(self.curves, question)] == [False, False]


def test_a_few_trained_agents_give_no_verdict_on_others():
    control = np.full((3, 8), 5.0)
    curves = Curves(np.where(np.arange(8) < 2, control, 0.0), control, np.arange(1, 9))
    finding = judge_drift(curves, Stretch(2, 8, 8), 2, 0.1, np.random.default_rng(0), unit=SEED)
    assert finding.fall is None and finding.of_units == (5, 5, 5) and finding.depth.low < 0


def find_in_run(seeds, trains=True, off=8):
    """Eight episodes of each seed that pay 1 a step for 8 steps; under the drift, from 4 to `off`, 0."""
    paid = [[1.0] * 8, [1.0] * 4 + [0.0] * (off - 4) + [1.0] * (8 - off)]
    table = pa.concat_tables(
        transcript_table(task, [[step(score) for score in scores]] * 8)
        for task, scores in zip(("plain", "drifts"), paid)
    )
    jobs = [SimpleNamespace(id=str(seed), seed=seed, agent="mine") for seed in seeds]
    run = SimpleNamespace(jobs=lambda status: jobs, transcript=lambda job: table)
    plan = SimpleNamespace(agent="mine", trains=trains, seeds=seeds, episodes=8)
    return find_drift(run, plan, DriftQuestion("drifts", "plain", STEPS, (4,), ((4, off),)))


def test_the_units_of_one_trained_agent_are_its_episodes():
    found = find_in_run((3,), off=6)
    assert (found.unit, found.units, found.one_trained, found.too_few) == (EPISODE, 8, True, False)
    assert found.holds_for.startswith("this one trained agent (seed 3) alone")
    assert (found.findings[0].until, found.findings[0].off, found.points[-1].end) == (6, True, 8)
    several = find_in_run(tuple(range(8)))
    assert (several.unit, several.units, several.one_trained, several.too_few) == (SEED, 8, False, False)
    assert find_in_run((0, 1)).too_few
    as_it_is = find_in_run((0,), trains=False)
    assert (as_it_is.unit, as_it_is.one_trained) == (EPISODE, False)


def test_depths_are_cut_at_what_scores_of_episodes_can_be():
    limits = {
        "control": TaskLimits(ScoreRange(0.0, 50.0, False)),
        "drifted": TaskLimits(ScoreRange(-10.0, 50.0, False)),
    }
    plan = replace(pairs_plan(("toy/discrete", "toy/discrete")), limits=limits)
    learner = DriftQuestion("drifted", "control", LIFE, (10,), ((10, 20),))
    known = limits_of_depth(plan, learner)
    assert known == (-50.0, 60.0)
    found = finding_of(Interval(20.0, -80.0, 120.0))
    assert cut_depth(found, known).depth == (20.0, -50.0, 60.0)
    assert limits_of_depth(plan, replace(learner, unit=STEPS)) == ANYWHERE
    assert limits_of_depth(replace(plan, limits={}), learner) == ANYWHERE


def finding_of(depth):
    never = TimeEstimate(None, None, None)
    return DriftFinding(10, 20, depth, depth, None, 1, never, 0.1, depth, None, None, None)
