"""Dose and response, all by hand."""

import pytest

from assay.errors import AssayError
from assay.stats.aggregate import Interval
from assay.stats.dose import dose_response, sides


def around(value, half=0.02):
    return Interval(value, value - half, value + half)


class TestSides:
    def test_one_sided_axes_are_ordered_from_weak_to_strong(self):
        assert sides((0.5, 0.1, 0.25), 0.0) == [("", (1, 2, 0))]
        assert sides((50, 10), 100) == [("", (0, 1))]

    def test_neutral_inside_makes_two_sides(self):
        assert sides((0.1, 0.5, 2.0, 10.0), 1.0) == [("below", (1, 0)), ("above", (2, 3))]

    def test_levels_without_an_order_stand_alone(self):
        assert sides(("noise", "black"), None) == [("noise", (0,)), ("black", (1,))]

    def test_a_switch_is_a_dose(self):
        assert sides((True,), False) == [("", (0,))]

    def test_the_neutral_level_is_no_dose(self):
        with pytest.raises(AssayError, match="neutral"):
            sides((0.0, 0.1), 0.0)


class TestDoseResponse:
    def test_breaks_from_a_level_on_and_holds_before_it(self):
        found = dose_response((1, 2, 3, 4), [around(e) for e in (0.0, -0.01, -0.3, -0.6)], 0.05)
        assert found.breaks_from == (3, around(-0.3))
        assert found.holds_to == (2, around(-0.01))

    def test_holds_throughout(self):
        found = dose_response((1, 2), [around(0.0), around(0.5)], 0.05)
        assert found.breaks_from is None
        assert found.holds_to.level == 2

    def test_a_doubtful_level_ends_both(self):
        found = dose_response((1, 2, 3), [around(0.0), around(-0.05), around(-0.5)], 0.05)
        assert (found.holds_to.level, found.breaks_from.level) == (1, 3)

    def test_a_stronger_level_that_recovers_undoes_the_break(self):
        found = dose_response((1, 2), [around(-0.5), around(0.0)], 0.05)
        assert found.breaks_from is None
        assert found.holds_to is None

    def test_an_end_on_the_margin_decides_nothing(self):
        found = dose_response((1,), [Interval(-0.5, -0.75, -0.25)], 0.25)
        assert found.breaks_from is None
        found = dose_response((1,), [Interval(0.0, -0.25, 0.25)], 0.25)
        assert found.holds_to is None

    def test_the_widest_level_says_what_could_be_seen(self):
        found = dose_response((1, 2), [around(0.0, 0.1), around(0.0, 0.3)], 0.0)
        assert found.smallest_visible == pytest.approx(0.3)

    def test_what_does_not_fit_is_an_error(self):
        with pytest.raises(AssayError, match="margin"):
            dose_response((1,), [around(0.0)], -0.1)
        with pytest.raises(AssayError, match="2 levels, 1 effects"):
            dose_response((1, 2), [around(0.0)], 0.1)
