"""`assay shift`: trained agents, JSON, the report of an exam, and results that no longer hold."""

import json
import re
import shutil

import pytest

import assay
from assay.analysis import stored_shift
from assay.analysis.stored_shift import read_shift
from assay.errors import AssayError
from assay.plans.job_plan import job_plan
from tests.cli.calling import one_sentence, run, works

AXES = "observation.noise,aliased"
SMALL = ("--states", "40", "--episodes", "4")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shift")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


@pytest.fixture(scope="module")
def exam(place):
    works("examine", "tabular_q", "toy/discrete", "--axes", f"{AXES},transition_noise", "--seeds", "1",
          "--steps", "2000", "--episodes", "4", "--workers", "1", "--out", "exam")  # fmt: skip
    return place / "exam"


@pytest.fixture(scope="module")
def measured(exam):
    return json.loads(works("shift", "run:exam", "toy/discrete", "--axes", AXES, *SMALL, "--json"))


def test_json_has_all_numbers_and_sizes(measured):
    assert measured["agent"] == "tabular_q" and measured["unit"] == "episode" and measured["seeds"] == [0]
    assert measured["states"] == 40 and measured["episodes"] == 4 and measured["rank"] is None
    assert {each["axis"] for each in measured["findings"]} == {"observation.noise", "aliased"}
    for each in measured["findings"]:
        assert 0 < each["distance"]["value"] <= 1 and set(each["gap"]) == {"value", "low", "high"}
    moment = measured["moments"][0]
    assert moment["distance"] == 1 and sum(moment["plain"]) == pytest.approx(1)
    assert moment["plain_seen"] != moment["varied_seen"]


def test_gaps_are_those_of_the_exam_s_own_episodes(exam, measured):
    with assay.results.open_run(exam) as opened:
        (job,) = [job.id for job in opened.jobs(agent="tabular_q") if job_plan(job).arm == "plain"]
        rows = opened.episodes(job=job).to_pylist()
    for each in measured["findings"]:
        plain = [row["score"] for row in rows if row["arm"] == "plain"]
        varied = [
            row["score"] for row in rows if (row["axis"], row["level"]) == (each["axis"], each["level"])
        ]
        assert len(plain) == len(varied) == 4
        assert each["gap"]["value"] == pytest.approx((sum(plain) - sum(varied)) / 4)


def test_the_report_of_the_exam_shows_the_table(exam, measured):
    page, text = (exam / "report.html").read_text(), (exam / "report.md").read_text()
    assert "Induced-policy shift" in page and "40 states of 4 plain episodes of one policy" in page
    assert "## Induced-policy shift" in text and "| `aliased` | `4` |" in text
    assert json.loads((exam / "report.json").read_text())["shift"]["states"] == 40
    assert "every digest holds" in works("verify", "exam", "--digests-only")


def test_the_same_question_finds_its_answer_and_measuring_again_gives_the_same(exam, measured, place):
    shutil.copytree(exam, place / "again")
    (place / "again" / "shift.json").unlink()
    again = assay.shift("run:again", "toy/discrete", axes=AXES.split(","), states=40, episodes=4)
    kept = assay.shift("run:exam", "toy/discrete", axes=AXES.split(","), states=40, episodes=4)
    assert again.shift == kept.shift and again.picture is None
    assert again.table().num_rows == 2 and "total variation" in repr(again)


def test_a_result_that_was_altered_or_is_of_other_records_is_refused(exam, measured, place):
    shutil.copytree(exam, place / "stale")
    path = place / "stale" / "shift.json"
    written = path.read_text()
    path.write_text(written.replace('"states": 40', '"states": 41'))
    works("report", "stale")
    page = (place / "stale" / "report.html").read_text()
    assert "Shift.json is not the one that was written" in page and "41 states" not in page
    # A job that is done again makes other records, and with them another fingerprint.
    path.write_text(written)
    with assay.results.open_run(place / "stale") as opened:
        assert read_shift(opened).document is not None
        opened.give_up_results({opened.jobs(agent="tabular_q")[0].id: "for a test"})
        stored = read_shift(opened)
    assert stored.document is None and "before the run's records or its plan changed" in stored.why_not


def test_code_that_measures_otherwise_makes_a_result_stale(exam, measured, monkeypatch):
    monkeypatch.setattr(stored_shift, "measuring_digest", lambda: "other")
    with assay.results.open_run(exam) as opened:
        assert "measured by another version of assay" in stored_shift.read_shift(opened).why_not


