"""Plans of drifts: when something comes on, which arm is the control, and what is refused."""

import pytest

from assay.errors import AssayError
from assay.plans.drift_length import say_random_play_is_short
from assay.plans.drift_question import EPISODES, LIFE, STEPS
from assay.plans.drift_request import drift_plan, is_drift, on_spans, question_of
from assay.task_text import parse_schedule

TOY = "toy/discrete"
TRAINING = {"settings": {"steps": 4000}, "seeds": 2}


@pytest.mark.parametrize(
    ("schedule", "spans"),
    [
        ("sudden:30", [(30, 100)]),
        ("ramp:20:60", [(20, 100)]),
        ("window:20:60", [(20, 60)]),
        ("window:80:160", [(80, 100)]),
        ("cyclic:20:30", [(0, 20), (50, 70)]),
        ("turn:20:1:2", [(20, 40), (60, 80)]),
        ("sudden:100", []),
    ],
)
def test_a_schedule_is_on_in_these_spans_of_100_steps(schedule, spans):
    assert list(on_spans(parse_schedule(schedule), 100)) == spans


def test_steps_of_the_episode_ask_about_a_frozen_agent():
    question, plan = drift_plan("random", f"{TOY}+delay=2+action.random=0.5@sudden:30")
    assert (question.unit, question.drifts, question.spans) == (STEPS, (30,), ((30, 100),))
    assert question.control == f"{TOY}+delay=2"
    (pair,) = plan.suite.pairs
    assert (pair.train, pair.evaluate) == (question.control, question.task)
    assert plan.transcripts and plan.seeds == (0,) and plan.episodes == 100


@pytest.mark.parametrize(("clock", "unit"), [("sudden:2000:life", LIFE), ("sudden:20:episodes", EPISODES)])
def test_the_clock_of_a_life_asks_about_an_agent_that_learns(clock, unit):
    question, plan = drift_plan("tabular_q", f"{TOY}+action.random=0.5@{clock}", **TRAINING)
    assert question.unit == unit and question.learning and not plan.transcripts
    assert [(pair.train, pair.evaluate) for pair in plan.suite.pairs] == [
        (question.control,) * 2,
        (question.task,) * 2,
    ]


def test_copies_of_an_env_have_lives_of_their_own():
    question, _ = drift_plan(
        "ppo", f"{TOY}+action.random=0.5@sudden:100:life",
        settings={"steps": 40960, "envs": 8, "rollout": 128, "report_every": 1024},
    )  # fmt: skip
    assert question.lanes == 8 and question.drifts == (100,)


def test_concepts_that_follow_one_another_are_drifts_one_by_one():
    question, _ = drift_plan("random", f"{TOY}+[action.random=0.3,transition_noise=0.1]@sudden:30:60")
    assert question.drifts == (30, 60)


def test_a_question_names_what_comes_on():
    question, _ = drift_plan("random", f"{TOY}+[action.random=0.3,transition_noise=0.1]@sudden:30:60")
    assert question.names == ("action.random=0.3", "transition_noise=0.1")
    assert question.name_of(60) == "transition_noise=0.1" and question.name_of(61) == ""
    both, _ = drift_plan("random", f"{TOY}+[action.random=0.3+transition_noise=0.1]@sudden:30")
    assert both.names == ("action.random=0.3+transition_noise=0.1",)


def test_variations_under_one_schedule_are_one_drift():
    question, _ = drift_plan("random", f"{TOY}+[action.random=0.3+transition_noise=0.1]@sudden:30")
    assert question.drifts == (30,) and question.control == TOY


@pytest.mark.parametrize("setting", ["compat=stori", "granularity=frame"])
def test_a_setting_of_chances_keeps_its_variation_at_neutral_in_the_control(setting):
    """STORI's own drift: without the variation there would be nothing for the setting to act on."""
    pytest.importorskip("ale_py")
    question, plan = drift_plan("random", f"atari/BankHeist+{setting}+city_switch=0.5@sudden:5")
    assert question.control == f"atari/BankHeist+{setting}+city_switch=0.0" and question.drifts == (5,)
    assert plan.suite.pairs[0].train == question.control


def test_a_drift_after_the_time_limit_of_a_host_is_refused_before_anything_is_played():
    with pytest.raises(AssayError, match="within the 500 steps after which every episode is over"):
        drift_plan("random", "gym/CartPole-v1+action.random=0.5@sudden:500")


def test_a_window_beyond_the_time_limit_of_a_host_is_refused_before_anything_is_played():
    with pytest.raises(AssayError, match="--window is at most 400 here"):
        drift_plan("random", "gym/CartPole-v1+action.random=0.5@sudden:100", window=10_000)


