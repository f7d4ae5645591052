import math

import numpy as np
import pytest

from assay.stats.over_games import GameRuns, change_over_games, changes_of_runs
from assay.stats.standing import ToldSide, ranks, standing_of_runs, standing_of_told


def game(plain, varied, random=0.0):
    return GameRuns(np.array(plain, float), np.array(varied, float), np.full(4, random),
                    np.full((len(varied), 4), random))  # fmt: skip


def test_the_mean_over_variations_comes_first():
    # Margin 10 on both seeds; variations at -50% and +100% of it: their mean is +25%.
    assert changes_of_runs(game([10, 10], [[5, 5], [20, 20]])) == pytest.approx([0.25, 0.25])


def test_many_variations_of_a_game_count_as_one():
    # Games with changes 0, 0, 0 and -100% (as four variations): the IQM leaves out the lowest quarter.
    games = [game([10, 10], [[10, 10]])] * 3 + [game([10, 10], [[0, 0]] * 4)]
    assert change_over_games(games, rng=np.random.default_rng(0)).value == 0


def test_a_single_run_has_no_interval():
    change = change_over_games([game([10], [[5]])], rng=np.random.default_rng(0))
    assert change == (-0.5, -math.inf, math.inf)


def unseen(runs):
    """The largest rate of a kind of run of which so many show none once in twenty."""
    return 1 - 0.05 ** (1 / runs)


def test_runs_that_all_agree_may_have_missed_one_that_does_not():
    games = [game([10, 11, 12], [[10, 11, 12]]) for _ in range(8)]
    change = change_over_games(games, rng=np.random.default_rng(0))
    assert change == pytest.approx((0, -unseen(24), unseen(24)))


def test_runs_that_agree_in_games_that_differ_may_have_missed_one_too():
    games = [game([10, 10, 10], [[kept] * 3]) for kept in (0, 5, 5, 10)]
    change = change_over_games(games, rng=np.random.default_rng(0))
    assert change == pytest.approx((-0.5, -0.5 - unseen(12), -0.5 + unseen(12)))
    plain, varied, _ = standing_of_runs(
        np.full((2, 4), 2.0), np.tile([0, 1, 1, 2.0], (2, 1)), rng=np.random.default_rng(0)
    )
    assert plain == pytest.approx((2, 2 - 2 * unseen(8), 2 + 2 * unseen(8)))
    assert varied == pytest.approx((1, 1 - unseen(8), 1 + unseen(8)))


def test_noise_does_not_hide_what_may_have_been_missed():
    rng = np.random.default_rng(4)
    games = [game(rng.normal(10, 0.1, 3), [rng.normal(10, 0.1, 3)]) for _ in range(4)]
    change = change_over_games(games, rng=rng)
    assert change.value - change.low > unseen(12) and change.high - change.value > unseen(12)
    side = rng.normal(2, 0.01, (3, 4))
    assert standing_of_runs(side, side, rng=rng).plain.low < 2 * (1 - unseen(12)) + 0.01


def test_the_interval_holds_where_three_seeds_in_ten_fail():
    """Four games of three seeds: resampling alone holds the IQM of all runs in 84% of cases."""
    rng, hits = np.random.default_rng(5), 0
    truth = -0.1  # 30% of runs lose all: a quarter of all runs is cut, 5% of the other half of them is left
    for _ in range(120):
        plain = rng.normal(10, 0.2, (4, 3))
        varied = np.where(rng.random((4, 3)) < 0.3, 0, plain) + rng.normal(0, 0.2, (4, 3))
        games = [game(*each) for each in zip(plain, varied[:, None])]
        change = change_over_games(games, rng=rng, draws=400)
        hits += change.low <= truth <= change.high
    assert hits >= 0.94 * 120


def test_the_interval_holds_a_planted_change():
    rng, hits = np.random.default_rng(1), 0
    for _ in range(60):
        games = [
            GameRuns(
                rng.normal(10, 1, 3),
                rng.normal(6, 1, (2, 3)),
                rng.normal(0, 1, 50),
                rng.normal(0, 1, (2, 50)),
            )
            for _ in range(8)
        ]
        change = change_over_games(games, rng=rng, draws=400)
        hits += change.low <= -0.4 <= change.high
    assert hits >= 54


def test_an_agent_that_is_best_on_originals_may_be_worst_on_variations():
    rng = np.random.default_rng(2)
    one = standing_of_runs(np.full((3, 4), 2.0), np.full((3, 4), 0.1), rng=rng)
    other = standing_of_told(
        ToldSide(np.ones(4), np.full(4, 0.01)), ToldSide(np.ones(4), np.full(4, 0.01)), rng=rng
    )
    (first, then), (second, last) = ranks([one, other])
    assert [first.value, then.value, second.value, last.value] == [1, 2, 2, 1]


def test_ranks_of_agents_that_are_close_have_a_range():
    rng = np.random.default_rng(3)
    sides = [ToldSide(np.full(4, mean), np.full(4, 0.5)) for mean in (1.0, 1.1)]
    standings = [standing_of_told(side, side, rng=rng) for side in sides]
    (rank, _), _ = ranks(standings)
    assert (rank.value, rank.low, rank.high) == (2, 1, 2)
