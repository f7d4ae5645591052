"""From tasks to their chance: the models against the running tasks, and closed forms of what they say."""

from functools import cache

import numpy as np
import pytest

import assay
from assay.chance import logged
from assay.chance.bounds import BestReturn
from assay.chance.information import choose_uniformly, visit_by_observation
from assay.chance.model import Model
from assay.chance.of_task import QUICK, at_least, chance, find_model, measure_world, of_log
from assay.chance.play import find_whole, log_steps
from assay.errors import NotApplicable, WrongLevel
from assay.tasks import optimum, resolve


def coin(p):
    return -p * np.log2(p) - (1 - p) * np.log2(1 - p)


def noise_bits(p, others):
    """The entropy of a step that goes elsewhere with chance p, to one of so many others."""
    return coin(p) + p * np.log2(others)


# Three toy tasks whose measures have closed forms: the state is uniform over six that do not end an episode.
CLOSED_FORMS = {
    "toy/discrete+transition_noise=0.25": {"next_state": noise_bits(0.25, 7), "hidden": 0.0},
    # With all actions equally likely each state leads to any of the eight, whatever noise does.
    "toy/discrete+aliased=2+transition_noise=0.1": {"next_state": noise_bits(0.1, 7), "hidden": 1.0},
    "toy/discrete+hidden_mode=0.2+terminal_state_density=0.0": {"next_state": coin(0.2), "hidden": None},
}


@pytest.mark.parametrize("task", CLOSED_FORMS)
def test_exact_measures_have_their_closed_forms(task):
    world, want = chance(task, spend=QUICK).world, CLOSED_FORMS[task]
    assert world.next_state == pytest.approx(want["next_state"], abs=1e-6)
    hidden = want["hidden"] if want["hidden"] is not None else mode_entropy(0.2, 100)
    assert world.hidden == pytest.approx(hidden, abs=1e-6)
    assert world.share_seen == pytest.approx(1 - hidden / world.state, abs=1e-6)
    if want["hidden"] is not None:
        assert world.predictive == pytest.approx(3 - want["next_state"], abs=1e-6)


def mode_entropy(flip, horizon):
    """A mode that starts off and flips with this chance: its entropy over the steps of an episode."""
    on = (1 - (1 - 2 * flip) ** np.arange(horizon)) / 2
    return coin(on.mean())


def label(parts, task, modes):
    """The number of a model's state, of the parts that are watched in the task."""
    shape = (8, 8) if "grid" in task else (8, 8) if "irrelevant" in task else (8,)
    place = np.ravel_multi_index(tuple(parts[:, :-1].T), shape)
    return place * modes + (parts[:, -1] if modes == 2 else 0)


LIKE_THE_TASK = [
    "toy/discrete+transition_noise=0.25",
    "toy/discrete+hidden_mode=0.1+transition_noise=0.1",
    "toy/discrete+action.random=0.3+action.other=0.2",
    "toy/discrete+diameter=2+transition_noise=0.5+noise_support=next_set",
    "toy/grid+transition_noise=0.25",
    "toy/grid+hidden_mode=0.2+transition_noise=0.1",
    "toy/grid+action_form=vector+action.random=0.5",
    "toy/discrete+irrelevant_features+transition_noise=0.3+hidden_mode=0.2",
]


@cache
def steps_of(task, samples):
    return log_steps(resolve(task), samples, seed=3)


def count_steps(task, samples, shape):
    """(A, S, S) how often each step was made, by the numbers of the model's states."""
    log, modes = steps_of(task, samples), 2 if "hidden_mode" in task else 1
    if "diameter" in task:
        before, after = log.parts_before[:, 0], log.parts_after[:, 0]
    else:
        before, after = (label(parts, task, modes) for parts in (log.parts_before, log.parts_after))
    counts = np.zeros(shape)
    np.add.at(counts, (log.actions, before, after), 1)
    return counts


