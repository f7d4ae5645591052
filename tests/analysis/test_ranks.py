"""Spearman's correlation of two runs, levels matched by their place."""

import pytest

from assay.analysis.ranks import rank
from assay.errors import AssayError

from .test_experiment import made

TOY = ["toy/discrete", "toy/discrete+delay=1", "toy/discrete+delay=2", "toy/discrete+delay=4",
       "toy/discrete+delay=8"]  # fmt: skip
GAME = ["gym/CartPole-v1", *(f"gym/CartPole-v1+reward.delay={level}" for level in (3, 5, 7, 9))]
FALLING = [(90.0, 92.0), (70.0, 72.0), (50.0, 52.0), (30.0, 32.0), (10.0, 12.0)]


def ranked(folder, toy=FALLING, game=FALLING, tasks=(TOY, GAME)):
    with made(folder / "toy", tasks[0], toy) as one, made(folder / "game", tasks[1], game) as other:
        return rank(one, other)


def test_the_same_order_is_one_and_so_rare(tmp_path):
    found = ranked(tmp_path)
    assert found.rho == pytest.approx((1.0, 1.0, 1.0)) and found.chance == pytest.approx(2 / 120)
    assert found.levels[1][0] == "delay=1" and found.levels[1][2] == "reward.delay=3"
    assert found.levels[0][1] == pytest.approx(45.5) and found.seeds == (2, 2)  # the area is half the score
    assert found.how == "all orders counted" and found.measure.endswith("(AUC)")


def test_two_neighbours_that_change_places_cost_a_tenth(tmp_path):
    swapped = [FALLING[0], FALLING[2], FALLING[1], *FALLING[3:]]
    found = ranked(tmp_path, game=swapped)
    # 1 - 6 * 2 / (5 * 24); of 120 orders the identity, 4 with one swap, and their mirrors are as far.
    assert found.rho.value == pytest.approx(0.9) and found.chance == pytest.approx(10 / 120)


def test_what_cannot_be_matched_is_refused(tmp_path):
    with pytest.raises(
        AssayError, match=r"has 5 levels and .* has 4; a rank correlation needs the same number"
    ):
        ranked(tmp_path / "a", tasks=(TOY, GAME[:4]), game=FALLING[:4])
    with pytest.raises(AssayError, match=r"not finished at every level; run `assay resume .*` first"):
        ranked(tmp_path / "b", toy=FALLING[:4])
    with pytest.raises(
        AssayError, match="varies delay and sequence_length; --ranks takes runs that vary one setting"
    ):
        ranked(tmp_path / "c", tasks=([*TOY[:4], "toy/discrete+sequence_length=2"], GAME))
    with pytest.raises(AssayError, match="which is not the plain one"):
        ranked(tmp_path / "d", tasks=(TOY[::-1], GAME))
