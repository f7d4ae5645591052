"""Pairs beside baseline, random play and published scores, by hand from made-up records."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from assay.analysis.experiment import find_experiment, say_uncut
from assay.analysis.pair_episodes import SEEN, Episodes
from assay.analysis.preset_names import name_tasks
from assay.analysis.presets import BELOW, NOT_TOLD, OF_RANDOM, ONE_SEED, scale_of
from assay.interop import concepts
from assay.plans.job_plan import JobPlan, Try
from assay.plans.pair_jobs import locate_pairs
from assay.plans.plan import PairPlan, ScoreRange, TaskLimits
from assay.report.name_table import name_tables
from assay.report.pair_markdown import pair_markdown
from assay.report.pair_page import pair_page
from assay.report.pair_table import as_json, csv_rows, map_tables
from assay.report.pair_text import describe_intervals
from assay.report.preset_table import cell_text, preset_tables
from assay.report.tail_table import tail_tables
from assay.results import Episode, Job
from assay.stats.aggregate import Interval
from assay.stats.limits import ANYWHERE, Limits
from assay.strict_json import to_json
from assay.suites.suite import PublishedScore

from .records import made_run, pairs_plan

A, B = "toy/discrete+mdp_seed=0", "toy/discrete+mdp_seed=0+action.random=0.3"
PRESETS = (
    PairPlan(train=A, evaluate=A, name="Toy 3.1", baseline="Toy 3.1",
             published=(PublishedScore("STORM", 24.17, 3.55, 3),)),
    PairPlan(train=B, evaluate=B, name="Toy 1", baseline="Toy 3.1"),
)  # fmt: skip
CELLS = tuple(
    PairPlan(train=one, evaluate=other, name=f"{a} on {b}", cell=(a, b))
    for a, one in (("3.1", A), ("1", B))
    for b, other in (("3.1", A), ("1", B))
)


def add_job(run, plan, pair, agent, seed, tasks, scores, events=0, cut=False):
    """A finished job that scored `scores` on each of its tasks, a list for each."""
    tries = tuple(Try("pair" if number else "plain", "", "", task) for number, task in enumerate(tasks))
    job = Job.planned(
        suite="own", version=1, pair=pair, train_task=tasks[0], eval_task=tasks[-1], agent=agent,
        config=to_json(JobPlan(settings={}, episodes=len(scores[0]), tries=tries)), seed=seed, budget=0,
        source_digest="0" * 32,
    )  # fmt: skip
    run.add_jobs([job])
    run.claim()
    rows = [
        Episode(job=job.id, task=each.task, arm=each.arm, episode=number, steps=1, return_=score, score=score,
                terminated=not cut, truncated=cut, extra={"events.action.random": events} if events else {})
        for each, of_task in zip(tries, scores) for number, score in enumerate(of_task)
    ]  # fmt: skip
    run.finish(job.id, rows)


def experiment(folder, plain, varied, agent="dqn", random=(1.0, 1.2, 0.8, 1.0)):
    """The findings of a run whose seeds score so much in each of their episodes."""
    plan = pairs_plan(*PRESETS, agent=agent, seeds=len(plain), episodes=2, trains=agent != "random",
                      random=agent != "random")  # fmt: skip
    with made_run(folder / "run", plan) as run:
        for pair, task, scores in (("000", A, plain), ("001", B, varied)):
            for seed, score in enumerate(scores):
                add_job(run, plan, pair, agent, seed, [task], [[score - 1, score + 1]], events=3)
            if agent != "random":
                add_job(run, plan, pair, "random", 0, [task], [random])
        return find_experiment(run)


SCORES = [19.0, 20.0, 21.0, 22.0, 23.0], [9.0, 10.0, 11.0, 12.0, 13.0]  # of five seeds, plain and varied


def test_a_share_kept_by_hand(tmp_path):
    told = experiment(tmp_path, *SCORES)
    home, varied = told.presets
    assert (home.score.value, home.sd, home.seeds) == (21.0, pytest.approx(2.5**0.5), 5)
    assert home.random.value == 1.0 and home.random_episodes == 4
    # (11 - 1) / (21 - 1), random play being that of the baseline.
    assert varied.kept.value == pytest.approx(0.5) and varied.kept.low < 0.5 < varied.kept.high < 1
    assert (home.kept, home.why_not_kept) == (None, "baseline") and varied.events == {"action.random": 3.0}


@pytest.mark.parametrize("seeds", [2, 3, 4])
def test_few_seeds_have_a_mean_and_a_spread_but_no_interval(tmp_path, seeds):
    """Three agents of which each fails with a chance of 0.3 show no failure in a third of runs."""
    told = experiment(tmp_path, *(each[:seeds] for each in SCORES))
    for row, finding in zip(told.presets, told.findings):
        assert row.sd > 0 and all(np.isinf([*row.score[1:], *finding.evaluated[1:]]))
    [table] = preset_tables(told.presets)
    assert "too few for an interval" in table.rows[1][3] and table.headings[-2] == "kept"
    if seeds > 2:  # two are not told from random play
        assert told.presets[1].kept.value > 0.4 and np.isinf(told.presets[1].kept.low)
        assert "too few for an interval" in table.rows[1][-2]
    assert describe_intervals(told).startswith(f"none: {seeds} seeds are too few")


def test_a_share_has_no_interval_where_the_baseline_has_none(tmp_path):
    told = experiment(tmp_path, [20.0] * 5, SCORES[1], random=(0.8, 1.2) * 50)
    assert np.isinf(told.presets[0].score.low)
    assert told.presets[1].kept.value == pytest.approx(10 / 19) and np.isinf(told.presets[1].kept.low)


def test_pairs_that_test_elsewhere_name_both_sides():
    pairs = (
        PairPlan(train=A, evaluate=A, name="plain", baseline="plain"),
        PairPlan(train=A, evaluate=B, name="to 1", baseline="plain"),
        PairPlan(train=B, evaluate=A, name="back", baseline="plain"),
    )
    [table] = name_tables(name_tasks(pairs_plan(*pairs, trains=True)))
    nothing = "nothing: the plain task"
    assert table.headings == ["name", "trained on", "tested on"] and table.rows == [
        ["plain", nothing, nothing], ["to 1", nothing, "action.random=0.3"],
        ["back", "action.random=0.3", nothing],
    ]  # fmt: skip


def test_the_concept_that_is_seen_is_not_counted_among_events():
    extra = json.dumps({"events.concept": 2, "events.concept_seen": 2, "events.action.random": 5})
    assert Episodes(np.ones(1), np.zeros(1), (extra,)).events == {"concept": 2.0, "action.random": 5.0}
    assert SEEN == concepts.SEEN


def test_where_there_is_no_scale_the_baseline_is_named(tmp_path):
    """The row's own score lies far above random play: it is the baseline that does not."""
    told = experiment(tmp_path, [0.9, 1.1, 1.3], [10.0, 11.0, 12.0])
    assert told.presets[1].kept is None and told.presets[1].why_not_kept == f"Toy 3.1 {NOT_TOLD}"
    assert "Toy 3.1 is not told from random play: no scale" in pair_markdown(told)
    below = experiment(tmp_path / "below", [-9.0, -9.1, -8.9], [10.0, 11.0, 12.0])
    assert below.presets[1].why_not_kept == f"Toy 3.1 {BELOW}"