def misfit(counts, transitions):
    """How many sigma chi-square is off, over the outcomes that are expected at least five times."""
    expected = counts.sum(axis=2, keepdims=True) * transitions
    often = expected >= 5
    rows = often.any(axis=2)
    # What is expected less often is one more outcome of its row.
    rest = np.where(often, 0, expected).sum(axis=2)[rows], np.where(often, 0, counts).sum(axis=2)[rows]
    off = np.sum((counts - expected)[often] ** 2 / expected[often])
    some = rest[0] > 0.5
    off += np.sum((rest[1] - rest[0])[some] ** 2 / rest[0][some])
    free = often.sum() + some.sum() - rows.sum()
    assert free > 100
    return (off - free) / np.sqrt(2 * free)


@pytest.mark.parametrize("task", LIKE_THE_TASK)
def test_the_running_task_moves_as_the_model_says(task):
    transitions = find_model(task).world.transitions
    counts = count_steps(task, 60_000, transitions.shape)
    assert (counts[transitions == 0] == 0).all()
    assert abs(misfit(counts, transitions)) < 4


def test_a_model_of_another_level_does_not_fit():
    task = LIKE_THE_TASK[0]
    other = find_model(task.replace("0.25", "0.28")).world.transitions
    assert misfit(count_steps(task, 60_000, other.shape), other) > 4


DIMLY_LOGGED = [
    "toy/discrete+transition_noise=0.25",
    "toy/grid+aliased=4+transition_noise=0.5",
    "toy/discrete+aliased=2+observation.noise=0.25",
]


@pytest.mark.parametrize("task", DIMLY_LOGGED)
def test_logged_steps_agree_with_the_exact_measures(task):
    check_estimates(task, 60_000, 0.03)


@pytest.mark.slow
@pytest.mark.parametrize("task", CLOSED_FORMS)
def test_a_million_logged_steps_are_within_two_percent(task):
    check_estimates(task, 10**6, 0.02)


def check_estimates(task, samples, within):
    log, world, rng = steps_of(task, samples), chance(task, spend=QUICK).world, np.random.default_rng(0)
    steps = log.states, log.actions, log.after
    pairs = [
        (logged.next_state_entropy_of(*steps, rng=rng), world.next_state),
        (logged.predictive_information_of(*steps, rng=rng), world.predictive),
        (logged.hidden_entropy_of(log.states, log.seen, rng=rng), world.hidden),
        (logged.share_seen_of(log.states, log.seen, rng=rng), world.share_seen),
    ]
    for guess, exact in pairs:
        assert guess.value == pytest.approx(exact, rel=within, abs=1e-9)
    share = logged.aliased_share_of(log.states, log.seen, rng=rng)
    assert share.value == pytest.approx(world.aliased, abs=within)


def test_noise_of_level_p_on_n_actions_is_recovered_from_a_log():
    task = "toy/discrete+action.random=0.3"
    log, exact = steps_of(task, 60_000), chance(task, spend=QUICK).action
    guess = logged.information_of_pairs(log.actions, log.executed, rng=np.random.default_rng(0))
    assert exact.bits == pytest.approx(1.433, abs=5e-4) and exact.most == 3
    assert guess.value == pytest.approx(exact.uniform, rel=0.02)


PAID_ALIKE = [
    "toy/discrete+hidden_mode=0.2+sequence_length=2+make_denser+transition_noise=0.1",
    "toy/discrete+action.sticky=0.5+term_state_reward=-1.0+reward_scale=2.0+reward_shift=0.5",
    "toy/discrete+hidden_mode=0.3+terminal_state_density=0.0+transition_function=[[1,2,0],[2,0,1],[0,0,2]]"
    "+reward_function=[[0,1,0],[0,0,2],[1,0,0]]+transition_noise=0.2",
    "toy/grid+grid_shape=[3,3]+make_denser=false+hidden_mode=0.2+transition_noise=0.1+reward_every_n_steps=2",
]


@pytest.mark.parametrize("task", PAID_ALIKE)
def test_random_play_is_paid_what_the_model_says(task):
    """The mean reward of a step, within four standard errors over lanes."""
    game, log = find_model(task).game, steps_of(task, 100_000)
    visits = visit_by_observation(game, choose_uniformly(game))
    exact = np.sum(visits.choices.T * game.expected_rewards)
    lanes = np.bincount(log.lane, log.paid) / np.bincount(log.lane)
    assert abs(lanes.mean() - exact) < 4 * lanes.std() / np.sqrt(len(lanes))
    assert abs(exact) > 10 * lanes.std() / np.sqrt(len(lanes))  # or nothing would be shown


