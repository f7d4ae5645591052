import subprocess
import sys

import numpy as np
import pytest

from assay.errors import AssayError
from assay.results import Curve, Episode, Reference, job_id
from assay.results.record import TABLES, columns, from_row, to_row

from .sample import job, result

DECLARED = {
    "job": "id suite version pair train_task eval_task agent config seed budget status started ended wall_s "
    "cpu_s device_s host versions source_digest digest part_digest uncovered lanes device elsewhere "
    "transcript_digest notes_digest",
    "episode": "job task arm axis level world_seed episode steps return score terminated truncated extra "
    "drawn digest",
    "reference": "task kind value low high n how",
    "curve": "job step name value",
}


@pytest.mark.parametrize("table", TABLES)
def test_the_columns_are_the_declared_ones(table):
    assert [column.name for column in columns(TABLES[table])] == DECLARED[table].split()


def test_an_id_is_the_same_in_another_process():
    arguments = job().identity
    code = f"from assay.results import job_id; print(job_id(**{arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == job().id == job_id(**arguments)


@pytest.mark.parametrize(
    "change",
    [
        {"agent": "ppo"},
        {"config": {"learning_rate": 0.002, "layers": [256, 256]}},
        {"budget": 20_001},
        {"train_task": "toy/discrete+delay=1"},
        {"eval_task": "toy/discrete"},
        {"seed": 1},
        {"source_digest": "1" * 32},
        {"suite": "kage"},
        {"version": 2},
        {"pair": "noise"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_anything_that_decides_a_result_changes_the_id(change):
    assert job(**change).id != job().id


def test_the_schema_is_part_of_the_id_and_the_order_of_a_config_is_not():
    identity = job().identity
    assert job_id(**identity, schema=1) != job_id(**identity)
    assert job(config={"layers": (256, 256), "learning_rate": np.float64(0.001)}).id == job().id


def test_a_record_equals_itself_after_a_row():
    one = job(3)
    for record in [
        one,
        *result(one)["episodes"],
        Reference(task="t/a", kind="random", value=1, how="played"),
    ]:
        assert from_row(type(record), to_row(record)) == record


def test_numbers_of_numpy_become_plain_and_keep_every_bit():
    episode = Episode(
        job="j", task="t", arm="carry", episode=np.int32(1), steps=np.int64(2), return_=np.float32(0.1),
        score=np.float64(-0.0), terminated=np.bool_(True), truncated=False, extra={"x": np.float32(0.1)},
    )  # fmt: skip
    assert type(episode.steps) is int
    assert episode.return_ == float(np.float32(0.1)) != 0.1
    assert str(episode.score) == "0.0"
    assert episode.extra == {"x": float(np.float32(0.1))}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"score": float("nan")}, "episode.score takes a finite number, not nan"),
        ({"return_": float("inf")}, "episode.return takes a finite number, not inf"),
        ({"steps": 1.5}, "episode.steps takes an integer of 64 bits, not 1.5"),
        ({"steps": True}, "episode.steps takes an integer"),
        ({"steps": np.True_}, "episode.steps takes an integer"),
        ({"score": np.True_}, "episode.score takes a number"),
        ({"score": False}, "episode.score takes a number"),
        ({"episode": 2**63}, "episode.episode takes an integer of 64 bits"),
        ({"level": 0.25}, "episode.level takes a text, not 0.25"),
        ({"task": "\ud800"}, "episode.task takes a text"),
        ({"terminated": 1}, "episode.terminated takes True or False, not 1"),
        ({"extra": [1]}, "episode.extra takes a dict that fits JSON"),
        ({"extra": {"a": object()}}, "episode.extra takes a dict that fits JSON"),
        ({"extra": {"a": float("nan")}}, "episode.extra takes a dict that fits JSON"),
        ({"score": None}, "episode.score takes a number, not None"),
        ({"drawn": 3}, "episode.drawn takes a dict that fits JSON, not 3"),
    ],
)
def test_what_does_not_fit_a_column_is_refused_by_name(change, says):
    fits = {"job": "j", "task": "t", "arm": "a", "episode": 0, "steps": 1, "return_": 0.0, "score": 0.0,
            "terminated": True, "truncated": False}  # fmt: skip
    with pytest.raises(AssayError) as raised:
        Episode(**(fits | change))
    assert str(raised.value).startswith(says)


def test_a_curve_may_hold_nan_and_a_reference_has_a_known_kind():
    assert np.isnan(Curve(job="j", step=0, name="score", value=np.nan).value)
    with pytest.raises(AssayError, match="no reference is of kind 'best'; write one of random, blind"):
        Reference(task="t", kind="best", value=1.0, how="")
