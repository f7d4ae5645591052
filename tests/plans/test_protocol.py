"""A suite of an env with measures from its file to its report: one training for pairs that train alike,
measures in the records however the agent plays, rollouts in every task, and the best blind policy beside it.
"""

import json
import sys
from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

from assay.agents import blind
from assay.analysis.experiment import find_experiment
from assay.catalogue import suite
from assay.cli.main import app
from assay.core.keys import seed_words
from assay.errors import AssayError
from assay.plans.job_plan import job_plan
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import exam_plan, suite_plan
from assay.plans.pair_jobs import PairPlace, locate_pairs
from assay.plans.plan import PairPlan
from assay.plans.protocol import measures_of, without_observation_axes
from assay.results import open_run
from assay.runs.batches import builder_of
from assay.runs.evaluate import EvaluationSetup, evaluate
from assay.runs.native_jobs import evaluation_seed, means_of
from assay.runs.program import build_alone, program, stack_tasks
from assay.runs.repeat import do_again
from assay.runs.training_records import roll_out
from assay.suites.suite import Pair, Suite

# Every task names the same axes, so that all of them are one program.
SHORT = "platformer/run+observation=state+episode_length=60+dist_to_success=40.0{}{}"
FLAT = SHORT.format("+layout.p_change=0.0", "+physics.move_speed=1")
FASTER = SHORT.format("+layout.p_change=0.7", "+physics.move_speed=2")
SHORT = SHORT.format("+layout.p_change=0.7", "+physics.move_speed=1")
PAIRS = (Pair(SHORT, FLAT, "ground 1"), Pair(SHORT, FASTER, "speed 1"))
FILE = f"""
name: small
asks: does it run elsewhere?
pairs:
  - {{train: "{SHORT}", evaluate: "{FLAT}", name: ground 1}}
  - {{train: "{SHORT}", evaluate: "{FASTER}", name: speed 1}}
seeds: 2
episodes: 3
rollouts: true
blind: [success]
"""


def unseeing(measures):
    """How evaluation treats the blind agent."""
    return EvaluationSetup(blind.act, measures, False, blind.start_memory)


NAMES = {"passed_distance", "progress", "success", "success_once", "jump_count", "x", "y", "vx_mean",
         "vy_mean"}  # fmt: skip


def suite_of(*pairs, **more):
    return Suite("small", 1, "does it run?", pairs, (0, 1), 3, **more)


def test_pairs_that_train_alike_share_a_job():
    def planned(settings):
        tasks = [("a", "b"), ("c", "a"), ("a", "a"), ("a", "d"), ("c", "a")]
        return [
            PairPlan(train=train, evaluate=evaluate, settings=each)
            for (train, evaluate), each in zip(tasks, settings)
        ]

    assert locate_pairs(planned([None] * 5)) == [
        PairPlace("000", 1), PairPlace("001", 1), PairPlace("000", 0), PairPlace("000", 2),
        PairPlace("001", 1),
    ]  # fmt: skip
    # With settings of their own they are trained apart.
    settings = [{"batch": size} for size in (1, 1, 2, 1, 1)]
    assert [place.job for place in locate_pairs(planned(settings))] == ["000", "001", "002", "000", "001"]


def test_one_training_serves_all_pairs_of_a_task():
    jobs = jobs_of(suite_plan(suite_of(*PAIRS, Pair(FLAT, FLAT, "ground 2")), "blind"))
    assert [(job.pair, job.seed) for job in jobs] == [("000", 0), ("000", 1), ("002", 0), ("002", 1)]
    assert [(each.arm, each.task) for each in job_plan(jobs[0]).tries] == [
        ("plain", SHORT), ("pair", FLAT), ("pair", FASTER),
    ]  # fmt: skip


def test_a_plan_says_what_pairs_change_and_what_the_env_tells():
    plan = suite_plan(suite_of(*PAIRS, steps=10**9), "blind")
    assert [(pair.name, pair.changes) for pair in plan.suite.pairs] == [
        ("ground 1", {"layout.p_change": (0.7, 0.0)}), ("speed 1", {"physics.move_speed": (1, 2)}),
    ]  # fmt: skip
    shown = {each.title: each.gap for each in plan.suite.measures}
    assert shown == dict.fromkeys(("distance", "progress", "success", "success once"), "share")
    assert plan.budget == blind.Config().steps  # a search has a budget of its own
    toy = suite_plan(Suite("toys", 1, "", (Pair("toy/discrete", "toy/discrete"),), (0,), 2), "tabular_q")
    assert (toy.suite.measures, toy.suite.blind) == ((), None)
    assert [(pair.name, pair.changes) for pair in toy.suite.pairs] == [("", {})]


def test_blind_policies_play_the_world_without_its_looks():
    assert without_observation_axes(FASTER) == FASTER.replace("+observation=state", "")
    assert without_observation_axes("toy/discrete+observation.delay=2+delay=1") == "toy/discrete+delay=1"
    plan = suite_plan(suite_of(*PAIRS, blind=("score", "success")), "random")
    asked = plan.suite.blind
    assert asked.words == ("RIGHT", "RIGHT + JUMP")
    assert [settings["choose"] for settings in asked.settings] == ["score", "success"]
    assert [job.agent for job in jobs_of(plan)] == ["random"] * 2 + ["blind"] * 4
    assert suite_plan(suite_of(*PAIRS, blind=("score",)), "blind").suite.blind is None


def test_a_blind_search_has_its_task_alone_and_an_exam_one_program_for_all_axes():
    (job, _) = jobs_of(suite_plan(suite_of(*PAIRS), "blind"))
    assert builder_of(job) is build_alone
    [job, *_] = jobs_of(exam_plan("blind", SHORT, only=("physics.gravity",), seeds=1))
    assert builder_of(job).func is program


