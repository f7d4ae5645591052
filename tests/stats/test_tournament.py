"""Ease ratios, the Perron vector and the tournament's ratings, by hand and on a table with holes."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.stats.tournament import meet, perron, tournament

ONE = "player"


def of(**errors):
    return {(name, ONE): np.array(values, float) for name, values in errors.items()}


def test_ease_ratios_by_hand():
    met = meet(of(easy=[1, 2], hard=[2, 5]), ["easy", "hard"])
    # Fewer errors: 1 < 2, 1 < 5, 2 < 5, and 2 = 2 as a half.
    np.testing.assert_array_equal(met.wins, [[0, 3.5], [0.5, 0]])
    np.testing.assert_allclose(met.ratios, [[1, 4.5 / 1.5], [1.5 / 4.5, 1]])


def test_of_two_the_perron_vector_is_the_root_of_their_ratio():
    vector = perron(meet(of(easy=[1, 2], hard=[2, 5]), ["easy", "hard"]))
    assert vector[0] / vector[1] == pytest.approx(3.0, rel=1e-5)  # (1, r; 1/r, 1) has the vector (r, 1)


def test_on_a_whole_table_a_rating_is_the_mean_of_its_row():
    rng = np.random.default_rng(1)
    names = list("abcd")
    met = meet({(name, ONE): rng.normal(i, 2, 12) for i, name in enumerate(names)}, names)
    found = tournament(met)
    np.testing.assert_allclose(found.ratings, np.log(met.ratios).mean(1), atol=1e-12)
    assert found.ratings.sum() == pytest.approx(0) and list(np.argsort(-found.ratings)) == [0, 1, 2, 3]


def test_a_circle_is_not_explained_by_ratings():
    # Each of three dice beats the next one in 5 of 9 throws.
    dice = of(a=[2, 4, 9], b=[1, 6, 8], c=[3, 5, 7])
    found = tournament(meet(dice, ["a", "b", "c"]))
    np.testing.assert_allclose(found.ratings, 0, atol=1e-12)
    assert found.intransitivity == pytest.approx(1.0)


def table(rng, skills, hardness, holes=()):
    """Errors of players (rows) on rules (columns): the less skill and the harder, the more."""
    return {
        (player, rule): rng.poisson(np.exp(hard - skill), 60).astype(float)
        for player, skill in skills.items()
        for rule, hard in hardness.items()
        if (player, rule) not in holes
    }


def test_players_who_attempted_other_rules_are_ranked_by_those_they_share():
    """Totals would mislead: the best player has tried only the hardest rules, and made more errors so."""
    skills = {"poor": 0.0, "fair": 0.7, "good": 1.4}
    hardness = {"first": 1.0, "second": 2.0, "third": 3.0, "last": 4.0}
    holes = {("good", "first"), ("good", "second"), ("poor", "third"), ("poor", "last")}
    runs = table(np.random.default_rng(0), skills, hardness, holes)
    means = {p: np.mean(np.concatenate([runs[k] for k in runs if k[0] == p])) for p in skills}
    assert means["good"] > means["poor"]
    met = meet(runs, list(skills))
    assert not met.met[0, 2]  # poor and good never met
    assert list(np.argsort(tournament(met).ratings)) == [0, 1, 2]
    assert list(np.argsort(perron(met))) == [0, 1, 2]


def test_both_rankings_order_rules_by_planted_hardness():
    hardness = {"easy": 0.0, "middle": 1.0, "hard": 2.0, "hardest": 3.0}
    runs = {
        (rule, player): errors
        for (player, rule), errors in table(
            np.random.default_rng(2), {"a": 0.0, "b": 0.5}, hardness, {("a", "easy"), ("b", "hardest")}
        ).items()
    }
    met = meet(runs, list(hardness))
    assert list(np.argsort(-tournament(met).ratings)) == [0, 1, 2, 3]
    assert list(np.argsort(-perron(met))) == [0, 1, 2, 3]


def test_rows_that_no_chain_joins_are_refused_by_name():
    runs = {("a", 1): np.ones(3), ("b", 1): np.ones(3), ("c", 2): np.ones(3)}
    with pytest.raises(AssayError, match="no comparison joins a with c"):
        meet(runs, ["a", "b", "c"])
    with pytest.raises(AssayError, match="at least one row"):
        meet({}, [])
