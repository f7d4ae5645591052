"""Measures of chance and of what is hidden: closed forms on small models, then the same from logs."""

from dataclasses import replace

import numpy as np
import pytest

from assay.chance import information as exact
from assay.chance import logged
from assay.chance.bounds import draw
from assay.chance.channel import mutual_information, replacement
from assay.chance.model import Model
from assay.errors import AssayError, NotApplicable, WrongLevel
from tests.chance.models import ring


def coin(p):
    return -p * np.log2(p) - (1 - p) * np.log2(1 - p)


def at_random(model):
    return exact.visit_by_observation(model, exact.choose_uniformly(model))


@pytest.mark.parametrize("noise", [0.1, 0.25, 0.4])
def test_a_noisy_ring_has_its_closed_forms(noise):
    model = ring(8, noise, look=2)
    visits = at_random(model)
    assert visits.states == pytest.approx(np.full(8, 1 / 8), abs=1e-9)
    assert exact.next_state_entropy(model, visits) == pytest.approx(coin(noise), abs=1e-9)
    assert exact.predictive_information(model, visits) == pytest.approx(3 - coin(noise), abs=1e-9)
    assert exact.hidden_entropy(visits) == pytest.approx(1, abs=1e-9)
    assert exact.share_seen(visits) == pytest.approx(2 / 3, abs=1e-9)
    assert exact.aliased_share(visits) == pytest.approx(1)


def test_what_is_seen_is_not_hidden():
    visits = at_random(ring(5, 0.2))
    assert exact.hidden_entropy(visits) == pytest.approx(0, abs=1e-12)
    assert exact.share_seen(visits) == pytest.approx(1)
    assert exact.aliased_share(visits) == 0
    alone = exact.Visits(np.ones((1, 1, 1)))
    assert exact.share_seen(alone) == 1.0


def test_some_states_may_look_alike_and_others_not():
    """Five states in pairs: the last stands alone, so a fifth of the time all is seen."""
    assert exact.aliased_share(at_random(ring(5, 0.2, look=2))) == pytest.approx(0.8)
    # An observation that a visited state gives with chance 0.3, and another always.
    model = replace(ring(2, 0.5), seen=np.array([[0.7, 0.3], [0.0, 1.0]]))
    assert exact.aliased_share(at_random(model)) == pytest.approx(0.5 * 0.3 + 0.5)


def corridor(horizon):
    """Two steps to the end, or one more where the coin falls wrongly."""
    step = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    return Model(
        step[None], np.zeros((1, 3)), np.eye(3), np.eye(3)[0], np.array([False, False, True]), horizon
    )


def test_steps_of_an_episode_are_averaged_up_to_the_horizon():
    """Of two steps the first is from state 0, the second from 0 or 1; the third only if the second stayed."""
    assert at_random(corridor(2)).states == pytest.approx([0.75, 0.25, 0])
    assert at_random(corridor(3)).states == pytest.approx(np.array([1.75, 0.75, 0]) / 2.5)


def test_without_a_horizon_episodes_follow_each_other():
    """An episode spends two steps in state 0 in the mean, and one in state 1."""
    assert at_random(corridor(None)).states == pytest.approx([2 / 3, 1 / 3, 0])


def test_two_worlds_that_never_meet_have_no_stationary_distribution():
    model = Model(np.eye(2)[None], np.zeros((1, 2)), np.eye(2), np.array([0.5, 0.5]), np.zeros(2, bool))
    with pytest.raises(NotApplicable, match="more than one stationary distribution"):
        at_random(model)


def test_a_policy_of_the_state_sees_through():
    model = ring(4, 0.0, look=2)
    policy = np.eye(2)[[1, 0, 1, 1]]  # walks to state 1 and stays
    visits = exact.visit_by_state(replace(model, horizon=10_000), policy)
    assert visits.states[1] > 0.99
    assert exact.predictive_information(model, visits) < 0.01


def test_variance_is_split_by_hand():
    """Two states that look alike, at 0 and 1; the next is at 10 s with a coin's noise of 0 or 2 upon it.

    Given the state the variance is 1. Not knowing it adds that of 0 or 10, each with chance one half: 25.
    """
    step = np.zeros((1, 6, 6))
    step[0, 0, [2, 3]] = 0.5
    step[0, 1, [4, 5]] = 0.5
    step[0, [2, 3, 4, 5], [2, 3, 4, 5]] = 1
    feature = np.array([0, 1, 0, 2, 10, 12.0])
    alike = np.array([[1, 0]] * 2 + [[0, 1]] * 4, float)
    start, ends = np.array([0.5, 0.5, 0, 0, 0, 0]), np.array([False, False, True, True, True, True])
    model = Model(step, np.zeros((1, 6)), alike, start, ends, horizon=1)
    split = exact.split_variance(model, at_random(model), feature)
    assert split == pytest.approx((1.0, 25.0))
    assert split.total == pytest.approx(26.0)
    told = replace(model, seen=np.eye(6))
    assert exact.split_variance(told, at_random(told), feature) == pytest.approx((1.0, 0.0))
    assert exact.split_variance(model, at_random(model), feature + 1e6) == pytest.approx(
        (1.0, 25.0), abs=1e-6
    )


