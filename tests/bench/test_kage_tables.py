"""The arithmetic behind docs/results/kage.md, on a small case computed by hand; the page is fresh."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from assay.agents.ppo import Config
from assay.errors import AssayError
from assay.suites import kage
from benchmarks.kage_pages import agreement, learners, seeds, tables
from benchmarks.kage_pages.appearances import appearances
from benchmarks.kage_pages.arithmetic import (
    MEASURES,
    RETURN,
    SUCCESS,
    describe_failure,
    difference,
    gap_interval,
    gap_values,
    has_failed,
    pair_gap_values,
    share_interval,
    values_of,
)
from benchmarks.kage_pages.checks import evaluated_at
from benchmarks.kage_pages.page import figures_of, page
from benchmarks.kage_pages.results import Results, read_results
from benchmarks.kage_pages.trainings import read_training, read_trainings, select

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "benchmarks" / "kage"
PAIRS = {pair.name: pair for pair in kage.ALL}
COLOURS = PAIRS["background 4"]  # the only pair of its training appearance
ITERATIONS = (0, 50, 300, 1500, 1525)  # at which the values of a made-up training are given


def record(seed, success, other, *, pair=COLOURS, tasks=None, jumps=5.0, **config):
    """A file of a training whose success on both tasks is given, evaluation by evaluation."""
    tasks = list(tasks or [pair.train, pair.evaluate])
    own, varied = (dict(zip(ITERATIONS, values)) for values in (success, other))

    def row(iteration, trained, elsewhere):
        both = [trained] + [elsewhere] * (len(tasks) - 1)
        measures = {
            "return": [-100 * (1 - value) for value in both],
            "passed_distance": [500 * value for value in both],
            "progress": both,
            "success": both,
            "success_once": [min(value + 0.1, 1) for value in both],
            "jump_count": [jumps] * len(both),
        }
        told = {name: [[value, 0.1] for value in values] for name, values in measures.items()}
        return {"iteration": iteration, "steps": iteration * 16384, **told}

    return {
        "appearance": tasks[0], "seed": seed, "jax": "0", "seconds": 100.0, "device": "card", "tasks": tasks,
        "config": asdict(Config(steps=kage.STEPS, precision="bfloat16")) | config,
        "evaluations": [
            row(now, *(of[max(each for each in of if each <= now)] for of in (own, varied)))
            for now in evaluated_at()  # between two given ones, the value is that of the first
        ],
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Two seeds: one learns, one collapses before the evaluation at iteration 1500."""
    learns = record(1, (0, 0.8, 0.6, 0.9, 0.7), (0, 0.4, 0.3, 0.2, 0.35))
    collapses = record(2, (0, 1.0, 0.5, 0.1, 0.0), (0, 0.5, 0.8, 0.0, 0.0), jumps=0.0)
    for each in (learns, collapses):
        (tmp_path / f"colors-{each['seed']}.json").write_text(json.dumps(each))
    return tmp_path


@pytest.fixture
def results(folder):
    return read_results(folder, KEPT)


class TestOneNumberPerTraining:
    def test_largest_takes_every_evaluation(self, results):
        ours = results.of(COLOURS)
        assert values_of(ours, "success", COLOURS.train, "largest").tolist() == [0.9, 1.0]
        assert values_of(ours, "success", COLOURS.evaluate, "largest").tolist() == [0.4, 0.8]

    def test_every_sixth_takes_each_300_iterations_and_the_last(self, results):
        ours = results.of(COLOURS)
        assert values_of(ours, "success", COLOURS.train, "every sixth").tolist() == [0.9, 0.5]
        assert values_of(ours, "success", COLOURS.evaluate, "every sixth").tolist() == [0.35, 0.8]

    def test_final_takes_the_last(self, results):
        assert values_of(results.of(COLOURS), "success", COLOURS.train, "final").tolist() == [0.7, 0.0]

    def test_once_is_another_column(self, results):
        once = values_of(results.of(COLOURS), "success_once", COLOURS.evaluate, "largest")
        assert once.tolist() == [0.5, 0.9]


