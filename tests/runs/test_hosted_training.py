"""Learners of ours on hosted tasks: the native algorithm, the true last observation, and the same bits
however many processes play the lanes, and after a kill. Trainings that go on: `test_hosted_checkpoints.py`.
"""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from typer.testing import CliRunner
from victim_loading import load_victim

from assay.agents import dqn, dqn_lanes, tabular_q
from assay.agents.agent import Agent, LaneLearner, LaneSteps
from assay.cli.main import app
from assay.core import step as loop
from assay.core.keys import root_of, stream
from assay.core.space import Box, Discrete
from assay.interop.gymnasium import make
from assay.interop.play import play, play_side_by_side
from assay.native import build_native
from assay.plans.job_plan import job_plan
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import exam_plan, suite_plan
from assay.results import open_run
from assay.runs.estimate import estimate
from assay.runs.hosted_training import (
    LaneTally,
    last_observations,
    policy_of,
    train_on_hosted,
)
from assay.runs.native_jobs import execute
from assay.runs.result import Meter
from assay.stats.resampling import bootstrap_t
from assay.suites.suite import Pair, Suite

CARTPOLE = "gym/CartPole-v1"
SMALL = dqn.Config(steps=2000, report_every=500, learning_starts=500, target_every=100, hidden=(16,))
SET = [f"--set={name}={getattr(SMALL, name)}" for name in ("report_every", "learning_starts", "target_every")]
TRAIN = ["train", "dqn", CARTPOLE, "--seeds", "2", "--steps", "2000", *SET, "--set=hidden=[16]",
         "--episodes", "5", "--workers", "1", "--out"]  # fmt: skip


def same(a, b):
    return jax.tree.all(jax.tree.map(partial(np.array_equal, equal_nan=True), a, b))