def test_the_gate_opens_where_plain_play_is_plainly_told():
    """Random play that always scores 0, seeds that all agree, and rare random points close no gate."""
    plain, rng = np.array([99.0, 100.0, 101.0]), np.random.default_rng(0)
    for scores, random, opens in (
        (plain, np.zeros(100), True),
        (np.full(3, 100.0), rng.normal(1, 1, 100), True),
        (plain, np.repeat([0.0, 1.0], [97, 3]), True),
        (np.array([0.9, 1.1, 1.3]), rng.normal(1, 1, 100), False),
        (np.zeros(3), np.zeros(100), False),
    ):
        above, floor = scale_of(scores, random, ANYWHERE, 20, rng)
        assert (above.low > floor.high) == opens
    above, floor = scale_of(np.full(3, 100.0), np.full(100, 120.0), ANYWHERE, 20, rng)
    assert above.high < floor.low
    assert scale_of(plain, np.zeros(50), Limits(0.0, 110.0), 20, rng)[1].low == 0


@pytest.mark.parametrize("seeds", [3, 10])
@pytest.mark.parametrize("chance", [0.01, 0.05, 0.2])
def test_agents_that_play_as_random_play_does_seldom_open_the_gate(seeds, chance):
    rng, told, times = np.random.default_rng(seeds), 0, 120
    for _ in range(times):
        plain = (rng.random((seeds, 20)) < chance).mean(axis=1)
        above, floor = scale_of(plain, (rng.random(100) < chance) * 1.0, ANYWHERE, 20, rng)
        told += above.low > floor.high or above.high < floor.low
    assert told <= 0.05 * times


