"""`assay unit-test` and `assay.unit_test`: sound agents, broken ones, and what cannot be tested."""

import json
import sys
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import assay
from assay.cli.main import app
from tests.battery.own_learner import OWN_LEARNER

FAST = "values,sizes,truncation"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder with the module `own_learner_of_test`, which is imported anew."""
    (tmp_path / "own_learner_of_test.py").write_text(OWN_LEARNER)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield "own_learner_of_test"
    sys.modules.pop("own_learner_of_test", None)


def call(*words):
    return CliRunner().invoke(app, ["unit-test", *words])


def test_a_sound_agent_passes_with_0_and_the_table_says_so():
    done = call("dqn", "--only", f"{FAST},memory", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["passed"] and told["likely_part"] == ""
    verdicts = {each["name"]: each["verdict"] for each in told["tests"]}
    assert verdicts == {"values": "pass", "truncation": "pass", "sizes": "pass", "memory": "does not apply"}


def test_one_seed_gives_one_result():
    one, again = (assay.unit_test("tabular_q", only=["sizes"], steps=2000, seed=3) for _ in range(2))
    assert one.tests[0]._replace(seconds=0) == again.tests[0]._replace(seconds=0)


def test_a_broken_agent_fails_with_1_and_the_part_is_named(own):
    done = call(f"{own}:through_ends", "--only", "values,termination", "--steps", "6000")
    assert done.exit_code == 1, done.output
    assert "FAIL" in done.stdout
    assert (
        "likely part: bootstrapping at termination, because it values what is seen at an end" in done.stdout
    )
    assert "next: the value after a step must be multiplied by 0" in done.stdout


@pytest.mark.parametrize(
    ("function", "part"),
    [
        ("cuts_end", "bootstrapping at truncation"),
        ("signs", "size of rewards"),
        ("first_action", "learning itself"),
    ],
)
def test_the_door_names_the_part_of_a_users_agent(own, function, part):
    result = assay.unit_test(f"{own}:{function}", only=["values", "sizes", "truncation"], steps=5000)
    assert not result.passed and result.likely_part == part
    assert result.why and result.look


def test_an_agent_that_changes_while_it_is_judged_is_caught(own):
    result = assay.unit_test(f"{own}:counts", only=["evaluation"], steps=3000)
    assert result.likely_part == "statistics of observations"


def test_a_sound_agent_of_the_users_passes(own):
    result = assay.unit_test(
        f"{own}:train", only=["values", "termination", "truncation", "sizes", "evaluation"]
    )
    assert result.passed, result.tests


@pytest.mark.parametrize(("words", "says"), [
    ((), "unit-test takes an agent"),
    (("nobody",), "no agent is called 'nobody'"),
    (("linear_q",), "linear_q is not trained by the battery"),
    (("sb3:model.zip",), "sb3:model.zip is trained already"),
    (("dqn", "--only", "luck"), "no test is called 'luck'; the battery has values, discount,"),
    (("dqn", "--set", "discount=0.5"), "hold for discounts from 0.9 to 0.993, and dqn has 0.5"),
    (("dqn", "--set", "learning_rate=fast"), "learning_rate of dqn takes a value such as"),
    (("rainbow", "--set", "lowest=3"), "3 is not below 2"),
    (("dqn", "--set", "speed=3"), "no setting of dqn is called 'speed'"),
    (("dqn", "--continuous"), "--continuous is not for dqn"),
])  # fmt: skip
def test_what_cannot_be_tested_is_refused_in_one_sentence(words, says):
    done = call(*words)
    assert done.exit_code == 2
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("raises", "raised RuntimeError at line"),
        ("not_a_number", "was asked what it would do: an action is a whole number from 0 to 1, not nan"),
        ("wrong_signature", "is a function of (environment, steps); an agent is act(observation)"),
        ("act", "acts and does not train"),
        ("missing", "has no 'missing'"),
    ],
)
def test_a_broken_training_of_the_users_ends_with_2(own, function, says):
    done = call(f"{own}:{function}", "--only", "values,sizes", "--steps", "100")
    assert done.exit_code == 2, done.output
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.output


def test_what_was_finished_before_a_breakdown_is_in_the_junit_file(own, tmp_path):
    done = call(f"{own}:raises_later", "--only", FAST, "--steps", "4000", "--junit", "ci/unit.xml")
    assert done.exit_code == 2
    cases = ElementTree.parse(tmp_path / "ci" / "unit.xml").getroot()
    assert {case.get("name"): case[0].tag for case in cases}["values"] in ("system-out", "failure")
    error = next(case for case in cases if case.get("name") == "truncation")[0]
    assert error.tag == "error" and "RuntimeError" in error.get("message")


def test_the_tests_are_listed_without_an_agent():
    done = call("--list")
    assert done.exit_code == 0
    assert "bootstrapping at truncation" in done.stdout
    assert json.loads(call("--list", "--json").stdout)[0]["name"] == "values"