def called(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output + done.stderr
    return done.output


def by_hand(learner, config, task, key):
    """A learner in a native task that is played step by step outside of its program, by the same keys."""
    seen, world = loop.reset(task, stream(key, "reset"))
    state = learner.start(key, task, config)

    @jax.jit
    def one_step(state, seen, world, made):
        now = jax.random.fold_in(stream(key, "env"), made)
        action = learner.choose(task, config, state, seen[None])
        out = loop.step(task, stream(now, "step"), world, action[0])
        cut = out.truncated & ~out.terminated
        steps = LaneSteps(*(
            part[None] for part in (seen, action[0], out.reward, out.observation, out.terminated, cut)
        ))  # fmt: skip
        again = loop.start_after(task, stream(now, "again"), out.state)
        first, again = loop.look(task, stream(now, "again"), again)
        ended = out.terminated | out.truncated
        after = jax.tree.map(partial(jnp.where, ended), (first, again), (out.observation, out.state))
        return learner.learn(task, config, state, steps), *after

    for made in range(config.steps):
        state, seen, world = one_step(state, seen, world, made)
    return learner.params(state)


@pytest.mark.parametrize(
    ("agent", "config"),
    [(dqn.AGENT, dqn.Config(steps=200, report_every=40, learning_starts=40, target_every=20, hidden=(8,))),
     (tabular_q.AGENT, tabular_q.Config(steps=200, report_every=100))],
)  # fmt: skip
def test_outside_of_its_program_it_learns_what_it_learns_inside(agent, config):
    task = build_native("toy/discrete").task
    inside = jax.jit(lambda key: agent.train(key, task, config).params)(root_of(3))
    outside = by_hand(agent.learner, config, task, root_of(3))
    for a, b in zip(jax.tree.leaves(inside), jax.tree.leaves(outside), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


class Clockwork(gymnasium.Env):
    """Shows how many steps were made and pays 1 for each; it never terminates, so it is cut after 3."""

    observation_space = gymnasium.spaces.Box(0.0, 9.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.made = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.made += 1
        return np.array([self.made], np.float32), 1.0, False, False, {}


gymnasium.register("assay-tests/Clockwork-v0", Clockwork, max_episode_steps=3)
CLOCKWORK = "gym/assay-tests/Clockwork-v0"


@dataclass(frozen=True)
class Watching:
    steps: int = 8
    report_every: int = 4


def watcher(lanes):
    """A learner that learns nothing and keeps every step that it is told."""

    def start(key, task, config):
        rows = jnp.zeros((config.steps, 5))
        return rows, jnp.int32(0)

    def learn(task, config, state, steps):
        rows, made = state
        row = jnp.stack([steps.observation[:, 0], steps.action, steps.reward, steps.after[:, 0],
                         steps.terminated], axis=1)  # fmt: skip
        return jax.lax.dynamic_update_slice(rows, row.astype(jnp.float32), (made, 0)), made + lanes

    return LaneLearner(
        lanes=lambda config: lanes,
        start=start,
        choose=lambda task, config, state, seen: jnp.zeros(len(seen), jnp.int32),
        learn=learn,
        params=lambda state: state[0],
    )


def test_a_cut_episode_is_seen_to_its_true_end_and_does_not_terminate():
    agent = Agent(Watching, train=None, act=None, learner=watcher(2))
    trained = train_on_hosted(agent, "watcher", CLOCKWORK, 0, Watching())
    # Two lanes, cut after 3 steps: what is seen after the third is 3, and the next step begins at 0.
    wanted = [[0, 0, 1, 1, 0], [1, 0, 1, 2, 0], [2, 0, 1, 3, 0], [0, 0, 1, 1, 0]]
    assert trained.params.reshape(4, 2, 5).tolist() == [[row, row] for row in wanted]
    told = trained.reports
    assert told.step.tolist() == [4, 8] and told.episodes.tolist() == [0, 2]
    assert np.isnan(told.score[0]) and (told.score[1], told.paid[1], told.length[1]) == (3, 3, 3)


def test_the_last_observation_is_that_of_the_lane_that_ended():
    after = np.array([[1.0], [0.0]])
    info = {"final_obs": np.array([None, np.array([7.0])], object), "_final_obs": np.array([False, True])}
    assert last_observations(after, info).tolist() == [[1.0], [7.0]] and after[1, 0] == 0
    assert last_observations(after, {}) is after


def test_a_tally_by_hand():
    tally = LaneTally(2)
    tally.count(np.array([1.0, 2.0]), np.array([1.0, 4.0]), np.array([False, True]))
    tally.count(np.array([1.0, 2.0]), np.array([3.0, 0.0]), np.array([True, False]))
    told = tally.report(4)
    assert (told.score, told.paid, told.length, told.episodes) == (2, 4, 1.5, 2)
    tally.count(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([False, True]))
    assert (tally.report(6).score, tally.report(8).episodes) == (3, 0)  # lane 1 had 2 when the report came


@pytest.mark.parametrize(("of_one_update", "lanes"), [(1, 1), (4, 4), (6, 6), (7, 7), (12, 6), (22, 2)])
def test_lanes_are_those_of_one_update(of_one_update, lanes):
    counts = dict.fromkeys(("target_every", "report_every", "learning_starts", "steps"), of_one_update * 10)
    assert dqn_lanes.lanes(dqn.Config(steps_per_update=of_one_update, **counts)) == lanes


@pytest.fixture(scope="module")
def trained():
    return [train_on_hosted(dqn.AGENT, "dqn", CARTPOLE, seed, SMALL, workers=0) for seed in (0, 1)]


def test_weights_and_curves_are_the_same_bits_with_1_and_with_2_env_workers(trained):
    for workers in (1, 2):
        assert same(train_on_hosted(dqn.AGENT, "dqn", CARTPOLE, 0, SMALL, workers=workers), trained[0])
    assert not same(trained[0].params, trained[1].params)
    assert trained[0].reports.step.tolist() == [500, 1000, 1500, 2000]
    first, *_, last = trained[0].checkpoints[0][0]  # learning starts after the first report
    assert (first != last).any() and (last == trained[0].params[0][0]).all()


def test_processes_that_played_lanes_are_in_the_cost():
    meter = Meter()
    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
    assert meter.read().cpu_s > 0.01 > meter.read().cpu_s


OF_THE_MOMENT = {"started", "ended", "wall_s", "cpu_s", "device_s", "host"}


def records(folder: Path) -> dict:
    """All tables and weights, without the columns that hold time, host and cost."""
    with open_run(folder) as run:
        found = {}
        for table in ("job", "episode", "curve"):
            columns = run.query(f"SELECT * FROM {table}")
            kept = columns.drop_columns([c for c in columns.column_names if c in OF_THE_MOMENT])
            found[table] = sorted(map(repr, kept.to_pylist()))
        return found | {path.name: path.read_bytes() for path in sorted((folder / "weights").iterdir())}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    called(*TRAIN, folder)
    return folder


def test_a_run_holds_what_was_learned(undisturbed, trained):
    with open_run(undisturbed) as run:
        for job, one in zip(sorted(run.jobs(), key=lambda job: job.seed), trained, strict=True):
            arrays = run.weights(job.id).arrays
            np.testing.assert_array_equal(arrays["0.0"], one.params[0][0])
            rows = [row for row in run.curves(job=job.id).to_pylist() if row["name"] == "score"]
            np.testing.assert_array_equal([row["value"] for row in rows], one.reports.score)
            assert run.episodes(job=job.id).num_rows == 5


def test_records_are_equal_after_a_kill_and_resume(undisturbed, tmp_path):
    marker = tmp_path / "marker"
    about = {"VICTIM_MARKER": str(marker), "VICTIM_MOMENT": "a job in flight", "VICTIM_NUMBER": "2"}
    about["PYTHONPATH"] = os.pathsep.join(
        [str(load_victim(tmp_path / "site")), os.environ.get("PYTHONPATH", "")]
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", *TRAIN, "run"], cwd=tmp_path, env=os.environ | about,
        start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until = time.monotonic() + 120
        while not marker.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        assert marker.exists(), "it ended before it was killed"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    called("resume", tmp_path / "run")
    assert records(tmp_path / "run") == records(undisturbed)


def test_jobs_done_again_give_the_same_bits_and_agents_trained_before_are_examined(undisturbed, tmp_path):
    assert "1 of 1 done again gave the same bits" in called("verify", undisturbed, "--sample", "1")
    called("examine", f"run:{undisturbed}", CARTPOLE, "--axes", "action.delay", "--episodes", "3",
           "--out", tmp_path / "exam")  # fmt: skip
    with open_run(tmp_path / "exam") as exam:
        jobs = exam.jobs(agent="dqn", status="done")
        assert len(jobs) == 2 and exam.curves().num_rows == 0  # nothing was trained
        assert {row["arm"] for row in exam.episodes(job=jobs[0].id).to_pylist()} == {"plain", "carry"}


def test_what_only_pays_otherwise_is_learned_under():
    asked = {"only": ("reward.delay", "action.delay"), "seeds": 1, "episodes": 2}
    plan = exam_plan("dqn", CARTPOLE, settings=settings(), **asked)
    jobs = [job for job in jobs_of(plan) if job.agent == "dqn"]
    assert [job_plan(job).arm for job in jobs] == ["learn", "plain"]
    learned, plain = (result for job in jobs for result in execute([job]))
    assert not learned.failed and not plain.failed
    assert not np.array_equal(learned.weights["0.0"], plain.weights["0.0"])
    assert estimate(plan, jobs).seconds > 0


def settings():
    return {name: getattr(SMALL, name) for name in ("steps", "report_every", "learning_starts",
                                                    "target_every", "hidden")}  # fmt: skip


def test_the_policy_of_every_report_is_played_where_a_suite_asks():
    pair = Pair(CARTPOLE, f"{CARTPOLE}+action.delay=1")
    plan = suite_plan(Suite("s", 1, "", (pair,), (0,), 3, rollouts=True), "dqn", settings=settings())
    [result] = execute(jobs_of(plan))
    names = {row["name"]: 0 for row in result.curves.to_pylist()}
    assert not result.failed and {"rollout", "rollout_length"} <= set(names)
    last = [row["value"] for row in result.curves.to_pylist() if row["name"] == "rollout"]
    assert len(last) == 4 and all(value > 0 for value in last)


def test_a_table_is_learned_on_a_hosted_task():
    """On a lake without slipping 0.9 of greedy episodes would be luck: they are all alike, so all arrive."""
    text = 'gym/FrozenLake-v1+make.is_slippery=false+make.map_name="4x4"'
    config = tabular_q.Config(steps=6000, report_every=3000, explore=1.0, discount=0.9)
    found = train_on_hosted(tabular_q.AGENT, "tabular_q", text, 0, config)
    env = make(text)
    played = play(policy_of(tabular_q.AGENT, config, found.params)(env), env, "tabular_q", 5, 3)
    assert [each.score for each in played] == [1.0] * 3 and {each.steps for each in played} == {6}


def test_an_agent_with_memory_begins_each_hosted_episode_anew():
    """It chooses 1 first and 0 from then on."""

    def act(task, params, made, key, observation):
        return jnp.where(made == 0, 1, 0), made + 1

    agent = Agent(Watching, train=None, act=act, start_memory=lambda task, params: jnp.int32(0), draws=False)
    policy = policy_of(agent, None, ())(make(CLOCKWORK))
    assert not policy.batches
    chosen = []
    for seed in (4, 5):
        policy.begin(seed)
        chosen += [int(policy.act(np.zeros(1, np.float32))) for _ in range(3)]
    assert chosen == [1, 0, 0, 1, 0, 0]


def test_bytes_in_a_row_are_scaled_and_nothing_else_is():
    from assay.agents.network import as_features

    row = jnp.array([0, 255], jnp.uint8)
    assert as_features(Box(0, 255, (2,), "uint8"), row).tolist() == [0.0, 1.0]
    assert as_features(Box(0, 255, (1, 2, 1), "uint8"), row[None, :, None]).tolist() == [0.0, 255.0]
    assert as_features(Box(-1.0, 1.0, (2,)), jnp.array([0.5, -1.0])).tolist() == [0.5, -1.0]
    assert as_features(Discrete(2), jnp.int32(1)).tolist() == [0.0, 1.0]


def score(params, text, config, episodes=20):
    env = make(text)
    policy = policy_of(dqn.AGENT, config, params)(env)
    env.close()
    return np.mean(
        [each.score for each in play_side_by_side(policy, partial(make, text), "dqn", 99, episodes)]
    )


@pytest.mark.slow
def test_games_give_the_same_weights_in_0_1_and_2_processes():
    text = "atari/Pong+observation=ram"
    found = [train_on_hosted(dqn.AGENT, "dqn", text, 0, SMALL, workers=workers) for workers in (0, 1, 2)]
    assert same(found[0], found[1]) and same(found[0], found[2])


@pytest.mark.slow
def test_dqn_learns_cartpole_as_stable_baselines3_does():
    """By a short budget, on which both are halfway: 22 is random play, 500 the most."""
    pytest.importorskip("stable_baselines3")
    import torch

    from assay.bench.dqn import as_our_params, overlap, settings, their_dqn
    from assay.runs.hosted_training import spaces_of
    from assay.tasks import resolve

    torch.set_num_threads(1)  # more of them wait for each other, busily
    config = dqn.Config(steps=10_000, hidden=(64, 64), activation="relu", learning_rate=1e-3, batch=64,
                        target_every=500, explore_until=0.2, explore_last=0.04)  # fmt: skip
    ours = [train_on_hosted(dqn.AGENT, "dqn", CARTPOLE, seed, config).params for seed in range(4)]
    models = [their_dqn(config, seed, make(CARTPOLE)) for seed in range(4)]
    compared = settings(config, models[0], spaces_of(resolve(CARTPOLE)))
    assert [row for row in compared if row.ours != row.theirs] == []
    theirs = [as_our_params(model.learn(config.steps)) for model in models]
    scores = [np.array([score(params, CARTPOLE, config) for params in side]) for side in (ours, theirs)]
    intervals = [bootstrap_t(side, rng=np.random.default_rng(0), step=0.05) for side in scores]
    assert overlap(*intervals) and min(map(np.mean, scores)) > 30
