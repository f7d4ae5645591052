"""The text form of a task: hand-written cases, then properties over all that can be written or built."""

import enum
import string
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import assay.errors
from assay.errors import BadText, UnknownName
from assay.task_text import (
    Schedule,
    Setting,
    TaskText,
    parse,
    parse_schedule,
    parse_value,
    print_schedule,
    print_task,
    print_value,
    suggest,
    unknown_name_error,
)

TASKS = {
    "toy/discrete": TaskText("toy/discrete"),
    "gym/CartPole-v1": TaskText("gym/CartPole-v1"),
    "toy/discrete+delay=4+transition_noise=0.1": TaskText(
        "toy/discrete", (Setting("delay", 4), Setting("transition_noise", 0.1))
    ),
    "atari/Pong+lazy_enemy": TaskText("atari/Pong", (Setting("lazy_enemy"),)),
    "atari/Pong+lazy_enemy=false": TaskText("atari/Pong", (Setting("lazy_enemy", False),)),
    "platformer/run+background.mode=color+background.color_names=[purple,lime,indigo]": TaskText(
        "platformer/run",
        (
            Setting("background.mode", "color"),
            Setting("background.color_names", ("purple", "lime", "indigo")),
        ),
    ),
    "toy/discrete+action.random=0.3@sudden:300": TaskText(
        "toy/discrete", (Setting("action.random", 0.3, Schedule("sudden", (300,))),)
    ),
    "atari/Pong+lazy_enemy@cyclic:600:300:life": TaskText(
        "atari/Pong", (Setting("lazy_enemy", True, Schedule("cyclic", (600, 300), unit="life")),)
    ),
    "gym/ALE/Pong-v5+mine:blink": TaskText("gym/ALE/Pong-v5", (Setting("mine:blink"),)),
    'toy/grid+f="a+b=[c]@\\"d\\"\\\\"+g=[[],[1,[-2.5]]]': TaskText(
        "toy/grid", (Setting("f", 'a+b=[c]@"d"\\'), Setting("g", ((), (1, (-2.5,)))))
    ),
}


@pytest.mark.parametrize("text", TASKS)
def test_a_task_reads_and_prints(text):
    assert parse(text) == TASKS[text]
    assert str(TASKS[text]) == print_task(TASKS[text]) == text


def test_family_is_what_stands_before_the_first_slash():
    assert parse("gym/ALE/Pong-v5").family == "gym"


def test_a_switch_written_out_is_the_same_setting():
    assert parse("atari/Pong+lazy_enemy=true") == parse("atari/Pong+lazy_enemy")


def test_order_of_settings_is_kept():
    assert str(parse("toy/grid+b=1+a=2")) == "toy/grid+b=1+a=2" != str(parse("toy/grid+a=2+b=1"))


VALUES = {  # text: value, canonical text
    "4": (4, "4"),
    "-4": (-4, "-4"),
    "007": (7, "7"),
    "-0": (0, "0"),
    "1.0": (1.0, "1.0"),
    "5.": (5.0, "5.0"),
    ".5": (0.5, "0.5"),
    "-.5": (-0.5, "-0.5"),
    "-0.0": (0.0, "0.0"),  # one task has one text
    "1e3": (1000.0, "1000.0"),
    "1e-3": (0.001, "0.001"),
    "1E-05": (1e-05, "1e-5"),
    "1e16": (1e16, "1e16"),
    "1.7976931348623157e308": (sys.float_info.max, "1.7976931348623157e308"),
    "5e-324": (5e-324, "5e-324"),
    "true": (True, "true"),
    "false": (False, "false"),
    "red": ("red", "red"),
    "no": ("no", "no"),
    "mod.sub:fun-x/y": ("mod.sub:fun-x/y", "mod.sub:fun-x/y"),
    '"red"': ("red", "red"),
    '""': ("", '""'),
    '"1"': ("1", '"1"'),
    '"1e3"': ("1e3", '"1e3"'),
    '"true"': ("true", '"true"'),
    '"nan"': ("nan", '"nan"'),
    '"-x"': ("-x", '"-x"'),
    '"ünï"': ("ünï", '"ünï"'),
    r'"a\n\"b\\"': ('a\n"b\\', r'"a\n\"b\\"'),
    r'"\\n"': ("\\n", r'"\\n"'),
    '"a\nb"': ("a\nb", r'"a\nb"'),
    "[]": ((), "[]"),
    "[ ]": ((), "[]"),
    "[1, 2]": ((1, 2), "[1,2]"),
    "[ 1 , [a,  true ] ]": ((1, ("a", True)), "[1,[a,true]]"),
    '["a, ]b",[[]]]': (("a, ]b", ((),)), '["a, ]b",[[]]]'),
}


