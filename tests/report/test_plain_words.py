"""Success beside the score, and the best blind policy, in every form of an exam's report."""

from dataclasses import replace

from assay.analysis.plain_measures import PlainMeasure
from assay.report.markdown import markdown
from assay.report.page import page
from assay.report.plain_words import say_blind, success_clause
from assay.report.text import headline, verdict_lines
from assay.stats.aggregate import Interval
from tests.report.sample import rich

WON = PlainMeasure("success", Interval(0.9, 0.55, 0.9975))
ONCE = PlainMeasure("success_once", Interval(1.0, 0.7, 1.0))


def test_success_stands_beside_the_score():
    exam = replace(rich(), measures=(ONCE, WON))
    assert success_clause(exam) == "; success in 90% of episodes [55%, 100%]"
    assert headline(exam).endswith(success_clause(exam))
    assert "success in 90% of episodes" in " ".join(verdict_lines(exam))
    for text in (page(exam), markdown(exam)):
        assert "success in 90% of episodes" in text.lower()


def test_the_best_blind_policy_is_told_or_named_with_its_command():
    unknown = replace(rich(), measures=(WON,))
    assert f"`assay train blind {unknown.task} --seeds 1` finds it" in say_blind(unknown)
    assert "<code>assay train blind" in page(unknown) and "`assay train blind" in markdown(unknown)
    assert "\\`" not in markdown(unknown)
    known = replace(unknown, blind=-247.4)
    assert say_blind(known) == "The best blind policy, which does not look, scores -247."
    assert "scores -247" in page(known).replace("−", "-") and "assay train blind" not in page(known)


def test_an_env_without_measures_says_nothing_of_them():
    assert not rich().measures and success_clause(rich()) == "" and say_blind(rich()) == ""
