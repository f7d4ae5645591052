"""The report on a rule: each claim by a case computed by hand, and no claim that play contradicts."""

import random
from dataclasses import replace

import pytest
from random_rules import draw_sample

from assay.envs.rules.benchmark import RULES
from assay.envs.rules.codes import Finish
from assay.envs.rules.geometry import STANDARD
from assay.envs.rules.interpreter import attempt, begin, prepare
from assay.envs.rules.language.lint import find_stalemate, lint, never_stalemates, tell_report
from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.reach import find_unreachable
from assay.envs.rules.language.redundant import find_redundant
from assay.envs.rules.language.strange_values import Known
from assay.envs.rules.language.syntax import Cell, Name, Number, OrderName
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
        ("(1,*,*,*,p)", 1, 1, "empty before the first accepted move"),
        ("(code:last)", 1, 1, "its code is empty before the first accepted move"),
    ],
)
def test_unreachable_atoms(text, line, column, says):
    (finding,) = lint(text).unreachable
    assert (finding.line, finding.column) == (line, column) and says in finding.says


def test_a_rule_without_a_first_move_is_a_stalemate_at_once():
    report = lint("(1,*,*,*,p)\n(0,*,*,*,1) (bucket:pc+1)")
    assert report.stalemate_because == "at once on every board, for no atom accepts a first move"
    assert len(report.unreachable) == 3
    assert lint("(1,*,*,*,p)\n(1,*,*,*,1)").is_clean  # the second line accepts a first move


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
    assert said.endswith("no piece has the color GREEN; there are BLACK, BLUE, RED, YELLOW")
    assert tell_report(lint("(color:red, bucket:Nearby)")).endswith("nothing wrong")


@pytest.mark.parametrize(
    "text, column, says",
    [
        ("(shape:stars, bucket:1)", 8, "no piece has the shape STARS; did you mean STAR?"),
        ("(color:purple, bucket:1)", 8, "no piece has the color PURPLE; there are"),
        ("(color:[[red], purple])", 16, "no piece has the color PURPLE; there are"),
        ("(shape:red)", 8, "no piece has the shape RED; RED is a color"),
    ],
)
def test_names_that_no_usual_piece_has_are_told_as_a_task_tells_them(text, column, says):
    report = lint(text)
    (finding,) = report.own_values
    assert finding.column == column and finding.says.startswith(says)
    assert not report.is_clean and not report.faults  # pieces of a task may be called so


def test_with_a_table_of_pieces_what_none_has_is_a_fault():
    pieces = Known(properties={"size": ("big", "huge"), "weight": (1, 2), "any": ("*", 1)})
    report = lint(
        "(size:hugee, weight:7) (any:5) (size:[BIG, huge], weight:2..9) (colour:red)", pieces=pieces
    )
    told = [(each.column, each.says.partition(";")[0]) for each in report.faults]
    assert told == [
        (7, "no piece has the size hugee"),
        (21, "no piece has the weight 7"),
        (65, "no piece has the property colour"),
    ]
    assert not report.own_values and not report.own_properties


class TestAtomsWithoutEffect:
    @pytest.mark.parametrize(
        "text, column",
        [
            ("(bucket:[0,1,2,3]) (color:red, bucket:1)", 20),
            ("(color:red, bucket:1) ()", 1),
            ("() ()", 4),
            ("(3,*,*,*,1) (bucket:1)", 1),
            ("(bucket:[p, 1]) (shape:star, bucket:5)", 17),
            ("(bucket:[p, 1]) (shape:star, bucket:p)", 17),
            ("(color:[red, blue]) (color:blue, pos:T)", 21),
            ("(pos:[T, 3, 4]) (pos:[4, T])", 17),
            ("(code:this) (code:!p)", 13),
            ("2 (2,*,*,*,1) (color:red, bucket:1)", 15),
            ("(pos:B, postpos:T) (2,*,*,B,*)", 0),
            ("(size:*) (size:1..3)", 10),
        ],
    )
    def test_are_those_that_another_one_covers(self, text, column):
        assert [each.column for each in lint(text).redundant] == ([column] if column else [])

    @pytest.mark.parametrize(
        "text",
        [
            "(2,*,*,*,1) (color:red, bucket:1)",  # goes on when the first is used up
            "3 (2,*,*,*,1) (color:red, bucket:1)",
            "(bucket:1)\n(color:red, bucket:1)",
            "(color:[red, blue]) (color:[blue, black])",
            "(color:red) (color:last.color)",
            "(bucket:p) (bucket:p + 0)",
            "(pos:T) (pos:L)",
            "(postpos:T) (color:red)",
            "(color:[[red], last.color]) (color:[[red, blue], last.color])",
            "(bucket:this.bucket) (bucket:0)",
            "(size:1) (size:2)",
        ],
    )
    def test_nothing_is_claimed_without_a_proof(self, text):
        assert lint(text).redundant == ()

    def test_leaving_them_out_changes_no_answer(self):
        """Random lines, each with a narrower copy of one of its atoms, and with all their chance pairs."""
        chance, looked = random.Random(6), 0
        for _ in range(400):
            sample = draw_sample(chance, geometry=STANDARD, guided=True)
            lines = []
            for line in sample.rule.lines:
                copied = chance.choice(line.atoms)
                narrow = replace(copied, **chance.choice(NARROWER))
                lines.append(replace(line, atoms=(*line.atoms, narrow)))
            rule = parse(write(replace(sample.rule, lines=tuple(lines))))
            idle = {fault.at for fault in find_redundant(rule, STANDARD)}
            if not idle:
                continue
            kept = [
                replace(line, atoms=tuple(atom for atom in line.atoms if atom.at not in idle))
                for line in rule.lines
            ]
            games = [prepare(rule), prepare(replace(rule, lines=tuple(kept)))]
            states = [begin(game, sample.board) for game in games]
            for piece, bucket in sample.moves:
                looked += 1
                answers = [attempt(game, state, piece, bucket) for game, state in zip(games, states)]
                states = [state for _, state in answers]
                assert answers[0][0] == answers[1][0], write(rule)
                assert len({(s.line, s.line_count, s.finish, s.attempts) for s in states}) == 1, write(rule)
        assert looked > 1000


NARROWER = (
    {"count": 1}, {"color": Name(("RED",))}, {"shape": Name(("STAR",))}, {"bucket": Number(2)},
    {"positions": ((Cell(3), OrderName("T")),)}, {"code": Name(("p",))}, {},
)  # fmt: skip
