"""A run of `hackatari/*` in the terms of the paper, by hand from made-up records."""

import csv
import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from assay.analysis import game_scores
from assay.analysis.experiment import find_experiment
from assay.analysis.hackatari import (
    BELOW,
    CUT,
    DROPPED,
    KEPT,
    NO_PEOPLE,
    NOT_TOLD,
    UNDECIDED,
    UNDEFINED,
    halved,
)
from assay.analysis.presets import OF_RANDOM
from assay.catalogue import suite
from assay.plans.make_plan import suite_plan
from assay.plans.plan import CONTROL, plan_from_json, plan_to_json
from assay.report.hackatari_tables import answer, cautions_of, change_text, hackatari_tables, share_interval
from assay.report.pair_markdown import pair_markdown
from assay.report.pair_page import pair_page
from assay.report.pair_table import as_json, csv_rows
from assay.report.pair_text import describe_intervals
from assay.stats.aggregate import Interval
from assay.suites.hackatari_random import RandomScores, RandomTable

from .records import made_run
from .test_presets import add_job

AGENT = "mine:act"


def plan_of_suite(name, agent=AGENT, seeds=3, episodes=10, trains=False):
    plan = suite_plan(suite(f"hackatari/{name}"), "random", seeds=seeds, episodes=episodes)
    return replace(plan, agent=agent, trains=trains)


def experiment(folder, monkeypatch, plan, score, random, outdated=(), missing=(), cut=False):
    """The findings of a run that scores `score(pair)` on average, where random play scores `random(pair)`."""
    tasks = {}
    for number, pair in enumerate(plan.suite.pairs):
        kept = plan.suite.random_play[pair.evaluate]
        noise = np.random.default_rng(number).normal(0, 1, 60)
        rules = "old" if pair.name in outdated else kept.rules
        if pair.name not in missing:
            tasks[kept.task] = RandomScores(rules, tuple(random(pair) + noise - noise.mean()))
    table = RandomTable("python random.py", {"ale-py": "1"}, 5, 1.0, tasks)
    monkeypatch.setattr(game_scores, "random_table", lambda: table)
    homes = {}
    for number, pair in enumerate(plan.suite.pairs):
        homes.setdefault(pair.train, (f"{number:03d}", []))[1].append(pair)
    with made_run(folder / "run", plan) as run:
        for place, pairs in homes.values():
            for seed in plan.seeds:
                rng = np.random.default_rng([seed, len(place)])
                noise = rng.normal(0, 1, plan.episodes)
                played = [list(score(pair) + noise + 0.1 * number) for number, pair in enumerate(pairs)]
                texts = [pair.evaluate for pair in pairs]
                add_job(run, plan, place, plan.agent, seed, texts, played, cut=cut)
        return find_experiment(run)


def freeway(pair):
    """20 on the original; the first two variations cost nothing, the third half, the fourth all."""
    names = ("original", "all_black", "stop_all_cars_edge", "stop_all_cars_tunnel", "stop_random")
    place = next(n for n, name in enumerate(names) if name in pair.name)
    return (20, 20, 20, 10, 0)[place]


def test_plans_know_the_direction_and_the_random_play_of_every_task():
    plan = plan_of_suite("freeway")
    assert [pair.direction for pair in plan.suite.pairs] == [
        "", "neutral", "simplification", "simplification", "unknown"
    ]  # fmt: skip
    assert {pair.evaluate for pair in plan.suite.pairs} == set(plan.suite.random_play)
    assert plan_from_json(json.loads(json.dumps(plan_to_json(plan))), "here") == plan
    controls = plan_of_suite("controls")
    assert {pair.direction for pair in controls.suite.pairs} == {"", CONTROL}


