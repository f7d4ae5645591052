"""A run of pairs as a whole: labels, maps, curves, and what is said of its intervals."""

import pytest

from assay.analysis.experiment import describe_intervals, find_experiment, maps, ordered_levels
from assay.errors import AssayError
from assay.plans.pair_levels import points_of
from assay.plans.plan import PairPlan
from assay.report.pair_markdown import pair_markdown
from assay.report.pair_page import pair_page
from assay.report.pair_table import map_tables
from assay.results import Curve

from .records import PLAIN, episodes_of, job_of, made_run, pairs_plan

TASKS = ["toy/discrete", "toy/discrete+sequence_length=2", "toy/discrete+delay=4",
         "toy/discrete+delay=4+sequence_length=2"]  # fmt: skip
POINTS = [{"delay": 0, "sequence_length": 1}, {"delay": 0, "sequence_length": 2},
          {"delay": 4, "sequence_length": 1}, {"delay": 4, "sequence_length": 2}]  # fmt: skip
BARE = [{}, {"sequence_length": 2}, {"delay": 4}, {"delay": 4, "sequence_length": 2}]  # no plain levels
SCORES = [(10.0, 20.0), (30.0, 50.0), (1.0, 3.0), (5.0, 5.0)]


def plan_of(tasks, points=None):
    """Tasks that are trained on and evaluated on; without points, with those that a plan gives them."""
    pairs = [
        PairPlan(train=task, evaluate=task, point=point)
        for task, point in zip(tasks, points or points_of(tasks))
    ]
    return pairs_plan(*pairs, episodes=2, trains=True, asks="do they add up?")


def made(folder, tasks, scores, points=None):
    """A run in which every seed's final score is given, and half of it is its area."""
    plan = plan_of(tasks, points)
    run = made_run(folder, plan, ["assay", "run", "own.yaml"])
    for number, (task, row) in enumerate(zip(tasks, scores)):
        for seed, score in enumerate(row):
            job = job_of(plan, seed, [PLAIN], pair=f"{number:03d}")
            run.add_jobs([job])
            run.claim()
            curve = [
                Curve(job=job.id, step=step, name="score", value=score * step / 300) for step in (100, 200)
            ]
            run.finish(job.id, episodes_of(job, PLAIN, task, [score]), curve)
    return run


def test_a_map_of_two_settings_by_hand(tmp_path):
    with made(tmp_path / "run", TASKS, SCORES, POINTS) as run:
        found = find_experiment(run)
    area, final = found.maps
    assert (final.what, final.down, final.across) == ("final score", "delay", "sequence_length")
    assert (final.rows, final.columns) == (("0", "4"), ("1", "2"))
    assert final.mean == ((15.0, 40.0), (2.0, 5.0)) and final.sd == ((5.0, 10.0), (1.0, 0.0))
    assert area.mean[0] == pytest.approx((7.5, 20.0)) and area.sd[0] == pytest.approx((2.5, 5.0))
    caption, headings, rows = map_tables(found)[1]
    assert caption == "final score: mean ± sd over seeds, delay down, sequence_length across"
    assert headings == ["delay \\ sequence_length", "1", "2"]
    assert rows == [["0", "15.0 ± 5.0", "40.0 ± 10.0"], ["4", "2.0 ± 1.0", "5.0 ± 0.0"]]


def test_a_combination_without_a_finished_seed_is_empty(tmp_path):
    with made(tmp_path / "run", TASKS, SCORES[:3], POINTS) as run:
        found = find_experiment(run)
    assert found.maps[1].mean == ((15.0, 40.0), (2.0, None))
    assert map_tables(found)[1][2][1] == ["4", "2.0 ± 1.0", "-"]


def test_an_unfinished_run_says_so_first(tmp_path):
    with made(tmp_path / "run", TASKS, SCORES, POINTS) as run:
        assert find_experiment(run).unfinished == ""
        run.add_jobs([job_of(plan_of(TASKS, POINTS), 7, [PLAIN], pair="000")])
        found = find_experiment(run)
    assert found.unfinished == "8 of 9 jobs are done"
    said = f"nfinished: 8 of 9 jobs are done; `assay resume {tmp_path / 'run'}` does the rest."
    assert said in pair_markdown(found)
    assert "8 of 9 jobs are done" in pair_page(found).split("<main>")[0]


def test_a_level_that_a_point_leaves_out_is_the_plain_one(tmp_path):
    """As in a suite over several envs, where nothing says what is plain in each of them."""
    with made(tmp_path / "run", TASKS, SCORES, BARE) as run:
        found = find_experiment(run)
    assert [each.label for each in found.findings] == [
        "plain", "sequence_length=2", "delay=4", "delay=4, sequence_length=2",
    ]  # fmt: skip
    assert found.maps[1].rows == ("plain", "2") and found.maps[1].mean[0] == (15.0, 2.0)


def test_what_is_no_whole_grid_has_no_map(tmp_path):
    with made(tmp_path / "run", TASKS, SCORES, POINTS) as run:
        found = list(find_experiment(run).findings)
    assert maps(found[:3], POINTS[:3]) == []
    assert maps(found, [{"delay": level} for level in range(4)]) == []


def test_levels_stand_in_the_order_of_their_size():
    assert ordered_levels([1.0, None, 0.1, 10.0, 0.1]) == ["plain", "0.1", "1", "10"]
    assert ordered_levels(["none", "shift", "none"]) == ["none", "shift"]


def test_curves_have_a_line_per_seed_under_the_label_of_the_pair(tmp_path):
    with made(tmp_path / "run", TASKS[:2], SCORES[:2], BARE[:2]) as run:
        found = find_experiment(run)
        scaled = find_experiment(run, compat="playground")
    assert [(each.label, each.seed) for each in found.curves] == [
        ("plain", 0), ("plain", 1), ("sequence_length=2", 0), ("sequence_length=2", 1),
    ]  # fmt: skip
    assert found.curves[2].steps == (100, 200) and found.curves[2].scores == pytest.approx((10.0, 20.0))
    assert scaled.curves[2].scores == pytest.approx((20.0, 40.0)) and scaled.compat and not found.compat


def test_what_is_said_of_intervals():
    assert describe_intervals("bca", 5) == (
        "means; BCa bootstrap, 99.5% each: 10 comparisons of two pairs share the error (Bonferroni)"
    )
    assert describe_intervals("t", 1) == "means; Student's t, 95% each"


def test_what_there_is_not_is_refused(tmp_path):
    with made(tmp_path / "run", TASKS[:1], SCORES[:1]) as run:
        with pytest.raises(AssayError, match="intervals are percentile, bca, t, not 'sd'"):
            find_experiment(run, "sd")
        with pytest.raises(AssayError, match="reported as in playground or kage, not as in 'atari'"):
            find_experiment(run, compat="atari")


def test_a_run_without_a_finished_job_has_no_findings(tmp_path):
    with made(tmp_path / "run", TASKS, []) as run:
        found = find_experiment(run)
    assert (found.findings, found.maps, found.curves) == ((), (), ())
