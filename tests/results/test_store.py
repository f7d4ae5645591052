import json
import sqlite3
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from assay.errors import AssayError
from assay.results import Curve, Episode, Reference, create, open_run
from assay.strict_json import to_json

from .sample import EPISODES, job, result


class TestPlan:
    def test_a_run_says_what_was_asked_and_by_what(self, run):
        written = json.loads((run.folder / "run.json").read_text())
        assert written == to_json(run.document)
        assert written["plan"] == run.plan == {"suite": "examine"}
        assert written["command"] == ["assay", "run"]
        assert {"schema", "versions", "host", "created", "source_digest"} <= set(written)

    def test_jobs_already_there_are_kept(self, finished):
        assert finished.add_jobs([job(0), job(4), job(9)]) == 1
        assert len(finished.jobs()) == 6
        assert finished.job(job(0).id).status == "done"

    def test_a_job_whose_id_is_not_its_own_is_refused(self, run):
        with pytest.raises(AssayError, match="not as planned"):
            run.add_jobs([replace(job(), seed=7)])

    def test_the_ledger_is_wal(self, run):
        with sqlite3.connect(run.folder / "ledger.sqlite") as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


class TestClaim:
    def test_a_job_is_claimed_once(self, run):
        run.add_jobs([job(0), job(1), job(2)])
        with open_run(run.folder) as other:
            assert [each.seed for each in run.claim(2)] == [0, 1]
            assert [each.seed for each in other.claim(5)] == [2]
            assert other.claim() == []
            assert len(other.progress().running) == 3

    def test_one_may_ask_for_certain_jobs(self, run):
        run.add_jobs([job(0), job(1), job(2)])
        assert [each.seed for each in run.claim(5, ids=[job(2).id, job(1).id])] == [1, 2]

    def test_what_a_worker_leaves_behind_is_claimed_again_and_the_log_says_so(self, run):
        run.add_jobs([job(0), job(1)])
        with open_run(run.folder) as other:
            other.claim()
            assert run.progress().abandoned == ()
        assert run.progress().abandoned == (job(0).id,)
        assert run.progress().left == (job(0).id, job(1).id)
        assert [each.seed for each in run.claim()] == [0]
        assert [each.outcome for each in run.attempts()] == ["died", None]

    def test_a_claimed_job_says_when_and_where(self, run):
        run.add_jobs([job()])
        (claimed,) = run.claim()
        assert claimed.status == "running" and claimed.started and claimed.host


class TestFinish:
    def test_what_was_given_is_read_back_bit_for_bit(self, finished):
        one = finished.job(job(1).id)
        left = result(one)
        assert (one.status, one.wall_s, one.cpu_s, one.device_s) == ("done", 1.5, 1.25, None)
        assert one.versions["numpy"] == np.__version__
        table = finished.episodes(job=one.id)
        assert table["return"].to_pylist() == [each.return_ for each in left["episodes"]]
        assert table["terminated"].to_pylist() == [False, True, False]
        assert json.loads(table["extra"][1].as_py()) == {"lives": 1, "route": [1.5, "left"]}
        np.testing.assert_array_equal(
            finished.curves(job=one.id)["value"].to_numpy(), [each.value for each in left["curves"]]
        )
        weights = finished.weights(one.id)
        np.testing.assert_array_equal(weights.arrays["layers/0"], left["weights"]["layers/0"])
        assert weights.arrays["layers/0"].dtype == np.float32
        assert weights.job["config"] == one.config

    def test_every_float64_survives(self, run):
        run.add_jobs([job()])
        bits = np.random.default_rng(0).integers(0, 2**64, 2000, np.uint64).view(np.float64)
        values = [*bits[np.isfinite(bits)].tolist(), 5e-324, 1e15, 2.0**53 + 2, -0.0, 0.1 + 0.2]
        rows = [
            Episode(job=job().id, task="t", arm="a", episode=n, steps=1, return_=v, score=v, terminated=True,
                    truncated=False)
            for n, v in enumerate(values)
        ]  # fmt: skip
        run.finish(
            job().id,
            rows,
            pa.table({"step": range(len(values)), "name": ["x"] * len(values), "value": values}),
        )
        assert run.episodes()["score"].to_pylist() == values
        assert run.curves()["value"].to_pylist() == values
        assert run.verify().holds

    def test_the_same_result_has_the_same_digest_in_another_run(self, finished, tmp_path):
        with create(tmp_path / "other", {}) as other:
            other.add_jobs([job(1)])
            other.finish(job(1).id, **result(job(1)))
            assert other.job(job(1).id).digest == finished.job(job(1).id).digest

    def test_of_two_results_for_one_job_the_first_one_stays(self, run):
        run.add_jobs([job()])
        run.claim()
        with open_run(run.folder) as other:
            assert other.finish(job().id, **result(job())).kept
        files = {path: path.read_bytes() for path in run.folder.rglob("*.*") if "ledger" not in path.name}
        again = run.finish(job().id, **result(job()))
        assert not again.kept and "done already, with the same result" in again.says
        different = result(job())
        different["episodes"].pop()
        different["weights"] = None
        assert "with ANOTHER result; the first one stays" in run.finish(job().id, **different).says
        assert files == {path: path.read_bytes() for path in files}
        assert run.episodes().num_rows == EPISODES
        assert run.verify().holds
        assert [each.outcome for each in run.attempts()][-2:] == ["done", "second, with ANOTHER result"]

    def test_a_job_may_leave_nothing_but_its_end(self, run):
        run.add_jobs([job()])
        assert run.finish(job().id, []).kept
        assert run.curves().num_rows == 0
        assert run.verify().holds

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"episodes": [result(job(1))["episodes"][0]]}, "an episode of job"),
            ({"episodes": result(job())["episodes"] * 2}, "was given episode 0 of toy/discrete.* twice"),
            ({"curves": [Curve(job="x", step=0, name="a", value=0.0)]}, "a curve of job 'x' was given"),
            ({"curves": pa.table({"step": [0], "value": [0.0]})}, "have no column 'name'"),
            ({"curves": pa.table({"step": [0], "name": ["a"], "value": [None]})}, "hold nulls"),
            (
                {"curves": pa.table({"step": ["x"], "name": ["a"], "value": [0.0]})},
                "do not fit their columns",
            ),
            ({"weights": {"a": np.array([object()])}}, "would be pickled"),
        ],
    )
    def test_a_result_that_does_not_fit_is_refused_and_leaves_nothing(self, run, change, says):
        run.add_jobs([job()])
        with pytest.raises(AssayError, match=says):
            run.finish(job().id, **(result(job()) | change))
        assert not [*(run.folder / "parts").iterdir(), *(run.folder / "weights").iterdir()]
        assert run.episodes().num_rows == 0

    def test_a_job_that_is_not_there_is_named(self, run):
        with pytest.raises(AssayError, match="has no job 'x'"):
            run.finish("x", [])


