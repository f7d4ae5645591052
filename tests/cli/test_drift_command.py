"""`assay drift`: agents of one's own on hosted tasks, learners, files, JSON and refusals."""

import csv
import json
import shutil
import sys

import pytest

import assay
from assay.door.drift import written_option
from assay.results import seal
from tests.cli.calling import one_sentence, run, works

POLE = "gym/CartPole-v1+action.random=0.9@sudden:60"
MINE = '''
def act(observation):
    return int(observation[2] + 0.3 * observation[3] > 0)

def train(env, seed, steps):
    return act
'''  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drift")
    (folder / "balance_pole.py").write_text(MINE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["assay", "drift", "balance_pole:act", POLE, "--window", "20"])
        patch.syspath_prepend(str(folder))
        yield folder
    sys.modules.pop("balance_pole", None)


@pytest.fixture(scope="module")
def told(place):
    return json.loads(works("drift", "balance_pole:act", POLE, "--episodes", "12", "--max-steps", "160",
                            "--window", "20", "--workers", "1", "--out", "frozen", "--json"))  # fmt: skip


def test_a_frozen_agent_falls_when_its_actions_are_replaced(told):
    (finding,) = told["findings"]
    assert (finding["at"], told["unit"], told["units"], told["window"]) == (60, "episode", 12, 20)
    assert told["question"]["control"] == "gym/CartPole-v1" and told["same_before"]
    assert finding["level"]["value"] == 1 and finding["depth"]["value"] > 0.3
    assert finding["recovery"]["value"] is None


def test_area_lost_is_the_difference_of_the_episodes_scores(place, told):
    """Both arms are alike until the drift, so that all that is lost is lost after it."""
    with assay.results.open_run(place / "frozen") as opened:
        rows = opened.episodes().to_pylist()
    scores = {arm: [row["score"] for row in rows if row["arm"] == arm] for arm in ("plain", "pair")}
    lost = (sum(scores["plain"]) - sum(scores["pair"])) / 12
    assert told["findings"][0]["area"]["value"] == pytest.approx(lost)


def test_files_lie_beside_the_records(place, told):
    page = (place / "frozen" / "drift.html").read_text()
    assert "<svg" in page and "control-line" in page and "not within" in page
    assert json.loads((place / "frozen" / "drift.json").read_text())["findings"] == told["findings"]
    (row,) = csv.DictReader((place / "frozen" / "drift.csv").open())
    assert row["at"] == "60" and row["recovery"] == "" and float(row["depth"]) > 0.3
    assert "| 60 steps |" in (place / "frozen" / "drift.md").read_text()


def test_the_same_question_again_finds_its_records(place, told):
    again = works("drift", "balance_pole:act", POLE, "--episodes", "12", "--max-steps", "160",
                  "--window", "20", "--workers", "1", "--out", "frozen", "--json")  # fmt: skip
    assert json.loads(again) == told


def test_a_learner_goes_on_through_a_drift(place):
    result = assay.drift(
        "tabular_q", "toy/discrete+mdp_seed=3+transition_noise=0.5@sudden:2000:life", seeds=3, steps=4000,
        settings={"report_every": 200}, episodes=2, out="learner", workers=1,
    )  # fmt: skip
    found = result.drift
    assert found.question.learning and found.same_before and found.unit == "seed" and found.units == 3
    assert found.findings[0].depth.value > 0 and found.findings[0].detection is not None
    assert found.findings[0].fall is None and found.too_few and len(found.findings[0].of_units) == 3
    row = result.table().to_pylist()[0]
    assert row["at"] == 2000 and row["depth"] == found.findings[0].depth.value and "depth_low" in row
    assert "drift after" in repr(result) and result.page.exists()


def test_reports_are_sealed_and_made_anew_by_verify(place, told):
    assert "every digest holds" in works("verify", "frozen", "--sample", "1")
    for form in ("json", "md", "html", "csv"):
        path = place / "frozen" / f"drift.{form}"
        whole = path.read_text()
        path.write_text(whole.replace("60", "61"))
        changed = run("verify", "frozen", "--digests-only")
        assert changed.exit_code == 1 and f"drift.{form} is not the one that was" in " ".join(
            changed.output.split()
        )
        path.write_text(whole)


