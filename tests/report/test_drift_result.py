"""The sentence on a drift: what it says of recoveries agrees with itself."""

import numpy as np

from assay.analysis.drift import Drift, Stretch, judge_drift
from assay.analysis.drift_curves import Curves
from assay.plans.drift_question import STEPS, DriftQuestion
from assay.report.drift_text import say_result


def drift_of(drifted, control, units):
    question = DriftQuestion("toy/discrete+delay=1@sudden:2", "toy/discrete", STEPS, (2,), ((2, 8),))
    curves = Curves(drifted, control, np.arange(1, 9))
    finding = judge_drift(curves, Stretch(2, 8, 8), 2, 0.1, np.random.default_rng(0))
    return Drift("mine:act", question, "episode", units, False, (0,), units, 1.0, True, 2, 1, (), (finding,))


def said(fall, units=10_000):
    control = np.full((units, 8), 5.0)
    drifted = control.copy()
    drifted[:, 2:] -= fall
    return say_result(drift_of(drifted, control, units))


def test_a_fall_within_the_margin_was_never_away():
    """A fall of 0.2 of 5 lies within the margin of a tenth: it is not "back after 0 steps"."""
    assert said(0.2).endswith(
        "4% of the level before, and are never more than the margin of 0.50 below the control."
    )


def test_a_fall_that_only_seems_to_lie_within_the_margin_is_not_told_from_chance():
    assert said(0.45, units=200).endswith("below the control, which is not told from chance.")


def test_a_fall_beyond_the_margin_is_not_back():
    assert said(2.0).endswith("and are not back within 6 steps.")
