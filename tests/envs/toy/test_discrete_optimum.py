import time
from functools import cache

import numpy as np
import pytest

from assay.envs.toy import discrete_optimum
from assay.envs.toy.discrete_optimum import optimal_return
from assay.envs.toy.discrete_params import Discrete
from assay.envs.toy.discrete_tables import Tables, generate
from assay.errors import WrongLevel


def made(**settings) -> Tables:
    return generate(Discrete(**settings))


def table(transitions, sequences=(), *, ends=(), payoff=None, starts=None, diameter=1) -> Tables:
    """An MDP written down: sequences is a dict of sequence -> reward, starts the one start state."""
    shape = {
        "transition_function": transitions,
        "terminal_state_density": 0.0,
        "diameter": diameter,
        "terminal_states": ends,
        "init_state_dist": () if starts is None else tuple(np.eye(len(transitions))[starts]),
    }
    if payoff is not None:
        return generate(Discrete(**shape, reward_function=payoff))
    return generate(Discrete(**shape, rewardable_sequences=tuple(dict(sequences).items())))


def by_recursion(
    tables: Tables,
    *,
    horizon,
    transition_noise=0.0,
    noise_support="any",
    delay=0,
    reward_every_n_steps=None,
    gate="completion",
    make_denser=None,
    flush_on_end=False,
    reward_scale=1.0,
    reward_shift=0.0,
    term_state_reward=0.0,
):
    """The optimum by trying every action at every history: the rules of a step, as plainly as can be."""
    n, states, rewardable = tables.sequence_length, tables.states, tables.sequences
    every = reward_every_n_steps or n
    group = tables.set_size if noise_support == "next_set" else states

    def landings(state, action):
        aim = int(tables.transitions[state, action])
        others = [s for s in range(states) if s != aim and s // group == aim // group]
        if not others:
            return [(1.0, aim)]
        thrown = [(transition_noise / len(others), other) for other in others]
        return [(1 - transition_noise, aim), *thrown]

    def earned(state, action, reached):
        t = len(reached)
        gate_time = t + delay if gate == "handout" else t
        is_open = gate_time % every == 0
        if tables.payoff is not None:
            return float(tables.payoff[state, action]) * is_open
        total = 0.0
        if t >= n and reached[-n:] in rewardable:
            total += rewardable[reached[-n:]] * is_open
        for i in range(1, min(n - 1, t) + 1) if make_denser else ():
            values = [value for sequence, value in rewardable.items() if sequence[:i] == reached[-i:]]
            total += i / n * (sum(values) if make_denser == "per_sequence" else bool(values))
        return total

    @cache
    def worth(state, reached, queue):
        if len(reached) == horizon:
            return 0.0
        return max(value(state, action, reached, queue) for action in range(tables.transitions.shape[1]))

    def value(state, action, reached, queue):
        total = 0.0
        for chance, landed in landings(state, action):
            if chance == 0:
                continue
            after = (*reached, landed)
            line = (*queue, earned(state, action, after))
            terminated = bool(tables.terminals[landed])
            ended = terminated or len(after) == horizon
            reward, line = line[0], line[1:]
            if ended and flush_on_end:
                reward += sum(line)
            paid = (reward + term_state_reward * terminated) * reward_scale + reward_shift
            total += chance * (paid + (0.0 if ended else worth(landed, after, line)))
        return total

    starts = np.flatnonzero(tables.starts)
    return sum(tables.starts[start] * worth(int(start), (), (0.0,) * delay) for start in starts)


STAY_OR_GO = (
    (0, 1),
    (1, 0),
    (2, 2),
)  # action 0 stays, action 1 changes between states 0 and 1; state 2 is apart
TO_THE_END = ((0, 1, 2), (1, 0, 2), (2, 2, 2))  # the same, and action 2 ends the episode in state 2


class TestByHand:
    def test_one_rewarded_state(self):
        # One step to get there, then stay.
        assert optimal_return(table(STAY_OR_GO, {(1,): 1.0}, starts=0), horizon=10) == 10
        assert optimal_return(table(STAY_OR_GO, {(1,): 2.0}, starts=1), horizon=10) == 20

    def test_the_start_state_is_no_part_of_a_sequence(self):
        back_and_forth = table(STAY_OR_GO, {(0, 1): 1.0}, starts=0)
        assert optimal_return(back_and_forth, horizon=1, reward_every_n_steps=1) == 0
        assert optimal_return(back_and_forth, horizon=2, reward_every_n_steps=1) == 1  # stay, go
        assert optimal_return(back_and_forth, horizon=4, reward_every_n_steps=1) == 2  # then back and forth

    def test_the_gate_counts_completions_at_multiples_only(self):
        # (1, 1) completes at every step from the second on; the gate of two keeps every other one.
        both = table(STAY_OR_GO, {(1, 1): 1.0}, starts=0)
        assert optimal_return(both, horizon=9, reward_every_n_steps=1) == 8
        assert optimal_return(both, horizon=9) == 4
        assert optimal_return(both, horizon=9, reward_every_n_steps=4) == 2
        assert optimal_return(both, horizon=9, reward_every_n_steps=10) == 0

    def test_the_gate_at_the_handout_looks_at_the_step_of_payment(self):
        # Delay 1: completions at t = 3, 5, 7 are paid at 4, 6, 8; by completion those at 2, 4, 6, 8 are.
        both = table(STAY_OR_GO, {(1, 1): 1.0}, starts=0)
        assert optimal_return(both, horizon=9, delay=1, gate="handout") == 3
        assert optimal_return(both, horizon=9, delay=1, gate="completion") == 4

    def test_a_delay_costs_what_is_due_after_the_horizon(self):
        reward = table(STAY_OR_GO, {(1,): 1.0}, starts=0)
        assert [optimal_return(reward, horizon=10, delay=d) for d in (0, 1, 4, 9, 10, 50)] == [
            10,
            9,
            6,
            1,
            0,
            0,
        ]
        assert optimal_return(reward, horizon=10, delay=4, flush_on_end=True) == 10

    def test_prefixes_pay_when_made_denser(self):
        # The spec's example: only (3, 4, 1), walk 0, 3, 4, 1: 1/3 + 2/3 + 1.
        walk = ((3,), (1,), (2,), (4,), (1,))
        only = table(walk, {(3, 4, 1): 1.0}, starts=0)
        assert optimal_return(only, horizon=3) == 1
        assert optimal_return(only, horizon=3, make_denser="per_sequence") == pytest.approx(2)
        assert optimal_return(only, horizon=2, make_denser="per_sequence") == pytest.approx(1)

    def test_denser_per_sequence_counts_all_and_per_length_once(self):
        # After one step on state 1 two sequences of value 3 have begun.
        begun = table(STAY_OR_GO, {(1, 0): 3.0, (1, 1): 3.0}, starts=0)
        assert optimal_return(begun, horizon=1, make_denser="per_sequence") == pytest.approx(0.5 * 6)
        assert optimal_return(begun, horizon=1, make_denser="per_length") == pytest.approx(0.5)
        assert optimal_return(begun, horizon=2, make_denser="per_length") == pytest.approx(0.5 + 0.5 + 3)

    def test_scale_shift_and_terminal_reward(self):
        choice = table(TO_THE_END, {(1,): 1.0}, ends=(2,), starts=0)
        assert optimal_return(choice, horizon=5, reward_scale=2.0, reward_shift=0.5) == 5 * 2.5
        assert optimal_return(choice, horizon=5, reward_shift=-3.0) == -3  # end at once
        assert optimal_return(choice, horizon=5, term_state_reward=3.0) == 4 + 3  # collect, then end
        assert optimal_return(choice, horizon=5, reward_scale=-1.0, term_state_reward=-2.0) == 2

    def test_a_delayed_reward_is_lost_at_an_end_and_kept_by_a_flush(self):
        # Ending pays 5 at any time; with delay 2 the rewards of the last two steps before it are lost.
        choice = table(TO_THE_END, {(1,): 1.0}, ends=(2,), starts=0)
        assert optimal_return(choice, horizon=6, delay=2, term_state_reward=5.0) == 4 + 5
        assert optimal_return(choice, horizon=6, delay=2, term_state_reward=5.0, flush_on_end=True) == 5 + 5
        assert optimal_return(choice, horizon=6, delay=2) == 4  # one at 1 to 4, paid at 3 to 6

    def test_noise_takes_its_share(self):
        # One step, aimed at the rewarded state: it is missed with chance 0.3. Aiming away hits it by 0.15.
        noisy = table(STAY_OR_GO, {(1,): 1.0}, starts=0)
        assert optimal_return(noisy, horizon=1, transition_noise=0.3) == pytest.approx(0.7)
        assert optimal_return(noisy, horizon=1, transition_noise=1.0) == pytest.approx(0.5)

    def test_noise_within_the_next_set_throws_nowhere_else(self):
        pairs = table(((2, 3), (3, 2), (0, 1), (1, 0)), {(2,): 1.0}, starts=0, diameter=2)
        assert optimal_return(
            pairs, horizon=1, transition_noise=0.4, noise_support="next_set"
        ) == pytest.approx(0.6)
        assert optimal_return(
            pairs, horizon=1, transition_noise=1.0, noise_support="next_set"
        ) == pytest.approx(1.0)
        assert optimal_return(pairs, horizon=1, transition_noise=1.0) == pytest.approx(1 / 3)

    def test_a_payoff_table_pays_the_action_taken(self):
        pays = table(STAY_OR_GO, payoff=((0.0, 1.0), (3.0, 0.0), (0.0, 0.0)), starts=0)
        assert optimal_return(pays, horizon=3) == 1 + 3 + 3
        assert optimal_return(pays, horizon=3, delay=1) == 1 + 3
        assert optimal_return(pays, horizon=3, reward_every_n_steps=2) == 3

    def test_a_gate_that_no_episode_lives_to_see(self):
        # Every first step ends the episode, so there is no node at the later phases of the gate.
        short = table(((2, 3),) * 4, {(2,): 1.0}, ends=(2, 3), starts=0, diameter=2)
        terms = {"horizon": 5, "delay": 2, "reward_every_n_steps": 3, "reward_shift": -1.0}
        for noise in (0.0, 0.5):
            assert optimal_return(short, **terms, transition_noise=noise, noise_support="next_set") == -1

    def test_starts_are_averaged(self):
        assert optimal_return(table(STAY_OR_GO, {(2,): 1.0}), horizon=3) == pytest.approx(1.0)


class TestPlainSettings:
    """Section 4.7 of the specification: one set, maximally connected, horizon 100."""

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("length", [1, 2, 3, 4])
    def test_a_sequence_completes_at_every_open_gate(self, length, seed):
        assert optimal_return(made(sequence_length=length, mdp_seed=seed), horizon=100) == pytest.approx(
            100 // length
        )

    @pytest.mark.parametrize("delay", [1, 2, 4, 8])
    def test_delay_costs_its_length(self, delay):
        assert optimal_return(made(), horizon=100, delay=delay) == pytest.approx(100 - delay)

    def test_with_sets_a_length_that_is_a_multiple_of_them_loses_nothing(self):
        assert optimal_return(made(diameter=2, sequence_length=2), horizon=100) == pytest.approx(50)

    def test_noise_lowers_the_optimum_step_by_step(self):
        optima = [
            optimal_return(made(), horizon=100, transition_noise=p) for p in (0.0, 0.01, 0.02, 0.1, 0.25)
        ]
        assert optima == sorted(optima, reverse=True) and optima[-1] < 15

    def test_a_noisy_optimum_under_delay_is_the_share_that_lasts(self):
        # Each step ends with chance 0.1 * 2 / 7 whatever is done; three more must not end, the fourth may.
        plain = optimal_return(made(), horizon=96, transition_noise=0.1)
        delayed = optimal_return(made(), horizon=100, transition_noise=0.1, delay=4)
        assert delayed == pytest.approx(plain * (1 - 0.1 * 2 / 7) ** 3)


def random_case(rng: np.random.Generator) -> tuple[Tables, dict]:
    """A small MDP and terms of payment, every feature now and then."""
    states, actions = [(3, 2), (3, 3), (4, 2), (3, 1), (2, 3)][rng.integers(5)]
    transitions = tuple(map(tuple, rng.integers(states, size=(states, actions)).tolist()))
    ends = tuple(np.flatnonzero(rng.random(states) < rng.choice([0.0, 0.3]))[: states - 1].tolist())
    if rng.random() < 0.25:
        payoff = tuple(map(tuple, rng.choice([-1.0, 0.0, 0.5, 2.0], size=(states, actions)).tolist()))
        tables = table(transitions, ends=ends, payoff=payoff)
    else:
        length = int(rng.integers(1, 4))
        chosen = rng.integers(states, size=(rng.integers(1, 5), length))
        amounts = [[1.0], [0.5, 1.0], [-1.0, 1.0, 2.0]][rng.integers(3)]
        tables = table(
            transitions, {tuple(each): float(rng.choice(amounts)) for each in chosen.tolist()}, ends=ends
        )
    now_and_then = {
        "transition_noise": [0.0, 0.1, 0.5, 1.0],
        "noise_support": ["any", "next_set"],
        "delay": [0, 1, 2, 3],
        "reward_every_n_steps": [None, 1, 2, 3],
        "gate": ["completion", "handout"],
        "make_denser": [None, "per_sequence", "per_length"],
        "flush_on_end": [False, False, True],
        "reward_scale": [1.0, 1.0, 2.0, -1.0],
        "reward_shift": [0.0, 0.0, 0.3, -0.4],
        "term_state_reward": [0.0, 0.0, 1.5, -1.0],
    }
    terms = {key: levels[rng.integers(len(levels))] for key, levels in now_and_then.items()}
    return tables, {**terms, "horizon": int(rng.integers(1, 5 if terms["transition_noise"] else 7))}


class TestAgainstBruteForce:
    @pytest.mark.parametrize("batch", range(10))
    def test_random_small_mdps(self, batch):
        rng = np.random.default_rng(batch)
        for _ in range(150):
            tables, terms = random_case(rng)
            assert optimal_return(tables, **terms) == pytest.approx(by_recursion(tables, **terms)), terms

    @pytest.mark.parametrize("batch", range(4))
    def test_without_the_delay_line_where_it_does_not_matter(self, batch, monkeypatch):
        """Where the shortcut applies it agrees with the full queue; and it does apply to many cases."""
        rng = np.random.default_rng([batch, 1])
        risks, find_risk = [], discrete_optimum.find_steady_risk

        def watched(*given):
            risks.append(find_risk(*given))
            return risks[-1]

        for _ in range(150):
            tables, terms = random_case(rng)
            terms |= {"delay": int(rng.integers(1, 4)), "horizon": 7, "flush_on_end": False}
            if rng.random() < 0.7:
                terms |= {
                    "reward_scale": 1.0,
                    "reward_shift": abs(terms["reward_shift"]),
                    "term_state_reward": 0.0,
                }
            monkeypatch.setattr(discrete_optimum, "find_steady_risk", watched)
            short = optimal_return(tables, **terms)
            monkeypatch.setattr(discrete_optimum, "find_steady_risk", lambda *given: None)
            assert short == pytest.approx(optimal_return(tables, **terms)), terms
        assert sum(risk is not None for risk in risks) > 40

    @pytest.mark.parametrize("noise", [0.0, 0.25])
    @pytest.mark.parametrize("length", [1, 2])
    def test_both_ways_on_generated_mdps(self, noise, length, monkeypatch):
        for seed in range(3):
            tables = made(mdp_seed=seed, sequence_length=length, diameter=1 + seed % 2)
            terms = {"horizon": 30, "delay": 4, "transition_noise": noise}
            for support in ("any", "next_set"):
                with monkeypatch.context() as patched:
                    short = optimal_return(tables, **terms, noise_support=support)
                    patched.setattr(discrete_optimum, "find_steady_risk", lambda *given: None)
                    assert short == pytest.approx(optimal_return(tables, **terms, noise_support=support))


class TestLimits:
    def test_too_many_nodes_are_unknown(self):
        graded = made(reward_density=1.0, reward_dist=(0.0, 1.0))
        assert optimal_return(graded, horizon=20, delay=3, reward_shift=-0.1) is not None
        assert optimal_return(graded, horizon=20, delay=3, reward_shift=-0.1, limit=100) is None
        assert (
            optimal_return(graded, horizon=90, delay=60, reward_shift=-0.1) is None
        )  # no int64 holds such a queue
        assert optimal_return(made(sequence_length=4), horizon=20, limit=10) is None

    def test_a_delay_beyond_the_horizon_needs_no_queue(self):
        graded = made(reward_density=1.0, reward_dist=(0.0, 1.0))
        assert optimal_return(graded, horizon=60, delay=60, reward_shift=0.5) == pytest.approx(30)

    @pytest.mark.parametrize("wrong", [{"horizon": 0}, {"delay": -1}, {"transition_noise": 1.5}], ids=str)
    def test_what_has_no_meaning_is_refused(self, wrong):
        with pytest.raises(WrongLevel, match="horizon"):
            optimal_return(made(), **{"horizon": 10, **wrong})

    def test_it_takes_no_time_to_speak_of(self):
        tables, terms = made(), {"horizon": 100}
        optimal_return(tables, **terms)
        began = time.perf_counter()
        optimal_return(tables, **terms)
        assert time.perf_counter() - began < 0.05
        optimal_return(made(sequence_length=4), **terms)
        optimal_return(made(), **terms, transition_noise=0.25, delay=8, reward_shift=-0.1)
        assert time.perf_counter() - began < 1