@pytest.mark.parametrize("text", VALUES)
def test_a_value_reads_and_prints(text):
    value, canonical = VALUES[text]
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)
    assert print_value(value) == canonical


def test_numbers_of_different_types_are_different_values():
    alike = [Setting("a", value) for value in (1, 1.0, True, "1", (1,), (1.0,), (True,), 0.0, False)]
    assert all(one != other for one, other in combinations(alike, 2)) and len(set(alike)) == len(alike)
    assert Setting("a", -0.0) == Setting("a", 0.0)


def test_values_from_python_become_plain_and_hashable():
    colour = enum.Enum("Colour", {"RED": "red"}, type=str)
    metres = type("Metres", (float,), {"__repr__": lambda self: "metres"})  # as numpy's float64 does
    value = Setting("a", [colour.RED, [metres(1)]]).value
    assert repr(value) == "('red', (1.0,))"
    assert hash(TaskText("toy/grid", [Setting("a", [1])])) == hash(parse("toy/grid+a=[1]"))


SCHEDULES = {  # text: schedule, canonical text
    "@sudden:300": (Schedule("sudden", (300,)), "@sudden:300"),
    "sudden:0": (Schedule("sudden", (0,)), "@sudden:0"),
    "@cyclic:600": (Schedule("cyclic", (600, 600)), "@cyclic:600:600"),
    "@ramp:100:200:life": (Schedule("ramp", (100, 200), unit="life"), "@ramp:100:200:life"),
    "@random:0.01": (Schedule("random", (0.01,)), "@random:0.01"),
    "@random:1e-5:life": (Schedule("random", (1e-5,), unit="life"), "@random:1e-5:life"),
    "@random:1": (Schedule("random", (1.0,)), "@random:1.0"),
}


@pytest.mark.parametrize("text", SCHEDULES)
def test_a_schedule_reads_and_prints(text):
    schedule, canonical = SCHEDULES[text]
    assert parse_schedule(text) == schedule
    assert str(parse_schedule(text)) == print_schedule(schedule) == canonical


BAD_TASKS = {  # text: what the message must say
    "": "family/name",
    "discrete": "family/name",
    "toy/": "family/name",
    "toy//discrete": "family/name",
    " toy/discrete": "family/name",
    "toy/discrete\n": "family/name",
    "töy/discrete": "letters, digits",
    "toy/discrete@sudden:300": "each variation after a +",
    "toy/discrete=4": "each variation after a +",
    "toy/discrete+": "cannot name a variation",
    "toy/discrete+=4": "cannot name a variation",
    "toy/discrete++delay=4": "from character 14 on: '' cannot name",
    "toy/discrete+a/b": "letters, digits",
    "toy/discrete+delay=": "no value after 'delay='; write delay=4, or delay alone for a switch.",
    "toy/discrete+delay=@sudden:3": "no value after 'delay='",
    "toy/discrete+delay=1=2": "more than one '='",
    "toy/discrete+delay= 4": "no value",
    "toy/discrete+delay=1e+3": "write 1e3",
    "toy/discrete+a=2+delay=-.5E+3": "from character 18 on",
    "toy/discrete+delay=[1e+3]": "write 1e3",
    "toy/discrete+delay=1e999": "finite",
    "toy/discrete+delay=-inf": "finite",
    "toy/discrete+delay=[NaN]": "quotes",
    "toy/discrete+delay=1_000": "a number, true, false",
    "toy/discrete+delay=1:30": "a word",
    "toy/discrete+delay=٣": "a number",
    "toy/discrete+delay=ınf": "a number",
    "toy/discrete+delay=" + "9" * 99999 + "x": "a number",
    "toy/discrete+delay=" + "9" * 301: "300 digits",
    "toy/discrete+delay=" + "9" * 9999: "300 digits",
    "toy/discrete+a=b,c": "[list]",
    "toy/discrete+a=[1,]": "'' is no value",
    "toy/discrete+a=[1 2]": "'1 2' is no value",
    "toy/discrete+a=[1": "not closed",
    "toy/discrete+a=1]": "closes nothing",
    "toy/discrete+a=[1][2]": "closes nothing",
    "toy/discrete+a=" + "[" * 17 + "]" * 17: "depth of 16",
    "toy/discrete+a=" + "[" * 99999: "depth of 16",
    'toy/discrete+a="b': "does not close",
    'toy/discrete+a="b\\"': "does not close",
    'toy/discrete+a="b"c': "quoted text",
    'toy/discrete+a="\\t"': "for a new line",
    'toy/discrete+a="\ud800"': "surrogate",
    "toy/discrete+a=1+a=2": "sets 'a' more than once",
    "toy/discrete+a@": "no schedule is called ''",
    "toy/discrete+a@soon:3": "@sudden:300",
    "toy/discrete+a@sudden": "not nothing",
    "toy/discrete+a@sudden:": "an integer from 0 on",
    "toy/discrete+a@sudden:-1": "an integer from 0 on, not -1",
    "toy/discrete+a@sudden:3.0": "an integer",
    "toy/discrete+a@sudden:true": "an integer",
    "toy/discrete+a@sudden:1:2": "one step",
    "toy/discrete+a@sudden:3=4": "write @sudden:300",
    "toy/discrete+a@sudden:3@sudden:4": "more than one schedule",
    "toy/discrete+a@sudden:3:life:life": "one step",
    "toy/discrete+a@cyclic:0": "from 1 on",
    "toy/discrete+a@cyclic:1:2:3": "one or two integers",
    "toy/discrete+a@ramp:100": "two integers",
    "toy/discrete+a@ramp:200:200": "the last one larger",
    "toy/discrete+a@random:0": "above 0",
    "toy/discrete+a@random:1.5": "at most 1",
}


