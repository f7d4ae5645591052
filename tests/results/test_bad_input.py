"""Everything that can be wrong with a folder or a disk: one sentence, and what was there stays there."""

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.results import SCHEMA, create, open_run, parts

from .sample import job, result


def refusal(call, *arguments, **named) -> str:
    with pytest.raises(AssayError) as raised:
        call(*arguments, **named)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def closed(finished):
    finished.close()
    return finished.folder


class TestFolder:
    def test_no_folder(self, tmp_path):
        assert "there is no folder" in refusal(open_run, tmp_path / "nowhere")

    def test_not_a_run(self, tmp_path):
        assert "is not a run: it has no run.json" in refusal(open_run, tmp_path)

    def test_a_torn_plan(self, closed):
        (closed / "run.json").write_text('{"schema": 1')
        assert "run.json" in refusal(open_run, closed)

    def test_a_folder_that_may_not_be_read(self, closed):
        if os.geteuid() == 0:
            pytest.skip("root reads everything")
        closed.chmod(0)
        try:
            assert "Permission denied" in refusal(open_run, closed)
        finally:
            closed.chmod(0o700)

    def test_an_error_of_the_disk_names_the_file(self, closed, monkeypatch):
        def fails(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

        monkeypatch.setattr(Path, "read_bytes", fails)
        assert refusal(open_run, closed) == f"{closed}/run.json cannot be used: Permission denied."

    def test_no_second_run_in_one_folder(self, closed):
        before = contents(closed)
        assert "holds a run already" in refusal(create, closed, {})
        assert contents(closed) == before

    def test_no_run_among_other_files_or_in_place_of_one(self, tmp_path):
        (tmp_path / "thesis.tex").write_text("mine")
        assert "holds other files" in refusal(create, tmp_path, {})
        assert "is a file" in refusal(create, tmp_path / "thesis.tex", {})
        assert contents(tmp_path) == {"thesis.tex": b"mine"}

    def test_a_run_whose_plan_was_lost_is_not_overwritten(self, closed):
        (closed / "run.json").unlink()
        before = contents(closed)
        assert "holds other files" in refusal(create, closed, {})
        assert contents(closed) == before

    def test_a_plan_that_is_no_json(self, tmp_path):
        assert "does not fit JSON" in refusal(create, tmp_path / "run", {"a": object()})
        assert not any(tmp_path.iterdir())

    def test_an_empty_folder_and_odd_names_will_do(self, tmp_path):
        folder = tmp_path / "50% of #1? a=b"
        folder.mkdir()
        with create(folder, {}) as run:
            run.add_jobs([job()])
            run.finish(job().id, **result(job()))
        with open_run(folder) as run:
            assert run.curves().num_rows == 3

    def test_a_folder_on_a_read_only_disk_can_be_read(self, closed, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        with open_run(closed) as run:
            assert run.verify().holds
            assert "readonly" in refusal(run.add_jobs, [job(8)])


class TestSchema:
    def test_a_plan_of_another_version(self, closed):
        plan = json.loads((closed / "run.json").read_text()) | {"schema": 7}
        (closed / "run.json").write_text(json.dumps(plan))
        assert f"is a run of schema 7, and this assay reads schema {SCHEMA}" in refusal(open_run, closed)

    def test_a_ledger_of_another_version(self, closed):
        with sqlite3.connect(closed / "ledger.sqlite") as connection:
            connection.execute("PRAGMA user_version = 7")
        assert "schema 7" in refusal(open_run, closed)


class TestTornLedger:
    @pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.9])
    def test_truncated(self, closed, share):
        ledger = closed / "ledger.sqlite"
        data = ledger.read_bytes()
        ledger.write_bytes(data[: int(len(data) * share)])
        before = contents(closed)
        assert "ledger" in refusal(open_run, closed)
        assert {k: v for k, v in contents(closed).items() if "ledger.sqlite-" not in k} == before

    def test_garbage(self, closed):
        (closed / "ledger.sqlite").write_bytes(os.urandom(50_000))
        assert "is torn: ledger.sqlite is no whole SQLite file" in refusal(open_run, closed)

    def test_a_bad_page_in_the_middle(self, closed):
        ledger = closed / "ledger.sqlite"
        data = bytearray(ledger.read_bytes())
        data[4096:8192] = os.urandom(4096)
        ledger.write_bytes(data)
        assert "ledger" in refusal(open_run, closed)

    def test_missing(self, closed):
        (closed / "ledger.sqlite").unlink()
        assert "has no ledger.sqlite" in refusal(open_run, closed)
        assert not (closed / "ledger.sqlite").exists()


