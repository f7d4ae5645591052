"""A training in pieces is the training in one, and one that was killed goes on from its last checkpoint."""

import signal
import subprocess
import sys
import textwrap
from dataclasses import replace

import jax
import numpy as np
import pytest

from assay.agents import on_policy, ppo
from assay.conduct.phases import conduct, open_or_create
from assay.core.keys import root_of, stream
from assay.errors import AssayError
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import train_plan
from assay.results import open_run
from assay.runs import train_in_pieces as pieces
from assay.runs.batches import builder_of
from assay.runs.local import Local

SMALL = {"steps": 1152, "report_every": 512, "envs": 4, "rollout": 32, "minibatches": 4}  # 9 iterations
CONFIG = ppo.Config(**SMALL)


def plan_of(**settings):
    return train_plan("ppo", "toy/discrete", seeds=1, episodes=2, settings=SMALL | settings)


def job_of(rollouts=False, **settings):
    (job,) = jobs_of(plan_of(**settings))
    return replace(job, config={**job.config, "rollouts": rollouts, "companions": []})


def assert_same(one, other):
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        assert np.array_equal(a, b, equal_nan=True)


def test_reports_are_made_at_every_multiple_and_at_the_end():
    assert on_policy.report_at(CONFIG) == (4, 8, 9)
    assert on_policy.report_at(replace(CONFIG, steps=1024)) == (4, 8)


def test_pieces_of_any_size_are_the_training_in_one_bit_for_bit(tmp_path, monkeypatch):
    job = job_of(rollouts=True)
    task = builder_of(job)(job.train_task)
    whole = jax.jit(ppo.train, static_argnums=2)(stream(root_of(job.seed), "train"), task, CONFIG)
    assert_same(whole, pieces.train_in_pieces(ppo.AGENT, CONFIG, job))
    assert len(whole.reports.step) == 3
    monkeypatch.setattr(pieces, "SAVE_EVERY_S", 0.0)  # an iteration at a time, saved each time
    assert_same(whole, pieces.train_in_pieces(ppo.AGENT, CONFIG, job, tmp_path))
    saved = sorted(path.name for path in (tmp_path / job.id).iterdir())
    assert saved == ["params-0.npz", "params-1.npz", "params-2.npz", "state.npz"]
    monkeypatch.setattr(pieces, "make_iterations", None)  # nothing is left to do: all is read from the files
    assert_same(whole, pieces.train_in_pieces(ppo.AGENT, CONFIG, job, tmp_path))


def test_a_short_training_leaves_no_checkpoint(tmp_path):
    pieces.train_in_pieces(ppo.AGENT, CONFIG, job_of(), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_of_another_training_is_refused_by_its_difference(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "SAVE_EVERY_S", 0.0)
    job, other = job_of(), job_of(clip=0.3)
    pieces.train_in_pieces(ppo.AGENT, CONFIG, job, tmp_path)
    (tmp_path / job.id).rename(tmp_path / other.id)
    with pytest.raises(AssayError, match=r"its settings is .*'clip': 0.2.* and here it is .*'clip': 0.3"):
        pieces.train_in_pieces(ppo.AGENT, replace(CONFIG, clip=0.3), other, tmp_path)


def test_checkpoints_of_done_jobs_are_deleted_and_others_stay(tmp_path):
    for job in ("a", "b"):
        (tmp_path / "checkpoints" / job).mkdir(parents=True)
    pieces.forget(tmp_path / "checkpoints", ["a"])
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["b"]
    pieces.forget(tmp_path / "checkpoints", ["b"])
    assert not list(tmp_path.iterdir())


KILLED = """
    import os, signal, sys
    from assay.runs import train_in_pieces as pieces

    save, saves = pieces.Training.save, []

    def save_and_die(training):
        save(training)
        saves.append(1)
        if len(saves) == 5:
            os.kill(os.getpid(), signal.SIGKILL)

    pieces.SAVE_EVERY_S, pieces.Training.save = 0.0, save_and_die
    from assay.cli.main import main
    sys.exit(main())
"""


def test_a_killed_training_goes_on_and_ends_as_an_undisturbed_one(tmp_path, monkeypatch):
    words = ["train", "ppo", "toy/discrete", "--seeds", "1", "--episodes", "2", "--workers", "1"]
    words += [part for name, value in SMALL.items() for part in ("--set", f"{name}={value}")]
    command = [sys.executable, "-c", textwrap.dedent(KILLED), *words, "--out", str(tmp_path / "killed")]
    assert subprocess.run(command, capture_output=True).returncode == -signal.SIGKILL
    (left,) = (tmp_path / "killed" / "checkpoints").iterdir()
    assert [path.name for path in left.iterdir()] == ["state.npz"]

    counts, make = [], pieces.make_iterations
    monkeypatch.setattr(
        pieces, "make_iterations", lambda *args, **named: counts.append(int(args[3])) or make(*args, **named)
    )
    with open_run(tmp_path / "killed") as run:
        assert conduct(run, Local(1)) == []
    assert sum(counts) == 4  # of 9
    assert not (tmp_path / "killed" / "checkpoints").exists()
    with open_or_create(plan_of(), tmp_path / "whole", ["assay"], tmp_path) as run:
        assert conduct(run, Local(1)) == []
    assert sum(counts) == 4 + 9
    results = []
    for name in ("killed", "whole"):
        with open_run(tmp_path / name) as run:
            assert run.verify().holds
            (job,) = run.jobs()
            results.append(job.digest)  # of the episodes, the curve and the weights
    assert results[0] == results[1]
