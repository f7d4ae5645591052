"""One program for all traced levels of an env, and the same bits as the task's own program."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import tabular
from assay.catalogue import variations
from assay.core.keys import seed_words
from assay.errors import AssayError
from assay.native import build_native
from assay.plans.choose_questions import with_level
from assay.plans.companions import can_be_companion, companions_of
from assay.runs import program as programs
from assay.runs.evaluate import EvaluationSetup, evaluate
from assay.runs.program import in_catalogue_order, signature, stack_tasks
from assay.task_text import parse
from assay.tasks import resolve

TOY = "toy/discrete"
TEXTS = (  # each is one more program to compile
    TOY,
    f"{TOY}+reward_noise=1.0+reward_scale=2.0+action.random=0.5+observation.dropout=0.25",
    f"{TOY}+mdp_seed=3+horizon=30+transition_noise=0.1+action.sticky=0.25+observation.delay=1",
)
OWN = """
from assay.core.variation import Channel


def darken(xp, level, memory, draw, value, ends, space):
    return memory, xp.where(level, 0, value)


dark = Channel(True, "dark", ("observation",), darken, neutral=False)
"""


def traced_levels():
    """Every level of every axis that is no structure, as texts of toy/discrete."""
    found = []
    for axis in variations(TOY):
        if axis.kind == "structure" or axis.same_as:
            continue
        for level in axis.levels:
            try:
                text = with_level(parse(TOY), axis.name, level)
                build_native(text)
            except AssayError:
                continue  # it does not apply to a plain toy/discrete
            found.append(str(text))
    return found


def program(text):
    """The task with the companions of a plan that is made now."""
    return programs.program(text, companions_of([parse(text)]))


def own_program(text):
    """The task as its text alone gives it."""
    return build_native(text).task


def played(tasks, episodes=8):
    table = jnp.asarray(np.random.default_rng(0).normal(size=(8, 8)), jnp.float32)
    return evaluate(stack_tasks(tasks), table, seed_words(5), EvaluationSetup(tabular.act), episodes)


def test_all_traced_levels_share_one_program():
    texts = traced_levels()
    assert len(texts) > 40 and {parse(text).settings[0].name for text in texts} >= {
        "transition_noise", "delay", "horizon", "action.sticky", "observation.delay", "reward.clip",
        "reward.sign",
    }  # fmt: skip
    shared = signature(program(TOY))
    # Its neutral is no level but "as the env has it", so it cannot stand in the other tasks.
    alone = {text for text in texts if "+reward_every_n_steps=" in text}
    assert {text for text in texts if signature(program(text)) != shared} == alone
    # By their own texts they are many programs: that is what is saved.
    assert len({signature(own_program(text)) for text in texts}) > 10


def test_a_world_of_its_own_is_the_same_program():
    assert signature(program(f"{TOY}+mdp_seed=7+delay=8")) == signature(program(TOY))


@pytest.mark.parametrize(
    "text", [f"{TOY}+diameter=2", f"{TOY}+action_space_size=6", f"{TOY}+observation.irrelevant=1"]
)
def test_other_shapes_are_other_programs(text):
    assert signature(program(text)) != signature(program(TOY))


def test_the_axes_beside_it_change_no_bit():
    together = jax.device_get(played([program(text) for text in TEXTS]))
    for place, text in enumerate(TEXTS):
        alone = jax.device_get(played([own_program(text)]))
        for name, a, b in zip(together._fields[:-2], together, alone):  # `drawn` and `told` are empty here
            np.testing.assert_array_equal(a[place], b[0], err_msg=f"{name} of {text}")
    # Equal would be no news if nothing were felt.
    assert len({together.paid[place].tobytes() for place in range(len(TEXTS))}) == len(TEXTS)


def test_channels_in_another_order_keep_their_own_program():
    # Channels act in the order written: noise, then delay, is not delay, then noise.
    text = f"{TOY}+observation.delay=1+observation.noise=0.5"
    assert in_catalogue_order(resolve(parse(text)), companions_of([parse(text)])) is None
    assert signature(program(text)) == signature(own_program(text)) != signature(program(TOY))
    there = f"{TOY}+observation.noise=0.5+observation.delay=1"
    assert signature(program(there)) == signature(program(TOY))


def test_the_env_s_own_keys_act_in_one_order_whatever_the_text_says():
    texts = f"{TOY}+reward_shift=1.0+delay=2", f"{TOY}+delay=2+reward_shift=1.0"
    assert signature(program(texts[0])) == signature(program(texts[1])) == signature(program(TOY))
    leaves = [jax.tree.leaves(program(text)) for text in texts]
    assert all(np.array_equal(a, b) for a, b in zip(*leaves))


def test_a_variation_of_somebody_s_own_keeps_its_own_program(tmp_path, monkeypatch):
    (tmp_path / "program_own.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    text = f"{TOY}+program_own:dark=true"
    assert signature(program(text)) == signature(own_program(text)) != signature(program(TOY))


def test_what_cannot_stand_at_neutral_stays_out():
    axes = {axis.name: axis for axis in variations(TOY)}
    assert can_be_companion(axes["delay"]) and can_be_companion(axes["action.sticky"])
    assert not can_be_companion(axes["diameter"])  # a structure
    assert not can_be_companion(axes["reward.delay"])  # a double of `delay`
    assert not can_be_companion(axes["reward_every_n_steps"])  # its neutral, 0, says "as the env has it"


def test_axes_of_pictures_are_no_companions_of_each_other():
    """Twenty filters at neutral would make a frame a hundred times as costly."""

    def names(text):
        return {variation.name for variation in program(text).variations}

    channels = {"observation.noise", "observation.delay"}
    assert channels <= names("platformer/run+observation=state")
    assert not channels & names("platformer/run") and "action.delay" in names("platformer/run")
    assert channels & names("platformer/run+observation.delay=2") == {"observation.delay"}
    assert signature(program("platformer/run+action.delay=2")) == signature(program("platformer/run"))


@pytest.mark.parametrize("more", ["", "+boards=[example:row,example:corners]+boards_in_turn"])
def test_an_axis_that_sets_the_field_of_another_is_in_no_program_beside_it(more):
    """Of hidden rules `boards_in_turn` sets `board_number`: both at neutral were one record twice."""
    text = f"rules/clockwise{more}"
    companions = companions_of([parse(text)])
    assert "board_number" in companions and "boards_in_turn" not in companions
    names = [each.name for each in programs.program(text, companions).variations]
    assert names.count("board_number") == 1
