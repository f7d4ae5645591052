"""Files of one name in several folders count each for itself, and the files of a whole suite are covered."""

from pathlib import Path

import pytest

from assay.analysis.changed_files import refuse_changed_files
from assay.conduct.phases import conduct, open_or_create
from assay.errors import AssayError
from assay.interop.watching import Seen
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import suite_plan, train_plan
from assay.plans.of_trained import exam_of_trained
from assay.plans.sources import (
    describe_changes,
    digest_of_source,
    modules_and_files,
    piece_names,
    pieces_of_source,
    provenance_of_result,
    reads_of_agent,
    sources_of_job,
)
from assay.runs.local import Local
from assay.runs.repeat import can_be_done_again
from assay.suites.suite import Pair, Suite

SMALL = "+pieces=2+shapes=2+colors=2+horizon=8"
RULES = tuple(f"rules/custom+file={folder}/rule.txt{SMALL}" for folder in ("a", "b"))
BOARD = '{"value": [{"id": 0, "x": 1, "y": %d, "color": "RED", "shape": "STAR"}]}'


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("a/rule.txt", "(bucket:0)")
    write("b/rule.txt", "(bucket:1)")


def write(path, text):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def plan_of_both(agent="random"):
    suite = Suite("two", 1, "which?", tuple(Pair(rule, rule) for rule in RULES), (0,), 2)
    return suite_plan(suite, agent)


def planned(plan, folder):
    """A run without a job done: its plan and the digests of its files."""
    with open_or_create(plan, Path(folder), ["assay"], Path("runs")) as run:
        return run


def done(plan, folder):
    with open_or_create(plan, Path(folder), ["assay"], Path("runs")) as run:
        assert conduct(run, Local(1)) == []
        return run


class TestNames:
    @pytest.mark.parametrize(
        "paths, names",
        [
            (["r/rule.txt"], ["rule.txt"]),
            (["a/rule.txt", "b/rule.txt"], ["a/rule.txt", "b/rule.txt"]),
            (["n.txt", "c/n.txt"], ["n.txt", "c/n.txt"]),
            (["/x/a/n.txt", "a/n.txt", "m.txt"], ["x/a/n.txt", "a/n.txt", "m.txt"]),
            (["/x/p/a/n.txt", "/y/p/a/n.txt"], ["x/p/a/n.txt", "y/p/a/n.txt"]),
        ],
    )
    def test_they_have_as_many_parts_as_tell_files_apart(self, paths, names):
        found = piece_names({path: Path(path) for path in paths})
        assert [found[path] for path in paths] == names

    def test_a_file_is_never_called_like_a_module(self):
        assert piece_names({"mine": Path("mine.py"), "x/mine": Path("x/mine")}) == {
            "mine": "mine",
            "x/mine": "x/mine",
        }

    def test_a_colon_in_the_name_of_a_file_does_not_hide_it(self):
        write("a/rule:2.txt", "(bucket:0)")
        assert modules_and_files(["a/rule:2.txt"]) == ([], [Path("a/rule:2.txt")])


