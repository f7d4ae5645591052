"""`assay show` and the runs that it puts beside each other."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from gymnasium import spaces
from typer.testing import CliRunner

import assay
from assay.chance.bounds import BestReturn
from assay.cli.main import app
from assay.cli.show import Room, average_if_drawn, never_on, print_averages, text
from assay.cli.show_chance import tell_best
from assay.cli.show_words import view_for
from assay.cli.side_by_side import Average, Moment, Run, average, differ, plain_beside, side_by_side
from assay.errors import NoMoreDraws
from assay.interop.gymnasium import make
from assay.tasks import resolve


def shown(*words):
    done = CliRunner().invoke(app, ["show", *words])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_only_what_the_variation_touches_is_marked():
    lines = shown("gym/FrozenLake-v1+reward.shift=1.0", "--steps", "5").splitlines()
    steps = [line for line in lines if line.strip()[:1].isdigit()]
    assert any("1.00*" in line for line in steps)
    assert all(line.count("*") == line.count("1.00*") for line in steps)


def test_a_plain_task_stands_alone():
    text = shown("gym/FrozenLake-v1", "--steps", "3")
    assert "shown alone, because it is a plain task" in text


def test_json_holds_the_card_and_the_steps():
    card = json.loads(shown("gym/CartPole-v1+action.sticky=0.5", "--seed", "3", "--steps", "7", "--json"))
    assert card["task"] == "gym/CartPole-v1+action.sticky=0.5" and card["plain"] == "gym/CartPole-v1"
    assert card["variations"][0]["components"] == ["action"]
    assert card["optimum"]["value"] is None
    played = [row for row in card["steps"] if row["t"]]
    assert len(played) == 7
    assert card["steps"][0]["plain"]["observation"] == card["steps"][0]["varied"]["observation"]


def test_a_toy_task_tells_its_optimum_and_spaces():
    text = shown("toy/discrete+reward_scale=2.0", "--steps", "3")
    assert "optimum      200.00 (plain: 100.00)" in text
    assert "observation  Discrete, 0 to 7" in text
    assert "reward_scale=2.0" in text


def test_the_same_seed_shows_the_same():
    words = ("gym/CartPole-v1+observation.noise=0.1", "--steps", "4", "--json")
    assert shown(*words, "--seed", "1") == shown(*words, "--seed", "1")
    assert shown(*words, "--seed", "1") != shown(*words, "--seed", "2")


OF_A_TABLE = 'pieces_table=example:kinds+rule="(size:1..3, bucket:1) (bucket:2)"'  # not without its table


@pytest.mark.parametrize("text, plain", [
    ("toy/discrete+delay=2", "toy/discrete"),
    ("toy/discrete+diameter=2+delay=2", "toy/discrete"),
    ("toy/discrete+action_space_size=6+delay=2", "toy/discrete+action_space_size=6"),
    ("toy/discrete+action_space_size=6", None),
    ("toy/discrete", None),
    ('rules/custom+rule="(bucket:0)"', None),
    ('rules/custom+rule="(bucket:0)"+swap_buckets=1', 'rules/custom+rule="(bucket:0)"'),
    ('rules/custom+pieces=4+rule="(bucket:0)"', 'rules/custom+rule="(bucket:0)"'),
    (f"rules/custom+{OF_A_TABLE}", None),
    (f"rules/custom+{OF_A_TABLE}+swap_buckets=1", f"rules/custom+{OF_A_TABLE}"),
    (f"rules/custom+swap_buckets=1+{OF_A_TABLE}+horizon=9", f"rules/custom+{OF_A_TABLE}"),
])  # fmt: skip
def test_the_plain_task_beside_has_the_same_actions(text, plain):
    env, why_not = plain_beside(resolve(text), make(text))
    assert (env and env.task) == plain
    assert bool(why_not) == (env is None)


def test_both_runs_begin_the_next_episode_together():
    rows = side_by_side(make("gym/CartPole-v1"), make("gym/CartPole-v1+action.random=0.5"), seed=0, steps=60)
    begins = [row for row in rows if row.t == 0]
    assert len(begins) > 1
    for row in begins:
        assert np.array_equal(row.plain.observation, row.varied.observation)
    alone = [row for row in rows if (row.plain is None) != (row.varied is None)]
    assert alone, "one of the runs ends first"


def test_a_run_that_is_over_says_nothing():
    run = Run(make("gym/FrozenLake-v1"), seed=0)
    assert run.step(0) is None
    assert isinstance(run.begin(), Moment)


def test_averages_are_over_whole_episodes():
    found = average(make("gym/CartPole-v1+reward.scale=2.0"), seed=0)
    assert found.episodes > 10
    assert found.length == found.score == found.paid / 2


def test_a_picture_is_told_by_its_mean():
    fits = Room(2, 1)
    assert text(np.full((2, 2, 3), 7, np.uint8), fits) == "mean 7.00"
    assert text(np.array([1.0, 2.0, 3.0]), fits) == "[1.0 2.0 …]"
    assert text(None, fits) == ""


def test_values_differ_by_content():
    assert differ(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    assert differ(np.zeros(2), np.zeros(3))
    assert not differ(np.int64(3), 3)
    assert differ("", "ends")


def test_a_task_with_a_text_view_is_shown_in_words():
    task = 'rules/custom+rule="(bucket:0)"+board=example:corners'
    text = shown(task + "+swap_buckets=1", "--steps", "2")
    assert "plain rule   (bucket:0)" in text and "edited rule  (bucket:" in text
    assert "beside the plain task rules/custom+rule=" in text
    first = next(line for line in text.splitlines() if line.strip().startswith("t 1"))
    assert " to bucket " in first
    lines = text.splitlines()
    after = lines.index(first)
    assert lines[after + 1].split() in (["plain", "varied"], ["plain", "varied*"])
    assert lines[after + 2].count("cell ") == 2 and lines[after + 3].count("reward") == 2
    assert "R red, K black" in text


def test_only_what_a_view_can_read_is_shown_by_it():
    task = "rules/shape_match"
    env = make(task)
    assert view_for(env) is not None
    other = spaces.Box(0, 1, (40,))
    for changed in ({"observation_space": other}, {"action_space": spaces.Discrete(3)}):
        known = {"task": task, "observation_space": env.observation_space, "action_space": env.action_space}
        assert view_for(SimpleNamespace(**known | changed)) is None


def test_the_rule_is_in_the_json_too():
    card = json.loads(shown("rules/b3_then_b1+swap_buckets=1", "--steps", "1", "--json"))
    assert set(card["told"]) == {"plain rule", "edited rule"}
    assert "info" not in card["steps"][0]["varied"]


def test_the_chance_of_a_task_is_told_where_there_is_some():
    said = shown("toy/discrete+hidden_mode=0.05+action.random=0.3+horizon=3", "--steps", "2")
    assert "1.433 of 3.000 bits a step reach the env at most" in said
    assert "bits hidden in random play, H(S|O)" in said
    assert "best return  blind" in said and "over beliefs" in said
    assert "bits" not in shown("toy/discrete", "--steps", "2")


def test_json_carries_the_chance():
    card = json.loads(shown("toy/discrete+transition_noise=0.25@sudden:5", "--steps", "2", "--json"))
    assert card["chance"]["drift"]["total_variation"] == pytest.approx(0.25)
    assert card["chance"]["best"] is None
    assert "does not stay the same" in card["chance"]["notes"][-1]
    hosted = json.loads(shown("gym/CartPole-v1", "--steps", "2", "--json"))
    assert hosted["chance"]["action"]["bits"] == pytest.approx(1) and hosted["chance"]["world"] is None


@pytest.mark.parametrize("best, says", [
    (BestReturn(1.5, None, None, ""), "1.50"),
    (BestReturn(None, 1.0, 2.0, ""), "1.00 to 2.00"),
    (BestReturn(None, None, None, ""), "unknown"),
])  # fmt: skip
def test_a_bound_is_never_shown_as_a_number(best, says):
    assert tell_best(best).startswith(says)


def test_late_and_held_choices_are_told():
    assert "choices come 2 steps late" in shown("toy/discrete+action.delay=2", "--steps", "2")
    assert "one choice in 3 counts" in shown("toy/discrete+action.repeat=3", "--steps", "2")


def test_a_schedule_that_never_comes_on_is_told():
    def told(text):
        return never_on(assay.task(text))

    assert told("toy/discrete+action.random=0.5@sudden:500") == [
        "action.random=0.5@sudden:500 never comes on: episodes end after 100 steps"
    ]
    for comes in ("sudden:50", "sudden:500:life", "random:0.1"):
        assert told(f"toy/discrete+action.random=0.5@{comes}") == []
    assert told("toy/discrete+action.random=0.5@sudden:500+horizon=600") == []
    assert told("gym/CartPole-v1+action.random=0.5@sudden:5000") == []


def test_recorded_draws_that_end_early_leave_random_play_without_an_average(monkeypatch, capsys):
    def ends(env, seed):
        raise NoMoreDraws("the recorded draws end.")

    monkeypatch.setattr("assay.cli.show.average", ends)
    assert average_if_drawn(None, 0) is None
    print_averages({"plain": None, "varied": None})
    assert "recorded draws end before episodes of random play do" in capsys.readouterr().out


def test_a_task_whose_episodes_do_not_end_says_so_in_place_of_its_averages(capsys):
    endless, ending = Average(0, None, None, None), Average(3, 10.0, 1.0, 1.0)
    print_averages({"plain": ending, "varied": endless})
    told = capsys.readouterr().out
    assert "10.00" in told and "no episode of the varied task came to an end in 4,000 steps" in told
    print_averages({"plain": endless, "varied": endless})
    assert "  no episode came to an end in 4,000 steps of random play" in capsys.readouterr().out