@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_drift_between_two_noises_has_its_closed_form(noise):
    calm, noisy = ring(6, 0.0), ring(6, noise)
    weights = at_random(calm).choices
    there = exact.drift(calm.transitions, noisy.transitions, weights)
    assert there.total_variation == pytest.approx(noise, abs=1e-9)
    assert there.kl == pytest.approx(-np.log2(1 - noise), abs=1e-9)
    assert there.js == pytest.approx(coin(noise / 2) - coin(noise) / 2, abs=1e-9)
    assert there.excluded == 0
    back = exact.drift(noisy.transitions, calm.transitions, weights)
    assert back.kl == np.inf and back.excluded == pytest.approx(1)
    assert back.js == pytest.approx(there.js) and back.total_variation == pytest.approx(noise)


def test_drift_where_no_weight_lies_does_not_count():
    calm, noisy = ring(3, 0.2).transitions, ring(3, 0.2).transitions.copy()
    noisy[0, 0] = [0, 0, 1]
    weights = np.zeros((3, 2))
    weights[1] = 0.5
    assert exact.drift(calm, noisy, weights) == pytest.approx((0, 0, 0, 0))


def test_bad_policies_and_features_are_refused():
    model = ring(4, 0.1)
    with pytest.raises(WrongLevel, match="row 0 of the policy"):
        exact.visit_by_observation(model, np.full((4, 2), 0.4))
    with pytest.raises(WrongLevel, match="shape"):
        exact.visit_by_state(model, np.full((3, 2), 0.5))
    with pytest.raises(WrongLevel, match="finite"):
        exact.split_variance(model, at_random(model), np.array([0, 1, 2, np.inf]))
    with pytest.raises(WrongLevel, match="weights"):
        exact.drift(model.transitions, model.transitions, np.full((4, 2), 0.5))


def log_steps(model, samples, seed):
    """Independent steps from the visits of uniform choices: state, seen, action, after."""
    rng = np.random.default_rng(seed)
    joint = at_random(model).joint
    picks = rng.choice(joint.size, size=samples, p=joint.ravel())
    states, seen, actions = np.unravel_index(picks, joint.shape)
    return states, seen, actions, draw(model.transitions[actions, states], rng)


def test_logged_steps_give_the_same_measures():
    model, rng = ring(8, 0.25, look=2), np.random.default_rng(0)
    states, seen, actions, after = log_steps(model, 40_000, 1)
    visits, feature = at_random(model), np.arange(8.0)
    steps = states, actions, after
    pairs = [
        (logged.next_state_entropy_of(*steps, rng=rng), exact.next_state_entropy(model, visits)),
        (logged.predictive_information_of(*steps, rng=rng), exact.predictive_information(model, visits)),
        (logged.hidden_entropy_of(states, seen, rng=rng), exact.hidden_entropy(visits)),
        (logged.share_seen_of(states, seen, rng=rng), exact.share_seen(visits)),
    ]
    for guess, truth in pairs:
        assert guess.value == pytest.approx(truth, rel=0.02)
        assert guess.low <= guess.value <= guess.high
        assert guess.samples == 40_000
    assert logged.aliased_share_of(states, seen, rng=rng).value == pytest.approx(1.0)
    split = logged.split_variance_of(states, seen, actions, feature[after], rng=rng)
    truth = exact.split_variance(model, visits, feature)
    for guess, part in zip(split, truth):
        assert guess.value == pytest.approx(part, rel=0.05)
        assert guess.low < part < guess.high


def test_where_nothing_is_aliased_a_log_says_about_nothing():
    model, rng = ring(5, 0.3, look=2), np.random.default_rng(0)
    states, seen, actions, after = log_steps(model, 20_000, 1)
    alone = seen == 2  # the one that looks like no other
    split = logged.split_variance_of(*(part[alone] for part in (states, seen, actions, after)), rng=rng)
    assert abs(split.aliasing.value) < 1e-9 and split.chance.value > 1
    share = logged.aliased_share_of(states, seen, rng=rng)
    assert share.low < 0.8 < share.high and share.high - share.low < 0.03


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    model, held = ring(4, 0.25), 0
    for seed in range(60):
        states, _, actions, after = log_steps(model, 2000, seed)
        guess = logged.next_state_entropy_of(states, actions, after, rng=np.random.default_rng(seed))
        held += guess.low <= coin(0.25) <= guess.high
    assert 51 <= held <= 60


RARE = 0.001  # in 1000 steps it is not seen at all in 37 of 100 logs


def rare_action(rng, steps):
    chosen = rng.integers(4, size=steps)
    executed = np.where(rng.random(steps) < RARE, rng.integers(4, size=steps), chosen)
    return logged.information_of_pairs(chosen, executed, rng=rng)