class TestEveryFileCounts:
    @pytest.mark.parametrize("folder", ["a", "b"])
    def test_either_of_two_rules_of_one_name(self, folder):
        plan = plan_of_both()
        kept, digest = pieces_of_source(plan), digest_of_source(plan)
        write(f"{folder}/rule.txt", "(bucket:2)")
        assert digest_of_source(plan) != digest
        assert describe_changes(kept, plan) == f"{folder}/rule.txt changed"

    @pytest.mark.parametrize("folder", ["c", "d"])
    def test_boards_of_one_name_in_two_folders(self, folder):
        for each in ("c", "d"):
            write(f"{each}/one.json", BOARD % 1)
        tasks = [f'rules/custom+rule="(bucket:0)"+boards={each}/+horizon=8' for each in ("c", "d")]
        plan = suite_plan(Suite("two", 1, "which?", (Pair(*tasks),), (0,), 2), "random")
        kept = pieces_of_source(plan)
        write(f"{folder}/one.json", BOARD % 2)
        assert describe_changes(kept, plan) == f"{folder}/one.json changed"

    def test_a_run_is_not_continued_nor_verified_with_another_rule(self):
        done(plan_of_both(), "first")
        write("a/rule.txt", "(bucket:3)")
        with open_or_create(plan_of_both(), Path("first"), ["assay"], Path("runs")) as run:
            with pytest.raises(AssayError, match=r"made by other code \(a/rule\.txt changed\)"):
                conduct(run, Local(1))
            assert can_be_done_again(run) == "it was made by other code (a/rule.txt changed)"

    def test_the_files_of_all_tasks_of_a_suite_are_covered(self):
        """What one job reads counts for the next one, and both are of one plan, whose digest covers both."""
        reads_of_agent.cache_clear()
        jobs = {job.train_task: job for job in jobs_of(plan_of_both())}
        found = {task: sources_of_job(job) for task, job in jobs.items()}
        for rule, folder in zip(RULES, ("a", "b")):
            seen = Seen(read={str(Path(folder, "rule.txt").resolve())})
            assert provenance_of_result(jobs[rule], found[rule], seen).uncovered is None
        other = Seen(read={str(Path("c.txt").resolve())})
        write("c.txt", "of no plan")
        made = provenance_of_result(jobs[RULES[1]], found[RULES[1]], other)
        assert made.uncovered == {"files": ["c.txt"], "modules": []}


def test_agents_are_not_examined_on_a_rule_that_changed_since_their_training():
    settings = {"episodes": 2, "steps": 20}
    done(train_plan("linear_q", RULES[0], seeds=1, episodes=2, settings=settings), "trained")
    assert exam_of_trained("trained", RULES[0], only=("swap_buckets",)).weights
    write("a/rule.txt", "(bucket:2)")
    with pytest.raises(AssayError, match=r"^rule\.txt changed since the agents in trained were trained, .*"
                       r"; put it back, or train anew: `assay train linear_q .*a/rule\.txt"):  # fmt: skip
        exam_of_trained("trained", RULES[0], only=("swap_buckets",))


class TestJoinedRuns:
    TASK = 'rules/custom+rule="(bucket:0)"+boards=c/+horizon=8'

    def two_runs(self, change):
        write("c/one.json", BOARD % 1)
        write("c/two.json", BOARD % 3)
        first = planned(train_plan("linear_q", self.TASK, seeds=2, episodes=2), "first")
        change()
        return first, planned(train_plan("linear_q", self.TASK, seeds=1, episodes=2), "second")

    def test_boards_of_a_folder_are_the_same_in_both(self):
        refuse_changed_files(self.two_runs(lambda: None))

    @pytest.mark.parametrize(
        "change, name",
        [
            (lambda: write("c/one.json", BOARD % 2), "one.json"),
            (lambda: write("c/three.json", BOARD % 2), "three.json"),
            (lambda: Path("c/two.json").unlink(), "two.json"),
        ],
    )
    def test_other_boards_are_refused(self, change, name):
        with pytest.raises(AssayError, match=f"^{name} of .* was another file in .*first than in .*second"):
            refuse_changed_files(self.two_runs(change))

    def test_a_rule_beside_another_of_its_name_is_known_again(self):
        one = planned(train_plan("linear_q", RULES[0], seeds=1, episodes=2), "one")
        refuse_changed_files([one, planned(plan_of_both(), "both")])
        write("b/rule.txt", "(bucket:2)")
        refuse_changed_files([one, planned(plan_of_both(), "other")])
        write("a/rule.txt", "(bucket:2)")
        with pytest.raises(AssayError, match=r"^a/rule\.txt of .* was another file"):
            refuse_changed_files([one, planned(plan_of_both(), "another")])
