"""Yesterday's result is never shown as today's: other code, weights or libraries are another job."""

import sys
import textwrap
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from assay.analysis.caveats import ADVICE
from assay.analysis.findings import find
from assay.cli.results import describe_rerun
from assay.conduct.phases import conduct, open_or_create
from assay.conduct.reuse import describe_replaced, find_reused
from assay.errors import AssayError
from assay.plans import agents, sources
from assay.plans.jobs import folder_name
from assay.plans.make_plan import exam_plan, sweep_plan
from assay.plans.sources import digest_of_source, load_own_module
from assay.runs.local import Local
from assay.runs.repeat import can_be_done_again

CARTPOLE = "gym/CartPole-v1"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    forget()


def forget():
    """As in the next process: nothing of one's own is loaded."""
    agents.load_outside.cache_clear()
    load_own_module.cache_clear()
    sources.reads_of_agent.cache_clear()
    for name in [name for name in sys.modules if name.startswith("src_")]:
        del sys.modules[name]


def write(place, name, text):
    (place / name).write_text(textwrap.dedent(text))
    forget()


def examined(agent, workers=1, **asked):
    """The run that the command would find or make, all of it done: its folder, new jobs, uncovered, exam."""
    forget()
    plan = exam_plan(agent, CARTPOLE, only=("action.sticky",), episodes=2, **asked)
    with open_or_create(plan, None, ["assay"], sources.Path("runs")) as run:
        assert conduct(run, Local(workers)) == []
        reused = find_reused(run)
        new = len(run.progress().done) - (reused.jobs if reused else 0)
        assert run.verify().holds
        return run.folder.name, new, find(run)


ACTS = """
    import numpy as np
    import src_help

    WEIGHTS = np.load("weights.npy")

    def act(observation):
        return src_help.sign(WEIGHTS @ observation)
"""
HELPS = """
    def sign(x):
        return int(x > 0)
"""


class TestFilesThatAreRead:
    def test_an_undeclared_file_is_named_and_its_result_is_used_once(self, place):
        write(place, "src_help.py", HELPS)
        write(place, "src_mine.py", ACTS)
        np.save("weights.npy", [0.0, 0.0, 1.0, 0.3])
        first, new, exam = examined("src_mine:act")
        assert new == 3 and exam.uncovered == (f"weights.npy was read and is not covered: {ADVICE}",)
        again, new, _ = examined("src_mine:act")
        # Random play read nothing, so its result is kept; the agent's two jobs are done anew.
        assert again == first and new == 2
        np.save("weights.npy", [0.0, 0.0, -1.0, -0.3])
        _, new, worse = examined("src_mine:act")
        assert new == 2 and worse.headline.plain < exam.headline.plain

    def test_what_a_worker_reads_is_sent_back_with_the_result(self, place):
        write(place, "src_help.py", HELPS)
        write(place, "src_mine.py", ACTS)
        np.save("weights.npy", [0.0, 0.0, 1.0, 0.3])
        _, _, exam = examined("src_mine:act", workers=2)
        assert exam.uncovered == (f"weights.npy was read and is not covered: {ADVICE}",)

    def test_a_declared_file_is_covered(self, place):
        write(place, "src_help.py", HELPS)
        declared = "\n    import assay\n    AGENT = assay.Policy(act, files=('weights.npy',))\n"
        write(place, "src_mine.py", ACTS + declared)
        np.save("weights.npy", [0.0, 0.0, 1.0, 0.3])
        first, new, exam = examined("src_mine:AGENT")
        assert new == 3 and exam.uncovered == ()
        assert examined("src_mine:AGENT")[:2] == (first, 0)  # unchanged: reused
        np.save("weights.npy", [0.0, 0.0, -1.0, -0.3])
        other, new, _ = examined("src_mine:AGENT")
        assert other != first and new == 3

    def test_what_it_reads_only_while_it_acts_is_seen_too_and_what_it_wrote_is_not(self, place):
        write(
            place,
            "src_late.py",
            """
            import importlib
            from pathlib import Path

            def act(observation):
                Path("memory.txt").write_text("left")
                Path("memory.txt").read_text()
                helper = importlib.import_module("src_" + "help")
                return helper.sign(float(Path("level.txt").read_text()) * observation[2])
            """,
        )
        write(
            place, "src_help.py", HELPS + '\n    from pathlib import Path\n    Path("memory.txt").exists()\n'
        )
        (place / "level.txt").write_text("1.0")
        _, _, exam = examined("src_late:act")
        assert exam.uncovered == (
            f"level.txt was read and is not covered: {ADVICE}",
            f"src_help.py was imported and is not covered: {ADVICE}",
        )

    def test_what_one_job_read_counts_for_the_next_which_finds_it_in_memory(self, place):
        write(
            place,
            "src_keeps.py",
            """
            from functools import cache
            from pathlib import Path

            @cache
            def level():
                return float(Path("level.txt").read_text())

            def act(observation):
                return int(level() * observation[2] > 0)
            """,
        )
        (place / "level.txt").write_text("1.0")
        assert examined("src_keeps:act")[1] == 3
        assert examined("src_keeps:act")[1] == 2  # both of the agent's jobs, though one of them read it


