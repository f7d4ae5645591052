"""The tables, and how a package of somebody else's adds to them."""

import pytest

import assay
from assay import catalogue
from assay.catalogue import Entries, join_entries
from assay.core.family import Family
from assay.errors import AssayError, UnknownName
from assay.native import build_native


def test_the_envs_of_the_package():
    assert [entry.name for entry in catalogue.entries().envs] == [
        "toy/discrete", "toy/continuous", "toy/grid", "platformer/run", "atari/*", "gym/*", "rules/*",
    ]  # fmt: skip


def test_every_axis_says_what_it_means_and_where_it_comes_from():
    for env in ("toy/discrete", "platformer/run", "gym/CartPole-v1"):
        for axis in assay.variations(env):
            assert axis.means and axis.origin and axis.levels and axis.components
            assert axis.neutral not in axis.levels


def test_generic_names_begin_with_their_component():
    for axis in catalogue.entries().variations:
        assert axis.name.split(".")[0] == axis.components[0]


def test_an_outside_package_adds_entries(outside):
    assert catalogue.env_entry("outside/corridor").means == "walk right to the door"
    assert {"slip", "action.sticky"} <= {axis.name for axis in assay.variations("outside/corridor")}
    assert assay.suite("outside/slippery").pairs[0].train == "outside/corridor"
    assert "outside-right" in {agent.name for agent in catalogue.entries().agents}
    assert int(build_native("outside/corridor+slip=0.5").task.variations[0].level * 2) == 1


def test_a_taken_name_is_refused():
    again = Entries(families=(Family("toy", (), "mine:CHECKER", "compiled"),))
    with pytest.raises(AssayError, match=r"'toy' to the families.*taken"):
        join_entries(catalogue.OURS, again, "mine")


def test_a_misspelt_suite_suggests(outside):
    with pytest.raises(UnknownName, match="outside/slippery"):
        assay.suite("outside/slipery")


OWN = """
import assay
from assay.core.variation import Channel, Field, Inner

def darker(xp, level, memory, draw, value, ends, space):
    "Pays less than was earned."
    return memory, value * (1 - level)

half = Channel(0.5, "darker", ("reward",), darker)

def made():
    return half

def later(xp, level, memory, draw, value, ends, space):
    return memory, value

short = Channel(2, "later", ("reward",), later, neutral=0, bound=4)
thief = Channel(0.5, "initial", ("observation",), darker)
taken = Channel(0.5, "action.random", ("action",), darker)
misplaced = Channel(0.5, "moved", ("transition",), darker)
misspelt = Channel(0.5, "misspelt", ("rewrad",), darker)
both = Channel(0.5, "both", ("reward", "action"), darker)
untupled = Channel(0.5, "untupled", "reward", darker)
tired = Field(5, "horizon", ("terminal",))
number = 3
empty = Channel(0.5)
hollow = Inner(0.5, "hollow", ("transition",))
unknown_field = Field(5, "lucks", ("terminal",))
on_without_off = Channel(True, "switched", ("reward",), darker)
no_function = Channel(0.5, "forgets", ("reward",), darker, memory=3)
nameless = Channel(0.5, 7, ("reward",), darker)
FEE = assay.Axis("fee", ("reward",), "dose", float, 0.0, (0.25, 0.75), "share that is kept", "me",
                 low=0, high=1, acts=Channel(0.0, "fee", ("reward",), darker))
bodiless = assay.Axis("fee", ("reward",), "dose", float, 0.0, (0.25,), "", "")
crossed = assay.Axis("fee", ("action",), "dose", float, 0.0, (0.25,), "", "", acts=half)
levelless = assay.Axis("fee", ("reward",), "dose", float, 0.0, (), "", "", acts=half)
"""


def test_a_variation_of_ones_own_stands_in_a_tasks_text(tmp_path, monkeypatch):
    (tmp_path / "mine_here.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert catalogue.axis_of("toy/discrete", "mine_here:half").means == "Pays less than was earned."
    for text, level in [("mine_here:half=0.25", 0.25), ("mine_here:made=0.5", 0.5)]:
        assert float(build_native(f"toy/discrete+{text}").task.variations[0].level) == level
    with pytest.raises(AssayError, match="a variation is a Field, an Inner or a Channel"):
        catalogue.axis_of("toy/discrete", "mine_here:number")
    with pytest.raises(UnknownName, match="has no 'absent'"):
        catalogue.axis_of("toy/discrete", "mine_here:absent")


@pytest.mark.parametrize(
    "name, says",
    [
        ("thief", "a name that assay uses itself"),
        ("taken", "a name that assay uses itself"),
        ("misplaced", "acts on the action, the reward or the observation"),
        (
            "misspelt",
            "component 'rewrad', which does not exist; did you mean 'reward'. The components are initial, ",
        ),
        ("both", "is a Channel, which acts on one component, and declares reward and action"),
        ("untupled", "declares the components 'reward'; write a tuple"),
        ("short=6", "up to 4, not 6"),
        ("empty", r"is a Channel without name and components and apply; write Channel\(0.5, name="),
        ("hollow", r"is an Inner without apply; write Inner\(0.5, name="),
        ("unknown_field", r"is a Field without neutral; write Field\(20, name="),
        ("on_without_off", "takes true or false, and its neutral is 0.0"),
        ("no_function", "has memory=3, which is no function"),
        ("nameless", "has the name 7, which is no text"),
        ("bodiless", "is an Axis whose acts is nothing"),
        ("crossed", r"is an Axis with components=\('action',\), and the Channel that it names has"),
        ("levelless", r"has levels=\(\); write a tuple"),
        ("FEE=2.0", "takes a number from 0 to 1 .share that is kept., not 2.0"),
    ],
)
def test_records_that_cannot_be_honoured_are_refused(tmp_path, monkeypatch, name, says):
    (tmp_path / "mine_there.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(AssayError, match=says):
        build_native(f"toy/discrete+mine_there:{name}")


def test_an_axis_of_ones_own_brings_its_levels_and_its_range(tmp_path, monkeypatch):
    (tmp_path / "mine_axis.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    axis = catalogue.axis_of("toy/discrete", "mine_axis:FEE")
    assert (axis.name, axis.levels, axis.means) == ("mine_axis:FEE", (0.25, 0.75), "share that is kept")
    (record,) = build_native("toy/discrete+mine_axis:FEE=0.25").task.variations
    assert (float(record.level), record.name) == (0.25, "fee")


def test_a_field_of_ones_own_finds_its_neutral(tmp_path, monkeypatch):
    (tmp_path / "mine_field.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    (record,) = build_native("toy/discrete+mine_field:tired=5").task.variations
    assert (int(record.level), int(record.neutral), record.name) == (5, 100, "horizon")
