"""What an edit of assay itself means for runs that are there, tried on a copy of the package."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import assay

PACKAGE = Path(assay.__file__).parent
PRELUDE = """
import json, sys
from pathlib import Path
from assay.conduct.phases import conduct, open_or_create
from assay.plans.jobs import jobs_of
from assay.plans.plan import plan_of
from assay.plans.make_plan import exam_plan, train_plan
from assay.plans.sources import digest_of_source
from assay.results import open_run
from assay.catalogue import axis_of
from assay.runs.local import Local
from assay.proof.certificate import code_digest

PROVED = [("toy/discrete", "delay"), ("toy/discrete", "reward.noise"), ("gym/CartPole-v1", "action.sticky"),
          ("gym/CartPole-v1", "observation.noise"), ("atari/Pong", "lazy_enemy")]


def digests(plans):
    # Of the code of plans, and of what certificates speak of.
    return [*map(digest_of_source, plans), *(code_digest(env, axis_of(env, name)) for env, name in PROVED)]
"""
# A run that is planned and not begun, and the digests of its code and of an exam's after each edit.
PLANNED = """
plan = train_plan("tabular_q", "toy/discrete+reward.noise=0.5", seeds=2, settings={"steps": 1000})
exam = exam_plan("random", "gym/CartPole-v1", only=["action.sticky"])
with open_or_create(plan, Path("begun"), (), Path("runs")) as run:
    run.add_jobs(jobs_of(plan))
with open_or_create(plan, Path("whole"), (), Path("runs")) as run:
    conduct(run, Local(1))
found = {"as it is": digests((plan, exam))}
for name, (file, old, new) in json.loads(sys.argv[1]).items():
    path = Path(sys.argv[2]) / file
    text = path.read_text()
    assert text.count(old) == 1, (file, old, text.count(old))
    path.write_text(text.replace(old, new))
    found[name] = digests((plan, exam))
    path.write_text(text)
print(json.dumps(found))
"""
RESUMED = """
with open_run("begun") as run:
    now = train_plan("tabular_q", "toy/discrete+reward.noise=0.5", seeds=2, settings={"steps": 1000})
    assert "observation.later" in now.companions and "observation.later" not in plan_of(run).companions
    conduct(run, Local(1))
    begun = {job.id: job.digest for job in run.jobs()}
with open_run("whole") as run:
    assert begun == {job.id: job.digest for job in run.jobs()} and len(begun) == 2
    print(json.dumps(digests((plan_of(run),))))
"""
HARMLESS = {
    "a style sheet": ("report/page.css", "body {", "body { color: black;"),
    "a docstring of the command line": ("cli/train.py", '"""', '"""Reworded: '),
    "a docstring of the core": ("core/step.py", '"""', '"""Reworded: '),
    "a rule of the analysis": ("analysis/power.py", "def ", "def other() -> int:\n    return 1\n\n\ndef "),
}
FELT = {
    "the core": ("core/step.py", "from __future__ import annotations", "EXTRA = 1"),
    "the noise of the reward": ("variations/reward.py", "value + level * draw", "value - level * draw"),
}
LATER = """

from assay.core.axis import Axis
from assay.core.variation import Channel


def later(xp, level, memory, draw, value, ends, space):
    return memory, xp.where(level, value, value)


AXES = (
    *AXES,
    Axis("observation.later", ("observation",), "switch", bool, False, (True,), means="added", origin="test",
         acts=Channel(False, "observation.later", ("observation",), later, neutral=False)),
)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    place = tmp_path_factory.mktemp("edited")
    shutil.copytree(PACKAGE, place / "src" / "assay", ignore=shutil.ignore_patterns("__pycache__"))
    return place


def in_copy(copy, code, *arguments):
    out = subprocess.run(
        [sys.executable, "-c", PRELUDE + code, *arguments],
        text=True,
        check=True,
        cwd=copy,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(copy / "src")},
    )
    return json.loads(out.stdout.splitlines()[-1])


def test_edits_that_move_no_number_leave_runs_resumable(copy):
    edits = {
        name: (file, first(copy, file, old), new.replace(old, first(copy, file, old), 1))
        for name, (file, old, new) in (HARMLESS | FELT).items()
    }
    found = in_copy(copy, PLANNED, json.dumps(edits), str(copy / "src" / "assay"))
    plain = found.pop("as it is")
    assert {name for name, digests in found.items() if digests == plain} == set(HARMLESS)
    same = {name: [a == b for a, b in zip(found[name], plain)] for name in FELT}
    # The loop of native tasks says nothing of what certificates of hosted ones measured.
    assert same["the core"] == [False, False, False, False, True, True, True]
    # A variation counts where it is used: the exam of the other task does not know the reward's noise.
    assert same["the noise of the reward"] == [False, True, True, False, True, True, True]
    variations = copy / "src" / "assay" / "variations" / "observation.py"
    variations.write_text(variations.read_text() + LATER)
    assert in_copy(copy, RESUMED) == [plain[0], *plain[2:]]


def first(copy, file, old):
    """Enough of the text after `old` that it stands in the file once."""
    text = (copy / "src" / "assay" / file).read_text()
    place, length = text.index(old), len(old)
    while text.count(text[place : place + length]) > 1:
        length += 1
    return text[place : place + length]
