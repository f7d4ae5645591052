"""The pairs of a suite, by hand: scores, gap, share of the optimum and the area under learning."""

import dataclasses
import math

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from assay.analysis.pairs import find_pairs, labels_of, seed_means
from assay.plans.pair_jobs import locate_pairs
from assay.plans.plan import PairPlan
from assay.report.pair_table import interval_text, table
from assay.results import Curve, Reference
from assay.suites.playground_factors import Factors, factors

from .records import PLAIN, episodes_of, job_of, made_run, pairs_plan, train_plan

TRAIN, THERE = "toy/discrete", "toy/discrete+delay=2"
PAIR = ("pair", "", "")
PLAN = pairs_plan((TRAIN, TRAIN), (TRAIN, THERE), (THERE, THERE), seeds=4)


def finish(run, number, seed, trained, evaluated=None, curve=(), **others):
    """The job of one pair, which pairs of the same training share with it.

    Episodes lie around the seed's scores; others: further curves by name.
    """
    train, evaluate = PLAN.suite.pairs[number].tasks
    tried = [PLAIN] if evaluated is None else [PLAIN, PAIR]
    job = job_of(PLAN, seed, tried, pair=locate_pairs(PLAN.suite.pairs)[number].job)
    run.add_jobs([job])
    run.claim()
    rows = episodes_of(job, PLAIN, train, [trained - 2, trained + 2])
    if evaluated is not None:
        rows += episodes_of(job, PAIR, evaluate, [evaluated - 1, evaluated + 1])
    lines = {"score": curve, **others}
    points = [Curve(job=job.id, step=s, name=name, value=v) for name, line in lines.items() for s, v in line]
    run.finish(job.id, rows, points)


@pytest.fixture
def run(tmp_path):
    with made_run(tmp_path / "run", PLAN) as opened:
        yield opened


def test_a_pair_by_hand(run):
    curves = [[(1, 2.0), (2, 4.0)], [(1, math.nan), (2, 5.0)], [(1, 3.0), (2, 3.0)], [(1, 5.0), (2, 5.0)]]
    for seed, (trained, evaluated) in enumerate([(10.0, 7.0), (20.0, 16.0), (30.0, 25.0), (60.0, 52.0)]):
        finish(run, 1, seed, trained, evaluated, curves[seed])
    best = [Reference(task=THERE, kind="optimum", value=50.0, how="by hand"),
            Reference(task=TRAIN, kind="optimum", value=80.0, how="by hand")]  # fmt: skip
    run.add_references(best)
    home, found = find_pairs(run)
    assert (home.train, home.evaluate, home.gap) == (TRAIN, TRAIN, None)  # of the same jobs
    assert home.trained.value == home.evaluated.value == pytest.approx(30.0)
    assert found.regret.value == pytest.approx(50 - (7 + 16 + 25 + 52) / 4)
    assert found.area_share.value == pytest.approx(4 / 80)
    assert found.area_length is None and found.point == {}  # no lengths were written, nothing was designed
    assert (found.train, found.evaluate, found.seeds) == (TRAIN, THERE, 4)
    assert found.trained.value == pytest.approx(30.0)  # a mean, as of all that has fewer than ten seeds
    assert found.evaluated.value == pytest.approx(25.0)
    assert found.gap.value == pytest.approx(-5.0)  # the mean of -3, -4, -5 and -8
    assert found.gap.low < -5 < found.gap.high
    assert found.share.value == pytest.approx(0.5)
    assert found.area.value == pytest.approx((3 + 5 + 3 + 5) / 4)  # a report without an episode is left out


def test_no_interval_goes_beyond_what_is_possible(run):
    """Two seeds, far apart: Student's t with one degree of freedom is 12.7."""
    for seed, score in enumerate((10.0, 80.0)):
        finish(run, 0, seed, score, curve=[(1, score)], length=[(1, score)])
    run.add_references([Reference(task=TRAIN, kind="optimum", value=90.0, how="by hand")])
    [found, *_] = find_pairs(run)
    assert found.area.value == found.regret.value == 45.0
    assert found.area.high == 90.0 and found.area_share.high == 1.0
    assert found.regret.low == 0.0 and found.area_length.low == 0.0
    assert found.regret.high > 400 and found.area.low < -300  # how low a score can be is not known


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