def rare_slip(rng, steps):
    states = rng.integers(2, size=steps)
    return logged.next_state_entropy_of(states, 0 * states, states ^ (rng.random(steps) < RARE), rng=rng)


def rare_blackout(rng, steps):
    states = rng.integers(3, size=steps)
    return logged.hidden_entropy_of(states, np.where(rng.random(steps) < RARE, 9, states), rng=rng)


def rare_share(rng, steps):
    states = rng.integers(3, size=steps)
    return logged.share_seen_of(states, np.where(rng.random(steps) < RARE, 9, states), rng=rng)


@pytest.mark.parametrize("draw, truth", [
    (rare_action, mutual_information([0.25] * 4, replacement(4, RARE))), (rare_slip, coin(RARE)),
    (rare_blackout, RARE * np.log2(3)), (rare_share, 1 - RARE),
])  # fmt: skip
def test_intervals_hold_where_events_are_too_rare_to_be_seen(draw, truth):
    rng = np.random.default_rng(0)
    found = [draw(rng, 1000) for _ in range(40)]
    assert sum(each.low <= truth <= each.high for each in found) >= 37
    assert all(0.001 < each.high - each.low < 0.2 for each in found)


def test_an_unseen_event_worked_by_hand():
    """Of 1000 steps none slips. One of chance ln(40) / 1000 is missed by one log in forty; where it leads to
    the state that was seen or to one more, it adds its own entropy and one bit of where.
    """
    still, share = np.zeros(1000, int), np.log(40) / 1000
    guess = logged.next_state_entropy_of(still, still, still, rng=np.random.default_rng(0))
    assert (guess.value, guess.low) == (0, 0)
    assert guess.high == pytest.approx(coin(share) + share)
    # Ten steps each of a hundred episodes are no more than a hundred units.
    episodes = np.repeat(np.arange(100), 10)
    rng = np.random.default_rng(0)
    grouped = logged.next_state_entropy_of(still, still, still, rng=rng, groups=episodes)
    assert grouped.high == pytest.approx(coin(10 * share) + 10 * share)
    # Of a state that never changed nothing is known of the share that is seen.
    share_seen = logged.share_seen_of(still, still, rng=np.random.default_rng(0))
    assert tuple(share_seen[:3]) == (1.0, 0.0, 1.0)


def test_whole_episodes_are_resampled_where_they_are_named():
    """Copies of one step tell nothing new: with groups the interval is as wide as for one step each."""
    model = ring(4, 0.25)
    states, _, actions, after = (np.repeat(part, 20) for part in log_steps(model, 500, 0))
    rng = np.random.default_rng(0)
    alone = logged.next_state_entropy_of(states, actions, after, rng=rng)
    grouped = logged.next_state_entropy_of(
        states, actions, after, rng=rng, groups=np.repeat(np.arange(500), 20)
    )
    assert grouped.value == pytest.approx(alone.value)
    assert grouped.high - grouped.low > 3 * (alone.high - alone.low)


def test_drift_of_logs():
    calm, noisy = ring(6, 0.1), ring(6, 0.3)
    logs = [[log[i] for i in (0, 2, 3)] for log in (log_steps(calm, 40_000, 1), log_steps(noisy, 40_000, 2))]
    truth = exact.drift(calm.transitions, noisy.transitions, at_random(calm).choices)
    guess = logged.drift_of(*logs, rng=np.random.default_rng(0))
    assert guess.total_variation.value == pytest.approx(truth.total_variation, rel=0.05)
    assert guess.js.value == pytest.approx(truth.js, rel=0.1)
    assert guess.total_variation.low < truth.total_variation < guess.total_variation.high
    assert guess.shuffled_total_variation < 0.03
    # Where nothing drifts, all there is is bias, and shuffled logs show as much of it.
    still = logged.drift_of(logs[0], [log[::-1] for log in logs[0]], rng=np.random.default_rng(0))
    assert still.total_variation.value < 1e-9 + still.shuffled_total_variation


def test_too_few_or_unlike_logs_are_refused():
    rng = np.random.default_rng(0)
    states, seen, actions, after = log_steps(ring(30, 0.5), 400, 0)
    with pytest.raises(AssayError, match="400 samples over"):
        logged.next_state_entropy_of(states, actions, after, rng=rng)
    with pytest.raises(AssayError, match="too few"):
        logged.hidden_entropy_of(states[:90], seen[:90] * 0, rng=rng)
    with pytest.raises(AssayError, match="empty"):
        logged.hidden_entropy_of(states[:0], seen[:0], rng=rng)
    with pytest.raises(AssayError, match="share no state and action"):
        one, zero = np.ones(200, int), np.zeros(200, int)
        logged.drift_of((one, one, one), (zero, zero, zero), rng=rng)
    with pytest.raises(AssayError, match="give one each"):
        logged.split_variance_of(states, seen, actions, np.ones(3), rng=rng)