class TestWhatChangesDuringARun:
    SWAPS = """
        import numpy as np
        import assay

        CALLS = [0]

        def act(observation):
            CALLS[0] += 1
            if CALLS[0] == {when}:
                {change}
            return int(np.load("w.npy") @ observation > 0)

        AGENT = assay.Policy(act, files=("w.npy",))
    """

    def failed(self, place, when, change):
        """What fails, and how many jobs of the agent are done, where it changes something at some step."""
        np.save("w.npy", [0.0, 0.0, 1.0, 0.3])
        write(place, "src_swaps.py", self.SWAPS.format(when=when, change=change))
        plan = exam_plan("src_swaps:AGENT", CARTPOLE, only=("action.sticky",), episodes=2)
        with open_or_create(plan, None, ["assay"], sources.Path("runs")) as run:
            failed = conduct(run, Local(1))
            return failed, len([job for job in run.jobs(status="done") if job.agent != "random"])

    def test_a_declared_file_replaced_on_the_way_fails_every_job_after_it(self, place):
        failed, done = self.failed(place, 1, 'np.save("w.npy", [0.0, 0.0, -1.0, -0.3])')
        assert failed == ["w.npy changed during the run; run it anew."] and done == 0

    def test_what_was_done_before_it_stays(self, place):
        # The plain job is three episodes of at most 500 steps: its two, and the first once more.
        np.save("other.npy", [0.0, 0.0, -1.0, -0.3])
        change = 'import os; os.replace("other.npy", "w.npy")'
        failed, done = self.failed(place, 1501, change)
        assert failed == ["w.npy changed during the run; run it anew."] and done == 1

    def test_a_module_of_ones_own_edited_on_the_way_is_named(self, place):
        failed, _ = self.failed(place, 1, 'open("src_swaps.py", "a").write("# edited")')
        assert failed == ["src_swaps.py changed during the run; run it anew."]


class TestDigest:
    def plan(self, agent="random", task=CARTPOLE):
        forget()
        return exam_plan(agent, task, only=("action.sticky",), episodes=2)

    def test_a_changed_helper_module_is_other_code(self, place):
        write(place, "src_mine.py", "import src_help\n\ndef act(observation):\n    return 0\n")
        write(place, "src_help.py", HELPS)
        plan = self.plan("src_mine:act")
        before, folder = digest_of_source(plan), folder_name(plan)
        assert digest_of_source(self.plan("src_mine:act")) == before
        write(place, "src_help.py", HELPS + "    # changed\n")
        assert digest_of_source(plan) != before and folder_name(plan) != folder

    def test_a_changed_env_of_ones_own_is_other_code(self, place):
        write(
            place,
            "src_env.py",
            """
            import gymnasium

            gymnasium.register("Src-v0", entry_point="src_where:Src", max_episode_steps=20)
            """,
        )
        code = (
            "from gymnasium.envs.classic_control.cartpole import CartPoleEnv\n\nclass Src(CartPoleEnv): ...\n"
        )
        write(place, "src_where.py", code)
        plan = self.plan(task="gym/src_env:Src-v0")
        before = digest_of_source(plan)
        write(place, "src_where.py", code + "# changed\n")
        assert digest_of_source(plan) != before

    def test_another_version_of_a_library_is_other_code(self, place, monkeypatch):
        plan = self.plan()
        before = digest_of_source(plan)
        versions = sources.sources_of_plan(plan).versions
        assert {"gymnasium", "numpy"} <= versions.keys()
        monkeypatch.setattr(
            sources, "sources_of_plan", lambda plan: sources.Sources({}, versions | {"gymnasium": "0.0"})
        )
        assert digest_of_source(plan) != before

    def test_functions_and_files_that_levels_name_count(self, place):
        write(place, "src_noise.py", "def pay(*_):\n    return 0.0\n")
        (place / "rules.yaml").write_text("a")
        modules, files = sources.modules_and_files(
            ["src_noise:pay", "rules.yaml:blink", "red", "0:10:2", "nowhere:x"]
        )
        assert modules == ["src_noise"] and [path.name for path in files] == ["rules.yaml"]


@pytest.mark.parametrize(
    "plan",
    [
        lambda: exam_plan("src_slow:act", CARTPOLE, only=("action.stiky",)),
        lambda: sweep_plan("src_slow:act", CARTPOLE, {"action.sticky": "7"}),
        lambda: exam_plan("src_slow:act", "gym/CartPole-v1+action.sticky=7"),
    ],
)
def test_task_axes_and_levels_are_checked_before_the_agent_is_loaded(place, plan):
    write(place, "src_slow.py", "raise RuntimeError('this module was imported')")
    with pytest.raises(ValueError, match=r"action\.sti"):
        plan()
    assert "src_slow" not in sys.modules


