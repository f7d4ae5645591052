"""`assay verify` beside forgeries that leave every digest right: plans, reports, and what was never done."""

import json
import shutil
import sys

import pytest
from calling import change, forge, one_sentence, run, without_reports, works, written

from assay.plans import agents
from assay.results import open_run

pytestmark = pytest.mark.usefixtures("here")


def edit_document(folder, edit):
    document = json.loads((folder / "run.json").read_text())
    edit(document)
    (folder / "run.json").write_text(written(document))
    forge(folder)


def plan(**changes):
    return lambda document: document["plan"].update(changes)


def question(**changes):
    return lambda document: document["plan"]["questions"][0].update(changes)


def command(*words, **changes):
    """The command as a user would have typed it, and a plan that is not the one it gives."""

    def edit(document):
        document["command"] = ["assay", *words]
        document["plan"] |= changes

    return edit


EDITS = {
    "proof": (question(proof="proved here and now"),
              "the plan says that action.sticky is 'proved here and now'"),
    "no proof": (lambda document: (question(proof="")(document), document["plan"]["questions"].append(
        document["plan"]["questions"][0] | {"proof": "failed"})), "the plan says that action.sticky is ''"),
    "ordered": (question(ordered=False), "ordered False for action.sticky, but the catalogue gives True"),
    "components": (question(components=["observation"]), "components ('observation',) for action.sticky"),
    "means": (question(means="nothing at all"), "means 'nothing at all' for action.sticky"),
    "neutral": (question(neutral="0.2"), "neutral '0.2' for action.sticky, but the catalogue gives '0.0'"),
    "shares": (question(arm="learn"), "arm 'learn' for action.sticky, but the catalogue gives 'carry'"),
    "trains": (plan(trains=True), "the plan has trains True, but its agent and task give F"),
    "range": (plan(score_range={"low": 0.0, "high": 500.0, "two_valued": False}),
              "the plan has score_range {'low': 0.0, 'high': 500.0, 'two_valued': False}, but its agent a"),
    "own worlds": (plan(own_worlds=True), "the plan has own_worlds True, but its agent and task give F"),
    "sources": (lambda document: document["sources"].update(files={}),
                "the run lists other sources of its code than its agent and tasks give."),
    "twice": (lambda document: document["plan"]["questions"].append(document["plan"]["questions"][0]),
              "the plan asks about action.sticky 2 times"),
    "margin": (command("examine", "--margin=0.2", margin=0.4), "has 0.4 for --margin, but its command gi"),
    "no margin": (command("examine", margin=0.4), "has 0.4 for --margin, but its command gives 0.1"),
    "episodes": (command("examine", "--episodes", "50"), "has 5 for --episodes, but its command gives 50"),
    "seeds": (command("examine", "--seeds", "3"), "has 1 for --seeds, but its command gives 3"),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_of_the_plan_that_changes_no_job_is_found(copy, edit):
    edited, says = EDITS[edit]
    edit_document(copy, edited)
    run("report", copy)  # so that the reports agree with the forged plan
    assert "every digest holds" in works("verify", copy, "--digests-only")
    done = run("verify", copy, "--sample", 0)
    assert done.exit_code == 1 and says in done.stdout


def test_a_shipped_proof_is_that_of_the_certificates(copy, monkeypatch):
    for there, now, holds in [
        ("proved by a shipped certificate", "unproved", False),
        ("proved by a shipped certificate", "proved", True),
        ("unproved", "proved", True),  # a certificate that was renewed later
        ("unproved", "fails", False),
    ]:
        monkeypatch.setattr("assay.audit.plan.standing", lambda env, axis, now=now: now)
        edit_document(copy, question(proof=there))
        works("report", copy)
        assert run("verify", copy, "--sample", 0).exit_code == (0 if holds else 1), (there, now)


def test_a_finished_job_without_an_attempt_is_found(copy):
    change(copy, "DELETE FROM attempt WHERE rowid = 1")
    forge(copy)
    done = run("verify", copy, "--digests-only")
    assert done.exit_code == 1
    assert "is done, but no recorded attempt at it ended with a result." in done.stdout


def test_a_sealed_run_without_any_job_is_found(copy):
    change(copy, "DELETE FROM episode", "DELETE FROM attempt", "DELETE FROM reference", "DELETE FROM job")
    without_reports(copy)
    for path in copy.glob("report.*"):
        path.unlink()
    forge(copy)
    done = run("verify", copy)
    assert done.exit_code == 1 and done.stdout.count(" is missing: ") == 3


def test_nothing_can_be_put_into_a_report_where_its_folder_is_named(copy):
    """The place of the folder once took any text, further keys of the JSON among them."""
    path = copy / "report.json"
    text = path.read_text()
    assert '"folder": ".",' in text
    path.write_text(text.replace('"folder": ".",', '"folder": ".", "findings": [],'))
    without_reports(copy)
    done = run("verify", copy, "--sample", 0)
    assert done.exit_code == 1 and "does not match the records" in done.stdout


@pytest.mark.parametrize("form", ["html", "md", "csv", "json"])
def test_a_forged_report_is_found_that_the_seal_does_not_list(copy, form):
    path = copy / f"report.{form}"
    genuine = path.read_text()
    without_reports(copy)
    works("verify", copy, "--sample", 0)  # also in a folder that was copied
    path.write_text(genuine.replace("sticky", "steady"))
    assert genuine != path.read_text()
    done = run("verify", copy, "--sample", 0)
    assert done.exit_code == 1 and f"{path} does not match the records" in done.stdout
    (copy / "seal.json").unlink()
    done = run("verify", copy, "--sample", 0)
    assert done.exit_code == 2 and f"{path} does not match the records" in done.stdout
    path.write_text(genuine)
    assert "does not match the records" not in run("verify", copy, "--sample", 0).stdout


@pytest.mark.parametrize("forged", ["`all of it holds`", "`/home/somebody/else`"])
def test_the_folder_in_a_report_is_the_one_it_lies_in_and_nothing_else(copy, forged):
    path = copy / "report.md"
    told = path.read_text()
    assert told.count("- folder: `.`\n") == 1
    path.write_text(told.replace("- folder: `.`\n", f"- folder: {forged}\n"))
    without_reports(copy)
    assert run("verify", copy, "--sample", 0).exit_code == 1


def test_a_seal_that_lacks_an_entry_is_one_sentence(copy):
    for lacks in ("reports", "digests"):
        seal = json.loads((copy / "seal.json").read_text())
        (copy / "seal.json").write_text(written({name: seal[name] for name in seal if name != lacks}))
        done = run("verify", copy, "--sample", 0)
        assert done.exit_code == 1 and "seal.json of" in done.stdout


def test_a_run_that_another_process_works_on_is_not_at_its_end(copy):
    with open_run(copy) as at_work:
        at_work.give_up_results({job.id: "stopped" for job in at_work.jobs()})
        at_work.claim(1)
        done = run("verify", copy)
        assert done.exit_code == 2
        assert "3 of 3 jobs are left, and another process works on this run." in done.stdout
    done = run("verify", copy)  # that process is gone
    assert done.exit_code == 2 and f"3 of 3 jobs are left; `assay resume {copy}` does them." in done.stdout
    assert json.loads(run("verify", copy, "--json").stdout)["unfinished"]


def test_an_agent_that_is_not_importable_here_is_no_finding(copy, folder, monkeypatch):
    monkeypatch.chdir("/")
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in ("", str(folder))])
    monkeypatch.delitem(sys.modules, "verbs_mine", raising=False)
    agents.load_outside.cache_clear()
    done = run("verify", copy)
    assert done.exit_code == 2 and "not done again: it cannot be done again here: " in done.stdout
    assert "verbs_mine" in done.stdout and "every digest holds" in done.stdout
    works("verify", copy, "--digests-only")


