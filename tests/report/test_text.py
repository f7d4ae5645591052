"""Words, against lines written by hand."""

import math
from dataclasses import replace

import pytest

from assay.plans.question import CARRY, LEARN
from assay.report.attribution import cautions
from assay.report.method import method
from assay.report.text import (
    bounds,
    describe_level,
    describe_whose,
    duration,
    headline,
    number,
    one_line,
    percent,
    sentence,
    shorten,
    standing,
    true_minus,
    verdict_in_short,
    verdict_lines,
    word_of,
)
from assay.stats.aggregate import Interval
from assay.stats.losses import MOSTLY
from assay.stats.verdict import BREAKS, HOLDS

from .sample import UNKNOWN, both, empty, finding, given, hostile, mine, minimal, rich, the_tasks

RICH = """\
dqn on toy/discrete: 0.97 of the optimum [0.96, 0.98] over 10 seeds
breaks on (agent) observation.delay    from 1        -71% [-76, -66]  the agent: a retrained one keeps 92%
                  maximally_connected  at false      -44% [-50, -38]  the agent: a retrained one keeps 97%
                  action.repeat        from 2        -31% [-39, -23]  the agent: a retrained one keeps 88%
                  action.sticky        from 0.25     -24% [-30, -18]  both
breaks on (task)  transition_noise     from 0.05     -38% [-44, -32]  the task: the optimum falls by 33%
breaks on (open)  init_state_dist      at [0,1,0,0]  -31% [-36, -26]
                  observation.noise    from 0.05     -19% [-25, -13]
                    perhaps the agent: a retrained one keeps 71%
                  (it cannot be told whose loss that is)
learns less under reward_scale         at 0.01       -33% [-41, -25]
                    trained there, scored by the plain reward
                  delay                at 8          -22% [-28, -16]
                    trained there, scored by the plain reward
holds on          action.random to 0.05, observation.dropout to 0.1, horizon to 50,
                  init_state_dist at [1,0,0,0], init_state_dist at [0,0,1,0], horizon to 400
learns under      reward_noise to 1, reward_scale to 100, reward.sign at true
cannot tell       terminal_state_density 12%, init_state_dist at [0,0,0,1] 5%: 10 seeds see only differences
                  above that, and the loss may lie on either side of 10%; `assay power` says 64 would see 5%
not asked         diameter, irrelevant_features: other spaces (`--retrain` trains there)
                  mdp_seed: another MDP, not another version of this one"""

GIVEN = """\
mine:act on atari/Breakout: score 212 [200, 221], random 22, over 30 episodes
one given agent: the verdicts are about it alone, not about the algorithm that made it
breaks on (open)  lazy_enemy     at true  -62% [-74, -50]
                  action.sticky  at 0.25  -40% [-50, -30]
                  (it cannot be told whose loss that is)"""


def test_the_verdict_of_a_rich_exam():
    assert "\n".join(verdict_lines(rich())) == RICH


def test_one_given_agent_is_said_to_be_one():
    assert "\n".join(verdict_lines(given())) == GIVEN


def test_where_nothing_breaks_it_says_so():
    held = replace(minimal(), findings=(finding("delay", "1 0 5"),))
    assert verdict_lines(held)[:2] == [
        "dqn on toy/discrete: score 97 (one seed, no interval), random 22, over 1 seed",
        "breaks on         no axis that was asked, as far as 1 seed can tell",
    ]


def test_where_all_is_in_doubt_nothing_is_said_of_breaks():
    assert [line.split("  ")[0] for line in verdict_lines(minimal())[1:]] == ["cannot tell", ""]


def test_one_doubt_takes_what_would_settle_it_on_its_line():
    exam = replace(minimal(), power="64 seeds would see 5%")
    assert verdict_lines(exam)[-1].endswith("; 64 seeds would see 5%")


def test_an_exam_that_asked_nothing_has_one_line():
    assert verdict_lines(empty()) == ["dqn on toy/discrete: score 97 [96, 98], random 22, over 2 seeds"]


def test_names_cannot_tear_a_line_or_drive_the_terminal():
    lines = verdict_lines(hostile())
    assert all(line.isprintable() for line in lines)
    assert any(line.startswith("failed") for line in lines)
    assert sum(line.startswith("not asked") for line in lines) == 1


