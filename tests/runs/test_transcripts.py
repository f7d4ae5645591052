"""Transcripts: every step of an evaluation, for those who ask."""

import json
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import assay
from assay.cli.main import app
from assay.core.events import EventReport, StepTaken
from assay.errors import AssayError
from assay.plans.job_plan import job_plan
from assay.plans.jobs import jobs_of
from assay.plans.plan import plan_from_json
from assay.results import open_run
from assay.results.transcripts import SCHEMA, transcript_digest
from assay.runs.transcript_rows import transcript_of

COLUMNS = [
    "task",
    "episode",
    "step",
    "action",
    "executed",
    "reward",
    "score",
    "terminated",
    "truncated",
    "events",
]


def test_rows_by_hand():
    told = {"action.sticky": EventReport(True, False, np.int32(2))}
    first = StepTaken(np.int64(2), np.int64(2), 0.5, 1.0, False, False, told)
    last = StepTaken(np.float32([0.5, np.inf]), {"a": (1, np.int8(2))}, -1, 0, True, False, {})
    table = transcript_of([("toy/discrete", [[first, last]]), ("toy/grid", [[], [first]])])
    assert table.schema == SCHEMA and table.column_names == COLUMNS
    sticky = '{"action.sticky":{"detail":2,"event":false,"opportunity":true}}'
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("toy/discrete", 0, 1, "2", "2", 0.5, 1.0, False, False, sticky),
        ("toy/discrete", 0, 2, "[0.5,null]", '{"a":[1,2]}', -1.0, 0.0, True, False, None),
        ("toy/grid", 1, 1, "2", "2", 0.5, 1.0, False, False, sticky),
    ]
    assert transcript_of([]) is None


def test_a_digest_knows_every_cell():
    row = {"task": "t", "episode": 0, "step": 1, "action": "1", "executed": "1", "reward": 0.0, "score": 0.0,
           "terminated": False, "truncated": False, "events": None}  # fmt: skip
    others = [{}, {"task": "u"}, {"episode": 1}, {"step": 2}, {"action": "2"}, {"executed": "0"},
              {"reward": 1.0}, {"score": 1.0}, {"terminated": True}, {"truncated": True},
              {"events": "{}"}]  # fmt: skip
    tables = [pa.Table.from_pylist([row | other], SCHEMA) for other in others]
    assert len({transcript_digest("job", table) for table in tables}) == len(others)
    assert transcript_digest("job", tables[0]) != transcript_digest("other", tables[0])


ASKED = {
    # A float reward with noise of every kind, so that a bit gone astray would show.
    "native": ("random", "toy/discrete+reward_noise=0.5+transition_noise=0.1",
               {"axes": {"action.sticky": "0.5"}, "episodes": 4}),
    "hosted": ("random", "gym/CartPole-v1", {"axes": {"action.sticky": "0.5"}, "episodes": 3}),
}  # fmt: skip


@pytest.fixture(scope="module", params=list(ASKED))
def both(request, tmp_path_factory):
    """The same exam with and without transcripts."""
    agent, task, asked = ASKED[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    return [
        assay.examine(agent, task, **asked, transcripts=keeps, out=folder / str(keeps))
        for keeps in (True, False)
    ]


def test_a_transcript_adds_up_to_its_episodes(both):
    found = both[0]
    episodes = found.episodes().to_pylist()
    with open_run(found.folder) as run:
        transcripts = {job.id: run.transcript(job.id).to_pylist() for job in run.jobs()}
    assert sum(map(len, transcripts.values())) == sum(each["steps"] for each in episodes)
    for each in episodes:
        rows = [
            r
            for r in transcripts[each["job"]]
            if (r["task"], r["episode"]) == (each["task"], each["episode"])
        ]
        assert [row["step"] for row in rows] == list(range(1, each["steps"] + 1))
        kind = np.float32 if each["task"].startswith("toy/") else float  # natively sums are of 32 bits
        for mine, whole in (("reward", "return"), ("score", "score")):
            total = kind(0)
            for row in rows:
                total = kind(total + kind(row[mine]))
            assert float(total) == each[whole]
        assert (rows[-1]["terminated"], rows[-1]["truncated"]) == (each["terminated"], each["truncated"])
        assert not any(row["terminated"] or row["truncated"] for row in rows[:-1])


def test_events_tell_where_the_executed_action_comes_from(both):
    with open_run(both[0].folder) as run:
        rows = [row for job in run.jobs() for row in run.transcript(job.id).to_pylist()]
    varied = [row for row in rows if "action.sticky" in row["task"]]
    held = 0
    for before, row in pairwise(varied):
        told = json.loads(row["events"])["action.sticky"]
        assert told["detail"] == json.loads(row["executed"])
        if row["step"] > 1:
            assert (
                row["executed"]
                == (before if told["event"] else row | {"executed": row["action"]})["executed"]
            )
            held += told["event"]
    assert held
    plain = [row for row in rows if row["task"] == "gym/CartPole-v1"]
    assert all(row["events"] is None for row in plain)


def test_asking_for_a_transcript_changes_no_number(both):
    asked, plain = (found.episodes().drop_columns(["job"]) for found in both)
    assert asked.equals(plain)
    with open_run(both[1].folder) as run:
        (job, *_) = run.jobs()
        assert len(job.digest.split("-")) == 3 and job.transcript_digest is None
        assert not (run.folder / "transcripts").exists()
        with pytest.raises(AssayError, match=r"transcript .* is missing; .*--transcripts"):
            run.transcript(job.id)


def test_verify_covers_the_transcript(both):
    folder = both[0].folder
    with open_run(folder) as run:
        assert run.verify().holds
        job = run.jobs()[0]
        path = folder / "transcripts" / f"{job.id}.parquet"
        whole, other = path.read_bytes(), folder / "transcripts" / f"{run.jobs()[1].id}.parquet"
        for data in (whole[:-9] + b"x" + whole[-8:], other.read_bytes(), b"", None):
            path.unlink() if data is None else path.write_bytes(data)
            found = run.verify()
            assert [(each.job, each.what) for each in found.findings] == [(job.id, "transcript")]
            assert found.lost == (job.id,)
        path.write_bytes(whole)
        assert run.verify().holds
    with open_run(both[1].folder) as plain:  # one that was slipped in
        job = plain.jobs()[0]
        stray = plain.folder / "transcripts" / f"{job.id}.parquet"
        stray.parent.mkdir()
        stray.write_bytes(whole)
        assert [each.what for each in plain.verify().findings] == ["transcript"]
        stray.unlink(), stray.parent.rmdir()


@pytest.mark.parametrize(
    "words",
    [
        "train tabular_q toy/discrete",
        "examine random toy/discrete --axes action.sticky",
        "sweep random toy/discrete --axis action.sticky=0.5",
        "run playground/delay --agent tabular_q",
    ],
)
def test_every_command_that_plays_takes_the_option(words):
    """It is off by default, part of the plan and so of every job."""
    for more, asked in (([], False), (["--transcripts"], True)):
        done = CliRunner().invoke(app, [*words.split(), "--dry-run", "--json", *more])
        plan = plan_from_json(json.loads(done.output)["plan"], "here")
        assert plan.transcripts is asked
    assert {job_plan(job).transcripts for job in jobs_of(plan)} == {True}
