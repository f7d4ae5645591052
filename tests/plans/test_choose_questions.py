"""What an exam asks: which axes, at which levels, in which arm, and why the others are left out."""

import json
from dataclasses import replace

import pytest

from assay.catalogue import axis_of, variations
from assay.core.axis import Axis
from assay.errors import AssayError, NotApplicable, WrongLevel
from assay.plans import choose_questions
from assay.plans.choose_questions import (
    ask_every_axis,
    few_levels,
    make_question,
    parse_levels,
    strongest_levels,
)
from assay.plans.question import CARRY, LEARN, Question
from assay.strict_json import from_json, to_json
from assay.task_text import parse

TOY, CARTPOLE = "toy/discrete", "gym/CartPole-v1"
REWARD_AXES = {
    "delay", "reward_noise", "term_state_reward", "reward_scale", "reward_shift", "reward.sparsify",
    "reward.clip", "reward.sign", "reward.normalise",
}  # fmt: skip


def asked(task=TOY, trains=True, **how):
    """The questions by axis, and the reasons by axis."""
    found = ask_every_axis(parse(task), trains, **how)
    return {each.axis: each for each in found.questions}, dict(found.not_asked)


def dose(levels, neutral=0.0, kind=float):
    return Axis("dose", ("action",), "dose", kind, neutral, levels, "a made-up dose", "test")


@pytest.fixture(scope="module")
def toy():
    return asked()


def test_a_reward_axis_is_learned_under_and_every_other_carried_over(toy):
    questions, _ = toy
    assert {name for name, each in questions.items() if each.arm == LEARN} == REWARD_AXES
    assert all(each.components != ("reward",) for each in questions.values() if each.arm == CARRY)
    assert sum(each.arm == CARRY for each in questions.values()) >= 8


def test_reasons_in_words(toy):
    _, reasons = toy
    assert reasons["diameter"] == "levels have other spaces (`--retrain` trains there)"
    assert reasons["observation.irrelevant"] == "levels have other spaces (`--retrain` trains there)"
    assert reasons["sequence_length"] == "levels change what the task asks for (`--retrain` trains there)"
    assert reasons["repeats_in_sequences"] == "acts only with sequence_length set"
    assert reasons["only_reachable"] == "acts only with maximally_connected=false"
    assert reasons["observation.quantise"] == "a Discrete observation cannot be rounded, nor moved a little"


@pytest.mark.parametrize("how", [
    {}, {"trains": False}, {"retrain": True}, {"task": CARTPOLE, "trains": False},
    {"task": f"{TOY}+delay=1+sequence_length=2"},
], ids=str)  # fmt: skip
def test_no_axis_of_the_catalogue_is_lost(how):
    questions, reasons = asked(**how)
    known = variations(parse(how.get("task", TOY)).env)
    own = {axis.name for axis in known if not axis.same_as}
    doubles = {axis.name for axis in known if axis.same_as in own}
    assert not questions.keys() & reasons.keys()
    assert questions.keys() | reasons.keys() == {axis.name for axis in known} - doubles


def test_a_double_of_the_env_s_own_key_is_asked_once_and_where_there_is_no_key_it_is_asked(toy):
    questions, reasons = toy
    assert "delay" in questions and "reward.delay" not in questions.keys() | reasons.keys()
    # A Gymnasium env has no key `delay`, so there the general axis stands for itself.
    assert "reward.delay" in asked(CARTPOLE, trains=True)[0]


def test_levels_are_the_catalogue_s_in_both_directions(toy):
    questions, _ = toy
    assert questions["horizon"].levels == ("50", "25", "10", "200")  # 100 lies inside
    assert questions["terminal_state_density"].levels == ("0.0", "0.5")
    assert questions["action.sticky"].levels == ("0.1", "0.25", "0.5")
    assert questions["action.sticky"].neutral == "0.0" and questions["action.sticky"].ordered


def test_under_a_reward_axis_only_the_strongest_of_each_side_is_trained(toy):
    questions, _ = toy
    assert questions["delay"].levels == ("8",)
    assert questions["reward_shift"].levels == ("-1.0", "1.0")
    assert questions["reward.clip"].levels == ("0.5",)  # its neutral is far above: stronger is smaller
    assert asked(all_levels=True)[0]["delay"].levels == ("1", "2", "4", "8")


