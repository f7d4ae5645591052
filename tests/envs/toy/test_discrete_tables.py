import math
from itertools import pairwise, product

import numpy as np
import pytest

from assay.envs.toy import discrete_tables as tables_module
from assay.envs.toy.discrete_params import Discrete
from assay.envs.toy.discrete_tables import Tables, code_of, generate, trail_capacity
from assay.errors import NotApplicable, WrongLevel

RING = ((1, 2), (2, 0), (0, 1))  # three states, two actions: one step on, or two


def made(**settings) -> Tables:
    return generate(Discrete(**settings))


def first_value(rng, so_far):
    """A reward_dist: 1, 2, 3, ... in the order of the calls, and a draw that shows the generator works."""
    assert 0 <= rng.random() < 1
    return len(so_far) + 1


def not_finite(rng, so_far):
    return math.nan


def all_sequences(open_sets: list[list[int]], first: int, length: int, repeats: bool) -> set[tuple[int, ...]]:
    """Every sequence beginning in set `first`, by trying all of them."""
    places = [open_sets[(first + place) % len(open_sets)] for place in range(length)]
    found = set(product(*places))
    return found if repeats else {each for each in found if len(set(each)) == length}


class TestByHand:
    def test_the_plain_settings(self):
        made_plain = made()
        assert made_plain.transitions.shape == (8, 8) and made_plain.transitions.dtype == np.int32
        assert made_plain.terminals.tolist() == [False] * 6 + [True] * 2
        assert made_plain.starts.tolist() == [1 / 6] * 6 + [0, 0] and made_plain.starts.dtype == np.float64
        assert len(made_plain.codes) == 1 and made_plain.codes.dtype == np.int32
        assert made_plain.values.tolist() == [1.0] and made_plain.values.dtype == np.float32
        assert made_plain.payoff is None and made_plain.irrelevant is None
        assert (made_plain.sequence_length, made_plain.set_size, made_plain.sets, made_plain.states) == (
            1,
            8,
            1,
            8,
        )

    def test_a_code_has_the_oldest_state_first_and_no_digit_zero(self):
        assert code_of((0,), states=8) == 1
        assert code_of((2, 0, 7), states=8) == 3 * 81 + 1 * 9 + 8
        assert code_of((), states=8) == 0

    def test_capacity_is_what_an_int32_holds(self):
        assert trail_capacity(8) == 9  # 9**9 < 2**31 <= 9**10
        assert trail_capacity(1) == 30
        assert all(
            (s + 1) ** trail_capacity(s) < 2**31 <= (s + 1) ** (trail_capacity(s) + 1)
            for s in (1, 2, 15, 24, 1000)
        )

    @pytest.mark.parametrize("length, count", [(1, 1), (2, 7), (3, 30), (4, 90)])
    def test_how_many_sequences_are_rewardable(self, length, count):
        assert len(made(sequence_length=length).codes) == count

    def test_three_sets_each_choose_from_5400(self):
        assert len(made(diameter=3, sequence_length=5).codes) == 3 * 5400 // 4

    def test_sequences_read_back_from_their_codes(self):
        given = (((0, 2), 0.5), ((2, 1), -1.0))
        ring = made(transition_function=RING, terminal_state_density=0.0, rewardable_sequences=given)
        assert ring.sequences == dict(given)
        assert ring.codes.tolist() == [code_of((0, 2), 3), code_of((2, 1), 3)]
        assert ring.sequence_length == 2

    def test_a_density_is_floored_but_not_below_what_is_written(self):
        # 0.3 * 10 and 0.1 * 30 fall just short of 3 in floating point.
        assert len(made(action_space_size=10, terminal_state_density=0.0, reward_density=0.3).codes) == 3
        assert len(made(sequence_length=2, reward_density=0.1).codes) == 3
        assert made(action_space_size=10, terminal_state_density=0.3).terminals.sum() == 3

    def test_every_set_has_at_least_one_sequence_whatever_the_density(self):
        # 0.1 of 6 sequences and 0.25 of 3 would be none: the first of the permutation is always there.
        assert len(made(reward_density=0.1).codes) == 1 == len(made(action_space_size=4).codes)
        assert len(made(reward_density=0.0, diameter=3).codes) == 3
        assert set(made(reward_density=0.1).codes.tolist()) <= set(made(reward_density=0.5).codes.tolist())


