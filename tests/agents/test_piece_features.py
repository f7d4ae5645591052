"""The feature map of the paper on hidden rules: its counts, one move by hand, and the table that it gives."""

import numpy as np
import pytest

from assay.agents.piece_features import (
    Pieces,
    count_features,
    factors_of,
    feature_table,
    features_of,
    list_classes,
    list_contexts,
    read_pieces,
)
from assay.core.space import Box, Discrete

PAPER = Pieces(36, 4, 4, 4)


def test_the_paper_counts_3720_features_65_contexts_and_68_classes():
    assert count_features(PAPER) == 12 + 48 + 60 + 3600 == 3720
    assert (PAPER.contexts, PAPER.classes) == (65, 68)


def test_a_move_has_18_features_and_one_from_an_empty_cell_has_2():
    table, total = feature_table(PAPER)
    sizes = (table < total).sum(-1)
    assert (sizes[:, :64] == 18).all()
    assert (sizes[:, 64:] == 2).all()
    assert len(np.unique(table[table < total])) < total  # ∅ for one of two never occurs


def test_no_feature_stands_twice_in_a_move():
    table, total = feature_table(PAPER)
    rows = np.sort(table.reshape(-1, table.shape[-1]), axis=1)
    doubled = (rows[:, 1:] == rows[:, :-1]) & (rows[:, 1:] < total)
    assert not doubled.any()


def test_features_of_one_move_by_hand():
    features = features_of((2, None, 1), (0, 3, 1))
    assert features[:3] == [("now", 0, 0), ("now", 1, 3), ("now", 2, 1)]
    assert features[3:6] == [("pair", 0, 1, 0, 3), ("pair", 0, 2, 0, 1), ("pair", 1, 2, 3, 1)]
    assert features[6:9] == [("after", 0, 2, 0), ("after", 1, None, 3), ("after", 2, 1, 1)]
    assert features[9] == ("both", 0, 1, 2, None, 0, 1, 0, 3)
    assert len(features) == 18


def test_an_empty_cell_shows_its_bucket_alone():
    assert features_of((None, None, None), (None, None, 2)) == [("now", 2, 2), ("after", 2, None, 2)]


@pytest.mark.parametrize("pieces", [PAPER, Pieces(9, 2, 3, 5)])
def test_factors_share_as_many_features_as_the_table(pieces):
    table, total = feature_table(pieces)
    left, right, mask = factors_of(pieces)
    assert mask.sum() == total
    rng = np.random.default_rng(0)
    contexts, classes = (rng.integers(count, size=(50, 2)) for count in (pieces.contexts, pieces.classes))
    for (a, b), (c, d) in zip(contexts, classes):
        shared = set(table[a, c]) & set(table[b, d]) - {total}
        product = ((np.outer(left[a], right[c]) * mask) * np.outer(left[b], right[d])).sum()
        assert product == len(shared)


def test_contexts_and_classes_are_numbered_as_an_observation_numbers_them():
    pieces = Pieces(4, 2, 3, 4)
    assert list_contexts(pieces)[0] == (None, None, None)
    assert list_contexts(pieces)[1 + (1 * 3 + 2) * 4 + 3] == (1, 2, 3)
    assert list_classes(pieces)[(1 * 3 + 2) * 4 + 3] == (1, 2, 3)
    assert list_classes(pieces)[-1] == (None, None, 3)


def test_the_layout_is_read_off_the_spaces():
    seen = Discrete((7,) * 9 + (3, 4, 5, 6))
    assert read_pieces({"observation": seen, "action": Discrete(36)}) == Pieces(9, 2, 3, 4)
    assert read_pieces({"observation": seen, "action": Discrete(35)}) is None
    assert read_pieces({"observation": Discrete(5), "action": Discrete(36)}) is None
    assert read_pieces({"observation": Box(0, 1, (3,)), "action": Discrete(36)}) is None