class TestGaps:
    def test_is_that_of_the_means_and_not_the_mean_of_ratios(self):
        values = gap_values(SUCCESS, np.array([1.0, 0.5]), np.array([0.5, 0.5]))
        assert values.mean() == pytest.approx(100 * (0.75 - 0.5) / 0.75)  # the mean of ratios would be 25

    def test_of_the_return_is_a_difference(self, results):
        values = pair_gap_values(results.of(COLOURS), COLOURS, RETURN, "largest")
        assert values.tolist() == pytest.approx([-10 + 60, 0 + 20])

    def test_a_seed_without_any_success_gives_no_interval(self):
        before, after = np.array([0.8, 0.0]), np.array([0.4, 0.0])
        values = gap_values(SUCCESS, before, after)
        assert values.tolist() == [50.0]
        assert gap_interval(SUCCESS, values).low == -np.inf
        assert gap_values(SUCCESS, np.zeros(2), np.zeros(2)) is None

    def test_interval_is_students_and_never_without_width(self):
        low, high = gap_interval(SUCCESS, np.array([40.0, 60.0]))[1:]
        assert (low, high) == pytest.approx((50 - 12.7062 * 10, 100.0))  # no more than all can be lost
        agreed = gap_interval(SUCCESS, np.array([50.0, 50.0, 50.0]))
        assert agreed.high - 50 == pytest.approx(100 / 128 * np.log(20) / 3)

    def test_differences_have_welchs_interval(self):
        value, low, high = difference(np.array([1.0, 3.0]), np.array([0.0, 0.0]))
        assert (value, high - value) == pytest.approx((2.0, 12.7062 * 1.0), rel=1e-4)
        assert value - low == pytest.approx(high - value)
        assert difference(np.array([1.0]), np.array([0.0, 0.0])).high == np.inf
        assert difference(np.ones(2), np.zeros(2), least=0.5) == (1.0, 0.5, 1.5)


class TestAxes:
    def test_means_over_pairs_have_the_error_over_pairs(self):
        before, after = np.array([1.0, 0.8]), np.array([0.5, 0.1])
        cells = tables.axis_cells({each.name: (before, after) for each in MEASURES})
        assert cells[2] == "0.90 ± 0.10"
        assert cells[6] == "0.30 ± 0.20"
        # 100 (0.9 - 0.3) / 0.9; per pair 50 and 87.5, to first order 66.7 -/+ 18.5
        assert cells[10] == "66.7 ± 18.5"

    def test_the_papers_row_is_made_of_the_pairs_that_are_trained(self, results):
        rows = [line for line in tables.axis_table(results, "largest") if line.startswith("| background")]
        assert "| 1 of 10 |" in rows[0]
        assert "| these 1 |" in rows[1] and "| 0.80 |" in rows[1]  # its Table 3, background 4
        assert tables.axis_table(results, "largest")[2].startswith("| agent_appearance | ours | 0 of 5 |")


class TestFailures:
    def test_below_half_at_the_end_fails(self, results):
        assert [has_failed(each) for each in results.of(COLOURS)] == [False, True]

    def test_says_when_it_collapsed(self, results):
        story = describe_failure(results.of(COLOURS)[1])
        assert (story.best, story.best_at, story.last_good, story.gone) == (1.0, 50, 1450, 1500)
        assert "collapsed after success 1.00 at iteration 50" in seeds.failures(results)[0]
        assert "no jumps at all" in seeds.failures(results)[0]

    def test_never_having_learned_is_told_apart(self, folder):
        never = record(3, (0, 0.1, 0.2, 0.1, 0.0), (0, 0, 0, 0, 0))
        (folder / "colors-3.json").write_text(json.dumps(never))
        assert (
            "never learned; best success 0.20 (iteration 300)"
            in seeds.failures(read_results(folder, KEPT))[1]
        )

    def test_share_has_clopper_and_pearsons_interval(self):
        share = share_interval([False, True])
        assert share == pytest.approx((0.5, 0.0126, 0.9874), abs=1e-4)  # 1 - sqrt(0.975)
        assert share_interval([False] * 3).high == pytest.approx(1 - 0.025 ** (1 / 3))

    def test_are_shown_apart(self, results):
        every, kept = seeds.apart_table(results)[2:]
        assert "| all | 2 |" in every and "| 0.35 ± 0.35 |" in every  # final success on the train config
        assert "| without failed | 1 |" in kept and "| 0.70 | 0.35 | 50.0 |" in kept


