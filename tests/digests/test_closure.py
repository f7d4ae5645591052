"""The closure: every module and data file that a job loads is in it; what only draws or decides is not."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.digests.closure import BY_DEFINITION, closure
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import exam_plan, train_plan
from assay.plans.sources import sources_of_plan

PACKAGE = Path(assay.__file__).parent
# One job of every family and of every agent; few steps, for each is compiled in a process of its own.
PLANS = {
    "tabular_q on toy/discrete": lambda: train_plan("tabular_q", "toy/discrete+reward.noise=0.5", seeds=1,
                                                    settings={"steps": 1000}),
    "random on toy/continuous": lambda: exam_plan("random", "toy/continuous", only=["action.random"],
                                                  episodes=1),
    "random on gym": lambda: exam_plan("random", "gym/CartPole-v1", only=["action.sticky"], episodes=1),
    "random on atari": lambda: exam_plan("random", "atari/Pong+max_frames=200", only=["lazy_enemy"],
                                         episodes=1),
}  # fmt: skip
SLOW_PLANS = {
    "dqn on toy/grid": lambda: train_plan("dqn", "toy/grid", seeds=1, settings={"steps": 2000}),
    "blind on platformer": lambda: train_plan("blind", "platformer/run+episode_length=40", seeds=1,
                                              settings={"steps": 400}),
    "random on platformer": lambda: exam_plan("random", "platformer/run+episode_length=5",
                                              only=["background.mode"], episodes=1),
}  # fmt: skip
CHILD = """
import json, os, pickle, sys
opened = set()
sys.addaudithook(lambda event, args: opened.add(str(args[0])) if event == "open" else None)
from assay.runs.native_jobs import execute
with open(sys.argv[1], "rb") as file:
    job = pickle.load(file)
(result,) = execute([job])
assert not result.failed, result.failed
loaded = sorted(name for name in sys.modules if name == "assay" or name.startswith("assay."))
print(json.dumps({"loaded": loaded, "opened": sorted(opened)}))
"""


def in_fresh_process(job, tmp_path):
    """What a process that does this job alone loads and opens."""
    (tmp_path / "job").write_bytes(pickle.dumps(job))
    out = subprocess.run([sys.executable, "-c", CHILD, str(tmp_path / "job")], text=True, check=True,
                         stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
                         cwd=tmp_path)  # fmt: skip
    return json.loads(out.stdout.splitlines()[-1])


def check_closure(plan, tmp_path):
    job = jobs_of(plan)[-1]
    found = sources_of_plan(plan)
    seen = in_fresh_process(job, tmp_path)
    whole = {name for name in seen["loaded"] if not BY_DEFINITION.fullmatch(name)}
    assert len(whole) > 30 and whole - set(found.code) == set()
    covered = {path.resolve() for path in found.code.values()}
    data = {Path(path).resolve() for path in seen["opened"] if path.startswith(str(PACKAGE))}
    left = {path for path in data if path.suffix not in (".py", ".pyc") and path.is_file()} - covered
    assert left == set()


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_job_loads_nothing_outside_its_closure(plan, tmp_path):
    check_closure(plan(), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("plan", SLOW_PLANS.values(), ids=SLOW_PLANS)
def test_a_dear_job_loads_nothing_outside_its_closure(plan, tmp_path):
    check_closure(plan(), tmp_path)


def test_analysis_statistics_and_drawing_are_outside():
    code = sources_of_plan(train_plan("dqn", "toy/discrete", seeds=1)).code
    outside = {name for name in code if name.split(".")[1:2] and name.split(".")[1] in
               ("analysis", "stats", "report", "cli", "conduct", "audit", "proof", "bench")}  # fmt: skip
    assert outside == set()
    assert {"assay.core.step", "assay.agents.dqn", "assay.envs.toy.discrete"} <= set(code)


def test_code_that_is_named_in_a_text_is_followed():
    found = closure(["assay.envs.toy.discrete_params"])
    assert "assay.envs.toy.discrete" in found  # by the text assay.envs.toy.discrete:TRANSITION_NOISE
