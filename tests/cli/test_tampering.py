"""`assay verify` beside edits of a finished run: careless ones, and those made with all their digests."""

import json
import shutil

import pytest
from calling import change, examine, forge, one_sentence, run, without_reports, works

from assay.plans.job_plan import job_plan
from assay.results import open_run
from assay.runs.repeat import sample

pytestmark = pytest.mark.usefixtures("here")


def edit_plan(**changes):
    def edit(folder):
        document = json.loads((folder / "run.json").read_text())
        document["plan"] |= changes
        (folder / "run.json").write_text(json.dumps(document, indent=2) + "\n")

    return edit


def edit_versions(folder):
    document = json.loads((folder / "run.json").read_text())
    document["versions"]["numpy"] = "1.0"
    (folder / "run.json").write_text(json.dumps(document, indent=2) + "\n")
    change(folder, 'UPDATE job SET versions = replace(versions, \'"numpy":"\', \'"numpy":"1\')')


def sql(*statements):
    return lambda folder: change(folder, *statements)


def delete_a_job(folder):
    """With its episodes and attempts, so that nothing points to it."""
    job = "(SELECT id FROM job WHERE agent != 'random' ORDER BY rowid DESC LIMIT 1)"
    change(folder, f"DELETE FROM episode WHERE job = {job}", f"DELETE FROM attempt WHERE job = {job}")
    change(folder, f"DELETE FROM job WHERE id = {job}")


def edit_report(folder):
    text = (folder / "report.json").read_text()
    assert '"margin": 0.1' in text
    (folder / "report.json").write_text(text.replace('"margin": 0.1', '"margin": 0.2'))


ADD_REFERENCE = (
    "INSERT INTO reference VALUES ('gym/CartPole-v1', 'optimum', 500.0, NULL, NULL, NULL, 'known', '')"
)
# What is edited, and a part of what verify says: of a careless edit, and of one made with all its digests.
EDITS = {
    "a job deleted": (delete_a_job, "the table job", " is missing: verbs_mine:act on gym/CartPole-v1"),
    "a reference edited": (
        sql("UPDATE reference SET value = value + 1 WHERE rowid = 1"),
        "the random reference of gym/CartPole-v1 is not the one that was written",
        "but the records give",
    ),
    "a reference added": (sql(ADD_REFERENCE), "the optimum reference of", "but the records give none."),
    "a reference deleted": (
        sql("DELETE FROM reference WHERE rowid = 1"),
        "the table reference",
        "is none, but the records give",
    ),
    "the margin": (edit_plan(margin=0.4), "run.json", "does not match the records"),
    "the episodes": (edit_plan(episodes=50), "run.json", "is missing"),
    "the seeds": (edit_plan(seeds=[0, 1]), "run.json", "seed 1."),
    "the questions": (edit_plan(questions=[]), "run.json", "follows neither from the plan nor"),
    "a report": (
        edit_report,
        "report.json is not the one that was written",
        "report.json does not match the records",
    ),
    "a score": (
        sql("UPDATE episode SET score = score - 1 WHERE rowid = (SELECT max(episode.rowid) FROM episode "
            "JOIN job ON episode.job = job.id WHERE job.agent = 'verbs_mine:act')"),
        "are not the ones that were written",
        "(verbs_mine:act on gym/CartPole-v1, seed 0) are not what the job gives when it is done again.",
    ),
}  # fmt: skip
CARELESS = EDITS | {
    "versions": (edit_versions, "run.json", ""),
    "a time": (sql("UPDATE job SET ended = ended + 1 WHERE rowid = 2"), "the row of job", ""),
    "a cost": (sql("UPDATE job SET wall_s = 0.0 WHERE rowid = 2"), "the row of job", ""),
    "a host": (sql("UPDATE job SET host = 'elsewhere' WHERE rowid = 1"), "the row of job", ""),
    "an attempt": (sql("UPDATE attempt SET pid = 1 WHERE rowid = 1"), "an attempt at job", ""),
}