def test_ten_seeds_have_iqms(run):
    for seed in range(10):
        finish(run, 2, seed, 100.0 if seed == 9 else float(seed))
    assert find_pairs(run)[0].trained.value == pytest.approx(4.5)  # half of them, 2.5 to 7.5
    assert table(find_pairs(run))[0] == ["trained on", "seeds", "score trained (IQM)"]
    assert "score trained" in table(find_pairs(run, method="t"))[0]  # a mean, as in an exam
    finish(run, 0, 0, 5.0)  # one pair with few seeds, and all are means
    assert {each.statistic for each in find_pairs(run)} == {"mean"}


def test_the_cells_of_the_table(run):
    for seed, score in enumerate((10.0, 10.0, 10.0, 10.0)):
        finish(run, 1, seed, score, score - 1)
    finish(run, 2, 0, 5.0)
    headings, rows = table(find_pairs(run))
    assert headings == [
        "trained on", "evaluated on", "seeds", "score trained", "score evaluated", "gap",
    ]  # fmt: skip
    assert rows[0] == [
        TRAIN,
        "same task",
        "4",
        "10.0 (all 4 seeds alike, no interval)",
        "10.0 (all 4 seeds alike, no interval)",
        "-",
    ]
    assert rows[1][:5] == [
        TRAIN,
        THERE,
        "4",
        "10.0 (all 4 seeds alike, no interval)",
        "9.0 (all 4 seeds alike, no interval)",
    ]
    assert rows[1][5] == "-1.0 (all 4 seeds alike, no interval)"  # seeds that all agree say nothing of others
    alone = "5.0 (one seed, no interval)"
    assert rows[2] == [THERE, "same task", "1", alone, alone, "-"]
    assert interval_text(None) == "-"


def test_columns_that_would_say_nothing_are_left_out(run):
    finish(run, 2, 0, 5.0)
    assert table(find_pairs(run))[0] == ["trained on", "seeds", "score trained"]
    assert table(find_pairs(run), trained=False)[0] == ["task", "seeds", "score"]


def test_nothing_is_called_trained_of_an_agent_that_was_not(run):
    finish(run, 1, 0, 5.0, 4.0)
    headings, _ = table(find_pairs(run), trained=False)
    assert headings[:4] == ["first task", "evaluated on", "seeds", "score, first task"]


def test_rollouts_have_an_area_of_their_own(run):
    for seed, best in enumerate((4.0, 6.0)):
        finish(run, 1, seed, 1.0, 2.0, [(1, 1.0), (2, 2.0)], rollout=[(1, 2.0), (2, best)],
               length=[(1, 10.0), (2, 30.0)], rollout_length=[(1, 5.0), (2, 7.0)])  # fmt: skip
    _, found = find_pairs(run)
    assert found.rollout.value == pytest.approx((3 + 4) / 2) and found.rollout_length.value == 6.0
    assert (found.area.value, found.last.value, found.area_length.value) == (1.5, 2.0, 20.0)
    assert found.units["rollout"] == (3.0, 4.0) and found.seed_numbers == (0, 1)
    assert "rollouts (AUC)" in table([found])[0]


def test_with_a_method_all_are_means_and_share_the_error(run):
    for seed, score in enumerate((1.0, 2.0, 3.0, 10.0)):
        finish(run, 1, seed, score, score)
    _, found = find_pairs(run, "t")
    half = stats.t.ppf(1 - 0.05 / 3 / 2, 3) * np.std([1, 2, 3, 10], ddof=1) / 2  # 3 pairs, 3 comparisons
    assert found.trained == pytest.approx((4.0, 4.0 - half, 4.0 + half))
    for method in ("bca", "percentile"):
        _, other = find_pairs(run, method)
        assert other.trained.value == 4.0 and 1 <= other.trained.low < 4 < other.trained.high <= 10


