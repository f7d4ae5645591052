"""The outcomes of a battery as a JUnit file, which most CI systems show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from assay.battery.battery_tests import Test
from assay.battery.diagnose import Diagnosis
from assay.battery.judge import FAIL, NOT_APPLICABLE, NOT_JUDGED, Outcome

SKIPPED = (NOT_APPLICABLE, NOT_JUDGED)


def write_junit(
    path: Path,
    agent: str,
    outcomes: Sequence[Outcome],
    diagnosis: Diagnosis,
    error: str = "",
    missing: Sequence[Test] = (),
) -> None:
    """One test case per test. After an error the first missing test has it, and the others were not run."""
    suite = ElementTree.Element(
        "testsuite",
        name=f"assay unit-test {agent}",
        tests=str(len(outcomes) + len(missing)),
        failures=str(sum(each.verdict == FAIL for each in outcomes)),
        errors=str(int(bool(error))),
        skipped=str(sum(each.verdict in SKIPPED for each in outcomes) + max(0, len(missing) - 1)),
        time=f"{sum(each.seconds for each in outcomes):.3f}",
    )
    for each in outcomes:
        case = add_case(suite, agent, each.name, each.seconds)
        if each.verdict == FAIL:
            failure = ElementTree.SubElement(case, "failure", message=f"{each.part}: {each.evidence}")
            failure.text = f"asked: {each.asks}\n{each.evidence}"
            if diagnosis.part:
                failure.text += f"\nlikely part: {diagnosis.part}; {diagnosis.says}\nlook: {diagnosis.look}"
        elif each.verdict in SKIPPED:
            ElementTree.SubElement(case, "skipped", message=f"{each.verdict}: {each.evidence}")
        else:
            ElementTree.SubElement(case, "system-out").text = each.evidence
    for number, test in enumerate(missing):
        case = add_case(suite, agent, test.name, 0.0)
        if number == 0 and error:
            ElementTree.SubElement(case, "error", message=error)
        else:
            ElementTree.SubElement(case, "skipped", message="not run: the agent broke down before")
    tree = ElementTree.ElementTree(suite)
    ElementTree.indent(tree)
    path.parent.mkdir(parents=True, exist_ok=True)
    tree.write(path, encoding="utf-8", xml_declaration=True)


def add_case(suite: ElementTree.Element, agent: str, name: str, seconds: float) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", classname=f"assay.unit_test.{agent}", name=name, time=f"{seconds:.3f}"
    )