@pytest.mark.parametrize("text", BAD_TASKS, ids=lambda text: ascii(text[:50]))
def test_a_bad_task_is_refused_with_help(text):
    with pytest.raises(BadText) as refused:
        parse(text)
    message = str(refused.value)
    assert BAD_TASKS[text] in message
    assert message.endswith(".") and "\n" not in message


def test_the_message_names_the_task_and_the_place():
    with pytest.raises(BadText) as refused:
        parse("toy/discrete+delay=")
    assert str(refused.value) == (
        "in the task 'toy/discrete+delay=', from character 14 on: there is no value after 'delay='; "
        "write delay=4, or delay alone for a switch."
    )


DEEPEST = parse_value("[" * 16 + "]" * 16)
endless: list = []
endless.append(endless)
BAD_PARTS = [
    lambda: TaskText("toy"),
    lambda: TaskText(None),
    lambda: TaskText("toy/a", None),
    lambda: TaskText("toy/a", ("b",)),
    lambda: TaskText("toy/a", (Setting("b"), Setting("b", False))),
    lambda: Setting(""),
    lambda: Setting("a=b"),
    lambda: Setting("a\n"),
    lambda: Setting("a", None),
    lambda: Setting("a", {"b": 1}),
    lambda: Setting("a", float("nan")),
    lambda: Setting("a", [float("inf")]),
    lambda: Setting("a", 10**5000),
    lambda: Setting("a", "\udfff"),
    lambda: Setting("a", endless),
    lambda: Setting("a", (DEEPEST,)),
    lambda: Setting("a", 1, "@sudden:300"),
    lambda: Schedule("soon", (1,)),
    lambda: Schedule(["sudden"], (1,)),
    lambda: Schedule("sudden", 300),
    lambda: Schedule("sudden", (True,)),
    lambda: Schedule("sudden", (10**5000,)),
    lambda: Schedule("random", (float("nan"),)),
    lambda: Schedule("random", ("half",)),
    lambda: Schedule("sudden", (1,), unit="weeks"),
    lambda: print_value(float("-inf")),
    lambda: parse(None),
    lambda: parse_value(3),
    lambda: parse_schedule(b"@sudden:300"),
]


@pytest.mark.parametrize("build", BAD_PARTS)
def test_a_bad_part_cannot_be_built(build):
    with pytest.raises(BadText):
        build()


KNOWN = ("delay", "transition_noise", "reward.delay", "action.sticky", "action.random", "mdp_seed", "W")


NEAR = {
    "delya": "'delay'",
    "Delay": "'delay'",
    "w": "'W'",
    "transition_nosie": "'transition_noise'",
    "sticky": "'action.sticky'",
    "seed": "'mdp_seed'",
    "act": "'action.random' or 'action.sticky'",
    "delay_of_the_reward": "'delay'",
    "zzz": None,
    "": None,
}


@pytest.mark.parametrize("name", NEAR)
def test_suggest(name):
    assert suggest(name, KNOWN) == NEAR[name]