class TestAgreement:
    def test_the_papers_interval_comes_of_its_errors_and_digits(self):
        row = read_results(KEPT, KEPT).paper_pairs["background 4"]  # 0.80 ± 0.13 and 0.65 ± 0.12
        error = np.hypot(0.12, 0.65 / 0.8 * 0.13) / 0.8
        rounding = 0.005 * (1 + 0.65 / 0.8) / 0.8
        half = agreement.paper_half_width(row, SUCCESS)
        assert half == pytest.approx(100 * (2.26216 * error + rounding), rel=1e-4)

    def test_words_follow_the_interval(self):
        interval = agreement.Interval
        assert agreement.verdict(interval(5, 1, 9)) == "yes"
        assert agreement.verdict(interval(-5, -9, -1)) == "no, the gap grows"
        assert agreement.verdict(interval(5, -1, 9)) == "cannot tell"
        assert agreement.verdict(None) == "not trained yet"

    def test_ranks_in_the_papers_order_agree_wholly(self, tmp_path):
        plain = PAIRS["background 1"].train
        pairs = [pair for pair in kage.ALL if pair.train == plain]
        tasks = appearances()["plain"].tasks
        paper = read_results(KEPT, KEPT).paper_pairs
        for seed in (1, 2):
            told = record(seed, [1.0] * 5, [0.0] * 5, tasks=tasks)
            for row in told["evaluations"]:
                lost = {p.evaluate: paper[p.name].gaps["success"] / 100 for p in pairs}
                row["success"] = [[1 - lost.get(task, 0.0), 0] for task in tasks]
            (tmp_path / f"plain-{seed}.json").write_text(json.dumps(told))
        found = agreement.rank_agreement(read_results(tmp_path, KEPT), "final", np.random.default_rng(0))
        assert found.pairs == 11
        assert found.over_seeds == pytest.approx((1, 1, 1))


class TestOtherLearners:
    def test_files_are_sorted_by_what_they_hold(self, folder):
        (folder / "colors-float32-1.json").write_text(
            json.dumps(record(1, [1.0] * 5, [0.5] * 5, precision="float32"))
        )
        (folder / "colors-augmented-1.json").write_text(
            json.dumps(record(1, [1.0] * 5, [0.5] * 5, shift=4, jitter=0.4))
        )
        every = read_trainings(folder)
        assert len(every) == 4
        assert len(select(every)) == 2
        assert [each.precision for each in select(every, precision="float32")] == ["float32"]
        assert [each.learner for each in select(every, learner="augmented")] == ["augmented"]

    def test_augmentation_that_closes_a_gap_is_seen_to(self, tmp_path):
        tasks = appearances()["plain"].tasks
        for seed in (1, 2, 3):
            for mark, varied, settings in (("", 0.2, {}), ("-augmented", 0.8, {"shift": 4, "jitter": 0.4})):
                told = record(seed, [1.0] * 5, [varied + seed / 100] * 5, tasks=tasks, **settings)
                (tmp_path / f"plain{mark}-{seed}.json").write_text(json.dumps(told))
        results = read_results(tmp_path, KEPT)
        parts = learners.contender_parts(results, learners.WITH_AUGMENTATION)
        assert sum("over 11 pairs? Yes: 11." in line for line in parts) == 2
        assert "kage-augmented.png" in figures_of(results)
        assert learners.contender_parts(results, learners.FLOAT32) == ["Not trained yet."]