def test_what_has_no_order_is_no_dose(toy):
    questions, _ = toy
    assert not any(questions[name].ordered for name in ("mdp_seed", "maximally_connected", "terminal_states"))


def test_where_something_else_is_asked_shares_are_compared(toy):
    questions, _ = toy
    assert {name for name, each in questions.items() if each.shares} == {
        "mdp_seed", "terminal_state_density", "terminal_states",
    }  # fmt: skip


def test_at_most_five_levels_the_strongest_of_each_side_always():
    # By hand: -2 and 9 are kept; of -1, 1, 2, 3, 5, 7 three are taken evenly: places 0, 2 (2.5 rounds to the
    # even), 5.
    assert few_levels(dose((-1.0, -2.0, 1.0, 2.0, 3.0, 5.0, 7.0, 9.0))) == (-1.0, -2.0, 2.0, 7.0, 9.0)
    assert few_levels(dose((1.0, 2.0, 3.0, 4.0, 5.0))) == (1.0, 2.0, 3.0, 4.0, 5.0)
    assert few_levels(dose(tuple(float(n) for n in range(1, 7)))) == (1.0, 2.0, 4.0, 5.0, 6.0)


def test_strongest_is_the_last_of_each_side_not_the_farthest_number():
    assert strongest_levels(dose((50, 25, 10, 200), neutral=100, kind=int)) == (10, 200)
    assert strongest_levels(dose((0.1, 0.5))) == (0.5,)
    words = Axis(
        "mode", ("transition",), "choice", str, "a", ("b", "c"), "a word", "test", choices=("a", "b", "c")
    )
    assert strongest_levels(words) == ("c",)


def test_retrain_brings_in_other_spaces_and_other_asks():
    questions, reasons = asked(retrain=True)
    for name in ("diameter", "action_space_size", "irrelevant_features", "observation.irrelevant"):
        assert questions[name].arm == LEARN, name
    assert questions["sequence_length"].arm == LEARN and questions["sequence_length"].shares
    assert questions["sequence_length"].levels == ("4",)
    assert not any("--retrain" in why for why in reasons.values())


def test_an_agent_without_training_is_not_asked_to_learn():
    questions, reasons = asked(trains=False)
    assert {each.arm for each in questions.values()} == {CARRY}
    assert {name for name, why in reasons.items() if why == choose_questions.NO_TRAINING} == REWARD_AXES


def test_retrain_helps_no_agent_that_cannot_be_trained():
    questions, reasons = asked(trains=False, retrain=True)
    assert {each.arm for each in questions.values()} == {CARRY}
    assert "diameter" in reasons and "sequence_length" in reasons


def test_a_hosted_task_has_the_general_axes_and_those_of_its_family():
    questions, reasons = asked(CARTPOLE, trains=False)
    assert set(questions) == {
        "action.random", "action.other", "action.sticky", "action.delay", "action.repeat",
        "action.restricted.0", "action.matrix", "observation.noise", "observation.normal",
        "observation.dropout", "observation.delay", "observation.quantise", "observation.hide.0",
        "step_repeat", "step_skip", "jump_back",
    }  # fmt: skip
    assert (
        reasons["observation.irrelevant"] == choose_questions.OTHER_SPACES
        and reasons["reward.noise"] == choose_questions.NO_TRAINING
    )


def test_functions_of_the_catalogue_are_examples_and_not_asked(toy):
    questions, reasons = toy
    assert reasons["reward_noise_function"] == choose_questions.OWN_FUNCTION
    assert questions["terminal_states"].levels == ("[7]", "[5,6,7]")
    axis = axis_of(TOY, "reward_noise_function")
    given = make_question(parse(TOY), axis, True, levels=axis.levels)
    assert given.levels == ("assay.envs.toy.examples:uneven",)


def test_what_the_task_sets_is_not_asked_and_what_it_makes_possible_is():
    questions, reasons = asked(f"{TOY}+delay=2")
    assert reasons["delay"] == "the task itself sets it"
    assert "flush_on_end" in questions  # it needs a delay


def test_one_axis_that_cannot_stand_in_the_task_does_not_spoil_the_exam():
    # With 6 states there is no state 7, which is a level of terminal_states in the catalogue.
    questions, reasons = asked(f"{TOY}+action_space_size=6")
    assert "takes states from 0 to 5, not 7" in reasons["terminal_states"]
    assert "action.sticky" in questions