class TestFail:
    def test_a_failed_job_says_why_and_waits_only_when_told(self, run):
        run.add_jobs([job()])
        run.claim()
        run.fail(job().id, "the agent returned NaN")
        assert run.progress().failed == (job().id,)
        assert run.claim() == []
        assert run.attempts()[0].outcome == "failed: the agent returned NaN"
        assert run.retry() == 1
        assert len(run.claim()) == 1

    def test_a_finished_job_cannot_fail(self, finished):
        finished.fail(job(0).id, "too late")
        assert finished.job(job(0).id).status == "done"
        assert finished.attempts()[0].outcome == "done"


class TestReferences:
    def test_a_reference_is_stored_once_and_never_changed_silently(self, run):
        best = Reference(task="toy/discrete", kind="optimum", value=1 / 3, how="value iteration")
        assert run.add_references([best]) == 1
        assert run.add_references([best]) == 0
        other = Reference(task="toy/discrete", kind="optimum", value=0.5, how="value iteration")
        with pytest.raises(AssayError, match=r"another optimum reference of toy/discrete: 0.333"):
            run.add_references([other])
        assert run.references() == [best]
        run.add_references([other], replace=True)
        assert run.references(kind="optimum") == [other]


def test_leftovers_of_the_dead_are_swept_and_those_of_the_living_are_not(finished):
    living = finished._worker_name()
    kept = finished.folder / "parts" / f"{job(3).id}.parquet.{living}.part"
    dead = finished.folder / "parts" / f"{job(4).id}.parquet.{'0' * 32}.part"
    orphan = finished.folder / "weights" / f"{job(4).id}.npz"
    for path in (kept, dead, orphan):
        path.write_bytes(b"half")
    open_run(finished.folder).close()
    assert kept.exists() and not dead.exists() and not orphan.exists()
    assert finished.verify().holds
    assert sorted(path.name for path in (finished.folder / "locks").iterdir()) == sorted(["gate", living])


class TestOlderRun:
    """A run from before the columns `drawn` and `digest`."""

    @pytest.fixture
    def older(self, finished):
        finished.close()
        with sqlite3.connect(finished.folder / "ledger.sqlite") as connection:
            for column in ("drawn", "digest"):
                connection.execute(f"ALTER TABLE episode DROP COLUMN {column}")
        with open_run(finished.folder) as opened:
            yield opened

    def test_it_is_read_and_its_digests_hold(self, older):
        assert older.episodes()["drawn"].null_count == 3 * EPISODES == older.episodes().num_rows
        assert older.query("SELECT count(*) AS n, count(drawn) AS drawn FROM episode").to_pylist() == [
            {"n": 3 * EPISODES, "drawn": 0}
        ]
        assert older.episodes(drawn="drawn").num_rows == 0  # and no text of the column's name
        assert older.verify().holds

    def test_it_can_be_gone_on_with(self, older):
        (next_job,) = older.claim(1)
        drawn = [replace(each, drawn={"delay": 3}) for each in result(next_job)["episodes"]]
        older.finish(next_job.id, **result(next_job) | {"episodes": drawn})
        assert older.episodes(job=next_job.id)["drawn"].to_pylist() == ['{"delay":3}'] * EPISODES
        assert older.episodes()["drawn"].null_count == 3 * EPISODES and older.verify().holds


def test_a_drawn_level_that_was_changed_is_found(finished):
    (one,) = finished.claim(1)
    drawn = [replace(each, drawn={"delay": 3}) for each in result(one)["episodes"]]
    finished.finish(one.id, **result(one) | {"episodes": drawn})
    assert finished.verify().holds
    with sqlite3.connect(finished.folder / "ledger.sqlite") as connection:
        connection.execute("UPDATE episode SET drawn = NULL WHERE job = ? AND episode = 1", (one.id,))
    assert [finding.what for finding in finished.verify().findings] == ["episodes"]
