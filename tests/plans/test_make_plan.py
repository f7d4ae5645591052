"""What is refused before any work, each in a sentence that says what to do instead."""

import json
import math

import pytest

from assay.catalogue import suite
from assay.conduct.phases import open_or_create
from assay.errors import AssayError
from assay.plans.job_plan import job_plan
from assay.plans.jobs import jobs_of
from assay.plans.make_plan import (
    design_plan,
    exam_plan,
    suite_plan,
    sweep_plan,
    train_plan,
)
from assay.plans.of_trained import exam_of_trained
from assay.plans.plan import plan_from_json, plan_to_json
from assay.suites.suite import Pair, Suite

TOY, CARTPOLE = "toy/discrete", "gym/CartPole-v1"
OWN = Suite("own", 1, "", (Pair(TOY, f"{TOY}+delay=1"),), (0, 1, 2), 4)


ACT, TRAIN, DARK = "request_others:act", "request_others:train", "request_others:dark"
PAID = "request_others:paid"
REFUSED = {
    "an unknown agent": (
        lambda: exam_plan("tabular_Q2", TOY),
        "no agent is called 'tabular_Q2'; did you mean 'tabular_q'?",
    ),
    "an unknown task": (lambda: train_plan("dqn", "toy/discreet"), "did you mean 'toy/discrete'?"),
    "an unknown setting": (
        lambda: train_plan("dqn", TOY, settings={"learning_rat": 1}),
        "no setting of dqn is called 'learning_rat'; did you mean 'learning_rate'",
    ),
    "a word for a number": (
        lambda: train_plan("dqn", TOY, settings={"batch": "many"}),
        "batch of dqn takes a value such as 32, not 'many'.",
    ),
    "half a step": (
        lambda: train_plan("dqn", TOY, settings={"steps": 10.5}),
        "steps of dqn takes a value such as 20000, not 10.5.",
    ),
    "a shift of pictures where there are none": (
        lambda: train_plan("ppo", TOY, settings={"shift": 4}),
        "ppo does not fit toy/discrete: shift and jitter change pictures, and these observations are none; "
        "set both to 0.",
    ),
    "the same in a suite's pair": (
        lambda: suite_plan(
            Suite("own", 1, "", (Pair(TOY, TOY), Pair(TOY, TOY)), (0,), 4, settings=({}, {"jitter": 0.5})),
            "ppo",
        ),
        "ppo does not fit toy/discrete: shift and jitter change pictures, and these observations are none; "
        "set both to 0.",
    ),
    "a number for a list": (
        lambda: train_plan("dqn", TOY, settings={"hidden": 64}),
        "hidden of dqn takes a value such as (256, 256), not 64.",
    ),
    "a setting of another's agent": (
        lambda: exam_plan(ACT, CARTPOLE, settings={"batch": 3}),
        "is not an agent of assay, so it takes no settings such as batch.",
    ),
    "seeds of a given agent": (
        lambda: exam_plan(ACT, CARTPOLE, seeds=3),
        "is not trained, so its units are episodes: use --episodes, not --seeds.",
    ),
    "seeds of random play": (lambda: exam_plan("random", TOY, seeds=3), "use --episodes, not --seeds."),
    "steps of a given agent": (
        lambda: exam_plan(ACT, CARTPOLE, settings={"steps": 5}),
        "so --steps 5 has no effect; drop it.",
    ),
    "training without steps": (
        lambda: exam_plan(TRAIN, CARTPOLE),
        "give its number of env steps, such as --steps 20000.",
    ),
    "an axis that the task sets": (
        lambda: sweep_plan("dqn", f"{TOY}+delay=2", {"delay": "1,4"}),
        "delay cannot be swept: the task itself sets it",
    ),
    "more levels than anybody reads": (
        lambda: sweep_plan("dqn", TOY, {"transition_noise": "0:1:0.0001"}),
        "gives 10001 levels, but a sweep takes 200 at most; take a larger step.",
    ),
    "no steps": (
        lambda: exam_plan("dqn", TOY, settings={"steps": 0}),
        "steps of dqn must be 1000 or a multiple of it",
    ),
    "fewer than no steps": (
        lambda: exam_plan(TRAIN, CARTPOLE, settings={"steps": -5}),
        "learns nothing in -5 steps",
    ),
    "no steps in a suite": (
        lambda: suite_plan(OWN, "dqn", settings={"steps": 0}),
        "steps of dqn must be 1000 or a multiple of it",
    ),
    "training what cannot be": (
        lambda: train_plan(ACT, CARTPOLE),
        f"`assay examine {ACT} {CARTPOLE}` examines it as it is.",
    ),
    "an unknown activation": (
        lambda: train_plan("dqn", TOY, settings={"activation": "tan"}),
        "activation of dqn is one of tanh, relu, sigmoid, not 'tan'.",
    ),
    "a number for a word": (
        lambda: train_plan("dqn", TOY, settings={"activation": 1}),
        "activation of dqn takes a value such as 'tanh', not 1.",
    ),
    "a number for yes or no": (
        lambda: train_plan("dqn", TOY, settings={"double": 1}),
        "double of dqn takes a value such as False, not 1.",
    ),
    "learning that never starts": (
        lambda: train_plan("dqn", TOY, settings={"learning_starts": 30_000}),
        "learning_starts of dqn must lie between 4 and 20000, not at 30000.",
    ),
    "fewer steps than an update": (
        lambda: train_plan("ppo", TOY, settings={"steps": 100}),
        "take more, or smaller envs and rollout, such as --set envs=4 --set rollout=16.",
    ),
    "a layer of nothing": (
        lambda: train_plan("dqn", TOY, settings={"hidden": (64, 0)}),
        "hidden[1] of dqn must be a whole number from 1 up, not 0.",
    ),
    "a target copied between updates": (
        lambda: train_plan("dqn", TOY, settings={"target_every": 6}),
        "target_every of dqn must be 4 or a multiple of it, not 6.",
    ),
    "no epsilon": (
        lambda: train_plan("dqn", TOY, settings={"adam_epsilon": 0}),
        "adam_epsilon of dqn must lie between 1e-12 and 1e+09, not at 0.",
    ),
    "an agent without a learner on a hosted task": (
        lambda: exam_plan("blind", CARTPOLE),
        "blind trains only on native tasks, and gym/CartPole-v1 is hosted; use one that trains there",
    ),
    "our agent on a native and a hosted task": (
        lambda: suite_plan(Suite("s", 1, "", (Pair(TOY, CARTPOLE),), (0,), 1), "dqn"),
        "on both toy/discrete, which is native, and gym/CartPole-v1, which is hosted; "
        "pair tasks of one kind.",
    ),
    "hosted actions that are not numbered": (
        lambda: train_plan("dqn", "gym/Pendulum-v1"),
        "dqn does not fit gym/Pendulum-v1: it chooses among numbered actions, and these are a Box of shape",
    ),
    "hosted observations without a number": (
        lambda: train_plan("tabular_q", CARTPOLE),
        "CartPole-v1: its table has a row for each observation, so these must be numbered states (Discrete).",
    ),
    "hosted pictures": (
        lambda: train_plan("dqn", "atari/Pong"),
        "dqn does not fit atari/Pong: full layers see rows of numbers, and these are pictures; set",
    ),
    "no seeds": (lambda: exam_plan("dqn", TOY, seeds=0), "--seeds is at least 1, not 0."),
    "no episodes": (lambda: exam_plan("dqn", TOY, episodes=0), "--episodes is at least 1, not 0."),
    "no seeds of a suite": (lambda: suite_plan(OWN, "dqn", seeds=0), "--seeds is at least 1, not 0."),
    "no episodes of a suite": (
        lambda: suite_plan(OWN, "dqn", episodes=0),
        "--episodes is at least 1, not 0.",
    ),
    "a margin of all": (
        lambda: exam_plan("dqn", TOY, margin=1.0),
        "--margin is a share of at least 0 and below 1, such as 0.1, not 1.0.",
    ),
    "a margin below 0": (lambda: exam_plan("dqn", TOY, margin=-0.1), "not -0.1."),
    "a margin that is no number": (lambda: exam_plan("dqn", TOY, margin=float("nan")), "not nan."),
    "a sweep of nothing": (
        lambda: sweep_plan("dqn", TOY, {}),
        "a sweep needs an axis and its levels, such as --axis delay=1,2,4,8.",
    ),
    "a sweep of an unknown axis": (lambda: sweep_plan("dqn", TOY, {"dely": "1"}), "did you mean 'delay'?"),
    "a sweep of what does not fit": (
        lambda: sweep_plan("dqn", TOY, {"observation.quantise": "0.5"}),
        "observation.quantise cannot be swept: ",
    ),
    "a sweep that must learn": (
        lambda: sweep_plan(ACT, CARTPOLE, {"reward.noise": "1"}),
        "reward.noise cannot be swept: "
        "a change of the reward alone cannot change the score of an agent that is not trained.",
    ),
    "an axis that is not asked": (
        lambda: exam_plan("dqn", TOY, only=["diameter"]),
        "diameter cannot be asked of dqn on toy/discrete: "
        "levels have other spaces (`--retrain` trains there).",
    ),
    "an unknown axis": (
        lambda: exam_plan("dqn", TOY, only=["action.stick"]),
        "did you mean 'action.sticky'",
    ),
    "a double": (
        lambda: exam_plan("dqn", TOY, only=["delay", "reward.delay"]),
        "reward.delay is delay on toy/discrete; name that axis.",
    ),
    "one's own variation of the reward, of an agent that does not learn": (
        lambda: exam_plan(ACT, CARTPOLE, only=[PAID]),
        f"{PAID} cannot be asked of {ACT} on {CARTPOLE}: "
        "a change of the reward alone cannot change the score of an agent that is not trained.",
    ),
    "a function that is no variation": (
        lambda: sweep_plan("dqn", TOY, {"textwrap:dedent": ""}),
        "'textwrap:dedent' is a function that takes arguments; a variation is a Field",
    ),
    "worlds where each seed has its own": (
        lambda: exam_plan("dqn", TOY, only=["mdp_seed"]),
        "every seed has an MDP of its own",
    ),
    "a sweep of worlds": (
        lambda: sweep_plan("dqn", TOY, {"mdp_seed": "1,2"}),
        "every seed has an MDP of its own",
    ),
    "an unknown suite": (
        lambda: suite("playground/dely"),
        "no suite is called 'playground/dely'; did you mean 'playground/delay'",
    ),
    "an agent that is not there": (
        lambda: exam_plan("nowhere_at_all:act", CARTPOLE),
        "there is no module 'nowhere_at_all'",
    ),
    "an agent that is a file": (
        lambda: exam_plan("mine.py:act", CARTPOLE),
        "an agent is module:function, here mine:act.",
    ),
}