def test_changes_by_hand(tmp_path, monkeypatch):
    found = experiment(tmp_path, monkeypatch, plan_of_suite("freeway"), freeway, lambda pair: 0).hackatari
    assert (found.unit, found.runs) == ("episode", 3)
    by_name = {task.label.split()[1]: task for task in found.tasks}
    assert by_name["original"].units == 30 and by_name["original"].change is None
    assert by_name["all_black_cars"].change.value == pytest.approx(0, abs=0.02)
    assert by_name["stop_all_cars_tunnel"].change.value == pytest.approx(-0.5, abs=0.02)
    lost = by_name["stop_random_car"]
    assert lost.change.value == pytest.approx(-1, abs=0.03)
    assert lost.change.low < lost.change.value < lost.change.high < -0.5
    assert [by_name[name].half for name in by_name if name != "original"] == [KEPT, KEPT, UNDECIDED, DROPPED]
    # Professional testers score 29.6 and random play 0.
    assert by_name["original"].expert.value == pytest.approx(by_name["original"].score.value / 29.6)
    # People of the study scored 35.83 on this one.
    assert by_name["stop_all_cars_tunnel"].human.value == pytest.approx(10 / 35.83, abs=0.02)


def test_nothing_is_compared_with_whole_episodes_where_episodes_were_cut(tmp_path, monkeypatch):
    plan = replace(plan_of_suite("pong"), max_steps=1)
    whole = experiment(tmp_path / "whole", monkeypatch, plan, lambda pair: 10, lambda pair: -20).hackatari
    assert whole.tasks[1].change and whole.stands[-1].agent == AGENT and not cautions_of(whole)
    found = experiment(
        tmp_path / "cut", monkeypatch, plan, lambda pair: 10, lambda pair: -20, cut=True
    ).hackatari
    assert {task.why_no_change for task in found.tasks[1:]} == {CUT}
    assert not any(task.change or task.expert or task.human or task.random for task in found.tasks)
    assert AGENT not in {each.agent for each in found.stands}
    [caution] = cautions_of(found)
    assert "--max-steps cut episodes of atari/Pong" in caution and "of whole ones" in caution
    assert "undefined: --max-steps cut its episodes" in answer(found)


def test_under_other_rules_there_is_no_expert_score_and_no_rank(tmp_path, monkeypatch):
    plan = plan_of_suite("pong")
    names = [pair.name for pair in plan.suite.pairs]
    found = experiment(
        tmp_path, monkeypatch, plan, lambda pair: 10, lambda pair: -20, missing=names
    ).hackatari
    assert not any(task.change or task.expert or task.human for task in found.tasks)
    assert AGENT not in {each.agent for each in found.stands}
    assert "is not known" in cautions_of(found)[0]


def test_controls_are_called_controls_where_nothing_is_defined(tmp_path, monkeypatch):
    plan = plan_of_suite("controls-boxing")
    found = experiment(tmp_path, monkeypatch, plan, lambda pair: 0, lambda pair: 0).hackatari
    assert "(2 controls)" in answer(found)


def test_the_mean_over_the_variations_of_a_game(tmp_path, monkeypatch):
    found = experiment(tmp_path, monkeypatch, plan_of_suite("freeway"), freeway, lambda pair: 0).hackatari
    [game] = found.games
    assert game.change.value == pytest.approx((0 + 0 - 0.5 - 1) / 4, abs=0.03)
    groups = {group.name: group for group in found.groups}
    assert list(groups) == ["all", "simplification", "neutral", "unknown"]
    assert groups["all"].change.value == pytest.approx(game.change.value, abs=0.02)
    assert groups["all"].halves == {DROPPED: 1, KEPT: 2, UNDECIDED: 1, UNDEFINED: 0}
    assert groups["simplification"].variations == 2


@pytest.mark.parametrize("trains", [False, True])
def test_over_one_game_each_number_has_one_interval(tmp_path, monkeypatch, trains):
    plan = plan_of_suite("pong", trains=trains, seeds=2)
    found = experiment(tmp_path, monkeypatch, plan, lambda pair: 10, lambda pair: -20).hackatari
    told = experiment(tmp_path / "again", monkeypatch, plan, lambda pair: 10, lambda pair: -20)
    assert [each.evaluated for each in told.findings] == [task.score for task in told.hackatari.tasks]
    assert {each.trained for each in told.findings} == {told.hackatari.tasks[0].score}
    said = describe_intervals(told)
    assert "of PC Fieller's" in said and "over several games a stratified bootstrap" in said
    original, *varied = found.tasks
    [all_of_them] = [group for group in found.groups if group.variations == len(varied)][:1]
    if len(varied) == 1:
        assert all_of_them.change == varied[0].change and found.stands[-1].varied == varied[0].expert
    assert found.stands[-1].original == original.expert
    assert all(each.change == all_of_them.change for each in found.games)


