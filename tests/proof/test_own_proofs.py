"""The proof of every axis of an exam, and a user's own variation that is checked before it."""

import json
import sys

import pytest
from typer.testing import CliRunner

from assay.cli.main import app
from assay.conduct.proving import reads_other_files, with_proofs
from assay.digests.closure import closure
from assay.plans.plan import ExamPlan, request_of
from assay.plans.question import Question
from assay.plans.sources import load_own_module
from assay.proof import own_proofs
from assay.proof.own_proofs import FAILED, HERE, PARTLY, SHIPPED, UNPROVED, Proof

MINE = """
import math

import numpy as np

from assay.core.variation import Channel
from proof_helping import amount


def fee(xp, level, memory, draw, value, ends, space):
    return memory, value - amount(level)


def leak(xp, level, memory, draw, value, ends, space):
    return memory, (value + 1) % 4


FEE = Channel(0.5, name="fee", components=("reward",), apply=fee)
LEAK = Channel(0.5, name="leak", components=("action",), apply=leak)


def act(observation):
    return 2
"""
ENV = "gym/FrozenLake-v1"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A user's folder with a module and its helper, and a cache of its own."""
    (tmp_path / "proof_mine.py").write_text(MINE)
    (tmp_path / "proof_helping.py").write_text("def amount(level):\n    return level\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    load_own_module.cache_clear()  # as in the next process
    yield tmp_path
    for name in ("proof_mine", "proof_helping"):
        sys.modules.pop(name, None)


@pytest.fixture
def checks(monkeypatch):
    """Checks answered at once, and the list of those that were made; `checks.answer` is what they find."""

    class Checks(list):
        answer = Proof(HERE)

    made = Checks()

    def check_within(env, name, seconds):
        made.append(name)
        return made.answer

    monkeypatch.setattr(own_proofs, "check_within", check_within)
    return made


def told(env, name, **wanted):
    lines = []
    return own_proofs.proof_of(env, name, lines.append, **wanted), lines


@pytest.mark.parametrize(
    "standing, word",
    [("proved", SHIPPED), ("unproved", UNPROVED), ("fails", FAILED), ("not applicable", UNPROVED)],
)
def test_an_axis_of_ours_has_the_word_of_its_certificate(monkeypatch, standing, word):
    monkeypatch.setattr(own_proofs, "standing", lambda env, axis: standing)
    assert told(ENV, "reward.sign") == (Proof(word), [])


def test_a_variation_of_ones_own_is_checked_once_and_remembered_in_the_cache_folder(mine, checks):
    proof, lines = told(ENV, "proof_mine:FEE")
    assert proof == Proof(HERE) and lines == [f"checking proof_mine:FEE on {ENV} first, at most 60 s"]
    assert told(ENV, "proof_mine:FEE") == (Proof(HERE), [])
    assert checks == ["proof_mine:FEE"]
    [kept] = (mine / "cache" / "assay" / "proofs").iterdir()
    assert json.loads(kept.read_text()) == [HERE, ""]
    told("gym/CartPole-v1", "proof_mine:FEE")  # another env is another question
    assert len(checks) == 2


@pytest.mark.parametrize("changed", ["proof_mine.py", "proof_helping.py"])
def test_it_is_checked_again_when_its_code_or_that_of_a_module_it_uses_changes(mine, checks, changed):
    told(ENV, "proof_mine:FEE")
    (mine / changed).write_text((mine / changed).read_text() + "\n# another\n")
    told(ENV, "proof_mine:FEE")
    assert len(checks) == 2
    assert [path.name for path in own_proofs.own_files("proof_mine:FEE")] == [
        "proof_helping.py",
        "proof_mine.py",
    ]


def test_it_is_checked_again_under_another_version_or_law(mine, checks, monkeypatch):
    told(ENV, "proof_mine:FEE")
    monkeypatch.setattr(own_proofs, "installed_version", lambda package: "99")
    told(ENV, "proof_mine:FEE")
    monkeypatch.setattr(own_proofs, "code_digest", lambda env, axis: "another")
    told(ENV, "proof_mine:FEE")
    assert len(checks) == 3


def test_what_was_checked_in_part_is_said_and_not_remembered(mine, checks):
    checks.answer = Proof(PARTLY, "nothing was found in 60 s")
    assert told(ENV, "proof_mine:FEE")[0].word == told(ENV, "proof_mine:FEE")[0].word == PARTLY
    assert len(checks) == 2


def test_a_check_ends_when_its_time_is_over(mine):
    assert own_proofs.check_within(ENV, "proof_mine:FEE", seconds=0.0).word == PARTLY


def run(*words):
    return CliRunner().invoke(app, [*words])


def test_one_that_breaks_a_law_is_refused_and_marked_where_it_is_let_pass(mine, monkeypatch):
    """The one real check here: it turns every action round, at neutral too."""
    monkeypatch.chdir(mine)
    asked = ["sweep", "proof_mine:act", ENV, "--axis", "proof_mine:LEAK=0.5", "--episodes", "4"]
    refused = run(*asked, "--out", "refused")
    assert refused.exit_code != 0 and not (mine / "refused").exists()
    assert "proof_mine:LEAK breaks a law" in str(refused.exception) + refused.output
    assert "level 0.0 identical" in str(refused.exception) + refused.output
    passed = run(*asked, "--out", "passed", "--unproved")
    assert passed.exit_code == 0, passed.output
    assert f"proof_mine:LEAK on {ENV} failed: level 0.0 identical" in passed.stderr
    assert f"| {FAILED} |" in (mine / "passed" / "report.md").read_text()
    assert f"; {FAILED}<" in (mine / "passed" / "report.html").read_text()


def test_the_report_shows_the_proof_of_every_axis(mine, monkeypatch):
    monkeypatch.chdir(mine)
    asked = ["sweep", "proof_mine:act", ENV, "--axis", "observation.noise=0.5", "--episodes", "4"]
    done = run(*asked, "--axis", "action.sticky=0.5", "--out", "made")
    assert done.exit_code == 0, done.output
    page, text = (mine / "made" / "report.html").read_text(), (mine / "made" / "report.md").read_text()
    word = own_proofs.WORDS[own_proofs.standing(ENV, own_proofs.axis_of(ENV, "action.sticky"))]
    assert word in page and text.count(f"| {word} |") == 2 and "**Proof.**" in text


def sweep_of(axis, proof="", **more):
    asked = Question("carry", axis, ("0.5",), "0.0", True, False, ("action",), "a made-up axis", proof)
    return ExamPlan(
        kind="sweep", agent="proof_mine:act", settings={}, budget=0, trains=False, seeds=(0,), episodes=4,
        own_worlds=False, task=ENV, questions=(asked,), not_asked=(), margin=0.1, **more,
    )  # fmt: skip


def test_a_renewed_certificate_makes_no_other_run():
    plan = sweep_of("delay", UNPROVED)
    later = sweep_of("delay", SHIPPED, proofs={"mine:x": HERE})
    assert plan != later and request_of(plan) == request_of(later)
    assert request_of(plan) != request_of(sweep_of("slip"))


def test_what_assay_check_finds_is_remembered(mine, monkeypatch, checks):
    monkeypatch.chdir(mine)
    found = run("check", "proof_mine:FEE", "--on", ENV)
    assert found.exit_code == 0, found.output
    assert told(ENV, "proof_mine:FEE") == (Proof(HERE), []) and checks == []  # no exam checks it again
    assert "proved here" in run("show", f"{ENV}+proof_mine:FEE=0.5").output
    (mine / "proof_helping.py").write_text("def amount(level):\n    return 2 * level\n")
    assert "unproved" in run("show", f"{ENV}+proof_mine:FEE=0.5").output


@pytest.mark.parametrize("asked", [
    ["check", "proof_mine:FEE", "--on", ENV],
    ["sweep", "random", ENV, "--axis", "proof_mine:FEE", "--episodes", "4"],
], ids=["check", "sweep"])  # fmt: skip
def test_a_variation_that_raises_is_named_with_its_line(mine, monkeypatch, asked):
    monkeypatch.chdir(mine)
    code = MINE.replace('"fee", components=("reward",)', '"fee", components=("observation",)')
    (mine / "proof_mine.py").write_text(code)
    (mine / "proof_helping.py").write_text("def amount(level):\n    return {}['nothing']\n")
    done = run(*asked)
    assert done.exit_code == 2
    assert f"proof_mine:FEE on {ENV} raised KeyError at line 2 of proof_helping.py: 'nothing'" in done.stderr


def test_a_proof_of_what_reads_other_files_is_not_remembered(mine, checks, monkeypatch):
    """A file that a variation reads may change what it does, and no digest of its code knows of it."""
    monkeypatch.chdir(mine)
    (mine / "bias.txt").write_text("0")
    (mine / "proof_mine.py").write_text(
        MINE.replace("- amount(level)", "- amount(level) - float(open('bias.txt').read())")
    )
    assert reads_other_files(ENV, "proof_mine:FEE")
    for count in (1, 2):
        with_proofs(sweep_of("proof_mine:FEE"), print)
        assert len(checks) == count


def test_constants_and_helpers_of_assay_that_it_uses_are_part_of_its_key(mine, monkeypatch):
    (mine / "proof_helping.py").write_text("FACTOR = 1.0\n\ndef amount(level):\n    return level * FACTOR\n")
    text = MINE.replace("import amount", "import FACTOR, amount").replace("import math\n", "")
    (mine / "proof_mine.py").write_text(text + "\nfrom assay.authoring import last_value\n")
    before = own_proofs.key_of(ENV, "proof_mine:FEE")
    (mine / "proof_helping.py").write_text("FACTOR = 0.0\n\ndef amount(level):\n    return level * FACTOR\n")
    assert own_proofs.key_of(ENV, "proof_mine:FEE") != before
    assert "assay.variations.channel_parts" in closure(own_proofs.modules_used("proof_mine:FEE"))
