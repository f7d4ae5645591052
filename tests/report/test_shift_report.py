"""Induced-policy shift on the page, in Markdown and as a picture."""

import base64
import io
from dataclasses import replace

import numpy as np
from PIL import Image

from assay.analysis.shift import Estimate, Moment, RankOfGaps, Shift, ShiftFinding
from assay.report.markdown import markdown
from assay.report.page import page
from assay.report.shift_sheet import PLAIN, VARIED, draw_shift
from assay.report.shift_text import action_bars, describe_choice, say_rank, say_sizes, table_rows
from tests.report.sample import rich

ACTIONS = ("stay", "<left>", "right")


def picture(colour):
    held = io.BytesIO()
    Image.fromarray(np.full((8, 12, 3), colour, np.uint8)).save(held, format="PNG")
    return base64.b64encode(held.getvalue()).decode()


def moment(pictures):
    seen = (picture((10, 200, 30)), picture((0, 0, 90))) if pictures else ("5", "[1, 2]")
    return Moment("filters.hue_shift", "180", 0, 3, 42, 0.9, (1.0, 0.0, 0.0), (0.1, 0.0, 0.9), *seen)


def sample(pictures=True):
    finding = ShiftFinding(
        "filters.hue_shift", "180", Estimate(0.25, 0.1, 0.4), Estimate(1.5, 0.0, None),
        Estimate(0.125, 0.0, 0.5), Estimate(-3.0, -9.0, 2.0),
    )  # fmt: skip
    return Shift(
        "ppo", "platformer/run", ACTIONS, "episode", (7,), 10, 1000, Estimate(5.0, 4.0, 6.0), (finding,),
        RankOfGaps(Estimate(0.8, 0.5, 1.0), 0.02, 6), (moment(pictures),), pictures,
    )  # fmt: skip


def test_numbers_stand_with_their_intervals():
    (row,) = table_rows(sample())
    assert row.estimates == (
        "0.250 [0.100, 0.400]", "1.500 [0.000, no bound]", "12.5% [0.0%, 50.0%]", "-3.00 [-9.00, 2.00]"
    )  # fmt: skip


def test_sizes_and_ranks_in_words():
    assert say_sizes(sample()).startswith("1,000 states of 10 plain episodes of one policy (seed 7)")
    assert "over 6 axes and sides: 0.80 [0.50, 1.00], resampling episodes" in say_rank(sample())
    assert say_rank(replace(sample(), rank=None)).endswith("needs 5 axes or more")
    assert "not calibrated" not in say_rank(sample())
    few = say_rank(replace(sample(), episodes=4))
    assert few.endswith("an interval over 4 episodes is not calibrated and may be far too narrow")
    alike = replace(sample(), rank=None, findings=sample().findings * 5)
    assert say_rank(alike).startswith("axes are not ranked by shift and gap")


def test_the_page_and_markdown_show_the_table_and_the_states():
    exam = replace(rich(), shift=sample())
    shown, text = page(exam), markdown(exam)
    assert '<a href="#shift">Induced-policy shift</a>' in shown and "0.250" in shown
    assert shown.count("data:image/png;base64,") == 2 and "episode 3, step 42" in shown
    assert "<left>" not in shown and "## Induced-policy shift" in text and "right 90%, stay 10%" in text


def test_numbers_that_are_seen_stand_in_a_table():
    exam = replace(rich(), shift=sample(pictures=False))
    assert "data:image/png" not in page(exam) and "[1, 2]" in page(exam)
    assert "varied: sees" in markdown(exam)


def test_without_a_measurement_there_is_no_section_and_a_stale_one_says_so():
    assert "Induced-policy" not in page(rich()) and "Induced-policy" not in markdown(rich())
    stale = replace(rich(), no_shift="shift.json was measured by another version of assay")
    for text in (page(stale), markdown(stale)):
        assert "by another version of assay" in text and "measures it anew" in text


def test_the_picture_has_both_renderings_as_they_are_and_bars_in_two_colours():
    sheet = np.asarray(draw_shift(sample()))
    colours = {tuple(colour) for colour in sheet.reshape(-1, 3).tolist()}
    assert {(10, 200, 30), (0, 0, 90), PLAIN, VARIED} <= colours
    # 256 // 12 = 21: every pixel is a square of 21.
    assert (sheet == (10, 200, 30)).all(-1).sum() == 8 * 12 * 21 * 21
    longer, shorter = ((sheet == colour).all(-1).sum() for colour in (PLAIN, VARIED))
    assert longer > 0 and shorter > 0


def test_of_many_actions_the_likely_ones_are_shown():
    many = replace(sample(), actions=tuple(map(str, range(20))))
    plain = tuple(np.eye(20)[17])
    shown = action_bars(many, replace(moment(True), plain=plain, varied=tuple([0.05] * 20)))
    assert len(shown) == 8 and shown[-1] == ("17", 1.0, 0.05)


def test_choices_in_short():
    assert describe_choice(ACTIONS, (0.996, 0.004, 0.0)) == "stay 100%"
    assert describe_choice(("a", "b", "c", "d"), (0.4, 0.3, 0.2, 0.1)) == "a 40%, b 30%, c 20%, others 10%"
