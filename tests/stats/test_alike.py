"""The range of ratings against that of alike rules: exact on small tables, and true to its level."""

import numpy as np
import pytest

from assay.analysis import difficulty
from assay.analysis.episode_errors import ErrorRun, Played
from assay.errors import AssayError
from assay.report.difficulty_tables import answer, tells_apart
from assay.stats.alike import judge_alike
from assay.stats.wins import count_wins, wins_between


def judged(table, deals=999, seed=0):
    runs = {(row, 0): np.array(values, float) for row, values in enumerate(table)}
    return judge_alike(runs, range(len(table)), rng=np.random.default_rng(seed), deals=deals)


def test_wins_of_all_pairs_at_once_are_those_of_each_pair():
    rng = np.random.default_rng(0)
    samples = [rng.integers(0, 6, size).astype(float) for size in (3, 5, 4)]
    owners = np.repeat(np.arange(3), [3, 5, 4])
    wins = wins_between(np.concatenate(samples), owners, 3)
    for i, one in enumerate(samples):
        for j, other in enumerate(samples):
            assert wins[i, j] == count_wins(one, other)


def test_two_rules_have_the_two_sided_chance_of_their_deals():
    # 2 of the 70 ways to deal eight runs to two rules part them so: one in either direction.
    assert judged([[1, 2, 3, 4], [5, 6, 7, 8]], deals=5000).chance == pytest.approx(2 / 70, abs=0.01)
    assert judged([[1, 2], [1, 2]]).chance == 1.0


def test_the_reach_is_what_one_deal_in_twenty_exceeds():
    rng = np.random.default_rng(1)
    table = rng.poisson(100, (4, 10))
    assert judged(table).reach == pytest.approx(judged(table, seed=5).reach, rel=0.15)
    far = judged([*table[:3], table[3] + 100])
    assert far.chance == 0.001 and far.reach < np.log(101) * 1.5


def test_too_few_deals_are_refused():
    with pytest.raises(AssayError, match="5 deals cannot tell rules from chance; take at least 19"):
        judged([[1], [2]], deals=5)


def played(rng, means, players, runs=10):
    return [
        Played(f"rules/r{place}", f"player{player}",
               tuple(ErrorRun(seed, (float(rng.poisson(mean)),), (True,)) for seed in range(runs)))
        for player in range(players)
        for place, mean in enumerate(means)
    ]  # fmt: skip


@pytest.mark.parametrize("rules, players", [(2, 3), (8, 1), (8, 3)])
def test_alike_rules_are_seldom_called_easiest_and_hardest(rules, players):
    """The first and the last of eight alike rules had a p below 0.05 in two tables of three."""
    rng, trials = np.random.default_rng(rules + players), 60
    false = split = 0
    for _ in range(trials):
        table = played(rng, [100.0] * rules, players)
        errors = {(each.rule, each.player): np.array([run.errors[0] for run in each.runs]) for each in table}
        names = list(dict.fromkeys(each.rule for each in table))
        found = judge_alike(errors, names, rng=rng, deals=99)
        false += found.chance <= 0.05
        cells = [cell_of(each) for each in table]
        whose = {each.player for each in table}
        split += any(len(difficulty.judge_classes(cells, who, 0.05 / players).members) > 1 for who in whose)
    most = trials * 0.05 + 3 * (trials * 0.05 * 0.95) ** 0.5
    assert false <= most and split <= most


def cell_of(each):
    return difficulty.judge_cell(each, draws=2)


def test_the_headline_follows_the_range_of_all_ratings():
    # The ends of these eight alike rules have a one-sided p far below 0.05.
    alike = played(np.random.default_rng(2), [100.0] * 8, 1)
    found = difficulty.judge_difficulty(alike, 2)
    first, last = (found.rule_ranking.ranks[place].name for place in (0, -1))
    (ends,) = [each for each in found.between_rules if (each.harder, each.than) == (last, first)]
    assert ends.chance < 0.05 and not tells_apart(found)
    assert answer(found).startswith("The runs do not tell the rules apart: ratings of alike rules lie as far")


def test_rules_that_differ_are_named_with_those_that_chance_could_put_there():
    table = played(np.random.default_rng(0), [50, 50, 100, 150, 300], 2)
    found = difficulty.judge_difficulty(table, 2)
    said = answer(found)
    assert said.endswith("; hardest: rules/r4.") and found.alike.chance == 0.001
    easiest = said.removeprefix("Easiest: ").partition(";")[0]
    assert easiest in (
        "rules/r0 (not told apart from rules/r1)",
        "rules/r1 (not told apart from rules/r0)",
    )
