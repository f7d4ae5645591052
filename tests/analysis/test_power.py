"""How many units the next exam needs, against `stats.power`."""

import numpy as np
import pytest

from assay.analysis.findings import find
from assay.analysis.power import count_units_needed
from assay.stats.effect import linear, played
from assay.stats.power import comparisons_behind, smallest_effect, units_needed
from assay.stats.resampling import simultaneous

from .records import PLAIN, exam, exam_plan, question

STICKY = question("action.sticky", "0.25", "0.5")
MIDDLE, STRONG = ("carry", "action.sticky", "0.25"), ("carry", "action.sticky", "0.5")
SCORES = {
    PLAIN: [98.0, 100.0, 102.0, 100.0, 99.0, 101.0],
    MIDDLE: [90.0, 92.0, 94.0, 92.0, 91.0, 93.0],
    STRONG: [60.0, 58.0, 63.0, 59.0, 61.0, 57.0],
}
RANDOM = {PLAIN: [20.0] * 6}
SIX = exam_plan(STICKY, seeds=6)


def test_the_numbers_are_those_of_the_statistics(tmp_path):
    with exam(tmp_path / "run", SIX, SCORES, RANDOM) as run:
        found = count_units_needed(run, effect=0.05, chance=0.9)
    assert (found.unit, found.had) == ("seed", 6)
    same, spread = found.levels
    assert (same.axis, same.level, same.arm) == ("action.sticky", "0.25", "carry")
    plain, varied = np.array(SCORES[PLAIN]), np.array([SCORES[MIDDLE], SCORES[STRONG]]).T
    effects = linear(played(varied, plain, np.full(6, 20.0)))
    # All seeds lose 8 points; the ratio spreads all the same, for plain play does.
    assert same.sees is not None and same.needed < spread.needed
    critical = simultaneous(effects, rng=np.random.default_rng(0)).critical
    how = {"comparisons": comparisons_behind(critical, 6), "power": 0.9}
    deviation = np.std(effects[:, 1], ddof=1)
    assert spread.sees == pytest.approx(smallest_effect(6, deviation, **how))
    assert spread.needed == units_needed(0.05, deviation, **how)


def test_smaller_effects_and_surer_plans_need_more(tmp_path):
    with exam(tmp_path / "run", SIX, SCORES, RANDOM) as run:
        few, more, sure = (
            count_units_needed(run, *how).levels[1].needed for how in ((0.05, 0.8), (0.01, 0.8), (0.05, 0.99))
        )
    assert few < more and few < sure


def test_where_the_exam_has_no_end_so_many_units_see_nothing(tmp_path):
    """Seeds that keep alike shares lose alike, but not what they lose them of: `5 seeds see 2%` was said."""
    levels = ("0.1", "0.2", "0.3", "0.4", "0.5")
    kept = [[11.65, 7.9, 23.7, 30.65, 27.35], [6.15, 2.55, 16.25, 16.4, 19.6], [2.7, 2.5, 11.85, 8.45, 9.15],
            [1.6, 1.4, 7.35, 4.9, 6.15], [0.95, 0.95, 4.2, 3.05, 3.15]]  # fmt: skip
    scores = {PLAIN: [49.8, 33.3, 99.55, 98.75, 99.45]}
    scores |= {("carry", "action.sticky", level): row for level, row in zip(levels, kept)}
    plan = exam_plan(question("action.sticky", *levels), seeds=5)
    with exam(tmp_path / "run", plan, scores, {PLAIN: [0.4, 0.4, 0.65, 0.45, 0.5]}) as run:
        found, told = count_units_needed(run, 0.05, 0.8), find(run)
    ends = [np.isfinite(level.effect.half_width) for level in told.findings[0].levels]
    assert ends[1] and not ends[4] and told.power == ""  # no number of seeds is known to settle it
    assert [each.bounded for each in found.levels] == ends
    assert [each.sees is None for each in found.levels] == [not each for each in ends]


def test_a_single_seed_plans_nothing(tmp_path):
    scores = {place: column[:1] for place, column in SCORES.items()}
    with exam(tmp_path / "run", exam_plan(STICKY, seeds=1), scores, RANDOM) as run:
        found = count_units_needed(run, 0.05, 0.8)
    assert found.had == 1 and all(each.sees is None and each.needed is None for each in found.levels)


def test_where_there_is_nothing_to_lose_nothing_is_planned(tmp_path):
    with exam(tmp_path / "run", SIX, SCORES, {PLAIN: SCORES[PLAIN]}) as run:
        assert count_units_needed(run, 0.05, 0.8).levels == ()


def test_four_seeds_do_not_say_how_many_would_do(tmp_path):
    scores = {place: column[:4] for place, column in SCORES.items()}
    with exam(tmp_path / "run", exam_plan(STICKY), scores, {PLAIN: [20.0] * 4}) as run:
        found = count_units_needed(run, 0.05, 0.8)
    assert all(each.sees > 0 and each.needed is None for each in found.levels)


def test_the_exam_and_the_command_say_one_number(tmp_path):
    """`assay power` said 411 where the exam of the same run had said another number."""
    moved = [score + move for score, move in zip(SCORES[PLAIN], (40, -40, 40, -40, 40, -40))]
    scores = {**SCORES, STRONG: moved, MIDDLE: SCORES[PLAIN]}
    noise = question("observation.noise", "0.1")
    scores["carry", "observation.noise", "0.1"] = moved[::-1]
    with exam(tmp_path / "run", exam_plan(STICKY, noise, seeds=6), scores, RANDOM) as run:
        by_axis = {}
        for each in count_units_needed(run, effect=0.05, chance=0.8).levels:
            by_axis.setdefault(each.axis, []).append(each.needed or 0)
        found = find(run)
    assert [each.axis for each in found.findings if each.word == "cannot tell"] == ["observation.noise"]
    assert found.power == f"{max(by_axis['observation.noise'])} seeds would see 5% there"