@pytest.mark.parametrize("ask, says", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_honoured_is_refused_in_one_sentence(ask, says):
    with pytest.raises(AssayError) as refused:
        ask()
    assert says in str(refused.value) and "\n" not in str(refused.value)


def reasons_of(plan):
    """By axis, why it is not asked."""
    return {axis: each.why for each in plan.not_asked for axis in each.axes}


def read_back(plan):
    return plan_from_json(json.loads(json.dumps(plan_to_json(plan))), "a run")


def batches_of(plan):
    return [pair.settings["batch"] for pair in plan.suite.pairs]


def test_an_exam_by_default():
    plan = exam_plan("dqn", TOY)
    assert (plan.seeds, plan.episodes, plan.margin) == (tuple(range(10)), 20, 0.1)
    assert (plan.budget, plan.trains, plan.own_worlds) == (20_000, True, True)
    assert plan.settings["hidden"] == [256, 256]
    reasons = reasons_of(plan)
    assert reasons["mdp_seed"] == "every seed has an MDP of its own (set the axis in the task to fix one)"
    assert "mdp_seed" not in {each.axis for each in plan.questions}


def test_a_given_agent_by_default():
    plan = exam_plan(ACT, CARTPOLE)
    columns = sum(len(each.levels) for each in plan.questions)
    # So many that deviations of a whole episode and a quarter, too rare to be seen, move no mean by 10%.
    needed = 1.25 * math.log(columns / 0.05)
    assert needed / plan.episodes < 0.1 <= needed / (plan.episodes - 1)
    assert (plan.seeds, plan.budget) == ((0,), 0)
    assert exam_plan(ACT, CARTPOLE, episodes=7).episodes == 7
    assert (plan.trains, plan.own_worlds, plan.settings) == (False, False, {})


def test_settings_take_the_type_of_their_defaults():
    plan = train_plan("dqn", TOY, settings={"learning_rate": 1, "steps": 3000.0, "hidden": (64, 32.0)})
    found = plan.settings
    assert (found["learning_rate"], found["steps"], found["hidden"]) == (1.0, 3000, [64, 32])
    assert isinstance(found["learning_rate"], float) and isinstance(plan.budget, int)


def test_where_an_agent_does_not_fit_it_is_not_asked():
    plan = exam_plan("tabular_q", TOY, retrain=True)
    assert "its table would have" in reasons_of(plan)["observation.irrelevant"]
    assert {"diameter", "irrelevant_features"} <= {each.axis for each in plan.questions}
    with pytest.raises(
        AssayError, match="dqn does not fit toy/continuous: it chooses among numbered actions"
    ):
        exam_plan("dqn", "toy/continuous")


def test_actions_of_several_numbers_are_numbered_up_to_a_limit():
    task = f"{TOY}+irrelevant_features+action_space_size=[8,{{}}]"
    assert train_plan("dqn", task.format(500)).trains
    with pytest.raises(AssayError, match="would choose among 4,800 actions, and 4,096 is the most"):
        train_plan("dqn", task.format(600))


def test_a_design_varies_the_task_and_the_agent():
    plan = design_plan("dqn", TOY, {"delay": "0,4", "agent.batch": "16,32"}, "grid", None, seeds=2)
    tasks, batches = [TOY, TOY, f"{TOY}+delay=4", f"{TOY}+delay=4"], [16, 32, 16, 32]
    assert [pair.train for pair in plan.suite.pairs] == tasks and batches_of(plan) == batches
    assert [pair.point for pair in plan.suite.pairs] == [
        {"delay": delay, "agent.batch": batch} for delay in (0, 4) for batch in (16, 32)
    ]
    jobs = jobs_of(plan)
    assert len(jobs) == 8 and len({job.id for job in jobs}) == 8
    assert [job_plan(job).settings["batch"] for job in jobs[::2]] == batches
    with pytest.raises(AssayError, match="the task itself sets it"):
        design_plan("dqn", f"{TOY}+delay=2", {"delay": "0,4"}, "grid", None)
    with pytest.raises(AssayError, match="no setting of dqn is called 'bach'; did you mean 'batch'"):
        design_plan("dqn", TOY, {"agent.bach": "1,2"}, "grid", None)


def test_a_named_world_is_asked_about_no_more():
    plan = exam_plan("dqn", f"{TOY}+mdp_seed=4")
    assert not plan.own_worlds
    assert reasons_of(plan)["mdp_seed"] == "the task itself sets it"
    swept = sweep_plan("dqn", f"{TOY}+mdp_seed=4", {"mdp_seed": "1,2"})
    assert swept.questions[0].levels == ("1", "2")


def test_only_some_axes_and_nothing_said_of_the_others():
    plan = exam_plan("dqn", TOY, only=["action.sticky"])
    assert [each.axis for each in plan.questions] == ["action.sticky"] and plan.not_asked == ()


def test_an_axis_without_levels_is_swept_at_the_catalogue_s():
    plan = sweep_plan("dqn", TOY, {"delay": "", "action.sticky": "0.1:0.3:0.1"})
    assert [each.levels for each in plan.questions] == [("1", "2", "4", "8"), ("0.1", "0.2", "0.3")]
    assert [each.arm for each in plan.questions] == ["learn", "carry"]


def test_a_variation_of_ones_own_is_asked_by_an_exam_at_its_level():
    plan = exam_plan(ACT, CARTPOLE, only=[DARK, "action.sticky"])
    asked = {each.axis: (each.arm, each.levels, each.neutral) for each in plan.questions}
    assert asked[DARK] == ("carry", ("true",), "false") and set(asked) == {DARK, "action.sticky"}


def test_agents_of_ones_own_that_were_trained_left_no_weights_to_examine(tmp_path):
    plan = train_plan(TRAIN, CARTPOLE, seeds=2, first_seed=3, settings={"steps": 50})
    open_or_create(plan, tmp_path / "trained", ["assay"], tmp_path).close()
    command = f"`assay examine {TRAIN} {CARTPOLE} --seeds 2 --first-seed 3 --steps 50`"
    with pytest.raises(AssayError, match="holds no weights") as refusal:
        exam_of_trained(str(tmp_path / "trained"), CARTPOLE)
    assert f"{command} trains the same seeds again" in str(refusal.value)