def test_a_task_that_cannot_be_built_says_so_itself():
    with pytest.raises(AssayError, match="sequence_length=7 leaves no sequence"):
        ask_every_axis(parse(f"{TOY}+sequence_length=7"), True)


def test_a_question_survives_the_plan(toy):
    for each in toy[0].values():
        assert from_json(Question, json.loads(json.dumps(to_json(each))), "a question") == each


def test_given_levels_are_asked_as_given_in_every_arm():
    assert make_question(parse(TOY), axis_of(TOY, "delay"), True, levels=(1, 3)).levels == ("1", "3")
    with pytest.raises(NotApplicable, match="score of an agent that is not trained"):
        make_question(parse(TOY), axis_of(TOY, "delay"), False, levels=(1, 3))


@pytest.mark.parametrize("name, written, levels", [
    ("delay", "0:8:2", (2, 4, 6, 8)),  # neutral is no level
    ("delay", "8:0:-4", (8, 4)),
    ("delay", "1:6:2", (1, 3, 5)),  # the last one need not be hit
    ("delay", "1,2,4,2", (1, 2, 4)),
    ("transition_noise", "0:0.3:0.1", (0.1, 0.2, 0.3)),  # not 0.30000000000000004
    ("reward_shift", "-1:1:1", (-1.0, 1.0)),
    ("terminal_states", "[7],[5,6]", ((7,), (5, 6))),
    ("maximally_connected", "false", (False,)),
])  # fmt: skip
def test_levels_as_a_user_writes_them(name, written, levels):
    found = parse_levels(axis_of(TOY, name), written)
    assert found == levels and [type(x) for x in found] == [type(x) for x in levels]


def test_the_range_of_the_manual():
    hue = dose((1.0,))
    assert parse_levels(hue, "0:180:20") == tuple(20.0 * n for n in range(1, 10))


@pytest.mark.parametrize("written", ["0:4:0", "a:b:c", "0:true:1"])
def test_what_is_no_range_is_refused(written):
    with pytest.raises(WrongLevel, match=f"delay={written} is not a range; write for example delay=0:10:2."):
        parse_levels(axis_of(TOY, "delay"), written)


@pytest.mark.parametrize("written, instead", [("0:-4:2", "-4:0:2"), ("4:1:1", "1:4:1")])
def test_a_range_that_its_step_leads_away_from_says_so(written, instead):
    with pytest.raises(WrongLevel, match=f"steps of .+ from .+ never reach .+; write delay={instead}"):
        parse_levels(axis_of(TOY, "delay"), written)


def test_a_range_without_its_step_says_what_is_missing():
    with pytest.raises(WrongLevel, match=r"action\.random=0\.1:0\.5 has no step; .*=0\.1:0\.5:0\.1"):
        parse_levels(axis_of(TOY, "action.random"), "0.1:0.5")


@pytest.mark.parametrize("written, says", [
    ("0", "names no level other than the neutral 0"),
    ("0:2:0.5", "a whole number from 0 to 1000"),
    ("1,2000", "not 2000"),
    ("soon", "not 'soon'"),
    ("0:4", "has no step; write from, to and step, as in delay=0:4:1"),
    (",", "is no value"),
])  # fmt: skip
def test_bad_levels_are_refused(written, says):
    with pytest.raises(AssayError, match=says):
        parse_levels(axis_of(TOY, "delay"), written)


def test_a_level_that_only_restates_the_task_is_no_test_condition():
    """Boxing's player is white; so no exam asks whether it plays on as a white one, unless it is told to."""
    text, axis = parse("atari/Boxing+observation=ram"), axis_of("atari/Boxing", "color_player")
    assert "white" in axis.levels and axis.restates == ("white",)
    asked = make_question(text, axis, trains=False, all_levels=True)
    assert "white" not in asked.levels and "red" in asked.levels
    told = make_question(text, axis, trains=False, levels=("white", "red"))
    assert told.levels == ("white", "red")


def test_an_axis_of_controls_alone_is_left_out():
    axis = axis_of("atari/Boxing", "color_player")
    with pytest.raises(NotApplicable, match="only restate the task"):
        make_question(parse("atari/Boxing"), replace(axis, levels=("white",)), trains=False)


def test_a_name_for_one_level_of_an_axis_can_be_asked():
    found = ask_every_axis(parse("atari/Freeway+observation=ram"), False, only=["all_black_cars"])
    assert [(each.axis, each.levels) for each in found.questions] == [("all_black_cars", ("true",))]
