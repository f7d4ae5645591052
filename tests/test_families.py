"""Families as records: generic code knows none of them, and a new one needs no generic file changed."""

import ast
import inspect
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import assay
from assay import catalogue
from assay.cli.main import app
from assay.core.command import Command
from assay.core.family import EnvEntry, Family
from assay.envs.commands import COMMANDS
from assay.hosted import build_hosted

PACKAGE = Path(__file__).parent.parent / "src" / "assay"
FAMILIES = ("toy", "platformer", "atari", "gym", "rules")

# Family code, importers of other people's names, and generators of documentation. The exact models of toys
# stand outside of their family until `core.family.Family` has a place for a model.
OF_FAMILIES = ("envs/", "suites/", "bench/", "ids.py", "interop/playground", "interop/kage.py",
               "interop/stori.py", "interop/captive/", "interop/workbench", "cli/atari", "cli/rules",
               "interop/checkpoints/env_names.py", "chance/toy_models.py")  # fmt: skip
KNOWN = re.compile(rf"({'|'.join(FAMILIES)})(/.*)?|mdp_seed|delay")


def generic_files() -> list[Path]:
    every = sorted(PACKAGE.rglob("*.py"))
    return [path for path in every if not str(path.relative_to(PACKAGE)).startswith(OF_FAMILIES)]


def names_of_families(path: Path) -> list[str]:
    """Strings of a file that are, or begin with, the name of a family or of a toy's axis, and identifiers.

    A sentence for people, in which a name is one word among several, is documentation: it has a space.
    """
    tree = ast.parse(path.read_text())
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and KNOWN.fullmatch(node.value):
            found.append(node.value)
        for field in ("id", "attr", "arg", "name"):
            word = getattr(node, field, None)
            if isinstance(word, str) and "mdp_seed" in word:
                found.append(word)
    return [f"{path.relative_to(PACKAGE)}: {each}" for each in found]


def test_generic_code_knows_no_family():
    files = generic_files()
    assert len(files) > 100
    assert [each for path in files for each in names_of_families(path)] == []


@pytest.mark.parametrize(
    "line, says",
    [
        ('if env.startswith("toy/"): pass', ["toy/"]),
        ('sideways = {"toy": True}', ["toy"]),
        ('a = text.value("mdp_seed")', ["mdp_seed"]),
        ("found = Episode(mdp_seed=3)", ["mdp_seed"]),
        ('if acts.name != "delay": pass', ["delay"]),
        ('if env == "platformer/run": pass', ["platformer/run"]),
        ('EXAMPLES = ("assay show toy/discrete+delay=4", "reward.delay")', []),
    ],
)
def test_the_look_tells_logic_from_examples(tmp_path, monkeypatch, line, says):
    monkeypatch.setattr(inspect.getmodule(names_of_families), "PACKAGE", tmp_path)
    (tmp_path / "file.py").write_text(line)
    assert [each.partition(": ")[2] for each in names_of_families(tmp_path / "file.py")] == says


def test_every_family_is_one_string_of_the_catalogue():
    assert [catalogue.load(each).name for each in catalogue.FAMILIES] == list(FAMILIES)
    for name in FAMILIES:
        assert f"assay.envs.{name}.family:FAMILY" in catalogue.FAMILIES


def test_what_the_families_say_of_themselves():
    """By hand: what generic code used to guess from names."""
    toy, platformer, atari, gym, rules = catalogue.OURS.families
    assert [family.picture_axes for family in catalogue.OURS.families] == ["xy", "yx", "yx", "yx", "xy"]
    assert [family.cost for family in catalogue.OURS.families] == [
        "compiled",
        "compiled",
        "emulator",
        "light",
        "compiled",
    ]
    assert toy.world_seed == "mdp_seed" and not (platformer.world_seed or atari.world_seed or gym.world_seed)
    assert platformer.show_policy.actions == (2,) * 23 + (6,)
    assert catalogue.world_seed_of("toy/discrete").name == "mdp_seed"
    assert catalogue.world_seed_of("toy/grid") is None and catalogue.world_seed_of("gym/CartPole-v1") is None
    assert rules.command in COMMANDS and rules.members
    assert atari.command in COMMANDS and atari.members and gym.lasting.keys() == {"gym/CartPole-v1"}


def test_a_key_of_a_family_stands_for_the_variation_that_it_doubles():
    same = {axis.name: axis.same_as for axis in catalogue.entries().variations if axis.same_as}
    assert same == {
        "reward.delay": "delay", "reward.noise": "reward_noise", "reward.scale": "reward_scale",
        "reward.shift": "reward_shift", "reward.terminal": "term_state_reward",
    }  # fmt: skip


def test_a_family_holds_envs_of_its_own_name_alone():
    entry = EnvEntry("other/env", True, "mine", "me", "mine:build")
    with pytest.raises(ValueError, match="'mine' holds 'other/env'"):
        Family("mine", (entry,), "mine:CHECKER", "light")


class TestAFamilyFromOutsideThatVariesItsInside:
    """`lamps`, named by an entry point of its own: listed, made, stepped and proved by assay as it is."""

    def test_it_is_listed(self, outside):
        done = CliRunner().invoke(app, ["list", "lamps/row", "--direction", "harder", "--json"])
        assert [axis["name"] for axis in json.loads(done.stdout)["axes"]] == ["drift"]

    def test_it_is_made_and_stepped(self, outside):
        plain, varied = assay.make("lamps/row"), assay.make("lamps/row+dim")
        assert varied.reset(seed=3)[0].tolist() == (plain.reset(seed=3)[0] // 2).tolist()
        assert varied.step(1)[0].tolist() == (plain.step(1)[0] // 2).tolist()

    def test_its_rules_follow_a_clock(self, outside):
        task = build_hosted("lamps/row+dim@sudden:2")
        task.reset(0, 0)
        assert [bool(task.host.levels["dim"]) for _ in range(3) if task.step(0)] == [False, True, True]

    def test_its_rules_are_proved(self, outside):
        done = CliRunner().invoke(app, ["check", "lamps/row+drift", "lamps/row+dim", "--json"])
        drift, dim = json.loads(done.stdout)
        assert done.exit_code == 0, done.stdout
        assert list(drift["shares"]) == ["transition"] and list(dim["shares"]) == ["observation"]
        # Two frames a step, each drifting with a chance of 0.2.
        assert drift["shares"]["transition"][0] == pytest.approx(1 - 0.8**2, abs=0.04)
        assert drift["laws"]["writes only its cells"]["says"] == "cells 0"

    def test_a_rule_that_lies_is_found_out(self, outside):
        done = CliRunner().invoke(app, ["check", "lamps/row+sly", "--json"])
        (sly,) = json.loads(done.stdout)
        assert done.exit_code == 1
        assert sly["laws"]["writes only its cells"] == {"holds": False, "says": "it writes [0]"}
        assert sly["laws"]["nothing else touched"]["says"] == "it touches transition too"


def test_a_family_of_another_package_brings_its_command(outside, monkeypatch):
    lamps = catalogue.entries().families[-1]
    command = Command("lamps", "assay.cli.list:run", "List, under another name.")
    changed = catalogue.replace(lamps, command=command)
    monkeypatch.setattr(catalogue, "entries", lambda: catalogue.Entries(families=(changed,)))
    done = CliRunner().invoke(app, ["lamps", "--help"])
    assert done.exit_code == 0 and "List envs and their axes" in done.stdout
    assert CliRunner().invoke(app, ["lamp", "--help"]).exit_code == 2