class TestHalfWrittenPart:
    def test_a_torn_part_is_named_and_the_rest_is_read(self, closed):
        part = closed / "parts" / f"{job(1).id}.parquet"
        part.write_bytes(part.read_bytes()[:-20])
        with open_run(closed) as run:
            assert f"the part {part} is torn or no Parquet" in refusal(run.curves)
            assert f"the part {part} is torn" in refusal(run.query, "SELECT * FROM curve")
            assert run.curves(job=job(0).id).num_rows == 3
            assert run.episodes().num_rows == 9

    def test_a_missing_part_is_not_a_shorter_table(self, closed):
        (closed / "parts" / f"{job(1).id}.parquet").unlink()
        with open_run(closed) as run:
            assert "is missing" in refusal(run.curves)

    def test_torn_and_missing_weights(self, closed):
        path = closed / "weights" / f"{job(1).id}.npz"
        with open_run(closed) as run:
            path.write_bytes(path.read_bytes()[:100])
            assert f"the weights {path} are torn" in refusal(run.weights, job(1).id)
            path.unlink()
            assert f"the weights {path} are missing" in refusal(run.weights, job(1).id)


class TestFullDisk:
    def assert_untouched(self, run):
        assert run.verify().holds
        assert run.episodes().num_rows == 9
        assert len([*(run.folder / "parts").iterdir(), *(run.folder / "weights").iterdir()]) == 6

    @pytest.mark.parametrize("place", ["write_all", "put_in_place"])
    def test_while_a_file_is_written(self, finished, monkeypatch, place):
        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        (three,) = finished.claim()
        with monkeypatch.context() as patch:
            patch.setattr(parts, place, full)
            says = refusal(finished.finish, three.id, **result(three))
        assert says == (
            f"the disk that holds {finished.folder} is full; free some space and resume: "
            "what was finished before is intact."
        )
        self.assert_untouched(finished)
        assert finished.finish(three.id, **result(three)).kept

    def test_while_the_ledger_is_written(self, finished):
        (three,) = finished.claim()
        (pages,) = finished._connection.execute("PRAGMA page_count").fetchone()
        finished._connection.execute(f"PRAGMA max_page_count = {pages}")
        first = result(three)["episodes"][0]
        many = [replace(first, episode=number, extra={"pad": "x" * 2000}) for number in range(60)]
        assert "is full" in refusal(finished.finish, three.id, **(result(three) | {"episodes": many}))
        self.assert_untouched(finished)
        finished._connection.execute("PRAGMA max_page_count = 100000")
        assert finished.finish(three.id, **result(three)).kept

    def test_while_a_commit_is_under_way(self, finished, monkeypatch):
        """The files are in place, the commit fails: they are taken away again."""
        (three,) = finished.claim()
        put = parts.put_in_place

        def put_then_fail(aside, path):
            put(aside, path)
            if path.suffix == ".npz":
                raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(parts, "put_in_place", put_then_fail)
            assert "is full" in refusal(finished.finish, three.id, **result(three))
        self.assert_untouched(finished)

    def test_while_a_run_is_made(self, tmp_path, monkeypatch):
        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(parts, "write_all", full)
        assert "is full" in refusal(create, tmp_path / "run", {})
        assert not any(tmp_path.iterdir())

    def test_a_disk_that_is_really_full(self, tmp_path):
        """A file system of 600 kB of its own, in a namespace that ends with the process."""
        script = Path(__file__).parent / "fill_disk.py"
        mount = (
            f"mount -t tmpfs -o size=600k tmpfs {tmp_path} && exec {sys.executable} {script} {tmp_path}/run"
        )
        if (
            not shutil.which("unshare")
            or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode
        ):
            pytest.skip("needs a mount namespace")
        done = subprocess.run(
            ["unshare", "-rm", "sh", "-c", mount], capture_output=True, text=True, timeout=60
        )
        if "mount:" in done.stderr:
            pytest.skip(f"may not mount: {done.stderr}")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "is full" in done.stdout
