"""The headline on several drifts, in every form: which falls, and what was over before."""

import csv
import io
import json
from dataclasses import replace

from assay.analysis.drift import EPISODE, SEED, CurvePoint, Drift, DriftFinding
from assay.plans.drift_question import LIFE, STEPS, DriftQuestion
from assay.report.drift_page import drift_page
from assay.report.drift_text import drift_csv, drift_json, drift_markdown, say_facts, say_result, table_rows
from assay.stats.aggregate import Interval
from assay.stats.drift import TimeEstimate

LEVEL, NEVER = Interval(1.0, 0.9, 1.1), TimeEstimate(None, None, None)


def finding(at, low, carried=0, own=None):
    depth = Interval(low + 0.2, low, low + 0.4)
    return DriftFinding(
        at, at + 100, LEVEL, depth, None, 50, NEVER, 0.1, LEVEL, None, None, None,
        fall=(own or depth).low > 0, carried=carried, lasting=20, own_depth=own,
    )  # fmt: skip


def drift(*findings):
    question = DriftQuestion("a", "b", STEPS, tuple(each.at for each in findings), ())
    points = (CurvePoint(0, 100, LEVEL, LEVEL), CurvePoint(100, 200, LEVEL, LEVEL))
    share = 1 - 0.05 / len(findings)
    return Drift(
        "mine", question, EPISODE, 20, False, (0,), 20, 1.0, True, 20, 1, points, findings,
        holds_for="this agent as it is", coverage=share,
    )  # fmt: skip


SECOND = drift(finding(100, -0.1), finding(200, 0.8))
CARRIED = drift(finding(100, 0.5), finding(200, 0.8, carried=19, own=Interval(0.0, -0.2, 0.2)))


def test_the_headline_speaks_of_all_drifts():
    said = "One of 2 drifts has a fall that is told from chance: scores fall by 1.00 [0.80, 1.20] after 200"
    for text in (say_result(SECOND), drift_markdown(SECOND), drift_page(SECOND)):
        assert said in text.replace("\\[", "[").replace("\\]", "]") and "No fall" not in text
    both = drift(finding(100, 0.5), finding(200, 0.8))
    assert say_result(both).startswith(
        "2 of 2 drifts have falls that are told from chance: scores fall by 0.70"
    )
    none = say_result(drift(finding(100, -0.2), finding(200, -0.1)))
    assert (
        none.startswith("None of 2 drifts has a fall of its own") and "0.10 [-0.10, 0.30], after 200" in none
    )
    assert [each["fall"] for each in json.loads(drift_json(SECOND))["findings"]] == [False, True]
    assert [row["fall"] for row in csv.DictReader(io.StringIO(drift_csv(SECOND)))] == ["False", "True"]


def test_a_learner_s_fall_is_a_distance_from_the_control():
    """The control goes on learning, so that the distance may be more than the level before."""
    one = drift(finding(100, 0.8))
    learned = replace(one, question=replace(one.question, unit=LIFE))
    assert say_result(learned).startswith(
        "Scores lie 1.00 [0.80, 1.20] below the control that went on learning, and are not back"
    )
    assert say_result(one).startswith("Scores fall by 1.00 [0.80, 1.20]")


def test_several_concepts_are_named():
    both = drift(replace(finding(100, 0.5), what="gust=0.3"), replace(finding(200, 0.8), what="slip=0.5"))
    assert "after 100 (gust=0.3), by" in say_result(both) and "after 200 (slip=0.5)" in say_result(both)
    assert [row[0] for row in table_rows(both)] == ["100 steps (gust=0.3)", "200 steps (slip=0.5)"]
    page = drift_page(both)
    assert "gust=0.3 or slip=0.5 is on" in page and "drift after 200 steps (slip=0.5)" in page
    assert [row["what"] for row in csv.DictReader(io.StringIO(drift_csv(both)))] == ["gust=0.3", "slip=0.5"]
    alike = drift(*(replace(each, what="gust=0.3") for each in both.findings))
    assert "gust" not in say_result(alike) and "the variation is on" in drift_page(alike)


def test_several_drifts_share_the_error():
    assert any(
        "97.5% intervals" in each and "2 drifts share an error of 5%" in each for each in say_facts(SECOND)
    )


def test_what_is_carried_stands_beside_its_row_and_is_no_fall():
    said = say_result(CARRIED)
    assert said.startswith("One of 2 drifts") and "after 100 steps" in said
    assert "losses of episodes that had ended before 200 are not counted" in said
    assert [row[-2:] for row in table_rows(CARRIED)] == [
        ("none", "0.70 [0.50, 0.90]"), ("19 of 20 episodes", "0.00 [-0.20, 0.20]"),
    ]  # fmt: skip
    assert "over before it" in drift_page(CARRIED) and "over before it" not in drift_page(SECOND)


def of_agents(units, trained=True, unit=SEED, fall=None):
    each = replace(finding(100, 0.8), fall=fall, of_units=(1.0, 1.0, 0.98)[:units])
    return replace(drift(each), unit=unit, units=units, trained=trained, holds_for="these agents alone")


def test_few_agents_have_no_verdict_but_one_fall_each():
    said = say_result(of_agents(3))
    assert said == (
        "3 trained agents are too few to speak of others (6 at least): their scores fall by 1.00, 1.00, 0.98 "
        "after 100 steps."
    )
    assert json.loads(drift_json(of_agents(3)))["findings"][0]["fall"] is None


def test_every_output_says_what_one_trained_agent_speaks_of():
    alone = of_agents(40, unit=EPISODE, fall=True)
    assert say_result(alone).startswith("Scores of this one trained agent fall by")
    for text in (drift_markdown(alone), drift_page(alone)):
        assert "40 episodes of one trained agent" in text and "hold for these agents alone" in text
    (row,) = csv.DictReader(io.StringIO(drift_csv(alone)))
    assert (row["unit"], row["holds_for"]) == ("episode", "these agents alone")
    assert json.loads(drift_json(alone))["unit"] == "episode"


def test_what_goes_off_is_not_back_within_the_time_it_lasts():
    off = drift(replace(finding(100, 0.8), off=True, follows=300, lost_after=Interval(0.0, -1.0, 1.0)))
    assert say_result(off).endswith("and are not back within the 100 steps that it lasts.")
    assert table_rows(off)[0][-1] == "0.00 [-1.00, 1.00]"
    assert "is no recovery" in drift_markdown(off)
