"""Files of jobs that lie on another disk: named by their content, and counted when the ledger says so."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.results import MadeWith
from assay.results.remote_parts import open_folder, put
from assay.results.stored_result import pack
from assay.results.transcripts import SCHEMA

from .sample import job, result

pytest.importorskip("fsspec")


@pytest.fixture
def stored(run, tmp_path):
    """A run of one job whose files lie in another folder, that folder, and what the job left."""
    run.add_jobs([job()])
    (one,) = run.claim()
    left = result(one)
    url = f"file://{tmp_path / 'shared' / 'parts'}"
    packed = put(one.id, pack(one, left["episodes"], left["curves"], left["weights"]), url)
    assert packed.part is None and packed.weights is None  # nothing but the ledger's rows is sent back
    run.finish_packed(one.id, packed, left["cost"], MadeWith(lanes=4, device="cpu", host="far"))
    return run, tmp_path / "shared" / "parts", left


def test_what_lies_elsewhere_is_read_and_verified_as_if_it_were_here(stored):
    run, folder, left = stored
    (one,) = run.jobs()
    assert (one.lanes, one.device, one.host) == (4, "cpu", "far")
    weights = one.digest.split("-")[2]
    assert {path.name for path in folder.iterdir()} == {
        f"{one.id}-{one.part_digest}.parquet", f"{one.id}-{weights}.npz"
    }  # fmt: skip
    assert not list((run.folder / "parts").iterdir()) and not list((run.folder / "weights").iterdir())
    assert run.curves()["step"].to_pylist() == [0, 1000, 2000]
    assert np.array_equal(run.weights(one.id).arrays["layers/0"], left["weights"]["layers/0"])
    assert run.verify().holds


def test_a_transcript_may_lie_elsewhere_too(run, tmp_path):
    run.add_jobs([job()])
    (one,) = run.claim()
    left, folder = result(one), tmp_path / "shared"
    table = SCHEMA.empty_table()
    packed = put(
        one.id, pack(one, left["episodes"], left["curves"], left["weights"], table), f"file://{folder}"
    )
    assert packed.transcript is None
    run.finish_packed(one.id, packed, left["cost"], MadeWith())
    (done,) = run.jobs()
    path = folder / f"{one.id}-{done.transcript_digest}.parquet"
    assert run.transcript(one.id).equals(table) and path.exists() and run.verify().holds
    assert len(run.weights(one.id).arrays) == len(left["weights"])
    path.unlink()
    assert [each.what for each in run.verify().findings] == ["transcript"]


def test_the_digest_is_that_of_files_in_the_folder_of_the_run(stored):
    run, _, left = stored
    (one,) = run.jobs()
    assert one.digest == pack(one, left["episodes"], left["curves"], left["weights"]).digest


@pytest.mark.parametrize("change", [lambda path: path.unlink(), lambda path: path.write_bytes(b"half")])
@pytest.mark.parametrize(("suffix", "what"), [(".parquet", "curves"), (".npz", "weights")])
def test_a_file_that_is_missing_or_another_is_found_and_its_job_is_lost(stored, change, suffix, what):
    run, folder, _ = stored
    (path,) = folder.glob(f"*{suffix}")
    change(path)
    found = run.verify()
    assert [each.what for each in found.findings] == [what] and found.lost == (run.jobs()[0].id,)
    with pytest.raises(AssayError, match=r"restore (it|them), or rerun job"):
        run.curves() if what == "curves" else run.weights(run.jobs()[0].id)


def test_what_no_ledger_names_is_no_part_of_a_run(run, tmp_path):
    """A worker that was killed after it wrote, or while it did."""
    run.add_jobs([job()])
    (one,) = run.claim()
    left = result(one)
    put(one.id, pack(one, left["episodes"], left["curves"], left["weights"]), str(tmp_path / "shared"))
    assert run.curves().num_rows == 0 and run.verify().holds


def test_a_url_that_nobody_can_open_is_one_sentence():
    with pytest.raises(AssayError, match="fsspec cannot open 'nothing://there'"):
        open_folder("nothing://there")
