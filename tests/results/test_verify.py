import shutil
import sqlite3

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from assay.errors import AssayError

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
    assert {(each.job, each.what) for each in findings} == {(ID, what)}
    assert all(ID in each.says for each in findings)