def test_short_random_play_is_told_before_training():
    late, _ = drift_plan("random", "gym/CartPole-v1+action.random=0.5@sudden:200")
    assert "comes after 200: unless agents learn to last longer" in say_random_play_is_short(late)
    early, _ = drift_plan("random", "gym/CartPole-v1+action.random=0.5@sudden:5")
    assert say_random_play_is_short(early) == ""


@pytest.mark.parametrize(
    ("schedule", "instead"),
    [
        ("cyclic:60:60", "write @turn:60:1:2,"),
        ("cyclic:600:60", "write @turn:600:1:2,"),
        ("turn:30:0:2", "write @turn:30:1:2,"),
        ("window:0:50", "write .action.random=0.3@sudden:50,"),
    ],
)
def test_what_is_on_from_the_beginning_is_refused_unless_the_control_has_it(schedule, instead):
    with pytest.raises(AssayError, match=f"@{schedule} begins on at step 0.*{instead}"):
        drift_plan("random", f"{TOY}+action.random=0.5@{schedule}")
    both = f"{TOY}+action.random=0.5@window:0:30+transition_noise=0.1@sudden:30"
    question, _ = drift_plan("random", both, control=f"{TOY}+action.random=0.5")
    assert question.drifts == (30,)


def test_a_window_longer_than_a_variation_is_on_is_refused_before_anything_is_played():
    asked = {"settings": {"steps": 4000}, "seeds": 2}
    for agent, clock, window, more in (
        ("random", "window:30:50", 21, {}),
        ("random", "sudden:30", 71, {}),
        ("tabular_q", "sudden:2000:life", 2001, asked),
    ):
        task = f"{TOY}+action.random=0.5@{clock}"
        with pytest.raises(AssayError, match=f"--window is at most {window - 1:,} here"):
            drift_plan(agent, task, window=window, **more)
        drift_plan(agent, task, window=window - 1, **more)


def test_a_plan_and_its_options_give_the_question_again():
    for agent, clock, asked in (("random", "sudden:30", {}), ("tabular_q", "sudden:2000:life", TRAINING)):
        question, plan = drift_plan(agent, f"{TOY}+action.random=0.5@{clock}", window=7, margin=0.2, **asked)
        assert is_drift(plan) and question_of(plan, 7, 0.2) == question


@pytest.mark.parametrize(
    ("agent", "task", "asked", "says"),
    [
        ("random", TOY, {}, "nothing in toy/discrete drifts"),
        ("random", f"{TOY}+action.random=0.5", {}, "drifts; give a variation a schedule"),
        ("random", f"{TOY}+action.random=0.5@random:0.1", {}, "draws what happens when"),
        ("random", f"{TOY}+transition_noise=0.5@uniform:0.1", {}, "draws what happens when"),
        ("random", f"{TOY}+action.random=0.5@sudden:100", {}, "does not come on within the 100 steps"),
        ("random", f"{TOY}+action.random=0.5@sudden:0", {}, "varied from its beginning on"),
        ("random", f"{TOY}+action.random=0.5@turn:2:1:2", {}, "drifts 25 times .* 20 is the most"),
        (
            "random",
            f"{TOY}+action.random=0.5@sudden:30+transition_noise=0.1@sudden:60",
            {},
            "@sudden:30 and @sudden:60 overlap",
        ),
        (
            "tabular_q",
            f"{TOY}+action.random=0.5@sudden:30+transition_noise=0.1@sudden:60:life",
            TRAINING,
            "count steps and life",
        ),
        ("random", f"{TOY}+action.random=0.5@sudden:30:life", {}, "random does not learn"),
        (
            "tabular_q",
            f"{TOY}+action.random=0.5@sudden:4000:life",
            TRAINING,
            "within the 4,000 steps of training",
        ),
        (
            "random",
            f"{TOY}+action.random=0.5@sudden:30",
            {"control": "toy/grid"},
            "another observation space",
        ),
        (
            "random",
            f"{TOY}+action.random=0.5@sudden:30",
            {"control": f"{TOY}+action.random=0.5@sudden:20"},
            "has a schedule itself",
        ),
        ("random", f"{TOY}+action.random=0.5@sudden:30", {"window": 0}, "--window is at least 1"),
        ("random", f"{TOY}+action.random=0.5@sudden:30", {"margin": 1.5}, "--margin is a share"),
        ("random", f"{TOY}+action.random=0.5@sudden:30", {"seeds": 3}, "its units are episodes"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_sentence(agent, task, asked, says):
    with pytest.raises(AssayError, match=says) as refused:
        drift_plan(agent, task, **asked)
    assert str(refused.value).endswith(".") and "\n" not in str(refused.value)