def test_one_number_has_one_interval_on_a_page(tmp_path):
    told = experiment(tmp_path, *SCORES)
    for preset, finding in zip(told.presets, told.findings):
        assert preset.score == finding.evaluated == finding.trained and finding.statistic == "mean"
    assert told.presets[0].score.high - told.presets[0].score.low > 2 * 2.776 * (2.5 / 5) ** 0.5  # Student's
    assert "Student's t" in told.intervals and "IQM" not in pair_page(told)


def test_names_are_told_on_the_page_and_in_markdown(tmp_path):
    told = experiment(tmp_path, [20.0, 21.0, 22.0], [10.0, 11.0, 12.0])
    assert [(each.name, each.shared, each.beside) for each in told.names] == [
        ("Toy 3.1", A, ""), ("Toy 1", A, "action.random=0.3"),
    ]  # fmt: skip
    assert "| Toy 1 | action.random=0.3 |" in pair_markdown(told) and "| `Toy 1` |" in pair_markdown(told)
    shown = pair_page(told)
    assert "What each adds to" in shown.replace("The names: what", "What") and ">action.random=0.3<" in shown


def test_envs_that_declare_no_range_of_scores_are_named(tmp_path):
    """Games declare none: an interval of Pong may go below -21."""
    told = experiment(tmp_path, *SCORES)
    assert "toy/discrete declares no range of scores, so its are not cut at one" in describe_intervals(told)
    task = PairPlan(train=A, evaluate=A)
    plan = replace(pairs_plan(task), limits={A: TaskLimits(ScoreRange(0.0, 1.0, False))})
    assert say_uncut(plan, ["a"], [task]) == ""
    games = [PairPlan(train=f"atari/{game}", evaluate=f"atari/{game}") for game in ("Pong", "Boxing")]
    said = say_uncut(plan, ["a", "b"], games)
    assert said == "; atari/Pong and atari/Boxing declare no range of scores, so theirs are not cut at one"


def test_what_is_said_is_true_of_what_is_shown(tmp_path):
    told = experiment(tmp_path, [20.0, 21.0, 22.0], [10.0, 11.0, 12.0])
    assert "Published scores are of other agents" in pair_page(told)
    bare = replace(told, presets=tuple(replace(each, published=()) for each in told.presets), budget=0)
    for text in (pair_page(bare), pair_markdown(bare)):
        assert "ublished" not in text and "levels of its own" not in text


def test_one_seed_and_random_play_itself_have_no_scale(tmp_path):
    assert experiment(tmp_path / "one", [20.0], [10.0]).presets[1].why_not_kept == ONE_SEED
    told = experiment(tmp_path, [20.0, 21.0], [10.0, 11.0], agent="random")
    assert {each.why_not_kept for each in told.presets} == {OF_RANDOM}
    assert "undefined: random play" in pair_markdown(told)


def test_every_form_of_the_report_has_the_table(tmp_path):
    told = experiment(tmp_path, [20.0, 21.0, 22.0], [10.0, 11.0, 12.0])
    [table] = preset_tables(told.presets)
    assert table.rows[0][:3] == ["Toy 3.1", "3", "21.0 ± 1.00"]
    assert "24.17 ± 3.55" in table.rows[0] and table.rows[1][5] == "-"
    for text in (pair_markdown(told), pair_page(told)):
        assert "24.17 ± 3.55" in text and "STORM, published" in text
    row = list(csv.DictReader(io.StringIO(csv_rows(told))))[1]
    assert float(row["kept"]) == told.presets[1].kept.value and float(row["random"]) == 1.0
    assert row["STORM_mean"] == "" and float(row["events.action.random"]) == 3.0
    assert json.loads(json.dumps(as_json(told), allow_nan=False))["presets"][1]["kept"]["value"] == 0.5