def test_the_agent_is_ranked_among_the_published_ones(tmp_path, monkeypatch):
    found = experiment(tmp_path, monkeypatch, plan_of_suite("freeway"), freeway, lambda pair: 0).hackatari
    assert found.stands[-1].agent == AGENT and found.stands[-1].kind == "yours"
    agents = {each.agent: each for each in found.stands}
    assert len(agents) == 15 - 1  # people played one of the four variations
    assert agents["MDQN"].rank_original.value == 1  # 34, the most of all
    assert {each.agent for each in found.published if each.kind == "people"} == {"People"}


def test_trained_agents_have_seeds_as_units(tmp_path, monkeypatch):
    plan = plan_of_suite("pong", trains=True)
    found = experiment(tmp_path, monkeypatch, plan, lambda pair: 10, lambda pair: -20).hackatari
    assert found.unit == "seed" and {task.units for task in found.tasks} == {3}


def test_random_play_has_no_change(tmp_path, monkeypatch):
    plan = plan_of_suite("pong", agent="random")
    told = experiment(tmp_path, monkeypatch, plan, lambda pair: -20, lambda pair: -20)
    varied = told.hackatari.tasks[1]
    assert (varied.change, varied.why_no_change, varied.half) == (None, OF_RANDOM, UNDEFINED)
    assert answer(told.hackatari) == f"The performance change is {OF_RANDOM} (1 variation)."
    assert OF_RANDOM in pair_markdown(told) and OF_RANDOM in pair_page(told)


def test_an_agent_no_better_than_random_play_has_no_change(tmp_path, monkeypatch):
    plan = plan_of_suite("pong")
    found = experiment(tmp_path, monkeypatch, plan, lambda pair: -20, lambda pair: -20.05).hackatari
    assert (found.tasks[1].change, found.tasks[1].why_no_change) == (None, NOT_TOLD)
    assert found.groups[0].change is None and found.groups[0].left_out == ("Pong",)


def test_an_agent_below_random_play_has_no_margin_to_lose(tmp_path, monkeypatch):
    plan = plan_of_suite("pong")
    found = experiment(tmp_path, monkeypatch, plan, lambda pair: -21, lambda pair: -20.05).hackatari
    assert (found.tasks[1].change, found.tasks[1].why_no_change) == (None, BELOW)
    assert found.groups[0].change is None and found.groups[0].left_out == ("Pong",)


def test_random_play_by_other_rules_is_named_and_not_used(tmp_path, monkeypatch):
    plan = plan_of_suite("pong")
    outdated = ("Pong lazy_enemy",)
    found = experiment(tmp_path, monkeypatch, plan, lambda pair: 10, lambda pair: -20, outdated).hackatari
    assert found.tasks[1].change is None and "by these rules" in found.tasks[1].why_no_change
    [caution] = cautions_of(found)
    assert "other rules" in caution and "lazy_enemy" in caution and "python random.py" in caution


def test_a_variation_without_random_play_takes_no_game_with_it(tmp_path, monkeypatch):
    plan, outdated = plan_of_suite("freeway"), ("Freeway stop_random_car",)
    alone = experiment(tmp_path / "a", monkeypatch, plan, freeway, lambda pair: 0, outdated).hackatari
    assert alone.groups[0].games == 1 and not alone.groups[0].left_out
    assert alone.groups[0].change.value == pytest.approx((0 + 0 - 0.5) / 3, abs=0.03)
    assert (alone.games[0].variations, alone.games[0].change) == (3, alone.groups[0].change)
    assert alone.groups[0].halves[UNDEFINED] == 1
    plan, outdated = plan_of_suite("paper-32"), ("Freeway stop_random_car", "Bowling top_pins")
    several = experiment(
        tmp_path / "b", monkeypatch, plan, lambda pair: 50, lambda pair: 0, outdated
    ).hackatari
    assert several.groups[0].games + len(several.groups[0].left_out) == 17 == several.groups[0].games
    unknown = next(group for group in several.groups if group.name == "unknown")
    assert "Freeway" in unknown.left_out  # its only variation of that direction