@pytest.mark.parametrize("exam, said", [
    (rich, "0.97 of the optimum. Fails to carry over on 4 of 11 axes; the task is harder under 1; "
           "2 break it, and it cannot be told whose loss that is; 1 more cannot be told; "
           "learns less under 2 of 4 reward axes."),
    (given, "Scores 212. 2 of 2 axes break it; it cannot be told whose loss that is."),
    (minimal, "Scores 97. Whether it carries over cannot be told on 1 axis."),
    (empty, "Scores 97. No axis was asked."),
])  # fmt: skip
def test_the_verdict_in_short(exam, said):
    assert verdict_in_short(exam()) == said


def test_what_the_task_takes_from_everybody_is_not_the_agents():
    """Of twelve axes that broke, nine were the task's: the headline gave all twelve to the agent."""
    losses = [finding(f"axis{i}", "1 -50 5", whose=the_tasks() if i < 9 else mine()) for i in range(12)]
    held = [finding(f"held{i}", "1 0 5") for i in range(5)]
    exam = replace(rich(), findings=(*losses, *held))
    assert verdict_in_short(exam) == (
        "0.97 of the optimum. Fails to carry over on 3 of 17 axes; the task is harder under 9."
    )


def test_a_terminal_of_80_columns():
    assert max(map(len, verdict_lines(rich(), 78))) <= 78
    assert max(map(len, verdict_lines(given(), 78))) <= 78


def test_what_so_many_units_cannot_show():
    one_axis = replace(rich(), findings=rich().findings[:1])
    assert cautions(one_axis) == ["10 seeds cannot exclude that one seed in four fails"]
    # 0.05 shared by 15 axes is 0.33%, and 0.67^10 is 1.7%: one seed in three is not excluded.
    assert cautions(rich()) == [
        "10 seeds cannot exclude that one seed in four fails under an axis, nor that one seed in three fails "
        "under some of the 15 axes asked"
    ]
    few = replace(given(), units_to_hold=51, units_to_plan=64, distinct=1)
    assert cautions(few)[1:] == [
        "1 distinct episode of 30 on the plain task, which has no randomness: an axis without randomness "
        "then has one unit and gets no verdict",
    ]
    assert cautions(replace(few, distinct=30))[1:] == [
        "30 episodes cannot show that an axis holds; 64 could (--episodes 64)",
    ]
    lost = replace(rich(), not_above="plain play (20) is below random play (22)", below_random=True)
    assert "nothing to lose: plain play (20) is below random play (22)" in cautions(lost)[0]
    assert verdict_in_short(lost).endswith("Nothing to lose, so no axis can break or hold.")
    open_ = replace(
        lost, not_above="plain play (23) cannot be told from random play (22)", below_random=False
    )
    assert "too little is known: plain play (23) cannot be told from" in cautions(open_)[0]
    assert verdict_in_short(open_).endswith(
        "Not shown to be above random play, so no axis can break or hold."
    )


def test_one_seed_has_no_interval():
    nothing = Interval(0.5, -math.inf, math.inf)
    alone = replace(rich(), units=("0",), headline=replace(rich().headline, share=nothing, score=nothing))
    assert headline(alone) == "0.50 of the optimum (one seed, no interval) over 1 seed"
    no_optimum = replace(alone, headline=replace(alone.headline, share=None))
    assert headline(no_optimum).startswith("score 0.50 (one seed, no interval), random")


def test_what_holds_names_the_lowest_score_that_it_assumes():
    held = replace(given(), findings=(finding("a", "1 0 5"),), lowest=9.25)
    said = "what holds does so if no episode scores below 9.25, the lowest score that was seen"
    assert said in cautions(held)
    assert said not in cautions(replace(held, score_range=(0.0, 500.0)))
    assert not any("lowest" in each for each in cautions(given()))


def test_an_axis_that_holds_on_both_sides_counts_once():
    exam = replace(rich(), findings=tuple(each for each in rich().findings if each.axis == "horizon"))
    assert verdict_in_short(exam) == "0.97 of the optimum. Holds on 1 axis."


def test_the_standing():
    assert standing(rich()) == "Plain score 97 [96, 98]; random play scores 22, the optimum is 100."
    assert standing(minimal()).endswith("random play scores 22, the optimum is not known.")


