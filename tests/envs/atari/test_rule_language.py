"""The language of rule files: what expressions mean, and where a wrong one is wrong."""

import pytest

from assay.envs.atari.compiled_variation import ActiveVariation, compile_variation
from assay.envs.atari.draws import Draws
from assay.envs.atari.rule_compiler import Scope, compile_expression
from assay.envs.atari.rule_language import Unreadable, parse
from assay.envs.atari.rule_yaml import BadRules
from assay.envs.atari.rulefile import read_rules

CELLS = {"ball_x": 49, "cars": (33, 34, 35), "apart": (9, 19, 29)}
RAM = [0] * 128
RAM[49], RAM[33], RAM[34], RAM[35], RAM[19] = 130, 7, 8, 255, 64


def value(text, memory=(), frame=0):
    indices = {name: i for i, (name, _) in enumerate(memory)}
    lists = frozenset(name for name, each in memory if isinstance(each, list))
    scope = Scope(CELLS, indices, lists)
    draws = Draws("test")
    draws.renew(0)
    return compile_expression(parse(text), scope, "test")(
        RAM, None, [each for _, each in memory], draws, frame, 0, 0
    )


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("ball_x + 2 * 3", 136),
        ("(ball_x + 2) * 3", 396),
        ("0 < cars[0] < 8 <= cars[1]", True),
        ("not ball_x & 128 or ball_x >> 4 == 8", True),
        ("ball_x & 15 | 16", 18),
        ("cars[1] in (1, 4..9)", True),
        ("cars[1] not in (1, 4..7)", True),
        ("ram[cars[1] + 41]", 130),
        ("apart[1]", 64),
        ("1 if ball_x > 130 else 2 if ball_x == 130 else 3", 2),
        ("any(cars[i] == 255 for i in 0..2)", True),
        ("all(ram[r] > 7 for r in cars)", False),
        ("count(ram[r] > 7 for r in 33..35)", 2),
        ("signed(cars[2])", -1),
        ("bcd(47)", 0x47),
        ("unbcd(0x47)", 47),
        ("min(ball_x, 9, 12) + max(1, 2) - abs(-3)", 8),
        ("~0 & 0xff", 255),
        ("held + row[1] + frame % 6", 15),
        ("10 // 3 % 2 << 4", 16),
        ("FIRE + unfired(11) + fires(4)", 4),
    ],
)
def test_an_expression_by_hand(text, wanted):
    assert value(text, memory=(("held", 5), ("row", [1, 6])), frame=10) == wanted


@pytest.mark.parametrize(
    "text, at, says",
    [
        ("ball_x ? 1", 7, "cannot stand in an expression"),
        ("ball_x + ", 8, "expected a value here"),
        ("(1 + 2", 6, "expected"),
        ("1 2", 2, "does not belong"),
        ("sin(1)", 0, "no function 'sin'"),
        ("min(1)", 0, "takes 2 to 8 values"),
        ("bal_x", 0, "did you mean"),
        ("cars + 1", 0, "a range of 3 cells; take one"),
        ("cars[3]", 0, "entries 0 to 2"),
        ("any(1 for cars in 0..1)", 0, "already means"),
        ("import", 0, "nothing is called"),
    ],
)
def test_a_wrong_expression_says_where(text, at, says):
    with pytest.raises(Unreadable, match=says) as error:
        value(text)
    assert error.value.at == at


def test_nothing_of_python_is_within_reach():
    for text in ("__import__", "().__class__", "open", "exec", "ram.__class__", "f''", "lambda", "x := 1"):
        with pytest.raises(Unreadable):
            value(text)


FILE = """
game: Pong
cells: {{a: 20, row: 30..33, rest: 40..45 except 42, spread: "50, 60"}}
variations:
  tried:
    means: what is tried
    direction: neutral
    touches: [transition]
    memory: {memory}
    frame:
{rules}
"""


def ran(rules, memory="{}", ram=None, frame=0, times=1):
    """The cells after a hook has run so often, and what it remembers; each run reads what is there."""
    lines = "\n".join(f"      - {rule}" for rule in rules)
    file = read_rules(FILE.format(rules=lines, memory=memory), "tried.yaml")
    compiled = compile_variation(file.variations["tried"], True, file.cells)
    cells = list(ram or [0] * 128)
    active = ActiveVariation(compiled, "tried")
    active.renew(7)
    active.begin(cells)
    for time in range(times):
        snapshot = list(cells)
        compiled.hooks["frame"](snapshot, cells.__setitem__, active.memory, active.draws, frame + time, 0, 0)
    return cells, active.memory, compiled