@pytest.mark.parametrize("edit", CARELESS)
def test_a_careless_edit_is_found_by_digests_and_not_reported_on(copy, edit):
    made, says, _ = CARELESS[edit]
    made(copy)
    done = run("verify", copy, "--digests-only")
    assert done.exit_code == 1 and says in done.stdout
    if edit != "a report":  # that is written anew
        assert one_sentence(run("report", copy)).startswith(f"the records of {copy} fail their digests: ")


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_with_all_its_digests_is_found_by_plan_records_and_jobs_done_again(copy, edit):
    made, _, says = EDITS[edit]
    before = json.loads(works("verify", copy, "--digests-only", "--json"))["fingerprint"]
    made(copy)
    forge(copy)
    assert "every digest holds" in works("verify", copy, "--digests-only")  # so they were rightly forged
    done = run("verify", copy, "--all")
    assert done.exit_code == 1 and says in done.stdout
    assert before not in done.stdout or edit == "a report"  # a fingerprint that was noted finds every edit


def test_other_versions_are_said_and_are_no_success(copy):
    edit_versions(copy)
    forge(copy)
    done = run("verify", copy)
    assert done.exit_code == 2 and "not done again: it was made with numpy 1.0, and numpy here" in done.stdout
    assert not json.loads(run("verify", copy, "--json").stdout)["holds"]
    works("verify", copy, "--digests-only")


def test_verify_does_jobs_again_with_the_same_bits(folder):
    shown = works("verify", "runs/first", "--all")
    assert "3 finished jobs: every digest holds; 3 of 3 done again gave the same bits" in shown
    found = json.loads(works("verify", "runs/first", "--json"))
    fingerprint = found.pop("fingerprint")
    assert f"fingerprint {fingerprint}" in shown
    assert (
        f"<footer>Fingerprint of the records: <code>{fingerprint}</code></footer>"
        in (folder / "runs" / "first" / "report.html").read_text()
    )
    assert found == {
        "sealed": True, "checked": 3, "done_again": 2, "same": 2, "not_done_again_because": "",
        "unfinished": [], "failed": [], "findings": [], "reports_gone": [], "holds": True,
    }  # fmt: skip


def test_which_jobs_are_done_again_follows_from_the_fingerprint():
    with open_run("runs/first") as opened:
        jobs = opened.jobs()
    chosen = {sample(jobs, 1, f"{number:032x}")[0].id for number in range(40)}
    assert chosen == {job.id for job in jobs}
    assert sample(jobs, 2, "a") == sample(jobs, 2, "a") and sample(jobs, 9, "a") == jobs


def test_one_job_is_said_in_the_singular(copy):
    with open_run(copy) as opened:
        opened.give_up_results({job.id: "stopped" for job in opened.jobs()[1:]})
    assert "  1 finished job: every digest holds" in run("verify", copy).stdout


def test_a_run_that_was_stopped_is_not_called_tampered_with(copy):
    with open_run(copy) as opened:
        opened.give_up_results({opened.jobs()[1].id: "stopped"})
    done = run("verify", copy)
    assert done.exit_code == 2 and "2 finished jobs: every digest holds; 2 of 2" in done.stdout
    assert f"  1 of 3 jobs is left; `assay resume {copy}` does it." in done.stdout
    assert "of a run that is not sealed" in done.stdout
    assert "every digest holds" in works("verify", copy, "--digests-only")  # which asks for no more
    works("resume", copy, "--workers", 1)
    assert "3 finished jobs: every digest holds; 2 of 2" in works("verify", copy)
    (copy / "seal.json").unlink()
    done = run("verify", copy)
    assert done.exit_code == 2 and "the run is not sealed: it was stopped early, or its" in done.stdout
    digests = run("verify", copy, "--digests-only")
    assert digests.exit_code == 2 and "edited reports cannot be noticed" in " ".join(digests.stdout.split())


@pytest.fixture(scope="module")
def trained(folder, tmp_path_factory):
    """A training of two seeds, which leave curves and weights."""
    out = tmp_path_factory.mktemp("trained") / "run"
    works("train", "tabular_q", "toy/discrete+mdp_seed=0", "--seeds", 2, "--steps", 1000, "--episodes", 2,
          "--workers", 1, "--out", out)  # fmt: skip
    return out


