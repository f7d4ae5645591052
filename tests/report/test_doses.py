"""Scores and effects on one axis, and the parts that drawings are made of."""

import math
from dataclasses import replace

import pytest

from assay.report.doses import EFFECTS, panels, yardstick
from assay.report.learning import panels as learning_panels
from assay.report.learning import thin_out
from assay.report.svg import Scale, element, scale, space_labels, tick_labels, ticks

from .sample import PLAIN, RANDOM, finding, hostile, rich


def test_the_yardstick_turns_effects_into_scores():
    ruler = yardstick(rich(), rich().findings[:1])
    assert ruler.plain == pytest.approx(PLAIN) and ruler.unit == pytest.approx(PLAIN - RANDOM)
    assert ruler.place(-1.0) == pytest.approx(RANDOM)


def test_an_axis_of_shares_is_drawn_in_effects():
    other = replace(finding("b", "1 -10 5; 2 -50 5"), shares=True)
    assert yardstick(rich(), [other]) == EFFECTS
    both = panels(replace(rich(), findings=(*rich().findings, other)))
    assert ["drawn as effects" in panel for _, panel in both].count(True) == 1
    assert not any("drawn as effects" in panel for _, panel in panels(rich()))


def test_panels_join_the_sides_of_an_axis_and_leave_switches_out():
    drawn = [panel for _, panel in panels(rich())]
    horizon = [panel for panel in drawn if ">horizon</h4>" in panel]
    assert len(horizon) == 1 and "holds to 50" in horizon[0] and "holds to 400" in horizon[0]
    labels = ["25", "50", "100", "200", "400"]
    places = [float(horizon[0].split(f"</title>{text}</text>")[0].rsplit('x="', 1)[1].split('"')[0])
              for text in labels]  # fmt: skip
    assert places == sorted(places)
    assert not any(">reward.sign</h4>" in panel for panel in drawn)


def test_the_break_is_marked_and_far_values_become_arrows():
    drawn = {panel.split("<h4>")[1].split("</h4>")[0]: panel for _, panel in panels(hostile())}
    assert drawn["dense"].count('class="break-line"') == 1
    assert drawn["far"].count("mark arrow") == 4
    assert "ribbon" not in drawn["undecidable"] and "break-line" not in drawn["undecidable"]


def test_gaps_in_learning_curves_are_gaps():
    whole = thin_out((1, 2, 3, 4), (1.0, math.nan, 3.0, 5.0))
    assert [step for step, _ in whole] == [1, 2, 3, 4]
    assert [score for _, score in whole] == pytest.approx([1.0, math.nan, 3.0, 5.0], nan_ok=True)
    assert thin_out((1, 2, 3, 4), (1.0, math.nan, 3.0, 5.0), most=2) == [(1.5, 1.0), (3.5, 4.0)]
    assert len(thin_out(range(3000), [1.0] * 3000)) <= 120


def test_one_line_per_seed_and_no_panel_of_nothing():
    drawn = learning_panels(rich().curves)
    assert ">plain</h4>" in drawn[0] and drawn[0].count('class="seed"') == 10
    assert not any(">nothing</h4>" in panel for panel in learning_panels(hostile().curves))


def test_scales_clip_and_say_so():
    line = Scale(0.0, 10.0, 100.0, 0.0)
    assert [line(5), line(-7), line(math.inf)] == [50.0, 100.0, 0.0]
    assert [line.beyond(value) for value in (-1, 5, math.inf)] == [-1, 0, 1]
    flat = scale([3.0, math.nan], 0, 1)
    assert flat.low < 3.0 < flat.high and scale([], 0, 1).low < scale([], 0, 1).high


@pytest.mark.parametrize("low, high, labels", [
    (16.0, 102.0, ["20", "40", "60", "80", "100"]), (-0.3, 0.15, ["−0.3", "−0.2", "−0.1", "0.0", "0.1"]),
    (0.0, 20_000.0, ["0", "5k", "10k", "15k", "20k"]), (1.0, 1.0, []), (0.0, math.inf, []),
])  # fmt: skip
def test_ticks_are_round(low, high, labels):
    assert tick_labels(ticks(low, high, 5)) == labels


def test_labels_keep_apart_and_inside():
    kept = space_labels([(0, "first"), (10, "near"), (200, "far"), (400, "edge")], 10, 0, 400)
    assert [text for _, text in kept] == ["first", "far", "edge"]
    assert kept[0][0] > 0 and kept[-1][0] < 400


def test_attributes_are_escaped():
    assert element("a", "b", title='"<&>"', class_=None, stroke_width=1.50) == (
        '<a title="&quot;&lt;&amp;&gt;&quot;" stroke-width="1.5">b</a>'
    )