@pytest.mark.parametrize("effect, said", [
    (Interval(-0.71, -0.75, -0.66), "-71% [-75, -66]"),
    (Interval(0.031, -0.02, 0.08), "+3% [-2, +8]"),
    (Interval(-0.001, -0.004, 0.004), "0% [0, 0]"),
    (Interval(-3.0, -math.inf, -2.0), "-300% [no bound, -200]"),
    (Interval(-0.1, -math.inf, math.inf), "-10% [no bounds]"),
    (Interval(-1e9, -2e9, 12.5), "-1e11% [-2e11, +1,250]"),
    (UNKNOWN, "not known"),
])  # fmt: skip
def test_percent(effect, said):
    assert percent(effect) == said


@pytest.mark.parametrize("value, said", [
    (212.4, "212"), (12345.6, "12,346"), (43.75, "43.8"), (0.972, "0.97"), (0.0, "0.00"), (-5.0, "-5.00"),
    (0.0012, "0.0012"), (2.5e7, "2.5e7"), (1e-5, "1e-5"), (None, "unknown"), (math.nan, "unknown"),
    (math.inf, "no bound"),
])  # fmt: skip
def test_numbers_have_about_three_digits(value, said):
    assert number(value) == said


def test_from_promises_only_what_was_tried():
    assert describe_level(finding("a", "1 -50 5; 2 -60 5")) == "from 1"
    assert describe_level(finding("a", "1 -2 5; 2 -60 5")) == "at 2"
    assert describe_level(finding("a", "1 -2 5; 2 -12 5")) == "to 1"
    assert describe_level(finding("a", "1 -12 5")) == ""
    assert describe_level(finding("a", "50 -12 5", side="below", neutral="100")) == "below 100"
    assert describe_level(finding("a", "word -12 5", ordered=False)) == "at word"


def test_a_long_level_is_shortened_unless_the_whole_is_asked_for():
    found = finding("a", "[[1,2,3,4,5,6,7,0],[2,3]] -50 5", ordered=False)
    assert describe_level(found) == "at [[1,2,3,4,5,6,7,0…"
    assert describe_level(found, whole=True) == "at [[1,2,3,4,5,6,7,0],[2,3]]"


def test_sentences():
    lost = finding("action.sticky", "0.25 -24 5; 0.5 -50 5", whose=mine())
    assert (lost.word, lost.arm) == (BREAKS, CARRY)
    assert sentence(lost) == (
        "breaks on action.sticky from 0.25: -24% [-29, -19]; the agent: a retrained one keeps 92%"
    )
    learned = finding("delay", "8 -22 6", arm=LEARN)
    assert sentence(learned) == (
        "learns less under delay at 8: -22% [-28, -16]; trained there, scored by the plain reward"
    )
    held = finding("delay", "8 -2 6", arm=LEARN)
    assert (held.word, sentence(held)) == (HOLDS, "learns under delay to 8: -2% [-8, +4]")
    assert sentence(finding("a", "1 -12 5")) == (
        "cannot tell a: 10 seeds see differences above 5%, and the loss may lie on either side of 10%"
    )


def test_whose_loss():
    assert describe_whose(None) == ""
    assert describe_whose(both()) == "both"
    assert describe_whose(the_tasks(sure=False)) == "perhaps the task: the optimum falls by 33%"


def test_the_method_says_the_rule_for_whose_loss_it_is():
    assert MOSTLY == 2 / 3
    assert "at least two thirds" in dict(method(rich()))["Whose loss"]


def test_small_words():
    assert bounds(Interval(0.97, 0.96, math.inf), ".2f") == "[0.96, no bound]"
    assert shorten("observation.delay", 8) == "observa…" and shorten("delay", 5) == "delay"
    assert one_line("a\n b\x1b[31m") == "a b\ufffd[31m"
    assert [duration(s) for s in (97, 181, 9000, math.inf)] == ["97 s", "3 min", "2.5 h", "an unknown time"]
    assert true_minus("-71% [-75, -66] x-y 1e-5") == "−71% [−75, −66] x-y 1e-5"


def test_a_level_by_itself():
    words = [word_of(Interval(e, e - 0.05, e + 0.05), 0.1) for e in (-0.2, -0.12, -0.02)]
    assert [*words, word_of(UNKNOWN, 0.1)] == ["breaks", "cannot tell", "holds", "cannot tell"]
