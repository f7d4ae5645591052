"""Success on the plain task, from made-up records."""

from types import SimpleNamespace

import numpy as np
import pyarrow
import pytest

from assay.analysis.plain_measures import find_blind_score, find_plain_measures
from assay.results.record import Reference

ROWS = [  # job, arm, episode, what the env told
    ("a", "plain", 0, '{"success": true, "progress": 1.0}'),
    ("a", "plain", 1, '{"success": false, "progress": 0.5}'),
    ("a", "carry", 0, '{"success": false, "progress": 0.0}'),
    ("b", "plain", 0, '{"success": true, "progress": 1.0}'),
    ("b", "plain", 1, '{"success": true, "progress": 1.0}'),
]
PLAN = SimpleNamespace(agent="mine", task="platformer/run")


def made(rows, references=()):
    columns = dict(zip(("job", "arm", "episode", "extra"), map(list, zip(*rows))))
    jobs = [SimpleNamespace(id=name, seed=seed) for seed, name in enumerate(sorted({row[0] for row in rows}))]
    return SimpleNamespace(
        jobs=lambda **_: jobs,
        episodes=lambda **_: pyarrow.table(columns),
        references=lambda **_: list(references),
    )


def test_of_a_given_agent_every_episode_is_won_or_lost():
    (measure,) = find_plain_measures(made(ROWS[:3]), PLAN, "episode", [0, 1], np.random.default_rng(0))
    assert measure.name == "success" and measure.share.value == 0.5
    assert measure.share.low == pytest.approx(1 - np.sqrt(0.975), abs=1e-3)  # Clopper and Pearson, 1 of 2


def test_of_trained_seeds_each_counts_by_its_mean():
    (measure,) = find_plain_measures(made(ROWS), PLAN, "seed", [0, 1], np.random.default_rng(0))
    assert measure.share.value == 0.75 and 0 <= measure.share.low <= measure.share.high <= 1


def test_envs_that_tell_nothing_have_no_measures():
    rows = [("a", "plain", 0, "{}"), ("a", "plain", 1, "{}")]
    assert find_plain_measures(made(rows), PLAN, "episode", [0, 1], np.random.default_rng(0)) == ()


def test_the_best_blind_policy_is_that_of_the_same_task():
    other = Reference(task="platformer/run+x=1", kind="blind", value=-1.0, how="")
    own = Reference(task="platformer/run", kind="blind", value=-247.0, how="")
    assert find_blind_score(made(ROWS, [other, own]), PLAN) == -247.0
    assert find_blind_score(made(ROWS, [other]), PLAN) is None
