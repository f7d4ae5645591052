"""Random play of the suites `hackatari/*` is shipped for every task, and by the rules of today."""

import json

import pytest

from assay.catalogue import suites
from assay.errors import AssayError
from assay.plans import random_play
from assay.plans.random_play import random_play_of
from assay.suites.hackatari import HACKATARI, PAPER_32, task_of
from assay.suites.hackatari_random import FILE, digest_of_table, random_table, read_table

TASKS = sorted({pair.evaluate for each in suites() if each.normalised == HACKATARI for pair in each.pairs})


def test_every_task_has_random_play_by_its_rules():
    """If rules changed, `python benchmarks/hackatari_random.py` renews what is shipped."""
    table = random_table()
    for task in TASKS:
        asked = random_play_of(task)
        assert asked.task in table.tasks, task
        assert table.tasks[asked.task].rules == asked.rules, f"{task}: the rules changed"
        assert len(table.tasks[asked.task].scores) >= 30, task


def test_all_18_actions_have_random_play_too():
    """IMPALA's checkpoints need it; `benchmarks/hackatari_random.py --with actions=full` renews it."""
    table = random_table()
    for game, names in PAPER_32.items():
        for task in (task_of(game), *(task_of(game, name) for name in names)):
            asked = random_play_of(f"{task}+actions=full")
            assert table.tasks[asked.task].rules == asked.rules, task


def test_the_way_it_was_measured_is_kept():
    table = random_table()
    assert "hackatari_random.py" in table.command and table.cpu_s > 0
    assert {"ale-py", "numpy"} <= set(table.versions)


def test_random_play_does_not_depend_on_observations():
    task = task_of("Pong", "lazy_enemy")
    assert random_play_of(f"{task}+observation=ram+stack=1") == random_play_of(task)
    assert random_play_of(f"{task}+sticky=0.0") != random_play_of(task)


def test_all_actions_are_the_games_own_where_all_have_an_effect():
    boxing, pong = task_of("Boxing", "switch_positions"), task_of("Pong")
    assert random_play_of(f"{boxing}+actions=full") == random_play_of(boxing)
    assert random_play_of(f"{pong}+actions=minimal") == random_play_of(pong)
    assert random_play_of(f"{pong}+actions=full").task == f"{pong}+actions=full"


def test_a_table_that_was_edited_is_refused(tmp_path):
    kept = json.loads(FILE.read_text())
    scores = kept["tasks"][task_of("Boxing")]["scores"]
    scores[:] = [score - 20 for score in scores]
    edited = tmp_path / "random.json"
    edited.write_text(json.dumps(kept))
    with pytest.raises(AssayError, match="digest does not hold"):
        read_table(edited)
    edited.write_text(json.dumps(kept | {"digest": digest_of_table(kept)}))
    assert read_table(edited).tasks[task_of("Boxing")].scores == tuple(scores)


def test_other_rules_of_the_game_have_another_digest(monkeypatch, tmp_path):
    task, changed = task_of("Pong"), tmp_path / "pong.yaml"
    before = random_play_of(task)
    changed.write_text("game: Pong\ncells: {ball_x: 50}\n")
    monkeypatch.setattr(random_play, "data_of", lambda env: [changed])
    after = random_play_of(task)
    assert before.task == after.task and before.rules != after.rules


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_the_shipped_scores_come_out_again(task):
    """The first episode of every task, under the observation of the suites."""
    from assay.interop.gymnasium import make
    from assay.interop.play import play
    from assay.plans.question import RANDOM
    from assay.runs.outside_jobs import random_actions

    table, env = random_table(), make(task)
    try:
        [played] = play(random_actions(env, table.seed), env, RANDOM, table.seed, 1)
    finally:
        env.close()
    assert played.score == table.tasks[random_play_of(task).task].scores[0]