def test_all_conditions_read_one_snapshot():
    cells, _, _ = ran(["{set: {a: 5}}", '{when: a == 5, set: {"row[0]": 1}}'])
    assert (cells[20], cells[30]) == (5, 0)


def test_values_are_taken_modulo_256():
    cells, _, _ = ran(['{set: {a: 250 + 10, "row[1]": a - 1}}'])
    assert (cells[20], cells[31]) == (4, 255)


def test_ranges_take_one_value_or_one_each():
    cells, _, compiled = ran(["{set: {row: [1, 2, 3, 4], rest: 9, spread: here + 7}}"])
    assert cells[30:34] == [1, 2, 3, 4] and cells[40:46] == [9, 9, 0, 9, 9, 9] and cells[50] == cells[60] == 7
    assert compiled.cells == {30, 31, 32, 33, 40, 41, 43, 44, 45, 50, 60}


def test_loops_and_lets():
    cells, _, _ = ran(
        ['{for: "i in 0, 2", let: {twice: 2 * i + 1}, when: twice > 1, set: {"row[i]": twice}}']
    )
    assert cells[30:34] == [0, 0, 5, 0]


def test_memory_is_kept_all_at_once_within_a_rule():
    _, memory, _ = ran(["{keep: {x: y, y: x + 1}}"], memory="{x: 1, y: 10}", times=2)
    assert memory == [2, 11]


def test_memory_may_be_drawn_and_hold_lists():
    _, memory, _ = ran(
        ['{keep: {"order[1]": 99}}'], memory='{order: "shuffle(1, 2, 3)", odd: "choice(5, 7)"}'
    )
    first, second, third = memory[0]
    assert second == 99 and {first, third} < {1, 2, 3} and first != third and memory[1] in (5, 7)


def test_constants_are_told_from_what_varies():
    _, _, compiled = ran(['{set: {a: 5, "row[0]": a + 1}}', '{when: a > 1, set: {a: 5, "row[1]": 3}}'])
    assert compiled.constants == {20: 5, 31: 3}


@pytest.mark.parametrize(
    "text, says",
    [
        ("game: Pong\ncells: {a: 200}\nvariations: {}", r"line 2, column 12: cell 200 does not exist"),
        ("game: Pong\ncells: {a: 1..}\nvariations: {}", r"line 2, column \d+: expected a value"),
        ("game: Pong\nvariation: {}", r"line 2, column 1: 'variation' is not a key here"),
        ("game: Pong\ncells: {frame: 1}\nvariations: {}", r"line 2, column 9: 'frame' already means"),
        ("game: [", r"line 2, column 1"),
        ("", r"is empty"),
    ],
)
def test_a_broken_file_says_where(text, says):
    with pytest.raises(BadRules, match=says):
        read_rules(text, "broken.yaml")


@pytest.mark.parametrize(
    "rule, says",
    [
        ("{set: {a: b + 1}}", r"line 11, column 19: nothing is called 'b'"),
        ("{sets: {a: 1}}", r"line 11, column 10: 'sets' is not a key"),
        ("{when: a}", r"line 11, column 9: a rule needs one of the keys"),
        ("{set: {row: [1, 2]}}", r"line 11, column 16: 2 values for 4 cells"),
        ('{set: {"ram[128]": 1}}', r"line 11, column 17: ram has the entries 0 to 127"),
        ("{set: {nowhere: 1}}", r"line 11, column 16: nowhere is not a cell"),
        ("{keep: {held: 1}}", r"line 11, column 17: 'held' is not in this variation's memory"),
        ("{pay: 3}", r"line 11, column 15: pay can stand only in reward and event rules"),
        ("{set: {1 + 2: 1}}", r"line 11, column 16: a target is the name of a cell"),
    ],
)
def test_a_broken_rule_says_where(rule, says):
    with pytest.raises(BadRules, match=says):
        ran([rule])


def test_streams_are_their_own_and_can_be_put_back():
    one, other = Draws("gravity"), Draws("wind")
    one.renew(3), other.renew(3)
    first = [one.uniform(0, 255) for _ in range(100)]
    assert first != [other.uniform(0, 255) for _ in range(100)]
    one.renew(3)
    assert [one.uniform(0, 255) for _ in range(100)] == first
    saved = one.save()
    later = [one.share() for _ in range(150)]
    one.restore(saved)
    assert [one.share() for _ in range(150)] == later
    assert min(first) >= 0 and max(first) <= 255 and len(set(first)) > 50