def test_the_rule_for_the_states_shown_stands_where_they_are(exam, measured):
    rule = "those with the largest total variation: of each episode and level the one state"
    told = works("shift", "run:exam", "toy/discrete", "--axes", AXES, *SMALL)
    assert rule in " ".join(told.split())
    assert rule in (exam / "shift.md").read_text() and rule in (exam / "report.html").read_text()


def test_an_agent_that_comes_as_it_is_needs_no_run(place):
    told = works("shift", "random", "toy/discrete", "--axes", "aliased", *SMALL, "--out", "random")
    assert "0.000 [0.000, 0.000]" in told and (place / "random" / "shift.md").exists()
    assert "never looks at observations, so no axis of the observation can change what it does" in told
    words = "shift", "random", "toy/discrete", "--axes", "aliased", "--dry-run"
    assert "the agent never looks at observations" in works(*words)


def test_fewer_states_than_asked_for_are_said(place):
    words = "shift", "random", "toy/discrete", "--axes", "aliased", "--states", "5000", "--out", "few"
    told = " ".join(works(*words).split())
    assert "5,000 states were asked for, at most 500 of every episode" in told
    assert "were asked for" not in works("shift", "run:exam", "toy/discrete", "--axes", AXES, *SMALL)


def test_another_question_does_not_replace_an_answer(exam, measured, place):
    kept = (exam / "shift.json").read_bytes()
    for more in ((), ("--dry-run",)):
        told = run("shift", "run:exam", "toy/discrete", "--axes", "aliased", *SMALL, *more)
        assert "keeps the shift of tabular_q under" in one_sentence(told)
    assert (exam / "shift.json").read_bytes() == kept
    random = ("shift", "random", "toy/discrete", *SMALL, "--out", "kept")
    works(*random, "--axes", "aliased")
    works(*random, "--axes", "aliased")  # the same question finds the same answer
    for more in ((), ("--dry-run",)):
        told = one_sentence(run(*random, "--axes", "observation.noise", *more))
        assert "move its shift.json" in told
    assert "aliased" in (place / "kept" / "shift.md").read_text()
    (place / "kept" / "shift.json").unlink()
    works(*random, "--axes", "observation.noise")


def test_training_again_does_not_replace_an_answer(place):
    words = ("shift", "tabular_q", "toy/discrete", "--steps", "2000", *SMALL, "--out", "trained")
    works(*words, "--axes", "aliased")
    for more in ((), ("--dry-run",)):
        told = run(*words, "--axes", "observation.noise", *more)
        assert "trained keeps the shift of tabular_q under aliased" in one_sentence(told)


def test_a_dry_run_says_the_cost_and_does_nothing(place):
    told = works("shift", "ppo", "platformer/run", "--dry-run")
    assert "1,000 states of 10 episodes, 1 policy" in told and "25,000,000 env steps of training" in told
    assert "filters.hue_shift at 180.0" in told and not (place / "runs").exists()
    cost = json.loads(works("shift", "ppo", "platformer/run", "--dry-run", "--json"))
    assert cost["frames"] == (1 + len(cost["levels"])) * (10 * 500 + 1000) and cost["programs"] > 20


def test_examine_measures_beside_its_verdicts(place):
    told = run("examine", "tabular_q", "toy/discrete", "--axes", "transition_noise", "--shift", "--dry-run")
    assert "no axis of this exam touches the observation alone" in one_sentence(told)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run:exam", "toy/discrete", "--seeds", "2"), "trained already"),
        (("run:exam", "toy/discrete", "--out", "x"), "kept in that run's folder; drop --out"),
        (("run:exam", "toy/grid"), "the agents in .* are of toy/discrete"),
        (("run:exam", "toy/grid", "--dry-run"), "the agents in .* are of toy/discrete"),
        (("nowhere:act", "toy/discrete"), "there is no module 'nowhere'; run where nowhere.py is"),
        (("run:nothing", "toy/discrete"), "there is no folder"),
        (("tabular_q", "toy/discrete", "--axes", "transition_noise"), "renderings of one state"),
        (("tabular_q", "toy/discrete", "--levels", "some"), "--levels is strongest or all"),
    ],
)
def test_refusals_in_one_sentence(exam, words, says):
    assert re.search(says, one_sentence(run("shift", *words)))


def test_the_door_speaks_python(exam):
    with pytest.raises(AssayError, match=r"5 states cannot come from 10 episodes.*raise states="):
        assay.shift("run:exam", "toy/discrete", states=5)