class TestTransitions:
    def test_all_states_of_the_next_set_are_reached_by_one_action_each(self):
        sets = made(action_space_size=5, diameter=3, reward_density=1.0)
        for state in np.flatnonzero(~sets.terminals):
            after = (state // 5 + 1) % 3
            assert sorted(sets.transitions[state]) == list(range(after * 5, after * 5 + 5))

    def test_terminal_states_lead_to_themselves(self):
        sets = made(diameter=2, terminal_state_density=0.5)
        assert sets.terminals.tolist() == ([False] * 4 + [True] * 4) * 2
        assert (sets.transitions[sets.terminals] == np.flatnonzero(sets.terminals)[:, None]).all()

    def test_not_maximally_connected_draws_with_replacement(self):
        rows = made(maximally_connected=False, terminal_state_density=0.0, action_space_size=20).transitions
        assert rows.min() >= 0 and rows.max() < 20
        assert np.mean([len(set(row)) for row in rows.tolist()]) == pytest.approx(
            20 * (1 - 0.95**20), abs=1.5
        )

    def test_successors_are_uniform(self):
        first = [made(mdp_seed=seed).transitions[0, 0] for seed in range(800)]
        counts = np.bincount(first, minlength=8)
        assert ((counts - 100) ** 2 / 100).sum() < 24.3  # chi-square, 7 degrees, 0.999

    def test_the_irrelevant_part_has_a_table_of_its_own_and_no_terminals(self):
        beside = made(action_space_size=(8, 3), irrelevant_features=True, diameter=2)
        assert beside.transitions.shape == (16, 8)
        assert beside.irrelevant.shape == (6, 3) and beside.irrelevant.dtype == np.int32
        for state, row in enumerate(beside.irrelevant.tolist()):
            assert sorted(row) == ([3, 4, 5] if state < 3 else [0, 1, 2])
        assert made(irrelevant_features=True).irrelevant.shape == (8, 8)
        assert (made(irrelevant_features=True).irrelevant != made().transitions).any()


class TestCounts:
    @pytest.mark.parametrize("repeats", [False, True])
    @pytest.mark.parametrize("sets", [1, 2, 3])
    @pytest.mark.parametrize("length", [1, 2, 3, 4])
    def test_against_plain_enumeration(self, length, sets, repeats):
        for actions, ending, density in product((2, 3, 4, 5), (0.0, 0.25, 0.5), (0.1, 0.25, 0.6, 1.0)):
            settings = {
                "action_space_size": actions,
                "diameter": sets,
                "sequence_length": length,
                "terminal_state_density": ending,
                "reward_density": density,
                "repeats_in_sequences": repeats,
                "mdp_seed": length,
            }
            alive = actions - int(ending * actions)
            open_sets = [[each * actions + label for label in range(alive)] for each in range(sets)]
            everything = [all_sequences(open_sets, first, length, repeats) for first in range(sets)]
            wanted = max(1, int(density * len(everything[0]) + 1e-9))
            if not everything[0]:
                with pytest.raises(NotApplicable):
                    made(**settings)
                continue
            chosen = set(made(**settings).sequences)
            assert len(chosen) == sets * wanted
            for possible in everything:
                assert len(chosen & possible) == wanted

    def test_given_terminals_count_each_set_by_its_own(self):
        # Sets {0, 1, 2} and {3, 4, 5}, of which 1, 4 and 5 end the episode: two and one are left.
        uneven = made(
            action_space_size=3, diameter=2, terminal_states=(1, 4, 5), sequence_length=3, reward_density=1.0
        )
        assert uneven.starts.tolist() == [1 / 3, 0, 1 / 3, 1 / 3, 0, 0]
        assert set(uneven.sequences) == {(0, 3, 2), (2, 3, 0)}  # from set 1, state 3 would have to come twice
        again = made(
            action_space_size=3,
            diameter=2,
            terminal_states=(1, 4, 5),
            sequence_length=3,
            reward_density=1.0,
            repeats_in_sequences=True,
        )
        assert len(again.codes) == 2 * 1 * 2 + 1 * 2 * 1

    def test_every_sequence_is_equally_likely(self):
        seen = [
            made(mdp_seed=seed, sequence_length=2, reward_density=1 / 30).codes[0] for seed in range(1500)
        ]
        counts = np.unique(seen, return_counts=True)[1]
        assert len(counts) == 30
        assert ((counts - 50) ** 2 / 50).sum() < 58.3  # chi-square, 29 degrees, 0.999

    def test_only_reachable_takes_its_share_of_the_reachable(self):
        settings = {"maximally_connected": False, "sequence_length": 3, "reward_density": 0.5, "mdp_seed": 4}
        leads = made(**settings).transitions
        alive = [list(range(6))]
        reachable = {
            each
            for each in all_sequences(alive, 0, 3, False)
            if all(b in leads[a] for a, b in pairwise(each))
        }
        chosen = made(**settings, only_reachable=True).sequences
        assert set(chosen) <= reachable and len(chosen) == len(reachable) // 2

    def test_only_reachable_keeps_the_order_of_the_permutation(self):
        settings = {"maximally_connected": False, "sequence_length": 2, "mdp_seed": 4}
        everything = set(made(**settings, reward_density=0.6).sequences)
        leads = made(**settings).transitions
        among = {(a, b) for a, b in everything if b in leads[a]}
        chosen = set(made(**settings, reward_density=0.3, only_reachable=True).sequences)
        assert chosen <= among or among <= chosen

    def test_only_reachable_changes_nothing_where_all_is_reachable(self):
        assert made(sequence_length=3, only_reachable=True).sequences == made(sequence_length=3).sequences


class TestRewardValues:
    def test_points_are_equally_spaced_and_dealt_once_each(self):
        dealt = made(reward_density=1.0, reward_dist=(-1.0, 1.0)).values
        assert sorted(dealt.tolist()) == np.linspace(-1, 1, 6).astype(np.float32).tolist()
        assert dealt.tolist() != sorted(dealt.tolist())

    def test_points_are_as_many_as_sequences_in_all_sets_together(self):
        dealt = made(diameter=3, reward_density=1.0, reward_dist=(0.0, 17.0)).values
        assert sorted(dealt.tolist()) == list(range(18))

    def test_a_single_sequence_pays_the_high_end(self):
        assert made(reward_dist=(0.0, 5.0)).values.tolist() == [5.0]

    def test_a_denser_choice_keeps_the_order_of_values(self):
        sparse = made(sequence_length=2, reward_density=0.3, reward_dist=(0.0, 1.0)).sequences
        dense = made(sequence_length=2, reward_density=0.9, reward_dist=(0.0, 1.0)).sequences
        assert sorted(sparse, key=sparse.get) == sorted(sparse, key=dense.get)

    def test_a_callable_is_asked_once_per_sequence(self):
        dealt = made(sequence_length=2, reward_dist=f"{__name__}:first_value").values
        assert sorted(dealt.tolist()) == [1, 2, 3, 4, 5, 6, 7]

    @pytest.mark.parametrize(
        "text", ["no_such_module:f", f"{__name__}:no_such_function", f"{__name__}:not_finite", ":f"]
    )
    def test_a_callable_that_cannot_be_used_is_refused(self, text):
        with pytest.raises(WrongLevel, match="reward_dist"):
            made(reward_dist=text)


class TestIndependence:
    """Changing one setting leaves the draws of the others unchanged."""

    @pytest.mark.parametrize(
        "change",
        [
            {"sequence_length": 3},
            {"reward_density": 1.0},
            {"repeats_in_sequences": True, "sequence_length": 2},
            {"reward_dist": (0.0, 1.0)},
            {"irrelevant_features": True},
            {"horizon": 10},
            {"make_denser": True},
            {"rewardable_sequences": (((1, 2), 1.0),)},
            {"init_state_dist": (1.0,) + (0.0,) * 7},
        ],
        ids=str,
    )
    def test_the_transition_table_stays(self, change):
        assert (made(**change).transitions == made().transitions).all()

    @pytest.mark.parametrize(
        "change", [{"terminal_state_density": 0.5}, {"terminal_states": (0, 4)}], ids=str
    )
    def test_rows_of_live_states_stay_under_other_terminals(self, change):
        before, after = made(terminal_state_density=0.0), made(**change)
        alive = ~after.terminals
        assert (after.transitions[alive] == before.transitions[alive]).all()

    def test_rows_stay_under_another_diameter_up_to_the_set_they_lead_to(self):
        assert (made(diameter=3).transitions[:6] - 8 == made().transitions[:6]).all()

    @pytest.mark.parametrize(
        "change",
        [
            {"maximally_connected": False},
            {"reward_dist": (0.0, 1.0)},
            {"irrelevant_features": True},
            {"make_denser": True},
            {"gate": "handout"},
            {"init_state_dist": (1.0,) + (0.0,) * 7},
        ],
        ids=str,
    )
    def test_the_rewardable_sequences_stay(self, change):
        assert (made(sequence_length=3, **change).codes == made(sequence_length=3).codes).all()

    def test_sets_choose_independently(self):
        two = made(diameter=2, sequence_length=2).sequences
        local = [
            {tuple(state % 8 for state in each) for each in two if each[0] // 8 == first} for first in (0, 1)
        ]
        assert local[0] != local[1]

    def test_a_denser_reward_keeps_the_sequences_of_a_sparser_one(self):
        nested = [
            set(made(sequence_length=2, diameter=2, reward_density=d).sequences) for d in (0.1, 0.3, 0.7, 1.0)
        ]
        assert all(sparse < dense for sparse, dense in pairwise(nested))

    def test_the_seed_alone_decides(self):
        once, again, other = made(mdp_seed=7), made(mdp_seed=7), made(mdp_seed=8)
        assert (once.transitions == again.transitions).all() and once.sequences == again.sequences
        assert (once.transitions != other.transitions).any()

    def test_the_plain_mdp_never_changes(self):
        # Records name an MDP by its seed, so a change here makes a new version of every suite.
        assert made().sequences == {(5,): 1.0}
        assert made().transitions[0].tolist() == [5, 4, 6, 2, 1, 3, 0, 7]


class TestGivenTables:
    def test_shape_and_sets_come_from_the_table(self):
        ring = made(transition_function=RING, terminal_state_density=0.0, reward_density=0.4)
        assert ring.transitions.tolist() == [list(row) for row in RING]
        assert (ring.states, ring.set_size, ring.sets) == (3, 3, 1)
        pairs = made(
            transition_function=((2, 3), (3, 2), (0, 1), (1, 0)),
            terminal_state_density=0.0,
            reward_density=0.5,
            diameter=2,
        )
        assert (pairs.states, pairs.set_size, pairs.sets) == (4, 2, 2)

    def test_sets_are_never_guessed_from_the_shape(self):
        ring = ((1, 3), (2, 0), (3, 1), (0, 2))
        one_set = made(transition_function=ring, terminal_state_density=0.25, reward_density=0.5)
        assert (one_set.set_size, one_set.sets) == (4, 1)
        with pytest.raises(NotApplicable, match="each leading to the next"):
            made(transition_function=((1, 1), (0, 0), (3, 3), (2, 2)), diameter=2)

    def test_terminal_rows_are_left_as_given(self):
        assert made(transition_function=RING, terminal_states=(1,), reward_density=1.0).transitions[
            1
        ].tolist() == [2, 0]

    def test_the_density_of_terminals_holds_for_given_tables_too(self):
        assert made(transition_function=RING, terminal_state_density=0.34, reward_density=1.0).terminals[2]

    def test_rewards_by_state_and_action_replace_the_sequences(self):
        pay = tuple(tuple(float(state * 8 + action) for action in range(8)) for state in range(8))
        paid = made(reward_function=pay)
        assert paid.payoff.tolist() == [list(row) for row in pay] and paid.payoff.dtype == np.float32
        assert paid.codes.shape == paid.values.shape == (0,) and paid.sequences == {}

    def test_given_starts_are_used(self):
        chances = (0.25, 0.75) + (0.0,) * 6
        assert made(init_state_dist=chances).starts.tolist() == list(chances)

    def test_the_irrelevant_part_follows_a_given_table(self):
        assert made(
            transition_function=RING, irrelevant_features=True, reward_density=0.5
        ).irrelevant.shape == (2, 2)
        sized = made(
            transition_function=RING, irrelevant_features=True, action_space_size=(2, 5), reward_density=0.5
        )
        assert sized.irrelevant.shape == (5, 5)


REFUSED = [
    ({"action_space_size": (8, 4)}, NotApplicable, "irrelevant_features"),
    ({"transition_function": RING, "action_space_size": 4}, NotApplicable, "action_space_size"),
    ({"transition_function": RING, "diameter": 3}, NotApplicable, "diameter"),
    ({"terminal_state_density": 1.0}, WrongLevel, "terminal_state_density"),
    ({"terminal_states": tuple(range(8))}, WrongLevel, "terminal_states"),
    ({"terminal_states": (8,)}, WrongLevel, "terminal_states takes states from 0 to 7, not 8"),
    ({"action_space_size": 1_000_000}, WrongLevel, "action_space_size=1000000 makes a table of .* lower it"),
    ({"diameter": 10**9}, WrongLevel, "with diameter=1000000000 makes a table"),
    ({"sequence_length": 7}, NotApplicable, "sequence_length=7 leaves no sequence without repeats"),
    ({"sequence_length": 10, "repeats_in_sequences": True}, NotApplicable, "at most 9"),
    ({"sequence_length": 5, "action_space_size": 64}, NotApplicable, "admits .* to choose from"),
    ({"rewardable_sequences": (((8,), 1.0),)}, WrongLevel, "rewardable_sequences takes states"),
    ({"rewardable_sequences": (((0,) * 10, 1.0),)}, NotApplicable, "sequence_length=10"),
    ({"rewardable_sequences": (((0, 1), 1.0),), "sequence_length": 3}, NotApplicable, "sequence_length is 2"),
    ({"rewardable_sequences": (((0,), math.inf),)}, WrongLevel, "rewardable_sequences"),
    ({"reward_function": ((1.0,) * 8,) * 7}, NotApplicable, "8 rows of 8 rewards.* not 7 rows of 8"),
    (
        {"reward_function": ((1.0,) * 8,) * 8, "rewardable_sequences": (((0,), 1.0),)},
        NotApplicable,
        "give one",
    ),
    ({"init_state_dist": (0.5, 0.5)}, NotApplicable, "init_state_dist"),
    ({"init_state_dist": (0.5,) + (0.0,) * 6 + (0.5,)}, NotApplicable, "state 7, which is terminal"),
]


class TestRefusals:
    @pytest.mark.parametrize("settings, kind, says", REFUSED, ids=lambda value: str(value)[:60])
    def test_in_one_sentence_that_names_the_key(self, settings, kind, says):
        with pytest.raises(kind, match=says) as refusal:
            made(**settings)
        assert str(refusal.value).endswith(".") and "\n" not in str(refusal.value)

    def test_too_many_sequences_are_refused_before_they_are_drawn(self, monkeypatch):
        monkeypatch.setattr(tables_module, "MOST_SEQUENCES", 29)
        with pytest.raises(NotApplicable, match="admits 30 sequences"):
            made(sequence_length=2)
