"""Arguments of the Python functions that cannot be used: one sentence each, and nothing written."""

import pytest

import assay
from assay.door.arguments import in_python, read_axes
from assay.errors import AssayError

TOY = "toy/discrete"
FOG = assay.Channel(0.5, "fog", ("reward",), lambda *given: given)


@pytest.mark.parametrize(
    "options, command",
    [
        ("use --episodes, not --seeds.", "use episodes=, not seeds=."),
        ("43 could (--episodes 43)", "43 could (episodes=43)"),
        ("and --unproved continues without proof.", "and unproved=True continues without proof."),
        ("--max-steps is for hosted envs", "max_steps= is for hosted envs"),
        ("`assay resume r --failed` tries it again.", "`assay resume r --failed` tries it again."),
        (" (`--retrain` trains there)", " (`retrain=True` trains there)"),
        ("--levels all is for", "all_levels=True is for"),
        ("such as --axis delay=1,2,4,8.", 'such as axes={"delay": [1, 2, 4, 8]}.'),
        ("such as --steps 20000.", "such as steps=20000."),
    ],
)
def test_options_are_spelled_as_arguments(options, command):
    assert in_python(options) == command


REFUSED = {
    "seeds a fraction": ({"seeds": 2.5}, "seeds= is a whole number from 1 up, not 2.5."),
    "seeds a text": ({"seeds": "3"}, "seeds= is a whole number from 1 up, not '3'."),
    "workers below 0": ({"workers": -1}, "workers= is a whole number from 0 up, not -1."),
    "first_seed below 0": ({"first_seed": -1}, "first_seed= is a whole number from 0 up, not -1."),
    "episodes true": ({"episodes": True}, "episodes= is a whole number from 1 up, not True."),
    "executor a word": ({"executor": "ray"}, "as in assay.executor_of(ray=\"local\"), not 'ray'."),
    "margin a text": ({"margin": "small"}, "margin= is a share such as 0.1, not 'small'."),
    "margin too large": ({"margin": 2.0}, "margin= is a share of at least 0 and below 1"),
    "an axis that is a record": ({"axes": [FOG]}, "axes= holds names, such as 'delay'"),
    "axes a number": ({"axes": 3}, "axes= is a list of names"),
    "no axis to sweep": ({"axes": {}}, 'such as axes={"delay": [1, 2, 4, 8]}.'),
    "no level": ({"axes": {"delay": []}}, "axes= names no level of delay"),
}


@pytest.mark.parametrize("given, says", REFUSED.values(), ids=REFUSED)
def test_arguments_that_cannot_be_used_are_refused(given, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssayError) as refusal:
        assay.examine("tabular_q", TOY, **({"axes": ["delay"]} | given))
    assert says in str(refusal.value)
    assert not list(tmp_path.iterdir())


def test_a_plan_s_refusal_names_the_argument():
    with pytest.raises(AssayError, match="its units are episodes: use episodes=, not seeds="):
        assay.examine("random", TOY, axes=["delay"], seeds=3)


def test_executors_name_their_arguments():
    with pytest.raises(AssayError, match="parts= needs ray="):
        assay.executor_of(parts="there")
    with pytest.raises(AssayError, match="workers= is a whole number from 0 up, not -2"):
        assay.executor_of(workers=-2)


def test_a_check_takes_names():
    with pytest.raises(AssayError, match="check takes names, not Channel objects: put it into a module"):
        assay.check(FOG, on="gym/CartPole-v1")
    with pytest.raises(AssayError, match="on= is the name of an env"):
        assay.check("mine:FOG", on=3)


@pytest.mark.parametrize(
    "axes, names, levels",
    [
        ("fog:FOG", ("fog:FOG",), None),
        (["delay", "action.sticky"], ("delay", "action.sticky"), None),
        ({"delay": [1, 2]}, ("delay",), {"delay": "1,2"}),
        ({"delay": 2}, ("delay",), {"delay": "2"}),
        ({"delay": "1:4:1"}, ("delay",), {"delay": "1:4:1"}),
        ({"blink": True, "delay": None}, ("blink", "delay"), {"blink": "true", "delay": ""}),
        ({"reward_dist": [[0.0, 1.0]]}, ("reward_dist",), {"reward_dist": "[0.0,1.0]"}),
    ],
)
def test_axes_are_one_name_names_or_levels(axes, names, levels):
    assert read_axes(axes) == (names, levels)
