"""Channels of actions: closed forms of their capacity, and the figures of the published experiments."""

import numpy as np
import pytest

from assay.chance.channel import (
    capacity,
    in_turn,
    mutual_information,
    noiseless,
    other,
    over_frames,
    replacement,
    require_channel,
    side_by_side,
    sticky,
)
from assay.chance.logged import information_of_pairs
from assay.errors import AssayError, NotApplicable, WrongLevel


def bits_of(chance):
    """The entropy of a coin."""
    return sum(-p * np.log2(p) for p in (chance, 1 - chance) if p > 0)


def uniform(actions):
    return np.full(actions, 1 / actions)


@pytest.mark.parametrize("actions, bits", [(18, 2.152), (8, 1.433), (4, 0.874)])
def test_replacement_of_three_in_ten_leaves_the_published_bits(actions, bits):
    channel = replacement(actions, 0.3)
    assert mutual_information(uniform(actions), channel) == pytest.approx(bits, abs=5e-4)
    assert capacity(channel).bits == pytest.approx(bits, abs=5e-4)


@pytest.mark.parametrize("actions, p", [(2, 0.1), (5, 0.4), (18, 0.9)])
def test_replacement_has_its_closed_form(actions, p):
    kept, moved = 1 - p + p / actions, p / actions
    bits = np.log2(actions) + kept * np.log2(kept) + (actions - 1) * moved * np.log2(moved)
    assert capacity(replacement(actions, p)).bits == pytest.approx(bits, abs=1e-6)


@pytest.mark.parametrize("p", [0.0, 0.05, 0.3, 0.5])
def test_binary_channels_have_their_closed_forms(p):
    symmetric = np.array([[1 - p, p], [p, 1 - p]])
    erasure = np.array([[1 - p, 0, p], [0, 1 - p, p]])
    z = np.array([[1, 0], [p, 1 - p]])
    assert capacity(symmetric).bits == pytest.approx(1 - bits_of(p), abs=1e-6)
    assert capacity(erasure).bits == pytest.approx(1 - p, abs=1e-6)
    assert capacity(z).bits == pytest.approx(np.log2(1 + 2 ** (-bits_of(p) / (1 - p))), abs=1e-6)


def test_a_restricted_support_is_best_used_unevenly():
    """The bank robber's: ten of eighteen actions may replace the chosen one."""
    channel = replacement(18, 0.3, support=range(10))
    best = capacity(channel)
    assert mutual_information(uniform(18), channel) < best.bits - 0.01
    assert np.ptp(best.inputs[:10]) < 1e-6
    assert best.inputs[10:].min() > best.inputs[:10].max()
    # By symmetry the best choices depend on one number alone, the share of the eight: a grid finds it too.
    shares = np.linspace(0.5, 0.65, 2001)
    grid = [
        mutual_information(np.r_[np.full(10, (1 - share) / 10), np.full(8, share / 8)], channel)
        for share in shares
    ]
    assert max(grid) == pytest.approx(best.bits, abs=1e-6)
    # Executed differs from intended as often as the published protocol says: p outside of the support.
    assert 1 - channel.diagonal() == pytest.approx([0.27] * 10 + [0.3] * 8)


@pytest.mark.parametrize("seed", range(4))
def test_the_certificate_holds_for_any_channel(seed):
    rng = np.random.default_rng(seed)
    channel = rng.dirichlet(np.full(6, 0.3), size=9)
    best = capacity(channel, tolerance=1e-7)
    assert 0 <= best.gap <= 1e-7
    assert mutual_information(best.inputs, channel) == pytest.approx(best.bits, abs=1e-12)
    for _ in range(200):
        assert mutual_information(rng.dirichlet(np.ones(9)), channel) <= best.above + 1e-12


def test_very_noisy_channels_are_found_quickly():
    best = capacity(sticky(18, 0.999)[0])
    assert best.gap <= 1e-9 and best.rounds < 1000
    assert capacity(np.full((5, 3), 1 / 3)).bits == pytest.approx(0.0, abs=1e-12)


def test_a_sticky_channel_is_the_same_puzzle_whatever_was_executed_before():
    channels = sticky(4, 0.25)
    assert channels[2][0] == pytest.approx([0.75, 0, 0.25, 0])
    assert channels[2][2] == pytest.approx([0, 0, 1, 0])
    assert np.ptp([capacity(channel).bits for channel in channels]) < 1e-8
    # Two actions: the one executed before always gets through, the other with chance 0.75, a Z-channel.
    z = np.log2(1 + 2 ** (-bits_of(0.25) / 0.75))
    assert capacity(sticky(2, 0.25)[0]).bits == pytest.approx(z, abs=1e-6)