def test_suggest_gives_at_most_n():
    assert suggest("act", KNOWN, n=1) == "'action.random'"
    assert suggest("delay", ()) is None


def test_unknown_names_the_thing_the_nearest_and_the_next_move():
    error = unknown_name_error("variation", "delya", KNOWN, "toy/discrete")
    assert isinstance(error, UnknownName)
    assert str(error) == (
        "no variation of toy/discrete is called 'delya'; did you mean 'delay'? "
        "`assay list toy/discrete` shows all 7."
    )
    error = unknown_name_error("suite", "zzz", ["kage", "stori"])
    assert str(error) == "no suite is called 'zzz'; `assay list suites` shows all 2."
    error = unknown_name_error("family", "zzz", ["toy"], see="assay list")
    assert str(error) == "no family is called 'zzz'; `assay list` shows all 1."


def test_names_loads_nothing_heavy():
    code = "import sys, assay.task_text; print({'jax', 'numpy', 'gymnasium'} & set(sys.modules))"
    source = Path(assay.errors.__file__).parents[1]
    assert subprocess.check_output([sys.executable, "-c", code], cwd=source, text=True) == "set()\n"


name_characters = string.ascii_letters + string.digits + "_-.:"
names = st.text(name_characters, min_size=1, max_size=12)
envs = st.lists(names, min_size=2, max_size=4).map("/".join)
grammar = st.text(name_characters + '+=@,[]"\\/ \n', max_size=12)
lookalikes = st.sampled_from(["true", "false", "1", "-1.5", "1e3", "inf", "NaN", "life", "episodes", ""])
texts = st.text(max_size=12) | grammar | lookalikes
long_integers = st.integers(-(10**300) + 1, 10**300 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)  # -0.0 is read as zero
numbers = st.integers() | long_integers | floats
values = st.recursive(st.booleans() | numbers | texts, lambda inner: st.lists(inner, max_size=4).map(tuple))
steps = st.integers(1, 10**9)
clocks = st.one_of(
    st.tuples(st.just("sudden"), st.tuples(steps)),
    st.tuples(st.just("cyclic"), st.tuples(steps, steps)),
    st.tuples(st.just("ramp"), st.tuples(steps, steps).map(lambda pair: (pair[0], sum(pair)))),
    st.tuples(st.just("random"), st.tuples(st.floats(0, 1, exclude_min=True))),
)
units = st.sampled_from(["steps", "life", "episodes"])
schedules = st.builds(lambda clock, unit: Schedule(*clock, unit), clocks, units)
one_setting = st.builds(Setting, names, values, st.none() | schedules)
tasks = st.builds(TaskText, envs, st.lists(one_setting, max_size=4, unique_by=lambda setting: setting.name))


@settings(deadline=None, max_examples=300)
@given(tasks)
def test_every_task_reads_back_from_its_text(task):
    again = parse(str(task))
    assert again == task and hash(again) == hash(task) and str(again) == str(task)


@settings(deadline=None, max_examples=500)
@given(values)
def test_every_value_reads_back_with_its_types(value):
    assert repr(parse_value(print_value(value))) == repr(value)


@settings(deadline=None)
@given(schedules)
def test_every_schedule_reads_back(schedule):
    assert repr(parse_schedule(str(schedule))) == repr(schedule)


def reads_back_or_is_refused(text):
    try:
        task = parse(text)
    except BadText:
        return
    assert parse(str(task)) == task


@settings(deadline=None, max_examples=500)
@given(st.text(st.characters(), max_size=60))
@example("\ud800/\udfff")
def test_any_text_reads_back_or_is_refused(text):
    reads_back_or_is_refused(text)
    reads_back_or_is_refused("toy/discrete+a=" + text)


signs = st.sampled_from([*'+=@:,[]"/', "\\", "@sudden:", "@ramp:1:", ":life", ":episodes", "1e+3"])
pieces = names | texts | numbers.map(repr) | signs


@settings(deadline=None, max_examples=500)
@given(st.lists(pieces, max_size=10).map("".join))
def test_nearly_good_text_reads_back_or_is_refused(text):
    reads_back_or_is_refused("toy/discrete+" + text)


@settings(deadline=None, max_examples=300)
@given(tasks, st.data())
def test_a_good_text_with_one_character_changed_reads_back_or_is_refused(task, data):
    text = str(task)
    place = data.draw(st.integers(0, len(text)))
    reads_back_or_is_refused(text[:place] + data.draw(st.text(max_size=1) | grammar) + text[place + 1 :])