@pytest.mark.parametrize("kind", ["parts", "weights"])
def test_of_a_lost_part_exactly_its_job_is_done_again(trained, kind):
    lost = sorted((trained / kind).iterdir())[0]
    before = lost.read_bytes()
    lost.unlink() if kind == "parts" else lost.write_bytes(before[:-1] + b"?")
    assert "`assay resume" in one_sentence(run("report", trained))
    assert "1 to do" in works("resume", trained, "--dry-run")
    with open_run(trained, sweep=False) as opened:
        attempts = len(opened.attempts())
    works("resume", trained, "--workers", 1)
    with open_run(trained) as opened:
        new = opened.attempts()[attempts:]
    assert [(each.job, each.outcome) for each in new] == [
        (lost.stem, "lost: a file of its results is missing or was changed"),
        (lost.stem, "done"),
    ]
    assert lost.read_bytes() == before
    works("verify", trained, "--sample", 0)


def test_reports_on_pairs_may_be_told_in_any_way_and_not_otherwise(trained, tmp_path):
    copy = shutil.copytree(trained, tmp_path / "copy")
    works("report", copy, "--intervals", "t")
    without_reports(copy)
    works("verify", copy, "--sample", 0)
    (copy / "report.csv").write_text((copy / "report.csv").read_text().replace("toy", "boy"))
    done = run("verify", copy, "--sample", 0)
    assert done.exit_code == 1 and "report.csv does not match the records" in done.stdout


def test_what_is_more_than_a_lost_part_is_refused(trained, tmp_path):
    copy = shutil.copytree(trained, tmp_path / "copy")
    change(copy, "UPDATE episode SET score = score + 1 WHERE rowid = (SELECT max(rowid) FROM episode)")
    says = one_sentence(run("resume", copy))
    assert "fail their digests: the episodes of job" in says and "restore it from a copy" in says


def test_an_exam_that_was_edited_is_not_shown_again(copy):
    change(copy, "UPDATE episode SET score = score + 1 WHERE rowid = 7")
    for words in (["power", copy], ["compare", "runs/first", copy]):
        assert "fail their digests" in one_sentence(run(*words))
    words = ("verbs_mine:act", "gym/CartPole-v1", "--axes", "action.sticky", "--episodes", 5)
    assert "fail their digests" in one_sentence(examine(*words, "--out", copy))


def test_the_decision_to_retrain_is_recorded_and_follows_from_the_records(folder, tmp_path):
    out = tmp_path / "run"
    words = ("sweep", "verbs_mine:train", "gym/CartPole-v1", "--axis", "action.sticky=0.9", "--seeds", 2)
    works(*words, "--steps", 1, "--episodes", 2, "--workers", 1, "--out", out)
    with open_run(out) as opened:
        (decision,) = opened.decisions()
        retrained = [job for job in opened.jobs() if job_plan(job).arm == "retrain"]
        assert len(retrained) == 2 and len(opened.references(kind="retrained")) == 1
    (level,) = decision.decided["levels"]
    assert (level["axis"], level["level"]) == ("action.sticky", "0.9") and level["effect"]["high"] < -0.1
    assert "every digest holds" in works("verify", out, "--all")
    change(out, "UPDATE decision SET decided = replace(decided, '0.9', '0.5')")
    assert "decision 0 (retrain) is not the one that was written" in run("verify", out).stdout
    forge(out)
    shown = run("verify", out)
    assert (
        shown.exit_code == 1
        and "was to train anew at action.sticky=0.5, but the records give" in shown.stdout
    )
    assert "follows neither from the plan nor from a decision to retrain" in shown.stdout


def test_an_agent_that_draws_by_the_seed_it_is_given_is_done_again_bit_for_bit(folder, tmp_path):
    words = ("verbs_mine:Dice", "gym/CartPole-v1", "--axes", "action.sticky", "--episodes", 4)
    assert examine(*words, "--out", tmp_path / "run").exit_code == 0
    with open_run(tmp_path / "run") as opened:
        drawn = opened.episodes(axis="", job=[job.id for job in opened.jobs() if job.agent != "random"])
    assert len(set(drawn["digest"].to_pylist())) == 4
    assert "3 of 3 done again gave the same bits" in works("verify", tmp_path / "run", "--all")
