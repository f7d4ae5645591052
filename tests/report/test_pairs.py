"""The pairs of a suite, by hand: scores, gap, share of the optimum and the area under learning."""

import math

import pytest

from assay.report.pairs import find_pairs, pair_rows
from assay.results import Curve, Reference, create

from .records import PLAIN, episodes_of, job_of

TRAIN, THERE = "toy/discrete", "toy/discrete+delay=2"
SUITE = {"name": "own", "version": 2, "asks": "", "pairs": [[TRAIN, TRAIN], [TRAIN, THERE], [THERE, THERE]]}
PAIR = ("pair", "", "")
PLAN = {"kind": "run", "agent": "dqn", "config": {}, "budget": 500, "task": "", "seeds": [0, 1, 2, 3],
        "episodes": 3, "own_mdp": False, "trains": False, "trust": False, "suite": SUITE}  # fmt: skip


def finish(run, number, seed, trained, evaluated=None, curve=()):
    """A job of one pair; episodes lie around the seed's scores."""
    train, evaluate = SUITE["pairs"][number]
    places = [PLAIN] if evaluated is None else [PLAIN, PAIR]
    job = job_of(PLAN, seed, places, pair=f"{number:03d}", suite=SUITE)
    run.add_jobs([job])
    run.claim()
    rows = episodes_of(job, PLAIN, train, [trained - 2, trained + 2])
    if evaluated is not None:
        rows += episodes_of(job, PAIR, evaluate, [evaluated - 1, evaluated + 1])
    run.finish(job.id, rows, [Curve(job=job.id, step=s, name="score", value=v) for s, v in curve])


@pytest.fixture
def run(tmp_path):
    with create(tmp_path / "run", PLAN) as opened:
        yield opened


def test_a_pair_by_hand(run):
    curves = [[(1, 2.0), (2, 4.0)], [(1, math.nan), (2, 5.0)], [(1, 3.0), (2, 3.0)], [(1, 5.0), (2, 5.0)]]
    for seed, (trained, evaluated) in enumerate([(10.0, 7.0), (20.0, 16.0), (30.0, 25.0), (60.0, 52.0)]):
        finish(run, 1, seed, trained, evaluated, curves[seed])
    best = [Reference(task=THERE, kind="optimum", value=50.0, how="by hand"),
            Reference(task=TRAIN, kind="optimum", value=80.0, how="by hand")]  # fmt: skip
    run.add_references(best)
    [found] = find_pairs(run)
    assert found.regret.value == pytest.approx(50 - (7 + 16 + 25 + 52) / 4)
    assert found.area_share.value == pytest.approx(4 / 80)
    assert (
        found.area_length is None and found.point == {}
    )  # no lengths were written, and nothing was designed
    assert (found.train, found.evaluate, found.seeds) == (TRAIN, THERE, 4)
    assert found.trained.value == pytest.approx(25.0)  # the IQM leaves 10 and 60 out
    assert found.evaluated.value == pytest.approx(20.5)
    assert found.gap.value == pytest.approx(-5.0)  # the mean of -3, -4, -5 and -8
    assert found.gap.low < -5 < found.gap.high
    assert found.share.value == pytest.approx(0.41)
    assert found.area.value == pytest.approx((3 + 5 + 3 + 5) / 4)  # a report without an episode is left out


def test_where_both_are_one_task_there_is_no_gap(run):
    for seed in range(4):
        finish(run, 2, seed, 10.0 + seed)
    [found] = find_pairs(run)
    assert (found.train, found.evaluate, found.gap, found.area) == (THERE, THERE, None, None)
    assert found.trained.value == found.evaluated.value == pytest.approx(11.5)
    assert found.share is None  # no optimum is known


def test_pairs_come_in_the_order_of_the_suite_and_unfinished_ones_are_left_out(run):
    finish(run, 2, 0, 10.0)
    finish(run, 0, 0, 20.0)
    assert [(each.train, each.seeds) for each in find_pairs(run)] == [(TRAIN, 1), (THERE, 1)]


def test_nothing_done_is_nothing_found(run):
    assert find_pairs(run) == []


def test_an_optimum_that_is_not_above_nothing_is_no_measure(run):
    finish(run, 0, 0, 10.0)
    run.add_references([Reference(task=TRAIN, kind="optimum", value=0.0, how="by hand")])
    assert find_pairs(run)[0].share is None


def test_the_cells_of_the_table(run):
    for seed, score in enumerate((10.0, 10.0, 10.0, 10.0)):
        finish(run, 1, seed, score, score - 1)
    finish(run, 2, 0, 5.0)
    rows = pair_rows(find_pairs(run))
    assert rows[0][:5] == (TRAIN, THERE, "4", "10.0 [10.0, 10.0]", "9.0 [9.0, 9.0]")
    assert rows[0][5] == "-1.0 [?, ?]"  # seeds that all agree say nothing of others
    assert rows[1] == (THERE, "there", "1", "5.0 [?, ?]", "5.0 [?, ?]", "-", "-", "-")


def test_the_same_records_give_the_same(run):
    for seed, score in enumerate((10.0, 13.0, 17.0, 11.0)):
        finish(run, 1, seed, score, score - seed)
    assert find_pairs(run) == find_pairs(run)


def test_a_run_of_train_is_one_pair(tmp_path):
    plan = PLAN | {"kind": "train", "task": THERE, "suite": None}
    with create(tmp_path / "run", {k: v for k, v in plan.items() if v is not None}) as run:
        for seed, score in enumerate((1.0, 2.0, 3.0, 4.0)):
            job = job_of(plan, seed, [PLAIN])
            run.add_jobs([job])
            run.claim()
            run.finish(job.id, episodes_of(job, PLAIN, THERE, [score]))
        [found] = find_pairs(run)
    assert (found.train, found.evaluate, found.trained.value) == (THERE, THERE, 2.5)