def test_the_factors_of_playground_are_for_what_is_varied():
    both = ["toy/discrete", "toy/discrete+delay=4", "toy/discrete+delay=4+sequence_length=3"]
    late = 100 / 96
    assert factors(both) == [Factors(), Factors(late, 1.0), Factors(3 * late, 3.0)]
    assert factors(["toy/discrete+delay=4"] * 2) == [Factors(), Factors()]
    short = ["toy/discrete+horizon=20", "toy/discrete+horizon=20+delay=10"]
    assert factors(short)[1] == Factors(2.0, 1.0)
    assert factors(["gym/CartPole-v1", "gym/CartPole-v1+reward.delay=4"]) == [Factors(), Factors()]


def test_values_normalised_as_in_playground(tmp_path):
    slow = "toy/discrete+sequence_length=2"
    plan = pairs_plan(*((task, task) for task in (TRAIN, slow, THERE)))
    with made_run(tmp_path / "run", plan) as run:
        for number, pair in enumerate(plan.suite.pairs):
            job = job_of(plan, 0, [PLAIN], pair=f"{number:03d}")
            run.add_jobs([job])
            run.claim()
            rows = [dataclasses.replace(each, return_=each.score - 1)
                    for each in episodes_of(job, PLAIN, pair.train, [40.0, 50.0])]  # fmt: skip
            run.finish(job.id, rows, [Curve(job=job.id, step=1, name="score", value=20.0)])
        plain, length, delay = find_pairs(run, compat="playground")
        assert (plain.trained.value, plain.area.value) == (45.0, 20.0)
        assert (length.trained.value, length.area.value) == (90.0, 40.0)
        # Of a delay returns are told, for scores lose nothing to it; a curve of scores stays as it is.
        assert delay.trained.value == pytest.approx(44 * 100 / 98) and delay.area.value == 20.0
        assert find_pairs(run)[1].trained.value == 45.0


def test_the_same_records_give_the_same(run):
    for seed, score in enumerate((10.0, 13.0, 17.0, 11.0)):
        finish(run, 1, seed, score, score - seed)
    assert find_pairs(run) == find_pairs(run)


def test_a_run_of_train_is_one_pair(tmp_path):
    plan = train_plan(THERE)
    with made_run(tmp_path / "run", plan) as run:
        for seed, score in enumerate((1.0, 2.0, 3.0, 4.0)):
            job = job_of(plan, seed, [PLAIN])
            run.add_jobs([job])
            run.claim()
            run.finish(job.id, episodes_of(job, PLAIN, THERE, [score]))
        [found] = find_pairs(run)
    assert (found.train, found.evaluate, found.trained.value) == (THERE, THERE, 2.5)


class OneJob:
    """The episodes of a job whose second and third task Arrow's groups have the other way round."""

    tasks = tuple(
        f"atari/Boxing+preset=paper{change}+action.random=0.001+observation=objects"
        for change in ("", "+color_player_red", "+switch_positions")
    )

    def episodes(self):
        scores = [33.0, 63.0, 33.0, 63.0, 60.0, 64.0]
        return pa.table({
            "job": ["405e5b8edde7494547d54876b3f5be7c"] * 6,
            "arm": ["plain", "plain", "pair", "pair", "pair", "pair"],
            "task": [task for task in self.tasks for _ in range(2)],
            "score": scores,
            "return": scores,
        })  # fmt: skip


def test_tasks_of_a_job_stay_in_their_order():
    [tasks] = seed_means(OneJob()).values()
    assert tasks == [
        (48.0, 48.0, OneJob.tasks[0]),
        (48.0, 48.0, OneJob.tasks[1]),
        (62.0, 62.0, OneJob.tasks[2]),
    ]


def test_a_task_that_stands_alone_is_not_called_plain():
    """Of a drift the one pair is the control and the drifted task: what is scored is no plain one."""
    drifted = f"{PLAIN}+action.random=0.3@sudden:50"
    assert labels_of([PairPlan(train=drifted, evaluate=drifted)]) == [drifted]
    assert labels_of([PairPlan(train=PLAIN, evaluate=drifted)]) == [f"{PLAIN} → {drifted}"]
    design = [PairPlan(train=PLAIN, evaluate=PLAIN, point=point) for point in ({}, {"delay": 4})]
    assert labels_of(design) == ["plain", "delay=4"]