def test_where_people_are_no_scale_the_report_says_why(tmp_path, monkeypatch):
    plan = plan_of_suite("boxing")
    told = experiment(tmp_path, monkeypatch, plan, lambda pair: 50, lambda pair: -2)
    original = told.hackatari.tasks[0]
    assert (original.human, original.why_no_human) == (None, NO_PEOPLE)
    assert not told.hackatari.tasks[2].why_no_human  # switch_positions, which nobody played
    assert NO_PEOPLE in pair_markdown(told) and NO_PEOPLE in pair_page(told)


def test_controls_are_apart_and_hold_nothing(tmp_path, monkeypatch):
    plan = plan_of_suite("controls")
    found = experiment(tmp_path, monkeypatch, plan, lambda pair: 50, lambda pair: 0).hackatari
    [group] = found.groups
    assert (group.name, group.variations) == (CONTROL, 10)
    assert group.change.low <= 0 <= group.change.high or abs(group.change.value) < 0.01
    assert not found.games and not found.stands
    for task in found.tasks:
        if task.direction:
            assert task.change.low <= 0 <= task.change.high and task.change.high - task.change.low <= 0.3


def test_one_seed_has_no_interval_over_several_games(tmp_path, monkeypatch):
    plan = plan_of_suite("human-15", seeds=1)
    found = experiment(tmp_path, monkeypatch, plan, lambda pair: 10, lambda pair: 0).hackatari
    assert found.groups[0].games > 1 and found.groups[0].change[1:] == (-math.inf, math.inf)


def test_one_seed_of_an_agent_that_comes_trained_has_its_episodes_over_one_game(tmp_path, monkeypatch):
    plan = plan_of_suite("freeway", seeds=1)
    found = experiment(tmp_path, monkeypatch, plan, freeway, lambda pair: 0).hackatari
    assert found.unit == "episode" and found.groups[0].change == found.games[0].change
    assert found.stands[-1].rank_original[1:] == (-math.inf, math.inf)
    assert found.tasks[1].change.high < math.inf  # by episodes
    groups, _, games, *_ = hackatari_tables(found)
    assert groups.rows[0][3] == games.rows[0][2] == change_text(found.games[0].change)
    assert not any("no interval" in cell for table in (groups, games) for row in table.rows for cell in row)


def test_every_form_of_the_report_has_the_numbers(tmp_path, monkeypatch):
    told = experiment(tmp_path, monkeypatch, plan_of_suite("freeway"), freeway, lambda pair: 0)
    kept = json.loads(json.dumps(as_json(told), allow_nan=False))["hackatari"]
    change = kept["tasks"][4]["change"]
    row = list(csv.DictReader(io.StringIO(csv_rows(told))))[4]
    assert float(row["change"]) == change["value"] and float(row["change_high"]) == change["high"]
    words = change_text(told.hackatari.tasks[4].change)
    assert words.partition(" ")[0] in pair_markdown(told) and words.replace("-", "−") in pair_page(told)
    captions = [table.caption for table in hackatari_tables(told.hackatari)]
    headings = [caption[0].upper() + caption[1:] for caption in captions]
    assert len(captions) == 5 and all(heading in pair_markdown(told) for heading in headings)
    page = pair_page(told)
    assert page.count('class="changes"') == 5  # Figure 1, and both halves of Figures 2 and 3
    assert f">{AGENT}<" in page and "DQN, published" in page


def test_other_suites_have_none_of_it(tmp_path):
    plan = suite_plan(suite("stori/toy"), "random", seeds=2, episodes=2)
    assert not plan.suite.random_play and not plan.suite.normalised


@pytest.mark.parametrize(("ends", "word"), [
    ((-0.9, -0.51), DROPPED), ((-0.9, -0.4), UNDECIDED), ((-0.5, 0.1), KEPT),
    ((-math.inf, math.inf), UNDECIDED),
])  # fmt: skip
def test_half_of_the_margin_is_lost_only_where_the_interval_says_so(ends, word):
    assert halved(Interval(-0.6, *ends)) == word


def test_numbers_in_words():
    assert change_text(Interval(-0.854, -0.92, 71.0)) == "-85% [-92, +7,100]"
    assert change_text(Interval(0.001, -math.inf, 0.2)) == "0% [no bound, +20]"
    assert share_interval(Interval(-0.001, -0.2, 1.0)) == "0.00 [-0.20, 1.00]"