SAME_OPTIMUM = [
    "toy/discrete", "toy/discrete+transition_noise=0.25", "toy/discrete+sequence_length=3",
    "toy/discrete+sequence_length=2+make_denser+transition_noise=0.1",
    "toy/discrete+reward_every_n_steps=3+term_state_reward=-1.0+reward_scale=2.0+reward_shift=0.5",
    "toy/discrete+diameter=2+transition_noise=0.5+noise_support=next_set", "toy/discrete+horizon=10",
    "toy/discrete+irrelevant_features", "toy/discrete+reward_every_n_steps=500", "toy/grid+horizon=10",
    "toy/grid+make_denser=false+transition_noise=0.25+horizon=12", "toy/grid+action_form=vector+horizon=5",
    "toy/discrete+reward_function=[[0,1,0],[0,0,2],[1,0,0]]+transition_function=[[1,2,0],[2,0,1],[0,1,2]]"
    "+terminal_state_density=0.0+transition_noise=0.2",
]  # fmt: skip


@pytest.mark.parametrize("task", SAME_OPTIMUM)
def test_the_seeing_optimum_is_the_task_s_own(task):
    best = chance(task, spend=QUICK).best
    assert best.seeing.value == pytest.approx(optimum(task).value, rel=1e-5)


SEEN_DIMLY = [
    "toy/discrete+hidden_mode=0.05", "toy/discrete+aliased=2", "toy/discrete+hidden_mode=0.2+diameter=2",
    "toy/discrete+action.sticky=0.5+horizon=5", "toy/grid+aliased=2+horizon=8",
    "toy/discrete+observation.noise=0.1+horizon=4", "toy/grid+hidden_mode=0.2+horizon=6",
]  # fmt: skip


@pytest.mark.parametrize("task", SEEN_DIMLY)
def test_beliefs_lie_between_blind_and_seeing(task):
    best = chance(task, spend=QUICK).best
    low = best.blind.value if best.blind.value is not None else best.blind.low
    if best.beliefs.value is not None:
        assert low - 1e-9 <= best.beliefs.value <= best.seeing.value + 1e-9
    else:
        assert low - 1e-9 <= best.beliefs.low <= best.beliefs.high <= best.seeing.value + 1e-9


def test_two_states_that_look_alike_worked_by_hand():
    """Two states, of which one pays for action 0 and the other for action 1; both lead to themselves.

    Seen, each of three steps pays 1. Unseen, the first guess is right half of the time, and without seeing
    rewards nothing is ever learnt: half of three. The same blind.
    """
    task = ("toy/discrete+transition_function=[[0,0],[1,1]]+reward_function=[[1,0],[0,1]]+horizon=3"
            "+terminal_state_density=0.0")  # fmt: skip
    assert chance(task).best.beliefs.value == pytest.approx(3)
    best = chance(f"{task}+aliased=2").best
    assert [each.value for each in best] == pytest.approx([1.5, 1.5, 3])
    assert chance(f"{task}+aliased=2").world.hidden == pytest.approx(1)


def test_a_step_that_tells_the_states_apart_worked_by_hand():
    """States 0 and 1 look alike and pay for opposite actions; in either, action 0 leads to 2, seen as itself.

    Action 1 leads from 0 to 1 and from 1 to 0. Over two steps from 0 or 1: the first is a guess, worth 0.5
    by either action. Action 0 then leads to 2, which pays nothing. Action 1 stays among the two and tells
    nothing: 0.5 again. So 1 for an agent with beliefs and for a blind one, and for a seeing one 1 from the
    first step and, if that was action 1 (of state 1, to 0), 1 more: 1.5 in the mean, but in state 0 action 1
    first pays nothing and then 1, no more than action 0.
    """
    task = ("toy/discrete+transition_function=[[2,1],[2,0],[2,2]]+reward_function=[[1,0],[0,1],[0,0]]"
            "+init_state_dist=[0.5,0.5,0]+horizon=2+terminal_state_density=0.0+aliased=2")  # fmt: skip
    assert [each.value for each in chance(task).best] == pytest.approx([1.0, 1.0, 1.5])


