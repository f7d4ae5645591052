"""Fifty of the single-byte changes of `benchmarks/tamper.py`, on a small folder without a plan."""

import importlib.util
import random
from pathlib import Path

import pytest

from assay.results import Reference, create
from assay.results.journal import RETRAINING

from .sample import job, result


def load_script():
    path = Path(__file__).parents[2] / "benchmarks" / "tamper.py"
    spec = importlib.util.spec_from_file_location("tamper", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tamper = load_script()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Jobs with episodes, curves and weights, references, a decision and a report, sealed."""
    place = tmp_path_factory.mktemp("tamper") / "run"
    with create(place, {"suite": "examine"}, ["assay", "run"]) as run:
        run.add_jobs(job(number) for number in range(3))
        for each in run.claim(2):
            run.finish(each.id, **result(each))
        run.fail(job(2).id, "the agent returned NaN")
        run.add_references(
            [Reference(task=f"t/{n}", kind="random", value=n / 3, how="played") for n in range(30)]
        )
        run.add_decision(RETRAINING, {"levels": [{"axis": "delay", "level": "4"}]})
        run.seal()
        (place / "report.json").write_text('{"margin": 0.1}\n')
        run.seal_reports([place / "report.json"], {"intervals": "", "compat": "", "folder": str(place)})
    return tamper.Folder(place)


def test_an_unchanged_folder_is_found_by_nothing(folder):
    assert tamper.found_by(folder.run) == ""


def test_every_change_that_a_reader_sees_is_found(folder):
    seen = dict.fromkeys(tamper.KINDS, 0)
    for change in folder.changes(50, random.Random(1)):
        outcome = folder.outcome(change)
        seen[change.kind] += outcome.visible
        assert outcome.found_by or not outcome.visible, change
    assert all(seen.values()), seen


def test_unused_bytes_of_a_page_are_seen_by_nobody_and_a_value_is(folder):
    page = folder.files[folder.ledger][(folder.first - 1) * folder.page : folder.first * folder.page]
    unused, text = page.index(b"\0" * 64) + 32, page.index(b"played")
    for place, visible in ((unused, False), (text, True)):
        at = (folder.first - 1) * folder.page + place
        outcome = folder.outcome(tamper.Change("references", folder.ledger, at, ord("x")))
        assert outcome == tamper.Outcome(visible, "digests" if visible else "")