def test_channels_combine():
    assert np.allclose(in_turn(replacement(6, 0.2), replacement(6, 0.5)), replacement(6, 1 - 0.8 * 0.5))
    both = side_by_side(replacement(3, 0.2), other(4, 0.1))
    parts = capacity(replacement(3, 0.2)).bits + capacity(other(4, 0.1)).bits
    assert capacity(both).bits == pytest.approx(parts, abs=1e-6)
    assert capacity(side_by_side(noiseless(3), noiseless(5))).bits == pytest.approx(np.log2(15), abs=1e-6)


def test_frames_of_one_choice_tell_more_than_one_frame_and_less_than_all_choices():
    one = capacity(replacement(4, 0.5)).bits
    two, four = (capacity(over_frames(replacement(4, 0.5), frames)).bits for frames in (2, 4))
    assert one < two < four < 2.0
    assert four < 4 * one
    # Two looks at a bit through a symmetric channel: equal ones tell, unequal ones are an erasure.
    p = 0.1
    alike = (1 - p) ** 2 + p**2
    bits = alike * (1 - bits_of(p**2 / alike))
    assert capacity(over_frames(other(2, p), 2)).bits == pytest.approx(bits, abs=1e-6)


@pytest.mark.parametrize("matrix, says", [
    ([[0.5, 0.4], [0.5, 0.5]], "row 0 of a channel's matrix must add up to 1, not 0.9; correct it."),
    ([[0.5, 0.5], [1.5, -0.5]], "must hold chances from 0 to 1, not -0.5"),
    ([0.5, 0.5], "rows and columns"),
    ([], "must be an array of chances"),
])  # fmt: skip
def test_what_is_no_channel_is_refused_in_a_sentence(matrix, says):
    with pytest.raises(WrongLevel, match=says.replace(".", r"\.")):
        require_channel(np.array(matrix))


def test_other_bad_input_is_refused():
    with pytest.raises(WrongLevel, match=r"from 0 to 1, not 1\.5"):
        replacement(4, 1.5)
    with pytest.raises(WrongLevel, match="from 0 to 3"):
        replacement(4, 0.5, support=[2, 4])
    with pytest.raises(WrongLevel, match="one chance each"):
        mutual_information(uniform(3), replacement(4, 0.5))
    with pytest.raises(NotApplicable, match="entries"):
        over_frames(replacement(18, 0.1), 10)
    with pytest.raises(WrongLevel, match="cannot lead into"):
        in_turn(noiseless(3), noiseless(4))


def log_pairs(channel, samples, rng):
    chosen = rng.integers(len(channel), size=samples)
    edges = channel.cumsum(axis=1)
    return chosen, (edges[chosen] < rng.random(samples)[:, None]).sum(axis=1)


def test_logged_pairs_give_the_information_within_two_percent():
    rng = np.random.default_rng(1)
    channel = replacement(18, 0.3)
    exact = mutual_information(uniform(18), channel)
    chosen, executed = log_pairs(channel, 20_000, rng)
    guess = information_of_pairs(chosen, executed, rng=rng)
    assert guess.value == pytest.approx(exact, rel=0.02)
    assert guess.low < exact < guess.high
    assert guess.correction < 0  # counting alone says too much


def test_the_correction_takes_most_of_the_bias():
    rng = np.random.default_rng(2)
    channel = replacement(6, 1.0)  # nothing passes: all that is counted is bias
    guesses = [information_of_pairs(*log_pairs(channel, 600, rng), rng=rng) for _ in range(30)]
    plain = np.mean([guess.value - guess.correction for guess in guesses])
    assert plain > 0.02
    assert abs(np.mean([guess.value for guess in guesses])) < plain / 5


def test_too_few_pairs_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(AssayError, match="too few for an estimate; log at least"):
        information_of_pairs(*log_pairs(replacement(18, 0.9), 500, rng), rng=rng)
    with pytest.raises(AssayError, match="alone in their cells"):
        information_of_pairs(*log_pairs(replacement(8, 0.3), 250, rng), rng=rng)
    with pytest.raises(AssayError, match="whole numbers"):
        information_of_pairs(rng.random(500), rng.random(500), rng=rng)
    with pytest.raises(AssayError, match="at least 20 groups"):
        pairs = log_pairs(replacement(2, 0.5), 500, rng)
        information_of_pairs(*pairs, rng=rng, groups=np.arange(500) // 250)


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(WrongLevel, match="rows of one length"):
        capacity([[0.5, 0.5], [1.0]])