@pytest.mark.parametrize("task, bits, most", [
    ("gym/CartPole-v1+action.sticky=0.5", np.log2(1 + 2 ** (-coin(0.5) / 0.5)), 1),
    ("toy/discrete+action.other=0.5", 3 - noise_bits(0.5, 7), 3),
    ("toy/discrete+action.repeat=3", 1.0, 3),
    ("toy/discrete+action.delay=2", 3.0, 3),
    ("toy/grid+action_form=vector", np.log2(9), np.log2(9)),
    ("toy/discrete+irrelevant_features+action.random=0.5", None, 6),
])  # fmt: skip
def test_channels_of_tasks(task, bits, most):
    action = chance(task, spend=QUICK).action
    assert action.most == pytest.approx(most)
    if bits is not None:
        assert action.bits == pytest.approx(bits, abs=1e-6)
    assert action.above - action.bits <= 1e-9


def test_channels_that_come_late_or_are_held_say_so():
    assert chance("toy/discrete+action.delay=2", spend=QUICK).action.late == 2
    assert chance("toy/discrete+action.repeat=3", spend=QUICK).action.held == 3
    frames = "atari/Pong+sticky=0.0+action_channels=frame+action.random=0.3"
    assert chance(frames, spend=QUICK).action.per == "frame"


def test_order_matters_only_where_a_channel_remembers():
    one = chance("toy/discrete+action.random=0.3+action.sticky=0.25", spend=QUICK)
    other = chance("toy/discrete+action.sticky=0.25+action.random=0.3", spend=QUICK)
    assert one.action.bits != pytest.approx(other.action.bits, abs=1e-3)


def test_what_is_not_exact_says_why_and_is_estimated_on_request():
    plain = chance("toy/discrete+observation.delay=1")
    assert plain.world is None and plain.notes == ("model: observation.delay is not part of the model.",)
    found = chance("toy/discrete+observation.delay=1+transition_noise=0.25", samples=20_000, spend=QUICK)
    assert found.sampled_world.next_state.value == pytest.approx(noise_bits(0.25, 7), rel=0.03)
    assert found.sampled_world.hidden.value > 0.5
    repeated = chance("toy/discrete+action.repeat=2+action.random=0.5", samples=2000, spend=QUICK)
    assert repeated.action is None and "action.repeat sends" in repeated.notes[0]
    assert 0 < repeated.sampled_action.value < 3
    box = chance("toy/continuous+action.random=0.5", samples=500)
    assert box.action is None and box.sampled_action is None
    assert any("real numbers" in note for note in box.notes)


def test_a_log_of_whole_episodes_worked_by_hand():
    """Two lanes with two steps due: one ends at its second step, the other runs through it to its fourth."""
    ended = np.array([[1, 0], [1, 0], [0, 0], [0, 1], [1, 1]], bool)
    whole, episode = find_whole(ended, 2)
    assert whole.T.tolist() == [[True, True, False, False, False], [True, True, True, True, False]]
    assert episode[whole].tolist() == [0, 3, 1, 3, 3, 3]


@pytest.mark.parametrize("task", [
    "toy/discrete+action.sticky=0.5", "toy/discrete+action.sticky=0.5+action.random=0.3+hidden_mode=0.1",
])  # fmt: skip
def test_exact_and_sampled_measures_speak_of_the_same_state(task):
    """That of the env: what a sticky channel remembers is part of neither."""
    exact, guess = chance(task, spend=QUICK).world, of_log(resolve(task), 20_000, 0, [])
    for name in guess._fields:
        estimate = getattr(guess, name)
        assert estimate.low - 1e-9 <= getattr(exact, name) <= estimate.high + 1e-9, name
    assert exact.states == (16 if "hidden_mode" in task else 8)
    if "hidden_mode" not in task:
        assert (exact.hidden, exact.share_seen) == (0, 1)