def test_an_edited_report_whose_digest_was_changed_too_is_found(place, told, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(place / "frozen", copy)
    (copy / "drift.md").write_text("# no fall\n")
    with assay.results.open_run(copy) as opened:
        how = seal.read(copy).reports["drift.md"]._asdict()
        how.pop("digest")
        opened.seal_reports([copy / "drift.md"], how)
    changed = run("verify", str(copy), "--sample", "0")
    assert changed.exit_code == 1 and "drift.md does not match the records" in " ".join(
        changed.output.split()
    )


def test_resume_writes_the_report_of_a_drift_with_the_command_s_options(place, told, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(place / "frozen", copy)
    for path in copy.glob("drift.*"):
        path.unlink()
    with assay.results.open_run(copy) as opened:
        opened.give_up_results({opened.jobs()[0].id: "killed"})
    said = works("resume", str(copy), "--workers", "1")
    assert "drift after" in said and not (copy / "report.html").exists()
    written = json.loads((copy / "drift.json").read_text())
    assert written["findings"] == told["findings"] and written["window"] == 20
    assert "every digest holds" in works("verify", str(copy), "--sample", "0")


def test_resume_of_a_drift_writes_anew_the_reports_that_lie_there(place, told, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(place / "frozen", copy)
    with assay.results.open_run(copy) as opened:
        opened.give_up_results({opened.jobs()[0].id: "killed"})
    run("report", str(copy))
    (copy / "report.html").write_text("Unfinished")
    works("resume", str(copy), "--workers", "1")
    assert "Unfinished" not in (copy / "report.html").read_text()
    assert not [path for path in copy.glob("report.*") if "nfinished" in path.read_text()]
    assert "every digest holds" in works("verify", str(copy), "--sample", "0")


def test_options_of_a_drift_are_read_from_its_command():
    words = ["assay", "drift", "a", "b", "--window", "7", "--window=9", "--seeds", "3"]
    assert written_option(words, "--window") == "9" and written_option(words, "--margin") is None


def test_a_run_without_its_report_is_told(place, told, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(place / "frozen", copy)
    for path in [*copy.glob("drift.*"), copy / "seal.json"]:
        path.unlink()
    with assay.results.open_run(copy) as opened:
        opened.seal()
    bare = run("verify", str(copy), "--sample", "0")
    assert bare.exit_code == 2 and "has no report of its drift" in " ".join(bare.output.split())


@pytest.mark.parametrize(
    ("agent", "task", "says"),
    [
        ("random", "toy/discrete", "nothing in toy/discrete drifts"),
        ("random", "toy/discrete+action.random=0.5@sudden:100", "does not come on"),
        ("balance_pole:train", f"{POLE}0:life", "leaves no learning curve"),
        ("balance_pole:act", "gym/CartPole-v1+action.random=0.5@sudden:60:life", "does not learn"),
    ],
)
def test_what_cannot_be_measured_is_refused(place, agent, task, says):
    steps = ("--steps", "900") if agent.endswith("train") else ()
    refused = run("drift", agent, task, *steps)
    assert refused.exit_code == 2 and says in one_sentence(refused)


def test_a_drift_that_no_episode_lives_to_see_is_refused(place):
    refused = run("drift", "balance_pole:act", "gym/CartPole-v1+action.random=0.5@sudden:150", "--episodes",
                  "3", "--max-steps", "100", "--workers", "1", "--out", "short")  # fmt: skip
    assert refused.exit_code == 2 and "150" in one_sentence(refused)


def test_a_window_longer_than_what_is_watched_is_refused_before_anything_is_played(place):
    refused = run("drift", "balance_pole:act", POLE, "--max-steps", "160", "--window", "101")
    assert refused.exit_code == 2 and "at most 100 here, not 101" in one_sentence(refused)
