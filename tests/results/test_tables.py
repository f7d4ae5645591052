import csv
import json

import pyarrow.parquet as pq
import pytest

from assay.errors import AssayError

from .sample import EPISODES, job, result


def test_filters_take_a_value_or_several(finished):
    assert finished.episodes(episode=0).num_rows == 3
    assert finished.episodes(episode=[0, 2], job=job(0).id).num_rows == 2
    assert finished.episodes(terminated=True).num_rows == 3
    assert finished.curves(job=[job(0).id, job(1).id], step=1000).num_rows == 2
    assert [each.seed for each in finished.jobs(status="waiting")] == [3, 4]
    with pytest.raises(AssayError, match="the table episode has no column 'seed'; it has job, task, arm"):
        finished.episodes(seed=0)
    with pytest.raises(AssayError, match="the table curve has no column 'task'"):
        finished.curves(task="x")


def test_duckdb_answers_over_all_tables(finished):
    table = finished.query(
        "SELECT job.seed, avg(episode.return) AS mean, "
        "(SELECT max(value) FROM curve WHERE curve.job = job.id AND NOT isnan(value)) AS best "
        "FROM episode JOIN job ON job.id = episode.job GROUP BY ALL ORDER BY seed"
    )
    assert table["seed"].to_pylist() == [0, 1, 2]
    given = result(job(1))
    assert table["mean"][1].as_py() == pytest.approx(sum(e.return_ for e in given["episodes"]) / EPISODES)
    assert table["best"][1].as_py() == max(c.value for c in given["curves"][1:])


@pytest.mark.parametrize("sql", ["SELECT nothing FROM episode", "SELEC", "SELECT * FROM table_of_mine"])
def test_a_question_that_cannot_be_answered_is_one_sentence(finished, sql):
    table_of_mine = finished.episodes()
    assert table_of_mine.num_rows
    with pytest.raises(AssayError) as raised:
        finished.query(sql)
    assert "\n" not in str(raised.value)


def test_exports_hold_every_row_at_full_precision(finished, tmp_path):
    expected = finished.episodes()["score"].to_pylist()
    for form in ("csv", "json", "parquet"):
        names = [path.name for path in finished.export(tmp_path / "out", form)]
        assert names == [f"{table}.{form}" for table in ("job", "episode", "reference", "curve")]
    with open(tmp_path / "out" / "episode.csv") as file:
        assert [float(row["score"]) for row in csv.DictReader(file)] == expected
    rows = json.loads((tmp_path / "out" / "episode.json").read_text())
    assert [row["score"] for row in rows] == expected
    assert rows[1]["extra"] == {"lives": 1, "route": [1.5, "left"]}
    assert json.loads((tmp_path / "out" / "curve.json").read_text())[0]["value"] is None
    assert pq.read_table(tmp_path / "out" / "episode.parquet").equals(finished.episodes())
    with pytest.raises(AssayError, match="exported as csv, json, parquet, not as 'xls'"):
        finished.export(tmp_path / "out", "xls")
