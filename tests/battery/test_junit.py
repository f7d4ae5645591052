"""The JUnit file: what CI systems count, and what it keeps of a battery that broke down."""

from xml.etree import ElementTree

from assay.battery.battery_tests import BY_NAME
from assay.battery.diagnose import Diagnosis
from assay.battery.judge import FAIL, NOT_APPLICABLE, NOT_JUDGED, PASS, Outcome
from assay.battery.junit import write_junit


def outcome(name, verdict):
    return Outcome(name, "what it asks", "a part", verdict, f"numbers of {name} < 3", seconds=1.5)


def read(path):
    return ElementTree.parse(path).getroot()


def test_failures_are_failures_and_what_does_not_apply_is_skipped(tmp_path):
    outcomes = [outcome("values", PASS), outcome("discount", FAIL), outcome("memory", NOT_APPLICABLE),
                outcome("noise", NOT_JUDGED)]  # fmt: skip
    write_junit(tmp_path / "ci" / "u.xml", "dqn", outcomes, Diagnosis("discount", "why", "where"))
    suite = read(tmp_path / "ci" / "u.xml")
    assert (suite.tag, suite.get("name")) == ("testsuite", "assay unit-test dqn")
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")}
    assert counts == {"tests": "4", "failures": "1", "errors": "0", "skipped": "2", "time": "6.000"}
    cases = {case.get("name"): case for case in suite}
    assert [child.tag for child in cases["values"]] == ["system-out"]
    failure = cases["discount"].find("failure")
    assert failure.get("message") == "a part: numbers of discount < 3"
    assert "likely part: discount; why\nlook: where" in failure.text
    assert cases["memory"].find("skipped").get("message") == "does not apply: numbers of memory < 3"
    assert all(case.get("classname") == "assay.unit_test.dqn" for case in suite)


def test_a_breakdown_is_an_error_at_its_test_and_what_was_finished_stays(tmp_path):
    missing = [BY_NAME["discount"], BY_NAME["noise"]]
    write_junit(
        tmp_path / "u.xml", "mine:train", [outcome("values", PASS)], Diagnosis(), "it raised.", missing
    )
    suite = read(tmp_path / "u.xml")
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["3", "0", "1", "1"]
    tags = {case.get("name"): case[0].tag for case in suite}
    assert tags == {"values": "system-out", "discount": "error", "noise": "skipped"}
    assert suite[1][0].get("message") == "it raised."
