import shutil
import sqlite3

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from assay.errors import AssayError
from assay.results import open_run

from .sample import job

ID = job(1).id
PART, WEIGHTS = f"parts/{ID}.parquet", f"weights/{ID}.npz"


def change_rows(sql):
    def change(folder):
        with sqlite3.connect(folder / "ledger.sqlite") as connection:
            assert connection.execute(sql, (ID,)).rowcount == 1
        connection.close()

    return change


def change_curve(folder):
    table = pq.read_table(folder / PART)
    value = pc.add(table["value"], 1e-9)
    pq.write_table(table.set_column(3, table.schema.field("value"), value), folder / PART)


def change_weights(folder):
    with np.load(folder / WEIGHTS) as archive:
        arrays = dict(archive)
    arrays["layers/0"][0, 0] += 1
    np.savez(folder / WEIGHTS, **arrays)


TAMPERED = {
    "a score": (
        "episodes",
        change_rows("UPDATE episode SET score = score + 1e-12 WHERE job = ? AND episode = 1"),
    ),
    "an extra": ("episodes", change_rows("UPDATE episode SET extra = '{}' WHERE job = ? AND episode = 1")),
    "an infinite score": (
        "episodes",
        change_rows("UPDATE episode SET score = 9e999 WHERE job = ? AND episode = 1"),
    ),
    "an episode less": ("episodes", change_rows("DELETE FROM episode WHERE job = ? AND episode = 1")),
    "the seed": ("job", change_rows("UPDATE job SET seed = 77 WHERE id = ?")),
    "the agent": ("job", change_rows("UPDATE job SET agent = 'ppo' WHERE id = ?")),
    "no JSON": ("job", change_rows("UPDATE job SET config = '{' WHERE id = ?")),
    "no digest": ("job", change_rows("UPDATE job SET digest = NULL WHERE id = ?")),
    "not done": ("episodes", change_rows("UPDATE job SET status = 'waiting' WHERE id = ?")),
    "a curve": ("curves", change_curve),
    "a half part": ("curves", lambda f: (f / PART).write_bytes((f / PART).read_bytes()[:200])),
    "no part": ("curves", lambda f: (f / PART).unlink()),
    "another job's part": ("curves", lambda f: shutil.copy(f / f"parts/{job(0).id}.parquet", f / PART)),
    "the weights": ("weights", change_weights),
    "no weights": ("weights", lambda f: (f / WEIGHTS).unlink()),
}


def test_a_row_that_cannot_be_read_is_one_sentence(finished):
    TAMPERED["no JSON"][1](finished.folder)
    with pytest.raises(AssayError, match="the column config of a record is no JSON"):
        finished.jobs()


def test_an_honest_run_holds(finished):
    found = finished.verify()
    assert found.holds and found.checked == 3


@pytest.mark.parametrize("tampered", TAMPERED)
def test_what_was_tampered_with_is_named_and_nothing_else(finished, tampered):
    what, change = TAMPERED[tampered]
    change(finished.folder)
    findings = finished.verify().findings
    # A job's row has a seal of its own, over all its columns.
    assert {(each.job, each.what) for each in findings} - {(ID, "job")} == {(ID, what)} - {(ID, "job")}
    assert all(ID in each.says for each in findings) and findings


def test_of_a_part_every_byte_counts_not_its_curves_alone(finished):
    path = finished.folder / PART
    table = pq.read_table(path)
    pq.write_table(table, path, compression="gzip")  # the same rows, to any reader
    (finding,) = finished.verify().findings
    assert (finding.job, finding.what) == (ID, "curves")
    assert finished.verify().lost == (ID,)


class TestBooks:
    """What is beside the results: seals that hold at every moment, and that of the folder at the end."""

    def test_a_file_that_no_job_left_is_found(self, finished):
        shutil.copy(finished.folder / PART, finished.folder / "parts" / f"{'0' * 32}.parquet")
        (finding,) = finished.verify().findings
        assert "no job of the ledger left" in finding.says
        with open_run(finished.folder):  # and it is not swept: perhaps its row was lost
            assert (finished.folder / "parts" / f"{'0' * 32}.parquet").exists()

    def test_the_fingerprint_follows_every_column_of_every_row(self, finished):
        seen = {finished.fingerprint()}
        for sql in (
            "UPDATE job SET host = 'elsewhere'",
            "UPDATE attempt SET pid = pid + 1",
            "INSERT INTO decision VALUES (0, 'retrain', '{}', '')",
        ):
            with sqlite3.connect(finished.folder / "ledger.sqlite") as connection:
                connection.execute(sql)
            connection.close()
            seen.add(finished.fingerprint())
        assert len(seen) == 4

    def test_a_change_breaks_the_seal_and_what_changes_nothing_keeps_it(self, finished):
        sealed = finished.seal()
        assert finished.add_jobs([job(0)]) == 0 and finished.seal() == sealed
        assert finished.verify().sealed and finished.verify().holds
        finished.claim()
        assert not finished.verify().sealed and finished.verify().holds
        assert finished.seal() != sealed

    def test_a_decision_is_recorded_once(self, finished):
        assert finished.add_decision("retrain", {"levels": []})
        assert not finished.add_decision("retrain", {"levels": []})
        assert finished.add_decision("retrain", {"levels": [1]})
        assert [each.number for each in finished.decisions()] == [0, 1] and finished.verify().holds

    def test_a_seal_that_was_edited_is_found(self, finished):
        finished.seal()
        path = finished.folder / "seal.json"
        path.write_bytes(path.read_bytes().replace(b": {", b":  {", 1))  # the same JSON
        (finding,) = finished.verify().findings
        assert "the seal.json of" in finding.says