def test_a_suite_without_baselines_has_no_such_table(tmp_path):
    with made_run(tmp_path / "run", pairs_plan((A, A))) as run:
        assert find_experiment(run).presets == () and preset_tables(()) == []


def test_a_crossing_is_a_matrix_with_intervals(tmp_path):
    plan = pairs_plan(*CELLS, seeds=5, episodes=2, trains=True, random=True)
    places = locate_pairs(CELLS)
    assert [place.job for place in places] == ["000", "000", "002", "002"]
    with made_run(tmp_path / "run", plan) as run:
        for seed, score in enumerate(SCORES[0]):
            add_job(run, plan, "000", "dqn", seed, [A, B], [[score] * 2, [score - 10] * 2])
            add_job(run, plan, "002", "dqn", seed, [B, A], [[score - 5] * 2, [score - 8] * 2])
        for pair, task in (("000", A), ("001", B)):
            add_job(run, plan, pair, "random", 0, [task], [[1.0, 2.0]])
        told = find_experiment(run)
    [matrix] = told.maps
    assert (matrix.down, matrix.across) == ("trained on", "evaluated on")
    assert matrix.rows == ("3.1", "1", "random play") and matrix.columns == ("3.1", "1")
    assert matrix.mean == ((21.0, 11.0), (13.0, 16.0), (1.5, 1.5))
    assert all(cell.low < cell.value < cell.high for line in matrix.intervals for cell in line)
    [(caption, _, rows)] = map_tables(told)
    assert caption.startswith("score: mean over seeds [95% interval]") and rows[0][1].startswith("21.0 [")
    assert pair_page(told).count('class="cell"') == 2 * 6 and "random play" in pair_markdown(told)


def test_seeds_that_agree_have_no_interval_in_a_matrix():
    assert cell_text(Interval(0.0, -np.inf, np.inf), 0.0) == "0.00 (all seeds alike, no interval)"
    assert cell_text(Interval(1.0, -np.inf, np.inf), 0.5) == "1.00 ± 0.50"


def test_a_crossing_of_one_seed_has_no_spread(tmp_path):
    plan = pairs_plan(*CELLS, seeds=1, episodes=2, trains=True, random=True)
    with made_run(tmp_path / "run", plan) as run:
        add_job(run, plan, "000", "dqn", 0, [A, B], [[20.0] * 2, [10.0] * 2])
        add_job(run, plan, "002", "dqn", 0, [B, A], [[15.0] * 2, [12.0] * 2])
        add_job(run, plan, "000", "random", 0, [A], [[1.0, 2.0]])
        told = find_experiment(run)
    [(caption, _, rows)] = map_tables(told)
    assert told.maps[0].sd == ((None, None),) * 3 and rows[0][1] == "20.0 ± -"
    assert "one seed" in caption and "95%" not in caption
    assert describe_intervals(told) == "none: one seed has no spread"
    shown = pair_page(told)
    assert shown.count('class="cell"') == 6 and "sd over seeds" not in shown
    assert "intervals of 95% each" not in shown and "20.0 ± -" in pair_markdown(told)
    assert next(csv.DictReader(io.StringIO(csv_rows(told))))["trained_sd"] == ""
    assert [each.name for each in told.names] == ["3.1", "1"]


def test_tails_are_those_of_the_worst_episodes(tmp_path):
    plan = pairs_plan((A, A), seeds=2, episodes=50, trains=True)
    with made_run(tmp_path / "run", plan) as run:
        for seed in range(2):
            add_job(run, plan, "000", "dqn", seed, [A], [list(map(float, np.arange(50) + seed))])
        told = find_experiment(run)
    [tails] = told.tails
    assert tails.episodes == 100 and [each.share for each in tails.tails] == [0.05, 0.1, 0.25]
    # The worst five of both seeds are 0, 1, 1, 2, 2. Two agents say nothing of others.
    assert tails.tails[0].score == (pytest.approx(1.2), -np.inf, np.inf)
    assert tail_tables(told.tails)[0].rows[0][2] == "1.20 (no interval)"
    assert "worst 5%" in pair_markdown(told) and "cvar_0.05" in csv_rows(told)
    with made_run(tmp_path / "few", plan) as run:
        add_job(run, plan, "000", "dqn", 0, [A], [[1.0] * 19])
        assert find_experiment(run).tails == ()