def good(**config):
    return record(1, [1.0] * 5, [0.5] * 5, **config)


def without(made, iteration):
    rows = [row for row in made["evaluations"] if row["iteration"] != iteration]
    return {**made, "evaluations": rows}


def with_value(made, measure, value):
    made["evaluations"][3][measure] = value
    return made


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (good(steps=1000), "no training of 25,000,000 steps"),
        (good(ending="kage"), "trained with ending=kage, and the page is of ending=bootstrap"),
        (good(learning_rate=0.001), "trained with learning_rate=0.001"),
        (good(shift=8, jitter=0.4), "shift=8 and jitter=0.4, which is no learner of the page"),
        (good(precision="float16"), "precision 'float16', not one of float32, bfloat16"),
        (good(frames=4), "has the setting frames"),
        (without(good(), 1525), "the one after iteration 1525 is missing"),
        (without(good(), 50), "the one after iteration 50 is missing"),
        (record(1, [1.0] * 5, [0.5] * 5, tasks=[COLOURS.train]), "not evaluated on the 2 tasks .* it lacks"),
        (with_value(good(), "success", [[1.0, 0.0]]), "no success of every task after iteration 150"),
        (with_value(good(), "return", [[1.0, 0.0], [float("nan"), 0.0]]), "no return of every task"),
    ],
)
def test_a_training_that_the_page_does_not_tell_of_is_refused(tmp_path, made, says):
    path = tmp_path / "colors-1.json"
    path.write_text(json.dumps(made))
    with pytest.raises(AssayError, match=says):
        read_training(path)


def test_a_seed_that_is_there_twice_is_refused(folder):
    (folder / "colors-1-again.json").write_text((folder / "colors-1.json").read_text())
    with pytest.raises(AssayError, match=r"colors-1-again.json and .*colors-1.json both hold ppo on colors"):
        read_trainings(folder)


def test_a_whole_training_is_evaluated_32_times():
    assert evaluated_at()[:3] == [0, 50, 100] and evaluated_at()[-2:] == [1500, 1525]
    assert len(evaluated_at()) == 32


def test_the_page_says_what_is_missing(results):
    text = page(results)
    assert "pairs without results: 33 of 34" in text
    assert "Seeds of float32 on plain: 0 of 3" in text
    assert "| layout 1 | ours, not trained yet |" in text
    assert page(Results((), {}, {}, None)).endswith("Nothing is trained yet.\n")


def test_figures_are_drawn(results, tmp_path):
    pytest.importorskip("matplotlib")
    from benchmarks.kage_pages.figures import draw_all

    assert figures_of(results) == ["kage-learning.png"]  # the doses need another training appearance
    draw_all(results, figures_of(results), tmp_path)
    width, height = Image.open(tmp_path / "kage-learning.png").size
    assert width == 1012 and height > 250


def test_the_page_is_fresh():
    results = read_results(KEPT, KEPT)
    assert (ROOT / "docs/results/kage.md").read_text() == page(results), "run benchmarks/kage_tables.py"
    assert all((ROOT / "docs/images" / name).exists() for name in figures_of(results))


def test_blind_play_is_the_same_in_every_look(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import kage_blind  # a script, which imports its neighbours by their bare names

    policy = kage_blind.blind.Policy(25, 4, 2, 6)
    plain, lit = (
        kage_blind.play(kage_blind.build_native(text).task, policy, kage_blind.root_of(0), 4)
        for text in (kage.ENV, PAIRS["effects 1"].evaluate)
    )
    assert all(np.array_equal(plain[name], lit[name]) for name in plain)
    assert np.unique(plain["return"]).size > 1  # levels differ
    sys.modules.pop("kage_blind")