@pytest.mark.parametrize("task", ["toy/discrete+hidden_mode=0.02", "toy/discrete+hidden_mode=0.1"])
def test_intervals_of_played_logs_hold_the_exact_values(task):
    """Steps of one episode share its mode, which is off when it begins: both matter to the averages."""
    exact = chance(task, spend=QUICK).world
    for seed in range(3):
        guess = of_log(resolve(task), 20_000, seed, [])
        for name in guess._fields:
            estimate = getattr(guess, name)
            assert estimate.low <= getattr(exact, name) <= estimate.high, (name, seed)


def test_a_log_of_a_schedule_is_of_when_it_is_on():
    task = "toy/discrete+observation.delay=1+transition_noise=0.25@sudden:90"
    found = chance(task, samples=5000, spend=QUICK)
    assert found.sampled_world.next_state.value == pytest.approx(noise_bits(0.25, 7), rel=0.05)


def test_a_schedule_has_two_concepts_and_a_drift_between_them():
    found = chance("toy/discrete+transition_noise=0.25@sudden:50")
    assert found.drift.total_variation == pytest.approx(0.25)
    assert found.drift.kl == pytest.approx(-np.log2(0.75))
    assert found.drift.js == pytest.approx(noise_mix(0.25), abs=1e-9)
    assert found.best is None and "does not stay the same" in found.notes[-1]
    # Where the second concept never does what the first does, the divergence is infinite, and JSON says so.
    turned = chance("toy/discrete+action.other=1.0@cyclic:5:5")
    assert turned.drift.kl == np.inf and turned.drift.excluded == pytest.approx(1)
    assert turned.as_dict()["drift"]["kl"] == "infinite"
    drawn = chance("toy/discrete+transition_noise=0.5@uniform:0.1")
    assert drawn.drift is None and any("drawn anew" in note for note in drawn.notes)


def noise_mix(p):
    """Jensen and Shannon's divergence of a sure step and one that misses with chance p."""
    return noise_bits(p / 2, 7) - noise_bits(p, 7) / 2


def test_a_certain_task_is_certain():
    assert chance("toy/discrete").is_certain
    assert not chance("toy/discrete+aliased=2").is_certain
    assert not chance("toy/discrete+action.delay=1").is_certain


def test_the_door_gives_the_same_record():
    record = assay.chance("toy/discrete+action.random=0.3")
    assert type(record).__name__ == "Chance"
    assert record.as_dict()["action"]["bits"] == record.action.bits
    assert record.as_dict()["best"]["beliefs"]["value"] == record.best.beliefs.value


@pytest.mark.parametrize("task, says", [
    ("gym/CartPole-v1", "no model is made of gym/CartPole-v1"),
    ("toy/grid+image_representations", "no model is made of pictures"),
    ("toy/grid+irrelevant_features", "drop irrelevant_features"),
    ("toy/discrete+action_space_size=400", "take a smaller task"),
])  # fmt: skip
def test_tasks_without_a_model_are_refused_in_a_sentence(task, says):
    with pytest.raises(NotApplicable, match=says):
        find_model(task)


def test_bad_numbers_are_refused():
    with pytest.raises(WrongLevel, match="samples of a task's chance is a whole number from 0 up, not -1"):
        assay.chance("toy/discrete", samples=-1)
    with pytest.raises(WrongLevel, match="seed"):
        assay.chance("toy/discrete", seed=0.5)


def test_a_game_that_is_too_large_leaves_its_world():
    found = find_model("toy/discrete+sequence_length=4", most_entries=10**5)
    assert isinstance(found.world, Model) and found.game is None
    assert measure_world(found.world).next_state == 0


def best(value):
    return BestReturn(value, None, None, "")


def test_a_blind_agent_s_return_raises_the_lower_bound():
    bounded, exact, seeing = BestReturn(None, 1.0, 3.0, ""), best(2.0), best(9.0)
    assert at_least(bounded, exact, seeing).low == 2.0
    assert at_least(bounded, best(3.0), seeing).value == 3.0
    assert at_least(bounded, BestReturn(None, 0.5, 9.0, ""), seeing) == bounded
    unbounded = BestReturn(None, None, None, "not computed")
    assert at_least(unbounded, exact, seeing)[:3] == (None, 2.0, 9.0)
    assert at_least(unbounded, unbounded, seeing) == unbounded
    assert at_least(exact, bounded, seeing) == exact