def test_a_reused_result_says_from_when(place, monkeypatch):
    examined("random")
    plan = exam_plan("random", CARTPOLE, only=("action.sticky",), episodes=2)
    with open_or_create(plan, None, ["assay"], sources.Path("runs")) as run:
        conduct(run, Local(1))
        found = find_reused(run)
    assert found.jobs == found.of and found.sentence.startswith("reused from ")
    assert found.sentence.endswith(", same agent, task and code") and found.sentence[14] == ":"
    assert found._replace(jobs=0, since=0.0).sentence.startswith(f"0 of {found.of} jobs reused from 19")


def test_what_an_env_reads_while_it_is_imported_is_seen(place):
    """The plan imports the env before any job does: read then, a file decided every score."""
    write(place, "src_env.py", """
        import gymnasium
        from gymnasium.envs.classic_control import CartPoleEnv

        PAY = float(open("pay.txt").read())

        class Pays(CartPoleEnv):
            def step(self, action):
                seen, reward, *rest = super().step(action)
                return seen, PAY * reward, *rest

        gymnasium.register("SrcPays-v0", Pays, max_episode_steps=20)
    """)  # fmt: skip
    (place / "src_agent.py").write_text("def act(observation):\n    return 0\n")
    scores = []
    for pay in ("1", "3"):
        (place / "pay.txt").write_text(pay)
        forget()
        gymnasium.registry.pop("SrcPays-v0", None)
        plan = exam_plan("src_agent:act", "gym/src_env:SrcPays-v0", only=("action.sticky",), episodes=2)
        with open_or_create(plan, place / "run", ["assay"], place) as run:
            assert conduct(run, Local(1)) == []
            exam = find(run)
        assert any("pay.txt was read and is not covered" in each for each in exam.uncovered)
        scores.append(exam.headline.plain)
    assert scores[1] == pytest.approx(3 * scores[0])


@pytest.mark.parametrize("reads", [
    "import sqlite3; sqlite3.connect('w.db').close()",
    "import subprocess; subprocess.check_output(['cat', 'w.db'])",
])  # fmt: skip
def test_what_other_programs_and_databases_read_is_seen(place, reads):
    (place / "w.db").write_bytes(b"")
    write(place, "src_agent.py", f"def act(observation):\n    {reads}\n    return 0\n")
    _, _, exam = examined("src_agent:act")
    assert any("w.db was read and is not covered" in each for each in exam.uncovered)


def in_one_folder(agent):
    forget()
    return open_or_create(exam_plan(agent, CARTPOLE, only=("action.sticky",), episodes=2),
                          sources.Path("one"), ["assay"], sources.Path("runs"))  # fmt: skip


def test_what_is_other_code_is_named(place, monkeypatch):
    write(place, "src_help.py", HELPS)
    write(place, "src_mine.py", "import src_help\n\ndef act(observation):\n    return 0\n")
    with in_one_folder("src_mine:act") as run:
        conduct(run, Local(1))
        assert set(run.document.sources.files) >= {"src_help", "src_mine"}
    write(place, "src_help.py", "def sign(x):\n    return int(x < 0)\n")
    with in_one_folder("src_mine:act") as run:
        with pytest.raises(AssayError, match=r"made by other code \(src_help changed\), and results"):
            conduct(run, Local(1))
        assert can_be_done_again(run) == "it was made by other code (src_help changed)"
        monkeypatch.setattr(sources, "digest_of_file", lambda path: path.name)
        with pytest.raises(
            AssayError, match=r"\(src_help changed, assay.* changed, .* more files of assay\)"
        ):
            conduct(run, Local(1))


def test_another_version_and_a_file_that_is_gone_are_named(place):
    plan = exam_plan("random", CARTPOLE, only=("action.sticky",), episodes=2)
    kept = sources.pieces_of_source(plan)
    assert sources.describe_changes(kept, plan) == sources.describe_changes(None, plan) == ""
    version = kept.versions["gymnasium"]
    older = replace(kept, files={"mine": "0"}, versions={**kept.versions, "gymnasium": "0.1"})
    assert sources.describe_changes(older, plan) == f"mine is gone, gymnasium was 0.1 and is now {version}"


def test_what_was_reused_and_what_was_replaced_is_told_apart(place):
    np.save("weights.npy", np.ones(4))
    write(place, "src_help.py", HELPS)
    write(place, "src_mine.py", ACTS)
    with in_one_folder("src_mine:act") as run:
        conduct(run, Local(1))
        assert find_reused(run) is None and describe_replaced(run) == ""
    with in_one_folder("src_mine:act") as run:
        conduct(run, Local(1))
        says = find_reused(run).sentence
        assert says.startswith("random play's job reused from ") and says.endswith("; the agent's are new")
        assert describe_replaced(run) == (
            "replaced the earlier results of 2 jobs: weights.npy was read and is not covered"
        )
        assert describe_rerun(run) == "done anew each time: weights.npy was read and is not covered"