@pytest.mark.parametrize("lacks", ["questions", "margin", "seeds", "not_asked", "trains", "episodes"])
def test_a_plan_that_is_not_whole_is_one_sentence(copy, lacks):
    edit_document(copy, lambda document: document["plan"].pop(lacks))
    says = f"the run.json of {copy} is not whole: its plan has no {lacks}"
    for verb in ("report", "resume", "power"):
        assert one_sentence(run(verb, copy)).startswith(says), verb
    done = run("verify", copy)
    assert done.exit_code == 1 and says in done.stdout


@pytest.mark.parametrize("asked, wrong", [
    ({"axis": "action.sticky"}, "item 0 of questions of its plan has no arm"),
    ("action.sticky", "item 0 of questions of its plan is 'action.sticky', not an object with the fields of "
                      "Question"),
])  # fmt: skip
def test_a_question_that_is_none_is_one_sentence(copy, asked, wrong):
    edit_document(copy, plan(questions=[asked]))
    says = f"the run.json of {copy} is not whole: {wrong}; restore it from a copy, or run anew."
    for verb in ("report", "resume", "power", "compare runs/first"):
        assert one_sentence(run(*verb.split(), copy)) == says, verb
    done = run("verify", copy)
    assert done.exit_code == 1 and says.rstrip(".") in done.stdout


def test_a_run_that_was_moved_holds(copy, tmp_path):
    shutil.move(copy, tmp_path / "moved")
    works("verify", tmp_path / "moved", "--sample", 0)


def test_of_a_given_agent_nothing_is_said_before_it_was_checked(copy):
    """Killed after its jobs and before its episodes were played again, a run was reported like any other."""
    (copy / "seal.json").unlink()
    for words in (["report", copy], ["power", copy], ["compare", copy, copy]):
        assert "was stopped before its agent was checked; `assay resume" in one_sentence(run(*words))


def test_a_document_nested_a_thousandfold_is_one_sentence(copy):
    (copy / "run.json").write_text("[" * 5000 + "]" * 5000)
    for words in (["report", copy], ["resume", copy], ["verify", copy], ["power", copy]):
        assert "is torn: it is no JSON" in one_sentence(run(*words))
