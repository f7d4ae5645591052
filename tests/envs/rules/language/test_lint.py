"""The report on a rule: each claim by a case computed by hand, and no claim that play contradicts."""

import random

import pytest
from random_rules import draw_sample

from assay.envs.rules.benchmark import RULES
from assay.envs.rules.codes import Finish
from assay.envs.rules.geometry import STANDARD
from assay.envs.rules.interpreter import attempt, begin, prepare
from assay.envs.rules.language.lint import find_stalemate, lint, never_stalemates, tell_report
from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.reach import find_unreachable
from assay.envs.rules.language.write import write


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_benchmark_rules_are_as_stationary_as_they_are_said_to_be(rule):
    report = lint(rule.text)
    assert report.stationary is rule.stationary and report.is_clean


@pytest.mark.parametrize(
    "text, answer",
    [
        ("()", "no"),
        ("(bucket:p)", "yes"),  # nothing can begin
        ("(bucket:[!p*0, p+1])", "no"),
        ("(count:1)\n(bucket:p+1)", "no"),
        ("(color:red)\n(color:[blue, black])\n(color:yellow)", "no"),
        ("(color:red)\n(color:blue)", "yes"),
        ("(pos:T, bucket:Nearby)", "no"),
        ("(pos:[1, 2])", "yes"),
        ("(color:red, pos:T) (color:blue)", "yes"),
        ("0 ()\n(color:red)", "yes"),
        ("(bucket:1/0)", "yes"),
        ("(bucket:[p, 7/2])", "no"),
        ("(code:!this)", "yes"),
        ("(postpos:L1)", "no"),
        ("(size:1)", "unknown"),
        ("(color:red, pos:B) (color:[blue, black, yellow], pos:T)", "yes"),
    ],
)
def test_can_it_stalemate(text, answer):
    assert lint(text).stalemate == answer, lint(text).stalemate_because


def test_no_claim_on_stalemates_is_contradicted_by_play():
    """Random rules for plain pieces: a rule said never to stalemate has no stalemate among many games."""
    chance, denied = random.Random(4), 0
    for _ in range(40):
        rule = draw_sample(chance, geometry=STANDARD).rule
        if never_stalemates(rule, STANDARD):
            denied += 1
            assert find_stalemate(prepare(rule)) is None
    assert denied > 5


def test_atoms_called_unreachable_accept_nothing():
    chance, looked = random.Random(5), 0
    for _ in range(300):
        sample = draw_sample(chance, geometry=STANDARD)
        rule = parse(write(sample.rule))  # with places, by which atoms are named
        idle = {fault.at for fault in find_unreachable(rule, STANDARD)}
        game = prepare(rule)
        state = begin(game, sample.board)
        for piece, bucket in sample.moves if idle else ():
            for atom, ready, count in zip(
                rule.lines[state.line].atoms, game.lines[state.line].atoms, state.atom_counts
            ):
                if atom.at in idle and state.finish == Finish.PLAYING and count != 0:
                    looked += 1
                    assert not any(ready.takes(state.pieces, state.history, each) for each in state.pieces)
            _, state = attempt(game, state, piece, bucket)
    assert looked > 100


@pytest.mark.parametrize(
    "text, line, column, says",
    [
        ("(0,*,*,*,0) (bucket:1)", 1, 1, "its count is 0"),
        ("0 (bucket:1)\n()", 1, 3, "its line has the count 0"),
        ("()\n(bucket:1)", 2, 1, "rule line 1 is never left"),
        ("(shape:star)\n(pos:T)\n(bucket:1)", 3, 1, "rule line 2 is never left"),
        ('() (bucket:"a" + 1)', 1, 4, "its bucket is always empty"),
        ("() (code:!this)", 1, 4, "its code is always empty"),
        ("() (pos:1, pos:[2, 3])", 1, 4, "no cell is in all its lists"),
    ],
)
def test_unreachable_atoms(text, line, column, says):
    (finding,) = lint(text).unreachable
    assert (finding.line, finding.column) == (line, column) and says in finding.says


def test_lines_that_can_be_left_hide_nothing():
    assert lint("(3,*,*,*,*)\n(bucket:1)").unreachable == ()
    assert lint("(bucket:p)\n(bucket:1)").unreachable == ()
    assert lint("2 ()\n(bucket:1)").unreachable == ()


def test_slips_are_listed_and_orders_that_are_never_used():
    report = lint("Order X = [1]\n(pos:99, bucket:foo)")
    assert [(each.line, each.column) for each in report.faults] == [(2, 6), (2, 17)]
    assert [each.says for each in report.unused_orders] == ["the order X is never used"]


def test_states_are_counted_by_hand():
    # 2^9 sets of pieces; line 1 has an atom with 0 or 1 left, line 2 has no counter; p is one of 4 or empty.
    assert lint("(1,*,*,*,0)\n(bucket:p+1)").states == 512 * (2 + 1) * 5
    assert lint("2 (bucket:pc)").states == 512 * 2 * 5**4


def test_the_text_of_a_report():
    said = tell_report(lint("(color:green, bucket:Nearby)", "my.txt"))
    assert said.startswith("my.txt: 1 line, 1 atom, stationary\n  uses: colors, Nearby\n")
    assert "names beyond the usual shapes and colors: GREEN" in said and said.endswith("nothing wrong")