def test_a_run_that_is_scaled_down_searches_less():
    plan = suite_plan(suite_of(*PAIRS, blind=("score",)), "dqn", settings={"steps": 4000})
    assert plan.suite.blind.settings[0]["steps"] == 4000


@pytest.mark.parametrize(
    ("pair", "by", "says"),
    [(PAIRS[0], "luck",
      "small chooses a blind policy by 'luck', but platformer/run measures only score, passed_dist"),
     (Pair("toy/continuous", "toy/continuous"), "score", "asks for a blind policy on toy/continuous, but it"),
     (Pair("gym/CartPole-v1", "gym/CartPole-v1"), "score", "but it is hosted; drop `blind` from the suite.")],
)  # fmt: skip
def test_what_no_blind_policy_can_be_is_one_sentence(pair, by, says):
    with pytest.raises(AssayError) as refused:
        suite_plan(suite_of(pair, blind=(by,)), "random")
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_every_report_is_played_in_every_task_of_its_job():
    (job, _) = jobs_of(suite_plan(suite_of(*PAIRS, rollouts=True), "blind"))
    family = blind.policies(blind.Config(longest=2, held=(1,)))  # RIGHT, RIGHT and JUMP, now and then
    way = EvaluationSetup(blind.act, measures_of(SHORT), False, blind.start_memory)
    found = roll_out(job, True, partial(means_of, way, job, family))
    told = {"score", "length"} | NAMES
    assert set(found) == {f"rollout.{task}.{name}" for task in range(3) for name in told}
    assert found["rollout.0.jump_count"].tolist() == [0, 60, 30]
    assert found["rollout.2.length"].tolist() == [60, 60, 60]
    # On flat ground one pixel at each step, but for those on the way down; faster where that is faster.
    assert found["rollout.1.passed_distance"][0] == pytest.approx(60, abs=3)
    assert found["rollout.2.passed_distance"][1] > 1.3 * found["rollout.0.passed_distance"][1]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The whole path: a suite's file, an agent of one's own, records and reports."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.yaml").write_text(FILE)
    (folder / "runner_of_ours.py").write_text(
        "def train(env, seed, steps):\n    return lambda observation: 6\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        words = ["run", str(folder / "small.yaml"), "--agent", "runner_of_ours:train", "--out",
                 str(folder / "run"), "--workers", "1", "--steps", "9"]  # fmt: skip
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.stderr or repr(done.exception)
        with open_run(folder / "run") as run:
            yield run, done.stdout
    sys.modules.pop("runner_of_ours", None)


def test_measures_are_in_the_records_however_an_agent_plays(ran):
    run, _ = ran
    held = blind.Policy(*map(np.int32, (1, 1, 2, 6)))
    for seed in (0, 1):
        [job] = run.jobs(agent="runner_of_ours:train", seed=seed)
        words = seed_words(evaluation_seed(seed))
        for each in job_plan(job).tries:
            rows = [row for row in run.query(f"SELECT task, extra FROM episode WHERE job = '{job.id}'")
                    .to_pylist() if row["task"] == each.task]  # fmt: skip
            tasks = stack_tasks(
                [build_alone(without_observation_axes(each.task))] * 3
            )  # the program that plays the blind policies
            native = evaluate(tasks, held, words, unseeing(measures_of(SHORT)), 3)
            for number, row in enumerate(rows):
                told = json.loads(row["extra"])
                assert set(told) == NAMES
                for name, value in told.items():
                    assert value == pytest.approx(float(native.measures[name][0, number]), abs=1e-5), name


def test_blind_policies_are_jobs_and_references_of_the_run(ran):
    run, _ = ran
    jobs = run.jobs(agent="blind", status="done")
    assert [(job.pair, job.seed, job_plan(job).settings["choose"]) for job in jobs] == [
        ("000", 0, "success"), ("000", 1, "success"),
    ]  # fmt: skip
    assert not any(job_plan(job).rollouts for job in jobs)
    assert run.verify().holds
    [again] = do_again(run, jobs[:1], lambda *told: None)
    assert again.same, again.says


def test_the_report_tells_gaps_and_the_best_blind_policy(ran):
    run, said = ran
    assert "best blind policies, which see nothing, on the same levels" in said
    assert "ground 1" in said and "layout.p_change 0.7 → 0" in said
    found = find_experiment(run)
    ground, speed = found.gaps.pairs
    [best] = ground.blind
    assert best.trained == speed.blind[0].trained and best.trained["success"] >= 0.5
    faster = speed.blind[0].evaluated["passed_distance"]
    assert faster > 1.3 * best.trained["passed_distance"]  # its own world, not that of the other pair
    for name in ("report.html", "report.md", "report.csv", "report.json"):
        assert (run.folder / name).exists()
    assert "RIGHT + JUMP" in (run.folder / "report.html").read_text()
    assert find_experiment(run, compat="kage").gaps.pairs[0].evaluations == 1  # it left no reports


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kage/distractors", "kage/effects"])
def test_looks_are_nothing_to_who_does_not_look(name):
    held = blind.Policy(*map(np.int32, (9, 1, 2, 6)))

    def played(text):
        tasks, measures = stack_tasks([build_alone(text)]), measures_of(text)
        out = evaluate(tasks, held, seed_words(3), unseeing(measures), 8)
        return {"score": out.score, **out.measures}

    for pair in suite(name).pairs:
        for text in (pair.train, pair.evaluate):
            assert without_observation_axes(text) == "platformer/run"
        plain, seen = played("platformer/run"), played(pair.evaluate)
        for measure, values in plain.items():
            np.testing.assert_array_equal(values, seen[measure], err_msg=f"{measure} of {pair.name}")