CHANCY = """
game: Pong
cells: {{a: 20, row: 30..33}}
variations:
  tried:
    means: what is tried
    direction: neutral
    touches: [transition]
    {chance}
    memory: {{chosen: -1}}
    event:
      - {rule}
"""


def event_of(rule, level=1.0, before=None, start=None, ram=None):
    """What one event hook writes, pays and owes; cells that are not given hold 0."""
    file = read_rules(CHANCY.format(chance="chance: [1.0]", rule=rule), "tried.yaml")
    compiled = compile_variation(file.variations["tried"], True, file.cells)
    active, written = ActiveVariation(compiled, "tried"), {}
    active.renew(7)
    active.begin([0] * 128)
    active.draws.level = level
    active.draws.begin_step()
    old, first = bytes(before or [0] * 128), bytes(start or [0] * 128)
    paid = compiled.hooks["event"](
        ram or [0] * 128, written.__setitem__, active.memory, active.draws, 5, 0, 10.0, old, first
    )
    return written, paid, active


def test_an_event_restores_cells_and_settles_the_reward_by_hand():
    before, ram = [0] * 128, [0] * 128
    before[20], ram[20] = 9, 4
    rule = "{let: {paid: points}, when: a != was(a) and happens, set: {a: was(here)}, pay: 0, owe: paid}"
    written, paid, active = event_of(rule, before=before, ram=ram)
    assert written == {20: 9} and paid == (0, 10.0)
    assert (active.draws.opportunities, active.draws.events) == (1, 1)
    written, paid, active = event_of(rule, level=0.0, before=before, ram=ram)
    assert written == {} and paid == (10.0, 0)
    assert (active.draws.opportunities, active.draws.events) == (1, 0)
    written, paid, active = event_of(rule)  # nothing changed: no opportunity
    assert written == {} and active.draws.opportunities == 0


def test_pick_draws_one_of_those_that_hold():
    start = [0] * 128
    start[31] = start[33] = 5
    rule = "{when: happens, keep: {chosen: 'pick(row[i] != at_start(row[i]) for i in 0..3)'}}"
    assert event_of(rule, start=start)[2].memory[0] in (1, 3)
    assert event_of(rule)[2].memory == [-1]


def test_one_draw_holds_for_a_step_and_an_event_happens_once_in_it():
    draws = Draws("tried")
    draws.renew(0)
    draws.level = 1.0
    draws.begin_step()
    assert [draws.happens(), draws.happens(), draws.happens_once(), draws.happens_once()] == [1, 1, 1, 0]
    draws.level = 0.5
    outcomes = []
    for _ in range(40):
        draws.begin_step()
        outcomes.append({draws.happens() for _ in range(4)})
    assert all(len(each) == 1 for each in outcomes) and len({min(each) for each in outcomes}) == 2
    frames = Draws("tried", per_frame=True)
    frames.renew(0)
    frames.level = 0.5
    assert {frames.happens_once() for _ in range(20)} == {True, False}


@pytest.mark.parametrize(
    "chance, rule, says",
    [
        ("chance: [1.0]", "{set: {a: 1}}", "decides nothing"),
        ("chance: [0.0]", "{when: happens, set: {a: 1}}", "above 0 and at most 1"),
        ("note: none", "{when: happens, set: {a: 1}}", "this has none"),
        ("chance: [1.0]", "{when: happens, set: {a: was(7)}}", "was takes a cell"),
        ("chance: [1.0]", "{when: happens, become: 3}", "become can stand only in action rules"),
    ],
)
def test_a_wrong_rule_of_chance_is_refused(chance, rule, says):
    with pytest.raises(BadRules, match=says):
        read_rules(CHANCY.format(chance=chance, rule=rule), "tried.yaml")


@pytest.mark.parametrize("hook, does", [("action", "become: 0"), ("reward", "pay: 3")])
def test_rules_between_agent_and_game_write_no_cells(hook, does):
    text = FILE.format(rules=f"      - {{set: {{a: 5}}, {does}}}", memory="{}").replace("frame:", f"{hook}:")
    with pytest.raises(BadRules, match=f"set cannot stand in the rules of {hook}"):
        file = read_rules(text, "tried.yaml")
        compile_variation(file.variations["tried"], True, file.cells)
