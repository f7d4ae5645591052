"""Drift metrics: cases by hand, then how often intervals hold on planted drifts, and false alarms."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.stats.drift import (
    TimeEstimate,
    Watch,
    detect,
    measure_drift,
    median_time,
    unseen_steps,
    windows_after,
)

LEVEL, NOISE = 10.0, 1.0


def generator(number=0):
    return np.random.default_rng(number)


def planted(rng, units=12, before=40, after=60, depth=4.0, back=30):
    """A control around LEVEL, and the same with a fall that mends in a straight line within `back`."""
    control = LEVEL + NOISE * rng.normal(size=(units, before + after))
    fall = depth * np.clip(1 - np.arange(after) / back, 0, 1) if back else np.full(after, depth)
    noise = NOISE * rng.normal(size=(units, after))
    drifted = control.copy()
    drifted[:, before:] = LEVEL + noise - fall
    return drifted, control, fall


class TestByHand:
    """Three units that agree: 5 before; after the drift they lose 4, 4, 2, 2, 0, 0 of their 5."""

    control = np.full((3, 8), 5.0)
    drifted = np.array([[5.0, 5.0, 1.0, 1.0, 3.0, 3.0, 5.0, 5.0]] * 3)

    def measured(self, **changed):
        asked = {"margin": 0.1, "rng": generator(), "unseen": 0} | changed
        return measure_drift(self.drifted, self.control, Watch(2, 8, 2), **asked)

    def test_windows_are_laid_from_the_drift_on_and_the_last_takes_the_rest(self):
        assert windows_after(Watch(2, 9, 2)) == [slice(2, 4), slice(4, 6), slice(6, 9)]
        assert windows_after(Watch(2, 3, 2)) == [slice(2, 3)]

    def test_values(self):
        metrics = self.measured(unseen=1 / 500)
        assert metrics.level.value == 5 and metrics.depth.value == 4
        assert metrics.depth_share.value == pytest.approx(0.8)
        assert metrics.deepest == 0  # the middle of places 0 and 1
        assert metrics.recovery.value == 4  # the windows at 0 and 2 lie below; that at 4 does not
        assert metrics.margin == 0.5 and metrics.area.value == 12

    def test_an_interval_of_units_that_agree_is_that_of_unseen_steps(self):
        metrics = self.measured(unseen=0.3 / 5)
        reach = 0.3 * np.log(3 / 0.05) / 3  # three windows, three units
        assert metrics.depth.low == pytest.approx(4 - reach) and metrics.depth.high == pytest.approx(
            4 + reach
        )
        assert metrics.recovery == TimeEstimate(4, 4, 4)

    def test_an_unseen_episode_can_lose_what_the_control_is_paid_after_the_drift(self):
        """The control is paid 0.1 a step before the drift, then 5, and 20 in the second window."""
        control = np.full((3, 8), 5.0)
        control[:, :2], control[:, 4:6] = 0.1, 20.0
        steps = unseen_steps(control, np.zeros((3, 8)), Watch(2, 8, 2), unseen=0.5)
        assert steps.level == pytest.approx(0.05) and steps.area == pytest.approx(30)
        np.testing.assert_allclose(steps.windows, [5, 10, 5])  # 10 is the mean: it may be paid elsewhere

    def test_where_nothing_is_known_of_unseen_units_no_interval_has_ends(self):
        metrics = self.measured()
        assert metrics.depth.high == np.inf and metrics.recovery.high is None
        assert metrics.depth_share is None  # the level before might be 0

    def test_a_curve_that_does_not_come_back_has_no_recovery_time(self):
        metrics = measure_drift(
            self.drifted[:, :6],
            self.control[:, :6],
            Watch(2, 6, 2),
            margin=0.1,
            rng=generator(),
            unseen=1 / 500,
        )
        assert metrics.recovery == TimeEstimate(None, None, None)

    def test_a_curve_that_never_falls_is_back_at_once(self):
        metrics = measure_drift(
            self.control, self.control, Watch(2, 8, 2), margin=0.1, rng=generator(), unseen=1 / 500
        )
        assert metrics.recovery == TimeEstimate(0, 0, 0) and metrics.area.value == 0

    def test_a_fall_from_scores_without_noise_is_told_at_its_first_step(self):
        detection = self.measured().detection
        assert detection.delay.value == 1 and detection.told == 1
        assert detection.false_alarms == pytest.approx(1 / 3)  # three units can promise no less

    def test_two_units_cannot_tell_noise(self):
        metrics = measure_drift(
            self.drifted[:2], self.control[:2], Watch(2, 8, 2), margin=0.1, rng=generator()
        )
        assert metrics.detection is None


def test_a_median_of_times_counts_those_that_never_came():
    times = np.array([1, 2, 3, np.inf, np.inf])
    assert median_time(times).value == 3
    assert median_time(np.array([1, 2, np.inf, np.inf])).value is None


def test_ends_of_a_median_are_order_statistics():
    # Of ten units, P(at most 1 below the median) = 11 / 1024 and P(at most 2) = 56 / 1024: ranks 2 and 9.
    assert median_time(np.arange(1.0, 11.0)) == TimeEstimate(6, 2, 9)
    assert median_time(np.arange(1.0, 5.0)) == TimeEstimate(3, 0, None)  # too few for 95%


@pytest.mark.parametrize(
    ("shape", "watch", "says"),
    [
        ((3, 7), Watch(2, 7, 1), "same units at the same times"),
        ((3, 8), Watch(0, 8, 1), "on both sides"),
        ((3, 8), Watch(8, 8, 1), "on both sides"),
        ((3, 8), Watch(2, 9, 1), "on both sides"),
        ((3, 8), Watch(2, 8, 0), "1 place or more"),
    ],
)
def test_what_is_no_pair_or_no_drift_is_refused(shape, watch, says):
    with pytest.raises(AssayError, match=says):
        measure_drift(np.zeros(shape), np.zeros((3, 8)), watch, margin=0.1, rng=generator())


class TestPlanted:
    """80 experiments with a known fall; intervals of 95% must hold in nearly that share of them."""

    times, window = 80, 5

    def experiments(self, **fall):
        for number in range(self.times):
            drifted, control, truth = planted(generator(number), **fall)
            watch = Watch(40, drifted.shape[1], self.window)
            metrics = measure_drift(drifted, control, watch, margin=0.1, rng=generator(number), draws=500,
                                    unseen=0)  # fmt: skip
            yield metrics, truth

    def test_intervals_hold(self):
        held = []
        for metrics, truth in self.experiments():
            windows = truth.reshape(-1, self.window).mean(axis=1)
            back = int(np.flatnonzero(windows > 0.1 * LEVEL)[-1] + 1) * self.window
            low, high = metrics.recovery.low, metrics.recovery.high
            held.append([
                metrics.depth.low <= windows.max() <= metrics.depth.high,
                metrics.area.low <= truth.sum() <= metrics.area.high,
                low is not None and low <= back and (high is None or back <= high),
                metrics.depth_share.low <= windows.max() / LEVEL <= metrics.depth_share.high,
            ])  # fmt: skip
        shares = np.mean(held, axis=0)
        assert (shares >= 0.9).all(), shares

    def test_a_lasting_fall_is_never_called_recovered(self):
        assert all(m.recovery == TimeEstimate(None, None, None) for m, _ in self.experiments(back=0))

    def test_without_a_drift_no_fall_is_shown(self):
        """0 lies in the interval of the depth, unless in the share of cases that 95% allows."""
        shown = [metrics.depth.low > 0 for metrics, _ in self.experiments(depth=0.0)]
        assert np.mean(shown) <= 0.06

    def test_false_alarms_come_as_often_as_said(self):
        alarms, said = [], 0.0
        for number in range(self.times):
            drifted, control, _ = planted(generator(number), units=40, depth=0.0)
            detection = detect(drifted, control, Watch(40, 100, self.window), 0.95, 0.05)
            alarms.append(detection.told)
            said = detection.false_alarms
        assert said == pytest.approx(0.05)
        assert abs(np.mean(alarms) - said) < 0.02

    def test_large_falls_are_told_sooner_than_small_ones(self):
        delays = []
        for depth in (1.0, 4.0):
            drifted, control, _ = planted(generator(), units=40, depth=depth, back=0)
            delays.append(detect(drifted, control, Watch(40, 100, 5), 0.95, 0.05).delay.value)
        assert delays[0] > delays[1] and delays[1] <= 4


@pytest.mark.parametrize("units", [5, 20])
def test_intervals_hold_where_the_control_is_paid_late_and_failures_are_rare(units):
    """Failures of chance 0.05 are mostly unseen; each loses what is paid after the drift."""
    rng, held, times = generator(units), 0, 60
    for number in range(times):
        control = np.ones((units, 100))
        control[:, :40] = 0.001
        drifted = control.copy()
        drifted[rng.random(units) < 0.05, 40:70] = 0
        found = measure_drift(drifted, control, Watch(40, 100, 10), margin=0.1, rng=generator(number),
                              draws=200)  # fmt: skip
        held += found.depth.low <= 0.05 <= found.depth.high and found.area.low <= 1.5 <= found.area.high
    assert held >= 0.95 * times


@pytest.mark.parametrize(("units", "share"), [(2, 0.7), (3, 0.85), (5, 0.85), (10, 0.85)])
def test_intervals_over_agents_hold_where_agents_fail_wholly_or_not_at_all(units, share):
    """All seeds that were seen may fail alike, and an unseen one not at all."""
    rng, held, times = generator(units), 0, 60
    for number in range(times):
        control = np.ones((units, 120))
        drifted = control.copy()
        drifted[rng.random(units) < share, 20:] = 0
        found = measure_drift(drifted, control, Watch(20, 120, 10), margin=0.1, rng=generator(number),
                              draws=200)  # fmt: skip
        held += (
            found.depth.low <= share <= found.depth.high and found.area.low <= 100 * share <= found.area.high
        )
    assert held >= 0.93 * times


def test_a_share_is_told_where_the_printed_level_is():
    """The share allows for both of its parts with half of the error each: a level that is told from 0 by the
    printed interval, and not by the wider one, bounds the share from below alone.
    """
    rng = generator()
    told = untold = 0
    for number in range(60):
        control = rng.normal(1.0, 1.3, (8, 1)) + np.zeros((8, 20)) + rng.normal(0, 0.1, (8, 20))
        drifted = control.copy()
        drifted[:, 10:] -= 3.0 + rng.normal(0, 0.1, (8, 10))
        metrics = measure_drift(
            drifted, control, Watch(10, 20, 5), margin=0.1, rng=generator(number), unseen=0.1
        )
        assert (metrics.depth_share is None) == (metrics.level.low <= 0 <= metrics.level.high)
        if metrics.depth_share is not None:
            told += 1
            untold += np.isinf(metrics.depth_share.high)
            assert metrics.depth_share.low > 0
    assert 5 < told < 55 and untold > 0
